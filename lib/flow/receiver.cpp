// SPDX-License-Identifier: BSD-3-Clause
#include "flow/receiver.hpp"

#include <cmath>

namespace gensink::flow {

AckRules::AckRules(const AckSpec& spec, double ticks_per_second)
    : every(spec.every_frames ? *spec.every_frames : never)
    , above(spec.above_bytes.value_or(never))
    , delayed(spec.delay.has_value())
    , delay(0)
    , delay_max(0)
    , adapts(false)
    , path_delay(0) {
    const auto ticks = [&](Duration duration) {
        return static_cast<std::uint64_t>(std::llround(seconds(duration) * ticks_per_second));
    };
    delay = ticks(spec.delay.value_or(Duration{0}));
    delay_max = std::max(delay, ticks(spec.delay_max.value_or(Duration{0})));
    adapts = delay_max > delay;
    path_delay = ticks(spec.path_delay);
}

}  // namespace gensink::flow
