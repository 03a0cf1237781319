// SPDX-License-Identifier: BSD-3-Clause
#include "plan/describe.hpp"
#include "plan/detail/describe.hpp"
#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace gensink::plan::detail {

namespace {

std::string_view plural(std::uint64_t count) {
    return count == 1 ? "" : "s";
}

std::string describe_window(const flow::SenderSpec& sender) {
    const flow::WindowSpec& window = sender.window;
    if (!window.limit_bytes) {
        return fmt::format(
            "  window    unlimited; at most {} frame{} of a flow are kept track of\n",
            sender.max_outstanding,
            plural(sender.max_outstanding)
        );
    }
    const bool truesize = window.accounting == flow::Accounting::truesize;
    std::string text = fmt::format("  window    {} B", *window.limit_bytes);
    text +=
        window.reserve_bytes == 0 ? "" : fmt::format(" less {} B kept back", window.reserve_bytes);
    text += truesize ? fmt::format(", {} B for each frame", window.truesize_bytes)
            : window.accounting == flow::Accounting::frame ? " of frames with FCS"
                                                           : " of payload";
    text += window.admit == flow::Admit::while_below ? ", while the limit is not reached"
                                                     : ", a frame must fit";
    if (window.wake_ratio > 0) {
        text += fmt::format(", a blocked flow waits for {:g} % free", window.wake_ratio * 100);
    }
    const std::uint32_t frames = flow::frames_admitted(sender, sender.max_outstanding);
    return text + fmt::format(": {} frame{} outstanding a flow\n", frames, plural(frames));
}

std::string describe_congestion(const flow::CongestionSpec& congestion) {
    if (!congestion.on) {
        return {};
    }
    std::string text = fmt::format(
        "  congestion  slow start from {} frame{}, each ACK adds {:g}",
        congestion.initial_frames,
        plural(congestion.initial_frames),
        congestion.growth
    );
    if (congestion.ssthresh_frames) {
        text += fmt::format(", up to {} frames", *congestion.ssthresh_frames);
    }
    return text + '\n';
}

std::string describe_ack(const flow::AckSpec& ack) {
    std::vector<std::string> rules;
    if (ack.every_frames == 1U) {
        rules.emplace_back("of every frame, at once");
    } else if (ack.every_frames) {
        rules.push_back(fmt::format("after {} frames", *ack.every_frames));
    }
    if (ack.above_bytes) {
        rules.push_back(fmt::format("above {} B of payload", *ack.above_bytes));
    }
    if (ack.delay) {
        rules.push_back(fmt::format(
            "{}{} after the first frame",
            describe_duration(*ack.delay),
            ack.delay_max ? fmt::format(" to {}", describe_duration(*ack.delay_max)) : ""
        ));
    }
    std::string text;
    for (const std::string& rule : rules) {
        text += (text.empty() ? "" : ", or ") + rule;
    }
    return fmt::format("  ACK       {}\n", text);
}

std::string describe_recovery(const flow::RecoverySpec& recovery) {
    return fmt::format(
        "  recovery  after {}: {}\n",
        describe_duration(recovery.timeout),
        recovery.policy == flow::Recovery::retransmit ? "retransmit" : "give up"
    );
}

std::string describe_transfer(const TrialPlan& trial) {
    const TransportPlan& transport = *trial.transport;
    const flow::SenderSpec& sender = transport.sender;
    std::string text = "  transfer  ";
    if (!sender.blocks) {
        text += "until the measure phase ends";
    } else if (sender.sequential) {
        text += fmt::format(
            "{} object{} of {} B a flow, one after the other{}",
            *sender.blocks,
            plural(*sender.blocks),
            sender.block.bytes(),
            sender.connect ? ", each over a connection of its own" : ""
        );
    } else {
        const std::uint64_t flows = std::uint64_t{trial.frames.flows} * trial.gen.queues;
        text += fmt::format(
            "{} B in all: {} block{} a flow",
            *sender.blocks * sender.block.bytes() * flows,
            *sender.blocks,
            plural(*sender.blocks)
        );
    }
    if (transport.fan_out > 1) {
        text += fmt::format(
            "; one writer, each block to {} of {} flows", transport.fan_out, trial.frames.flows
        );
    }
    return text + '\n';
}

/// The round trip of a real wire; the model's is described with its path.
std::string describe_delay(const TransportPlan& transport) {
    if (transport.ack.path_delay.count() == 0) {
        return {};
    }
    return fmt::format(
        "  path      the sink holds each ACK back for {}, up to {} at a time\n",
        describe_duration(transport.ack.path_delay),
        transport.ack.line_records
    );
}

std::string describe_path(const ModelPlan& model) {
    std::string text = fmt::format("  path      RTT {}", describe_duration(model.rtt));
    text += model.rate_bps ? fmt::format(", {:g} Mbit/s at layer 1", *model.rate_bps / 1e6)
                           : ", any rate";
    text +=
        model.loss_ratio > 0 ? fmt::format(", {:g} % lost", model.loss_ratio * 100) : ", no loss";
    text +=
        model.ack_loss_ratio > 0 ? fmt::format(", {:g} % of ACKs", model.ack_loss_ratio * 100) : "";
    if (model.timeouts > 0) {
        text += fmt::format(
            ", {} block{} delayed by a timeout", model.timeouts, plural(model.timeouts)
        );
    }
    return text + '\n';
}

}  // namespace

std::string describe_size(std::uint32_t udp_payload, std::uint32_t header) {
    const std::uint32_t frame = wire::frame_bytes(udp_payload);
    return fmt::format(
        "payload {} B{}, UDP {}, IP {}, frame {} with FCS, on the wire {}",
        udp_payload - std::min(header, udp_payload),
        header == 0 ? "" : fmt::format(" + header {}", header),
        udp_payload + wire::udp_bytes,
        udp_payload + wire::udp_bytes + wire::ipv4_bytes,
        frame,
        wire::wire_bytes(frame)
    );
}

std::string describe_block(const TrialPlan& trial) {
    const flow::BlockCut& block = trial.transport->sender.block;
    const std::uint32_t header = trial.frames.header_bytes;
    std::string text;
    std::uint32_t first = 0;
    while (first < block.frames) {
        const std::uint16_t bytes = block.bytes_of(first);
        // All but the last two have one size.
        std::uint32_t last = std::max(first + 1, block.frames < 2 ? 1U : block.frames - 2);
        while (last < block.frames && block.bytes_of(last) == bytes) {
            ++last;
        }
        const std::uint32_t udp = std::max(wire::gensink_header_bytes, bytes + header);
        text += fmt::format("    {} x {}\n", last - first, describe_size(udp, header));
        first = last;
    }
    return text;
}

std::string describe_transport(const TrialPlan& trial) {
    if (!trial.transport) {
        return {};
    }
    const flow::SenderSpec& sender = trial.transport->sender;
    return describe_window(sender) + describe_congestion(sender.congestion) +
           describe_ack(trial.transport->ack) + describe_delay(*trial.transport) +
           describe_recovery(sender.recovery) + describe_transfer(trial);
}

std::string describe_model(const TrialPlan& trial) {
    const ModelPlan& model = *trial.model;
    std::string text = "  model     virtual time, not a measurement\n";
    text += fmt::format(
        "  generator {} ns a frame and {} ns a call, burst {}, ring {}\n",
        model.frame_ticks,
        model.call_ticks,
        trial.gen.burst,
        trial.gen.descriptors
    );
    text += describe_path(model);
    text += fmt::format(
        "  sink      takes {}{}\n",
        model.sink_fps ? describe_fps(*model.sink_fps) : "all at once",
        model.sink_ring ? fmt::format(
                              ", from a ring of {} {}",
                              model.sink_ring->value,
                              model.sink_ring->frames ? "frames" : "B"
                          )
                        : ""
    );
    return text;
}

}  // namespace gensink::plan::detail
