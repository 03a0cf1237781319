// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"

#include <span>

#include "command_line.hpp"

namespace gensink::app {

/// Exit status; where several apply, the worst wins: 130 > 2 > 3 > 6 > 4 > 1 > 5 > 0.
enum class Status : int {
    ok = 0,
    expectation_unmet = 1,
    usage = 2,
    environment = 3,
    invalid = 4,
    inconclusive = 5,
    run_failed = 6,
    interrupted = 130,
};

/// Each adds its subcommand; the callback stores the exit status.
void add_run(Command root, Status& status);
void add_gen(Command root, Status& status);
void add_sink(Command root, Status& status);
void add_reflect(Command root, Status& status);
void add_plan(Command root, Status& status);
void add_rerun(Command root, Status& status);
void add_compare(Command root, Status& status);
void add_history(Command root, Status& status);
void add_report(Command root, Status& status);
void add_profiles(Command root, Status& status);
void add_devices(Command root, Status& status);
void add_doctor(Command root, Status& status);
void add_schema(Command root, Status& status);
void add_completion(Command root, Status& status);
void add_manual(Command root, Status& status);

/// Prints each error as "where: message" on stderr; returns the status that its kind asks for.
Status report_errors(std::span<const Error> errors);

}  // namespace gensink::app
