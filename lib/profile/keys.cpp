// SPDX-License-Identifier: BSD-3-Clause
#include "profile/keys.hpp"

#include "profile/detail/key_table.hpp"

namespace gensink::profile {

std::span<const KeySpec> keys() {
    return detail::key_table;
}

}  // namespace gensink::profile
