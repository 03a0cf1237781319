// SPDX-License-Identifier: BSD-3-Clause
#include "worker/remote.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "catch.hpp"
#include "fake.hpp"

namespace gensink::worker {

namespace {

using counters::Phase;
using fixture::Deed;
using fixture::Fake;
using fixture::Script;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

const std::vector<plan::Cell>& cells() {
    static const std::vector<plan::Cell> made = [] {
        std::vector<plan::Cell> some(3);
        for (std::size_t i = 0; i < some.size(); ++i) {
            some[i].trial.gen.queues = static_cast<std::uint16_t>(i + 1);
        }
        return some;
    }();
    return made;
}

Purpose purpose(Script script, std::string role = "generator and sink") {
    Purpose made;
    made.role = std::move(role);
    made.cells = cells();
    made.make = [script]() -> Result<std::unique_ptr<trial::Datapath>> {
        return std::make_unique<Fake>(script);
    };
    return made;
}

std::unique_ptr<RemoteDatapath> remote(Purpose made) {
    auto process = Process::spawn(std::move(made));
    REQUIRE(process);
    return std::make_unique<RemoteDatapath>(*std::move(process));
}

std::unique_ptr<RemoteDatapath> remote(Script script) {
    return remote(purpose(script));
}

/// All calls of a trial in their order; the first error, if any.
Result<trial::Snapshot> whole_trial(trial::Datapath& datapath) {
    if (auto opened = datapath.open({}, 1); !opened) {
        return tl::unexpected<Error>(opened.error());
    }
    if (auto started = datapath.start(); !started) {
        return tl::unexpected<Error>(started.error());
    }
    if (auto entered = datapath.enter(Phase::measure); !entered) {
        return tl::unexpected<Error>(entered.error());
    }
    if (auto snapshot = datapath.snapshot(); !snapshot) {
        return snapshot;
    }
    auto last = datapath.stop();
    if (auto closed = datapath.close(); !closed && last) {
        return tl::unexpected<Error>(closed.error());
    }
    return last;
}

bool no_child_left() {
    return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

const std::array trial_calls{
    Call::open, Call::start, Call::enter, Call::snapshot, Call::stop, Call::close};

}  // namespace

TEST_CASE("a child serves a whole trial, and another") {
    auto datapath = remote(Script{});
    REQUIRE(datapath->ready());
    for (int i = 0; i < 2; ++i) {
        const auto last = whole_trial(*datapath);
        REQUIRE(last);
        CHECK(last->tsc_hz == static_cast<std::uint64_t>(datapath->process().pid()));
        CHECK(last->gen.at(0).total.frames_accepted == static_cast<std::uint64_t>(Phase::measure));
        CHECK(last->gen.at(0).total.burst_accepted[counters::max_burst] == 7);
    }
}

TEST_CASE("open uses the selected cell's plan with the load given") {
    auto datapath = remote(Script{});
    REQUIRE(datapath->ready());
    datapath->select(2);
    plan::TrialPlan plan;
    plan.load = {flow::LoadUnit::fps, 5000};
    plan.intended_fps = 5000;
    const auto opened = datapath->open(plan, 0xffffffff);
    REQUIRE(opened);
    CHECK(opened->gen_limits.max_queues == 3);
    CHECK(opened->gen_link_bps == 5000);
    CHECK(opened->memory == "paced");
    CHECK(opened->tsc_hz == 0xffffffff);
    CHECK(opened->warnings == std::vector<std::string>{"no such feature"});
}

TEST_CASE("a cell that the child does not know is an error, and the child lives on") {
    auto datapath = remote(Script{});
    REQUIRE(datapath->ready());
    datapath->select(99);
    CHECK_FALSE(datapath->open({}, 1));
    datapath->select(0);
    CHECK(datapath->open({}, 1));
}

TEST_CASE("a crash in any call tells the signal and the process, and stays told") {
    for (const Call call : trial_calls) {
        INFO(name(call));
        auto datapath = remote({call, Deed::segfault});
        REQUIRE(datapath->ready());
        const auto result = whole_trial(*datapath);
        REQUIRE_FALSE(result);
        CHECK(result.error().kind == ErrorKind::measurement);
        CHECK(result.error().os_code == 0);
        CHECK_THAT(result.error().message, Contains("signal 11 (Segmentation fault)"));
        CHECK_THAT(result.error().message, Contains("generator and sink"));
        CHECK_THAT(result.error().message, Contains(name(call)));
        CHECK_FALSE(datapath->alive());
        CHECK_FALSE(datapath->snapshot());
        CHECK(no_child_left());
    }
}

TEST_CASE("an exit in any call tells the status") {
    for (const Call call : trial_calls) {
        INFO(name(call));
        auto datapath = remote({call, Deed::exit});
        REQUIRE(datapath->ready());
        const auto result = whole_trial(*datapath);
        REQUIRE_FALSE(result);
        CHECK_THAT(result.error().message, Contains("exit status 7"));
    }
}

TEST_CASE("the last lines that a dying child printed are in the error") {
    auto datapath = remote({Call::start, Deed::abort});
    REQUIRE(datapath->ready());
    const auto result = whole_trial(*datapath);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Contains("signal 6 (Aborted)"));
    CHECK_THAT(result.error().message, Contains("EAL: panic: out of luck"));
}

TEST_CASE("no more than twenty lines of a long log are told") {
    auto datapath = remote({Call::start, Deed::chatter});
    REQUIRE(datapath->ready());
    const auto result = whole_trial(*datapath);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Contains("line 81\n") && Contains("line 100"));
    CHECK_THAT(result.error().message, !Contains("line 80\n"));
}

TEST_CASE("a refusal keeps its kind and place, and gets the log of that call") {
    auto datapath = remote({Call::open, Deed::refuse});
    REQUIRE(datapath->ready());
    const auto result = datapath->open({}, 1);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::device);
    CHECK(result.error().where == "net_fake0");
    CHECK(result.error().os_code == ENODEV);
    CHECK_THAT(result.error().message, Contains("the port is refused"));
    CHECK_THAT(result.error().message, Contains("net_fake: no such device"));
    CHECK(datapath->alive());
    CHECK(datapath->close());
}

TEST_CASE("a silent child is killed at its deadline") {
    Purpose made = purpose({Call::snapshot, Deed::hang});
    made.deadlines.call = 20ms;
    auto datapath = remote(std::move(made));
    REQUIRE(datapath->ready());
    REQUIRE(datapath->open({}, 1));
    const auto result = datapath->snapshot();
    REQUIRE_FALSE(result);
    CHECK(result.error().os_code == 0);
    CHECK_THAT(result.error().message, Contains("no answer within 20 ms"));
    CHECK(no_child_left());
}

TEST_CASE("nonsense instead of an answer ends the child") {
    for (const Deed deed : {Deed::nonsense, Deed::wrong_answer}) {
        auto datapath = remote({Call::enter, deed});
        REQUIRE(datapath->ready());
        const auto result = whole_trial(*datapath);
        REQUIRE_FALSE(result);
        CHECK_THAT(result.error().message, Contains("nonsense"));
        CHECK_FALSE(datapath->alive());
        CHECK(no_child_left());
    }
}

TEST_CASE("kill -9 is noticed during a wait, not at its end") {
    auto datapath = remote(Script{});
    REQUIRE(datapath->ready());
    REQUIRE(kill(datapath->process().pid(), SIGKILL) == 0);
    const auto waited = datapath->wait(1h);
    REQUIRE_FALSE(waited);
    CHECK(waited.error().kind == ErrorKind::measurement);
    CHECK(waited.error().os_code == 0);
    CHECK_THAT(waited.error().message, Contains("signal 9 (Killed)"));
    CHECK(no_child_left());
}

TEST_CASE("a wait with nothing to tell ends well") {
    auto datapath = remote(Script{});
    REQUIRE(datapath->ready());
    CHECK(datapath->wait(1ms));
    CHECK(datapath->wait(0ms));
}

TEST_CASE("a stop ends a wait with EINTR, and the child still gives its last counts") {
    std::array<int, 2> pipe_ends{};
    REQUIRE(pipe(pipe_ends.data()) == 0);
    Purpose made = purpose(Script{});
    made.stop_fd = pipe_ends[0];
    auto datapath = remote(std::move(made));
    REQUIRE(datapath->ready());
    REQUIRE(datapath->open({}, 1));
    REQUIRE(write(pipe_ends[1], "x", 1) == 1);
    const auto waited = datapath->wait(1h);
    REQUIRE_FALSE(waited);
    CHECK(waited.error().os_code == EINTR);
    CHECK(datapath->stop());
    CHECK(datapath->close());
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

TEST_CASE("after a stop a silent child is given up soon, whatever its deadline") {
    std::array<int, 2> pipe_ends{};
    REQUIRE(pipe(pipe_ends.data()) == 0);
    Purpose made = purpose({Call::stop, Deed::hang});
    made.stop_fd = pipe_ends[0];
    made.deadlines.call = 1h;
    made.deadlines.stopping = 20ms;
    auto datapath = remote(std::move(made));
    REQUIRE(datapath->ready());
    REQUIRE(write(pipe_ends[1], "x", 1) == 1);
    const auto stopped = datapath->stop();
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().os_code == EINTR);
    CHECK(no_child_left());
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

TEST_CASE("destruction leaves no process, whatever the child does") {
    for (const Deed deed : {Deed::none, Deed::hang}) {
        Purpose made = purpose({Call::start, deed});
        made.deadlines.quit = 20ms;
        made.deadlines.call = 20ms;
        pid_t pid = 0;
        {
            auto datapath = remote(std::move(made));
            REQUIRE(datapath->ready());
            pid = datapath->process().pid();
            REQUIRE(kill(pid, deed == Deed::none ? SIGINT : SIGSTOP) == 0);
        }
        CHECK(no_child_left());
        CHECK(kill(pid, 0) == -1);
    }
}

TEST_CASE("Ctrl-C and SIGTERM do not end a child") {
    auto datapath = remote(Script{});
    REQUIRE(datapath->ready());
    REQUIRE(kill(datapath->process().pid(), SIGINT) == 0);
    REQUIRE(kill(datapath->process().pid(), SIGTERM) == 0);
    CHECK(datapath->open({}, 1));
}

TEST_CASE("what the datapath's maker refuses comes out of ready") {
    Purpose made = purpose(Script{});
    made.make = []() -> Result<std::unique_ptr<trial::Datapath>> {
        (void)std::fprintf(stderr, "EAL: Cannot get hugepage information.\n");
        return fail(ErrorKind::environment, "EAL did not start", "EAL", ENOMEM);
    };
    auto datapath = remote(std::move(made));
    const auto ready = datapath->ready();
    REQUIRE_FALSE(ready);
    CHECK(ready.error().kind == ErrorKind::environment);
    CHECK_THAT(ready.error().message, Contains("EAL did not start"));
    CHECK_THAT(ready.error().message, Contains("Cannot get hugepage information"));
    CHECK_FALSE(datapath->alive());
    CHECK(no_child_left());
}

TEST_CASE("a crash while the datapath is made comes out of ready") {
    Purpose made = purpose(Script{});
    made.make = []() -> Result<std::unique_ptr<trial::Datapath>> {
        std::abort();
    };
    auto datapath = remote(std::move(made));
    const auto ready = datapath->ready();
    REQUIRE_FALSE(ready);
    CHECK(ready.error().kind == ErrorKind::measurement);
    CHECK_THAT(ready.error().message, Contains("signal 6"));
}

TEST_CASE("a missing network namespace is an error of the environment with the remedy") {
    Purpose made = purpose(Script{});
    made.netns = "gensink-no-such-namespace";
    auto datapath = remote(std::move(made));
    const auto ready = datapath->ready();
    REQUIRE_FALSE(ready);
    CHECK(ready.error().kind == ErrorKind::environment);
    CHECK(ready.error().os_code == ENOENT);
    CHECK_THAT(ready.error().message, Contains("ip netns add"));
}

TEST_CASE("the child keeps none of the parent's files") {
    const int fd = fcntl(STDERR_FILENO, F_DUPFD, 100);
    REQUIRE(fd >= 100);
    Purpose made = purpose(Script{});
    made.make = [fd]() -> Result<std::unique_ptr<trial::Datapath>> {
        if (fcntl(fd, F_GETFD) != -1) {
            return fail(ErrorKind::environment, "still open");
        }
        return std::make_unique<Fake>(Script{});
    };
    auto datapath = remote(std::move(made));
    CHECK(datapath->ready());
    close(fd);
}

}  // namespace gensink::worker
