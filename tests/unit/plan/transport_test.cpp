// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"

#include "support.hpp"

using namespace gensink;
using namespace gensink::plan;
using namespace gensink::plan::test;

namespace {

TrialPlan trial_of(const std::string& text) {
    return planned(text).cells.front().trial;
}

TransportPlan transport_of(const std::string& text) {
    const TrialPlan trial = trial_of(text);
    REQUIRE(trial.transport);
    return *trial.transport;
}

using Sizes = std::vector<std::uint16_t>;

}  // namespace

TEST_CASE("without a key that asks for ACKs the loop is open") {
    CHECK_FALSE(trial_of("").transport);
    CHECK_FALSE(trial_of("window: {limit: unlimited}\n").transport);
    CHECK_FALSE(trial_of("traffic: {block_size: 4096 B}\n").transport);
}

TEST_CASE("a window, an ACK policy, slow start or a transfer closes the loop") {
    for (const char* text :
         {"window: {limit: 64 KiB}\n",
          "ack: {policy: immediate}\n",
          "congestion: {window: on}\n",
          "transfer: {total: 1 MiB}\n",
          "transfer: {object_size: 10 kB}\n",
          "traffic: {flows: 3}\ntransfer: {fan_out: 2}\n"}) {
        INFO(text);
        const TransportPlan transport = transport_of(text);
        CHECK(transport.ack.every_frames == 1U);
        CHECK_FALSE(transport.ack.delay);
    }
}

TEST_CASE("flows of the closed loop need not be a power of two") {
    CHECK(trial_of("traffic: {flows: 20}\nwindow: {limit: 64 KiB}\n").frames.flows == 20);
    says(refused("traffic: {flows: 20}\n"), "power of two");
}

TEST_CASE("every key of the window reaches the sender") {
    const flow::SenderSpec sender =
        transport_of("traffic: {block_size: 40 B}\n"
                     "window: {limit: 128 KiB, reserve: 1 KiB, accounting: truesize, "
                     "truesize: 16 KiB, admit: while_below, wake: 33 %}\n"
                     "congestion: {window: on, initial: 3, growth: 0.5, ssthresh: 100 B}\n"
                     "recovery: {policy: give_up, timeout: 1 s}\n")
            .sender;
    CHECK(sender.window.limit_bytes == 131072U);
    CHECK(sender.window.reserve_bytes == 1024);
    CHECK(sender.window.accounting == flow::Accounting::truesize);
    CHECK(sender.window.truesize_bytes == 16384);
    CHECK(sender.window.admit == flow::Admit::while_below);
    CHECK(sender.window.wake_ratio == Approx(0.33));
    CHECK(sender.congestion.on);
    CHECK(sender.congestion.initial_frames == 3);
    CHECK(sender.congestion.growth == Approx(0.5));
    CHECK(sender.congestion.ssthresh_frames == 1U);
    CHECK(sender.recovery.policy == flow::Recovery::give_up);
    CHECK(sender.recovery.timeout == Duration{1'000'000'000});
    CHECK_FALSE(sender.sequential);
    CHECK_FALSE(sender.blocks);
}

TEST_CASE("outstanding frames are what the window admits") {
    const auto outstanding = [](const std::string& text) {
        return transport_of(text).sender.max_outstanding;
    };
    // VolanoMark's window: ceil(131072 / 16384) = 8 messages of a 16 KiB buffer each, and by
    // payload 131072 / 40 = 3276.8, of which the last is let in while the limit is not reached.
    const std::string messages = "traffic: {block_size: 40 B}\nwindow: {limit: 128 KiB, ";
    CHECK(
        outstanding(messages + "accounting: truesize, truesize: 16 KiB, admit: while_below}\n") == 8
    );
    CHECK(outstanding(messages + "admit: while_below}\n") == 3277);
    CHECK(outstanding(messages + "admit: must_fit}\n") == 3276);
    // gensink4's: floor(262144 / 8948) = 29 segments of TCP with timestamps at MTU 9000.
    CHECK(
        outstanding("traffic: {frame_mode: coalesce, mtu: 9000, header: 24 B}\n"
                    "window: {limit: 256 KiB}\n") == 29
    );
    CHECK(outstanding("ack: {policy: immediate}\n") == 65536);
}

TEST_CASE("many unlimited flows share the records there are") {
    const TransportPlan transport =
        transport_of("traffic: {flows: 4096}\nack: {policy: immediate}\n");
    CHECK(transport.sender.max_outstanding == 1024);
}

TEST_CASE("a window that admits no frame, or more than can be tracked, is refused") {
    const std::string none =
        refused("traffic: {block_size: 1472 B}\nwindow: {limit: 4 KiB, reserve: 3 KiB}\n");
    says(none, "p.yaml:4:17 (window.limit): no frame fits the window");
    says(none, "1472 B");
    says(
        refused("traffic: {block_size: 18 B}\nwindow: {limit: 4 MiB}\n"),
        "admits more than 65536 frames in each of 1 flows"
    );
}

TEST_CASE("a header makes frames as large as TCP's") {
    const TrialPlan trial =
        trial_of("traffic: {block_size: 2000 B, header: 12 B}\nwindow: {limit: 64 KiB}\n");
    const flow::BlockCut& block = trial.transport->sender.block;
    CHECK(block.frames == 2);
    CHECK(block.bytes_of(0) == 1460);
    CHECK(block.last == 540);
    CHECK(trial.transport->sender.header_bytes == 12);
    CHECK(trial.frames.payload_bytes == Sizes{1472, 552});
    CHECK(trial.mean_payload_bytes() == Approx(1000));
    CHECK(trial.mean_frame_bytes() == Approx(1000 + 12 + 46));
}

TEST_CASE("a header leaves room for payload, or is refused") {
    says(refused("traffic: {mtu: 68, header: 64 B}\n"), "raise the MTU");
    says(refused("traffic: {frame_size: 64 B, header: 24 B}\n"), "it must have 71 B or more");
    CHECK(
        trial_of("traffic: {frame_size: 71 B, header: 24 B}\n").mean_payload_bytes() == Approx(1)
    );
    CHECK(trial_of("traffic: {header: 12 B}\n").frames.payload_bytes == Sizes{18});
}

TEST_CASE("sizes of a large object are each named once") {
    const TrialPlan trial = trial_of("transfer: {object_size: 1 GiB}\n");
    // 1 GiB = 729444 * 1472 + 256
    CHECK(trial.frames.payload_bytes == Sizes{1472, 256});
    CHECK(trial.transport->sender.block.frames == 729445);
    CHECK(trial.mean_payload_bytes() == Approx(1073741824.0 / 729445));
}

TEST_CASE("objects are fetched one after the other, with their header") {
    const TransportPlan transport = transport_of(
        "transfer: {object_size: 10240 B, header: 300 B, connect: per_object, repetitions: 100}\n"
        "stats: {outliers: trim_high, trim: 2}\n"
    );
    CHECK(transport.sender.sequential);
    CHECK(transport.sender.connect);
    CHECK(transport.sender.blocks == 100U);
    CHECK(transport.sender.block.bytes() == 10540);
    CHECK(transport.outliers.rule == OutlierRule::trim_high);
    CHECK(transport.finite());
}

TEST_CASE("a total is divided over the flows in whole blocks") {
    const std::string text = "traffic: {block_size: 1000 B, flows: 3}\n";
    CHECK(transport_of(text + "transfer: {total: 9000 B}\n").sender.blocks == 3U);
    CHECK(transport_of(text + "transfer: {total: 9001 B}\n").sender.blocks == 4U);
    CHECK(transport_of(text + "tx: {queues: 3}\ntransfer: {total: 9000 B}\n").sender.blocks == 1U);
}

TEST_CASE("a finite transfer has no warm-up and a generous cap") {
    const PhasesPlan phases = trial_of("transfer: {total: 1 MiB}\n").phases;
    CHECK(phases.warmup == Duration{0});
    CHECK(phases.measure == Duration{60'000'000'000});
    CHECK(
        trial_of("transfer: {total: 1 MiB}\nrun: {measure: 2 s}\n").phases.measure ==
        Duration{2'000'000'000}
    );
    CHECK(trial_of("").phases.measure == Duration{1'000'000'000});
}

TEST_CASE("ACK rules combine as written") {
    const flow::AckSpec ack =
        transport_of("ack: {policy: [every_n, bytes_over, delayed], every: 4, bytes: 1000 B, "
                     "delay: 10 ms, delay_max: 200 ms}\n")
            .ack;
    CHECK(ack.every_frames == 4U);
    CHECK(ack.above_bytes == 1000U);
    CHECK(ack.delay == Duration{10'000'000});
    CHECK(ack.delay_max == Duration{200'000'000});
    const flow::AckSpec mixed = transport_of("ack: {policy: [every_n, immediate]}\n").ack;
    CHECK(mixed.every_frames == 1U);
    says(
        refused("ack: {policy: delayed, delay: 40 ms, delay_max: 10 ms}\n"),
        "p.yaml:3:49 (ack.delay_max): 10 ms is below ack.delay, 40 ms"
    );
}

TEST_CASE("ACK rules that leave the last frames unanswered are mentioned") {
    CHECK(warns(planned("ack: {policy: every_n}\n").warnings, "only after recovery.timeout (3 s)"));
    CHECK(warns(planned("ack: {policy: bytes_over}\n").warnings, "recovery.timeout"));
    CHECK_FALSE(warns(planned("ack: {policy: [every_n, delayed]}\n").warnings, "recovery.timeout"));
    CHECK_FALSE(warns(planned("ack: {policy: every_n, every: 1}\n").warnings, "recovery.timeout"));
}

TEST_CASE("a real wire's round trip is emulated by holding ACKs back") {
    const TransportPlan transport = transport_of(
        "traffic: {block_size: 1472 B, flows: 4}\nwindow: {limit: 64 KiB}\npath: {rtt: 10 ms}\n"
    );
    CHECK(transport.rtt == Duration{10'000'000});
    CHECK(transport.ack.path_delay == Duration{10'000'000});
    CHECK(transport.sender.max_outstanding == 44);  // floor(65536 / 1472)
    CHECK(transport.ack.line_records == 4 * 44);
    CHECK(transport_of("window: {limit: 64 KiB}\n").ack.line_records == 0);
}

TEST_CASE("memory counts windows, ACKs and the delay line") {
    const auto mib = [](const std::string& text) {
        return planned(text).cells[0].environments[0].memory_mib;
    };
    const std::uint32_t open = mib("");
    const std::uint32_t closed = mib("ack: {policy: immediate}\n");
    // 65536 records of 24 B, 4096 ACKs of some 400 B, a receive pool of 4095 frames of 2.4 KiB.
    CHECK(closed >= open + 10);
    CHECK(closed <= open + 20);
    const std::uint32_t far = mib("ack: {policy: immediate}\npath: {rtt: 10 ms}\n");
    CHECK(far >= closed + 2);  // 65536 records of 40 B
    CHECK(far <= closed + 4);
}

TEST_CASE("what cannot work together is refused, with the way out") {
    struct Case {
        const char* text;
        const char* message;
    };

    const Case cases[] = {
        {"wire: {kind: ports, gen: net_null0}\nwindow: {limit: 64 KiB}\n",
         "needs a sink that acknowledges"},
        {"transfer: {connect: per_object}\n", "set transfer.object_size"},
        {"transfer: {repetitions: 3}\n", "set transfer.object_size"},
        {"transfer: {object_size: 1 MB, total: 2 MB}\n", "say with transfer.repetitions"},
        {"traffic: {block_size: 100 B}\ntransfer: {object_size: 1 MB}\n",
         "leave traffic.block_size out"},
        {"traffic: {frame_size: 100 B}\ntransfer: {object_size: 1 MB}\n",
         "leave traffic.frame_size out"},
        {"traffic: {flows: 4}\ntransfer: {fan_out: 5}\n", "cannot go to 5 of 4 flows"},
        {"traffic: {flows: 4}\ntransfer: {fan_out: 2, object_size: 1 MB}\n",
         "each flow fetches its own objects"},
        {"wire: {kind: ports, gen: \"0000:01:00.0\", sink: \"0000:02:00.0\"}\n"
         "tx: {queues: 2, cores: 2}\nwindow: {limit: 64 KiB}\n",
         "set tx.cores: 1"},
        {"window: {limit: 64 KiB}\nsearch: {loss: 0 %}\n", "the closed loop of arm `run`"},
        {"stats: {outliers: trim_both, trim: 5}\n", "leaves out 10 of 10 rounds"},
        {"transfer: {object_size: 1 MB, repetitions: 2}\nstats: {outliers: trim_high, trim: 2}\n",
         "leaves out 2 of 2 objects"},
    };
    for (const Case& one : cases) {
        INFO(one.text);
        says(refused(one.text), one.message);
    }
}

TEST_CASE("what works together is not refused") {
    planned("tx: {queues: 2, cores: 2}\nwindow: {limit: 64 KiB}\n");  // the cable: queue to queue
    planned("sink: {fault: {drop_every: 100}, verify: header}\nwindow: {limit: 64 KiB}\n");
    planned("tx: {fill: full, burst: 64}\nwindow: {limit: 64 KiB}\n");
}

TEST_CASE("the outlier rule is about objects where there are some, else about trials") {
    const std::string rule = "stats: {outliers: trim_both, trim: 1}\n";
    CHECK(planned(rule).stats.outliers.rule == OutlierRule::trim_both);
    CHECK(planned(rule).stats.outliers.trim == 1);
    const Plan objects = planned(rule + "transfer: {object_size: 1 kB, repetitions: 5}\n");
    CHECK(objects.stats.outliers.rule == OutlierRule::none);
    CHECK(objects.cells[0].trial.transport->outliers.rule == OutlierRule::trim_both);
}

TEST_CASE("keys that nothing uses are mentioned, each kind once") {
    CHECK(warns(
        planned("path: {rate: 1 Gbit/s, loss: 1 %}\nmodel: {frame_ticks: 5 ticks}\n").warnings,
        "p.yaml:3:14 (path.rate), p.yaml:3:30 (path.loss), p.yaml:4:22 (model.frame_ticks): not "
        "used here, only on the model"
    ));
    CHECK(warns(planned("path: {rtt: 10 ms}\n").warnings, "path.rtt"));
    CHECK(warns(planned("ack: {policy: immediate, delay: 10 ms}\n").warnings, "ack.delay"));
    CHECK(warns(planned("window: {limit: 64 KiB, truesize: 4 KiB}\n").warnings, "window.truesize"));
    const std::string arms = "window: {limit: 64 KiB, truesize: 4 KiB}\narms:\n  - {name: a}\n"
                             "  - {name: b, set: {window.accounting: truesize}}\n";
    CHECK_FALSE(warns(planned(arms).warnings, "window.truesize"));
}

TEST_CASE("a measure phase of few round trips is mentioned") {
    const std::string far = "window: {limit: 64 KiB}\npath: {rtt: 40 ms}\n";
    CHECK(warns(planned(far).warnings, "holds 25 round trips"));
    CHECK_FALSE(warns(planned(far + "run: {measure: 2 s}\n").warnings, "round trips"));
    CHECK(warns(planned(far + "run: {warmup: 20 ms}\n").warnings, "shorter than path.rtt"));
}

TEST_CASE("the closed loop in words") {
    const Plan plan = planned(
        "traffic: {block_size: 40 B, flows: 20}\ntransfer: {fan_out: 19, total: 80 kB}\n"
        "window: {limit: 128 KiB, accounting: truesize, truesize: 16 KiB, admit: while_below, "
        "wake: 33 %}\nack: {policy: [bytes_over, delayed]}\npath: {rtt: 10 ms}\n"
    );
    const std::string text = describe_cells(plan, host(8));
    says(text, "block of 40 B in 1 frame\n    1 x payload 40 B, UDP 48, IP 68, frame 86 with FCS");
    says(
        text,
        "window    131072 B, 16384 B for each frame, while the limit is not reached, a "
        "blocked flow waits for 33 % free: 8 frames outstanding a flow"
    );
    says(text, "ACK       above 536 B of payload, or 40 ms after the first frame");
    says(text, "the sink holds each ACK back for 10 ms, up to 160 at a time");
    says(text, "recovery  after 3 s: retransmit");
    says(text, "80000 B in all: 100 blocks a flow; one writer, each block to 19 of 20 flows");
    says(text, "warm-up 0 ms, measure the transfer, at most 1 min 0 s");
}

TEST_CASE("objects in words, with the header that makes their frames TCP's") {
    const std::string text = describe_cells(
        planned("traffic: {header: 12 B}\ncongestion: {window: on, initial: 3}\n"
                "transfer: {object_size: 10240 B, connect: per_object, repetitions: 100}\n"),
        host(8)
    );
    says(text, "    7 x payload 1460 B + header 12, UDP 1480");
    says(text, "    1 x payload 20 B + header 12, UDP 40");
    says(text, "slow start from 3 frames, each ACK adds 1");
    says(text, "100 objects of 10240 B a flow, one after the other, each over a connection");
    says(text, "window    unlimited");
}

TEST_CASE("the closed loop is reported by what was acknowledged") {
    using Names = std::vector<std::string>;
    CHECK(planned("window: {limit: 64 KiB}\n").metrics == Names{"transfer.bps_payload"});
    CHECK(planned("transfer: {object_size: 1 kB}\n").metrics == Names{"transfer.object_ms"});
    says(
        refused("metrics: [transfer.bps_payload]\n"),
        "p.yaml:3:10 (metrics): `transfer.bps_payload` is measured by ACKs, and arm `run`"
    );
}
