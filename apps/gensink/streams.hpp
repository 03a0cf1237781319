// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace gensink::app {

/// Gives standard streams that are closed a descriptor that nothing can be written to, or a file
/// opened later would take their number, and their text.
void hold_standard_streams();

/// Writes to stderr. What cannot be written there is lost: nobody is left to be told.
void tell(std::string_view text);

}  // namespace gensink::app
