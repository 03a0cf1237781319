// SPDX-License-Identifier: BSD-3-Clause
#include "apart/listener.hpp"
#include "dpdk/datapath.hpp"
#include "plan/make.hpp"
#include "profile/value.hpp"
#include "worker/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "commands.hpp"
#include "measure.hpp"
#include "planning.hpp"
#include "signals.hpp"
#include "streams.hpp"

namespace gensink::app {
namespace {

using Clock = std::chrono::steady_clock;

/// A generator's profile is laid over it. The memory is for jumbo frames: it cannot grow later.
constexpr const char* sink_profile = R"(gensink: 1
name: sink
wire: {kind: ports, gen: peer}
host: {memory: 256 MiB}
)";

struct Arguments {
    std::string port;
    ProfileOptions profile;  ///< its --set only
    std::string time;
};

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

/// Says when frames begin to come, and how many it were.
class Log {
  public:
    void show(const trial::Snapshot& counts) {
        std::uint64_t frames = 0;
        bool ended = true;
        for (const auto& core : counts.sink) {
            frames += core.total.frames;
            ended = ended && core.ended != 0;
        }
        if (frames < frames_ || (frames_ == 0 && frames != 0)) {
            over_ = false;
        }
        frames_ = frames;
        if (ended && frames != 0 && !over_) {
            over_ = true;
            tell(fmt::format("trial over: {} frames received\n", frames));
        }
    }

  private:
    std::uint64_t frames_ = 0;
    bool over_ = false;
};

/// Until a signal comes, or the time is over.
Status serve(trial::Datapath& datapath, const Signals& signals, std::optional<Duration> time) {
    const auto start = Clock::now();
    Log log;
    while (!signals.arrived() && (!time || Clock::now() - start < *time)) {
        const auto counts = datapath.snapshot();
        if (!counts) {
            return signals.arrived() ? Status::ok : report_errors({{counts.error()}});
        }
        log.show(*counts);
    }
    (void)datapath.stop();
    (void)datapath.close();
    return Status::ok;
}

Result<std::optional<Duration>> read_time(const std::string& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    const auto value =
        profile::parse_value({.path = "--for", .kind = profile::Kind::duration}, text);
    if (!value) {
        return fail(ErrorKind::usage, value.error(), "--for " + text);
    }
    return std::get<Duration>(*value);
}

Status sink(const Arguments& options) {
    ProfileOptions profile = options.profile;
    profile.profile = "gensink sink";
    profile.text = sink_profile;
    profile.set.push_back("wire.sink=" + options.port);
    const auto time = read_time(options.time);
    if (!time) {
        return report_errors({{time.error()}});
    }
    const auto planned = make_plan(profile);
    if (!planned) {
        return report_errors(planned.error());
    }
    const Planner planner(profile, *planned);
    const auto make = [&](const plan::Environment& environment) {
        return dpdk::make_datapath(environment).map([&](std::unique_ptr<trial::Datapath>&& local) {
            return apart::make_listener(std::move(local), planner);
        });
    };
    const Signals signals;
    worker::Fleet fleet(planned->plan.cells, make, signals.fd(), sink_deadlines(), &bury);
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
    return serve(**datapath, signals, *time);
}

}  // namespace

void add_sink(Command root, Status& status) {
    auto options = std::make_shared<Arguments>();
    Command command =
        root.add_command("sink", "wait on a link for a generator, and count what it sends");
    command.add_option("--port", options->port, "DEV: the DPDK device to receive on")
        .required()
        .not_empty();
    add_set_option(command, options->profile);
    command.add_option("--for", options->time, "end after so long, such as 5m (default: Ctrl-C)")
        .not_empty();
    command.callback([options, &status] { status = sink(*options); });
}

}  // namespace gensink::app
