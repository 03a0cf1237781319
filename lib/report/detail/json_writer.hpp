// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/detail/archive.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gensink::report::detail {

class JsonWriter {
  public:
    explicit JsonWriter(Json& out) : out_(out) { out_ = Json::object(); }

    template <class T>
    void operator()(const char* key, const T& value) {
        out_[key] = to_json(value);
    }

    /// A value that is unknown unless `known`: null, never 0.
    template <class T>
    void known_if(bool known, const char* key, const T& value) {
        out_[key] = known ? to_json(value) : Json();
    }

    /// A property that results of earlier versions lack.
    template <class T>
    void added(const char* key, const T& value) {
        out_[key] = to_json(value);
    }

    template <class T>
    void added(const char* key, const T& value, const T&) {
        added(key, value);
    }

    template <class Enum>
    void added_named_maybe(const char* key, const std::optional<Enum>& value, Names names) {
        named_if(value.has_value(), key, value.value_or(Enum{}), names);
    }

    template <class Enum>
    void added_named(const char* key, Enum value, Names names) {
        named(key, value, names);
    }

    template <class T>
    void added_if(bool known, const char* key, const T& value) {
        known_if(known, key, value);
    }

    /// Follows from the rest: written for consumers, not read back.
    template <class Make>
    void derived(const char* key, Make make) {
        out_[key] = to_json(make());
    }

    template <class Enum>
    void named(const char* key, Enum value, Names names) {
        out_[key] = names[static_cast<std::size_t>(value)];
    }

    template <class Enum>
    void named_if(bool known, const char* key, Enum value, Names names) {
        out_[key] = known ? Json(names[static_cast<std::size_t>(value)]) : Json();
    }

    /// An array with one number a name, as an object.
    void by_name(const char* key, std::span<const std::uint64_t> values, Names names) {
        Json object = Json::object();
        for (std::size_t i = 0; i < values.size(); ++i) {
            object[names[i]] = values[i];
        }
        out_[key] = std::move(object);
    }

    template <class Visit>
    void object(const char* key, Visit visit) {
        Json inner;
        JsonWriter archive(inner);
        visit(archive);
        out_[key] = std::move(inner);
    }

    template <class T, class Visit>
    void list(const char* key, const std::vector<T>& values, Visit visit) {
        Json array = Json::array();
        for (const T& value : values) {
            Json inner;
            JsonWriter archive(inner);
            visit(archive, value);
            array.push_back(std::move(inner));
        }
        out_[key] = std::move(array);
    }

  private:
    static Json to_json(Duration value) { return value.count(); }

    static Json to_json(const experiment::Interval& value) {
        return Json::array({value.low, value.high});
    }

    /// Only what occurred: {"32": 1000}.
    static Json to_json(const counters::BurstCounts& value) {
        Json sparse = Json::object();
        for (std::size_t frames = 0; frames < value.size(); ++frames) {
            if (value[frames] != 0) {
                sparse[std::to_string(frames)] = value[frames];
            }
        }
        return sparse;
    }

    /// Buckets that hold anything, by their smallest value: {"1024": 7}.
    static Json to_json(const counters::Histogram& value) {
        Json inner;
        JsonWriter archive(inner);
        archive.derived("n", [&] { return value.total(); });
        for (const auto& [key, ratio] : quantile_keys) {
            archive.known_if(value.total() != 0, key, value.quantile(ratio));
        }
        archive("min", value.smallest());
        archive("max", value.largest());
        Json buckets = Json::object();
        for (std::size_t i = 0; i < counters::Histogram::buckets; ++i) {
            if (value.counts()[i] != 0) {
                buckets[std::to_string(counters::Histogram::low(i))] = value.counts()[i];
            }
        }
        inner["buckets"] = std::move(buckets);
        return inner;
    }

    template <class Named>
    static Json to_json(const std::vector<std::pair<std::string, Named>>& value) {
        Json object = Json::object();
        for (const auto& [name, inner] : value) {
            object[name] = to_json(inner);
        }
        return object;
    }

    template <class Tag, class Rep>
    static Json to_json(const Id<Tag, Rep>& value) {
        return value.value;
    }

    template <class T>
    static Json to_json(const std::optional<T>& value) {
        return value ? to_json(*value) : Json();
    }

    template <class T>
    static Json to_json(const std::vector<T>& value) {
        Json array = Json::array();
        for (const T& element : value) {
            array.push_back(to_json(element));
        }
        return array;
    }

    template <class T>
    static Json to_json(const T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
            return value;
        } else {
            Json inner;
            JsonWriter archive(inner);
            fields(archive, value);
            return inner;
        }
    }

    Json& out_;
};

}  // namespace gensink::report::detail
