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

Argument& Argument::value(const std::string& name) {
    option_->type_name(name);
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

namespace {

/// "TEXT:{a,b}" -> a, b: what one_of() has put behind the type's name.
std::vector<std::string> choices_of(const std::string& type) {
    const std::size_t open = type.find('{');
    const std::size_t close = type.rfind('}');
    if (open == std::string::npos || close == std::string::npos) {
        return {};
    }
    return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

OptionText describe_option(const CLI::Option& option) {
    OptionText text;
    const std::string type = option.get_type_name();
    text.names = CLI::detail::split(option.get_name(false, true), ',');
    text.positional = !option.nonpositional();
    if (text.positional || option.get_items_expected_max() > 0) {
        text.value = type.substr(0, type.find(':'));
        text.choices = choices_of(type);
        text.repeated = option.get_items_expected_max() > 1;
    }
    text.help = option.get_description();
    text.fallback = option.get_default_str();
    text.required = option.get_required();
    return text;
}

CommandText describe_command(const CLI::App& app) {
    CommandText text{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
    for (const CLI::Option* option : app.get_options()) {
        text.options.push_back(describe_option(*option));
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (!command->get_group().empty()) {
            text.commands.push_back(describe_command(*command));
        }
    }
    return text;
}

}  // namespace

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

void Command::hide() {
    app_->group("");
}

CommandText Command::describe() const {
    return describe_command(*app_);
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
