// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "profile/detail/key_table.hpp"
#include "profile/value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gensink::profile {

/// Who gave a key its value.
enum class Origin { fallback, profile, arm, sweep, command_line, quick };

[[nodiscard]] constexpr std::string_view name(Origin origin) {
    switch (origin) {
    case Origin::fallback:
        return "default";
    case Origin::profile:
        return "profile";
    case Origin::arm:
        return "arm";
    case Origin::sweep:
        return "sweep";
    case Origin::command_line:
        return "--set";
    case Origin::quick:
        return "--quick";
    }
    return "";
}

struct Setting {
    Value value;
    std::string text;  ///< as written
    Origin origin = Origin::fallback;
    std::string where;  ///< "file:line:column (path)" or "--set path=value"; empty for a default
};

namespace detail {

/// Position of a key in the table; a name that is not there does not compile.
consteval std::size_t key_index(std::string_view path) {
    for (std::size_t i = 0; i < key_table.size(); ++i) {
        if (key_table.at(i).path == path) {
            return i;
        }
    }
    throw "no such key";  // reached at compile time only
}

template <class T>
consteval bool holds(Kind kind) {
    switch (kind) {
    case Kind::boolean:
        return std::is_same_v<T, bool>;
    case Kind::count:
    case Kind::bytes:
    case Kind::ticks:
        return std::is_same_v<T, std::uint64_t>;
    case Kind::duration:
        return std::is_same_v<T, Duration>;
    case Kind::ratio:
    case Kind::margin:
    case Kind::bit_rate:
    case Kind::number:
        return std::is_same_v<T, double>;
    case Kind::load:
        return std::is_same_v<T, flow::Load>;
    case Kind::text:
    case Kind::choice:
        return std::is_same_v<T, std::string>;
    case Kind::mac:
        return std::is_same_v<T, MacAddress>;
    case Kind::ipv4:
        return std::is_same_v<T, Ipv4Address>;
    case Kind::cpus:
        return std::is_same_v<T, Cpus>;
    case Kind::names:
        return std::is_same_v<T, Names>;
    case Kind::amount:
        return std::is_same_v<T, Amount>;
    }
    return false;
}

}  // namespace detail

/// A key of type T, checked against the table at compile time: `settings.get<bool>("a.b")`.
template <class T>
struct KeyOf {
    std::size_t index;

    // NOLINTNEXTLINE(google-explicit-constructor): a key is written as its path
    consteval KeyOf(const char* path) : index(detail::key_index(path)) {
        if (!detail::holds<T>(detail::key_table.at(index).kind)) {
            throw "the key holds another type";  // reached at compile time only
        }
    }
};

/// Every key's value in one cell. Complete: what was not written has its default.
class Settings {
  public:
    /// All defaults.
    Settings();

    /// The value of a key that always has one.
    template <class T>
    [[nodiscard]] const T& get(KeyOf<T> key) const {
        return *std::get_if<T>(&settings_[key.index].value);
    }

    /// The value of a key that may say "auto" or "none".
    template <class T>
    [[nodiscard]] std::optional<T> find(KeyOf<T> key) const {
        const T* value = std::get_if<T>(&settings_[key.index].value);
        return value == nullptr ? std::nullopt : std::optional<T>(*value);
    }

    /// Where a key's value was written, for errors about it; its path where it is a default.
    [[nodiscard]] std::string where(std::string_view path) const;

    /// True if any key that begins so was written, by whomever.
    [[nodiscard]] bool given(std::string_view prefix) const;

    /// True where a key has its default's value, whoever wrote it.
    [[nodiscard]] bool is_default(std::string_view path) const;

    [[nodiscard]] const Setting& at(std::size_t index) const { return settings_[index]; }

    [[nodiscard]] Setting& at(std::size_t index) { return settings_[index]; }

    [[nodiscard]] const Setting& at(std::string_view path) const;

  private:
    std::vector<Setting> settings_;
};

/// Position of a key in a table, if it is there.
[[nodiscard]] std::optional<std::size_t>
find_key(std::span<const KeySpec> table, std::string_view path);

/// Position of a key in keys(), if there is one.
[[nodiscard]] std::optional<std::size_t> find_key(std::string_view path);

}  // namespace gensink::profile
