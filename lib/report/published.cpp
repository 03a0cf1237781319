// SPDX-License-Identifier: BSD-3-Clause
#include "report/published.hpp"

#include "report/detail/json_reader.hpp"
#include "report/detail/json_text.hpp"

namespace gensink::report {

namespace detail {

template <class Archive>
void fields(Archive& archive, Of<PublishedCell> auto& cell) {
    archive("arm", cell.arm);
    archive("point", cell.point);
    archive("placebo", cell.placebo);
    archive("values", cell.values);
}

template <class Archive>
void fields(Archive& archive, Of<Published> auto& published) {
    archive("name", published.name);
    archive("source", published.source);
    archive("metric", published.metric);
    archive("cells", published.cells);
}

}  // namespace detail

Result<std::optional<Published>> load_published_file(const std::filesystem::path& path) {
    const Result<std::string> text = detail::read_result(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const Result<detail::Json> document = detail::parse_json(*text, path.string());
    if (!document) {
        return tl::unexpected(document.error());
    }
    if (document->value("schema", detail::Json()) != published_schema_id) {
        return std::nullopt;
    }
    Published published;
    std::string error;
    detail::JsonReader archive(*document, "", error);
    detail::fields(archive, published);
    if (!error.empty()) {
        return fail(ErrorKind::usage, error, path.string());
    }
    return published;
}

}  // namespace gensink::report
