// SPDX-License-Identifier: BSD-3-Clause
#include "engine/segments.hpp"

namespace gensink::engine {

SegmentWriter::SegmentWriter(const SegmentSpec& spec)
    : run_id_(spec.run_id)
    , stream_(spec.stream)
    , flow_bits_(static_cast<unsigned>(std::countr_zero(std::bit_ceil(spec.flows))))
    , varied_(
          spec.flows > 1 || spec.connect ||
          (spec.block.frames > 1 &&
           (spec.block.full != spec.block.last || spec.block.before_last != spec.block.last))
      ) {
    const std::array<std::uint16_t, flow::parts> bytes{
        spec.block.full, spec.block.before_last, spec.block.last, 0};
    variants_.reserve(std::size_t{spec.flows} * flow::parts);
    for (std::uint32_t f = 0; f < spec.flows; ++f) {
        for (const std::uint16_t part : bytes) {
            wire::FrameFields fields = spec.fields;
            fields.payload_bytes = udp_payload(part, spec.header_bytes);
            fields.source_port = static_cast<std::uint16_t>(fields.source_port + f);
            variants_.push_back(make_variant(fields));
        }
    }
    uniform_ = variants_[static_cast<std::size_t>(flow::Part::last)];
}

}  // namespace gensink::engine
