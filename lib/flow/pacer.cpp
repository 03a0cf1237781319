// SPDX-License-Identifier: BSD-3-Clause
#include "flow/pacer.hpp"

#include <cmath>

namespace gensink::flow {

FineTicks fine_ticks(double numerator_ticks, double fps) {
    // 80-bit long double holds 64 bits of mantissa: ticks up to 2^32 keep their whole fraction.
    const long double exact = static_cast<long double>(numerator_ticks) / fps;
    const long double whole = std::floor(exact);
    const long double scaled = std::round((exact - whole) * 4294967296.0L);
    FineTicks result{static_cast<std::uint64_t>(whole), 0};
    if (scaled >= 4294967296.0L) {
        ++result.ticks;
    } else {
        result.fraction = static_cast<std::uint32_t>(scaled);
    }
    return result;
}

PacerSpec share(double tsc_hz, double fps, unsigned queues, unsigned index) {
    PacerSpec spec;
    spec.interval = fine_ticks(tsc_hz * queues, fps);
    spec.offset = fine_ticks(tsc_hz * index, fps);
    return spec;
}

}  // namespace gensink::flow
