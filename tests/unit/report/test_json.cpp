// SPDX-License-Identifier: BSD-3-Clause
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "fixture.hpp"

using namespace gensink;
using namespace gensink::report;
using Json = nlohmann::ordered_json;

namespace {

/// The document of a small result, to be damaged.
Json document() {
    return Json::parse(json(fixture::small()));
}

std::string error_of(const Json& damaged) {
    const Result<Saved> loaded = load(damaged.dump(), "r.json");
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::usage);
    CHECK(loaded.error().where == "r.json");
    return loaded.error().message;
}

std::string error_of_text(const std::string& text) {
    const Result<Saved> loaded = load(text, "r.json");
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == ErrorKind::usage);
    return loaded.error().message;
}

}  // namespace

TEST_CASE("a saved result renders as it did at run time") {
    for (const Saved& saved :
         {fixture::small(),
          fixture::sweep(),
          fixture::search(),
          fixture::broken(),
          fixture::transfer(plan::WireKind::model)}) {
        const Result<Saved> loaded = load(json(saved), "r.json");
        INFO((loaded ? std::string() : loaded.error().message));
        REQUIRE(loaded);
        CHECK(text(*loaded) == text(saved));
        CHECK(csv(*loaded) == csv(saved));
        CHECK(json(*loaded) == json(saved));
    }
}

TEST_CASE("counts of 64 bits survive the file") {
    Saved saved = fixture::small();
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    saved.result.trials.front().ledger.accepted = most;
    saved.result.trials.front().ledger.lost = std::numeric_limits<std::int64_t>::min();
    saved.result.trials.front().counts.gen.front().total.burst_asked.back() = most;
    const Result<Saved> loaded = load(json(saved), "r.json");
    REQUIRE(loaded);
    const trial::TrialResult& trial = loaded->result.trials.front();
    CHECK(trial.ledger.accepted == most);
    CHECK(trial.ledger.lost == std::numeric_limits<std::int64_t>::min());
    CHECK(trial.counts.gen.front().total.burst_asked.back() == most);
}

TEST_CASE("a histogram keeps its buckets, and its largest value to the tick") {
    Saved saved = fixture::small();
    trial::TransportReport& report = saved.result.trials.front().counts.transport.emplace();
    report.latencies.frame.add(1000);
    report.latencies.frame.add(1000);
    report.latencies.frame.add(123'456'789);
    report.block_ticks = {5, 6};
    report.flows.resize(1);
    report.flows.front().times = {1, 2, 3, 4, 5, 6};
    const Json written = Json::parse(json(saved))["trials"][0]["transport"];
    CHECK(written["latency_ticks"]["frame"]["n"] == 3);
    CHECK(written["latency_ticks"]["frame"]["buckets"].size() == 2);
    CHECK(written["latency_ticks"]["hold"]["p50"].is_null());
    CHECK(written["flows"][0]["ticks"]["ack_timer"] == 2);
    const Result<Saved> loaded = load(json(saved), "r.json");
    REQUIRE(loaded);
    const auto& back = loaded->result.trials.front().counts.transport;
    REQUIRE(back);
    CHECK(back->latencies.frame.counts() == report.latencies.frame.counts());
    CHECK(back->latencies.frame.largest() == 123'456'789);
    CHECK(back->latencies.hold.total() == 0);
    CHECK(back->block_ticks == report.block_ticks);
    CHECK(back->flows.front().times == report.flows.front().times);
}

TEST_CASE("a histogram's bucket that is no number is named with its path") {
    Saved saved = fixture::small();
    saved.result.trials.front().counts.transport.emplace().latencies.hold.add(9);
    Json changed = Json::parse(json(saved));
    changed["trials"][0]["transport"]["latency_ticks"]["hold"]["buckets"]["x"] = 1;
    CHECK(
        error_of(changed).find("transport.latency_ticks.hold.buckets has the key 'x'") !=
        std::string::npos
    );
}

TEST_CASE("links and the kernel's counters survive the file, and what is unknown is null") {
    Saved saved = fixture::small();
    trial::Snapshot& counts = saved.result.trials.at(0).counts;
    counts.gen_link = {1'000'000'000, true, trial::FlowControl::rx};
    counts.sink_kernel.socket_dropped = 17;
    const Json written = Json::parse(json(saved))["trials"][0];
    CHECK(written["gen_link"]["flow_control"] == "rx");
    CHECK(written["sink_link"]["bps_l1"].is_null());
    CHECK(written["gen_kernel"]["tx_dropped"].is_null());
    const Result<Saved> loaded = load(json(saved), "r.json");
    REQUIRE(loaded);
    const trial::Snapshot& back = loaded->result.trials.at(0).counts;
    CHECK(back.gen_link.bps == 1'000'000'000);
    CHECK(back.gen_link.full_duplex == true);
    CHECK(back.gen_link.flow_control == trial::FlowControl::rx);
    CHECK_FALSE(back.sink_link.flow_control.has_value());
    CHECK(back.sink_kernel.socket_dropped == 17);
}

TEST_CASE("what is unknown is null, never 0") {
    const Json broken = Json::parse(json(fixture::broken()));
    const Json& died = broken["trials"][0];
    CHECK(died["ledger"].is_null());
    CHECK(died["tsc_hz"].is_null());
    CHECK(died["measure_seconds"].is_null());
    CHECK(died["metrics"]["tx.fps"].is_null());
    CHECK(died["frames_left_in_pool"].is_null());
    const Json& cut = broken["trials"][1];
    CHECK(cut["gen"][0]["measured"].is_null());
    CHECK(cut["gen"][0]["thread"]["core_hz_after"].is_null());
    CHECK(cut["gen"][0]["total"]["frames_accepted"].is_number_unsigned());
    CHECK(cut["device"]["gen"]["tx_frames"].is_null());
    CHECK(cut["gen_link_up"].is_null());
    CHECK(broken["run"]["host"]["microcode"].is_null());
}

TEST_CASE("a result without a sink has no numbers of one") {
    Saved saved = fixture::small();
    for (CellSummary& cell : saved.plan.cells) {
        cell.sink.reset();
    }
    saved.result.trials = {fixture::trial_of(saved, {})};
    const Json written = Json::parse(json(saved));
    CHECK(written["plan"]["cells"][0]["sink"].is_null());
    CHECK(written["trials"][0]["ledger"]["lost"].is_null());
    CHECK(written["trials"][0]["ledger"]["accepted"] == 10'000'000);
    CHECK(written["trials"][0]["streams"][0]["seen_measured"].is_null());
    CHECK(text(saved).find("no sink: the ledger ends at device out") != std::string::npos);
    CHECK(text(saved).find("offered Gbit/s") != std::string::npos);
    REQUIRE(load(json(saved), "r.json"));
}

TEST_CASE("an undefined number is null and stays undefined") {
    Saved saved = fixture::sweep();
    saved.result.fits.front().r_squared = std::numeric_limits<double>::quiet_NaN();
    const Result<Saved> loaded = load(json(saved), "r.json");
    REQUIRE(loaded);
    CHECK(std::isnan(loaded->result.fits.front().r_squared));
}

TEST_CASE("a verdict is null where nothing was compared") {
    CHECK(Json::parse(json(fixture::search()))["verdict"].is_null());
    CHECK(Json::parse(json(fixture::small()))["verdict"] == "inconclusive");
    CHECK(Json::parse(json(fixture::broken()))["verdict"] == "invalid");
}

TEST_CASE("text that is not a result is refused with the reason") {
    CHECK(error_of_text("").find("is empty") != std::string::npos);
    CHECK(error_of_text("gensink: 1\n").find("not a JSON result") != std::string::npos);
    CHECK(error_of_text("{\"schema\": }").find("not valid JSON at byte") != std::string::npos);
    CHECK(error_of_text("{}").find("no \"schema\"") != std::string::npos);
}

TEST_CASE("a cut file is told from a damaged one at any length") {
    const std::string whole = json(fixture::small());
    for (const std::size_t keep : {whole.size() / 7, whole.size() / 2, whole.size() - 3}) {
        CHECK(error_of_text(whole.substr(0, keep)).find("ends early") != std::string::npos);
    }
}

TEST_CASE("a schema of the future or of another program is refused") {
    Json changed = document();
    changed["schema"] = "gensink.result/2";
    CHECK(error_of(changed).find("gensink.result/2 is not known") != std::string::npos);
    changed["schema"] = "iperf3";
    CHECK(error_of(changed).find("schema 'iperf3'") != std::string::npos);
    changed["schema"] = 1;
    CHECK(error_of(changed).find("no \"schema\"") != std::string::npos);
}

TEST_CASE("a missing part is named with its path") {
    Json changed = document();
    changed["trials"][1]["gen"][0]["measured"].erase("frames_built");
    CHECK(
        error_of(changed).find("trials[1].gen[0].measured.frames_built is missing") !=
        std::string::npos
    );
    changed = document();
    changed.erase("plan");
    CHECK(error_of(changed).find("plan is missing") != std::string::npos);
}

TEST_CASE("a value of the wrong type or range is named with its path") {
    Json changed = document();
    changed["run"]["seed"] = -1;
    CHECK(error_of(changed).find("run.seed is not an integer") != std::string::npos);
    changed = document();
    changed["trials"][0]["ledger"]["accepted"] = 1.5;
    CHECK(error_of(changed).find("trials[0].ledger.accepted") != std::string::npos);
    changed = document();
    changed["trials"][0]["load_kind"] = "warp";
    CHECK(error_of(changed).find("unknown value 'warp'") != std::string::npos);
    changed = document();
    changed["trials"][0]["gen"][0]["total"]["burst_asked"]["513"] = 1;
    CHECK(error_of(changed).find("'513'") != std::string::npos);
    changed = document();
    changed["trials"][0]["cell"] = 2;
    CHECK(error_of(changed).find("trials[0].cell is 2") != std::string::npos);
    changed = document();
    changed["run"] = Json::array();
    CHECK(error_of(changed).find("run is not an object") != std::string::npos);
    changed = document();
    changed["plan"]["cells"] = Json::object();
    CHECK(error_of(changed).find("plan.cells is not an array") != std::string::npos);
}

TEST_CASE("properties added later are ignored") {
    Json changed = document();
    changed["run"]["weather"] = "fair";
    changed["trials"][0]["gen"][0]["measured"]["new_count"] = 7;
    CHECK(load(changed.dump(), "r.json"));
}

TEST_CASE("a file that cannot be read says why") {
    const Result<Saved> missing = load_file("/nonexistent/result.json");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message.find("No such file") != std::string::npos);
    const Result<Saved> folder = load_file(std::filesystem::path(GENSINK_GOLDEN_DIR).parent_path());
    REQUIRE_FALSE(folder);
    CHECK(folder.error().where.ends_with("result.json"));
}

TEST_CASE("an old result is still read") {
    for (const char* file : {"small.json", "small-before-transport.json"}) {
        const Result<Saved> old = load_file(std::filesystem::path(GENSINK_GOLDEN_DIR) / file);
        INFO((old ? std::string() : old.error().message));
        REQUIRE(old);
        CHECK(old->plan.name == "small");
        CHECK(old->result.trials.size() == 2);
        CHECK_FALSE(old->result.trials.front().counts.transport.has_value());
        CHECK(old->result.cells.front().trimmed_mean == old->result.cells.front().mean);
    }
}
