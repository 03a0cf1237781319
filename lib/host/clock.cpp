// SPDX-License-Identifier: BSD-3-Clause
#include "host/clock.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

namespace gensink::host {

namespace {

/// After all that came before it.
std::uint64_t ordered_tsc() {
    _mm_lfence();
    return tsc();
}

struct ClockPair {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
};

/// One moment on both clocks: of a few tries the one that was interrupted least.
ClockPair clock_pair() {
    constexpr int tries = 16;
    ClockPair best;
    std::uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < tries; ++i) {
        timespec time{};
        const std::uint64_t before = ordered_tsc();
        clock_gettime(CLOCK_MONOTONIC_RAW, &time);
        const std::uint64_t took = ordered_tsc() - before;
        if (took < shortest) {
            shortest = took;
            best = {before + took / 2, time.tv_sec * 1'000'000'000 + time.tv_nsec};
        }
    }
    return best;
}

std::uint64_t measure_tsc_hz() {
    // A pair is good to some 50 ns: 1e-5 of the span leaves room.
    constexpr auto span = std::chrono::milliseconds(20);
    const ClockPair start = clock_pair();
    std::this_thread::sleep_for(span);
    const ClockPair end = clock_pair();
    return static_cast<std::uint64_t>(std::llround(
        static_cast<double>(end.ticks - start.ticks) * 1e9 / static_cast<double>(end.ns - start.ns)
    ));
}

}  // namespace

std::uint64_t tsc_hz() {
    static const std::uint64_t hz = measure_tsc_hz();
    return hz;
}

std::uint64_t core_hz(std::uint64_t tsc_hz) {
    constexpr std::uint64_t additions = 1 << 18;
    std::uint64_t best = UINT64_MAX;
    for (int attempt = 0; attempt < 5; ++attempt) {
        std::uint64_t chain = 1;
        const std::uint64_t step = 3;
        const std::uint64_t start = ordered_tsc();
        for (std::uint64_t i = 0; i < additions / 16; ++i) {
            // Each needs the one before it; written out, or the compiler would fold them.
            asm volatile("add %1,%0\n add %1,%0\n add %1,%0\n add %1,%0\n"
                         "add %1,%0\n add %1,%0\n add %1,%0\n add %1,%0\n"
                         "add %1,%0\n add %1,%0\n add %1,%0\n add %1,%0\n"
                         "add %1,%0\n add %1,%0\n add %1,%0\n add %1,%0\n"
                         : "+r"(chain)
                         : "r"(step));
        }
        best = std::min(best, ordered_tsc() - start);
    }
    return static_cast<std::uint64_t>(
        static_cast<double>(additions) * static_cast<double>(tsc_hz) / static_cast<double>(best)
    );
}

}  // namespace gensink::host
