// SPDX-License-Identifier: BSD-3-Clause
#include "exporter/exporter.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <exception>
#include <memory>
#include <poll.h>
#include <prometheus/exposer.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "exporter/detail/numbers.hpp"

namespace gensink::exporter {

namespace {

/// A message holds a run's state: a few hundred bytes a core.
constexpr std::size_t largest_message = 65536;
constexpr int start_limit_ms = 5000;

/// "ADDRESS:PORT" of what was written; empty where it is neither that nor a port.
[[nodiscard]] std::string full_address(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
    unsigned number = 0;
    const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (code != std::errc{} || end != port.data() + port.size() || number > 65535 || colon == 0) {
        return {};
    }
    return (colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon)) + ":" + port;
}

/// Takes messages until the parent hangs up.
void serve(int socket, detail::Numbers& numbers) {
    std::string message(largest_message, '\0');
    while (true) {
        const ::ssize_t got = ::recv(socket, message.data(), message.size(), 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return;
        }
        const auto json = std::string_view(message).substr(1, static_cast<std::size_t>(got) - 1);
        message.front() == 'p' ? numbers.progress(json) : numbers.ended(json);
    }
}

/// The child: tells its port, or why there is none, then serves. Never returns.
[[noreturn]] void run_child(int socket, const std::string& address, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        ::_exit(1);
    }
    // A key that interrupts the run goes to its whole group; the parent decides when this ends.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    std::string answer;
    try {
        prometheus::Exposer exposer(address, 2);
        const auto numbers = std::make_shared<detail::Numbers>();
        exposer.RegisterCollectable(numbers);
        answer = fmt::format("+{}", exposer.GetListeningPorts().at(0));
        static_cast<void>(::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL));
        serve(socket, *numbers);
    } catch (const std::exception& error) {
        answer = std::string("-") + error.what();
        static_cast<void>(::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL));
    }
    ::_exit(0);
}

/// The child's first message; empty where none came.
[[nodiscard]] std::string first_answer(int socket) {
    pollfd ready{socket, POLLIN, 0};
    if (::poll(&ready, 1, start_limit_ms) != 1) {
        return {};
    }
    std::array<char, 512> text{};
    const ::ssize_t got = ::recv(socket, text.data(), text.size(), 0);
    return {text.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

[[nodiscard]] tl::unexpected<Error> no_child(int code) {
    return fail(
        ErrorKind::environment,
        "cannot start the exporter: " + std::generic_category().message(code),
        "--prometheus",
        code
    );
}

}  // namespace

Result<Exporter> Exporter::start(const std::string& address) {
    const std::string full = full_address(address);
    if (full.empty()) {
        return fail(
            ErrorKind::usage,
            fmt::format(
                "'{}' is no port and no ADDRESS:PORT; write 9464, or 0.0.0.0:9464", address
            ),
            "--prometheus"
        );
    }
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return no_child(errno);
    }
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        run_child(ends[1], full, parent);
    }
    const int fork_error = errno;
    ::close(ends[1]);
    Exporter exporter(ends[0], child, {});
    if (child < 0) {
        return no_child(fork_error);
    }
    const std::string answer = first_answer(ends[0]);
    if (!answer.starts_with('+')) {
        return fail(
            ErrorKind::environment,
            fmt::format(
                "cannot listen on {}{}; is the port in use? Port 0 takes a free one",
                full,
                answer.empty() ? "" : ": " + answer.substr(1)
            ),
            "--prometheus"
        );
    }
    const std::string host = full.substr(0, full.rfind(':'));
    exporter.url_ = fmt::format("http://{}:{}/metrics", host, answer.substr(1));
    return exporter;
}

Exporter::Exporter(Exporter&& other) noexcept
    : socket_(std::exchange(other.socket_, -1))
    , child_(std::exchange(other.child_, -1))
    , url_(std::move(other.url_)) {}

Exporter::~Exporter() {
    if (socket_ >= 0) {
        ::shutdown(socket_, SHUT_RDWR);  // workers hold copies of this end
        ::close(socket_);
    }
    if (child_ > 0) {
        while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

void Exporter::send(char kind, std::string_view json) const {
    if (json.size() < largest_message) {
        const std::string message = kind + std::string(json);
        static_cast<void>(
            ::send(socket_, message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
        );
    }
}

}  // namespace gensink::exporter
