// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gensink::worker::detail {

/// Types whose bytes are their value. Booleans and enums are not: most of their bytes are invalid.
template <class T>
concept Raw = std::is_trivially_copyable_v<T> && !std::is_enum_v<T> && !std::is_same_v<T, bool>;

/// Appends values to a message.
class Writer {
  public:
    template <Raw T>
    void put(const T& value) {
        append(&value, sizeof value);
    }

    void put_bool(bool value) { put(static_cast<std::uint8_t>(value)); }

    template <class Enum>
    void put_enum(Enum value) {
        put(static_cast<std::uint8_t>(value));
    }

    void put_text(std::string_view text) {
        put(static_cast<std::uint64_t>(text.size()));
        append(text.data(), text.size());
    }

    template <Raw T>
    void put_all(const std::vector<T>& values) {
        put(static_cast<std::uint64_t>(values.size()));
        append(values.data(), values.size() * sizeof(T));
    }

    /// `put_one` puts an item.
    template <class T, class Put>
    void put_list(const std::vector<T>& items, Put put_one) {
        put(static_cast<std::uint64_t>(items.size()));
        for (const T& item : items) {
            put_one(item);
        }
    }

    void put_texts(const std::vector<std::string>& texts) {
        put(static_cast<std::uint64_t>(texts.size()));
        for (const std::string& text : texts) {
            put_text(text);
        }
    }

    template <Raw T>
    void put_maybe(const std::optional<T>& value) {
        put_bool(value.has_value());
        put(value.value_or(T{}));
    }

    void put_maybe_bool(std::optional<bool> value) {
        put(static_cast<std::uint8_t>(value ? 1 + int{*value} : 0));
    }

    [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    void append(const void* data, std::size_t size) {
        const auto* first = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), first, first + size);
    }

    std::vector<std::byte> bytes_;
};

/// Takes values off a message. After the first value that does not fit, all are empty.
class Reader {
  public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    /// True when every value fitted and nothing is left over.
    [[nodiscard]] bool finished() const { return good_ && rest_.empty(); }

    template <Raw T>
    [[nodiscard]] T get() {
        T value{};
        copy(&value, sizeof value);
        return value;
    }

    [[nodiscard]] bool get_bool() { return get_below(2) == 1; }

    template <class Enum>
    [[nodiscard]] Enum get_enum(Enum last) {
        return static_cast<Enum>(get_below(static_cast<unsigned>(last) + 1));
    }

    [[nodiscard]] std::string get_text() {
        std::string text(get_count(1), '\0');
        copy(text.data(), text.size());
        return text;
    }

    template <Raw T>
    [[nodiscard]] std::vector<T> get_all() {
        std::vector<T> values(get_count(sizeof(T)));
        copy(values.data(), values.size() * sizeof(T));
        return values;
    }

    /// `get_one` fills an item, which takes at least `item_bytes` of the message.
    template <class T, class Get>
    [[nodiscard]] std::vector<T> get_list(std::size_t item_bytes, Get get_one) {
        std::vector<T> items(get_count(item_bytes));
        for (T& item : items) {
            get_one(item);
        }
        return items;
    }

    [[nodiscard]] std::vector<std::string> get_texts() {
        std::vector<std::string> texts(get_count(sizeof(std::uint64_t)));
        for (std::string& text : texts) {
            text = get_text();
        }
        return texts;
    }

    template <Raw T>
    [[nodiscard]] std::optional<T> get_maybe() {
        const bool present = get_bool();
        const T value = get<T>();
        return present && good_ ? std::optional<T>(value) : std::nullopt;
    }

    [[nodiscard]] std::optional<bool> get_maybe_bool() {
        const unsigned value = get_below(3);
        return value == 0 ? std::nullopt : std::optional<bool>(value == 2);
    }

  private:
    [[nodiscard]] unsigned get_below(unsigned limit) {
        const unsigned value = get<std::uint8_t>();
        good_ = good_ && value < limit;
        return good_ ? value : 0;
    }

    /// A count of items that the rest of the message can hold: never allocates on a lie.
    [[nodiscard]] std::size_t get_count(std::size_t item_bytes) {
        const auto count = get<std::uint64_t>();
        good_ = good_ && count <= rest_.size() / item_bytes;
        return good_ ? static_cast<std::size_t>(count) : 0;
    }

    void copy(void* to, std::size_t size) {
        good_ = good_ && size <= rest_.size();
        if (!good_ || size == 0) {
            return;
        }
        std::memcpy(to, rest_.data(), size);
        rest_ = rest_.subspan(size);
    }

    std::span<const std::byte> rest_;
    bool good_ = true;
};

}  // namespace gensink::worker::detail
