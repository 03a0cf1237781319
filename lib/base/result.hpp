// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <vector>

namespace gensink {

/// Who must act: the command line, the profile, the plan, the host, the device, or the measurement.
enum class ErrorKind { usage, profile, plan, environment, device, measurement };

/// What was wrong, where, and what to do about it.
struct Error {
    ErrorKind kind = ErrorKind::environment;
    std::string message;  ///< what is wrong and how to fix it, one or two sentences
    std::string where;    ///< "file:line:column (yaml.path)", a device, a process; may be empty
    int os_code = 0;      ///< errno where the system refused, else 0
};

template <class T>
using Result = tl::expected<T, Error>;

/// For steps that report everything wrong at once.
template <class T>
using Results = tl::expected<T, std::vector<Error>>;

[[nodiscard]] inline tl::unexpected<Error>
fail(ErrorKind kind, std::string message, std::string where = {}, int os_code = 0) {
    return tl::unexpected<Error>(Error{kind, std::move(message), std::move(where), os_code});
}

}  // namespace gensink
