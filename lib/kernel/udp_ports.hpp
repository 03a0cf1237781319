// SPDX-License-Identifier: BSD-3-Clause
// HOT PATH
#pragma once

#include "base/units.hpp"
#include "counters/counts.hpp"
#include "plan/plan.hpp"
#include "wire/frame.hpp"
#include "wire/size.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <sys/socket.h>
#include <vector>

/// The engine's ports over UDP sockets. Frames have the headers that the kernel would give them, so
/// that all datapaths count alike; only what is behind them passes through the socket.
namespace gensink::kernel {

/// A datagram in memory, as a frame without FCS.
struct Datagram {
    std::byte* bytes = nullptr;
    std::uint32_t length = 0;
};

struct DatagramBytes {
    using Frame = Datagram;

    static std::byte* bytes(Datagram* frame) { return frame->bytes; }

    static const std::byte* bytes(const Datagram* frame) { return frame->bytes; }

    static std::uint32_t length(const Datagram* frame) { return frame->length; }

    static void set_length(Datagram* frame, std::uint32_t bytes) { frame->length = bytes; }

    static void prefetch_record(const Datagram*) {}

    static void prefetch(const Datagram*) {}

    static void relax() {}
};

/// Equal frames, one after the other in memory.
class Datagrams {
  public:
    Datagrams(std::uint32_t count, const wire::FrameFields& fields);

    [[nodiscard]] Datagram& operator[](std::size_t i) { return frames_[i]; }

    [[nodiscard]] std::size_t size() const { return frames_.size(); }

  private:
    std::vector<std::byte> memory_;
    std::vector<Datagram> frames_;
};

/// A stream's socket at the generator. The kernel has copied a datagram when the call that sends it
/// is over, so that few frames serve for all.
class UdpSender {
  public:
    UdpSender(int fd, plan::KernelSender how, std::uint32_t burst, const wire::FrameFields& fields);

    bool take(Datagram** frames, std::uint32_t n);
    std::uint32_t send(Datagram** frames, std::uint32_t n);
    void give_back(Datagram** frames, std::uint32_t n);

    [[nodiscard]] int fd() const { return fd_; }

    /// Payload that the kernel has copied so far.
    [[nodiscard]] std::uint64_t copied() const { return copied_; }

    /// Of the call that failed for good; 0: none has. Writer: the loop; reader: control thread.
    [[nodiscard]] int failure() const { return failure_.load(std::memory_order_relaxed); }

  private:
    std::uint32_t send_each(Datagram** frames, std::uint32_t n);
    std::uint32_t send_many(Datagram** frames, std::uint32_t n);
    std::uint32_t send_segmented(Datagram** frames, std::uint32_t n);
    void note_failure();

    int fd_;
    plan::KernelSender how_;
    Datagrams frames_;
    std::vector<Datagram*> free_;
    std::array<iovec, counters::max_burst> pieces_{};
    std::array<mmsghdr, counters::max_burst> messages_{};
    std::uint64_t copied_ = 0;
    std::atomic<int> failure_{0};
};

struct UdpTx : DatagramBytes {
    UdpSender* sender;

    bool take(Datagram** frames, std::uint32_t n) const { return sender->take(frames, n); }

    std::uint32_t send(Datagram** frames, std::uint32_t n) const { return sender->send(frames, n); }

    void give_back(Datagram** frames, std::uint32_t n) const { sender->give_back(frames, n); }

    [[nodiscard]] std::uint64_t copied() const { return sender->copied(); }
};

/// A stream's socket at the sink.
class UdpReceiver {
  public:
    UdpReceiver(int fd, std::uint32_t burst, const wire::FrameFields& fields);

    std::uint32_t receive(Datagram** frames, std::uint32_t n);

    [[nodiscard]] int fd() const { return fd_; }

  private:
    int fd_;
    Datagrams frames_;
    std::vector<iovec> pieces_;
    std::vector<mmsghdr> messages_;
};

struct UdpRx : DatagramBytes {
    UdpReceiver* receiver;

    std::uint32_t receive(Datagram** frames, std::uint32_t n) const {
        return receiver->receive(frames, n);
    }

    void release(Datagram**, std::uint32_t) const {}
};

}  // namespace gensink::kernel
