// SPDX-License-Identifier: BSD-3-Clause
#include <prometheus/text_serializer.h>
#include <string>

#include "catch.hpp"
#include "exporter/detail/numbers.hpp"

using gensink::exporter::detail::Numbers;

namespace {

std::string text_of(const Numbers& numbers) {
    return prometheus::TextSerializer().Serialize(numbers.Collect());
}

bool holds(const Numbers& numbers, const char* line) {
    const std::string text = text_of(numbers);
    return text.find(std::string(line) + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("what is known is a gauge, and what is null is absent") {
    Numbers numbers;
    numbers.progress(R"({"trial": 3, "trials": 40, "offered_fps": 1e6, "received_fps": null,
        "arm": "batched", "round": "round 1", "phase": "measure",
        "point": {"traffic.block_size": "128 B"},
        "cores": {"gen core 1": {"sending": 0.75, "pacing": 0.25}}})");
    CHECK(holds(numbers, "gensink_trial 3"));
    CHECK(holds(numbers, "gensink_offered_frames_per_second 1000000"));
    CHECK(text_of(numbers).find("gensink_received_frames") == std::string::npos);
    CHECK(holds(
        numbers,
        "gensink_trial_info{arm=\"batched\",phase=\"measure\",point=\"traffic.block_size 128 B\","
        "round=\"round 1\"} 1"
    ));
    CHECK(holds(numbers, "gensink_core_time_ratio{cause=\"sending\",core=\"gen core 1\"} 0.75"));
    numbers.progress(R"({"trial": 4})");
    CHECK(text_of(numbers).find("offered") == std::string::npos);
}

TEST_CASE("trials and their loss add up, by arm") {
    Numbers numbers;
    numbers.ended(R"({"arm": "a", "complete": true, "valid": true, "lost": 5})");
    numbers.ended(R"({"arm": "a", "complete": true, "valid": true, "lost": 7})");
    numbers.ended(R"({"arm": "a", "complete": true, "valid": false, "lost": -3})");
    numbers.ended(R"({"arm": "b", "complete": false, "valid": true, "lost": null})");
    CHECK(holds(numbers, "gensink_trials_ended_total{arm=\"a\",outcome=\"valid\"} 2"));
    CHECK(holds(numbers, "gensink_trials_ended_total{arm=\"a\",outcome=\"invalid\"} 1"));
    CHECK(holds(numbers, "gensink_trials_ended_total{arm=\"b\",outcome=\"incomplete\"} 1"));
    CHECK(holds(numbers, "gensink_lost_total{arm=\"a\"} 12"));
    CHECK(text_of(numbers).find("gensink_lost_total{arm=\"b\"}") == std::string::npos);
}

TEST_CASE("text that is no JSON object tells nothing") {
    Numbers numbers;
    for (const char* text : {"", "{", "[1]", "3"}) {
        numbers.progress(text);
    }
    CHECK(text_of(numbers).find("gensink_offered") == std::string::npos);
}
