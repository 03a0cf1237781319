// SPDX-License-Identifier: BSD-3-Clause
#include "apart/caller.hpp"

#include "worker/codec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace gensink::apart {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr Duration between_looks = 200us;
constexpr Duration first_repeat = 20ms;
constexpr Duration longest_repeat = 500ms;  // a sink that opens its port cannot hear for seconds
constexpr int copies_untold = 3;            // of what is not answered
constexpr Duration second_answer = 100ms;   // after which no other sink answers a first hello

Error refused(const Bytes& payload) {
    auto error = worker::decode_error(payload);
    if (!error) {
        return {
            ErrorKind::measurement, "the sink refused, and its reason makes no sense", "peer", 0};
    }
    error->where = error->where.empty() ? "peer" : "peer: " + error->where;
    return *std::move(error);
}

Error mismatched(const Bytes& payload) {
    const std::string other(reinterpret_cast<const char*>(payload.data()), payload.size());
    return {
        ErrorKind::environment,
        fmt::format(
            "the sink is gensink {}, this is gensink {}: run the same build at both ends",
            other,
            version()
        ),
        "peer",
        0};
}

std::string text_of(const plan::MacAddress& mac) {
    return fmt::format("{:02x}", fmt::join(mac, ":"));
}

/// Milliseconds, so that a later process of the experiment goes on with higher numbers.
std::uint32_t first_number() {
    const auto now = Clock::now().time_since_epoch();
    return static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now).count()
    );
}

}  // namespace

Caller::Caller(std::uint32_t session, Duration busy_patience)
    : session_(session), busy_patience_(busy_patience), number_(first_number()) {}

void Caller::send(trial::ControlLink& link, const Message& message) const {
    const bool to_all = message.ask == Ask::hello;
    const Route route{to_all ? everyone : peer_.value_or(everyone), link.address()};
    for (const Bytes& frame : frames_of(message, route)) {
        (void)link.send(frame);  // what is lost is asked again
    }
}

void Caller::tell(trial::ControlLink& link, Ask what) const {
    for (int i = 0; i < copies_untold; ++i) {
        send(link, {Kind::question, what, session_, 0, {}});
    }
}

/// What any message of a sink to this generator tells.
void Caller::note(const Assembler::Arrived& arrived) {
    const auto id = sink_id(arrived.message);
    peer_ = peer_.value_or(arrived.route.source);
    sink_ = sink_ ? sink_ : id;
    if (arrived.route.source != *peer_ || (id && id != sink_)) {
        other_ = arrived.route.source;
    } else if (arrived.message.kind == Kind::ended) {
        ended_ = true;
    }
}

Caller::Overheard Caller::overhear(trial::ControlLink& link) {
    bool alive = false;
    const bool all = link.receive([&](ByteView frame) {
        const auto arrived = assembler_.add(frame);
        if (arrived && arrived->message.kind != Kind::question &&
            arrived->message.session == session_) {
            note(*arrived);
            alive = alive || arrived->message.kind == Kind::alive;
        }
    });
    if (ended_) {
        return Overheard::ended;
    }
    return alive ? Overheard::alive : all ? Overheard::nothing : Overheard::unknown;
}

Caller::Heard Caller::listen(trial::ControlLink& link, std::uint32_t number, Bytes& payload) {
    Heard heard = Heard::nothing;
    (void)link.receive([&](ByteView frame) {
        auto arrived = assembler_.add(frame);
        if (!arrived || arrived->message.kind == Kind::question ||
            arrived->message.session != session_) {
            return;
        }
        note(*arrived);
        if (arrived->message.number != number || heard == Heard::answer) {
            return;
        }
        payload = std::move(arrived->message.payload);
        switch (arrived->message.kind) {
        case Kind::answer:
        case Kind::refusal:
            if (arrived->same_build) {
                heard = arrived->message.kind == Kind::answer ? Heard::answer : Heard::refusal;
            }
            break;
        case Kind::busy:
            heard = Heard::busy;
            break;
        case Kind::mismatch:
            heard = Heard::mismatch;
            break;
        case Kind::question:
        case Kind::alive:
        case Kind::ended:
            break;
        }
    });
    return heard;
}

Error Caller::two_sinks() const {
    return {
        ErrorKind::environment,
        fmt::format(
            "two sinks answer on this link, at {} and at {}: each would count a part of the "
            "frames, or "
            "both all of them; stop one of them (`gensink sink`), or give each a link of its own",
            text_of(*peer_),
            text_of(*other_)
        ),
        "peer",
        0};
}

Error Caller::ended() const {
    return {
        ErrorKind::measurement,
        fmt::format(
            "the sink at the other end ({}) has ended: its time (--for) was over, or it was "
            "stopped; start `gensink sink` there again",
            peer_ ? text_of(*peer_) : "unknown"
        ),
        "peer",
        0};
}

Error Caller::silent(Duration silence) const {
    return {
        ErrorKind::measurement,
        fmt::format(
            "the sink at the other end ({}) was not heard for {:.1f} s: it was killed, its host "
            "hangs, or the link has lost the way back; look there, and start `gensink sink` again",
            peer_ ? text_of(*peer_) : "unknown",
            seconds(silence)
        ),
        "peer",
        0};
}

Error Caller::silence(Ask what, Duration patience, bool busy) const {
    if (busy) {
        return {
            ErrorKind::environment,
            "the sink is in use by another generator: wait for its end, or stop it",
            "peer",
            0};
    }
    if (what == Ask::hello) {
        return {
            ErrorKind::environment,
            fmt::format(
                "no sink answered on the link within {:.3g} s, and nothing else was sent: start "
                "`gensink sink --port DEV` at the other end, and check the cable (or say "
                "wire.unattended: true to send without a sink)",
                seconds(patience)
            ),
            "peer",
            0};
    }
    return {
        ErrorKind::measurement,
        fmt::format(
            "the sink at the other end did not answer '{}' within {:.3g} s: it has died, or the "
            "link is down",
            name(what),
            seconds(patience)
        ),
        "peer",
        0};
}

/// Others may answer a little later. Only a hello reaches them.
Result<void> Caller::check_alone(trial::ControlLink& link, Ask what) {
    const auto until = Clock::now() + (std::exchange(met_, true) ? Duration{0} : second_answer);
    while (what == Ask::hello && !other_ && Clock::now() < until) {
        (void)overhear(link);
        std::this_thread::sleep_for(between_looks);
    }
    return other_ ? tl::unexpected<Error>(two_sinks()) : Result<void>{};
}

Result<Bytes>
Caller::ask(trial::ControlLink& link, Ask what, const Bytes& payload, Duration patience) {
    if (what == Ask::hello) {  // another may have taken the sink's place
        peer_.reset();
        sink_.reset();
        other_.reset();
        waited_ = Duration{0};
    }
    ended_ = false;
    auto answer = await(link, {Kind::question, what, session_, ++number_, payload}, patience);
    if (auto alone = answer ? check_alone(link, what) : Result<void>{}; !alone) {
        return tl::unexpected<Error>(std::move(alone.error()));
    }
    return answer;
}

Result<Bytes> Caller::await(trial::ControlLink& link, const Message& question, Duration patience) {
    const Ask what = question.ask;
    const auto begin = Clock::now();
    auto next_send = Clock::now();
    Duration repeat = first_repeat;
    bool busy = false;
    while (Clock::now() - begin < (busy ? std::max(patience, busy_patience_) : patience)) {
        if (Clock::now() >= next_send) {
            send(link, question);
            next_send = Clock::now() + repeat;
            repeat = std::min(2 * repeat, longest_repeat);
        }
        Bytes answer;
        switch (listen(link, question.number, answer)) {
        case Heard::answer:
            waited_ += busy ? Clock::now() - begin : Duration{0};
            return answer;
        case Heard::refusal:
            return tl::unexpected<Error>(refused(answer));
        case Heard::mismatch:
            return tl::unexpected<Error>(mismatched(answer));
        case Heard::busy:
            busy = true;  // another's trial ends, or that one's silence frees the sink
            break;
        case Heard::nothing:
            break;
        }
        if (ended_ && what != Ask::hello) {
            return tl::unexpected<Error>(ended());
        }
        std::this_thread::sleep_for(between_looks);
    }
    return tl::unexpected<Error>(silence(what, patience, busy));
}

}  // namespace gensink::apart
