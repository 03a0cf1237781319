// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/detail/cell_keys.hpp"
#include "profile/detail/experiment_keys.hpp"
#include "profile/detail/later_keys.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace gensink::profile::detail {

consteval auto join_keys() {
    std::array<KeySpec, std::size(experiment_keys) + std::size(cell_keys) + std::size(later_keys)>
        all{};
    auto out = std::copy_n(experiment_keys, 3, all.begin());  // gensink, name, summary lead
    out = std::copy(std::begin(cell_keys), std::end(cell_keys), out);
    out = std::copy(std::begin(experiment_keys) + 3, std::end(experiment_keys), out);
    std::copy(std::begin(later_keys), std::end(later_keys), out);
    return all;
}

inline constexpr auto key_table = join_keys();

}  // namespace gensink::profile::detail
