// SPDX-License-Identifier: BSD-3-Clause
#include "model/ends.hpp"

namespace gensink::model {

namespace {

constexpr std::size_t most_frames = 1U << 20U;  // under way at once: 140 MB

}  // namespace

World::World(
    const LinkSpec& link_spec, std::span<const std::byte> frame, std::span<const std::byte> ack
)
    : frames(frame, most_frames), acks(ack, most_frames), link(link_spec, frames, acks) {}

}  // namespace gensink::model
