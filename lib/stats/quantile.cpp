// SPDX-License-Identifier: BSD-3-Clause
#include "stats/quantile.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace gensink::stats {
namespace {

namespace policies = boost::math::policies;

// Nothing may throw across modules: an argument out of range gives NaN. Doubles are enough here,
// and promotion to long double makes a quantile several times slower.
using Policy = policies::policy<
    policies::domain_error<policies::ignore_error>,
    policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>,
    policies::promote_double<false>>;

}  // namespace

double t_two_sided(double confidence, double freedom) {
    const boost::math::students_t_distribution<double, Policy> t(freedom);
    return boost::math::quantile(boost::math::complement(t, (1.0 - confidence) / 2.0));
}

double chi_square_quantile(double p, double freedom) {
    const boost::math::chi_squared_distribution<double, Policy> chi_square(freedom);
    return boost::math::quantile(chi_square, p);
}

}  // namespace gensink::stats
