// SPDX-License-Identifier: BSD-3-Clause
#include "host/veth.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gensink::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* netns_folder = "/var/run/netns";

/// Runs `ip` with these words; what it says on stderr is the error.
Result<void> run_ip(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    std::string name = "ip";
    arguments.push_back(name.data());
    std::vector<std::string> copies = words;
    std::string line = name;
    for (std::string& word : copies) {
        line += ' ' + word;
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    std::array<int, 2> said{};
    if (pipe2(said.data(), O_CLOEXEC) != 0) {
        return fail(ErrorKind::environment, std::generic_category().message(errno), line, errno);
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, said[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, said[1], STDERR_FILENO);
    pid_t child = 0;
    const int code =
        posix_spawnp(&child, name.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(said[1]);
    std::string text;
    std::array<char, 512> part{};
    for (ssize_t n = 0; code == 0 && (n = read(said[0], part.data(), part.size())) > 0;) {
        text.append(part.data(), static_cast<std::size_t>(n));
    }
    close(said[0]);
    if (code != 0) {
        return fail(
            ErrorKind::environment,
            "cannot run `ip` (package iproute2): " + std::generic_category().message(code),
            line,
            code
        );
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return {};
    }
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return fail(
        ErrorKind::environment,
        (text.empty() ? std::string("failed") : text) +
            (geteuid() == 0 ? "" : "; wire.veth needs root: run it with sudo"),
        line
    );
}

/// Of a run that has ended: "gensink-PID-gen".
bool is_left_over(const std::string& name) {
    constexpr std::string_view prefix = "gensink-";
    const std::size_t role = name.rfind('-');
    if (!name.starts_with(prefix) || role < prefix.size()) {
        return false;
    }
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + role, pid);
    return error == std::errc() && end == name.data() + role && pid > 0 && kill(pid, 0) != 0 &&
           errno == ESRCH;
}

void remove_left_over() {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(netns_folder, ignored)) {
        if (const std::string name = entry.path().filename(); is_left_over(name)) {
            (void)run_ip({"netns", "del", name});
        }
    }
}

std::string dotted(const std::array<std::uint8_t, 4>& ip) {
    return fmt::format("{}.{}.{}.{}", ip[0], ip[1], ip[2], ip[3]);
}

}  // namespace

VethPair::VethPair(VethPair&& other) noexcept
    : gen_netns_(std::exchange(other.gen_netns_, {}))
    , sink_netns_(std::exchange(other.sink_netns_, {})) {}

VethPair::~VethPair() {
    for (const std::string& name : {gen_netns_, sink_netns_}) {
        if (!name.empty()) {
            (void)run_ip({"netns", "del", name});  // its interfaces go with it
        }
    }
}

Result<VethPair> VethPair::make(const plan::VethPlan& plan) {
    remove_left_over();
    VethPair pair;
    if (auto done = pair.set_up(plan); !done) {
        return tl::unexpected<Error>(done.error());
    }
    return pair;
}

Result<void> VethPair::set_up(const plan::VethPlan& plan) {
    const std::string mtu = std::to_string(plan.mtu);
    std::vector<std::vector<std::string>> steps{
        {"link",
         "add",
         "gen0",
         "mtu",
         mtu,
         "netns",
         plan.gen_netns,
         "type",
         "veth",
         "peer",
         "name",
         "sink0",
         "mtu",
         mtu,
         "netns",
         plan.sink_netns},
    };
    const bool addressed = plan.gen_ip != std::array<std::uint8_t, 4>{};
    const auto add_end =
        [&](const std::string& netns, const char* name, const auto& own, const auto& peer) {
            if (addressed) {
                steps.push_back(
                    {"-n", netns, "addr", "add", dotted(own), "peer", dotted(peer), "dev", name}
                );
            }
            steps.push_back({"-n", netns, "link", "set", "lo", "up"});
            steps.push_back({"-n", netns, "link", "set", name, "up"});
        };
    add_end(plan.gen_netns, "gen0", plan.gen_ip, plan.sink_ip);
    add_end(plan.sink_netns, "sink0", plan.sink_ip, plan.gen_ip);
    for (auto [name, own] :
         {std::pair{&plan.gen_netns, &gen_netns_}, std::pair{&plan.sink_netns, &sink_netns_}}) {
        if (auto done = run_ip({"netns", "add", *name}); !done) {
            return done;
        }
        *own = *name;
    }
    for (const auto& words : steps) {
        if (auto done = run_ip(words); !done) {
            return done;
        }
    }
    return {};
}

}  // namespace gensink::host
