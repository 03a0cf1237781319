// SPDX-License-Identifier: BSD-3-Clause
#include "host/thread.hpp"

#include "host/detail/text.hpp"

#include <ctime>
#include <string>

namespace gensink::host {

namespace fs = std::filesystem;

namespace {

/// Clocks of a thread, named by its id as pthread_getcpuclockid(3) does it
/// (linux/posix-timers_types.h: CPUCLOCK_PROF, CPUCLOCK_VIRT, CPUCLOCK_SCHED).
enum class ThreadClock : unsigned { seen = 0, user_seen = 1, run = 2 };

std::optional<std::uint64_t> read_clock(pid_t tid, ThreadClock clock) {
    constexpr unsigned of_thread = 4;
    const unsigned id =
        (~static_cast<unsigned>(tid) << 3U) | of_thread | static_cast<unsigned>(clock);
    timespec time{};
    if (clock_gettime(static_cast<clockid_t>(id), &time) != 0) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Result<ThreadSample> sample_thread(pid_t tid) {
    return sample_thread(tid, "/");
}

Result<ThreadSample> sample_thread(pid_t tid, const fs::path& root) {
    const fs::path folder = root / "proc/self/task" / std::to_string(tid);
    const auto status = detail::read_text(folder / "status");
    const auto switches = [&](const char* key) {
        const auto text = status ? detail::field(*status, key) : std::nullopt;
        return text ? detail::to_number(*text) : std::nullopt;
    };
    const auto voluntary = switches("voluntary_ctxt_switches");
    const auto involuntary = switches("nonvoluntary_ctxt_switches");
    if (!voluntary || !involuntary) {
        return fail(
            ErrorKind::environment,
            "thread " + std::to_string(tid) + " has ended, or /proc is not readable",
            (folder / "status").string()
        );
    }
    ThreadSample sample;
    sample.voluntary_switches = *voluntary;
    sample.involuntary_switches = *involuntary;
    // Time on a CPU, time waiting for one, time slices (Linux Documentation/scheduler/sched-stats).
    // The first stands still between two ticks of the timer; thread_times() does not.
    const auto schedstat =
        detail::words(detail::read_text(folder / "schedstat").value_or(std::string{}));
    if (schedstat.size() >= 2) {
        sample.run_delay_ns = detail::to_number(schedstat[1]);
    }
    return sample;
}

std::optional<ThreadTimes> thread_times(pid_t tid) {
    const auto seen = read_clock(tid, ThreadClock::seen);
    const auto user_seen = read_clock(tid, ThreadClock::user_seen);
    const auto run = read_clock(tid, ThreadClock::run);
    if (!seen || !user_seen || !run) {
        return std::nullopt;
    }
    return ThreadTimes{*run, *user_seen, *seen};
}

}  // namespace gensink::host
