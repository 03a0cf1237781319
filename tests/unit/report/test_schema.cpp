// SPDX-License-Identifier: BSD-3-Clause
#include "report/json.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "fixture.hpp"

using namespace gensink::report;
using Json = nlohmann::ordered_json;

namespace {

/// The part of JSON Schema that the result's schema uses; stricter in one way: a property that the
/// schema does not describe is an error, since ours must describe all that is written.
class Validator {
  public:
    explicit Validator(const Json& schema) : root_(schema) {}

    std::vector<std::string> check(const Json& value) {
        errors_.clear();
        check(value, root_, "$");
        return errors_;
    }

  private:
    static bool has_type(const Json& value, const std::string& type) {
        return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
               (type == "string" && value.is_string()) || (type == "null" && value.is_null()) ||
               (type == "boolean" && value.is_boolean()) ||
               (type == "integer" && value.is_number_integer()) ||
               (type == "number" && value.is_number());
    }

    void check(const Json& value, const Json& schema, const std::string& path) {
        if (schema.contains("$ref")) {
            const auto name = schema["$ref"].get<std::string>().substr(8);
            check(value, root_["$defs"].at(name), path);
            return;
        }
        if (schema.contains("anyOf")) {
            // Ours offers null beside a reference.
            if (!value.is_null()) {
                check(value, schema["anyOf"][0], path);
            }
            return;
        }
        if (schema.contains("const") && value != schema["const"]) {
            errors_.push_back(path + ": is not " + schema["const"].dump());
        }
        check_type(value, schema, path);
        if (value.is_object()) {
            check_object(value, schema, path);
        } else if (value.is_array()) {
            check_array(value, schema, path);
        }
    }

    void check_type(const Json& value, const Json& schema, const std::string& path) {
        if (schema.contains("type")) {
            const Json types =
                schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
            bool fits = false;
            for (const Json& type : types) {
                fits = fits || has_type(value, type.get<std::string>());
            }
            if (!fits) {
                errors_.push_back(path + ": " + value.dump() + " is not " + types.dump());
            }
        }
        if (schema.contains("enum")) {
            bool fits = false;
            for (const Json& one : schema["enum"]) {
                fits = fits || one == value;
            }
            if (!fits) {
                errors_.push_back(path + ": " + value.dump() + " is none of its enum");
            }
        }
        if (schema.contains("minimum") && value.is_number_integer() && value < schema["minimum"]) {
            errors_.push_back(path + ": is below its minimum");
        }
    }

    void check_object(const Json& value, const Json& schema, const std::string& path) {
        for (const Json& key : schema.value("required", Json::array())) {
            if (!value.contains(key.get<std::string>())) {
                errors_.push_back(path + ": lacks " + key.dump());
            }
        }
        const Json properties = schema.value("properties", Json::object());
        for (const auto& [key, inner] : value.items()) {
            if (properties.contains(key)) {
                check(inner, properties[key], path + "." + key);
            } else if (schema.contains("additionalProperties")) {
                check(inner, schema["additionalProperties"], path + "." + key);
            } else {
                errors_.push_back(path + ": does not describe " + key);
            }
        }
    }

    void check_array(const Json& value, const Json& schema, const std::string& path) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            check(value[i], schema.at("items"), path + "[" + std::to_string(i) + "]");
        }
        if (value.size() < schema.value("minItems", std::size_t{0})) {
            errors_.push_back(path + ": is too short");
        }
    }

    const Json& root_;
    std::vector<std::string> errors_;
};

}  // namespace

TEST_CASE("every kind of result fits the schema, and the schema describes all of it") {
    const Json schema = Json::parse(result_schema());
    Validator validator(schema);
    CHECK(validator.check(Json::parse(json(fixture::small()))) == std::vector<std::string>{});
    CHECK(validator.check(Json::parse(json(fixture::sweep()))) == std::vector<std::string>{});
    CHECK(validator.check(Json::parse(json(fixture::search()))) == std::vector<std::string>{});
    CHECK(validator.check(Json::parse(json(fixture::broken()))) == std::vector<std::string>{});
    const Saved transfer = fixture::transfer(gensink::plan::WireKind::model);
    CHECK(validator.check(Json::parse(json(transfer))) == std::vector<std::string>{});
}

TEST_CASE("the schema refuses what is no result") {
    const Json schema = Json::parse(result_schema());
    Validator validator(schema);
    Json changed = Json::parse(json(fixture::small()));
    changed["schema"] = "gensink.result/2";
    CHECK_FALSE(validator.check(changed).empty());
    changed = Json::parse(json(fixture::small()));
    changed["trials"][0]["ledger"]["built"] = 0.5;
    CHECK_FALSE(validator.check(changed).empty());
    changed = Json::parse(json(fixture::small()));
    changed["trials"][0].erase("reasons");
    CHECK_FALSE(validator.check(changed).empty());
    changed = Json::parse(json(fixture::small()));
    changed["trials"][0]["gen"][0]["measured"]["frames_built"] = -1;
    CHECK_FALSE(validator.check(changed).empty());
    changed = Json::parse(json(fixture::small()));
    changed["plan"]["rule"] = "guess";
    CHECK_FALSE(validator.check(changed).empty());
}
