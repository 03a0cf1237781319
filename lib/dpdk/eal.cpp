// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/eal.hpp"

#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_version.h>

#include <cctype>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

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
        "gensink", "--lcores", lcore_map(environment), "--main-lcore", "0", "--no-telemetry"};
    if (environment.hugepages) {
        args.emplace_back("--in-memory");
        args.emplace_back("--single-file-segments");
    } else {
        // --in-memory and --no-huge are refused together; the default heap of 64 MiB is too small.
        args.insert(args.end(), {"--no-huge", "--no-shconf", "-m"});
        args.push_back(std::to_string(environment.memory_mib));
        args.push_back("--file-prefix=" + file_prefix(getpid()));
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
    remove_runtime_dir();  // now, so that a killed worker leaves nothing
    return Eal();
}

Eal::Eal(Eal&& other) noexcept : owner_(std::exchange(other.owner_, false)) {}

Eal::~Eal() {
    if (owner_) {
        rte_eal_cleanup();
    }
}

}  // namespace gensink::dpdk
