// SPDX-License-Identifier: BSD-3-Clause
#include "candidates.hpp"

#include "profile/keys.hpp"

#include <algorithm>
#include <string_view>

#include "planning.hpp"
#include "reached.hpp"

namespace gensink::app {
namespace {

void keep_those_with(std::string_view prefix, Candidates& found) {
    std::erase_if(found.words, [prefix](const Candidate& candidate) {
        return !candidate.word.starts_with(prefix);
    });
}

/// KEY=, and where a key has choices KEY=CHOICE once the "=" is there.
Candidates settings(std::string_view current) {
    Candidates found;
    const std::string_view key = current.substr(0, current.find('='));
    for (const profile::KeySpec& spec : profile::keys()) {
        if (key.size() == current.size()) {
            found.words.push_back({std::string(spec.path) + "=", std::string(spec.doc)});
        } else if (spec.path == key) {
            profile::for_each_choice(spec.choices, [&](std::string_view choice) {
                found.words.push_back({std::string(key) + "=" + std::string(choice), ""});
            });
        }
    }
    return found;
}

/// What a value that is begun as `current` can become.
Candidates values(const OptionText& option, std::string_view current) {
    Candidates found;
    if (option.value == "KEY=VALUE") {
        found = settings(current);
    } else if (!option.choices.empty()) {
        for (const std::string& choice : option.choices) {
            found.words.push_back({choice, ""});
        }
    } else {
        found.files = option.positional || option.value == "DIR" || option.value == "FILE" ||
                      option.value == "TEXT";
        const auto files = bundled_profiles();
        if (option.names.front() == "PROFILE" && files) {
            for (const auto& file : *files) {
                found.words.push_back({file.stem().string(), "bundled profile"});
            }
        }
    }
    keep_those_with(current, found);
    return found;
}

Candidates option_names(const CommandText& command, std::string_view current) {
    Candidates found;
    for (const OptionText& option : command.options) {
        if (!option.positional) {
            found.words.push_back({option.names.back(), option.help});
        }
    }
    keep_those_with(current, found);
    return found;
}

Candidates command_names(const CommandText& command, std::string_view current) {
    Candidates found;
    for (const CommandText& below : command.commands) {
        found.words.push_back({below.name, below.help});
    }
    keep_those_with(current, found);
    return found;
}

/// "--option=VALUE" in one word.
Candidates joined_values(const CommandText& command, std::string_view current) {
    const std::size_t equals = current.find('=');
    const OptionText* option = find_option(command, current.substr(0, equals));
    if (option == nullptr || option->value.empty()) {
        return {};
    }
    Candidates found = values(*option, current.substr(equals + 1));
    for (Candidate& candidate : found.words) {
        candidate.word = std::string(current.substr(0, equals + 1)) + candidate.word;
    }
    return found;
}

}  // namespace

Candidates candidates(const CommandText& root, std::span<const std::string> words) {
    if (words.empty()) {
        return {};
    }
    const Reached reached = follow(root, words.first(words.size() - 1));
    const CommandText& command = *reached.command;
    const std::string& current = words.back();
    if (reached.waiting != nullptr) {
        return values(*reached.waiting, current);
    }
    if (current.starts_with('-')) {
        return current.find('=') == std::string::npos ? option_names(command, current)
                                                      : joined_values(command, current);
    }
    if (!command.commands.empty()) {
        return command_names(command, current);
    }
    const OptionText* positional = find_positional(command, reached.given);
    return positional == nullptr ? option_names(command, current) : values(*positional, current);
}

}  // namespace gensink::app
