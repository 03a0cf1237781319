// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/datapath.hpp"

#include <memory>

namespace gensink::model {

/// Generator, path and sink of trials whose plan has a model, in this process and in virtual time:
/// waiting takes no longer than what happens in it. The same plan and run id, the same counts.
[[nodiscard]] std::unique_ptr<trial::Datapath> make_datapath();

}  // namespace gensink::model
