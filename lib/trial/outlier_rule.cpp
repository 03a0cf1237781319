// SPDX-License-Identifier: BSD-3-Clause
#include "trial/result.hpp"

namespace gensink::trial {

stats::OutlierRule outlier_rule(const plan::Outliers& outliers) {
    switch (outliers.rule) {
    case plan::OutlierRule::trim_high:
        return {stats::OutlierKind::trim_high, outliers.trim};
    case plan::OutlierRule::trim_both:
        return {stats::OutlierKind::trim_both, outliers.trim};
    case plan::OutlierRule::mad:
        return {stats::OutlierKind::mad, outliers.trim};
    case plan::OutlierRule::none:
        break;
    }
    return {};
}

}  // namespace gensink::trial
