// SPDX-License-Identifier: BSD-3-Clause
#include "wire/size.hpp"

#include <numeric>

#include "support.hpp"

using namespace gensink;
using namespace gensink::plan;
using namespace gensink::plan::test;

namespace {

FrameRecipe frames_of(const std::string& traffic) {
    return planned("traffic: {" + traffic + "}\n").cells.front().trial.frames;
}

using Sizes = std::vector<std::uint16_t>;

}  // namespace

TEST_CASE("a block that fits is one frame") {
    const FrameRecipe frames = frames_of("block_size: 128 B");
    CHECK(frames.payload_bytes == Sizes{128});
    CHECK(frames.frames_per_block == 1);
    CHECK(wire::frame_bytes(128) == 174);
}

TEST_CASE("a block above the MTU's share is cut") {
    const FrameRecipe frames = frames_of("block_size: 4096 B");
    CHECK(frames.payload_bytes == Sizes{1472, 1472, 1152});  // MSS 1500 - 28
    CHECK(frames.frames_per_block == 3);
}

TEST_CASE("a block of whole pieces is a cycle of one size") {
    const FrameRecipe frames = frames_of("block_size: 2944 B");
    CHECK(frames.payload_bytes == Sizes{1472});
    CHECK(frames.frames_per_block == 2);
}

TEST_CASE("a last piece too small for the header takes bytes from the one before") {
    for (std::uint32_t rest = 1; rest < 18; ++rest) {
        const std::uint32_t block = 2 * 1472 + rest;
        const FrameRecipe frames = frames_of("block_size: " + std::to_string(block) + " B");
        CHECK(
            frames.payload_bytes == Sizes{1472, static_cast<std::uint16_t>(1472 - 18 + rest), 18}
        );
        CHECK(
            std::accumulate(frames.payload_bytes.begin(), frames.payload_bytes.end(), 0U) == block
        );
    }
}

TEST_CASE("the smallest MTU still leaves every piece its header") {
    for (std::uint32_t block = 18; block < 200; ++block) {
        const FrameRecipe frames =
            frames_of("mtu: 68, block_size: " + std::to_string(block) + " B");
        std::uint32_t sum = 0;
        for (const std::uint16_t payload : frames.payload_bytes) {
            CHECK(payload >= 18);
            CHECK(payload <= 40);
            sum += payload;
        }
        CHECK((sum == block || (frames.payload_bytes.size() == 1 && block % 40 == 0)));
    }
}

TEST_CASE("coalesced blocks fill frames") {
    const FrameRecipe frames = frames_of("block_size: 128 B, frame_mode: coalesce");
    CHECK(frames.payload_bytes == Sizes{1472});
    CHECK(frames.frames_per_block == 0);
    CHECK(frames.block_bytes == 128);
}

TEST_CASE("a frame size includes headers and FCS") {
    CHECK(frames_of("frame_size: 64 B").payload_bytes == Sizes{18});
    CHECK(frames_of("frame_size: 1518 B").payload_bytes == Sizes{1472});
    CHECK(frames_of("").payload_bytes == Sizes{18});
}

TEST_CASE("a frame above the MTU says which MTU it needs") {
    says(refused("traffic: {frame_size: 9018 B}\n"), "needs traffic.mtu: 9000");
    CHECK(frames_of("frame_size: 9018 B, mtu: 9000").payload_bytes == Sizes{8972});
}

TEST_CASE("block and frame size exclude each other") {
    const std::string error = refused("traffic:\n  block_size: 128 B\n  frame_size: 64 B\n");
    says(error, "p.yaml:5:15 (traffic.frame_size)");
    says(error, "p.yaml:4:15");
}

TEST_CASE("flows are a power of two, and their ports exist") {
    says(refused("traffic: {flows: 3}\n"), "such as 4");
    says(refused("traffic: {flows: 32, source_port: 65530}\n"), "above 65535");
    CHECK(frames_of("flows: 4096").flows == 4096);
}

TEST_CASE("means are over the cycle") {
    const TrialPlan trial = planned("traffic: {block_size: 4096 B}\n").cells.front().trial;
    CHECK(trial.mean_payload_bytes() == Approx(4096.0 / 3));
    CHECK(trial.mean_frame_bytes() == Approx(4096.0 / 3 + 46));
}

TEST_CASE("intended rates follow the layer") {
    // A 64 B frame at 1 Gbit/s: 1,488,095 fps with preamble and gap (RFC 2544's usual figure).
    const auto l1 = intended_fps({flow::LoadUnit::bps_l1, 1e9}, 64, 18, {});
    REQUIRE(l1);
    CHECK(**l1 == Approx(1'488'095.24));
    CHECK(**intended_fps({flow::LoadUnit::bps_l2, 1e9}, 64, 18, {}) == Approx(1e9 / 512));
    CHECK(**intended_fps({flow::LoadUnit::bps_payload, 1e9}, 64, 18, {}) == Approx(1e9 / 144));
    CHECK(
        **intended_fps({flow::LoadUnit::line_ratio, 0.5}, 1518, 1472, 1e9) == Approx(81274.38 / 2)
    );
    CHECK(**intended_fps({flow::LoadUnit::fps, 12345}, 64, 18, {}) == 12345);
    CHECK_FALSE(intended_fps({}, 64, 18, {})->has_value());
    CHECK_FALSE(intended_fps({flow::LoadUnit::line_ratio, 0.5}, 64, 18, {}));
}

TEST_CASE("a share of an unknown line is refused where it is written") {
    const std::string error = refused("traffic:\n  load: 80 %\n");
    says(error, "p.yaml:4:9 (traffic.load)");
    says(error, "wire.line_rate");
    const Plan plan = planned("traffic: {load: 80 %}\nwire: {line_rate: 1 Gbit/s}\n");
    CHECK(plan.cells.front().trial.intended_fps == Approx(0.8 * 1'488'095.24));
}

TEST_CASE("payload comes from the template, or from a source as it is written") {
    CHECK(planned("").cells[0].trial.payload.mode == flow::Payload::in_template);
    CHECK(planned("").cells[0].trial.frames.udp_checksum == UdpChecksum::incremental);
    const TrialPlan copied = planned("tx: {payload: copy}\n").cells[0].trial;
    CHECK(copied.payload.mode == flow::Payload::copy);
    CHECK(copied.payload.source == SourceKind::pattern);
    CHECK(copied.payload.working_set == 65536);
    CHECK(copied.frames.udp_checksum == UdpChecksum::zero);
    const TrialPlan summed = planned("tx: {payload: copy_checksum}\n").cells[0].trial;
    CHECK(summed.frames.udp_checksum == UdpChecksum::incremental);
    const TrialPlan file =
        planned("tx: {payload: copy}\nsource: {kind: file, file: /f, working_set: 1 MiB}\n")
            .cells[0]
            .trial;
    CHECK(file.payload.file == "/f");
    CHECK(file.payload.working_set == 1 << 20);
    const std::string cold = "tx: {payload: zero_copy}\nsource: {kind: random, cache: cold}\n";
    CHECK(planned(cold).cells[0].trial.payload.working_set == 256 << 20);
    CHECK(
        planned(cold).cells[0].environments[0].memory_mib >=
        256 + planned("tx: {payload: copy}\n").cells[0].environments[0].memory_mib
    );
}

TEST_CASE("payload that cannot be as it is written is refused") {
    const auto with = [](const std::string& payload, const std::string& more) {
        return "tx: {payload: " + payload + "}\n" + more;
    };
    says(refused(with("copy", "source: {kind: file}\n")), "needs source.file");
    says(refused(with("copy", "source: {file: /f}\n")), "where source.kind is `file`");
    says(refused(with("copy", "source: {cache: cold, working_set: 1 MiB}\n")), "64 MiB or more");
    says(
        refused(with("copy", "source: {working_set: 1 KiB}\ntraffic: {frame_size: 1500 B}\n")),
        "shorter than a frame"
    );
    says(refused(with("copy", "traffic: {udp_checksum: incremental}\n")), "does not change");
    says(refused(with("copy_checksum", "traffic: {udp_checksum: zero}\n")), "itself");
    says(refused(with("copy", "wire: {kind: model}\n")), "needs a real wire");
    says(
        refused(with("zero_copy", "wire: {kind: ports, gen: net_null0, sink: none}\n")),
        "takes one (drivers-config/null.yaml)"
    );
    says(refused(with("zero_copy", "sink: {fault: {drop_every: 5}}\n")), "choose copy");
    says(
        refused(with(
            "zero_copy",
            "source: {kind: file, file: /f}\n"
            "wire: {kind: ports, gen: \"0000:01:00.0\", sink: \"0000:02:00.0\"}\n"
        )),
        "cannot be given a file's pages"
    );
    says(planned("source: {kind: random}\n").warnings.at(0), "source.kind");
}
