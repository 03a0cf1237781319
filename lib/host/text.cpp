// SPDX-License-Identifier: BSD-3-Clause
#include "host/detail/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace gensink::host::detail {

namespace {

constexpr std::string_view white = " \t\r\n";

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(white);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(white) - first + 1);
}

template <class Number>
std::optional<Number> parse(std::string_view text, int base) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc{} || rest == text.data()) {
        return std::nullopt;
    }
    return value;
}

}  // namespace

// Not a stream: sysfs attributes may refuse read() (carrier of an interface that is set down), and
// a stream iterator throws then.
std::optional<std::string> read_text(const std::filesystem::path& file) {
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return std::nullopt;
    }
    std::string text;
    std::array<char, 4096> part{};
    ssize_t got = 0;
    while ((got = read(fd, part.data(), part.size())) > 0) {
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    close(fd);
    if (got < 0) {
        return std::nullopt;
    }
    return std::string(trim(text));
}

std::optional<std::uint64_t> to_number(std::string_view text) {
    text = trim(text);
    if (text.starts_with("0x")) {
        return parse<std::uint64_t>(text.substr(2), 16);
    }
    return parse<std::uint64_t>(text, 10);
}

std::optional<std::uint64_t> read_number(const std::filesystem::path& file) {
    const auto text = read_text(file);
    return text ? to_number(*text) : std::nullopt;
}

std::optional<std::int64_t> read_signed(const std::filesystem::path& file) {
    const auto text = read_text(file);
    return text ? parse<std::int64_t>(*text, 10) : std::nullopt;
}

std::vector<unsigned> parse_list(std::string_view text) {
    std::vector<unsigned> numbers;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view part = trim(text.substr(0, comma));
        const std::size_t dash = part.find('-');
        const auto first = parse<unsigned>(part.substr(0, dash), 10);
        const auto last =
            dash == std::string_view::npos ? first : parse<unsigned>(part.substr(dash + 1), 10);
        if (first && last) {
            for (unsigned number = *first; number <= *last; ++number) {
                numbers.push_back(number);
            }
        }
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    return numbers;
}

std::optional<std::string> field(std::string_view text, std::string_view key) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        const std::size_t colon = line.find(':');
        if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key) {
            return std::string(trim(line.substr(colon + 1)));
        }
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return std::nullopt;
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> found;
    while (true) {
        const std::size_t first = text.find_first_not_of(white);
        if (first == std::string_view::npos) {
            return found;
        }
        text.remove_prefix(first);
        const std::size_t end = std::min(text.find_first_of(white), text.size());
        found.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

std::string link_name(const std::filesystem::path& link) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(link, error);
    return error ? std::string{} : target.filename().string();
}

std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> found;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        found.push_back(it->path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace gensink::host::detail
