// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/ids.hpp"
#include "base/result.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

struct rte_memzone;

namespace gensink::dpdk {

/// The bytes that frames are filled with, or point at: memory that a device can read, or a mapped
/// file.
class Source {
  public:
    Source() = default;
    /// `largest`: payload of the largest frame. Error environment: no memory, no such file, or one
    /// shorter than `largest`.
    [[nodiscard]] static Result<Source>
    make(const plan::PayloadPlan& plan, std::uint32_t largest, SocketId socket);

    Source(Source&& other) noexcept;
    Source& operator=(Source&& other) noexcept;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source();

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

    /// What an address in it must be raised by to be the device's. A mapped file has none: only
    /// drivers that read by the processor can send it.
    [[nodiscard]] std::uint64_t iova_offset() const { return iova_offset_; }

  private:
    [[nodiscard]] static Result<Source> map(const plan::PayloadPlan& plan);
    [[nodiscard]] static Result<Source> fill(const plan::PayloadPlan& plan, SocketId socket);
    void release();

    std::span<const std::byte> bytes_;
    std::uint64_t iova_offset_ = 0;
    const rte_memzone* zone_ = nullptr;  ///< null: mapped, or empty
};

}  // namespace gensink::dpdk
