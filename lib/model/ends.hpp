// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/control.hpp"
#include "engine/mutator.hpp"
#include "engine/specs.hpp"
#include "flow/pacer.hpp"
#include "model/link.hpp"
#include "trial/datapath.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

/// The two ends as actors on a virtual clock. Each runs the engine's turns, one after the other;
/// whoever is due first goes first. Time in which an end waits is one turn, charged to its cause.
namespace gensink::model {

/// What a turn of the generator costs, and has cost so far.
struct Work {
    std::uint64_t frame_ticks = 0;
    std::uint64_t call_ticks = 0;
    std::uint64_t ticks = 0;  ///< of this turn
    std::uint32_t asked = 0;  ///< by its last send call
};

/// What both ends share. Everything in it happens at `now`.
struct World {
    World(
        const LinkSpec& link_spec, std::span<const std::byte> frame, std::span<const std::byte> ack
    );

    std::uint64_t now = 0;  ///< ticks of a nanosecond
    Work work;
    FrameStore frames;
    FrameStore acks;
    Link link;
};

class Generator {
  public:
    Generator() = default;
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;
    Generator(Generator&&) = delete;
    Generator& operator=(Generator&&) = delete;
    virtual ~Generator() = default;

    /// When its next turn is; flow::never: not before a phase change.
    [[nodiscard]] virtual std::uint64_t next() const = 0;
    /// A turn, at World::now.
    virtual void step() = 0;
    /// Follows the control, and tells its counts up to World::now. Drain ends it.
    virtual void look(const engine::Control& control) = 0;

    /// A finite transfer has come to its end in the measure phase.
    [[nodiscard]] virtual bool finished() const = 0;
    [[nodiscard]] virtual trial::CoreReport<counters::TxCounts> report() const = 0;
    [[nodiscard]] virtual counters::TxStreamCounts stream_measured() const = 0;
    /// Flows and latencies of the measure phase.
    virtual void add_to(trial::TransportReport& report) const = 0;
};

struct GeneratorSpec {
    std::uint64_t frame_ticks = 0;  ///< cost of a frame
    std::uint64_t call_ticks = 0;   ///< cost of a send call
    bool paced = false;
    flow::PacerSpec pacer;
    engine::StreamSpec stream;
    std::optional<engine::ClosedLoopSpec> closed;
};

[[nodiscard]] std::unique_ptr<Generator> make_generator(World& world, const GeneratorSpec& spec);

class Sink {
  public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    Sink(Sink&&) = delete;
    Sink& operator=(Sink&&) = delete;
    virtual ~Sink() = default;

    [[nodiscard]] virtual std::uint64_t next() const = 0;
    virtual void step() = 0;
    /// A turn now, unless one is under way.
    virtual void poll() = 0;
    virtual void look(const engine::Control& control) = 0;

    [[nodiscard]] virtual trial::CoreReport<counters::SinkCounts> report() const = 0;
    [[nodiscard]] virtual engine::StreamSeen stream() const = 0;
};

struct SinkSpec {
    engine::SinkSpec sink;
    std::optional<double> fps;  ///< what it takes from its ring; absent: all at once
    std::optional<engine::AckerSpec> acker;
};

[[nodiscard]] std::unique_ptr<Sink> make_sink(World& world, const SinkSpec& spec);

}  // namespace gensink::model
