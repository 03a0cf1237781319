// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Small readers for the text files of /proc and /sys. Absent: missing, unreadable or malformed.
namespace gensink::host::detail {

/// Whole file without trailing white space.
[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& file);

/// First number of a file, decimal or 0x hexadecimal.
[[nodiscard]] std::optional<std::uint64_t> read_number(const std::filesystem::path& file);

/// As read_number, for values where the kernel writes -1 for unknown.
[[nodiscard]] std::optional<std::int64_t> read_signed(const std::filesystem::path& file);

/// Numbers of a kernel list: "0-2,8" is 0 1 2 8. Malformed parts are left out.
[[nodiscard]] std::vector<unsigned> parse_list(std::string_view text);

/// Value after "key:" at the start of a line of `text`, trimmed; the first match.
[[nodiscard]] std::optional<std::string> field(std::string_view text, std::string_view key);

/// Words separated by white space.
[[nodiscard]] std::vector<std::string> words(std::string_view text);

[[nodiscard]] std::optional<std::uint64_t> to_number(std::string_view text);

/// Elements as text with `separator` in between. (fmt::join sets off a false
/// -Wstringop-overflow in gcc 12 at -O3.)
template <class Range>
[[nodiscard]] std::string join(const Range& range, std::string_view separator) {
    std::string text;
    for (const auto& element : range) {
        if (!text.empty()) {
            text += separator;
        }
        if constexpr (requires { std::to_string(element); }) {
            text += std::to_string(element);
        } else {
            text += element;
        }
    }
    return text;
}

/// Last component of what a symbolic link names ("driver" -> "virtio-pci"), empty without a link.
[[nodiscard]] std::string link_name(const std::filesystem::path& link);

/// Entries of a folder, sorted; empty where it is missing.
[[nodiscard]] std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

}  // namespace gensink::host::detail
