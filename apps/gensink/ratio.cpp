// SPDX-License-Identifier: BSD-3-Clause
#include "ratio.hpp"

#include "profile/keys.hpp"
#include "profile/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace gensink::app {

Result<double> ratio_of(std::string_view key, const std::string& text, const char* option) {
    const auto keys = profile::keys();
    const auto spec = std::ranges::find(keys, key, &profile::KeySpec::path);
    if (spec == keys.end()) {
        return fail(ErrorKind::usage, fmt::format("no key {} to parse it by", key), option);
    }
    const auto value = profile::parse_value(*spec, text);
    if (!value) {
        return fail(ErrorKind::usage, value.error(), option);
    }
    const double* ratio = std::get_if<double>(&*value);
    return ratio != nullptr ? Result<double>(*ratio)
                            : fail(ErrorKind::usage, profile::how_to_write(*spec), option);
}

}  // namespace gensink::app
