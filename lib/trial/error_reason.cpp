// SPDX-License-Identifier: BSD-3-Clause
#include "trial/detail/error_reason.hpp"

#include <cerrno>
#include <string>

namespace gensink::trial::detail {

Reason to_reason(const Error& error) {
    const std::string where = error.where.empty() ? "" : error.where + ": ";
    if (error.kind != ErrorKind::measurement) {
        return {
            ReasonCode::environment,
            Severity::invalid,
            where + error.message,
            "`gensink doctor` shows what the host lacks"};
    }
    if (error.os_code == EINTR) {
        return {
            ReasonCode::interrupted,
            Severity::invalid,
            "stopped by a signal: " + error.message,
            "run it again to its end"};
    }
    const bool peer = error.where.starts_with("peer");
    return {
        ReasonCode::datapath_died,
        Severity::invalid,
        where + error.message,
        peer ? "see what `gensink sink` says at the other end"
             : "see the log lines above; the next trial gets a new worker"};
}

}  // namespace gensink::trial::detail
