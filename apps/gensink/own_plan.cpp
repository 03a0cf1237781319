// SPDX-License-Identifier: BSD-3-Clause
#include "own_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>

namespace gensink::app {
namespace {

std::optional<std::string> trouble_with_file(const plan::PayloadPlan& payload) {
    std::error_code code;
    if (::access(payload.file.c_str(), R_OK) != 0) {
        return "cannot be read: " + std::generic_category().message(errno);
    }
    if (!std::filesystem::is_regular_file(payload.file, code)) {
        return "is no regular file";
    }
    const std::uintmax_t bytes = std::filesystem::file_size(payload.file, code);
    const std::uintmax_t least = std::max<std::uintmax_t>(payload.least_bytes, 1);
    if (!code && bytes < least) {
        return fmt::format("has {} B, and {} are needed", bytes, least);
    }
    return std::nullopt;
}

void add(std::vector<Error>& errors, Error error) {
    if (std::ranges::find(errors, error.message, &Error::message) == errors.end()) {
        errors.push_back(std::move(error));
    }
}

void check_namespaces(
    const plan::Cell& cell, const profile::Settings& settings, std::vector<Error>& errors
) {
    std::error_code code;
    for (const plan::Environment& environment : cell.environments) {
        const std::string& name = environment.netns;
        if (!name.empty() && !std::filesystem::exists("/var/run/netns/" + name, code)) {
            const char* const key = environment.drives_gen ? "wire.gen_netns" : "wire.sink_netns";
            add(errors,
                {ErrorKind::environment,
                 fmt::format(
                     "no network namespace '{}': create it with `ip netns add`, or leave netns out",
                     name
                 ),
                 settings.where(key),
                 ENOENT});
        }
    }
}

/// What a plan names and this host has not: network namespaces, the file of the payload. Each once.
std::vector<Error> missing(const Planned& planned) {
    std::vector<Error> errors;
    for (std::size_t i = 0; i < planned.plan.cells.size(); ++i) {
        const plan::Cell& cell = planned.plan.cells[i];
        const profile::Settings& settings = planned.profile.cells.at(i).settings;
        if (!planned.plan.veth) {  // else they are made for the run
            check_namespaces(cell, settings, errors);
        }
        const plan::PayloadPlan& payload = cell.trial.payload;
        const bool used = payload.from_source() || cell.trial.is_tcp();
        const auto trouble =
            payload.file.empty() || !used ? std::nullopt : trouble_with_file(payload);
        if (trouble) {
            add(errors,
                {ErrorKind::environment,
                 fmt::format("{} {}", payload.file, *trouble),
                 settings.where("source.file"),
                 0});
        }
    }
    return errors;
}

}  // namespace

Results<Planned> make_own_plan(const ProfileOptions& options) {
    auto planned = make_plan(options);
    if (planned && std::ranges::any_of(planned->plan.cells, [](const plan::Cell& cell) {
            return cell.trial.gen.peer;
        })) {
        return tl::unexpected(std::vector{Error{
            ErrorKind::usage,
            "the generator is elsewhere: `gensink sink --port DEV` waits for it",
            "wire.gen: peer",
            0}});
    }
    if (planned) {
        if (std::vector<Error> errors = missing(*planned); !errors.empty()) {
            return tl::unexpected(std::move(errors));
        }
    }
    return planned;
}

}  // namespace gensink::app
