// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace gensink::experiment::fake {

/// Standard normal by Box and Muller: std::normal_distribution differs between libraries.
class Normal {
  public:
    explicit Normal(std::uint64_t seed) : random_(seed) {}

    double operator()() {
        constexpr double pi = 3.14159265358979323846;
        const double radius = std::sqrt(-2.0 * std::log(uniform()));
        return radius * std::cos(2.0 * pi * uniform());
    }

  private:
    double uniform() { return (static_cast<double>(random_() >> 11U) + 0.5) * 0x1p-53; }

    std::mt19937_64 random_;
};

}  // namespace gensink::experiment::fake
