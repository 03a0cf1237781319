// SPDX-License-Identifier: BSD-3-Clause
// What a loop and its control thread share, from two threads: for the thread sanitizer above all.
#include "engine/mailbox.hpp"
#include "engine/sink.hpp"
#include "engine/tx.hpp"
#include "flow/pacer.hpp"
#include "flow/window.hpp"

#include <atomic>
#include <numeric>
#include <thread>

#include "catch.hpp"
#include "fakes.hpp"

using namespace gensink;
using namespace gensink::engine;
using counters::Phase;

namespace {

/// Runs a loop in a thread of its own, and looks at it from here through all phases.
template <class Loop, class Look>
void run_watched(Loop& loop, Control& control, Look look) {
    std::thread thread([&] { loop.run(control); });
    for (const Phase phase : {Phase::warmup, Phase::measure, Phase::drain}) {
        control.phase = phase;
        for (int i = 0; i < 200; ++i) {
            look();
            std::this_thread::yield();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    control.stop = true;
    thread.join();
}

}  // namespace

TEST_CASE("a generator's counts, read while it runs, never go back and end at its last") {
    fake::World world;
    world.write_templates(fake::stream_spec().fields);
    world.on_send = [&world] {
        world.free.insert(world.free.end(), world.link.begin(), world.link.end());
        world.link.clear();
    };
    using Queue = TxQueue<fake::TxPort, flow::MaxPacer, flow::UnlimitedWindow, UniformMutator>;
    std::vector<Queue> queues;
    flow::PacerSpec pacer;
    pacer.burst = 32;
    queues.push_back({{&world}, flow::MaxPacer(pacer), {}, UniformMutator(fake::stream_spec())});
    TxLoop<fake::Clock, Queue> loop({&world}, {1'000'000, 100'000, 1000}, std::move(queues));
    Control control;
    std::uint64_t seen = 0;
    run_watched(loop, control, [&] {
        const std::uint64_t now = loop.total().frames_accepted;
        CHECK(now >= seen);
        seen = now;
        (void)loop.queue_state(0);
    });
    CHECK(loop.report().total.frames_accepted >= seen);
    CHECK(loop.total().frames_accepted == loop.report().total.frames_accepted);
}

TEST_CASE("a sink's counts, marks and letters, read while it runs, are whole") {
    fake::World world;
    world.write_templates(fake::stream_spec().fields);
    UniformMutator mutator(fake::stream_spec());
    mutator.set_phase(Phase::measure);
    std::uint64_t sent = 0;
    world.on_receive = [&] {
        fake::Frame* frame = nullptr;
        if (!world.link.empty() || !fake::TxPort{&world}.take(&frame, 1)) {
            return;
        }
        if (++sent % 8 == 0) {  // a letter: its number in every byte behind the type
            frame->data.fill(static_cast<std::byte>(sent / 8));
            frame->data[12] = std::byte{0x88};
            frame->data[13] = std::byte{0xb5};
        } else {
            frame->length = wire::frame_bytes_without_fcs(18);
            wire::write_frame({frame->data.data(), frame->length}, fake::stream_spec().fields);
            mutator.mutate<fake::TxPort>(&frame, 1, world.now);
            mutator.commit(1);
        }
        world.link.push_back(frame);
    };
    Mailbox mail;
    SinkSpec spec{fake::run_id, fake::port, 1, 1, 32, 0, 0};
    spec.mail = &mail;
    std::vector<fake::RxPort> ports{{&world}};
    SinkLoop<fake::RxPort, fake::Clock, true> loop(
        {&world}, {1'000'000, 100'000, 1000}, spec, std::move(ports)
    );
    Control control;
    std::uint64_t seen = 0;
    std::uint64_t letters = 0;
    run_watched(loop, control, [&] {
        CHECK(loop.stream(0).measured.in_order >= seen);
        seen = loop.stream(0).measured.in_order;
        (void)loop.total();
        (void)loop.phase();
        mail.take([&](std::span<const std::byte> letter) {
            ++letters;
            const bool whole = std::all_of(letter.begin() + 14, letter.end(), [&](std::byte b) {
                return b == letter.back();
            });
            CHECK(whole);
        });
    });
    CHECK(letters > 0);
    CHECK(loop.phase() == Phase::drain);
    CHECK(loop.stream(0).measured.in_order >= seen);
    const counters::SinkCounts& total = loop.report().total;
    CHECK(total.background >= letters);
    CHECK(total.stray_bytes == total.background * wire::frame_bytes(18));
}

TEST_CASE("letters come in the order in which they were written, those without room left out") {
    constexpr std::uint32_t last = 20'000;
    Mailbox mail;
    std::thread writer([&mail] {
        std::array<std::byte, 64> letter{};
        for (std::uint32_t i = 1; i <= last; ++i) {
            std::memcpy(letter.data(), &i, sizeof i);
            mail.put(letter.data(), sizeof letter);
        }
        const std::uint32_t end = 0;
        std::memcpy(letter.data(), &end, sizeof end);
        for (int i = 0; i < 100; ++i) {  // one of them finds room
            mail.put(letter.data(), sizeof letter);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    std::uint32_t before = 0;
    bool ended = false;
    bool rising = true;
    while (!ended) {
        mail.take([&](std::span<const std::byte> letter) {
            std::uint32_t number = 0;
            std::memcpy(&number, letter.data(), sizeof number);
            ended = ended || number == 0;
            rising = rising && (number == 0 || number > before);
            before = number == 0 ? before : number;
        });
    }
    writer.join();
    CHECK(rising);
    CHECK(before > 0);
}

TEST_CASE("what is too long for a letter is left out") {
    Mailbox mail;
    const std::array<std::byte, Mailbox::longest + 1> frame{};
    mail.put(frame.data(), Mailbox::longest + 1);
    int letters = 0;
    mail.take([&](std::span<const std::byte>) { ++letters; });
    CHECK(letters == 0);
    mail.put(frame.data(), Mailbox::longest);
    mail.take([&](std::span<const std::byte> letter) {
        ++letters;
        CHECK(letter.size() == Mailbox::longest);
    });
    CHECK(letters == 1);
}
