// SPDX-License-Identifier: BSD-3-Clause
#include "roff.hpp"

#include <fmt/format.h>

namespace gensink::app {

std::string roff(std::string_view text) {
    std::string out;
    bool bold = false;
    for (const char c : text) {
        if (c == '`') {
            bold = !bold;
            out += bold ? "\\fB" : "\\fR";
        } else if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if (c == '\n') {
            out += "\n.br\n";
        } else {
            out += c;
        }
    }
    return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string item(std::string_view tag, std::string_view text) {
    return fmt::format(".TP\n{}\n{}\n", tag, text);
}

}  // namespace gensink::app
