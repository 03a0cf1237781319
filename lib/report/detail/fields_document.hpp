// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/detail/fields_experiment.hpp"
#include "report/detail/fields_plan.hpp"
#include "report/detail/fields_trial.hpp"

namespace gensink::report::detail {

/// The whole document, apart from `schema`.
template <class Archive>
void document_fields(Archive& archive, Of<Saved> auto& saved) {
    archive.object("run", [&](auto& inner) { run_fields(inner, saved); });
    archive.object("plan", [&](auto& inner) { plan_fields(inner, saved.plan); });
    result_fields(archive, saved.result);
}

}  // namespace gensink::report::detail
