// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/datapath.hpp"
#include "trial/trial.hpp"

#include <sched.h>
#include <unistd.h>

#include "catch.hpp"

namespace gensink::kernel {

namespace {

/// A CPU that this process may use.
CpuId some_cpu() {
    cpu_set_t set;
    CPU_ZERO(&set);
    REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
    unsigned cpu = 0;
    while (!CPU_ISSET(cpu, &set)) {
        ++cpu;
    }
    return CpuId{cpu};
}

/// A port that no test of another process has: those take another number.
std::uint16_t some_port() {
    return static_cast<std::uint16_t>(20000 + getpid() % 20000);
}

plan::TrialPlan plan_of(plan::Protocol protocol, plan::KernelSender sender) {
    plan::TrialPlan plan;
    plan.wire = plan::WireKind::kernel;
    plan.kernel.emplace();
    plan.kernel->protocol = protocol;
    plan.kernel->sender = sender;
    plan.kernel->loopback = true;
    const bool tcp = protocol == plan::Protocol::tcp;
    plan.frames.source_ip = plan.frames.destination_ip = {127, 0, 0, 1};
    plan.frames.destination_port = some_port();
    plan.frames.source_port = static_cast<std::uint16_t>(some_port() + 20000);
    plan.frames.payload_bytes = {1472};
    plan.frames.header_bytes = tcp ? 24 : 0;
    plan.frames.block_bytes = tcp ? 65536 : 1472;
    plan.payload.working_set = 1 << 18;
    plan.gen.burst = tcp ? 1 : 16;
    plan.gen.driver.system_calls = true;
    plan.gen.cores = {{LcoreId{1}, some_cpu(), {QueueId{0}}}};
    plan.sink = plan.gen;
    plan.sink->burst = 16;
    plan.lossless = tcp;
    plan.phases.warmup = Duration{20'000'000};
    plan.phases.measure = Duration{100'000'000};
    plan.phases.quiet = Duration{50'000'000};
    return plan;
}

trial::TrialResult run(const plan::TrialPlan& plan) {
    plan::Environment environment;
    environment.kernel = true;
    const auto datapath = make_datapath(environment);
    trial::Request request;
    request.shared_cores = true;
    trial::TrialResult result = trial::run(*datapath, plan, request, {});
    for (const trial::Reason& reason : result.reasons) {
        UNSCOPED_INFO(trial::name(reason.code) << ": " << reason.message);
    }
    return result;
}

}  // namespace

TEST_CASE("TCP delivers every byte that was written, whatever the sender") {
    for (const auto sender :
         {plan::KernelSender::write,
          plan::KernelSender::sendfile,
          plan::KernelSender::msg_zerocopy}) {
        const trial::TrialResult result = run(plan_of(plan::Protocol::tcp, sender));
        REQUIRE(result.complete);
        CHECK(result.ledger.in_bytes);
        CHECK(result.ledger.accepted > 65536);
        CHECK(result.ledger.in_order == result.ledger.accepted);
        CHECK(result.ledger.residue == 0);
        const counters::TxCounts& sent = result.counts.gen[0].total;
        // What lies in the socket's buffer when the generator ends is cut into segments later.
        CHECK(sent.frames_accepted > 0);
        CHECK(result.counts.sink[0].total.frames >= sent.frames_accepted);
        CHECK(result.counts.sink[0].total.frames >= sent.payload_bytes / 1448);
        if (sender == plan::KernelSender::write) {
            CHECK(sent.kernel_bytes_copied == sent.payload_bytes);
        } else if (sender == plan::KernelSender::sendfile) {
            CHECK(sent.kernel_bytes_copied == 0);
        } else {
            CHECK(sent.kernel_bytes_copied > 0);  // loopback copies after all, and says so
        }
    }
}

TEST_CASE("several TCP connections of several streams share a core, and close to the byte") {
    plan::TrialPlan plan = plan_of(plan::Protocol::tcp, plan::KernelSender::write);
    plan.frames.flows = 3;
    plan.gen.queues = plan.sink->queues = 2;
    plan.gen.cores[0].queues = plan.sink->cores[0].queues = {QueueId{0}, QueueId{1}};
    const trial::TrialResult result = run(plan);
    REQUIRE(result.complete);
    CHECK(result.ledger.residue == 0);
    REQUIRE(result.counts.streams.size() == 2);
    for (const trial::StreamReport& stream : result.counts.streams) {
        CHECK(stream.sent_measured.frames_accepted > 0);
        CHECK(stream.seen_other.in_order > 0);
    }
}

TEST_CASE("a UDP datagram is either in the ledger's order or a drop of the sink's socket") {
    for (const auto sender :
         {plan::KernelSender::write, plan::KernelSender::sendmmsg, plan::KernelSender::gso}) {
        plan::TrialPlan plan = plan_of(plan::Protocol::udp, sender);
        plan.gen.burst = sender == plan::KernelSender::write ? 1 : 16;
        const trial::TrialResult result = run(plan);
        REQUIRE(result.complete);
        CHECK(result.ledger.accepted > 0);
        CHECK(result.ledger.late == 0);
        CHECK(result.ledger.duplicate == 0);
        CHECK(result.ledger.corrupt == 0);
        CHECK(result.ledger.foreign == 0);
        CHECK(result.ledger.residue == 0);
        CHECK(result.ledger.unknown_place == 0);
        const counters::TxCounts& sent = result.counts.gen[0].total;
        std::uint64_t seen = 0;
        for (const trial::StreamReport& stream : result.counts.streams) {
            seen += stream.seen_measured.in_order + stream.seen_other.in_order;
        }
        REQUIRE(result.counts.sink_kernel.socket_dropped);
        CHECK(seen + *result.counts.sink_kernel.socket_dropped == sent.frames_accepted);
        CHECK(sent.burst_accepted[plan.gen.burst] > 0);
    }
}

TEST_CASE("a paced sender offers what it is asked for, and sleeps in between") {
    for (const auto protocol : {plan::Protocol::tcp, plan::Protocol::udp}) {
        const bool tcp = protocol == plan::Protocol::tcp;
        plan::TrialPlan plan =
            plan_of(protocol, tcp ? plan::KernelSender::write : plan::KernelSender::sendmmsg);
        plan.frames.block_bytes = tcp ? 1448 : 1472;
        plan.intended_fps = 2000;
        plan.fill = flow::Fill::due;
        const trial::TrialResult result = run(plan);
        REQUIRE(result.complete);
        const counters::TxCounts& sent = result.counts.gen[0].measured;
        CHECK(
            static_cast<double>(sent.payload_bytes) <=
            1.1 * 2000 * 1472 * result.measure_seconds + 16 * 1472
        );
        const auto slept = sent.cause_ticks[static_cast<std::size_t>(counters::TxCause::pacing)];
        CHECK(slept > sent.cause_ticks[static_cast<std::size_t>(counters::TxCause::sending)]);
    }
}

TEST_CASE("a port that another program has is named, with what to do") {
    const plan::TrialPlan plan = plan_of(plan::Protocol::tcp, plan::KernelSender::write);
    plan::Environment environment;
    environment.kernel = true;
    const auto first = make_datapath(environment);
    REQUIRE(first->open(plan, 1));
    const auto second = make_datapath(environment);
    const auto refused = second->open(plan, 2);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::environment);
    CHECK(refused.error().message.find("traffic.destination_port") != std::string::npos);
}

TEST_CASE("an address that no interface has is named, with what to do") {
    plan::TrialPlan plan = plan_of(plan::Protocol::udp, plan::KernelSender::sendmmsg);
    plan.frames.destination_ip = {203, 0, 113, 9};  // RFC 5737: nobody's
    plan::Environment environment;
    const auto refused = make_datapath(environment)->open(plan, 1);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("wire.veth") != std::string::npos);
}

}  // namespace gensink::kernel
