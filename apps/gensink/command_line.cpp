// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <set>
#include <utility>
#include <vector>

namespace gensink::app {

Argument& Argument::required(bool is_required) {
    option_->required(is_required);
    return *this;
}

Argument& Argument::show_default() {
    option_->capture_default_str();
    return *this;
}

Argument& Argument::within(std::uint64_t least, std::uint64_t most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Argument& Argument::one_of(std::initializer_list<std::string> words) {
    option_->check(CLI::IsMember(words));
    return *this;
}

Argument& Argument::not_empty() {
    option_->check([](const std::string& text) {
        return text.empty() ? std::string("is empty: give it a value, or leave it out")
                            : std::string();
    });
    return *this;
}

Argument& Argument::repeated() {
    option_->allow_extra_args(false);
    option_->take_all();
    return *this;
}

Command Command::add_command(const std::string& name, const std::string& help) {
    return Command(*app_->add_subcommand(name, help));
}

template <class Value>
Argument Command::add_option(const std::string& name, Value& value, const std::string& help) {
    return Argument(*app_->add_option(name, value, help));
}

template Argument Command::add_option(const std::string&, std::string&, const std::string&);
template Argument
Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Argument
Command::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&);

void Command::add_flag(const std::string& name, bool& value, const std::string& help) {
    app_->add_flag(name, value, help);
}

void Command::footer(const std::string& text) {
    app_->footer(text);
}

void Command::callback(std::function<void()> action) {
    app_->callback(std::move(action));
}

CommandLine::CommandLine(const std::string& help, const std::string& version)
    : app_(std::make_unique<CLI::App>(help)) {
    app_->set_version_flag("--version", version);
    app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() {
    return Command(*app_);
}

CommandLine::Outcome CommandLine::parse(int argc, char** argv) {
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app_->exit(error) == 0 ? Outcome::told : Outcome::refused;
    }
    return Outcome::done;
}

}  // namespace gensink::app
