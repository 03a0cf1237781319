// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/datapath.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fixtures.hpp"

namespace gensink::trial::fixture {

/// Generator and sink in virtual time, one core and one stream each. The script spoils it.
class FakeDatapath final : public Datapath {
  public:
    using Phase = counters::Phase;

    // The script.
    double fps = 1e6;
    std::uint64_t burst = 32;
    bool sink_sees = true;
    Duration gen_ends_after{0};           ///< the drain's begin
    Duration sink_sleeps_for{0};          ///< from the drain's begin on, it polls nothing
    std::uint64_t lose = 0;               ///< frames of the measure phase that never arrive
    Duration arrives_for{0};              ///< the last frames take so long to arrive
    std::optional<Duration> done_after;   ///< of a finite transfer: into the measure phase
    std::uint64_t sent_again = 0;         ///< frames of the measure phase that came twice
    std::optional<Duration> stuck_after;  ///< nothing is accepted later than this after start
    counters::TxCause stuck_cause = counters::TxCause::ring_full;
    bool starved = false;       ///< once stuck, its thread makes no call
    std::uint64_t waiting = 0;  ///< frames that the port has refused so far, at any time
    std::function<std::optional<bool>(Duration)> link = [](Duration) {
        return true;
    };
    std::function<std::optional<bool>(Duration)> sink_link;  ///< empty: as `link`
    std::function<std::optional<Error>(const std::string& call, Duration now)> fault =
        [](const std::string&, Duration) {
            return std::nullopt;
        };

    // What happened.
    std::vector<std::string> calls;
    plan::TrialPlan opened_with;
    Duration now{0};

    Result<Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override {
        opened_with = plan;
        run_ids.push_back(run_id);
        return did("open").map([] {
            Opened opened;
            opened.tsc_hz = tsc_hz;
            opened.gen_driver = "fake";
            return opened;
        });
    }

    Result<void> start() override { return did("start"); }

    Result<void> enter(Phase phase) override {
        static constexpr const char* names[] = {"settle", "warmup", "measure", "drain"};
        const auto done = did(names[static_cast<std::size_t>(phase)]);
        if (done) {
            phase_ = phase;
            if (phase == Phase::drain) {
                drain_began_ = now;
            }
        }
        return done;
    }

    Result<void> wait(Duration duration) override {
        waits.push_back(duration);
        if (auto error = fault("wait", now)) {
            return tl::unexpected<Error>(*error);
        }
        if (phase_ == Phase::warmup || phase_ == Phase::measure) {
            advance(duration);
        }
        now += duration;
        return {};
    }

    Result<Snapshot> snapshot() override {
        if (auto error = fault("snapshot", now)) {
            return tl::unexpected<Error>(*error);
        }
        return counts(false);
    }

    Result<Snapshot> stop() override {
        return did("stop").map([this] { return counts(true); });
    }

    Result<void> close() override { return did("close"); }

    std::vector<std::uint32_t> run_ids;
    std::vector<Duration> waits;

  private:
    Result<void> did(const std::string& call) {
        calls.push_back(call);
        if (auto error = fault(call, now)) {
            return tl::unexpected<Error>(*error);
        }
        return {};
    }

    void advance(Duration duration) {
        const auto ticks = static_cast<std::uint64_t>(duration.count());  // 1 GHz
        if (phase_ == Phase::measure) {
            measured_for_ += duration;
        }
        const bool done = done_after && measured_for_ > *done_after;
        const bool moves = !done && (!stuck_after || now < *stuck_after);
        const auto frames = moves ? static_cast<std::uint64_t>(seconds(duration) * fps) : 0;
        add(total_, frames, ticks, moves);
        if (phase_ == Phase::measure) {
            add(measured_, frames, ticks, moves);
        }
    }

    void add(counters::TxCounts& to, std::uint64_t frames, std::uint64_t ticks, bool moves) const {
        to.frames_built += frames;
        to.frames_accepted += frames;
        to.frames_asked += frames;
        to.frame_bytes += frames * frame_bytes;
        to.payload_bytes += frames * payload_bytes;
        to.send_calls += frames / burst;
        if (!moves && !starved) {
            to.send_calls += ticks;
            to.burst_accepted[0] += ticks;
        }
        to.burst_accepted[burst] += frames / burst;
        to.cause_ticks[static_cast<std::size_t>(
            moves ? counters::TxCause::sending : stuck_cause
        )] += ticks / 2;
        to.cause_ticks[static_cast<std::size_t>(moves ? counters::TxCause::pacing : stuck_cause)] +=
            ticks / 2;
    }

    [[nodiscard]] Snapshot counts(bool ended) const {
        Snapshot s;
        s.tsc_hz = tsc_hz;
        CoreReport<counters::TxCounts> gen;
        gen.total = total_;
        gen.ended = ended || (phase_ == Phase::drain && now - drain_began_ >= gen_ends_after);
        StreamReport stream;
        stream.queue = {{total_.frames_accepted, waiting}, 1, 3};
        const bool arrived = phase_ != Phase::drain || now - drain_began_ >= arrives_for;
        if (sink_sees) {
            const std::uint64_t missing = lose + (arrived ? 0 : 100);
            const std::uint64_t measured = measured_.frames_accepted;
            stream.seen_measured.in_order = measured - std::min(measured, missing + sent_again);
            stream.seen_measured.duplicate = sent_again;
            stream.seen_other.in_order = total_.frames_accepted - measured;
        }
        CoreReport<counters::SinkCounts> sink;
        const bool sleeps = phase_ == Phase::drain && now - drain_began_ < sink_sleeps_for;
        sink.total.receive_calls =
            static_cast<std::uint64_t>((sleeps ? drain_began_ : now).count());
        sink.total.frames = stream.seen_measured.in_order + stream.seen_measured.duplicate +
                            stream.seen_other.in_order;
        if (opened_with.transport) {
            gen.total.transport.acks_received = sink_sees ? sink.total.frames : 0;
            gen.total.transport.retransmitted = sent_again;
            s.transfer_done = done_after && measured_for_ >= *done_after;
        }
        if (ended) {
            gen.measured = measured_;
            if (opened_with.transport) {
                const std::uint64_t acked = stream.seen_measured.in_order;
                gen.measured.transport = gen.total.transport;
                gen.measured.transport.payload_acked = acked * payload_bytes;
                s.transport.emplace().flows = {{0, 0, acked, acked * payload_bytes, 0, 0, {3, 1}}};
            }
            stream.sent_measured.frames_accepted = measured_.frames_accepted;
            sink.measured.frames = stream.seen_measured.in_order;
            gen.measure_start_ticks = sink.measure_start_ticks = 1;
            gen.measure_end_ticks = sink.measure_end_ticks =
                1 + std::max<std::uint64_t>(measured_.cause_ticks[0] * 2, 1);
        }
        s.gen.push_back(gen);
        s.sink.push_back(sink);
        s.streams.push_back(stream);
        s.gen_link_up = link(now);
        s.sink_link_up = sink_link ? sink_link(now) : s.gen_link_up;
        s.frames_left_in_pool = 900;
        return s;
    }

    Phase phase_ = Phase::settle;
    Duration drain_began_{0};
    Duration measured_for_{0};
    counters::TxCounts total_;
    counters::TxCounts measured_;
};

}  // namespace gensink::trial::fixture
