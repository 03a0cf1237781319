// SPDX-License-Identifier: BSD-3-Clause
#include "apart/caller.hpp"
#include "apart/generator.hpp"
#include "apart/listener.hpp"
#include "apart/open_call.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <random>
#include <thread>

#include "catch.hpp"

namespace gensink::apart {

namespace {

using namespace std::chrono_literals;
using counters::Phase;

/// Two ends in two threads; loses and repeats frames by a seeded die.
class Link {
  public:
    explicit Link(unsigned lose_percent = 0, unsigned copy_percent = 0)
        : lose_(lose_percent), copy_(copy_percent) {}

    void send(int from, ByteView frame) {
        const std::lock_guard lock(mutex_);
        ++sent_;
        if (random_() % 100 < lose_) {
            return;
        }
        auto& queue = queues_[static_cast<std::size_t>(1 - from)];
        queue.emplace_back(frame.begin(), frame.end());
        if (random_() % 100 < copy_) {
            queue.push_back(queue.back());
        }
    }

    std::deque<Bytes> receive(int at) {
        const std::lock_guard lock(mutex_);
        return std::exchange(queues_[static_cast<std::size_t>(at)], {});
    }

    std::size_t sent() {
        const std::lock_guard lock(mutex_);
        return sent_;
    }

  private:
    std::mutex mutex_;
    std::mt19937 random_{7};
    unsigned lose_;
    unsigned copy_;
    std::size_t sent_ = 0;
    std::array<std::deque<Bytes>, 2> queues_;
};

/// One end's port and loops, as far as the talk sees them.
class End final : public trial::Datapath, public trial::ControlLink {
  public:
    End(Link& link, int side) : link_(link), side_(side) {}

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override {
        ++opens;
        opened_run_id = run_id;
        opened_burst = plan.sink ? plan.sink->burst : std::uint16_t{0};
        running = false;
        trial::Opened opened;
        (side_ == 0 ? opened.gen_driver : opened.sink_driver) = side_ == 0 ? "net_a" : "net_b";
        opened.warnings = {side_ == 0 ? "of a" : "of b"};
        return opened;
    }

    Result<void> start() override {
        ++starts;
        running = true;
        return {};
    }

    Result<void> enter(Phase phase) override {
        phases.push_back(phase);
        return {};
    }

    Result<void> wait(Duration duration) override {
        std::this_thread::sleep_for(duration);
        return {};
    }

    Result<trial::Snapshot> snapshot() override {
        trial::Snapshot counts;
        counts.tsc_hz = side_ == 0 ? 2'000'000'000 : 1'000'000'000;
        counts.streams.resize(1);
        if (side_ == 0) {
            counts.gen.resize(1);
            counts.gen[0].ended = running ? 0 : 1;
            return counts;
        }
        counts.sink.resize(1);
        counts.sink[0].total.frames = frames;
        counts.sink[0].total.receive_calls = ++polls_;
        counts.sink[0].total.cause_ticks[0] = 100;
        counts.streams[0].seen_measured.in_order = frames;
        return counts;
    }

    Result<trial::Snapshot> stop() override {
        ++stops;
        running = false;
        return snapshot();
    }

    Result<void> close() override { return {}; }

    trial::ControlLink* control_link() override { return this; }

    [[nodiscard]] plan::MacAddress address() const override {
        return {2, 0, 0, 0, 0, static_cast<std::uint8_t>(side_ + 1)};
    }

    bool send(ByteView frame) override {
        link_.send(side_, frame);
        return true;
    }

    bool receive(const std::function<void(ByteView)>& read) override {
        for (const Bytes& frame : link_.receive(side_)) {
            read(frame);
        }
        return true;
    }

    Result<void> set_destination(const plan::MacAddress& peer) override {
        destination = peer;
        return {};
    }

    int opens = 0;
    int starts = 0;
    int stops = 0;
    std::uint32_t opened_run_id = 0;
    std::uint16_t opened_burst = 0;
    bool running = false;
    std::vector<Phase> phases;
    plan::MacAddress destination{};
    std::atomic<std::uint64_t> frames{0};

  private:
    Link& link_;
    int side_;
    std::uint64_t polls_ = 0;
};

plan::TrialPlan sink_plan(std::uint16_t burst) {
    plan::TrialPlan plan;
    plan.sink.emplace();
    plan.sink->burst = burst;
    plan.phases.measure = 50ms;
    return plan;
}

/// A listener over an end of the link, served in a thread of its own.
class Sink {
  public:
    explicit Sink(
        Link& link,
        PlanTrial plan_trial = [](const auto&) { return Results<plan::TrialPlan>(sink_plan(64)); }
    )
        : end_(new End(link, 1))
        , listener_(make_listener(std::unique_ptr<trial::Datapath>(end_), std::move(plan_trial))) {
        REQUIRE(listener_->open(sink_plan(32), 0));
        thread_ = std::thread([this] {
            while (!ended_) {
                (void)listener_->snapshot();
            }
        });
    }

    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    Sink(Sink&&) = delete;
    Sink& operator=(Sink&&) = delete;

    ~Sink() { end(); }

    /// As at the end of its time.
    void go() {
        end();
        (void)listener_->stop();
    }

    /// What the end has seen, once the thread is over.
    End& end() {
        ended_ = true;
        if (thread_.joinable()) {
            thread_.join();
        }
        return *end_;
    }

    void receive(std::uint64_t frames) { end_->frames += frames; }

  private:
    End* end_;
    std::unique_ptr<trial::Datapath> listener_;
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

plan::TrialPlan gen_plan() {
    plan::TrialPlan plan;
    plan.sink.emplace().peer = true;
    plan.for_peer = {"traffic.frame_size=64 B", "sink.burst=64"};
    return plan;
}

/// One trial, as trial::run goes through it.
void run_trial(Link& link) {
    std::vector<std::string> told;
    Sink sink(link, [&](const std::vector<std::string>& settings) {
        told = settings;
        return Results<plan::TrialPlan>(sink_plan(64));
    });
    auto* const gen_end = new End(link, 0);
    const auto gen = make_generator(std::unique_ptr<trial::Datapath>(gen_end), 11);
    const auto opened = gen->open(gen_plan(), 1234);
    REQUIRE(opened);
    CHECK(opened->gen_driver == "net_a");
    CHECK(opened->sink_driver == "net_b");
    CHECK(opened->warnings == std::vector<std::string>{"of a", "peer: of b"});
    CHECK(gen_end->destination == plan::MacAddress{2, 0, 0, 0, 0, 2});
    REQUIRE(gen->start());
    CHECK(gen_end->starts == 1);
    REQUIRE(gen->enter(Phase::measure));
    sink.receive(1000);
    std::this_thread::sleep_for(20ms);
    gen_end->running = false;
    REQUIRE(gen->enter(Phase::drain));
    REQUIRE(gen->snapshot());
    const auto counts = gen->stop();
    REQUIRE(counts);
    REQUIRE(counts->sink.size() == 1);
    CHECK(counts->sink[0].total.frames == 1000);
    CHECK(counts->sink[0].total.cause_ticks[0] == 200);  // at the generator's 2 GHz
    CHECK(counts->streams[0].seen_measured.in_order == 1000);
    CHECK(counts->gen.size() == 1);
    const End& end = sink.end();
    CHECK(told == gen_plan().for_peer);
    CHECK(end.opened_run_id == 1234);
    CHECK(end.opened_burst == 64);
    CHECK(end.opens == 2);
    CHECK(end.starts == 1);
    CHECK(end.stops == 1);
    CHECK(end.phases == std::vector<Phase>{Phase::measure, Phase::drain});
}

}  // namespace

TEST_CASE("a trial of two ends: each does its part once, and one result holds both") {
    Link link;
    run_trial(link);
}

TEST_CASE("lost and repeated frames change nothing but the time it takes") {
    Link link(40, 30);
    run_trial(link);
}

TEST_CASE("nothing but questions is sent while no sink answers") {
    Link link;
    End gen(link, 0);
    Caller caller(3);
    const auto answer = caller.ask(gen, Ask::hello, {}, 150ms);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == ErrorKind::environment);
    CHECK(answer.error().message.find("gensink sink") != std::string::npos);
    CHECK(gen.starts == 0);
    CHECK(link.sent() >= 3);
    CHECK(link.sent() <= 6);  // asked again, more and more seldom
}

TEST_CASE("a sink that falls silent in a trial is an error of the measurement") {
    Link link;
    End gen(link, 0);
    Caller caller(3);
    {
        const Sink sink(link);
        REQUIRE(caller.ask(gen, Ask::hello, {}, 2s));
    }
    const auto answer = caller.ask(gen, Ask::stop, {}, 100ms);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == ErrorKind::measurement);
}

TEST_CASE("while a trial runs the sink gives signs of life, and none before or after") {
    Link link;
    const Sink sink(link);
    End gen(link, 0);
    Caller caller(3);
    REQUIRE(caller.ask(gen, Ask::hello, {}, 2s));
    REQUIRE(caller.ask(gen, Ask::open, encode(OpenCall{1, {}}), 2s));
    std::this_thread::sleep_for(300ms);
    CHECK(caller.overhear(gen) == Caller::Overheard::nothing);
    REQUIRE(caller.ask(gen, Ask::start, {}, 2s));
    std::this_thread::sleep_for(600ms);
    CHECK(caller.overhear(gen) == Caller::Overheard::alive);
    REQUIRE(caller.ask(gen, Ask::stop, {}, 2s));
    std::this_thread::sleep_for(300ms);
    CHECK(caller.overhear(gen) == Caller::Overheard::nothing);
}

TEST_CASE("a sink that goes in mid-trial tells its generator, which ends the trial at once") {
    Link link;
    Sink sink(link);
    auto* const gen_end = new End(link, 0);
    const auto gen = make_generator(std::unique_ptr<trial::Datapath>(gen_end), 11);
    REQUIRE(gen->open(gen_plan(), 1));
    REQUIRE(gen->start());
    REQUIRE(gen->enter(Phase::measure));
    REQUIRE(gen->snapshot());
    sink.go();
    const auto counts = gen->snapshot();
    REQUIRE_FALSE(counts);
    CHECK(counts.error().message.find("--for") != std::string::npos);
    CHECK(counts.error().message.find("02:00:00:00:00:02") != std::string::npos);
    CHECK_FALSE(gen_end->running);
    const auto last = gen->stop();  // without asking again
    REQUIRE_FALSE(last);
    CHECK(last.error().message == counts.error().message);
}

TEST_CASE("a sink that went between two questions is not waited for") {
    Link link;
    Sink sink(link);
    End gen(link, 0);
    Caller caller(3);
    REQUIRE(caller.ask(gen, Ask::hello, {}, 2s));
    sink.go();
    const auto answer = caller.ask(gen, Ask::start, {}, 60s);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message.find("has ended") != std::string::npos);
}

TEST_CASE("a sink's refusal is told with its reasons, and it goes on listening") {
    Link link;
    bool refuse = true;
    Sink sink(link, [&](const auto&) -> Results<plan::TrialPlan> {
        if (std::exchange(refuse, false)) {
            return tl::unexpected(std::vector{
                Error{ErrorKind::plan, "frames of 9018 B", "--set traffic.frame_size=9018 B", 0},
                Error{ErrorKind::plan, "9 queues", "--set sink.queues=9", 0}});
        }
        return sink_plan(64);
    });
    const auto gen = make_generator(std::make_unique<End>(link, 0), 11);
    const auto refused = gen->open(gen_plan(), 1);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("frames of 9018 B") != std::string::npos);
    CHECK(refused.error().message.find("9 queues") != std::string::npos);
    CHECK(refused.error().where == "peer: --set traffic.frame_size=9018 B");
    CHECK(gen->open(gen_plan(), 1));
}

TEST_CASE("while a trial is open another generator is told to wait; its end frees the sink") {
    Link link;
    const Sink sink(link);
    const auto first = make_generator(std::make_unique<End>(link, 0), 1);
    REQUIRE(first->open(gen_plan(), 1));
    End other(link, 0);
    Caller second(2, 200ms);
    CHECK_FALSE(second.ask(other, Ask::hello, {}, 50ms));
    const auto busy = second.ask(other, Ask::hello, {}, 200ms);
    REQUIRE_FALSE(busy);
    CHECK(busy.error().message.find("another generator") != std::string::npos);
    REQUIRE(first->start());
    REQUIRE(first->stop());
    CHECK(second.ask(other, Ask::hello, {}, 2s));
    CHECK(second.waited() == Duration{0});
}

namespace {

/// A link with two sinks on one interface, as packet sockets allow.
class TwoSinks final : public trial::ControlLink {
  public:
    [[nodiscard]] plan::MacAddress address() const override { return {2, 0, 0, 0, 0, 1}; }

    bool send(ByteView frame) override {
        const auto question = assembler_.add(frame);
        for (const SinkId id : {SinkId{7}, SinkId{8}}) {
            Message answer = question->message;
            answer.kind = Kind::answer;
            answer.payload = encode(id);
            for (const Bytes& bytes : frames_of(answer, {address(), {2, 0, 0, 0, 0, 2}})) {
                answers_.push_back(bytes);
            }
        }
        return true;
    }

    bool receive(const std::function<void(ByteView)>& read) override {
        if (!answers_.empty()) {
            const Bytes first = answers_.front();
            answers_.pop_front();  // the other one's comes later
            read(first);
        }
        return true;
    }

    Result<void> set_destination(const plan::MacAddress& /*peer*/) override { return {}; }

  private:
    Assembler assembler_;
    std::deque<Bytes> answers_;
};

}  // namespace

TEST_CASE("two sinks on one link are refused") {
    TwoSinks link;
    Caller caller(3);
    const auto answer = caller.ask(link, Ask::hello, {}, 2s);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().kind == ErrorKind::environment);
    CHECK(answer.error().message.find("two sinks answer") != std::string::npos);
}

TEST_CASE("a trial that was not opened cannot be started") {
    Link link;
    const Sink sink(link);
    End gen(link, 0);
    Caller caller(3);
    REQUIRE(caller.ask(gen, Ask::hello, {}, 2s));
    const auto started = caller.ask(gen, Ask::start, {}, 2s);
    REQUIRE_FALSE(started);
    CHECK(started.error().message.find("no trial open") != std::string::npos);
}

}  // namespace gensink::apart
