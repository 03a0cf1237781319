// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/detail/cell_keys.hpp"
#include "profile/detail/experiment_keys.hpp"
#include "profile/detail/kernel_keys.hpp"
#include "profile/detail/model_keys.hpp"
#include "profile/detail/traffic_keys.hpp"
#include "profile/detail/transport_keys.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace gensink::profile::detail {

consteval auto join_keys() {
    std::array<
        KeySpec,
        std::size(experiment_keys) + std::size(traffic_keys) + std::size(cell_keys) +
            std::size(transport_keys) + std::size(model_keys) + std::size(kernel_keys)>
        all{};
    auto out = std::copy_n(experiment_keys, 3, all.begin());  // gensink, name, summary lead
    const auto append = [&](const auto& keys) {
        out = std::copy(std::begin(keys), std::end(keys), out);
    };
    append(traffic_keys);
    append(transport_keys);
    append(model_keys);
    append(kernel_keys);
    append(cell_keys);
    out = std::copy(std::begin(experiment_keys) + 3, std::end(experiment_keys), out);
    return all;
}

inline constexpr auto key_table = join_keys();

}  // namespace gensink::profile::detail
