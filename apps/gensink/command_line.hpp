// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): CLI11's own name
namespace CLI {
class App;
class Option;
}  // namespace CLI

/// What the commands need of CLI11, whose headers alone take a compiler longer than any file here.
namespace gensink::app {

/// What the command line knows of an option or positional word, for completion and the manual.
struct OptionText {
    std::vector<std::string> names;  ///< "-h", "--help"; or one "PROFILE"
    std::string value;               ///< what it takes: "DIR", "KEY=VALUE"; empty: a flag
    std::vector<std::string> choices;
    std::string help;
    std::string fallback;
    bool positional = false;
    bool required = false;
    bool repeated = false;
};

struct CommandText {
    std::string name;
    std::string help;
    std::string footer;
    std::vector<OptionText> options;
    std::vector<CommandText> commands;  ///< without hidden ones
};

/// One option or positional word of a command; each call narrows it.
class Argument {
  public:
    explicit Argument(CLI::Option& option) : option_(&option) {}

    Argument& required(bool is_required = true);
    /// The help shows the value's default.
    Argument& show_default();
    /// What the help calls its value, where TEXT says too little.
    Argument& value(const std::string& name);
    Argument& within(std::uint64_t least, std::uint64_t most);
    Argument& one_of(std::initializer_list<std::string> words);
    Argument& not_empty();
    /// May be repeated, and takes one value each time.
    Argument& repeated();

  private:
    CLI::Option* option_;
};

class Command {
  public:
    explicit Command(CLI::App& app) : app_(&app) {}

    Command add_command(const std::string& name, const std::string& help);
    /// `name` is "--name", or "NAME" where it is positional. Value: std::string, a vector of them,
    /// or an optional std::uint64_t; it must outlive the parsing.
    template <class Value>
    Argument add_option(const std::string& name, Value& value, const std::string& help);
    void add_flag(const std::string& name, bool& value, const std::string& help);
    /// Neither helped, completed nor documented: for programs.
    void hide();
    /// This command and all below it, as they are now.
    [[nodiscard]] CommandText describe() const;
    /// Text below the help.
    void footer(const std::string& text);
    /// What to do where this command was given, after its arguments were read.
    void callback(std::function<void()> action);

  private:
    CLI::App* app_;
};

/// The whole command line: one command is required.
class CommandLine {
  public:
    CommandLine(const std::string& help, const std::string& version);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;
    CommandLine(CommandLine&&) = delete;
    CommandLine& operator=(CommandLine&&) = delete;

    [[nodiscard]] Command root();
    enum class Outcome { done, told, refused };
    /// Runs the callback of the command that was given (done), or prints help or version (told), or
    /// what is wrong (refused). Passes on what a callback throws.
    [[nodiscard]] Outcome parse(int argc, char** argv);

  private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace gensink::app
