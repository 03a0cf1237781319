// SPDX-License-Identifier: BSD-3-Clause
#include "worker/codec.hpp"

#include "catch.hpp"

namespace gensink::worker {

namespace {

trial::Snapshot full_snapshot() {
    trial::Snapshot snapshot;
    snapshot.tsc_hz = 2'100'000'000;
    snapshot.gen.resize(2);
    snapshot.gen[1].lcore = LcoreId{3};
    snapshot.gen[1].measured.burst_accepted[counters::max_burst] = ~0ULL;
    snapshot.gen[1].total.cause_ticks[4] = 5;
    snapshot.gen[1].measure_end_ticks = 77;
    snapshot.gen[1].thread.run_delay_ns = 9;
    snapshot.gen[1].thread.run_ns = 0;
    snapshot.gen[1].thread.hardware.scope = trial::HardwareScope::user_and_kernel;
    snapshot.gen[1].thread.hardware.branch_misses = 31;
    snapshot.gen[1].thread.core_hz_after = 32;
    snapshot.gen_cpus = {{CpuId{4}, 1, 2, 3, 4, 5, 6, 7, trial::CpuSlices{0.1, 0.2, 0.3}}};
    snapshot.sink_cpus.resize(2);
    snapshot.sink_elsewhere = true;
    snapshot.sink.resize(1);
    snapshot.sink[0].measured.foreign = 12;
    snapshot.streams.resize(3);
    snapshot.streams[2].stream = StreamId{2};
    snapshot.streams[2].seen_other.stale = 4;
    snapshot.streams[2].queue = {{5, 6}, 1, 7};
    snapshot.gen_device.tx_frames = 0;
    snapshot.sink_device.rx_missed = 13;
    snapshot.gen_kernel.tx_dropped = 14;
    snapshot.sink_kernel.socket_dropped = 0;
    snapshot.gen_link = {1'000'000'000, false, trial::FlowControl::both};
    snapshot.sink_link.full_duplex = true;
    snapshot.gen_link_up = false;
    snapshot.sink_link_up = true;
    snapshot.frames_left_in_pool = 8;
    snapshot.transfer_done = true;
    trial::TransportReport& report = snapshot.transport.emplace();
    report.flows.resize(3);
    report.flows[2].flow = 2;
    report.flows[2].times[static_cast<std::size_t>(counters::FlowCause::ack_timer)] = 44;
    report.latencies.block.add(1'000'000);
    report.block_ticks = {7, 8, 9};
    return snapshot;
}

}  // namespace

TEST_CASE("a snapshot survives the round trip") {
    const auto back = decode_snapshot(encode(full_snapshot()));
    REQUIRE(back);
    CHECK(back->tsc_hz == 2'100'000'000);
    REQUIRE(back->gen.size() == 2);
    CHECK(back->gen[1].lcore == LcoreId{3});
    CHECK(back->gen[1].measured.burst_accepted[counters::max_burst] == ~0ULL);
    CHECK(back->gen[1].total.cause_ticks[4] == 5);
    CHECK(back->gen[1].measure_end_ticks == 77);
    CHECK(back->gen[1].thread.run_delay_ns == 9);
    CHECK(back->gen[1].thread.core_hz_after == 32);
    REQUIRE(back->sink.size() == 1);
    CHECK(back->sink[0].measured.foreign == 12);
    REQUIRE(back->streams.size() == 3);
    CHECK(back->streams[2].stream == StreamId{2});
    CHECK(back->streams[2].seen_other.stale == 4);
    CHECK(back->streams[2].queue.state.waiting == 6);
    CHECK(back->streams[2].queue.ring_free == 7);
    CHECK(back->frames_left_in_pool == 8);
    CHECK(back->transfer_done);
    REQUIRE(back->transport);
    REQUIRE(back->transport->flows.size() == 3);
    CHECK(back->transport->flows[2].flow == 2);
    CHECK(back->transport->flows[2].times[1] == 44);
    CHECK(back->transport->latencies.block.total() == 1);
    CHECK(back->transport->latencies.block.largest() == 1'000'000);
    CHECK(back->transport->block_ticks == std::vector<std::uint64_t>{7, 8, 9});
}

TEST_CASE("a snapshot's CPU accounts survive the round trip") {
    const auto back = decode_snapshot(encode(full_snapshot()));
    REQUIRE(back);
    const trial::HardwareReport& hardware = back->gen.at(1).thread.hardware;
    CHECK(hardware.scope == trial::HardwareScope::user_and_kernel);
    CHECK(hardware.branch_misses == 31U);
    CHECK_FALSE(hardware.cycles.has_value());
    CHECK(back->gen[1].thread.run_ns == 0U);
    CHECK_FALSE(back->gen[1].thread.user_ns.has_value());
    REQUIRE(back->gen_cpus.size() == 1);
    const trial::CpuReport& cpu = back->gen_cpus[0];
    CHECK(cpu.cpu == CpuId{4});
    CHECK(cpu.busy_ns() == 2 + 3 + 4 + 5);
    CHECK(cpu.steal_ns == 6);
    CHECK(cpu.idle_ns == 7);
    REQUIRE(cpu.use);
    CHECK(cpu.use->median_ratio == 0.2);
    REQUIRE(back->sink_cpus.size() == 2);
    CHECK_FALSE(back->sink_cpus[1].use.has_value());
    CHECK(back->sink_elsewhere);
}

TEST_CASE("unknown stays apart from zero and false") {
    const auto back = decode_snapshot(encode(full_snapshot()));
    REQUIRE(back);
    CHECK(back->gen_device.tx_frames == 0);
    CHECK_FALSE(back->gen_device.rx_frames.has_value());
    CHECK(back->sink_device.rx_missed == 13);
    CHECK(back->gen_kernel.tx_dropped == 14);
    CHECK_FALSE(back->gen_kernel.rx_dropped.has_value());
    CHECK(back->sink_kernel.socket_dropped == 0);
    CHECK(back->gen_link.bps == 1'000'000'000);
    CHECK(back->gen_link.full_duplex == false);
    CHECK(back->gen_link.flow_control == trial::FlowControl::both);
    CHECK_FALSE(back->sink_link.bps.has_value());
    CHECK(back->sink_link.full_duplex == true);
    CHECK_FALSE(back->sink_link.flow_control.has_value());
    CHECK(back->gen_link_up == false);
    CHECK(back->sink_link_up == true);
    const auto empty = decode_snapshot(encode(trial::Snapshot{}));
    REQUIRE(empty);
    CHECK_FALSE(empty->gen_link_up.has_value());
    CHECK_FALSE(empty->transfer_done);
    CHECK_FALSE(empty->transport.has_value());
}

TEST_CASE("what opening showed survives the round trip") {
    trial::Opened opened;
    opened.gen_limits = {9018, 4, 32, 8192, true};
    opened.tsc_hz = 5;
    opened.sink_link_bps = 10'000'000'000;
    opened.sink_mac = plan::MacAddress{2, 0, 0, 0, 0, 9};
    opened.gen_driver = "net_ring";
    opened.memory = "hugepages";
    opened.warnings = {"", "no offload"};
    const auto back = decode_opened(encode(opened));
    REQUIRE(back);
    CHECK(back->gen_limits.max_frame_bytes == 9018);
    CHECK(back->gen_limits.max_descriptors == 8192);
    CHECK(back->gen_limits.probed);
    CHECK_FALSE(back->sink_limits.probed);
    CHECK_FALSE(back->gen_link_bps.has_value());
    CHECK(back->sink_link_bps == 10'000'000'000);
    CHECK_FALSE(back->gen_mac.has_value());
    CHECK(back->sink_mac == opened.sink_mac);
    CHECK(back->gen_driver == "net_ring");
    CHECK(back->sink_driver.empty());
    CHECK(back->memory == "hugepages");
    CHECK(back->warnings == opened.warnings);
}

TEST_CASE("an open call survives the round trip, with and without a load") {
    const OpenCall paced{
        3,
        0xdeadbeef,
        {flow::LoadUnit::line_ratio, 0.5},
        744'047.5,
        plan::MacAddress{1, 2, 3, 4, 5, 6}};
    const auto back = decode_open_call(encode(paced));
    REQUIRE(back);
    CHECK(back->cell == 3);
    CHECK(back->run_id == 0xdeadbeef);
    CHECK(back->load.unit == flow::LoadUnit::line_ratio);
    CHECK(back->load.value == 0.5);
    CHECK(back->intended_fps == 744'047.5);
    CHECK(back->destination_mac == paced.destination_mac);
    const auto unpaced = decode_open_call(encode(OpenCall{}));
    REQUIRE(unpaced);
    CHECK_FALSE(unpaced->intended_fps.has_value());
}

TEST_CASE("phases and errors survive the round trip") {
    for (const auto phase :
         {counters::Phase::settle,
          counters::Phase::warmup,
          counters::Phase::measure,
          counters::Phase::drain}) {
        CHECK(decode_phase(encode(phase)) == phase);
    }
    const auto error = decode_error(encode(Error{ErrorKind::device, "bad", "port 0", 22}));
    REQUIRE(error);
    CHECK(error->kind == ErrorKind::device);
    CHECK(error->message == "bad");
    CHECK(error->where == "port 0");
    CHECK(error->os_code == 22);
}

TEST_CASE("a message cut anywhere, or too long, is refused") {
    Bytes bytes = encode(full_snapshot());
    for (std::size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : 997) {
        CHECK_FALSE(decode_snapshot(ByteView(bytes).first(size)));
    }
    bytes.push_back(std::byte{0});
    CHECK_FALSE(decode_snapshot(bytes));
}

TEST_CASE("a count larger than the message is refused, not allocated") {
    Bytes bytes = encode(trial::Snapshot{});
    for (std::size_t i = 8; i < 16; ++i) {
        bytes[i] = std::byte{0xff};  // the number of generator cores
    }
    CHECK_FALSE(decode_snapshot(bytes));
}

TEST_CASE("a value outside its enumeration is refused") {
    CHECK_FALSE(decode_phase(Bytes{std::byte{4}}));
    Bytes error = encode(Error{});
    error[0] = std::byte{200};
    CHECK_FALSE(decode_error(error));
    Bytes call = encode(OpenCall{});
    call[12] = std::byte{99};  // the load's unit
    CHECK_FALSE(decode_open_call(call));
}

}  // namespace gensink::worker
