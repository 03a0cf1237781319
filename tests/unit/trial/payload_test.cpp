// SPDX-License-Identifier: BSD-3-Clause
#include "trial/metrics.hpp"

#include "catch.hpp"
#include "spoiled.hpp"

namespace gensink::trial {

using Catch::Matchers::Contains;

TEST_CASE("payload that was not copied, or not attached, as the arm says is invalid") {
    const auto judged = [](flow::Payload mode, std::uint64_t copied, std::uint64_t chained) {
        Spoiled trial;
        trial.plan.payload.mode = mode;
        trial.plan.payload.own_bytes = 18;
        trial.gen().bytes_copied = copied;
        trial.gen().frames_chained = chained;
        return has(trial.reasons(), ReasonCode::treatment_not_exercised, Severity::invalid);
    };
    constexpr std::uint64_t all = 1'000'000 * (fixture::payload_bytes - 18);
    CHECK_FALSE(judged(flow::Payload::copy, all, 0));
    CHECK_FALSE(judged(flow::Payload::copy_checksum, all + 32 * 64, 0));  // a burst that waits
    CHECK(judged(flow::Payload::copy, all / 2, 0));
    CHECK(judged(flow::Payload::copy, 0, 1'000'000));
    CHECK_FALSE(judged(flow::Payload::zero_copy, 0, 1'000'000));
    CHECK(judged(flow::Payload::zero_copy, all, 0));
    CHECK(judged(flow::Payload::zero_copy, all, 1'000'000));
    CHECK_FALSE(judged(flow::Payload::in_template, 0, 0));
}

TEST_CASE("a driver that copies what was attached is told") {
    Spoiled trial;
    trial.plan.payload.mode = flow::Payload::zero_copy;
    trial.plan.payload.own_bytes = 18;
    trial.gen().frames_chained = 1'000'000;
    trial.result.driver_copies = true;
    const Reason reason = only(trial);
    CHECK(reason.severity == Severity::note);
    CHECK_THAT(reason.message, Contains("the driver copies"));
    CHECK(
        find_metric("tx.driver_bytes_copied_per_frame")->value(trial.result) ==
        fixture::frame_bytes - 4
    );
    CHECK(find_metric("tx.segments_per_frame")->value(trial.result) == 2.0);
}

}  // namespace gensink::trial
