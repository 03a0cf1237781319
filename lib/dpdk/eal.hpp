// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace gensink::dpdk {

/// All EAL arguments of a worker, from its environment; nothing else adds any.
[[nodiscard]] std::vector<std::string> eal_arguments(const plan::Environment& environment);

/// EAL of this process, started once and cleaned up at the end.
class Eal {
  public:
    /// Error environment: what EAL refused, with what to try.
    [[nodiscard]] static Result<Eal> start(const plan::Environment& environment);

    Eal(Eal&& other) noexcept;
    Eal& operator=(Eal&&) = delete;
    Eal(const Eal&) = delete;
    Eal& operator=(const Eal&) = delete;
    ~Eal();

  private:
    Eal() = default;
    bool owner_ = true;
};

/// DPDK's version, such as "22.11.11". Needs no EAL.
[[nodiscard]] std::string version();

/// Text for a DPDK return code: negative errno, or rte_errno where it is -1.
[[nodiscard]] Error
dpdk_error(ErrorKind kind, const std::string& what, const std::string& where, int code);

}  // namespace gensink::dpdk
