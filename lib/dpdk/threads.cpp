// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/threads.hpp"

#include "dpdk/eal.hpp"

#include <fmt/format.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <memory>
#include <utility>

namespace gensink::dpdk {
namespace {

int entry(void* work) {
    (*static_cast<std::function<void()>*>(work))();
    return 0;
}

}  // namespace

Result<cores::Join> launch_on_lcore(const plan::CorePlan& core, std::function<void()> work) {
    const auto kept = std::make_shared<std::function<void()>>(std::move(work));
    const int code = rte_eal_remote_launch(&entry, kept.get(), core.lcore.value);
    if (code != 0) {
        return tl::unexpected<Error>(dpdk_error(
            ErrorKind::environment,
            "cannot start a datapath thread",
            fmt::format("lcore {} on CPU {}", core.lcore.value, core.cpu.value),
            code
        ));
    }
    return [kept, lcore = core.lcore.value] {
        rte_eal_wait_lcore(lcore);
    };
}

}  // namespace gensink::dpdk
