// SPDX-License-Identifier: BSD-3-Clause
#include "report/json.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "run.hpp"
#include "saved_profile.hpp"
#include "streams.hpp"

namespace gensink::app {
namespace {

struct RerunArguments {
    std::string result;
    RunArguments run;
    std::vector<std::string> set;
};

/// A key that is set anew is no longer what it was set to then.
void set_anew(std::vector<std::string>& old, const std::vector<std::string>& fresh) {
    for (const std::string& assignment : fresh) {
        const std::string key = assignment.substr(0, assignment.find('=')) + "=";
        std::erase_if(old, [&](const std::string& other) { return other.starts_with(key); });
    }
    old.insert(old.end(), fresh.begin(), fresh.end());
}

Status rerun(RerunArguments options) {
    const Result<report::Saved> saved = report::load_file(options.result);
    if (!saved) {
        return report_errors(std::span(&saved.error(), 1));
    }
    options.run.profile = profile_of(*saved);
    set_anew(options.run.profile.set, options.set);
    if (!options.run.seed) {
        options.run.seed = saved->plan.seed;
    }
    tell(fmt::format(
        "{} of {} again, seed {}{}; compare both: gensink compare {} NEW\n",
        saved->plan.name,
        saved->run.started,
        *options.run.seed,
        saved->plan.quick ? ", --quick" : "",
        options.result
    ));
    return run(options.run);
}

}  // namespace

void add_rerun(Command root, Status& status) {
    Command command = root.add_command(
        "rerun", "run a saved result's profile again, with its --set values, its --quick and seed"
    );
    auto options = std::make_shared<RerunArguments>();
    command
        .add_option("RESULT", options->result, "a result.json of gensink run, or the folder of one")
        .required();
    add_set_option(command, options->set);
    add_run_options(command, options->run);
    command.callback([options, &status] { status = rerun(*options); });
}

}  // namespace gensink::app
