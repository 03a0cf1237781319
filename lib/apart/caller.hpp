// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apart/message.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "trial/datapath.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace gensink::apart {

/// The generator's side of the talk: asks, and asks again until the sink has answered. Sleeps in
/// between.
class Caller {
  public:
    /// `session`: of one experiment. `busy_patience`: at least so long a sink is waited for that
    /// serves another.
    explicit Caller(std::uint32_t session, Duration busy_patience = std::chrono::seconds(15));

    /// The answer's payload. A hello goes to every sink on the link. Errors: the sink's own;
    /// environment where nobody answers a hello, the sink is busy or of another version, or there
    /// are two of them; measurement where it fell silent or went later.
    [[nodiscard]] Result<Bytes>
    ask(trial::ControlLink& link, Ask what, const Bytes& payload, Duration patience);

    enum class Overheard { nothing, alive, ended, unknown };

    /// What the sink has told unasked; unknown: it may be lost.
    [[nodiscard]] Overheard overhear(trial::ControlLink& link);

    /// A sink that told that it goes, and one that was not heard for so long while a trial ran.
    [[nodiscard]] Error ended() const;
    [[nodiscard]] Error silent(Duration silence) const;

    /// Tells without an answer.
    void tell(trial::ControlLink& link, Ask what) const;

    /// The sink's address, once it has answered.
    [[nodiscard]] const std::optional<plan::MacAddress>& peer() const { return peer_; }

    /// Since the last hello was asked: how long a sink answered "busy".
    [[nodiscard]] Duration waited() const { return waited_; }

  private:
    enum class Heard { nothing, answer, refusal, busy, mismatch };

    void send(trial::ControlLink& link, const Message& message) const;
    void note(const Assembler::Arrived& arrived);
    Result<void> check_alone(trial::ControlLink& link, Ask what);
    Result<Bytes> await(trial::ControlLink& link, const Message& question, Duration patience);
    Heard listen(trial::ControlLink& link, std::uint32_t number, Bytes& payload);
    [[nodiscard]] Error silence(Ask what, Duration patience, bool busy) const;
    [[nodiscard]] Error two_sinks() const;

    std::uint32_t session_;
    Duration busy_patience_;
    std::uint32_t number_;  ///< of the last question
    std::optional<plan::MacAddress> peer_;
    std::optional<SinkId> sink_;
    std::optional<plan::MacAddress> other_;  ///< another sink that answers on this link
    bool met_ = false;                       ///< a sink has answered, and time was given to others
    bool ended_ = false;                     ///< the sink told that it goes
    Duration waited_{0};
    Assembler assembler_;
};

}  // namespace gensink::apart
