// SPDX-License-Identifier: BSD-3-Clause
#include "host/clock.hpp"
#include "kernel/detail/open.hpp"
#include "kernel/tcp_sink.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <chrono>
#include <sys/socket.h>
#include <utility>

namespace gensink::kernel::detail {
namespace {

std::uint64_t ticks(Duration duration) {
    return static_cast<std::uint64_t>(seconds(duration) * static_cast<double>(host::tsc_hz()));
}

std::uint16_t port_of(const plan::FrameRecipe& frames, std::size_t stream) {
    return static_cast<std::uint16_t>(frames.destination_port + stream);
}

TcpOptions tcp_options(const plan::KernelPlan& kernel) {
    return {
        .buffers = {kernel.send_buffer, kernel.receive_buffer},
        .mtu = kernel.mtu,
        .no_delay = kernel.no_delay,
        .zero_copy = kernel.sender == plan::KernelSender::msg_zerocopy,
    };
}

/// One after the other, as many as the profile has flows, to the port of each stream.
Result<void> connect_flows(Open& o, const TcpOptions& options) {
    const plan::FrameRecipe& frames = o.plan.frames;
    const Hello hello{.run_id = o.run_id};
    for (std::uint16_t q = 0; q < o.plan.gen.queues; ++q) {
        for (std::uint16_t f = 0; f < frames.flows; ++f) {
            auto made = tcp_connect(
                {frames.source_ip, 0}, {frames.destination_ip, port_of(frames, q)}, options
            );
            if (!made) {
                return tl::unexpected<Error>(made.error());
            }
            if (::send(made->fd(), &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello) {
                return fail(ErrorKind::environment, "the connection takes nothing", "TCP");
            }
            o.gen_sockets.push_back({*std::move(made), static_cast<std::uint8_t>(q)});
        }
    }
    return {};
}

wire::FrameFields frame_fields(const Open& o) {
    const plan::FrameRecipe& f = o.plan.frames;
    wire::FrameFields fields;
    fields.source_ip = f.source_ip;
    fields.destination_ip = f.destination_ip;
    fields.source_port = f.source_port;
    fields.destination_port = f.destination_port;
    fields.payload_bytes = *std::ranges::max_element(f.payload_bytes);
    fields.run_id = o.run_id;
    fields.checksum = wire::UdpChecksumField::zero;  // the kernel makes and checks it
    return fields;
}

engine::LoopSpec loop_spec(const Open& o) {
    const std::uint64_t limit = ticks(o.plan.validity.turn_limit);
    return {limit, limit, ticks(std::chrono::milliseconds(1))};
}

/// In blocks for TCP, in datagrams for UDP.
flow::PacerSpec pacer_spec(const Open& o, QueueId queue) {
    flow::PacerSpec pacer;
    const bool tcp = o.plan.is_tcp();
    if (o.plan.intended_fps) {
        const double per_frame = tcp ? o.plan.mean_payload_bytes() / o.plan.frames.block_bytes : 1;
        const auto hz = static_cast<double>(host::tsc_hz());
        pacer = flow::share(hz, *o.plan.intended_fps * per_frame, o.plan.gen.queues, queue.value);
    }
    pacer.burst = tcp ? 1 : o.plan.gen.burst;
    pacer.fill = o.plan.fill;
    pacer.flush_after_ticks = ticks(o.plan.flush_after);
    pacer.behind = o.plan.behind;
    return pacer;
}

std::vector<int> sockets_of(const std::vector<StreamSocket>& all, std::size_t stream) {
    std::vector<int> own;
    for (const StreamSocket& one : all) {
        if (one.stream == stream) {
            own.push_back(one.socket.fd());
        }
    }
    return own;
}

}  // namespace

Result<void> open_sink(Open& o) {
    const plan::FrameRecipe& frames = o.plan.frames;
    const TcpOptions options = tcp_options(*o.plan.kernel);
    for (std::uint16_t q = 0; q < o.plan.sink->queues; ++q) {
        const Address own{frames.destination_ip, port_of(frames, q)};
        auto made = o.plan.is_tcp() ? tcp_listener(own, options) : udp_socket(own, options.buffers);
        if (!made) {
            return tl::unexpected<Error>(made.error());
        }
        o.sink_sockets.push_back({*std::move(made), static_cast<std::uint8_t>(q)});
    }
    return {};
}

Result<void> open_generator(Open& o) {
    const plan::FrameRecipe& frames = o.plan.frames;
    const TcpOptions options = tcp_options(*o.plan.kernel);
    if (o.plan.is_tcp()) {
        auto source = Source::make(o.plan.payload, frames.block_bytes);
        if (!source) {
            return tl::unexpected<Error>(source.error());
        }
        o.source = *std::move(source);
        return {};
    }
    for (std::uint16_t q = 0; q < o.plan.gen.queues; ++q) {
        auto made = udp_socket(
            {frames.source_ip, static_cast<std::uint16_t>(frames.source_port + q)}, options.buffers
        );
        auto done = made ? connect_udp(*made, {frames.destination_ip, port_of(frames, q)})
                         : tl::unexpected<Error>(made.error());
        if (!done) {
            return done;
        }
        o.gen_sockets.push_back({*std::move(made), static_cast<std::uint8_t>(q)});
    }
    return {};
}

Result<void> connect_generator(Open& o) {
    return o.plan.is_tcp() ? connect_flows(o, tcp_options(*o.plan.kernel)) : Result<void>();
}

void make_gen_loops(Open& o) {
    for (const plan::CorePlan& core : o.plan.gen.cores) {
        GenLoopSpec spec;
        spec.loop = loop_spec(o);
        spec.paced = o.plan.intended_fps.has_value();
        spec.kernel = *o.plan.kernel;
        spec.block_bytes = o.plan.frames.block_bytes;
        spec.source = o.source.bytes();
        spec.source_fd = o.source.fd();
        for (const QueueId queue : core.queues) {
            const auto stream = static_cast<std::uint8_t>(queue.value);
            wire::FrameFields fields = frame_fields(o);
            fields.source_port = static_cast<std::uint16_t>(fields.source_port + queue.value);
            spec.streams.push_back(
                {sockets_of(o.gen_sockets, stream),
                 pacer_spec(o, queue),
                 {o.run_id, stream, 1, o.plan.frames.payload_bytes, fields}}
            );
        }
        o.ends.gen_loops.push_back(make_gen_loop(spec));
    }
}

void make_sink_loops(Open& o) {
    for (const plan::CorePlan& core : o.plan.sink->cores) {
        std::vector<int> sockets;
        std::vector<TcpListener> listeners;
        for (const QueueId queue : core.queues) {
            for (const int fd : sockets_of(o.sink_sockets, queue.value)) {
                sockets.push_back(fd);
                listeners.push_back(
                    {fd, static_cast<std::uint8_t>(queue.value), o.plan.frames.flows}
                );
            }
        }
        if (o.plan.is_tcp()) {
            o.ends.sink_loops.push_back(make_tcp_sink(
                loop_spec(o),
                o.plan.kernel->read_bytes,
                o.plan.gen.queues,
                TcpDoor(o.run_id, std::move(listeners))
            ));
            continue;
        }
        const engine::SinkSpec sink{
            .run_id = o.run_id,
            .destination_port = o.plan.frames.destination_port,
            .streams = o.plan.gen.queues,
            .flows = 1,
            .burst = o.plan.sink->burst,
            .slow_ticks = 0,
            .window_frames = 0,
        };
        o.ends.sink_loops.push_back(make_udp_sink(loop_spec(o), sink, sockets, frame_fields(o)));
    }
}

}  // namespace gensink::kernel::detail
