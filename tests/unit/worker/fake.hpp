// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trial/datapath.hpp"
#include "worker/codec.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sys/socket.h>
#include <unistd.h>

namespace gensink::worker::fixture {

/// What a child does instead of answering.
enum class Deed { none, segfault, abort, exit, hang, nonsense, wrong_answer, refuse, chatter };

struct Script {
    Call at = Call::quit;  ///< the call that goes wrong
    Deed deed = Deed::none;
};

/// A datapath without ports, for the child: counts its calls, and misbehaves as told.
class Fake final : public trial::Datapath {
  public:
    explicit Fake(Script script) : script_(script) {}

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override {
        if (auto bad = act(Call::open)) {
            return tl::unexpected<Error>(*bad);
        }
        trial::Opened opened;
        opened.tsc_hz = run_id;
        opened.gen_driver = "fake";
        opened.sink_driver = "fake";
        opened.gen_limits.max_queues = plan.gen.queues;
        opened.memory = plan.load.unit == flow::LoadUnit::max ? "max" : "paced";
        opened.gen_link_bps = static_cast<std::uint64_t>(plan.intended_fps.value_or(0));
        opened.warnings = {"no such feature"};
        return opened;
    }

    Result<void> start() override { return step(Call::start); }

    Result<void> enter(counters::Phase phase) override {
        phase_ = phase;
        return step(Call::enter);
    }

    Result<void> wait(Duration) override {
        return fail(ErrorKind::measurement, "a child is never asked to wait");
    }

    Result<trial::Snapshot> snapshot() override { return counts(Call::snapshot); }

    Result<trial::Snapshot> stop() override { return counts(Call::stop); }

    Result<void> close() override { return step(Call::close); }

  private:
    Result<void> step(Call call) {
        if (auto bad = act(call)) {
            return tl::unexpected<Error>(*bad);
        }
        return {};
    }

    Result<trial::Snapshot> counts(Call call) {
        if (auto bad = act(call)) {
            return tl::unexpected<Error>(*bad);
        }
        trial::Snapshot snapshot;
        snapshot.tsc_hz = static_cast<std::uint64_t>(getpid());
        snapshot.gen.resize(1);
        snapshot.gen[0].total.frames_accepted = static_cast<std::uint64_t>(phase_);
        snapshot.gen[0].total.burst_accepted[counters::max_burst] = 7;
        return snapshot;
    }

    std::optional<Error> act(Call call) const {
        if (call != script_.at) {
            return std::nullopt;
        }
        switch (script_.deed) {
        case Deed::segfault:
            (void)std::raise(SIGSEGV);
            break;
        case Deed::abort:
            (void)std::fprintf(stderr, "EAL: panic: out of luck\n");
            std::abort();
        case Deed::exit:
            _exit(7);
        case Deed::hang:
            for (;;) {
                pause();
            }
        case Deed::nonsense:
            say("this is not a message, and it is longer than a header");
            break;
        case Deed::wrong_answer:
            say(std::string_view(
                "\x03\0\0\0\x04\x01\x53\x67"
                "abc",
                11
            ));
            break;
        case Deed::refuse:
            (void)std::printf("net_fake: probing\nnet_fake: no such device\n");
            return Error{ErrorKind::device, "the port is refused", "net_fake0", ENODEV};
        case Deed::chatter:
            for (int line = 1; line <= 100; ++line) {
                (void)std::printf("line %d\n", line);
            }
            std::abort();
        case Deed::none:
            break;
        }
        return std::nullopt;
    }

    static void say(std::string_view text) { (void)::send(3, text.data(), text.size(), 0); }

    Script script_;
    counters::Phase phase_ = counters::Phase::settle;
};

}  // namespace gensink::worker::fixture
