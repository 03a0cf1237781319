// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/keys.hpp"

/// Keys of the path between the ends, and of the model that runs it in virtual time.
namespace gensink::profile::detail {

inline constexpr KeySpec model_keys[] = {
    {.path = "path.rtt",
     .kind = Kind::duration,
     .fallback = "0 s",
     .doc = "Round-trip time of a full frame: modelled, or emulated by delaying ACKs at the sink",
     .max = 60e9},
    {.path = "path.rate",
     .kind = Kind::bit_rate,
     .fallback = "unlimited",
     .doc = "Bottleneck of the modelled path, at layer 1",
     .min = 1e3,
     .max = 1e13,
     .absent = "unlimited"},
    {.path = "path.loss",
     .kind = Kind::ratio,
     .fallback = "0 %",
     .doc = "Seeded loss of frames on the modelled path",
     .max = 1},

    {.path = "path.ack_loss",
     .kind = Kind::ratio,
     .fallback = "0 %",
     .doc = "Seeded loss of ACKs on the modelled path",
     .max = 1},

    {.path = "model.frame_ticks",
     .kind = Kind::ticks,
     .fallback = "100 ticks",
     .doc = "Modelled cost of each frame at the generator (a), a tick being a nanosecond",
     .max = 1e9},
    {.path = "model.call_ticks",
     .kind = Kind::ticks,
     .fallback = "200 ticks",
     .doc = "Modelled cost of each send call (b), in nanoseconds",
     .max = 1e9},
    {.path = "model.sink_ring",
     .kind = Kind::amount,
     .fallback = "unlimited",
     .doc = "Receive ring of the modelled sink, in frames or in bytes of frames with FCS",
     .min = 1,
     .max = 1ULL << 32,
     .absent = "unlimited"},
    {.path = "model.sink_rate",
     .kind = Kind::load,
     .fallback = "max",
     .doc = "What the modelled sink takes from its ring; max: all at once"},
    {.path = "model.timeouts",
     .kind = Kind::count,
     .fallback = "0",
     .doc = "Objects or blocks of a trial whose first frame is lost once, spread evenly",
     .max = 1e6},
};

}  // namespace gensink::profile::detail
