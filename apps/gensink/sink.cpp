// SPDX-License-Identifier: BSD-3-Clause
#include "apart/listener.hpp"
#include "plan/make.hpp"
#include "worker/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "commands.hpp"
#include "measure.hpp"
#include "streams.hpp"
#include "waiting.hpp"

namespace gensink::app {
namespace {

std::string path_of(const std::string& setting) {
    return setting.substr(0, setting.find('='));
}

/// Plans trials from this end's settings and a generator's, of which the latter win.
class Planner {
  public:
    Planner(ProfileOptions options, const Planned& planned)
        : options_(std::move(options)), topology_(planned.topology), drivers_(planned.drivers) {}

    Results<plan::TrialPlan> operator()(const std::vector<std::string>& told) const {
        std::vector<std::string> set = told;
        std::ranges::copy_if(options_.set, std::back_inserter(set), [&](const std::string& own) {
            return std::ranges::find(told, path_of(own), path_of) == told.end();
        });
        const auto profile = profile::load(options_.text, options_.profile, {set, false, {}});
        if (!profile) {
            return tl::unexpected(profile.error());
        }
        auto plan = plan::make(*profile, topology_, drivers_, "");
        if (!plan) {
            return tl::unexpected(plan.error());
        }
        return std::move(plan->cells.front().trial);
    }

  private:
    ProfileOptions options_;
    plan::Topology topology_;
    std::vector<profile::DriverConfig> drivers_;
};

/// Says of each trial, once it is over, how many frames came.
class Log {
  public:
    void show(const trial::Snapshot& counts) {
        std::uint64_t frames = 0;
        bool ended = !counts.sink.empty();
        for (const auto& core : counts.sink) {
            frames += core.total.frames;
            ended = ended && core.ended != 0;
        }
        if (ended && running_) {
            tell(fmt::format("trial over: {} frames received\n", frames));
        }
        running_ = !ended && frames != 0;
    }

  private:
    bool running_ = false;
};

Status sink(WaitArguments options) {
    const auto planned = plan_waiting(options, "gensink sink");
    const auto time = read_time(options);
    if (!planned || !time) {
        return planned ? report_errors({{time.error()}}) : report_errors(planned.error());
    }
    const Planner planner(options.profile, *planned);
    const auto make = [&](const plan::Environment& environment) {
        return make_local(environment).map([&](std::unique_ptr<trial::Datapath>&& local) {
            return apart::make_listener(std::move(local), planner);
        });
    };
    const Signals signals;
    worker::Fleet fleet(planned->plan.cells, make, signals.fd(), waiting_deadlines(), &bury);
    const auto datapath = fleet.datapath(0);
    const auto opened = datapath ? (*datapath)->open(planned->plan.cells.front().trial, 0)
                                 : tl::unexpected<Error>(datapath.error());
    if (!opened) {
        return report_errors({{opened.error()}});
    }
    tell(fmt::format(
        "sink on {} ({}): waiting for `gensink gen PROFILE --port DEV` at the other end; Ctrl-C "
        "ends it\n",
        options.port,
        opened->sink_driver
    ));
    Log log;
    return serve(**datapath, signals, *time, [&](const trial::Snapshot& s) { log.show(s); });
}

}  // namespace

void add_sink(Command root, Status& status) {
    auto options = std::make_shared<WaitArguments>();
    Command command =
        root.add_command("sink", "wait on a link for a generator, and count what it sends");
    add_wait_options(command, *options);
    command.callback([options, &status] { status = sink(*options); });
}

}  // namespace gensink::app
