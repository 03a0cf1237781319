// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/process.hpp"

#include <sys/types.h>

namespace gensink::worker::detail {

/// The child's whole life, right after fork: serves its datapath on `fd` until the parent asks to
/// quit or is gone. All it prints goes to `log_fd`.
[[noreturn]] void run_child(const Purpose& purpose, pid_t parent, int fd, int log_fd);

}  // namespace gensink::worker::detail
