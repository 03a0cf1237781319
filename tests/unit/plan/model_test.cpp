// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"

#include "support.hpp"

using namespace gensink;
using namespace gensink::plan;
using namespace gensink::plan::test;

namespace {

const std::string model = "wire: {kind: model}\n";

TrialPlan trial_of(const std::string& text) {
    return planned(model + text).cells.front().trial;
}

}  // namespace

TEST_CASE("a modelled cell has a core and a queue an end, no device and no worker") {
    const Plan plan = planned(model, host(1));
    const Cell& cell = plan.cells.front();
    CHECK(cell.environments.empty());
    CHECK(cell.trial.wire == WireKind::model);
    REQUIRE(cell.trial.model);
    REQUIRE(cell.trial.sink);
    CHECK(cell.trial.gen.cores.size() == 1);
    CHECK(cell.trial.gen.queues == 1);
    CHECK(cell.trial.gen.device.empty());
    CHECK(cell.trial.lossless);
    CHECK(cell.trial.phases.settle == Duration{0});
    CHECK_FALSE(plan.shared_cores);
    CHECK(plan.warnings.empty());
}

TEST_CASE("every key of the path reaches the model") {
    const TrialPlan trial = trial_of(
        "path: {rate: 10 Mbit/s, rtt: 309.6 ms, loss: 0.1 %, ack_loss: 2 %}\n"
        "model: {sink_ring: 8192 B, frame_ticks: 7 ticks, call_ticks: 9 ticks, timeouts: 3}\n"
        "transfer: {object_size: 10 kB, repetitions: 100}\nstats: {seed: 42}\n"
    );
    CHECK(trial.model->rate_bps == 10e6);
    CHECK(trial.model->rtt == Duration{309'600'000});
    CHECK(trial.model->loss_ratio == Approx(0.001));
    CHECK(trial.model->ack_loss_ratio == Approx(0.02));
    CHECK(trial.model->sink_ring->value == 8192);
    CHECK_FALSE(trial.model->sink_ring->frames);
    CHECK(trial.model->frame_ticks == 7);
    CHECK(trial.model->call_ticks == 9);
    CHECK(trial.model->timeouts == 3);
    CHECK(trial.model->seed == 42);
    CHECK_FALSE(trial.model->sink_fps);
    CHECK(trial.line_bps == 10e6);
    CHECK_FALSE(trial.lossless);
    // The model delays frames and ACKs itself.
    CHECK(trial.transport->rtt == Duration{309'600'000});
    CHECK(trial.transport->ack.path_delay == Duration{0});
}

TEST_CASE("the sink's rate is in frames, whatever unit it is written in") {
    const std::string tcp =
        "traffic: {block_size: 1460 B, header: 12 B}\nwindow: {limit: 64 KiB}\n";
    // 536 Mbit/s of payload in segments of 1460 B.
    CHECK(
        *trial_of(tcp + "model: {sink_rate: 536 Mbit/s payload}\n").model->sink_fps ==
        Approx(536e6 / (8 * 1460))
    );
    CHECK(*trial_of(tcp + "model: {sink_rate: 5 kfps}\n").model->sink_fps == 5000);
    CHECK_FALSE(trial_of(tcp + "model: {sink_rate: max}\n").model->sink_fps);
    says(refused(model + "model: {sink_rate: 50 %}\n"), "set path.rate");
}

TEST_CASE("what only a real wire has is refused on the model") {
    for (const char* text :
         {"tx: {queues: 2}\n", "tx: {queues: 2, cores: 2}\n", "sink: {queues: 2}\n"}) {
        INFO(text);
        says(refused(model + text), "the model has one, not 2");
    }
    says(refused("wire: {kind: model, gen: net_null0}\n"), "(wire.gen): the model has no devices");
    says(refused("wire: {kind: model, line_rate: 1 Gbit/s}\n"), "set path.rate");
    says(refused(model + "sink: {fault: {drop_every: 3}}\n"), "set path.loss");
    CHECK(warns(
        planned(model + "sink: {ring: 64}\n").warnings,
        "(sink.ring): not used here, only on a real wire of ports"
    ));
}

TEST_CASE("timeouts are spread over blocks, of which there must be enough") {
    says(refused(model + "model: {timeouts: 1}\n"), "set transfer.object_size");
    says(
        refused(model + "model: {timeouts: 3}\ntransfer: {object_size: 1 kB, repetitions: 2}\n"),
        "3 timeouts in 2 blocks"
    );
}

TEST_CASE("a ring that takes no frame is refused") {
    says(
        refused(model + "traffic: {frame_size: 1518 B}\nmodel: {sink_ring: 1 KiB}\n"),
        "takes no frame of 1518 B"
    );
}

TEST_CASE("virtual and real time do not stand side by side") {
    says(
        refused("arms:\n  - {name: cable}\n  - {name: model, set: {wire.kind: model}}\n"),
        "cannot stand beside arms of a real wire"
    );
}

TEST_CASE("a drain of the model outlasts its round trip") {
    const PhasesPlan phases = trial_of("path: {rtt: 350 ms}\nrun: {measure: 60 s}\n").phases;
    CHECK(phases.quiet == Duration{450'000'000});
}

TEST_CASE("a round trip shorter than a frame is mentioned") {
    const std::string slow = model + "traffic: {frame_size: 1518 B}\n";
    CHECK(warns(planned(slow + "path: {rate: 1 Mbit/s, rtt: 1 ms}\n").warnings, "12.3 ms"));
    CHECK_FALSE(warns(planned(slow + "path: {rate: 1 Mbit/s}\n").warnings, "path.rtt"));
}

TEST_CASE("the model costs frames, not virtual time") {
    const std::string window = model + "stats: {rounds: 1}\npath: {rtt: 100 ms}\n"
                                       "window: {limit: 64 KiB}\ntraffic: {block_size: 1472 B}\n";
    // 44 frames each 100 ms for an hour: 1.6 million frames.
    const double hour = seconds(planned(window + "run: {measure: 1 h}\n").duration());
    CHECK(hour > 0.2);
    CHECK(hour < 60);
    const double transfer = seconds(planned(window + "transfer: {total: 100 MB}\n").duration());
    CHECK(transfer < 2);
}

TEST_CASE("the model in words names the path, and says what it is") {
    const Plan plan = planned(
        model + "path: {rate: 10 Mbit/s, rtt: 309.6 ms, loss: 0.1 %}\n"
                "model: {sink_ring: 8192 B, sink_rate: 5 kfps}\nrun: {measure: 60 s}\n"
    );
    const std::string text = describe_cells(plan, host(8));
    says(text, "virtual time, not a measurement");
    says(text, "RTT 309.6 ms, 10 Mbit/s at layer 1, 0.1 % lost");
    says(text, "sink      takes 5 kfps, from a ring of 8192 B");
    says(text, "100 ns a frame and 200 ns a call");
    CHECK(text.find("lcore") == std::string::npos);
    CHECK(text.find("worker") == std::string::npos);
    says(describe_experiment(plan), "Model: virtual time, not a measurement");
}

TEST_CASE("a burst of the model must fit its ring") {
    CHECK(trial_of("tx: {ring: 64}\n").gen.descriptors == 64);
    says(refused(model + "tx: {ring: 16}\n"), "a burst of 32 does not fit a ring of 16");
}
