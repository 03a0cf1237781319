// SPDX-License-Identifier: BSD-3-Clause
#include "exporter/detail/numbers.hpp"

#include <nlohmann/json.hpp>

namespace gensink::exporter::detail {

namespace {

using Json = nlohmann::json;
using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

struct Gauge {
    const char* key;   ///< in the JSON
    const char* name;  ///< in Prometheus' way: base units, no prefix but ours
    const char* help;
};

constexpr Gauge gauges[]{
    {"trial", "gensink_trial", "Trial that runs, from 1"},
    {"trials", "gensink_trials_planned", "Trials of the run, as far as known"},
    {"offered_fps", "gensink_offered_frames_per_second", "Frames accepted by the port"},
    {"received_fps", "gensink_received_frames_per_second", "Frames counted at the sink"},
    {"offered_payload_bps", "gensink_offered_payload_bits_per_second", "Payload accepted"},
    {"received_payload_bps", "gensink_received_payload_bits_per_second", "Payload at the sink"},
    {"frames_under_way_or_lost",
     "gensink_frames_under_way_or_lost",
     "Accepted in this trial and not received so far"},
    {"burst_accepted", "gensink_burst_accepted_frames", "Mean frames a send call"},
    {"burst_received", "gensink_burst_received_frames", "Mean frames a receive call"},
    {"left_s", "gensink_left_seconds", "Until the run ends, as estimated"},
};

[[nodiscard]] Json parsed(std::string_view text) {
    Json json = Json::parse(text, nullptr, false);
    return json.is_object() ? json : Json::object();
}

[[nodiscard]] std::string text_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

[[nodiscard]] MetricFamily family_of(const char* name, const char* help, MetricType type) {
    MetricFamily family;
    family.name = name;
    family.help = help;
    family.type = type;
    return family;
}

void add_gauge(MetricFamily& family, Labels labels, double value) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.gauge.value = value;
    family.metric.push_back(std::move(metric));
}

void add_count(MetricFamily& family, Labels labels, std::uint64_t value) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.counter.value = static_cast<double>(value);
    family.metric.push_back(std::move(metric));
}

[[nodiscard]] std::string point_of(const Json& json) {
    std::string text;
    const auto point = json.find("point");
    if (point != json.end() && point->is_object()) {
        for (const auto& [key, value] : point->items()) {
            text += (text.empty() ? "" : ", ") + key + " " +
                    (value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    return text;
}

[[nodiscard]] MetricFamily info_of(const Json& json) {
    MetricFamily family =
        family_of("gensink_trial_info", "What runs now; the value is always 1", MetricType::Gauge);
    add_gauge(
        family,
        {{"arm", text_at(json, "arm")},
         {"phase", text_at(json, "phase")},
         {"point", point_of(json)},
         {"round", text_at(json, "round")}},
        1
    );
    return family;
}

[[nodiscard]] MetricFamily shares_of(const Json& cores) {
    MetricFamily family =
        family_of("gensink_core_time_ratio", "Share of a core's time, by cause", MetricType::Gauge);
    for (const auto& [core, causes] : cores.items()) {
        for (const auto& [cause, share] : causes.items()) {
            add_gauge(family, {{"cause", cause}, {"core", core}}, share.get<double>());
        }
    }
    return family;
}

}  // namespace

void Numbers::progress(std::string_view text) {
    const Json json = parsed(text);
    std::vector<MetricFamily> families;
    for (const Gauge& gauge : gauges) {
        const auto found = json.find(gauge.key);
        if (found != json.end() && found->is_number()) {
            families.push_back(family_of(gauge.name, gauge.help, MetricType::Gauge));
            add_gauge(families.back(), {}, found->get<double>());
        }
    }
    families.push_back(info_of(json));
    const auto cores = json.find("cores");
    if (cores != json.end() && cores->is_object() && !cores->empty()) {
        families.push_back(shares_of(*cores));
    }
    const std::lock_guard hold(lock_);
    now_ = std::move(families);
}

void Numbers::ended(std::string_view text) {
    const Json json = parsed(text);
    const std::string arm = text_at(json, "arm");
    const bool complete = json.value("complete", false);
    const char* outcome = !complete                    ? "incomplete"
                          : json.value("valid", false) ? "valid"
                                                       : "invalid";
    const auto lost = json.find("lost");
    const std::lock_guard hold(lock_);
    ++trials_[{arm, outcome}];
    if (lost != json.end() && lost->is_number_integer()) {
        const auto frames = lost->get<std::int64_t>();
        lost_[arm] += frames > 0 ? static_cast<std::uint64_t>(frames) : 0;
    }
}

std::vector<MetricFamily> Numbers::Collect() const {
    const std::lock_guard hold(lock_);
    std::vector<MetricFamily> families = now_;
    if (!trials_.empty()) {
        MetricFamily ended =
            family_of("gensink_trials_ended_total", "Trials that have ended", MetricType::Counter);
        for (const auto& [key, count] : trials_) {
            add_count(ended, {{"arm", key.first}, {"outcome", key.second}}, count);
        }
        families.push_back(std::move(ended));
    }
    if (!lost_.empty()) {
        MetricFamily lost = family_of(
            "gensink_lost_total",
            "Lost in the measure phases of ended trials: frames, bytes of TCP",
            MetricType::Counter
        );
        for (const auto& [arm, count] : lost_) {
            add_count(lost, {{"arm", arm}}, count);
        }
        families.push_back(std::move(lost));
    }
    return families;
}

}  // namespace gensink::exporter::detail
