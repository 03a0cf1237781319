// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#include "kernel/tcp_queue.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

namespace gensink::kernel {

TcpFlow::TcpFlow(int fd, plan::KernelSender how, std::span<const std::byte> source, int source_fd)
    : fd_(fd), how_(how), source_(source), source_fd_(source_fd) {}

std::uint64_t TcpFlow::write(std::uint64_t block) {
    if (left_ == 0) {
        left_ = block;
        at_ = at_ + block > source_.size() ? 0 : at_;
    }
    const std::int64_t n = send_some();
    if (n <= 0) {
        if (n < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS) {
            failure_ = errno;
        }
        left_ = left_ == block ? 0 : left_;
        return 0;
    }
    const auto taken = static_cast<std::uint64_t>(n);
    at_ += taken;
    left_ -= taken;
    sent_ += taken;
    return taken;
}

std::int64_t TcpFlow::send_some() {
    switch (how_) {
    case plan::KernelSender::sendfile: {
        auto offset = static_cast<off_t>(at_);
        return ::sendfile(fd_, source_fd_, &offset, left_);  // by reference to the file's pages
    }
    case plan::KernelSender::msg_zerocopy:
        return send_in_place();
    default: {
        const std::int64_t n = ::send(fd_, source_.data() + at_, left_, MSG_NOSIGNAL);
        copied_ += n > 0 ? static_cast<std::uint64_t>(n) : 0;
        return n;
    }
    }
}

/// The kernel tells of each send when it is done with the memory, and whether it copied after all
/// (Linux Documentation/networking/msg_zerocopy).
std::int64_t TcpFlow::send_in_place() {
    if (next_send_ - reaped_ >= most_pending / 2) {
        reap();
    }
    if (next_send_ - reaped_ == most_pending) {
        errno = ENOBUFS;
        return -1;
    }
    const std::int64_t n = ::send(fd_, source_.data() + at_, left_, MSG_NOSIGNAL | MSG_ZEROCOPY);
    if (n > 0) {
        pending_bytes_[next_send_++ % most_pending] = static_cast<std::uint32_t>(n);
        pending_sum_ += static_cast<std::uint64_t>(n);
    } else if (errno == ENOBUFS) {
        reap();  // as many notices wait as the socket may keep
        errno = ENOBUFS;
    }
    return n;
}

void TcpFlow::reap() {
    while (next_send_ != reaped_ && read_notice()) {
    }
}

/// False: there is none.
bool TcpFlow::read_notice() {
    alignas(cmsghdr) std::array<std::byte, 128> control{};
    msghdr message{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    if (::recvmsg(fd_, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
        return false;
    }
    const cmsghdr* const head = CMSG_FIRSTHDR(&message);
    if (head == nullptr || head->cmsg_level != SOL_IP || head->cmsg_type != IP_RECVERR) {
        return true;
    }
    sock_extended_err notice{};
    std::memcpy(&notice, CMSG_DATA(head), sizeof notice);
    if (notice.ee_origin != SO_EE_ORIGIN_ZEROCOPY) {
        return true;
    }
    last_was_copied_ = (notice.ee_code & SO_EE_CODE_ZEROCOPY_COPIED) != 0;
    for (std::uint32_t i = notice.ee_info; i != notice.ee_data + 1; ++i) {
        const std::uint32_t bytes = pending_bytes_[i % most_pending];
        pending_sum_ -= bytes;
        copied_ += last_was_copied_ ? bytes : 0;
    }
    reaped_ += notice.ee_data + 1 - notice.ee_info;
    return true;
}

}  // namespace gensink::kernel
