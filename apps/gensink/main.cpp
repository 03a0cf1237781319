// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include "commands.hpp"
#include "version.hpp"

namespace gensink::app {

Status report_errors(std::span<const Error> errors) {
    Status status = Status::ok;
    for (const Error& error : errors) {
        fmt::print(
            stderr, "{}{}error: {}\n", error.where, error.where.empty() ? "" : ": ", error.message
        );
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
        fmt::print(stderr, "{} errors\n", errors.size());
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

}  // namespace
}  // namespace gensink::app

int main(int argc, char** argv) {
    using gensink::app::CommandLine;
    using gensink::app::Status;
    CommandLine line(
        "gensink: a kernel-bypass packet generator with a matching sink",
        std::string("gensink ") + gensink::app::version
    );
    gensink::app::Command root = line.root();
    root.footer(
        "`gensink COMMAND --help` tells more; start with `gensink run xmit-batching --quick`."
    );
    // A reader that has gone (`| head`) must not cost the result: writes fail instead.
    std::signal(SIGPIPE, SIG_IGN);
    Status status = Status::ok;
    gensink::app::add_run(root, status);
    gensink::app::add_plan(root, status);
    gensink::app::add_compare(root, status);
    gensink::app::add_report(root, status);
    gensink::app::add_profiles(root, status);
    gensink::app::add_devices(root, status);
    gensink::app::add_doctor(root, status);
    gensink::app::add_schema(root, status);
    try {
        const CommandLine::Outcome outcome = line.parse(argc, argv);
        if (outcome == CommandLine::Outcome::refused) {
            return static_cast<int>(Status::usage);
        }
    } catch (const std::system_error& error) {
        std::fclose(stdout);  // what is left cannot be written either
        return static_cast<int>(gensink::app::written(status, error.code().value()));
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {} (a bug in gensink: please report it)\n", error.what());
        return static_cast<int>(Status::run_failed);
    }
    return static_cast<int>(gensink::app::written(status, gensink::app::flush_output()));
}
