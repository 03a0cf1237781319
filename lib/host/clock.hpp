// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <x86intrin.h>

namespace gensink::host {

/// Time stamp counter. Not ordered against the instructions around it.
[[nodiscard]] inline std::uint64_t tsc() {
    return __rdtsc();
}

/// Ticks a second of the time stamp counter, by CLOCK_MONOTONIC_RAW: within about 1e-5. The first
/// call takes some 20 ms.
[[nodiscard]] std::uint64_t tsc_hz();

/// Core clock in Hz, by a chain of dependent register additions (one a cycle; additions of a
/// constant would not do, as recent cores fold them away) timed by the TSC; the fastest of a few
/// tries, about 0.1 ms each. Runs on the calling thread's core.
[[nodiscard]] std::uint64_t core_hz(std::uint64_t tsc_hz);

}  // namespace gensink::host
