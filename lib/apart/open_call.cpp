// SPDX-License-Identifier: BSD-3-Clause
#include "apart/open_call.hpp"

#include <charconv>
#include <string_view>

namespace gensink::apart {

// Text, a line each: the run id, then the settings, none of which holds a line's end.

Bytes encode(const OpenCall& call) {
    std::string text = std::to_string(call.run_id) + '\n';
    for (const std::string& setting : call.settings) {
        text += setting + '\n';
    }
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

std::optional<OpenCall> decode_open_call(ByteView bytes) {
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.empty() || text.back() != '\n') {
        return std::nullopt;
    }
    OpenCall call;
    const std::size_t first = text.find('\n');
    const auto read = std::from_chars(text.data(), text.data() + first, call.run_id);
    if (read.ec != std::errc{} || read.ptr != text.data() + first) {
        return std::nullopt;
    }
    for (text.remove_prefix(first + 1); !text.empty();) {
        const std::size_t end = text.find('\n');
        call.settings.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    return call;
}

}  // namespace gensink::apart
