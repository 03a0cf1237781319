// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/detail/archive.hpp"

/// The third archive over `fields`: it writes down what JsonWriter would write.
namespace gensink::report::detail {

/// Structs that occur more than once go to $defs under a name; "" is written in place.
template <class T>
inline constexpr const char* schema_name = "";

[[nodiscard]] inline Json type_of(const char* name) {
    return {{"type", name}};
}

/// Adds null to what a schema allows.
[[nodiscard]] inline Json or_null(Json schema) {
    if (schema.contains("type") && schema["type"].is_string()) {
        schema["type"] = Json::array({schema["type"], "null"});
        if (schema.contains("enum")) {
            schema["enum"].push_back(nullptr);
        }
        return schema;
    }
    if (schema.contains("type")) {
        return schema;
    }
    return {{"anyOf", Json::array({std::move(schema), type_of("null")})}};
}

class SchemaArchive {
  public:
    /// Describes one object into `out`; shared structs go to `definitions`.
    SchemaArchive(Json& out, Json& definitions) : out_(out), definitions_(definitions) {
        out_ = type_of("object");
        out_["required"] = Json::array();
        out_["properties"] = Json::object();
    }

    template <class T>
    void operator()(const char* key, const T&) {
        add(key, schema_of<T>());
    }

    template <class T>
    void known_if(bool, const char* key, const T&) {
        add(key, or_null(schema_of<T>()));
    }

    /// Not required: results of earlier versions lack it.
    template <class T>
    void added(const char* key, const T&) {
        out_["properties"][key] = schema_of<T>();
    }

    template <class T>
    void added(const char* key, const T& value, const T&) {
        added(key, value);
    }

    template <class Enum>
    void added_named_maybe(const char* key, const std::optional<Enum>&, Names names) {
        out_["properties"][key] = or_null(one_of(names));
    }

    template <class Enum>
    void added_named(const char* key, const Enum&, Names names) {
        out_["properties"][key] = one_of(names);
    }

    template <class T>
    void added_if(bool, const char* key, const T&) {
        out_["properties"][key] = or_null(schema_of<T>());
    }

    template <class Make>
    void derived(const char* key, Make) {
        add(key, schema_of<std::invoke_result_t<Make>>());
    }

    template <class Enum>
    void named(const char* key, const Enum&, Names names) {
        add(key, one_of(names));
    }

    template <class Enum>
    void named_if(bool, const char* key, const Enum&, Names names) {
        add(key, or_null(one_of(names)));
    }

    void by_name(const char* key, std::span<const std::uint64_t>, Names names) {
        Json inner;
        SchemaArchive archive(inner, definitions_);
        for (const char* name : names) {
            archive.add(name, schema_of<std::uint64_t>());
        }
        add(key, std::move(inner));
    }

    template <class Visit>
    void object(const char* key, Visit visit) {
        Json inner;
        SchemaArchive archive(inner, definitions_);
        visit(archive);
        add(key, std::move(inner));
    }

    template <class T, class Visit>
    void list(const char* key, const std::vector<T>&, Visit visit) {
        Json inner;
        SchemaArchive archive(inner, definitions_);
        T element{};
        visit(archive, element);
        Json schema = type_of("array");
        schema["items"] = std::move(inner);
        add(key, std::move(schema));
    }

    void add(const char* key, Json schema) {
        out_["required"].push_back(key);
        out_["properties"][key] = std::move(schema);
    }

  private:
    [[nodiscard]] static Json one_of(Names names) {
        Json schema = type_of("string");
        for (const char* name : names) {
            schema["enum"].push_back(name);
        }
        return schema;
    }

    [[nodiscard]] static Json list_of(Json items) {
        Json schema = type_of("array");
        schema["items"] = std::move(items);
        return schema;
    }

    [[nodiscard]] static Json map_of(Json values) {
        Json schema = type_of("object");
        schema["additionalProperties"] = std::move(values);
        return schema;
    }

    [[nodiscard]] Json histogram_schema() {
        constexpr const char* name = "histogram";
        if (!definitions_.contains(name)) {
            Json inner;
            SchemaArchive archive(inner, definitions_);
            archive("n", std::uint64_t{});
            for (const auto& quantile : quantile_keys) {
                archive.known_if(false, quantile.first, std::uint64_t{});
            }
            archive.added("min", std::uint64_t{});
            archive("max", std::uint64_t{});
            Json buckets = map_of(schema_of<std::uint64_t>());
            buckets["propertyNames"] = {{"pattern", "^[0-9]+$"}};
            archive.add("buckets", std::move(buckets));
            definitions_[name] = std::move(inner);
        }
        return {{"$ref", std::string("#/$defs/") + name}};
    }

    template <class T>
    [[nodiscard]] Json struct_schema() {
        const std::string name = schema_name<T>;
        if (!name.empty() && definitions_.contains(name)) {
            return {{"$ref", "#/$defs/" + name}};
        }
        Json inner;
        SchemaArchive archive(inner, definitions_);
        T value{};
        fields(archive, value);
        if (name.empty()) {
            return inner;
        }
        definitions_[name] = std::move(inner);
        return {{"$ref", "#/$defs/" + name}};
    }

    template <class T>
    [[nodiscard]] Json schema_of() {
        if constexpr (std::integral<T> && !std::same_as<T, bool>) {
            Json schema = type_of("integer");
            if (std::is_unsigned_v<T>) {
                schema["minimum"] = 0;
            }
            return schema;
        } else if constexpr (std::same_as<T, bool>) {
            return type_of("boolean");
        } else if constexpr (std::floating_point<T>) {
            return or_null(type_of("number"));  // undefined (0/0) is null
        } else if constexpr (std::same_as<T, std::string>) {
            return type_of("string");
        } else if constexpr (std::same_as<T, Duration>) {
            return type_of("integer");
        } else if constexpr (is_id<T>) {
            return schema_of<decltype(T::value)>();
        } else if constexpr (is_optional<T>) {
            return or_null(schema_of<typename T::value_type>());
        } else {
            return compound_schema<T>();
        }
    }

    template <class T>
    [[nodiscard]] Json compound_schema() {
        if constexpr (std::same_as<T, experiment::Interval>) {
            Json schema = list_of(schema_of<double>());
            schema["minItems"] = 2;
            schema["maxItems"] = 2;
            return schema;
        } else if constexpr (std::same_as<T, counters::BurstCounts>) {
            Json schema = map_of(schema_of<std::uint64_t>());
            schema["propertyNames"] = {{"pattern", "^[0-9]{1,3}$"}};
            return schema;
        } else if constexpr (std::same_as<T, counters::Histogram>) {
            return histogram_schema();
        } else if constexpr (std::same_as<T, TextPairs>) {
            return map_of(type_of("string"));
        } else if constexpr (std::same_as<T, NamedValues>) {
            return map_of(schema_of<double>());
        } else if constexpr (is_vector<T>) {
            return list_of(schema_of<typename T::value_type>());
        } else {
            return struct_schema<T>();
        }
    }

    Json& out_;
    Json& definitions_;
};

}  // namespace gensink::report::detail
