// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/thread.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <future>
#include <memory>
#include <sched.h>
#include <sys/prctl.h>
#include <system_error>
#include <thread>
#include <utility>

namespace gensink::kernel {
namespace {

int pin(CpuId cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu.value, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

}  // namespace

Result<cores::Join> launch_on_thread(const plan::CorePlan& core, std::function<void()> work) {
    std::promise<int> pinned;
    std::future<int> refusal = pinned.get_future();
    auto thread = std::make_shared<std::thread>(
        [cpu = core.cpu, pinned = std::move(pinned), work = std::move(work)]() mutable {
            (void)prctl(PR_SET_TIMERSLACK, 1);  // a paced sender wakes when it is due
            const int code = pin(cpu);
            pinned.set_value(code);
            if (code == 0) {
                work();
            }
        }
    );
    if (const int code = refusal.get(); code != 0) {
        thread->join();
        return fail(
            ErrorKind::environment,
            "cannot run a datapath thread: " + std::generic_category().message(code),
            fmt::format("CPU {}", core.cpu.value),
            code
        );
    }
    return [thread] {
        thread->join();
    };
}

}  // namespace gensink::kernel
