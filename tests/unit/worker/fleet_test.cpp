// SPDX-License-Identifier: BSD-3-Clause
#include "worker/fleet.hpp"

#include <cerrno>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "catch.hpp"
#include "fake.hpp"

namespace gensink::worker {

namespace {

using counters::Phase;
using fixture::Deed;
using fixture::Fake;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

/// An end of a pair: says which end it is, and that it was there.
class EndFake final : public trial::Datapath {
  public:
    explicit EndFake(bool gen) : gen_(gen) {}

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override {
        trial::Opened opened;
        opened.tsc_hz = run_id;
        (gen_ ? opened.gen_mac : opened.sink_mac) = gen_ ? plan.frames.destination_mac : peer_mac;
        (gen_ ? opened.gen_driver : opened.sink_driver) = gen_ ? "gen" : "sink";
        (gen_ ? opened.gen_link_bps : opened.sink_link_bps) = gen_ ? 1 : 2;
        opened.warnings = {gen_ ? "gen warns" : "sink warns"};
        return opened;
    }

    Result<void> start() override { return {}; }

    Result<void> enter(Phase) override { return {}; }

    Result<void> wait(Duration) override { return {}; }

    Result<trial::Snapshot> snapshot() override { return counts(); }

    Result<trial::Snapshot> stop() override { return counts(); }

    Result<void> close() override { return {}; }

    static constexpr plan::MacAddress peer_mac{2, 0, 0, 0, 0, 9};

  private:
    [[nodiscard]] trial::Snapshot counts() const {
        trial::Snapshot snapshot;
        snapshot.tsc_hz = 1;
        snapshot.streams.resize(2);
        snapshot.streams[1].stream = StreamId{1};
        if (gen_) {
            snapshot.gen.resize(1);
            snapshot.gen[0].total.frames_accepted = 100;
            snapshot.streams[1].sent_measured.frames_accepted = 60;
            snapshot.gen_device.tx_frames = 100;
            snapshot.gen_link_up = true;
            snapshot.frames_left_in_pool = 9;
        } else {
            snapshot.sink.resize(1);
            snapshot.sink[0].total.frames = 99;
            snapshot.streams[1].seen_measured.in_order = 59;
            snapshot.sink_device.rx_missed = 1;
            snapshot.sink_kernel.rx_dropped = 2;
            snapshot.sink_link.bps = 3;
            snapshot.sink_link_up = false;
        }
        return snapshot;
    }

    bool gen_;
};

plan::Environment environment(std::string device, bool gen = true, bool sink = true) {
    plan::Environment made;
    made.devices = {std::move(device)};
    made.drives_gen = gen;
    made.drives_sink = sink;
    return made;
}

/// Two cells that share an environment, one of another, one of a pair, one that cannot start.
std::vector<plan::Cell> make_cells() {
    std::vector<plan::Cell> cells(6);
    cells[0].environments = {environment("a")};
    cells[1].environments = {environment("a")};
    cells[1].trial.gen.queues = 4;
    cells[2].environments = {environment("b")};
    cells[3].environments = {environment("g", true, false), environment("s", false, true)};
    cells[4].environments = {environment("absent")};
    return cells;
}

Result<std::unique_ptr<trial::Datapath>> make(const plan::Environment& environment) {
    if (environment.devices.front() == "absent") {
        return fail(ErrorKind::device, "no such device", "absent");
    }
    if (environment.drives_gen != environment.drives_sink) {
        return std::make_unique<EndFake>(environment.drives_gen);
    }
    return std::make_unique<Fake>(fixture::Script{});
}

pid_t pid_of(trial::Datapath& datapath) {
    const auto snapshot = datapath.snapshot();
    REQUIRE(snapshot);
    return static_cast<pid_t>(snapshot->tsc_hz);
}

bool no_child_left() {
    return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

}  // namespace

TEST_CASE("cells with equal environments share a worker, each with its own plan") {
    const auto cells = make_cells();
    Fleet fleet(cells, make);
    const auto first = fleet.datapath(0);
    REQUIRE(first);
    const pid_t pid = pid_of(**first);
    const auto second = fleet.datapath(1);
    REQUIRE(second);
    CHECK(pid_of(**second) == pid);
    const auto opened = (*second)->open(cells[1].trial, 1);
    REQUIRE(opened);
    CHECK(opened->gen_limits.max_queues == 4);
}

TEST_CASE("another environment gets a worker of its own, and the former stays for the round") {
    const auto cells = make_cells();
    Fleet fleet(cells, make);
    const pid_t pid = pid_of(**fleet.datapath(0));
    CHECK(pid_of(**fleet.datapath(2)) != pid);
    CHECK(pid_of(**fleet.datapath(1)) == pid);
    fleet.new_round();
    CHECK(no_child_left());
}

TEST_CASE("a worker that holds a device of the next cell ends before it starts") {
    auto cells = make_cells();
    cells[2].environments[0].devices = {"b", "a"};
    Fleet fleet(cells, make);
    const pid_t pid = pid_of(**fleet.datapath(0));
    REQUIRE(fleet.datapath(2));
    CHECK(kill(pid, 0) == -1);
}

TEST_CASE("a new round has fresh workers") {
    const auto cells = make_cells();
    Fleet fleet(cells, make);
    const pid_t pid = pid_of(**fleet.datapath(0));
    fleet.new_round();
    CHECK(no_child_left());
    CHECK(pid_of(**fleet.datapath(0)) != pid);
}

TEST_CASE("a dead worker is replaced on the next request") {
    const auto cells = make_cells();
    Fleet fleet(cells, make);
    const auto datapath = fleet.datapath(0);
    REQUIRE(datapath);
    const pid_t pid = pid_of(**datapath);
    REQUIRE(kill(pid, SIGKILL) == 0);
    REQUIRE_FALSE((*datapath)->wait(1h));
    const auto fresh = fleet.datapath(0);
    REQUIRE(fresh);
    CHECK(pid_of(**fresh) != pid);
}

TEST_CASE("a worker that died unnoticed between trials is replaced") {
    const auto cells = make_cells();
    Fleet fleet(cells, make);
    const pid_t pid = pid_of(**fleet.datapath(0));
    REQUIRE(kill(pid, SIGKILL) == 0);
    siginfo_t info{};
    REQUIRE(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
    const auto fresh = fleet.datapath(0);
    REQUIRE(fresh);
    CHECK(pid_of(**fresh) != pid);
}

TEST_CASE("an environment that is refused is that cell's error alone") {
    const auto cells = make_cells();
    Fleet fleet(cells, make);
    const auto refused = fleet.datapath(4);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::device);
    CHECK(no_child_left());
    CHECK(fleet.datapath(0));
}

TEST_CASE("a cell without environments, or beyond the plan, is an error") {
    const auto cells = make_cells();
    Fleet fleet(cells, make);
    CHECK(fleet.datapath(5).error().kind == ErrorKind::plan);
    CHECK(fleet.datapath(99).error().kind == ErrorKind::plan);
}

TEST_CASE("who asked is told of each worker that did not end by itself, once") {
    const auto cells = make_cells();
    std::vector<pid_t> buried;
    const auto bury = [&](pid_t worker) {
        buried.push_back(worker);
    };
    {
        Fleet fleet(cells, make, -1, {}, bury);
        REQUIRE(fleet.datapath(0));
    }
    CHECK(buried.empty());
    const MakeForEnvironment crash =
        [](const plan::Environment&) -> Result<std::unique_ptr<trial::Datapath>> {
        (void)raise(SIGKILL);
        return std::make_unique<EndFake>(true);
    };
    Fleet fleet(cells, crash, -1, {}, bury);
    REQUIRE_FALSE(fleet.datapath(0));
    CHECK(buried.size() == 1);
}

TEST_CASE("the end of a fleet leaves no process") {
    const auto cells = make_cells();
    {
        Fleet fleet(cells, make);
        REQUIRE(fleet.datapath(3));
    }
    CHECK(no_child_left());
}

TEST_CASE("a pair joins the generator's worker and the sink's") {
    const auto cells = make_cells();
    Fleet fleet(cells, make);
    const auto datapath = fleet.datapath(3);
    REQUIRE(datapath);
    const auto opened = (*datapath)->open(cells[3].trial, 5);
    REQUIRE(opened);
    CHECK(opened->gen_driver == "gen");
    CHECK(opened->sink_driver == "sink");
    CHECK(opened->gen_link_bps == 1);
    CHECK(opened->sink_link_bps == 2);
    CHECK(opened->warnings == std::vector<std::string>{"gen warns", "sink warns"});
    REQUIRE((*datapath)->start());
    for (const Phase phase : {Phase::warmup, Phase::measure, Phase::drain}) {
        REQUIRE((*datapath)->enter(phase));
    }
    CHECK((*datapath)->wait(0ms));
    const auto counts = (*datapath)->stop();
    REQUIRE(counts);
    CHECK(counts->gen.at(0).total.frames_accepted == 100);
    CHECK(counts->sink.at(0).total.frames == 99);
    REQUIRE(counts->streams.size() == 2);
    CHECK(counts->streams[1].sent_measured.frames_accepted == 60);
    CHECK(counts->streams[1].seen_measured.in_order == 59);
    CHECK(counts->gen_device.tx_frames == 100);
    CHECK(counts->sink_device.rx_missed == 1);
    CHECK(counts->sink_kernel.rx_dropped == 2);
    CHECK(counts->sink_link.bps == 3);
    CHECK(counts->gen_link_up == true);
    CHECK(counts->sink_link_up == false);
    CHECK(counts->frames_left_in_pool == 9);
    CHECK((*datapath)->close());
}

TEST_CASE("the generator of a pair learns the sink's address, unless the plan has one") {
    const auto cells = make_cells();
    Fleet fleet(cells, make);
    const auto datapath = fleet.datapath(3);
    REQUIRE(datapath);
    const auto learnt = (*datapath)->open(cells[3].trial, 1);
    REQUIRE(learnt);
    CHECK(learnt->gen_mac == EndFake::peer_mac);  // the fake tells where it sends to
    CHECK(learnt->sink_mac == EndFake::peer_mac);
    plan::TrialPlan chosen = cells[3].trial;
    chosen.frames.destination_mac = plan::MacAddress{1, 1, 1, 1, 1, 1};
    const auto given = (*datapath)->open(chosen, 1);
    REQUIRE(given);
    CHECK(given->gen_mac == chosen.frames.destination_mac);
}

TEST_CASE("the death of either of a pair is noticed and named by its end") {
    for (const bool gen_dies : {true, false}) {
        const auto cells = make_cells();
        const MakeForEnvironment fatal = [gen_dies](const plan::Environment& env
                                         ) -> Result<std::unique_ptr<trial::Datapath>> {
            if (env.drives_gen == gen_dies) {
                return std::make_unique<Fake>(fixture::Script{Call::enter, Deed::segfault});
            }
            return std::make_unique<EndFake>(env.drives_gen);
        };
        Fleet fleet(cells, fatal);
        const auto datapath = fleet.datapath(3);
        REQUIRE(datapath);
        REQUIRE((*datapath)->open(cells[3].trial, 1));
        REQUIRE((*datapath)->start());
        const auto entered = (*datapath)->enter(Phase::warmup);
        REQUIRE_FALSE(entered);
        CHECK_THAT(entered.error().message, Contains(gen_dies ? ", generator)" : ", sink)"));
        CHECK_FALSE((*datapath)->wait(1h));
    }
    CHECK(no_child_left());
}

TEST_CASE("streams seen at the sink alone are kept in a merge") {
    trial::Snapshot gen;
    trial::Snapshot sink;
    sink.streams.resize(1);
    sink.streams[0].stream = StreamId{7};
    sink.streams[0].seen_measured.late = 3;
    sink.streams[0].sent_measured.frames_accepted = 5;  // not the sink's to say
    const trial::Snapshot all = merge(gen, sink);
    REQUIRE(all.streams.size() == 1);
    CHECK(all.streams[0].stream == StreamId{7});
    CHECK(all.streams[0].seen_measured.late == 3);
    CHECK(all.streams[0].sent_measured.frames_accepted == 0);
}

}  // namespace gensink::worker
