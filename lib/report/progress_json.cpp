// SPDX-License-Identifier: BSD-3-Clause
#include "report/progress.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

namespace gensink::report {

namespace {

using Json = nlohmann::ordered_json;

template <class Value>
[[nodiscard]] Json or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json();
}

[[nodiscard]] Json point_json(const std::vector<std::pair<std::string, std::string>>& point) {
    Json json = Json::object();
    for (const auto& [key, value] : point) {
        json[key] = value;
    }
    return json;
}

[[nodiscard]] Json object_of(const TrialOutcome& outcome) {
    return {
        {"arm", outcome.arm},
        {"point", point_json(outcome.point)},
        {"complete", outcome.complete},
        {"valid", outcome.valid},
        {"offered_fps", or_null(outcome.offered_fps)},
        {"received_fps", or_null(outcome.received_fps)},
        {"received_payload_bps", or_null(outcome.received_bps)},
        {"lost", or_null(outcome.lost)}};
}

}  // namespace

std::string progress_json(const ProgressState& state) {
    Json json{
        {"type", "progress"},
        {"trial", state.trial},
        {"trials", state.trials},
        {"round", state.round},
        {"arm", state.arm},
        {"point", point_json(state.point)},
        {"phase", name(state.phase)}};
    const auto add = [&](const char* key, auto value) {
        json[key] = or_null(value);
    };
    add("offered_fps", state.offered_fps);
    add("received_fps", state.received_fps);
    add("offered_payload_bps", state.offered_bps);
    add("received_payload_bps", state.received_bps);
    add("frames_under_way_or_lost", state.unseen);
    add("burst_asked", state.burst_asked);
    add("burst_accepted", state.burst_accepted);
    add("burst_received", state.burst_received);
    json["cores"] = Json::object();
    for (const CoreShares& core : state.cores) {
        for (const auto& [cause, share] : core.shares) {
            json["cores"][core.name][std::string(cause)] = share;
        }
    }
    add("left_s",
        state.left ? std::optional(std::chrono::duration<double>(*state.left).count())
                   : std::nullopt);
    json["last_trial"] = state.last ? object_of(*state.last) : Json();
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string trial_json(const TrialOutcome& outcome) {
    return object_of(outcome).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gensink::report
