// SPDX-License-Identifier: BSD-3-Clause
#include "engine/mutator.hpp"

#include <numeric>

namespace gensink::engine {

Variant make_variant(const wire::FrameFields& fields) {
    std::vector<std::byte> frame(wire::max_frame_bytes);
    wire::write_frame(frame, fields);
    return {
        .udp_header = wire::load<std::uint64_t>(&frame[34]),
        .ipv4_length = wire::load<std::uint16_t>(&frame[16]),
        .ipv4_checksum = wire::load<std::uint16_t>(&frame[24]),
        .bytes = static_cast<std::uint16_t>(wire::frame_bytes_without_fcs(fields.payload_bytes)),
        .payload_bytes = fields.payload_bytes,
    };
}

VariedMutator::VariedMutator(const StreamSpec& spec) : StreamState(spec) {
    const std::size_t sizes = spec.payload_bytes.size();
    const std::size_t cycle = std::lcm(sizes, std::size_t{spec.flows});
    variants_.reserve(cycle);
    for (std::size_t s = 0; s < cycle; ++s) {
        wire::FrameFields fields = spec.fields;
        fields.payload_bytes = spec.payload_bytes[s % sizes];
        fields.source_port = static_cast<std::uint16_t>(fields.source_port + s % spec.flows);
        variants_.push_back(make_variant(fields));
    }
}

}  // namespace gensink::engine
