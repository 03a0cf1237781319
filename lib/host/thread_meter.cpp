// SPDX-License-Identifier: BSD-3-Clause
#include "host/thread_meter.hpp"

#include "base/units.hpp"

#include <algorithm>
#include <cmath>

namespace gensink::host {

namespace {

/// Splits the exact time as the timer's samples are split; absent where it sampled nothing.
void add_times(const ThreadTimes& start, const ThreadTimes& end, ThreadUse& use) {
    use.run_ns = end.run_ns - start.run_ns;
    const std::uint64_t seen = end.seen_ns - start.seen_ns;
    if (seen == 0) {
        return;
    }
    const std::uint64_t user = std::min(end.user_seen_ns - start.user_seen_ns, seen);
    use.user_ns = static_cast<std::uint64_t>(std::llround(
        static_cast<double>(*use.run_ns) * static_cast<double>(user) / static_cast<double>(seen)
    ));
    use.system_ns = *use.run_ns - std::min(*use.user_ns, *use.run_ns);
}

}  // namespace

ThreadSample ThreadMeter::sample(const ThreadSample& otherwise) const {
    return sample_thread(tid_).value_or(otherwise);
}

// The clocks are read next to each other, and /proc, which takes longer, within the interval: a
// time on the CPU is of the very interval that it is divided by, and no wait is longer than it.

void ThreadMeter::mark() {
    start_at_ = end_at_ = Clock::now();
    start_times_ = end_times_ = thread_times(tid_);
    start_counts_ = end_counts_ = counters_.read();
    start_ = end_ = last_ = sample({});
    finished_ = false;
}

void ThreadMeter::cut() {
    end_ = last_ = sample(end_);
    end_counts_ = counters_.read();
    end_times_ = thread_times(tid_);
    end_at_ = Clock::now();
}

void ThreadMeter::finish() {
    last_ = sample(last_);
    finished_ = start_at_ != Clock::time_point{};
}

ThreadUse ThreadMeter::use() const {
    const auto delay = [this](const ThreadSample& until) {
        return until.run_delay_ns.value_or(0) - start_.run_delay_ns.value_or(0);
    };
    ThreadUse use;
    use.sampled_ns = static_cast<std::uint64_t>(Duration(end_at_ - start_at_).count());
    // A wait that began before the interval is charged within it.
    use.run_delay_ns = std::min(delay(end_), use.sampled_ns);
    use.run_delay_to_end_ns = finished_ ? delay(last_) : 0;
    use.involuntary_switches = end_.involuntary_switches - start_.involuntary_switches;
    if (use.sampled_ns != 0 && start_times_ && end_times_) {
        add_times(*start_times_, *end_times_, use);
        use.hardware = counters_.between(start_counts_, end_counts_);
    }
    return use;
}

}  // namespace gensink::host
