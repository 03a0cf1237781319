// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gensink::report::detail {

/// `parts` of `whole` as a bar of `width` columns, each part in its letter of `letters`; what no
/// part takes is blank. Columns are given out by largest remainders, so that they add up, and no
/// part that is there vanishes while another has more than one column.
[[nodiscard]] std::string
bar(const std::vector<std::uint64_t>& parts,
    std::uint64_t whole,
    std::string_view letters,
    std::size_t width);

}  // namespace gensink::report::detail
