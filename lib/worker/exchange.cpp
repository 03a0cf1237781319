// SPDX-License-Identifier: BSD-3-Clause
#include "worker/detail/message.hpp"
#include "worker/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

/// The parent's end of the socket: whole messages within a deadline.
namespace gensink::worker {

namespace {

using detail::Header;
using detail::Status;
using Clock = std::chrono::steady_clock;

timespec until(Clock::time_point deadline) {
    const auto left = std::max(Duration{0}, Duration(deadline - Clock::now()));
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
    return {whole.count(), static_cast<long>((left - whole).count())};
}

}  // namespace

/// Waits for `events` on the socket. Once a stop is asked, all waiting together ends soon.
Process::Io Process::poll_for(short events, Clock::time_point deadline) {
    for (;;) {
        if (stop_seen_) {
            deadline = std::min(deadline, *stop_seen_ + purpose_.deadlines.stopping);
        }
        std::array<pollfd, 2> files{
            pollfd{fd_, events, 0}, pollfd{stop_seen_ ? -1 : purpose_.stop_fd, POLLIN, 0}};
        const timespec left = until(deadline);
        const int ready = ppoll(files.data(), files.size(), &left, nullptr);
        if (ready < 0 && errno != EINTR) {
            return Io::closed;
        }
        if (ready > 0 && files[0].revents != 0) {
            return Io::done;
        }
        if (ready > 0) {
            stop_seen_ = Clock::now();  // from now on only the socket is watched, for a while
        } else if (Clock::now() >= deadline) {
            return Io::late;
        }
    }
}

Process::Io Process::send_all(ByteView bytes, Clock::time_point deadline) {
    while (!bytes.empty()) {
        if (const Io io = poll_for(POLLOUT, deadline); io != Io::done) {
            return io;
        }
        const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
        } else if (errno != EINTR && errno != EAGAIN) {
            return Io::closed;
        }
    }
    return Io::done;
}

Process::Io Process::receive_all(std::span<std::byte> bytes, Clock::time_point deadline) {
    while (!bytes.empty()) {
        if (const Io io = poll_for(POLLIN, deadline); io != Io::done) {
            return io;
        }
        const ssize_t received = ::recv(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (received > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(received));
        } else if (received == 0 || (errno != EINTR && errno != EAGAIN)) {
            return Io::closed;
        }
    }
    return Io::done;
}

Process::Answer Process::receive(Call what, Clock::time_point deadline) {
    Answer answer;
    Header header;
    answer.io = receive_all(std::as_writable_bytes(std::span(&header, 1)), deadline);
    if (answer.io != Io::done) {
        return answer;
    }
    answer.ok = header.status == static_cast<std::uint8_t>(Status::answer);
    const bool refusal = header.status == static_cast<std::uint8_t>(Status::refusal);
    if (header.magic != Header::header_magic || header.call != static_cast<std::uint8_t>(what) ||
        header.payload_bytes > detail::max_payload_bytes || !(answer.ok || refusal)) {
        answer.io = Io::garbage;
        return answer;
    }
    answer.payload.resize(header.payload_bytes);
    answer.io = receive_all(answer.payload, deadline);
    return answer;
}

Result<void> wait_with(std::span<Process* const> processes, Duration duration) {
    const auto deadline = Clock::now() + duration;
    for (;;) {
        std::vector<pollfd> files;
        for (Process* process : processes) {
            if (auto good = process->check(); !good) {
                return good;
            }
            files.push_back({process->fd(), POLLIN, 0});
        }
        const int stop_fd = processes.empty() ? -1 : processes.front()->purpose().stop_fd;
        files.push_back({stop_fd, POLLIN, 0});
        const timespec left = until(deadline);
        const int ready = ppoll(files.data(), files.size(), &left, nullptr);
        if (ready > 0 && files.back().revents != 0) {
            return fail(ErrorKind::measurement, "a signal asked to stop", "wait", EINTR);
        }
        if (ready <= 0 && Clock::now() >= deadline) {
            return {};
        }
    }
}

}  // namespace gensink::worker
