// SPDX-License-Identifier: BSD-3-Clause
#include "apart/generator.hpp"

#include "apart/caller.hpp"
#include "apart/open_call.hpp"
#include "apart/pulse.hpp"
#include "worker/codec.hpp"
#include "worker/remote.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace gensink::apart {

namespace {

using namespace std::chrono_literals;

constexpr Duration hello_patience = 5s;
constexpr Duration open_patience = 15s;  // a link, and a device that settles
constexpr Duration call_patience = 5s;

std::uint64_t scaled(std::uint64_t ticks, double ratio) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(ticks) * ratio));
}

void scale(counters::SinkCounts& counts, double ratio) {
    for (std::uint64_t& ticks : counts.cause_ticks) {
        ticks = scaled(ticks, ratio);
    }
    counts.longest_turn_ticks = scaled(counts.longest_turn_ticks, ratio);
    counts.stalled_ticks = scaled(counts.stalled_ticks, ratio);
}

class Generator final : public trial::Datapath {
  public:
    Generator(std::unique_ptr<trial::Datapath> local, std::uint32_t session)
        : local_(std::move(local)), caller_(session) {}

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override;
    Result<void> start() override;
    Result<void> enter(counters::Phase phase) override;
    Result<trial::Snapshot> snapshot() override;
    Result<trial::Snapshot> stop() override;

    Result<void> wait(Duration duration) override { return local_->wait(duration); }

    Result<void> close() override { return local_->close(); }

  private:
    Result<trial::Opened> open_sink(const plan::TrialPlan& plan, std::uint32_t run_id);
    [[nodiscard]] std::optional<Error> look_for_sink(const trial::Snapshot& counts);

    std::unique_ptr<trial::Datapath> local_;
    Caller caller_;
    plan::TrialPlan plan_;
    std::optional<Pulse> pulse_;  ///< of the sink, until its generator's loops are told to end
    std::optional<Error> lost_;   ///< the sink went in mid-trial: the loops were ended
    bool draining_ = false;  ///< the generator's loops were told to end, the sink was not told yet
};

Result<trial::Opened> Generator::open_sink(const plan::TrialPlan& plan, std::uint32_t run_id) {
    trial::ControlLink& link = *local_->control_link();
    if (auto found = caller_.ask(link, Ask::hello, {}, hello_patience); !found) {
        return tl::unexpected<Error>(std::move(found.error()));
    }
    const OpenCall call{run_id, plan.for_peer};
    const auto answer = caller_.ask(link, Ask::open, encode(call), open_patience);
    if (!answer) {
        return tl::unexpected<Error>(answer.error());
    }
    auto sink = worker::decode_opened(*answer);
    if (!sink) {
        return fail(ErrorKind::measurement, "the sink's answer to 'open' makes no sense", "peer");
    }
    if (!plan.frames.destination_mac) {
        if (auto set = link.set_destination(*caller_.peer()); !set) {
            return tl::unexpected<Error>(std::move(set.error()));
        }
    }
    return *std::move(sink);
}

Result<trial::Opened> Generator::open(const plan::TrialPlan& plan, std::uint32_t run_id) {
    draining_ = false;
    pulse_.reset();
    lost_.reset();
    plan_ = plan;
    auto opened = local_->open(plan, run_id);
    if (!opened) {
        return opened;
    }
    auto sink = open_sink(plan, run_id);
    if (!sink) {
        (void)local_->close();  // the sink's error is the one to tell
        return sink;
    }
    opened->sink_limits = sink->sink_limits;
    opened->sink_link_bps = sink->sink_link_bps;
    opened->sink_mac = sink->sink_mac;
    opened->sink_driver = std::move(sink->sink_driver);
    if (caller_.waited() != Duration{0}) {
        opened->warnings.push_back(fmt::format(
            "peer: the sink was waited for {:.1f} s: another generator had it, or had died with it",
            seconds(caller_.waited())
        ));
    }
    for (std::string& warning : sink->warnings) {
        opened->warnings.push_back("peer: " + std::move(warning));
    }
    return opened;
}

Result<void> Generator::start() {
    const auto started = caller_.ask(*local_->control_link(), Ask::start, {}, call_patience);
    if (!started) {
        return tl::unexpected<Error>(started.error());
    }
    pulse_.emplace(plan_, Pulse::Time::clock::now());
    return local_->start();
}

Result<void> Generator::enter(counters::Phase phase) {
    draining_ = phase == counters::Phase::drain;
    if (draining_) {
        pulse_.reset();
    }
    if (phase == counters::Phase::measure && plan_.is_tcp()) {
        caller_.tell(*local_->control_link(), Ask::measuring);
    }
    return local_->enter(phase);
}

/// Why the trial that runs cannot come to a good end.
std::optional<Error> Generator::look_for_sink(const trial::Snapshot& counts) {
    const auto heard = caller_.overhear(*local_->control_link());
    if (heard == Caller::Overheard::ended) {
        return caller_.ended();
    }
    const Pulse::Sign sign = heard == Caller::Overheard::nothing ? Pulse::Sign::none
                             : heard == Caller::Overheard::alive ? Pulse::Sign::alive
                                                                 : Pulse::Sign::unknown;
    const auto silence = pulse_->look(counts, sign, Pulse::Time::clock::now());
    return silence ? std::optional(caller_.silent(*silence)) : std::nullopt;
}

Result<trial::Snapshot> Generator::snapshot() {
    auto counts = local_->snapshot();
    if (counts && pulse_ && !lost_) {
        lost_ = look_for_sink(*counts);
        if (lost_) {
            (void)local_->stop();  // nobody counts what would be sent
        }
    }
    if (lost_) {
        return tl::unexpected<Error>(*lost_);
    }
    const auto ended = [](const auto& core) {
        return core.ended != 0;
    };
    if (counts && draining_ && std::ranges::all_of(counts->gen, ended)) {
        caller_.tell(*local_->control_link(), Ask::drained);
        draining_ = false;
    }
    return counts;
}

Result<trial::Snapshot> Generator::stop() {
    auto counts = local_->stop();
    if (!counts || lost_) {
        return lost_ ? tl::unexpected<Error>(*lost_) : std::move(counts);
    }
    const auto answer = caller_.ask(*local_->control_link(), Ask::stop, {}, call_patience);
    if (!answer) {
        return tl::unexpected<Error>(answer.error());
    }
    auto sink = worker::decode_snapshot(*answer);
    if (!sink) {
        return fail(ErrorKind::measurement, "the sink's last counts make no sense", "peer");
    }
    if (sink->tsc_hz != 0 && sink->tsc_hz != counts->tsc_hz) {
        const double ratio =
            static_cast<double>(counts->tsc_hz) / static_cast<double>(sink->tsc_hz);
        for (auto& core : sink->sink) {
            core = in_ticks(core, ratio);
        }
    }
    trial::Snapshot both = worker::merge(*std::move(counts), *std::move(sink));
    both.sink_elsewhere = true;
    return both;
}

}  // namespace

trial::CoreReport<counters::SinkCounts>
in_ticks(trial::CoreReport<counters::SinkCounts> report, double ratio) {
    scale(report.total, ratio);
    scale(report.measured, ratio);
    report.measure_start_ticks = scaled(report.measure_start_ticks, ratio);
    report.measure_end_ticks = scaled(report.measure_end_ticks, ratio);
    return report;
}

std::unique_ptr<trial::Datapath>
make_generator(std::unique_ptr<trial::Datapath> local, std::uint32_t session) {
    return std::make_unique<Generator>(std::move(local), session);
}

}  // namespace gensink::apart
