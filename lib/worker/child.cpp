// SPDX-License-Identifier: BSD-3-Clause
#include "worker/detail/child.hpp"

#include "worker/codec.hpp"
#include "worker/detail/message.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <sched.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace gensink::worker::detail {

namespace {

constexpr int socket_fd = 3;

/// Signals as in a fresh process, except that a terminal's Ctrl-C and a supervisor's SIGTERM, which
/// reach the whole group, are left to the parent: it asks for last counts before it ends us.
void reset_signals() {
    struct sigaction action {};

    action.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) {
        (void)sigaction(number, &action, nullptr);
    }
    action.sa_handler = SIG_IGN;
    for (const int number : {SIGINT, SIGTERM, SIGPIPE}) {
        (void)sigaction(number, &action, nullptr);
    }
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

/// Keeps 0 to 2 and the socket, which moves to `socket_fd`; the parent's other files are not ours,
/// and an inherited socket end of another worker would hide that worker's death.
void keep_only(int fd, int log_fd) {
    __fpurge(stdout);  // what the parent had not yet written is the parent's to write
    dup2(log_fd, STDOUT_FILENO);
    dup2(log_fd, STDERR_FILENO);
    if (fd != socket_fd) {
        dup2(fd, socket_fd);
    }
    if (close_range(socket_fd + 1, ~0U, 0) != 0) {
        const long limit = sysconf(_SC_OPEN_MAX);
        for (int other = socket_fd + 1; other < limit; ++other) {
            ::close(other);
        }
    }
    // A crash must not take the last lines with it.
    (void)setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

Result<void> enter_namespace(const std::string& name) {
    if (name.empty()) {
        return {};
    }
    const std::string path = "/var/run/netns/" + name;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        const int code = errno;
        const char* advice =
            code == ENOENT ? "; create it with `ip netns add`, or leave netns out" : "";
        return fail(
            ErrorKind::environment,
            fmt::format(
                "cannot open network namespace '{}': {}{}",
                name,
                std::generic_category().message(code),
                advice
            ),
            path,
            code
        );
    }
    const int status = setns(fd, CLONE_NEWNET);
    const int code = errno;
    ::close(fd);
    if (status != 0) {
        const char* advice = code == EPERM ? "; run as root (CAP_SYS_ADMIN)" : "";
        return fail(
            ErrorKind::environment,
            fmt::format(
                "cannot enter network namespace '{}': {}{}",
                name,
                std::generic_category().message(code),
                advice
            ),
            path,
            code
        );
    }
    return {};
}

/// Blocking; false when the parent is gone.
bool write_all(const void* data, std::size_t size) {
    const auto* from = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t sent = ::send(socket_fd, from, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        from += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return true;
}

bool read_all(void* data, std::size_t size) {
    auto* to = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t received = ::recv(socket_fd, to, size, 0);
        if (received < 0 && errno == EINTR) {
            continue;
        }
        if (received <= 0) {
            return false;
        }
        to += received;
        size -= static_cast<std::size_t>(received);
    }
    return true;
}

bool answer(Call call, const Result<Bytes>& result) {
    const Bytes payload = result ? *result : encode(result.error());
    Header header;
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    header.call = static_cast<std::uint8_t>(call);
    header.status = static_cast<std::uint8_t>(result ? Status::answer : Status::refusal);
    return write_all(&header, sizeof header) && write_all(payload.data(), payload.size());
}

Result<Bytes> open(trial::Datapath& datapath, const Purpose& purpose, ByteView payload) {
    const auto call = decode_open_call(payload);
    if (!call || call->cell >= purpose.cells.size()) {
        return fail(
            ErrorKind::measurement, "worker was asked to open a cell that it does not know"
        );
    }
    plan::TrialPlan trial = purpose.cells[call->cell].trial;
    trial.load = call->load;
    trial.intended_fps = call->intended_fps;
    trial.frames.destination_mac = call->destination_mac;
    return datapath.open(trial, call->run_id).map([](const trial::Opened& opened) {
        return encode(opened);
    });
}

Result<Bytes> serve_one(trial::Datapath& datapath, const Purpose& purpose, Call call, ByteView in) {
    const auto nothing = [] {
        return Bytes{};
    };
    const auto counts = [](const trial::Snapshot& snapshot) {
        return encode(snapshot);
    };
    switch (call) {
    case Call::open:
        return open(datapath, purpose, in);
    case Call::start:
        return datapath.start().map(nothing);
    case Call::enter:
        if (const auto phase = decode_phase(in)) {
            return datapath.enter(*phase).map(nothing);
        }
        break;
    case Call::snapshot:
        return datapath.snapshot().map(counts);
    case Call::stop:
        return datapath.stop().map(counts);
    case Call::close:
        return datapath.close().map(nothing);
    case Call::ready:
    case Call::quit:
        break;
    }
    return fail(ErrorKind::measurement, "worker was asked something that it does not understand");
}

/// Answers until told to quit; false when the parent is gone or talks nonsense.
bool serve(trial::Datapath& datapath, const Purpose& purpose) {
    for (;;) {
        Header header;
        if (!read_all(&header, sizeof header) || header.magic != Header::header_magic ||
            header.payload_bytes > max_payload_bytes) {
            return false;
        }
        Bytes payload(header.payload_bytes);
        if (!read_all(payload.data(), payload.size())) {
            return false;
        }
        const auto call = static_cast<Call>(header.call);
        if (call == Call::quit) {
            return true;
        }
        if (!answer(call, serve_one(datapath, purpose, call, payload))) {
            return false;
        }
    }
}

bool live(const Purpose& purpose) {
    const auto entered = enter_namespace(purpose.netns);
    auto datapath = entered ? purpose.make() : tl::unexpected<Error>(entered.error());
    if (!datapath) {
        answer(Call::ready, tl::unexpected<Error>(datapath.error()));
        return true;
    }
    return answer(Call::ready, Bytes{}) && serve(**datapath, purpose);
}

}  // namespace

void run_child(const Purpose& purpose, pid_t parent, int fd, int log_fd) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);  // the parent died before we asked to be told
    }
    prctl(PR_SET_NAME, "gensink-worker");
    reset_signals();
    keep_only(fd, log_fd);
    bool good = false;
    try {
        good = live(purpose);
    } catch (const std::exception& error) {
        (void)std::fprintf(stderr, "worker failed: %s\n", error.what());
    }
    (void)std::fflush(nullptr);
    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

}  // namespace gensink::worker::detail
