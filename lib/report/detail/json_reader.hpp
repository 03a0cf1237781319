// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/detail/archive.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gensink::report::detail {

/// Stops at the first thing that is wrong, and says where it is.
class JsonReader {
  public:
    /// `error` stays empty while all is well. `in` may be anything; a non-object is an error.
    JsonReader(const Json& in, std::string path, std::string& error)
        : in_(in), path_(std::move(path)), error_(error) {
        if (!in_.is_object()) {
            wrong(path_.empty() ? "the document" : path_, "is not an object");
        }
    }

    template <class T>
    void operator()(const char* key, T& value) {
        if (const Json* found = find(key)) {
            from_json(*found, path_of(key), value);
        }
    }

    template <class T>
    void known_if(bool, const char* key, T& value) {
        const Json* found = find(key);
        if (found != nullptr && !found->is_null()) {
            from_json(*found, path_of(key), value);
        }
    }

    /// Where an older result lacks it, the value stays as it is.
    template <class T>
    void added(const char* key, T& value) {
        if (error_.empty() && in_.contains(key)) {
            (*this)(key, value);
        }
    }

    template <class T>
    void added(const char* key, T& value, const T& otherwise) {
        value = otherwise;
        added(key, value);
    }

    template <class Enum>
    void added_named_maybe(const char* key, std::optional<Enum>& value, Names names) {
        if (error_.empty() && in_.contains(key) && !in_[key].is_null()) {
            named(key, value.emplace(), names);
        }
    }

    template <class Enum>
    void added_named(const char* key, Enum& value, Names names) {
        if (error_.empty() && in_.contains(key)) {
            named(key, value, names);
        }
    }

    template <class T>
    void added_if(bool known, const char* key, T& value) {
        if (error_.empty() && in_.contains(key)) {
            known_if(known, key, value);
        }
    }

    template <class Make>
    void derived(const char*, Make) {}

    template <class Enum>
    void named(const char* key, Enum& value, Names names) {
        std::string text;
        (*this)(key, text);
        if (!error_.empty()) {
            return;
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (text == names[i]) {
                value = static_cast<Enum>(i);
                return;
            }
        }
        wrong(path_of(key), "has the unknown value '" + text + "'");
    }

    template <class Enum>
    void named_if(bool, const char* key, Enum& value, Names names) {
        const Json* found = find(key);
        if (found != nullptr && !found->is_null()) {
            named(key, value, names);
        }
    }

    void by_name(const char* key, std::span<std::uint64_t> values, Names names) {
        const Json* found = find(key);
        if (found == nullptr) {
            return;
        }
        const JsonReader inner(*found, path_of(key), error_);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (const Json* number = inner.find(names[i])) {
                from_json(*number, inner.path_of(names[i]), values[i]);
            }
        }
    }

    template <class Visit>
    void object(const char* key, Visit visit) {
        if (const Json* found = find(key)) {
            JsonReader inner(*found, path_of(key), error_);
            visit(inner);
        }
    }

    template <class T, class Visit>
    void list(const char* key, std::vector<T>& values, Visit visit) {
        const Json* found = find(key);
        if (found == nullptr || !is_array(*found, path_of(key))) {
            return;
        }
        values.clear();
        values.reserve(found->size());
        for (std::size_t i = 0; i < found->size() && error_.empty(); ++i) {
            JsonReader inner((*found)[i], element_path(path_of(key), i), error_);
            visit(inner, values.emplace_back());
        }
    }

  private:
    [[nodiscard]] std::string path_of(const char* key) const {
        return path_.empty() ? key : path_under(path_, key);
    }

    [[nodiscard]] static std::string path_under(const std::string& path, const std::string& key) {
        return std::string(path).append(".").append(key);
    }

    [[nodiscard]] static std::string element_path(const std::string& path, std::size_t i) {
        return path + "[" + std::to_string(i) + "]";
    }

    void wrong(const std::string& where, const std::string& what) const {
        if (error_.empty()) {
            error_ = where + " " + what;
        }
    }

    /// Null when an error was met before, or the key is missing (which is an error).
    [[nodiscard]] const Json* find(const char* key) const {
        if (!error_.empty()) {
            return nullptr;
        }
        const auto found = in_.find(key);
        if (found == in_.end()) {
            wrong(path_of(key), "is missing");
            return nullptr;
        }
        return &*found;
    }

    [[nodiscard]] bool is_array(const Json& in, const std::string& path) const {
        if (!in.is_array()) {
            wrong(path, "is not an array");
        }
        return in.is_array();
    }

    template <std::integral T>
    void integer(const Json& in, const std::string& path, T& value) {
        bool fits = false;
        if (in.is_number_unsigned()) {
            fits = std::in_range<T>(in.get<std::uint64_t>());
        } else if (in.is_number_integer()) {
            fits = std::in_range<T>(in.get<std::int64_t>());
        }
        if (!fits) {
            wrong(path, "is not an integer of its range: " + in.dump());
            return;
        }
        value = in.get<T>();
    }

    template <class T>
    void scalar(const Json& in, const std::string& path, T& value) {
        if constexpr (std::same_as<T, bool>) {
            if (in.is_boolean()) {
                value = in.get<bool>();
            } else {
                wrong(path, "is not true or false");
            }
        } else if constexpr (std::integral<T>) {
            integer(in, path, value);
        } else if constexpr (std::floating_point<T>) {
            // What was undefined when it was written (0/0) was written as null.
            if (in.is_number() || in.is_null()) {
                value = in.is_null() ? std::numeric_limits<T>::quiet_NaN() : in.get<T>();
            } else {
                wrong(path, "is not a number");
            }
        } else if (in.is_string()) {
            value = in.get<std::string>();
        } else {
            wrong(path, "is not a text");
        }
    }

    void interval(const Json& in, const std::string& path, experiment::Interval& value) {
        if (!is_array(in, path)) {
            return;
        }
        if (in.size() != 2) {
            wrong(path, "does not have two ends");
            return;
        }
        scalar(in[0], element_path(path, 0), value.low);
        scalar(in[1], element_path(path, 1), value.high);
    }

    void sparse(const Json& in, const std::string& path, counters::BurstCounts& value) {
        if (!in.is_object()) {
            wrong(path, "is not an object");
            return;
        }
        value.fill(0);
        for (const auto& [key, element] : in.items()) {
            const bool digits = !key.empty() && key.size() <= 3 &&
                                key.find_first_not_of("0123456789") == std::string::npos;
            const std::size_t frames = digits ? std::stoul(key) : value.size();
            if (frames >= value.size()) {
                wrong(path, "has the key '" + key + "', which is no burst of 0 to 512 frames");
                return;
            }
            integer(element, path_under(path, key), value[frames]);
        }
    }

    void histogram(const Json& in, const std::string& path, counters::Histogram& value) {
        const JsonReader inner(in, path, error_);
        const Json* largest = inner.find("max");
        const Json* buckets = inner.find("buckets");
        if (largest == nullptr || buckets == nullptr) {
            return;
        }
        value = {};
        std::uint64_t most = 0;
        integer(*largest, path_under(path, "max"), most);
        std::uint64_t least = most;  // of a result that does not say: that of its lowest bucket
        const std::string where = path_under(path, "buckets");
        if (!buckets->is_object()) {
            wrong(where, "is not an object");
        }
        for (const auto& [key, element] : buckets->items()) {
            std::uint64_t low = 0;
            std::uint64_t count = 0;
            const char* end = key.data() + key.size();
            if (std::from_chars(key.data(), end, low).ptr != end || key.empty()) {
                wrong(where, "has the key '" + key + "', which is no number of ticks");
            }
            integer(element, path_under(where, key), count);
            if (!error_.empty()) {
                return;
            }
            value.restore(low, count);
            least = std::min(least, low);
        }
        if (in.contains("min")) {
            integer(in["min"], path_under(path, "min"), least);
        }
        value.restore_bounds(value.total() == 0 ? ~std::uint64_t{0} : least, most);
    }

    void pairs(const Json& in, const std::string& path, TextPairs& value) {
        if (!in.is_object()) {
            wrong(path, "is not an object");
            return;
        }
        value.clear();
        for (const auto& [key, element] : in.items()) {
            scalar(element, path_under(path, key), value.emplace_back(key, "").second);
        }
    }

    template <class T>
    void elements(const Json& in, const std::string& path, std::vector<T>& value) {
        if (!is_array(in, path)) {
            return;
        }
        value.clear();
        value.reserve(in.size());
        for (std::size_t i = 0; i < in.size() && error_.empty(); ++i) {
            from_json(in[i], element_path(path, i), value.emplace_back());
        }
    }

    template <class T>
    void from_json(const Json& in, const std::string& path, T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
            scalar(in, path, value);
        } else if constexpr (std::same_as<T, Duration>) {
            Duration::rep ns = 0;
            integer(in, path, ns);
            value = Duration(ns);
        } else if constexpr (is_id<T>) {
            integer(in, path, value.value);
        } else if constexpr (is_optional<T>) {
            if (in.is_null()) {
                value.reset();
            } else {
                from_json(in, path, value.emplace());
            }
        } else if constexpr (std::same_as<T, experiment::Interval>) {
            interval(in, path, value);
        } else if constexpr (std::same_as<T, counters::BurstCounts>) {
            sparse(in, path, value);
        } else if constexpr (std::same_as<T, counters::Histogram>) {
            histogram(in, path, value);
        } else if constexpr (std::same_as<T, TextPairs>) {
            pairs(in, path, value);
        } else if constexpr (is_vector<T>) {
            elements(in, path, value);
        } else {
            JsonReader inner(in, path, error_);
            fields(inner, value);
        }
    }

    const Json& in_;
    std::string path_;
    std::string& error_;
};

}  // namespace gensink::report::detail
