// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace gensink::flow {

enum class LoadUnit { max, fps, bps_l1, bps_l2, bps_payload, line_ratio };

/// Intended load (RFC 2285 3.5.1), over all queues of the generator together.
struct Load {
    LoadUnit unit = LoadUnit::max;
    double value = 0.0;  ///< in `unit`; unused for max; line_ratio is 0..1
};

enum class FrameMode {
    one_frame_per_block,  ///< a frame never holds bytes of two blocks
    coalesce,             ///< blocks form a byte stream, cut at the largest payload
};

/// When a paced core sends: at a full burst, or whatever is due.
enum class Fill { full, due };

/// What a pacer does after it fell behind: send what it owes, or forget it (counted either way).
enum class Behind { catch_up, skip };

/// How the application's bytes come into a frame, behind gensink's header.
enum class Payload {
    in_template,    ///< written once, when the pool is made
    copy,           ///< copied from the source into each frame
    copy_checksum,  ///< the same, and summed for UDP's checksum on the way
    zero_copy,      ///< the source's own bytes are a second segment of the frame
};

}  // namespace gensink::flow
