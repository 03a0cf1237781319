// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "candidates.hpp"
#include "commands.hpp"

namespace gensink::app {
namespace {

// Both ask the program itself, so that they know what it knows: `gensink complete` prints a line
// "word<TAB>help" a candidate, and ":files" where files fit too.

constexpr std::string_view bash_script = R"(# bash completion of gensink
_gensink() {
    local line=${COMP_LINE:0:COMP_POINT} words=() current kept= word help
    read -ra words <<<"$line"
    [[ $line == *[^[:blank:]] ]] || words+=("")
    current=${words[${#words[@]} - 1]}
    # Bash puts what it is given in place of what stands behind the last word break.
    [[ $COMP_WORDBREAKS != *=* || $current != *=* ]] || kept=${current%"${current##*=}"}
    COMPREPLY=()
    while IFS=$'\t' read -r word help; do
        if [[ $word == :files ]]; then
            compopt -o filenames 2>/dev/null
            while IFS= read -r word; do
                COMPREPLY+=("$word")
            done < <(compgen -f -- "${current#"$kept"}")
        else
            [[ $word != *= ]] || compopt -o nospace 2>/dev/null
            COMPREPLY+=("${word#"$kept"}")
        fi
    done < <("${BASH_ALIASES[${words[0]}]:-${words[0]}}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _gensink gensink
)";

constexpr std::string_view zsh_script = R"(#compdef gensink
# zsh completion of gensink
_gensink() {
    local -a whole open
    local line word help files
    for line in "${(@f)$(${(Q)words[1]} complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        word=${line%%$'\t'*} help=${line#*$'\t'}
        case $word in
        '') ;;
        :files) files=yes ;;
        *=) open+=("${word//:/\\:}:$help") ;;
        *) whole+=("${word//:/\\:}:$help") ;;
        esac
    done
    (( ! ${#whole} )) || _describe gensink whole
    (( ! ${#open} )) || _describe gensink open -S ''
    [[ -z $files ]] || _files
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _gensink "$@"
else
    compdef _gensink gensink
fi
)";

void complete(const CommandText& root, const std::vector<std::string>& words) {
    const Candidates found = candidates(root, words);
    for (const Candidate& candidate : found.words) {
        fmt::print("{}\t{}\n", candidate.word, candidate.help);
    }
    if (found.files) {
        fmt::print(":files\n");
    }
}

}  // namespace

void add_completion(Command root, Status& status) {
    Command command = root.add_command("completion", "print a shell's completion of gensink");
    auto shell = std::make_shared<std::string>();
    command.add_option("SHELL", *shell, "source what it prints in ~/.bashrc or ~/.zshrc")
        .required()
        .one_of({"bash", "zsh"});
    command.callback([shell, &status] {
        fmt::print("{}", *shell == "bash" ? bash_script : zsh_script);
        status = Status::ok;
    });

    Command words_command = root.add_command("complete", "what those scripts ask for");
    words_command.hide();
    auto words = std::make_shared<std::vector<std::string>>();
    words_command.add_option("WORD", *words, "of the command line, up to the one to complete");
    words_command.callback([root, words, &status] {
        complete(root.describe(), *words);
        status = Status::ok;
    });
}

}  // namespace gensink::app
