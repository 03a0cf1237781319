// SPDX-License-Identifier: BSD-3-Clause
#include "reached.hpp"

#include <algorithm>
#include <utility>

namespace gensink::app {
namespace {

void read_word(const std::string& word, Reached& reached) {
    if (std::exchange(reached.waiting, nullptr) != nullptr) {
        return;
    }
    const auto& commands = reached.command->commands;
    const auto below = std::ranges::find(commands, word, &CommandText::name);
    if (word.starts_with('-')) {
        const OptionText* option = find_option(*reached.command, word);
        reached.waiting = option != nullptr && !option->value.empty() ? option : nullptr;
    } else if (below != commands.end()) {
        reached.command = &*below;
    } else {
        ++reached.given;
    }
}

}  // namespace

const OptionText* find_option(const CommandText& command, std::string_view name) {
    const auto found = std::ranges::find_if(command.options, [name](const OptionText& option) {
        return !option.positional && std::ranges::find(option.names, name) != option.names.end();
    });
    return found == command.options.end() ? nullptr : &*found;
}

const OptionText* find_positional(const CommandText& command, std::size_t given) {
    for (const OptionText& option : command.options) {
        if (option.positional && (given == 0 || option.repeated)) {
            return &option;
        }
        given -= option.positional ? 1 : 0;
    }
    return nullptr;
}

Reached follow(const CommandText& root, std::span<const std::string> words) {
    Reached reached{&root, nullptr, 0};
    for (const std::string& word : words) {
        read_word(word, reached);
    }
    return reached;
}

}  // namespace gensink::app
