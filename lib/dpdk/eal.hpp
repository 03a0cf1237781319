// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "plan/plan.hpp"

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

namespace gensink::dpdk {

/// All EAL arguments of a worker, from its environment; nothing else adds any.
[[nodiscard]] std::vector<std::string> eal_arguments(const plan::Environment& environment);

/// EAL of this process, started once and cleaned up at the end.
class Eal {
  public:
    /// Error environment: what EAL refused, with what to try.
    [[nodiscard]] static Result<Eal> start(const plan::Environment& environment);

    Eal(Eal&& other) noexcept;
    Eal& operator=(Eal&&) = delete;
    Eal(const Eal&) = delete;
    Eal& operator=(const Eal&) = delete;
    ~Eal();

  private:
    explicit Eal(bool met) : met_(met) {}

    bool owner_ = true;
    bool met_;  ///< others find it by files that must go with it
};

/// Removes what a process that died while EAL started has left in DPDK's folder of `runtime`, the
/// directory that EAL takes (DPDK 22.11 lib/eal/common/eal_common_config.c and
/// eal_filesystem.h: $RUNTIME_DIRECTORY, else /var/run for root, else $XDG_RUNTIME_DIR, else /tmp).
void remove_traces(const std::filesystem::path& runtime, pid_t process);

/// Removes what runs that others could attach to (Environment::file_prefix) left in DPDK's folder
/// of `runtime` and among hugepage files, where their process is no more or is this one.
void remove_leftovers(const std::filesystem::path& runtime);

/// DPDK's version, such as "22.11.11". Needs no EAL.
[[nodiscard]] std::string version();

/// Text for a DPDK return code: negative errno, or rte_errno where it is -1.
[[nodiscard]] Error
dpdk_error(ErrorKind kind, const std::string& what, const std::string& where, int code);

}  // namespace gensink::dpdk
