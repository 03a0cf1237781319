// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "plan/plan.hpp"

#include <string>

namespace gensink::host {

/// A veth pair between two network namespaces, all three made for the run and gone with it. What a
/// killed run left behind is removed by the next.
class VethPair {
  public:
    /// By iproute2. Needs root. Errors: environment. The caller has no other thread.
    [[nodiscard]] static Result<VethPair> make(const plan::VethPlan& plan);

    VethPair(VethPair&& other) noexcept;
    VethPair& operator=(VethPair&&) = delete;
    VethPair(const VethPair&) = delete;
    VethPair& operator=(const VethPair&) = delete;
    ~VethPair();

  private:
    VethPair() = default;
    Result<void> set_up(const plan::VethPlan& plan);

    std::string gen_netns_;  ///< empty: not made, or moved away
    std::string sink_netns_;
};

}  // namespace gensink::host
