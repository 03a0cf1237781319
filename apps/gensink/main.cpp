// SPDX-License-Identifier: BSD-3-Clause
#include "apart/message.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include "commands.hpp"
#include "streams.hpp"

namespace gensink::app {

Status report_errors(std::span<const Error> errors) {
    Status status = Status::ok;
    for (const Error& error : errors) {
        tell(fmt::format(
            "{}{}error: {}\n", error.where, error.where.empty() ? "" : ": ", error.message
        ));
        switch (error.kind) {
        case ErrorKind::usage:
        case ErrorKind::profile:
        case ErrorKind::plan:
            status = Status::usage;
            break;
        case ErrorKind::environment:
        case ErrorKind::device:
            status = status == Status::usage ? status : Status::environment;
            break;
        case ErrorKind::measurement:
            status = status == Status::ok ? Status::run_failed : status;
            break;
        }
    }
    if (errors.size() > 1) {
        tell(fmt::format("{} errors\n", errors.size()));
    }
    return status;
}

namespace {

/// Output that does not reach its file is an error of the environment; a reader that has gone
/// (`| head`) has seen what it wanted.
Status written(Status status, int code) {
    if (code == 0 || code == EPIPE) {
        return status;
    }
    const Error error{
        ErrorKind::environment,
        fmt::format("cannot write: {}", std::generic_category().message(code)),
        "standard output",
        code};
    const Status failed = report_errors(std::span(&error, 1));
    return status == Status::usage || status == Status::interrupted ? status : failed;
}

/// What is still buffered goes out now, while there is a status to tell of a failure.
int flush_output() {
    errno = 0;
    const bool good = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return good ? 0 : errno != 0 ? errno : EIO;
}

/// Sets the commands up and runs the one that was given.
void run_command(int argc, char** argv, Status& status) {
    CommandLine line(
        "gensink: a kernel-bypass packet generator with a matching sink",
        "gensink " + apart::program_version()
    );
    Command root = line.root();
    root.footer(
        "`gensink COMMAND --help` tells more; start with `gensink run xmit-batching --quick`."
    );
    // A reader that has gone (`| head`) must not cost the result: writes fail instead.
    std::signal(SIGPIPE, SIG_IGN);
    for (const auto add :
         {add_run,
          add_gen,
          add_sink,
          add_reflect,
          add_plan,
          add_rerun,
          add_compare,
          add_history,
          add_report,
          add_profiles,
          add_devices,
          add_doctor,
          add_schema,
          add_completion,
          add_manual}) {
        add(root, status);
    }
    if (line.parse(argc, argv) == CommandLine::Outcome::refused) {
        status = Status::usage;
    }
}

}  // namespace
}  // namespace gensink::app

int main(int argc, char** argv) {
    using gensink::app::Status;
    Status status = Status::ok;
    gensink::app::hold_standard_streams();
    try {
        gensink::app::run_command(argc, argv, status);
        return static_cast<int>(gensink::app::written(status, gensink::app::flush_output()));
    } catch (const std::system_error& error) {
        std::fclose(stdout);  // what is left cannot be written either
        return static_cast<int>(gensink::app::written(status, error.code().value()));
    } catch (const std::exception& error) {
        gensink::app::tell("error: ");
        gensink::app::tell(error.what());
        gensink::app::tell(" (a bug in gensink: please report it)\n");
        return static_cast<int>(Status::run_failed);
    }
}
