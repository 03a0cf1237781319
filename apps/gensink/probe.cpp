// SPDX-License-Identifier: BSD-3-Clause
#include "probe.hpp"

#include "dpdk/discover.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

namespace gensink::app {
namespace {

void show(const dpdk::Discovered& d) {
    fmt::print("{}\n  driver {}, NUMA node {}\n", d.device, d.driver, d.socket.value);
    if (d.mac) {
        const plan::MacAddress& m = *d.mac;
        fmt::print(
            "  MAC {:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}\n", m[0], m[1], m[2], m[3], m[4], m[5]
        );
    }
    fmt::print(
        "  largest frame {}, {} queue pairs, {} to {} transmit descriptors\n",
        d.limits.max_frame_bytes == UINT32_MAX ? "not limited"
                                               : fmt::format("{} B", d.limits.max_frame_bytes),
        d.limits.max_queues,
        d.limits.min_descriptors,
        d.limits.max_descriptors
    );
    if (const std::string link = report::describe_link(d.link); !link.empty()) {
        fmt::print("  link {}\n", link);
    }
    fmt::print(
        "  UDP checksum offload: {}; fast free: {}\n",
        d.udp_checksum_offload ? "yes" : "no",
        d.fast_free ? "yes" : "no"
    );
}

/// DPDK's chatter goes nowhere.
Result<std::vector<Result<dpdk::Discovered>>> discover(const std::vector<std::string>& devices) {
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int errors = dup(STDERR_FILENO);
    dup2(null, STDERR_FILENO);
    auto found = dpdk::discover(devices);
    std::fflush(stderr);
    dup2(errors, STDERR_FILENO);
    return found;
}

Status probe(const std::vector<std::string>& devices) {
    const auto found = discover(devices);
    if (!found) {
        return report_errors({{found.error()}});
    }
    Status status = Status::ok;
    for (const Result<dpdk::Discovered>& device : *found) {
        if (device) {
            show(*device);
        } else {
            status = report_errors({{device.error()}});
        }
    }
    std::fflush(stdout);
    return status;
}

/// EAL must never start in this process. Absent: the child died.
template <class Work>
std::optional<Status> in_child(Work work) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        _exit(static_cast<int>(work()));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return std::nullopt;
    }
    return static_cast<Status>(WEXITSTATUS(status));
}

}  // namespace

Status probe_in_child(const std::vector<std::string>& devices) {
    if (const auto status = in_child([&] { return probe(devices); })) {
        return *status;
    }
    return report_errors(
        {{Error{ErrorKind::environment, "the process that opened the devices died", "", 0}}}
    );
}

bool opens_in_child(const std::string& device) {
    const auto status = in_child([&] {
        const auto found = discover({device});
        return found && found->front() ? Status::ok : Status::environment;
    });
    return status == Status::ok;
}

}  // namespace gensink::app
