// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/datapath.hpp"
#include "worker/fleet.hpp"

#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "measure.hpp"
#include "streams.hpp"
#include "waiting.hpp"

namespace gensink::app {
namespace {

/// Opens the port and starts its loops.
Result<trial::Opened> begin(trial::Datapath& datapath, const plan::TrialPlan& plan) {
    auto opened = datapath.open(plan, 0);
    if (opened) {
        if (auto started = datapath.start(); !started) {
            return tl::unexpected<Error>(std::move(started.error()));
        }
    }
    return opened;
}

Status reflect(WaitArguments options) {
    // Frames as large as traffic.mtu lets pass.
    options.profile.set.insert(options.profile.set.begin(), "traffic.block_size=64 KiB");
    auto planned = plan_waiting(options, "gensink reflect");
    const auto time = read_time(options);
    if (!planned || !time) {
        return planned ? report_errors({{time.error()}}) : report_errors(planned.error());
    }
    plan::Cell& cell = planned->plan.cells.front();
    cell.trial.sink->reflects = true;
    const Signals signals;
    worker::Fleet fleet(
        planned->plan.cells, &dpdk::make_datapath, signals.fd(), waiting_deadlines(), &bury
    );
    const auto datapath = fleet.datapath(0);
    const auto opened =
        datapath ? begin(**datapath, cell.trial) : tl::unexpected<Error>(datapath.error());
    if (!opened) {
        return report_errors({{opened.error()}});
    }
    tell(fmt::format(
        "reflecting on {} ({}): IPv4 frames go back to their sender; Ctrl-C ends it\n",
        options.port,
        opened->sink_driver
    ));
    counters::SinkCounts sum;
    const Status status = serve(**datapath, signals, *time, [&](const trial::Snapshot& counts) {
        sum = {};
        for (const auto& core : counts.sink) {
            sum.frames += core.total.frames;
            sum.acks_sent += core.total.acks_sent;
            sum.background += core.total.background;
        }
        (void)(*datapath)->wait(std::chrono::milliseconds(100));
    });
    fmt::print(
        "received {} frames, sent {} back; {} were not IPv4\n",
        sum.frames,
        sum.acks_sent,
        sum.background
    );
    return status;
}

}  // namespace

void add_reflect(Command root, Status& status) {
    auto options = std::make_shared<WaitArguments>();
    Command command = root.add_command("reflect", "send back what arrives, addresses swapped");
    add_wait_options(command, *options);
    command.callback([options, &status] { status = reflect(*options); });
}

}  // namespace gensink::app
