// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

/// The language of manual pages, man(7).
namespace gensink::app {

/// Plain text in it: what is special escaped, what stands in backticks bold.
[[nodiscard]] std::string roff(std::string_view text);

/// A paragraph with a tag; both are in the language already.
[[nodiscard]] std::string item(std::string_view tag, std::string_view text);

}  // namespace gensink::app
