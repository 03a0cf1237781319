// SPDX-License-Identifier: BSD-3-Clause
#include "worker/remote.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gensink::worker {

namespace {

/// Both are asked even if the first fails, so that the second does not stay behind.
Result<void> both(const Result<void>& first, const Result<void>& second) {
    return first ? second : first;
}

Result<trial::Snapshot> merged(Result<trial::Snapshot> gen, Result<trial::Snapshot> sink) {
    if (!gen || !sink) {
        return gen ? std::move(sink) : std::move(gen);
    }
    return merge(*std::move(gen), *std::move(sink));
}

}  // namespace

trial::Snapshot merge(trial::Snapshot gen, trial::Snapshot sink) {
    trial::Snapshot all = std::move(gen);
    all.sink = std::move(sink.sink);
    all.sink_cpus = std::move(sink.sink_cpus);
    all.sink_device = sink.sink_device;
    all.sink_kernel = sink.sink_kernel;
    all.sink_link = sink.sink_link;
    all.sink_link_up = sink.sink_link_up;
    for (const trial::StreamReport& seen : sink.streams) {
        const auto same = std::ranges::find(all.streams, seen.stream, &trial::StreamReport::stream);
        if (same == all.streams.end()) {
            all.streams.push_back(seen);
            all.streams.back().sent_measured = {};
            continue;
        }
        same->seen_measured = seen.seen_measured;
        same->seen_other = seen.seen_other;
    }
    return all;
}

void Pair::select(std::size_t cell) {
    gen_.select(cell);
    sink_.select(cell);
}

Result<void> Pair::ready() {
    return both(sink_.ready(), gen_.ready());
}

void Pair::ask_to_quit() {
    gen_.ask_to_quit();
    sink_.ask_to_quit();
}

Result<trial::Opened> Pair::open(const plan::TrialPlan& plan, std::uint32_t run_id) {
    auto sink = sink_.open(plan, run_id);
    if (!sink) {
        return sink;
    }
    plan::TrialPlan to_sink = plan;
    if (!to_sink.frames.destination_mac) {
        to_sink.frames.destination_mac = sink->sink_mac;  // the generator cannot see its peer
    }
    auto gen = gen_.open(to_sink, run_id);
    if (!gen) {
        (void)sink_.close();  // gen's error is the one to tell
        return gen;
    }
    trial::Opened opened = *std::move(gen);
    opened.sink_limits = sink->sink_limits;
    opened.sink_link_bps = sink->sink_link_bps;
    opened.sink_mac = sink->sink_mac;
    opened.sink_driver = std::move(sink->sink_driver);
    std::ranges::move(sink->warnings, std::back_inserter(opened.warnings));
    return opened;
}

Result<void> Pair::start() {
    if (auto sink = sink_.start(); !sink) {
        return sink;
    }
    return gen_.start();
}

Result<void> Pair::enter(counters::Phase phase) {
    if (auto entered = sink_.enter(phase); !entered) {
        return entered;
    }
    return gen_.enter(phase);
}

Result<void> Pair::wait(Duration duration) {
    const std::array<Process*, 2> processes{&gen_.process(), &sink_.process()};
    return wait_with(processes, duration);
}

Result<trial::Snapshot> Pair::snapshot() {
    auto gen = gen_.snapshot();
    return merged(std::move(gen), sink_.snapshot());
}

Result<trial::Snapshot> Pair::stop() {
    auto gen = gen_.stop();
    return merged(std::move(gen), sink_.stop());
}

Result<void> Pair::close() {
    const auto gen = gen_.close();
    return both(gen, sink_.close());
}

}  // namespace gensink::worker
