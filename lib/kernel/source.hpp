// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "kernel/socket.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <span>

namespace gensink::kernel {

/// The bytes that TCP arms write: a file, mapped too, as sendfile takes the one and write the
/// other.
class Source {
  public:
    Source() = default;
    /// `least`: bytes of a block. Error environment: no such file, or too short a one; no memory.
    [[nodiscard]] static Result<Source> make(const plan::PayloadPlan& plan, std::size_t least);

    Source(Source&& other) noexcept;
    Source& operator=(Source&& other) noexcept;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source();

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

    [[nodiscard]] int fd() const { return file_.fd(); }

  private:
    Socket file_;
    std::span<const std::byte> bytes_;
};

}  // namespace gensink::kernel
