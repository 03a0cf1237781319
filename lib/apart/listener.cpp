// SPDX-License-Identifier: BSD-3-Clause
#include "apart/listener.hpp"

#include "apart/message.hpp"
#include "apart/open_call.hpp"
#include "apart/responder.hpp"
#include "worker/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <thread>
#include <utility>

namespace gensink::apart {

namespace {

using namespace std::chrono_literals;
using counters::Phase;
using Clock = std::chrono::steady_clock;

constexpr Duration serve_time = 100ms;
constexpr Duration listen_step = 500us;
constexpr Duration between_counts = 5ms;
constexpr Duration between_signs = 250ms;  // of life
constexpr int copies_of_end = 3;
constexpr Duration silence_limit = 10s;  // beyond the settle phase
/// The sink's measure interval ends so long before the generator's, which began before it.
constexpr Duration cut_early = 30ms;
constexpr Duration quiet = 20ms;  // nothing has come for so long: the ring is empty
constexpr Duration quiet_limit = 1s;
constexpr Duration link_limit = 5s;

/// Totals that tell what is going on.
struct Progress {
    std::uint64_t frames = 0;  ///< of the generator
    std::uint64_t polls = 0;
    bool measured = false;  ///< a frame with the measure mark has come
};

std::uint64_t frames_of(const counters::StreamCounts& seen) {
    return seen.in_order + seen.late + seen.duplicate + seen.corrupt + seen.stale;
}

Progress progress_of(const trial::Snapshot& counts) {
    Progress progress;
    for (const auto& core : counts.sink) {
        progress.polls += core.total.receive_calls;
    }
    for (const trial::StreamReport& stream : counts.streams) {
        const std::uint64_t measured = frames_of(stream.seen_measured);
        progress.frames += measured + frames_of(stream.seen_other);
        progress.measured = progress.measured || measured != 0;
    }
    return progress;
}

/// One error of all.
Error joined(const std::vector<Error>& errors) {
    Error all = errors.front();
    for (std::size_t i = 1; i < errors.size(); ++i) {
        all.message += fmt::format("\n  {}: {}", errors[i].where, errors[i].message);
    }
    // The profile is right where it was written; it is this end that cannot do it.
    all.kind = ErrorKind::environment;
    return all;
}

SinkId random_id() {
    std::random_device random;
    return SinkId{random()} << 32U | random();
}

class Listener final : public trial::Datapath {
  public:
    Listener(std::unique_ptr<trial::Datapath> local, PlanTrial plan_trial)
        : local_(std::move(local)), plan_trial_(std::move(plan_trial)) {}

    Result<trial::Opened> open(const plan::TrialPlan& plan, std::uint32_t run_id) override;

    Result<void> start() override { return {}; }

    Result<void> enter(Phase /*phase*/) override { return {}; }

    Result<void> wait(Duration duration) override { return local_->wait(duration); }

    Result<trial::Snapshot> snapshot() override;
    Result<trial::Snapshot> stop() override;

    Result<void> close() override { return local_->close(); }

  private:
    using Answer = Result<Bytes>;

    void listen();
    void hear(const Assembler::Arrived& arrived);
    [[nodiscard]] bool is_claimed() const;
    [[nodiscard]] Answer perform(const Message& question);
    [[nodiscard]] Answer open_trial(const Message& question);
    [[nodiscard]] Answer begin();
    [[nodiscard]] Answer end();
    Result<void> reopen();
    Result<void> follow();
    void tell(Kind what);
    void begin_measuring();
    void cut();
    void send(const Message& message, const plan::MacAddress& to);

    std::unique_ptr<trial::Datapath> local_;
    PlanTrial plan_trial_;
    plan::TrialPlan idle_;  ///< what the port is open for while no trial is on
    plan::TrialPlan plan_;  ///< of the trial
    Assembler assembler_;
    SinkId id_ = random_id();
    std::uint32_t session_ = 0;     ///< 0: none yet
    plan::MacAddress generator_{};  ///< of the session
    Message last_answer_;           ///< number 0: none yet
    std::optional<Error> broken_;   ///< the port cannot be opened again: nothing can be heard
    bool open_ = false;     ///< a trial's plan is open, and its counts were not asked for yet
    bool running_ = false;  ///< its loops are
    bool is_cut_ = false;
    std::optional<Clock::time_point> measure_began_;
    Progress progress_;
    Clock::time_point heard_at_;  ///< frames or a question came
    Clock::time_point next_counts_;
    Clock::time_point next_sign_;
};

Result<trial::Opened> Listener::open(const plan::TrialPlan& plan, std::uint32_t run_id) {
    idle_ = plan_ = plan;
    return local_->open(plan, run_id);
}

Result<void> Listener::reopen() {
    (void)local_->close();
    plan_ = idle_;
    const auto opened = local_->open(idle_, 0);
    return opened ? Result<void>{} : tl::unexpected<Error>(opened.error());
}

void Listener::send(const Message& message, const plan::MacAddress& to) {
    trial::ControlLink* const link = local_->control_link();
    if (link != nullptr) {
        for (const Bytes& frame : frames_of(message, {to, link->address()})) {
            (void)link->send(frame);  // what is lost is asked for again
        }
    }
}

/// Reads what has come, then answers: to answer may close the port that was read from.
void Listener::listen() {
    trial::ControlLink* const link = local_->control_link();
    if (link == nullptr) {
        return;
    }
    std::vector<Assembler::Arrived> questions;
    std::vector<Bytes> answers;
    const Host host{link->address(), plan_.frames.destination_ip};
    link->receive([&](ByteView frame) {
        if (auto arrived = assembler_.add(frame)) {
            questions.push_back(*std::move(arrived));
        } else if (auto answer = answer_to(frame, host)) {
            answers.push_back(*std::move(answer));
        }
    });
    for (const Bytes& answer : answers) {
        (void)link->send(answer);
    }
    for (const Assembler::Arrived& question : questions) {
        hear(question);
    }
}

void Listener::hear(const Assembler::Arrived& arrived) {
    const Message& question = arrived.message;
    if (question.kind != Kind::question) {
        return;
    }
    Message answer{Kind::answer, question.ask, question.session, question.number, {}};
    if (!arrived.same_build) {
        const std::string text = version();
        const auto* const first = reinterpret_cast<const std::byte*>(text.data());
        answer.kind = Kind::mismatch;
        answer.payload.assign(first, first + text.size());
        send(answer, arrived.route.source);
        return;
    }
    if (question.session != session_) {
        if (is_claimed() || question.ask == Ask::start || question.ask == Ask::stop) {
            answer.kind = Kind::busy;
            answer.payload = encode(id_);
            send(answer, arrived.route.source);
            return;
        }
        session_ = question.session;
        last_answer_ = {};
    }
    heard_at_ = Clock::now();
    generator_ = arrived.route.source;
    if (question.ask == Ask::drained) {
        cut();
        return;
    }
    if (question.ask == Ask::measuring) {
        begin_measuring();
        return;
    }
    if (question.number < last_answer_.number) {
        return;  // a copy that was long on its way
    }
    if (question.number > last_answer_.number) {
        const Answer done = perform(question);
        answer.kind = done ? Kind::answer : Kind::refusal;
        answer.payload = done ? *done : worker::encode(done.error());
        last_answer_ = std::move(answer);
    }
    send(last_answer_, arrived.route.source);
}

/// A trial is open, and its generator was heard of lately.
bool Listener::is_claimed() const {
    return open_ && (running_ || Clock::now() - heard_at_ < silence_limit);
}

Listener::Answer Listener::perform(const Message& question) {
    switch (question.ask) {
    case Ask::hello:
        return encode(id_);
    case Ask::drained:
    case Ask::measuring:
        return Bytes{};
    case Ask::open:
        return open_trial(question);
    case Ask::start:
        return begin();
    case Ask::stop:
        return end();
    }
    return fail(ErrorKind::measurement, "the sink was asked something that it does not know");
}

Listener::Answer Listener::open_trial(const Message& question) {
    const auto call = decode_open_call(question.payload);
    if (!call) {
        return fail(ErrorKind::measurement, "the generator's plan makes no sense to the sink");
    }
    if (running_) {
        (void)end();  // its generator has thought better of it
    }
    auto planned = plan_trial_(call->settings);
    if (!planned) {
        return tl::unexpected<Error>(joined(planned.error()));
    }
    (void)local_->close();
    plan_ = *std::move(planned);
    auto opened = local_->open(plan_, call->run_id);
    if (!opened) {
        if (auto again = reopen(); !again) {
            broken_ = std::move(again.error());
        }
        return tl::unexpected<Error>(std::move(opened.error()));
    }
    // The answer leaves by the same link, and a device that settles would lose the first frames.
    const auto limit = Clock::now() + link_limit;
    for (auto counts = local_->snapshot();
         counts && counts->sink_link_up == false && Clock::now() < limit;
         counts = local_->snapshot()) {
        std::this_thread::sleep_for(between_counts);
    }
    std::this_thread::sleep_for(plan_.phases.settle);
    open_ = true;
    return worker::encode(*opened);
}

Listener::Answer Listener::begin() {
    if (!open_ || running_) {
        return fail(ErrorKind::measurement, "the sink has no trial open to start");
    }
    auto started = local_->start();
    if (!started) {
        return tl::unexpected<Error>(std::move(started.error()));
    }
    running_ = true;
    is_cut_ = false;
    measure_began_.reset();
    progress_ = {};
    next_counts_ = next_sign_ = Clock::now();
    return Bytes{};
}

/// Waits until the ring is empty, and joins the loops. They stay joined, and the port open.
Listener::Answer Listener::end() {
    cut();
    const auto limit = Clock::now() + quiet_limit;
    auto quiet_since = Clock::now();
    while (running_ && Clock::now() < limit && Clock::now() - quiet_since < quiet) {
        const auto counts = local_->snapshot();
        if (!counts) {
            return tl::unexpected<Error>(counts.error());
        }
        const Progress now = progress_of(*counts);
        if (now.frames != progress_.frames || now.polls == progress_.polls) {
            quiet_since = Clock::now();
        }
        progress_ = now;
        std::this_thread::sleep_for(between_counts);
    }
    open_ = running_ = false;
    auto counts = local_->stop();
    return counts ? Answer(worker::encode(*counts)) : tl::unexpected<Error>(counts.error());
}

/// Once in a trial.
void Listener::begin_measuring() {
    if (running_ && !measure_began_ && !is_cut_) {
        measure_began_ = Clock::now();
        (void)local_->enter(Phase::measure);
    }
}

/// Ends the measure interval.
void Listener::cut() {
    if (running_ && !is_cut_) {
        is_cut_ = true;
        (void)local_->enter(Phase::drain);
    }
}

/// Without being asked.
void Listener::tell(Kind what) {
    send({what, Ask::start, session_, 0, {}}, generator_);
}

/// Follows the generator by the marks of its frames.
Result<void> Listener::follow() {
    const auto now = Clock::now();
    if (running_ && !plan_.transport && now >= next_sign_) {  // else ACKs are the signs of life
        next_sign_ = now + between_signs;
        tell(Kind::alive);
    }
    if (!running_ || now < next_counts_) {
        return {};
    }
    next_counts_ = now + between_counts;
    const auto counts = local_->snapshot();
    if (!counts) {
        return tl::unexpected<Error>(counts.error());
    }
    const Progress progress = progress_of(*counts);
    if (progress.frames != progress_.frames) {
        heard_at_ = now;
    }
    progress_ = progress;
    if (progress.measured) {
        begin_measuring();
    }
    const bool finite = plan_.transport && plan_.transport->finite();
    if (measure_began_ && !finite && now >= *measure_began_ + plan_.phases.measure - cut_early) {
        cut();
    }
    if (now - heard_at_ > silence_limit + plan_.phases.settle) {
        (void)end();  // nobody is left to tell
    }
    return {};
}

Result<trial::Snapshot> Listener::snapshot() {
    const auto end_of_turn = Clock::now() + serve_time;
    while (Clock::now() < end_of_turn) {
        listen();
        if (auto followed = follow(); !followed) {
            return tl::unexpected<Error>(std::move(followed.error()));
        }
        if (broken_) {
            return tl::unexpected<Error>(*broken_);
        }
        std::this_thread::sleep_for(listen_step);
    }
    return local_->snapshot();
}

Result<trial::Snapshot> Listener::stop() {
    running_ = false;
    auto counts = local_->stop();
    for (int i = 0; session_ != 0 && i < copies_of_end; ++i) {
        tell(Kind::ended);
    }
    return counts;
}

}  // namespace

std::unique_ptr<trial::Datapath>
make_listener(std::unique_ptr<trial::Datapath> local, PlanTrial plan_trial) {
    return std::make_unique<Listener>(std::move(local), std::move(plan_trial));
}

}  // namespace gensink::apart
