// SPDX-License-Identifier: BSD-3-Clause
#include "report/json.hpp"

#include "report/detail/fields_document.hpp"
#include "report/detail/json_reader.hpp"
#include "report/detail/json_text.hpp"
#include "report/detail/json_writer.hpp"
#include "report/published.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gensink::report {

namespace {

using detail::Json;

[[nodiscard]] tl::unexpected<Error> unusable(std::string message, std::string where) {
    return fail(ErrorKind::usage, std::move(message), std::move(where));
}

/// The schema's id decides before anything else is read.
[[nodiscard]] Result<void> check_schema(const Json& document, const std::string& where) {
    const auto found = document.find("schema");
    if (found == document.end() || !found->is_string()) {
        return unusable(
            fmt::format(
                "no \"schema\": \"{}\" in it; name a result.json of gensink", result_schema_id
            ),
            where
        );
    }
    const auto id = found->get<std::string>();
    if (id == result_schema_id) {
        return {};
    }
    constexpr std::string_view family = "gensink.result/";
    if (id.starts_with(family)) {
        return unusable(
            fmt::format(
                "schema {} is not known to this version, which reads {}; use the gensink that "
                "wrote it, "
                "or a newer one",
                id,
                result_schema_id
            ),
            where
        );
    }
    if (id == published_schema_id) {
        return unusable(
            fmt::format(
                "schema {} is a published table, not a result: `gensink compare` reads two of them",
                id
            ),
            where
        );
    }
    return unusable(fmt::format("schema '{}' is not {}", id, result_schema_id), where);
}

/// Indices into plan.cells hold, so that no reader need check.
[[nodiscard]] std::string bad_index(const Saved& saved) {
    const std::size_t cells = saved.plan.cells.size();
    const auto check = [&](const auto& items, const char* what) -> std::string {
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].cell >= cells) {
                return fmt::format(
                    "{}[{}].cell is {} but plan.cells has {}", what, i, items[i].cell, cells
                );
            }
        }
        return {};
    };
    std::string error = check(saved.result.trials, "trials");
    if (error.empty()) {
        error = check(saved.result.cells, "cells");
    }
    if (error.empty()) {
        error = check(saved.result.predictions, "predictions");
    }
    if (error.empty()) {
        error = check(saved.result.searches, "searches");
    }
    for (const experiment::Knee& knee : saved.result.knees) {
        if (std::max({knee.best, knee.proven, knee.possible}) >= knee.points.size()) {
            error = "knees: an index is beyond the points";
        }
    }
    return error;
}

}  // namespace

std::string json(const Saved& saved) {
    Json document;
    detail::JsonWriter archive(document);
    archive("schema", std::string(result_schema_id));
    detail::document_fields(archive, saved);
    return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string outcome_json(const Saved& saved, const std::string& file, int exit_status) {
    const experiment::ExperimentResult& result = saved.result;
    const Json outcome{
        {"type", "result"},
        {"verdict", result.has_verdict ? Json(experiment::name(result.verdict)) : Json()},
        {"headline", result.headline},
        {"expectations", result.expectations.size()},
        {"expectations_met",
         std::ranges::count(result.expectations, true, &experiment::Expectation::met)},
        {"partial", result.partial},
        {"file", file},
        {"exit_status", exit_status}};
    return outcome.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Saved> load(std::string_view text, std::string where) {
    const Result<Json> document = detail::parse_json(text, where);
    if (!document) {
        return tl::unexpected(document.error());
    }
    if (const Result<void> schema = check_schema(*document, where); !schema) {
        return tl::unexpected(schema.error());
    }
    Saved saved;
    std::string error;
    detail::JsonReader archive(*document, "", error);
    detail::document_fields(archive, saved);
    if (error.empty()) {
        error = bad_index(saved);
    }
    if (!error.empty()) {
        return unusable(
            fmt::format("{}; the file was edited, or a newer gensink wrote it", error),
            std::move(where)
        );
    }
    return saved;
}

Result<Saved> load_file(const std::filesystem::path& path) {
    const Result<std::string> text = detail::read_result(path);
    return text ? load(*text, detail::result_path(path).string()) : tl::unexpected(text.error());
}

}  // namespace gensink::report
