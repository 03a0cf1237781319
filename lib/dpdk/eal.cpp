// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/eal.hpp"

#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_pdump.h>
#include <rte_version.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gensink::dpdk {
namespace {

/// "0000:01:00.0" and "01:00.0" begin with a hex digit and hold a colon; virtual devices do not.
bool is_pci(const std::string& device) {
    return !device.empty() && std::isxdigit(static_cast<unsigned char>(device[0])) != 0 &&
           device.find(':') != std::string::npos && device.rfind("net_", 0) != 0;
}

std::string lcore_map(const plan::Environment& environment) {
    std::string map = fmt::format("0@{}", environment.control_cpu.value);
    for (const plan::CorePlan& core : environment.cores) {
        map += fmt::format(",{}@{}", core.lcore.value, core.cpu.value);
    }
    return map;
}

std::string joined(const std::vector<std::string>& args) {
    std::string text;
    for (const std::string& arg : args) {
        text.append(text.empty() ? "" : " ").append(arg);
    }
    return text;
}

std::string file_prefix(pid_t process) {
    return fmt::format("gensink-{}", process);
}

/// EAL makes a runtime folder, empty without shared configuration, and never removes it. With
/// --in-memory it is that of the default prefix, which another program may be using.
void remove_runtime_dir() {
    const std::filesystem::path dir = rte_eal_get_runtime_dir();
    std::error_code ignored;
    if (dir.filename() == file_prefix(getpid())) {
        std::filesystem::remove_all(dir, ignored);
    } else {
        std::filesystem::remove(dir, ignored);  // only when empty
    }
    std::filesystem::remove(dir.parent_path(), ignored);  // likewise
}

}  // namespace

std::vector<std::string> eal_arguments(const plan::Environment& environment) {
    std::vector<std::string> args{
        "gensink", "--lcores", lcore_map(environment), "--main-lcore", "0"};
    if (!environment.telemetry) {
        args.emplace_back("--no-telemetry");
    }
    if (environment.hugepages) {
        if (!environment.pdump) {
            args.emplace_back("--in-memory");
        }
        args.emplace_back("--single-file-segments");
        if (!environment.file_prefix.empty()) {
            args.push_back("--file-prefix=" + environment.file_prefix);
        }
    } else {
        // --in-memory and --no-huge are refused together; the default heap of 64 MiB is too small.
        args.insert(args.end(), {"--no-huge", "--no-shconf", "-m"});
        args.push_back(std::to_string(environment.memory_mib));
        args.push_back(
            "--file-prefix=" +
            (environment.file_prefix.empty() ? file_prefix(getpid()) : environment.file_prefix)
        );
    }
    bool pci = false;
    for (const std::string& device : environment.devices) {
        if (is_pci(device)) {
            pci = true;
            args.insert(args.end(), {"-a", device});
        }
    }
    if (!pci) {
        args.emplace_back("--no-pci");
    }
    args.insert(args.end(), environment.extra_eal.begin(), environment.extra_eal.end());
    return args;
}

void remove_traces(const std::filesystem::path& runtime, pid_t process) {
    std::error_code ignored;
    const std::filesystem::path dpdk = runtime / "dpdk";
    std::filesystem::remove_all(dpdk / file_prefix(process), ignored);
    std::filesystem::remove(dpdk / "rte", ignored);  // with --in-memory, and only when empty
    std::filesystem::remove(dpdk, ignored);          // likewise
}

namespace {

/// "gensink-PID", "gensink-PID-2", and hugepage files "gensink-PIDmap_0": of a process that has
/// ended, or of this one.
bool is_leftover(const std::string& name) {
    constexpr std::string_view start = "gensink-";
    pid_t process = 0;
    if (!name.starts_with(start) ||
        std::from_chars(name.data() + start.size(), name.data() + name.size(), process).ec !=
            std::errc{}) {
        return false;
    }
    return process == getpid() || (kill(process, 0) != 0 && errno == ESRCH);
}

void remove_leftovers_in(const std::filesystem::path& folder) {
    std::error_code code;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
        if (is_leftover(entry.path().filename())) {
            found.push_back(entry.path());
        }
    }
    for (const std::filesystem::path& path : found) {
        std::filesystem::remove_all(path, code);
    }
}

}  // namespace

void remove_leftovers(const std::filesystem::path& runtime) {
    remove_leftovers_in(runtime / "dpdk");
    std::ifstream mounts("/proc/mounts");
    std::string source;
    std::string folder;
    std::string kind;
    std::string rest;
    while (mounts >> source >> folder >> kind && std::getline(mounts, rest)) {
        if (kind == "hugetlbfs") {
            remove_leftovers_in(folder);
        }
    }
}

std::string version() {
    const std::string text = rte_version();  // "DPDK 22.11.11"
    return text.substr(text.find(' ') + 1);
}

Error dpdk_error(ErrorKind kind, const std::string& what, const std::string& where, int code) {
    const int os_code = code < -1 ? -code : rte_errno;
    return Error{kind, fmt::format("{}: {}", what, rte_strerror(os_code)), where, os_code};
}

Result<Eal> Eal::start(const plan::Environment& environment) {
    std::vector<std::string> args = eal_arguments(environment);
    std::vector<char*> argv;
    argv.reserve(args.size() + 1);
    for (std::string& arg : args) {
        argv.push_back(arg.data());
    }
    argv.push_back(nullptr);
    if (rte_eal_init(static_cast<int>(args.size()), argv.data()) < 0) {
        const Error error =
            dpdk_error(ErrorKind::environment, "DPDK's EAL did not start", joined(args), -1);
        remove_runtime_dir();
        return tl::unexpected<Error>(Error{
            error.kind,
            error.message + "; run `gensink doctor`, or try --set host.hugepages=off",
            error.where,
            error.os_code});
    }
    const bool met = !environment.file_prefix.empty();
    if (!met) {
        remove_runtime_dir();  // now, so that a killed worker leaves nothing
    }
    Eal eal(met);
    if (environment.pdump && rte_pdump_init() != 0) {
        return tl::unexpected<Error>(
            dpdk_error(ErrorKind::environment, "packet capture did not start", "host.pdump", -1)
        );
    }
    return eal;
}

Eal::Eal(Eal&& other) noexcept : owner_(std::exchange(other.owner_, false)), met_(other.met_) {}

Eal::~Eal() {
    if (owner_) {
        const std::filesystem::path dir = rte_eal_get_runtime_dir();
        rte_eal_cleanup();
        if (met_) {
            std::error_code ignored;
            std::filesystem::remove_all(dir, ignored);
        }
    }
}

}  // namespace gensink::dpdk
