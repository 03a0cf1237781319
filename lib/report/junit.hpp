// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/saved.hpp"

#include <string>

namespace gensink::report {

/// JUnit's XML, as CI servers read it: a test case an expectation, and one for the run itself,
/// which is an error where the run failed, was cut short or is INVALID. An INCONCLUSIVE verdict
/// fails nothing unless an expectation asks for another.
[[nodiscard]] std::string junit(const Saved& saved);

}  // namespace gensink::report
