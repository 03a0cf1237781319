// SPDX-License-Identifier: BSD-3-Clause
#include "host/clock.hpp"

#include <ctime>
#include <x86intrin.h>

namespace gensink::host {
namespace {

std::uint64_t calibrate() {
    const auto ns = [] {
        timespec t{};
        clock_gettime(CLOCK_MONOTONIC_RAW, &t);
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
               static_cast<std::uint64_t>(t.tv_nsec);
    };
    const std::uint64_t t0 = ns();
    const std::uint64_t c0 = __rdtsc();
    timespec wait{0, 50'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, nullptr);
    const std::uint64_t t1 = ns();
    const std::uint64_t c1 = __rdtsc();
    return static_cast<std::uint64_t>(
        static_cast<double>(c1 - c0) * 1e9 / static_cast<double>(t1 - t0)
    );
}

}  // namespace

std::uint64_t tsc_hz() {
    static const std::uint64_t hz = calibrate();
    return hz;
}

}  // namespace gensink::host
