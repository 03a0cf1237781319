// SPDX-License-Identifier: BSD-3-Clause
#include "worker/process.hpp"

#include "worker/detail/child.hpp"
#include "worker/detail/log.hpp"
#include "worker/detail/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gensink::worker {

namespace {

using detail::Header;
using detail::Status;
using Clock = std::chrono::steady_clock;

tl::unexpected<Error> refused(const char* what, int code) {
    return fail(
        ErrorKind::environment,
        fmt::format(
            "cannot start a worker process: {}: {}; check the limits on processes, open files and "
            "memory (ulimit -a)",
            what,
            std::generic_category().message(code)
        ),
        "worker",
        code
    );
}

std::string in_units(Duration duration) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    return ms % 1000 == 0 ? fmt::format("{} s", ms / 1000) : fmt::format("{} ms", ms);
}

}  // namespace

Result<std::unique_ptr<Process>> Process::spawn(Purpose purpose) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return refused("socketpair", errno);
    }
    const int log_fd = detail::make_log();
    const int log_error = errno;
    const pid_t parent = getpid();
    const pid_t pid = log_fd < 0 ? -1 : fork();
    if (pid == 0) {
        detail::run_child(purpose, parent, ends[1], log_fd);
    }
    const int fork_error = errno;
    ::close(ends[1]);
    if (pid < 0) {
        ::close(ends[0]);
        if (log_fd < 0) {
            return refused("memfd_create", log_error);
        }
        ::close(log_fd);
        return refused("fork", fork_error);
    }
    return std::unique_ptr<Process>(new Process(std::move(purpose), pid, ends[0], log_fd));
}

Process::Process(Purpose purpose, pid_t pid, int fd, int log_fd)
    : purpose_(std::move(purpose)), pid_(pid), fd_(fd), log_fd_(log_fd) {}

Process::~Process() {
    ask_to_quit();
    end(stop_seen_ ? std::min(purpose_.deadlines.quit, purpose_.deadlines.stopping)
                   : purpose_.deadlines.quit);
    ::close(fd_);
    ::close(log_fd_);
}

std::string Process::label() const {
    return fmt::format("worker (pid {}, {})", pid_, purpose_.role);
}

Result<void> Process::ready() {
    if (death_) {
        return tl::unexpected<Error>(*death_);
    }
    const Duration deadline = purpose_.deadlines.ready;
    Answer answer = receive(Call::ready, Clock::now() + deadline);
    return finish(Call::ready, std::move(answer), deadline, 0).map([](const Bytes&) {});
}

Result<Bytes> Process::call(Call what, const Bytes& payload, Duration deadline) {
    if (death_) {
        return tl::unexpected<Error>(*death_);
    }
    const std::size_t log_start = detail::log_bytes(log_fd_);
    const auto end_of_patience = Clock::now() + deadline;
    Header header;
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    header.call = static_cast<std::uint8_t>(what);
    header.status = static_cast<std::uint8_t>(Status::question);
    Answer answer;
    answer.io = send_all(std::as_bytes(std::span(&header, 1)), end_of_patience);
    if (answer.io == Io::done) {
        answer.io = send_all(payload, end_of_patience);
    }
    if (answer.io == Io::done) {
        answer = receive(what, end_of_patience);
    }
    return finish(what, std::move(answer), deadline, log_start);
}

Result<Bytes> Process::finish(Call what, Answer answer, Duration deadline, std::size_t log_start) {
    std::optional<Error> error;
    if (answer.io == Io::done && !answer.ok) {
        error = decode_error(answer.payload);
        answer.io = error ? Io::done : Io::garbage;
    }
    if (answer.io != Io::done) {
        death_ = bury(answer.io, name(what), deadline);
        return tl::unexpected<Error>(*death_);
    }
    if (!error) {
        return std::move(answer.payload);
    }
    if (const std::string tail = detail::log_tail(log_fd_, log_start); !tail.empty()) {
        error->message += "\n  the log of the worker:" + tail;
    }
    if (what == Call::ready) {
        death_ = error;  // without a datapath the child ends by itself
        end(purpose_.deadlines.quit);
    }
    return tl::unexpected<Error>(*std::move(error));
}

/// Ends a child that is of no more use and says why.
Error Process::bury(Io io, std::string_view during, Duration deadline) {
    Error error;
    error.kind = ErrorKind::measurement;
    if (io == Io::closed) {
        end(std::chrono::seconds(1));
        const std::string how = detail::describe_end(wait_status_);
        error.message = fmt::format("{} {} during {}", label(), how, during);
    } else {
        end(Duration{0});
        const bool stopping = io == Io::late && stop_seen_;
        error.os_code = stopping ? EINTR : 0;
        error.message = io == Io::garbage
                            ? fmt::format("{} sent nonsense during {}", label(), during)
                            : fmt::format(
                                  "{} was killed: no answer within {} during {}",
                                  label(),
                                  in_units(stopping ? purpose_.deadlines.stopping : deadline),
                                  during
                              );
    }
    if (const std::string tail = detail::log_tail(log_fd_, 0); !tail.empty()) {
        error.message += "; its log ends:" + tail;
    }
    return error;
}

void Process::ask_to_quit() {
    if (reaped_ || death_) {
        return;
    }
    Header header;
    header.call = static_cast<std::uint8_t>(Call::quit);
    header.status = static_cast<std::uint8_t>(Status::question);
    (void)::send(fd_, &header, sizeof header, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)::shutdown(fd_, SHUT_WR);
}

Result<void> Process::check() {
    if (!death_) {
        // Nothing is said unasked: what can be read now is the end, or nonsense.
        std::byte first{};
        const ssize_t received = ::recv(fd_, &first, 1, MSG_DONTWAIT | MSG_PEEK);
        if (received < 0 && (errno == EAGAIN || errno == EINTR)) {
            return {};
        }
        death_ = bury(received > 0 ? Io::garbage : Io::closed, "the run", Duration{0});
    }
    return tl::unexpected<Error>(*death_);
}

/// True once the child is reaped; tries for `patience`.
bool Process::reap(Duration patience) {
    const auto deadline = Clock::now() + patience;
    auto pause = std::chrono::microseconds(100);
    while (!reaped_) {
        const pid_t ended = waitpid(pid_, &wait_status_, WNOHANG);
        // No such child: someone else has reaped it, and its status is lost.
        reaped_ = ended == pid_ || (ended < 0 && errno == ECHILD);
        if (reaped_ && wait_status_ != 0 && purpose_.after_death) {
            purpose_.after_death(pid_);
        }
        if (reaped_ || Clock::now() >= deadline) {
            break;
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(5000));
    }
    return reaped_;
}

/// The child is gone afterwards, by itself within `patience` or by force.
void Process::end(Duration patience) {
    if (reap(patience)) {
        return;
    }
    (void)kill(pid_, SIGKILL);
    // At once, unless a driver holds the process inside the kernel: then it outlives us.
    (void)reap(std::chrono::seconds(5));
}

}  // namespace gensink::worker
