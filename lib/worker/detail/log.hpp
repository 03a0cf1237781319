// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

/// What a child printed, kept in a file in memory that its parent reads from.
namespace gensink::worker::detail {

/// An anonymous file; -1 with errno where the system refuses.
[[nodiscard]] int make_log();

/// Bytes printed so far.
[[nodiscard]] std::size_t log_bytes(int fd);

/// The last lines printed from byte `start` on, at most 20, each led by "\n  | "; else empty.
[[nodiscard]] std::string log_tail(int fd, std::size_t start);

/// "was killed by signal 9 (Killed)" or "ended with exit status 1", of a waitpid status.
[[nodiscard]] std::string describe_end(int wait_status);

}  // namespace gensink::worker::detail
