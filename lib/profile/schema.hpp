// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

/// What the table of keys says, for editors and for readers.
namespace gensink::profile {

/// JSON Schema (draft 2020-12) of a profile, for editors: completion, types, units, ranges.
[[nodiscard]] std::string schema();

/// Every key with its way of writing, default, range and meaning, as Markdown tables; the reference
/// in profiles/README.md, which a test holds against it.
[[nodiscard]] std::string reference();

}  // namespace gensink::profile
