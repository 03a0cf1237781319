// SPDX-License-Identifier: BSD-3-Clause
#include "host/clock.hpp"
#include "host/cpu_meter.hpp"
#include "host/thread_meter.hpp"

#include <array>
#include <atomic>
#include <fcntl.h>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "catch.hpp"

using namespace gensink;

namespace {

constexpr double one_second = 1e9;

double to_ns(const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
}

/// CPU time of the calling thread by getrusage(2).
struct Burned {
    double user_ns = 0;
    double system_ns = 0;

    [[nodiscard]] double all_ns() const { return user_ns + system_ns; }
};

Burned burned_so_far() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return {to_ns(usage.ru_utime), to_ns(usage.ru_stime)};
}

/// A load that burns a set amount of CPU time, of which it spends a good part in the kernel. Its
/// thread stays until it is let go, so that it can be looked at.
class Load {
  public:
    Load() : thread_([this] { run(); }) { tid_.wait(0); }

    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;
    Load(Load&&) = delete;
    Load& operator=(Load&&) = delete;

    ~Load() {
        move_to(leave);
        thread_.join();
    }

    [[nodiscard]] pid_t tid() const { return tid_; }

    [[nodiscard]] CpuId cpu() const { return cpu_; }

    /// What was burned, by getrusage(2) of the thread itself.
    Burned burn() {
        move_to(work);
        step_.wait(work);
        return burned_;
    }

  private:
    enum Step : int { idle, work, leave };

    void move_to(Step step) {
        step_ = step;
        step_.notify_all();
    }

    void run() {
        pin();
        tid_ = gettid();
        tid_.notify_all();
        step_.wait(idle);
        while (step_ == work) {
            burn_here();
            move_to(idle);
            step_.wait(idle);
        }
    }

    /// To the last CPU that it may use.
    void pin() {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed);
        for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &allowed)) {
                cpu_ = CpuId{cpu};
            }
        }
        CPU_ZERO(&allowed);
        CPU_SET(cpu_.value, &allowed);
        pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
    }

    void burn_here() {
        const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
        std::array<char, 1 << 16> buffer{};
        const Burned start = burned_so_far();
        while (burned_so_far().all_ns() - start.all_ns() < one_second) {
            std::uint64_t spin = 1;
            for (unsigned i = 0; i < 200'000; ++i) {
                spin = spin * 3 + i;
                asm volatile("" : "+r"(spin));
            }
            for (int i = 0; i < 20; ++i) {
                (void)!read(zero, buffer.data(), buffer.size());
            }
        }
        const Burned end = burned_so_far();
        burned_ = {end.user_ns - start.user_ns, end.system_ns - start.system_ns};
        close(zero);
    }

    std::atomic<pid_t> tid_{0};
    std::atomic<int> step_{idle};
    CpuId cpu_;
    Burned burned_;
    std::thread thread_;
};

/// A load of a second, as its thread, the meter of that, and the meter of its CPU saw it.
struct Seen {
    Burned burned;
    host::ThreadUse use;
    std::vector<host::CpuUse> cpus;
};

Seen see_a_load() {
    Load load;
    host::ThreadMeter meter(load.tid());
    host::CpuMeter cpus({load.cpu()});
    cpus.mark();
    meter.mark();
    const Burned burned = load.burn();
    meter.cut();
    cpus.cut();
    meter.finish();
    return {burned, meter.use(), cpus.uses()};
}

}  // namespace

TEST_CASE("a thread's time is what getrusage says it burned, split as it says") {
    const auto [burned, use, cpus] = see_a_load();
    REQUIRE(use.run_ns);
    REQUIRE(use.user_ns);
    REQUIRE(use.system_ns);
    CHECK(static_cast<double>(*use.run_ns) == Approx(burned.all_ns()).epsilon(0.03));
    CHECK(*use.run_ns <= use.sampled_ns);
    CHECK(*use.user_ns + *use.system_ns == *use.run_ns);
    CHECK(burned.system_ns > 0.1 * burned.all_ns());
    CHECK(burned.user_ns > 0.1 * burned.all_ns());
    const double share = 0.03 * burned.all_ns();
    CHECK(static_cast<double>(*use.user_ns) == Approx(burned.user_ns).margin(share));
    CHECK(static_cast<double>(*use.system_ns) == Approx(burned.system_ns).margin(share));
}

TEST_CASE("a CPU's time is at least its thread's, and no more where nothing else ran on it") {
    const auto [burned, use, cpus] = see_a_load();
    REQUIRE(cpus.size() == 1);
    const host::CpuTimes times = cpus[0].times;
    CHECK(static_cast<double>(times.busy_ns()) >= 0.97 * burned.all_ns());
    if (static_cast<double>(use.run_delay_ns + times.steal_ns) > 0.01 * burned.all_ns()) {
        WARN("skipped in part: others ran on the CPU, too");
        return;
    }
    const auto processes = static_cast<double>(times.user_ns + times.system_ns);
    CHECK(processes == Approx(burned.all_ns()).epsilon(0.03));
}

TEST_CASE("a meter that was never marked has seen nothing") {
    host::ThreadMeter meter(gettid());
    meter.finish();
    const host::ThreadUse use = meter.use();
    CHECK(use.sampled_ns == 0);
    CHECK(use.run_delay_to_end_ns == 0);
    CHECK_FALSE(use.run_ns);
}

TEST_CASE("a thread that ends before the cut keeps what was seen of it") {
    std::optional<host::ThreadMeter> meter;
    std::atomic<bool> marked{false};
    std::atomic<pid_t> tid{0};
    std::thread thread([&] {
        tid = gettid();
        tid.notify_all();
        marked.wait(false);
    });
    tid.wait(0);
    meter.emplace(tid);
    meter->mark();
    marked = true;
    marked.notify_all();
    thread.join();
    meter->cut();
    meter->finish();
    CHECK(meter->use().sampled_ns > 0);
    CHECK_FALSE(meter->use().run_ns);
}

TEST_CASE("the time stamp counter's rate is found once, and the core's in relation to it") {
    const std::uint64_t hz = host::tsc_hz();
    CHECK(hz == host::tsc_hz());
    CHECK(hz > 100'000'000);
    CHECK(host::core_hz(hz) > 100'000'000);
    const std::uint64_t before = host::tsc();
    gettid();  // no processor reorders across a system call
    CHECK(host::tsc() > before);
}
