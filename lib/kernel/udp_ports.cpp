// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#include "kernel/udp_ports.hpp"

#include "wire/checksum.hpp"
#include "wire/stamp.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/udp.h>
#include <netinet/in.h>

namespace gensink::kernel {
namespace {

/// What a refusal of now says nothing of later. ECONNREFUSED is an ICMP message about a datagram
/// sent before.
bool passes(int code) {
    return code == EAGAIN || code == ENOBUFS || code == EINTR || code == ECONNREFUSED;
}

iovec payload_of(const Datagram& frame) {
    return {frame.bytes + wire::headers_bytes, frame.length - wire::headers_bytes};
}

constexpr std::uint32_t udp_length_offset = wire::ethernet_bytes + wire::ipv4_bytes + 4;

}  // namespace

Datagrams::Datagrams(std::uint32_t count, const wire::FrameFields& fields) {
    const std::uint32_t length = wire::frame_bytes_without_fcs(fields.payload_bytes);
    const std::size_t room =
        (length + cache_block_bytes - 1) / cache_block_bytes * cache_block_bytes;
    memory_.resize(room * count);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::byte* const at = memory_.data() + i * room;
        wire::write_frame({at, length}, fields);
        frames_.push_back({at, length});
    }
}

UdpSender::UdpSender(
    int fd, plan::KernelSender how, std::uint32_t burst, const wire::FrameFields& fields
)
    : fd_(fd), how_(how), frames_(burst, fields) {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
        free_.push_back(&frames_[i]);
    }
}

bool UdpSender::take(Datagram** frames, std::uint32_t n) {
    if (free_.size() < n) {
        return false;
    }
    std::copy_n(free_.end() - n, n, frames);
    free_.resize(free_.size() - n);
    return true;
}

void UdpSender::give_back(Datagram** frames, std::uint32_t n) {
    free_.insert(free_.end(), frames, frames + n);  // never beyond its first capacity
}

void UdpSender::note_failure() {
    if (!passes(errno)) {
        failure_.store(errno, std::memory_order_relaxed);
    }
}

std::uint32_t UdpSender::send(Datagram** frames, std::uint32_t n) {
    const std::uint32_t sent = how_ == plan::KernelSender::gso        ? send_segmented(frames, n)
                               : how_ == plan::KernelSender::sendmmsg ? send_many(frames, n)
                                                                      : send_each(frames, n);
    for (std::uint32_t i = 0; i < sent; ++i) {
        copied_ += frames[i]->length - wire::headers_bytes;
    }
    give_back(frames, sent);
    return sent;
}

std::uint32_t UdpSender::send_each(Datagram** frames, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
        const iovec piece = payload_of(*frames[i]);
        if (::send(fd_, piece.iov_base, piece.iov_len, 0) < 0) {
            note_failure();
            return i;
        }
    }
    return n;
}

std::uint32_t UdpSender::send_many(Datagram** frames, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
        pieces_[i] = payload_of(*frames[i]);
        messages_[i].msg_hdr.msg_iov = &pieces_[i];
        messages_[i].msg_hdr.msg_iovlen = 1;
    }
    const int sent = ::sendmmsg(fd_, messages_.data(), n, 0);
    if (sent < 0) {
        note_failure();
        return 0;
    }
    return static_cast<std::uint32_t>(sent);
}

/// One buffer in pieces, which the kernel, or the device, cuts into datagrams (udp(7),
/// UDP_SEGMENT). All of them are accepted, or none.
std::uint32_t UdpSender::send_segmented(Datagram** frames, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) {
        pieces_[i] = payload_of(*frames[i]);
    }
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t))> control{};
    msghdr message{};
    message.msg_iov = pieces_.data();
    message.msg_iovlen = n;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const segment = CMSG_FIRSTHDR(&message);
    segment->cmsg_level = IPPROTO_UDP;
    segment->cmsg_type = UDP_SEGMENT;
    segment->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto bytes = static_cast<std::uint16_t>(pieces_[0].iov_len);
    std::memcpy(CMSG_DATA(segment), &bytes, sizeof bytes);
    if (::sendmsg(fd_, &message, 0) < 0) {
        note_failure();
        return 0;
    }
    return n;
}

UdpReceiver::UdpReceiver(int fd, std::uint32_t burst, const wire::FrameFields& fields)
    : fd_(fd), frames_(burst, fields), pieces_(burst), messages_(burst) {
    for (std::uint32_t i = 0; i < burst; ++i) {
        pieces_[i] = payload_of(frames_[i]);
        messages_[i].msg_hdr.msg_iov = &pieces_[i];
        messages_[i].msg_hdr.msg_iovlen = 1;
    }
}

std::uint32_t UdpReceiver::receive(Datagram** frames, std::uint32_t n) {
    const auto most = std::min<std::uint32_t>(n, static_cast<std::uint32_t>(messages_.size()));
    const int got = ::recvmmsg(fd_, messages_.data(), most, MSG_DONTWAIT, nullptr);
    if (got <= 0) {
        return 0;
    }
    const auto received = static_cast<std::uint32_t>(got);
    for (std::uint32_t i = 0; i < received; ++i) {
        Datagram& frame = frames_[i];
        const std::uint32_t length = wire::headers_bytes + messages_[i].msg_len;
        if (frame.length != length) {
            frame.length = length;
            const auto udp = static_cast<std::uint16_t>(wire::udp_bytes + messages_[i].msg_len);
            wire::store(frame.bytes + udp_length_offset, wire::swap16(udp));
        }
        frames[i] = &frame;
    }
    return received;
}

}  // namespace gensink::kernel
