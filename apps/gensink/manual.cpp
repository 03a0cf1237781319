// SPDX-License-Identifier: BSD-3-Clause
#include "apart/message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "roff.hpp"

namespace gensink::app {
namespace {

std::string value_of(const OptionText& option) {
    if (!option.choices.empty()) {
        return fmt::format("\\fB{}\\fR", roff(fmt::format("{}", fmt::join(option.choices, "|"))));
    }
    const std::string value = option.positional        ? option.names.front()
                              : option.value == "UINT" ? "N"
                                                       : option.value;
    return fmt::format("\\fI{}\\fR", roff(value));
}

/// "PROFILE", "[DEVICE ...]".
std::string positional_of(const OptionText& option) {
    const std::string text = value_of(option) + (option.repeated ? " ..." : "");
    return option.required ? text : "[" + text + "]";
}

std::string option_of(const OptionText& option) {
    const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
    return fmt::format("\\fB{}\\fR ", roff(names)) + (option.value.empty() ? "" : value_of(option));
}

std::string options_of(const CommandText& command) {
    std::string text;
    for (const OptionText& option : command.options) {
        if (std::ranges::find(option.names, "--help") != option.names.end()) {
            continue;  // stands once, in OPTIONS
        }
        std::string help = roff(option.help);
        if (!option.fallback.empty()) {
            help += fmt::format(" (default: {})", roff(option.fallback));
        }
        if (option.required && !option.positional) {
            help += " (required)";
        }
        text += item(option.positional ? positional_of(option) : option_of(option), help);
    }
    return text;
}

std::string command_section(const CommandText& root, const CommandText& command) {
    std::string title = "gensink " + roff(command.name);
    for (const OptionText& option : command.options) {
        if (option.positional) {
            title += " " + positional_of(option);
        }
    }
    const std::string footer =
        command.footer == root.footer ? "" : fmt::format(".PP\n{}\n", roff(command.footer));
    return fmt::format(".SS {}\n{}\n{}{}", title, roff(command.help), options_of(command), footer);
}

std::string exit_status() {
    constexpr auto lines = std::to_array<std::pair<Status, std::string_view>>({
        {Status::ok, "all is valid and conclusive; NO DIFFERENCE is"},
        {Status::expectation_unmet, "an expectation of the profile is not met"},
        {Status::usage, "the command line or the profile is wrong"},
        {Status::environment, "the host cannot do it: memory, a port, rights, a file"},
        {Status::invalid, "INVALID: the trials prove nothing, and a reason says why"},
        {Status::inconclusive, "INCONCLUSIVE: the interval is too wide"},
        {Status::run_failed, "the run failed"},
        {Status::interrupted, "interrupted; what was measured is saved"},
    });
    std::string text = ".SH EXIT STATUS\nThe first that applies of 130, 2, 3, 6, 4, 1, 5, 0:\n";
    for (const auto& [status, meaning] : lines) {
        text += item(std::to_string(static_cast<int>(status)), roff(meaning));
    }
    return text;
}

constexpr std::string_view rest = R"(.SH FILES
.TP
\fI../share/gensink/profiles\fR
bundled profiles, seen from the folder of the binary
.TP
\fI../share/gensink/drivers\-config\fR
what is known of each DPDK driver
.TP
\fIgensink\-results/TIME\-NAME/result.json\fR
result of a run; \fBgensink schema result\fR prints its schema, \fBgensink schema reference\fR the keys of a profile
.SH EXAMPLES
.TP
\fBgensink run xmit\-batching \-\-quick\fR
is a burst better than one frame at a time? Over a cable in memory: needs no NIC
.TP
\fBgensink plan xmit\-batching \-\-ports 0000:01:00.0,0000:02:00.0\fR
what a run between two NICs would do, and how long
.TP
\fBgensink run saturate \-\-set traffic.frame_size=64B \-\-out mine\fR
a bundled profile with another key, into a folder of its own
.TP
\fBgensink compare old/result.json new/result.json\fR
the gain of the second
)";

std::string manual(const CommandText& root) {
    std::string text = fmt::format(
        ".\\\" Made by `gensink manual`.\n"
        ".TH GENSINK 1 \"\" \"gensink {}\" \"User commands\"\n.ad l\n"
        ".SH NAME\ngensink \\- packet generator with a matching sink, on DPDK\n"
        ".SH SYNOPSIS\n\\fBgensink\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR ...] [\\fIARGUMENT\\fR "
        "...]\n"
        ".SH DESCRIPTION\n"
        "It sends real frames, counts what arrived and what each frame cost, compares arms over\n"
        "repeated rounds, and prints a verdict with its interval, or a reason why there is none.\n"
        "What to compare is a profile: a YAML file.\n.SH OPTIONS\n",
        roff(apart::program_version())
    );
    for (const OptionText& option : root.options) {
        text += item(option_of(option), roff(option.help));
    }
    text += ".SH COMMANDS\n";
    for (const CommandText& command : root.commands) {
        text += command_section(root, command);
    }
    return text + exit_status() + std::string(rest);
}

}  // namespace

void add_manual(Command root, Status& status) {
    Command command =
        root.add_command("manual", "print the manual page; to read it: gensink manual | man -l -");
    command.callback([root, &status] {
        fmt::print("{}", manual(root.describe()));
        status = Status::ok;
    });
}

}  // namespace gensink::app
