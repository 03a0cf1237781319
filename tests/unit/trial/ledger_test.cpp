// SPDX-License-Identifier: BSD-3-Clause
#include "trial/trial.hpp"

#include "catch.hpp"
#include "fixtures.hpp"

namespace gensink::trial {

namespace {

using plan::Trust;

/// A wire between devices, which may lose.
plan::TrialPlan lossy_plan() {
    plan::TrialPlan plan = fixture::clean_plan();
    plan.lossless = false;
    return plan;
}

std::int64_t attributed(const Ledger& ledger, const std::string& place) {
    for (const Ledger::Attribution& found : ledger.attributed) {
        if (found.place == place) {
            return found.frames;
        }
    }
    return 0;
}

}  // namespace

TEST_CASE("accepted is in order plus late plus corrupt plus lost") {
    Snapshot counts = fixture::clean_counts();
    auto& seen = counts.streams[0].seen_measured;
    seen.in_order = 999'000;
    seen.late = 300;
    seen.corrupt = 200;
    seen.duplicate = 70;
    seen.stale = 5;
    counts.sink[0].total.foreign = 9;
    counts.sink[0].total.background = 4;
    const Ledger ledger = make_ledger(lossy_plan(), counts);
    CHECK(ledger.has_sink);
    CHECK(ledger.built == 1'000'000);
    CHECK(ledger.accepted == 1'000'000);
    CHECK(ledger.lost == 500);
    CHECK(ledger.in_order + ledger.late + ledger.corrupt + 500 == ledger.accepted);
    CHECK(ledger.duplicate == 70);
    CHECK(ledger.stale == 5);
    CHECK(ledger.foreign == 9);
    CHECK(ledger.background == 4);
    CHECK(ledger.residue == 0);
}

TEST_CASE("a clean trial closes without residue or attribution") {
    Snapshot counts = fixture::clean_counts();
    counts.gen_device.tx_frames = 1'000'000;
    counts.sink_device.rx_frames = 1'000'000;
    for (const auto& plan : {fixture::clean_plan(), lossy_plan()}) {
        const Ledger ledger = make_ledger(plan, counts);
        CHECK(ledger.lost == 0);
        CHECK(ledger.residue == 0);
        CHECK(ledger.unknown_place == 0);
        CHECK(ledger.attributed.empty());
    }
}

TEST_CASE("streams of several queues add up") {
    Snapshot counts = fixture::clean_counts();
    counts.gen.push_back(fixture::gen_core());
    counts.streams.push_back(fixture::stream());
    counts.streams[1].stream = StreamId{1};
    counts.streams[1].seen_measured.in_order -= 3;
    const Ledger ledger = make_ledger(lossy_plan(), counts);
    CHECK(ledger.accepted == 2'000'000);
    CHECK(ledger.lost == 3);
}

TEST_CASE("refused counts every refusal") {
    Snapshot counts = fixture::clean_counts();
    counts.gen[0].measured.frames_asked += 640;
    CHECK(make_ledger(fixture::clean_plan(), counts).refused == 640);
}

TEST_CASE("corrupt frames beyond what was sent are copies, and cancel no loss") {
    Snapshot counts = fixture::clean_counts();
    auto& seen = counts.streams[0].seen_measured;
    seen.in_order = 999'900;
    seen.corrupt = 250;
    const Ledger ledger = make_ledger(lossy_plan(), counts);
    CHECK(ledger.lost == 0);
    CHECK(ledger.corrupt == 100);
    CHECK(ledger.duplicate == 150);
}

TEST_CASE("any loss, copy, reordering or corruption on a lossless wire is residue") {
    const auto residue = [](auto spoil) {
        Snapshot counts = fixture::clean_counts();
        spoil(counts.streams[0].seen_measured);
        return make_ledger(fixture::clean_plan(), counts).residue;
    };
    CHECK(residue([](auto& seen) { seen.in_order -= 1; }) == 1);
    CHECK(residue([](auto& seen) { seen.duplicate = 2; }) == 2);
    CHECK(residue([](auto& seen) { seen.stale = 3; }) == 3);
    CHECK(residue([](auto& seen) {
              seen.in_order -= 4;
              seen.late = 4;
          }) == 4);
    CHECK(residue([](auto& seen) {
              seen.in_order -= 5;
              seen.corrupt = 5;
          }) == 5);
}

TEST_CASE("loss on a path that may lose is a result, not residue") {
    Snapshot counts = fixture::clean_counts();
    counts.streams[0].seen_measured.in_order -= 1'000;
    const Ledger ledger = make_ledger(lossy_plan(), counts);
    CHECK(ledger.lost == 1'000);
    CHECK(ledger.residue == 0);
    CHECK(ledger.unknown_place == 1'000);
}

TEST_CASE("more seen than sent is residue on any wire, and copies do not cancel it") {
    Snapshot counts = fixture::clean_counts();
    counts.streams[0].seen_measured.in_order += 7;
    counts.streams[0].seen_measured.duplicate = 7;
    CHECK(make_ledger(lossy_plan(), counts).lost == -7);
    CHECK(make_ledger(lossy_plan(), counts).residue == 7);
    CHECK(make_ledger(fixture::clean_plan(), counts).residue == 14);
}

TEST_CASE("streams that sent other than cores accepted are residue") {
    Snapshot counts = fixture::clean_counts();
    counts.streams[0].sent_measured.frames_accepted -= 2;
    CHECK(make_ledger(lossy_plan(), counts).residue == 2);
}

TEST_CASE("an exact transmit counter that differs from what was accepted is residue") {
    Snapshot counts = fixture::clean_counts();
    counts.gen_device.tx_frames = 999'990;
    plan::TrialPlan plan = lossy_plan();
    CHECK(make_ledger(plan, counts).residue == 10);
    SECTION("unless the driver is known to drop what it accepted") {
        plan.gen.driver.loses_refused = true;
        CHECK(make_ledger(plan, counts).residue == 0);
    }
    SECTION("unless the counter is only approximate") {
        plan.gen.driver.tx_frames = Trust::approximate;
        CHECK(make_ledger(plan, counts).residue == 0);
    }
    SECTION("unless the device does not tell") {
        counts.gen_device.tx_frames.reset();
        CHECK(make_ledger(plan, counts).residue == 0);
    }
}

TEST_CASE("the sink cannot poll more than an exact counter received") {
    Snapshot counts = fixture::clean_counts();
    counts.sink_device.rx_frames = 999'999;
    CHECK(make_ledger(lossy_plan(), counts).residue == 1);
}

TEST_CASE("a frame received after the last poll is residue only where no stranger sends") {
    Snapshot counts = fixture::clean_counts();
    counts.sink_device.rx_frames = 1'000'001;
    CHECK(make_ledger(lossy_plan(), counts).residue == 0);
    CHECK(make_ledger(fixture::clean_plan(), counts).residue == 1);
}

TEST_CASE("a frame lost behind the sink's device is one residue, not two") {
    Snapshot counts = fixture::clean_counts();
    counts.sink_device.rx_frames = 1'000'000;
    counts.streams[0].seen_measured.in_order -= 10;
    counts.sink[0].total.frames -= 10;
    CHECK(make_ledger(fixture::clean_plan(), counts).residue == 10);
    // A device that has not received all that was sent says another thing.
    counts.sink_device.rx_frames = 999'999;
    CHECK(make_ledger(fixture::clean_plan(), counts).residue == 10 + 9);
}

TEST_CASE("a frame doubled behind the sink's device is one residue, not two") {
    Snapshot counts = fixture::clean_counts();
    counts.sink_device.rx_frames = 1'000'000;
    counts.streams[0].seen_measured.duplicate = 10;
    counts.sink[0].total.frames += 10;
    CHECK(make_ledger(fixture::clean_plan(), counts).residue == 10);
}

TEST_CASE("loss is attributed to places by counters of known trust") {
    Snapshot counts = fixture::clean_counts();
    counts.streams[0].seen_measured.in_order = 999'000;
    counts.sink[0].total.frames = 999'000;
    plan::TrialPlan plan = lossy_plan();
    plan.gen.driver.loses_refused = true;
    plan.sink->driver.rx_missed = Trust::exact;
    counts.gen_device.tx_frames = 999'700;
    counts.sink_device.rx_missed = 500;
    counts.sink_device.rx_frames = 999'000;
    const Ledger ledger = make_ledger(plan, counts);
    CHECK(ledger.residue == 0);
    CHECK(attributed(ledger, "generator's device: accepted, not sent") == 300);
    CHECK(attributed(ledger, "sink's device: missed") == 500);
    CHECK(attributed(ledger, "between the devices") == 200);
    CHECK(ledger.unknown_place == 0);
}

TEST_CASE("approximate counters name a place but leave it unknown") {
    Snapshot counts = fixture::clean_counts();
    counts.streams[0].seen_measured.in_order = 999'000;
    plan::TrialPlan plan = lossy_plan();
    plan.sink->driver.rx_missed = Trust::approximate;
    counts.sink_device.rx_missed = 1'000;
    const Ledger ledger = make_ledger(plan, counts);
    REQUIRE(ledger.attributed.size() == 1);
    CHECK(ledger.attributed[0].trust == Trust::approximate);
    CHECK(ledger.unknown_place == 1'000);
}

TEST_CASE("the kernel's counters of interfaces and sockets name places") {
    Snapshot counts = fixture::clean_counts();
    counts.streams[0].seen_measured.in_order = 999'000;
    counts.gen_kernel.tx_dropped = 100;
    counts.sink_kernel.rx_missed = 50;
    counts.sink_kernel.rx_dropped = 20;
    counts.sink_kernel.socket_dropped = 700;
    const Ledger ledger = make_ledger(lossy_plan(), counts);
    CHECK(attributed(ledger, "generator's interface: dropped by the kernel") == 100);
    CHECK(attributed(ledger, "sink's interface: missed") == 50);
    CHECK(attributed(ledger, "sink's interface: dropped by the kernel") == 20);
    CHECK(attributed(ledger, "sink's packet socket: no room") == 700);
    CHECK(ledger.unknown_place == 300);  // an interface carries other frames, too
}

TEST_CASE("a counter that lies by being always zero attributes nothing") {
    Snapshot counts = fixture::clean_counts();
    counts.streams[0].seen_measured.in_order = 999'000;
    plan::TrialPlan plan = lossy_plan();
    plan.sink->driver.rx_missed = Trust::absent;
    counts.sink_device.rx_missed = 1'000;
    CHECK(make_ledger(plan, counts).attributed.empty());
    CHECK(make_ledger(plan, counts).unknown_place == 1'000);
}

TEST_CASE("counters over the whole trial never explain more than the loss") {
    Snapshot counts = fixture::clean_counts();
    counts.streams[0].seen_measured.in_order = 999'990;
    plan::TrialPlan plan = lossy_plan();
    plan.sink->driver.rx_missed = Trust::exact;
    counts.sink_device.rx_missed = 5'000;  // most of them in the warm-up
    const Ledger ledger = make_ledger(plan, counts);
    CHECK(ledger.lost == 10);
    CHECK(ledger.unknown_place == 0);
}

TEST_CASE("without a sink the ledger ends at device out") {
    Snapshot counts = fixture::clean_counts();
    counts.sink.clear();
    counts.streams[0].seen_measured = {};
    counts.gen_device.tx_frames = 1'000'000;
    plan::TrialPlan plan = fixture::clean_plan();
    plan.sink.reset();
    const Ledger ledger = make_ledger(plan, counts);
    CHECK_FALSE(ledger.has_sink);
    CHECK(ledger.accepted == 1'000'000);
    CHECK(ledger.lost == 0);
    CHECK(ledger.residue == 0);
    counts.gen_device.tx_frames = 999'999;
    CHECK(make_ledger(plan, counts).residue == 1);
}

}  // namespace gensink::trial
