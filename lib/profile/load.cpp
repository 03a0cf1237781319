// SPDX-License-Identifier: BSD-3-Clause
#include "profile/detail/errors.hpp"
#include "profile/detail/expand.hpp"
#include "profile/detail/overrides.hpp"
#include "profile/detail/reader.hpp"
#include "profile/metric_names.hpp"
#include "profile/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <xxhash.h>

namespace gensink::profile {

namespace {

using detail::Assignment;
using detail::Errors;
using detail::Mark;
using detail::Parts;
using detail::YamlNode;

std::string
digest_of(std::string_view text, const std::vector<std::string>& overrides, bool quick) {
    std::string all(text);
    for (const std::string& override_text : overrides) {
        all += "\n--set " + override_text;
    }
    all += quick ? "\n--quick" : "";
    return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

const Assignment* find(const Parts& parts, std::string_view path) {
    for (const Assignment& assignment : parts.common) {
        if (keys()[assignment.key].path == path) {
            return &assignment;
        }
    }
    return nullptr;
}

bool written(const YamlNode& root, std::string_view key) {
    return std::ranges::any_of(root.keys, [&](const YamlNode& node) { return node.scalar == key; });
}

/// What the file as a whole must have.
void check_header(const YamlNode& root, const Parts& parts, Errors& errors) {
    if (!written(root, "gensink")) {
        errors.add({}, "gensink", "missing: begin the file with `gensink: 1`");
    }
    if (!written(root, "name")) {
        errors.add({}, "name", "missing: write `name: ...`");
    }
    if (const Assignment* name = find(parts, "name")) {
        const std::string& text = name->setting.text;
        const bool plain = std::ranges::all_of(text, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '-' || c == '_' || c == '.';
        });
        if (!plain || text.size() > 64 || text.front() == '.' || text.front() == '-') {
            errors.add(
                name->mark,
                "name",
                fmt::format("`{}`: results are filed under it: use letters, digits, -, _", text)
            );
        }
    }
}

/// Each unknown name where it stands in its list.
void check_listed_metrics(const Assignment& metrics, Errors& errors) {
    const auto* names = std::get_if<Names>(&metrics.setting.value);
    for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
        const std::string& name = (*names)[i];
        if (find_metric_name(name) == nullptr) {
            const Mark& mark = i < metrics.items.size() ? metrics.items[i] : metrics.mark;
            errors.add(mark, "metrics", detail::unknown_metric(name));
        }
    }
}

void check_metric_names(const Parts& parts, Errors& errors) {
    if (const Assignment* metrics = find(parts, "metrics")) {
        check_listed_metrics(*metrics, errors);
    }
    if (const Assignment* metric = find(parts, "fit.metric")) {
        if (find_metric_name(metric->setting.text) == nullptr) {
            errors.add(metric->mark, "fit.metric", detail::unknown_metric(metric->setting.text));
        }
    }
}

void check_expected_arms(const Profile& profile, Errors& errors) {
    for (const Expect& expect : profile.expect) {
        const bool known =
            expect.arm.empty() || std::ranges::any_of(profile.cells, [&](const Cell& cell) {
                return cell.arm == expect.arm;
            });
        if (!known) {
            errors.add({ErrorKind::profile, fmt::format("no arm `{}`", expect.arm), expect.where});
        }
    }
}

}  // namespace

std::string placebo_label(std::string_view baseline) {
    return fmt::format("{} (placebo)", baseline);
}

Results<Profile> load(std::string_view text, std::string_view file, const LoadOptions& options) {
    auto overrides = detail::all_overrides(options);
    if (!overrides) {
        return tl::unexpected(overrides.error());
    }
    auto root = detail::parse_yaml(text, file);
    if (!root) {
        return tl::unexpected(std::vector{root.error()});
    }
    Errors errors(file, *overrides);
    if (root->type != YamlNode::Type::map) {
        errors.add(
            root->mark,
            "",
            fmt::format("is {}, not a profile: begin with `gensink: 1`", describe(*root))
        );
        return tl::unexpected(errors.take());
    }
    detail::apply_overrides(*root, *overrides, errors);

    Profile profile;
    profile.file = file;
    profile.text = text;
    profile.quick = options.quick;
    profile.digest = digest_of(text, *overrides, options.quick);
    Parts parts = detail::read_parts(*root, errors);
    check_header(*root, parts, errors);
    check_metric_names(parts, errors);
    for (const Assignment& assignment : parts.common) {
        profile.common.at(assignment.key) = assignment.setting;
    }
    detail::expand(parts, profile, errors);
    profile.expect = std::move(parts.expect);
    if (errors.empty()) {
        check_expected_arms(profile, errors);
    }
    if (!errors.empty()) {
        return tl::unexpected(errors.take());
    }
    profile.overrides = std::move(*overrides);
    return profile;
}

Results<Profile> load_file(const std::filesystem::path& file, const LoadOptions& options) {
    std::error_code code;
    const auto refuse = [&](std::string message, int os_code) {
        return tl::unexpected(std::vector{
            Error{ErrorKind::usage, std::move(message), file.string(), os_code}});
    };
    if (std::filesystem::is_directory(file, code)) {
        return refuse("is a folder, not a profile", 0);
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        const int os_code = errno;
        return refuse(
            fmt::format("cannot be read: {}", std::generic_category().message(os_code)), os_code
        );
    }
    // One byte above the bound is enough to be refused for its length.
    std::string text(detail::max_document_bytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return load(text, file.string(), options);
}

}  // namespace gensink::profile
