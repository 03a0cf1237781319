// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/recipe.hpp"

#include "plan/detail/kernel.hpp"
#include "plan/detail/transport.hpp"
#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace gensink::plan::detail {

namespace {

/// What TCP's header is longer than UDP's, time stamps (RFC 7323) included, which Linux sends.
constexpr std::uint32_t tcp_beyond_udp = 24;

std::uint32_t header_of(const profile::Settings& settings) {
    if (is_kernel_tcp(settings)) {
        return tcp_beyond_udp;
    }
    return static_cast<std::uint32_t>(settings.get<std::uint64_t>("traffic.header"));
}

/// As iperf3 writes at once.
constexpr std::uint32_t stream_block = 128U << 10U;

/// The application's bytes that a frame needs at least, so that gensink's header fits.
std::uint32_t least_of(const profile::Settings& settings) {
    const std::uint32_t header = header_of(settings);
    return header < wire::gensink_header_bytes ? wire::gensink_header_bytes - header : 1;
}

/// Bytes that are sent: a frame is never shorter than gensink's header.
std::uint16_t sent_bytes(std::uint32_t application, std::uint32_t header) {
    return static_cast<std::uint16_t>(std::max(wire::gensink_header_bytes, application + header));
}

/// Room of each frame for the application, or a problem.
std::uint32_t room_of(const profile::Settings& settings, Problems& problems) {
    const std::uint32_t least = least_of(settings);
    const std::uint32_t room = payload_room(settings);
    if (room < 2 * least) {
        problems.add(
            settings.where("traffic.header"),
            fmt::format(
                "{} B of header leave {} B of a frame at traffic.mtu: {}: raise the MTU",
                header_of(settings),
                room,
                settings.get<std::uint64_t>("traffic.mtu")
            )
        );
        return 2 * least;
    }
    return room;
}

bool coalesces(const profile::Settings& settings) {
    return is_kernel_tcp(settings) || settings.get<std::string>("traffic.frame_mode") == "coalesce";
}

/// Bytes of a block as written, or of the frame that was asked for.
std::uint32_t block_bytes(const profile::Settings& settings, Problems& problems) {
    const auto block = settings.find<std::uint64_t>("traffic.block_size");
    const auto frame = settings.find<std::uint64_t>("traffic.frame_size");
    if (block && frame) {
        problems.add(
            settings.where("traffic.frame_size"),
            fmt::format(
                "traffic.frame_size excludes traffic.block_size, which is set at {}: set one of "
                "them, "
                "the other to `auto`",
                settings.where("traffic.block_size")
            )
        );
    }
    if (block) {
        return static_cast<std::uint32_t>(*block);
    }
    const std::uint32_t header = header_of(settings);
    if (!frame && is_kernel_tcp(settings)) {
        return stream_block;
    }
    if (!frame) {
        const std::uint32_t whole = wire::payload_bytes(wire::min_frame_bytes);
        return std::max(whole, header + 1) - header;
    }
    const auto mtu = settings.get<std::uint64_t>("traffic.mtu");
    const std::uint64_t needed = *frame - wire::ethernet_bytes - wire::fcs_bytes;
    if (needed > mtu) {
        problems.add(
            settings.where("traffic.frame_size"),
            fmt::format("a frame of {} B needs traffic.mtu: {} (it is {})", *frame, needed, mtu)
        );
    }
    if (coalesces(settings)) {
        problems.add(
            settings.where("traffic.frame_size"),
            "coalesce fills frames up to traffic.mtu: give traffic.block_size, not frame_size"
        );
    }
    const std::uint32_t whole = wire::payload_bytes(static_cast<std::uint32_t>(*frame));
    if (whole <= header) {
        problems.add(
            settings.where("traffic.frame_size"),
            fmt::format(
                "a frame of {} B has no room beside traffic.header: {} B: it must have {} B or "
                "more",
                *frame,
                header,
                wire::frame_bytes(header + 1)
            )
        );
        return 1;
    }
    return whole - header;
}

/// Flows of a queue, and the ports that tell them apart.
void plan_flows(FrameRecipe& recipe, const profile::Settings& settings, Problems& problems) {
    const auto flows = settings.get<std::uint64_t>("traffic.flows");
    if (!std::has_single_bit(flows) && !closes_loop(settings) && !is_kernel_tcp(settings)) {
        problems.add(
            settings.where("traffic.flows"),
            fmt::format("{} flows: write a power of two, such as {}", flows, std::bit_ceil(flows))
        );
    }
    recipe.flows = static_cast<std::uint16_t>(flows);
    recipe.source_port =
        static_cast<std::uint16_t>(settings.get<std::uint64_t>("traffic.source_port"));
    recipe.destination_port =
        static_cast<std::uint16_t>(settings.get<std::uint64_t>("traffic.destination_port"));
    if (recipe.source_port + flows - 1 > 65535) {
        problems.add(
            settings.where("traffic.source_port"),
            fmt::format("{} flows from port {} on end above 65535", flows, recipe.source_port)
        );
    }
}

/// Payload of each frame that carries a block, none with fewer than `least`.
std::vector<std::uint16_t> cut_block(std::uint32_t block, std::uint32_t mss, std::uint32_t least) {
    const std::uint32_t rest = block % mss;
    if (rest == 0) {
        return {static_cast<std::uint16_t>(mss)};  // every frame alike: a cycle of one
    }
    std::vector<std::uint16_t> pieces(block / mss, static_cast<std::uint16_t>(mss));
    pieces.push_back(static_cast<std::uint16_t>(std::max(rest, least)));
    if (rest < least && pieces.size() > 1) {
        // The header must fit: the last piece takes what it lacks from the one before.
        std::uint16_t& before = pieces[pieces.size() - 2];
        before = static_cast<std::uint16_t>(before - (least - rest));
    }
    return pieces;
}

/// Sizes of the open loop: the frames of one block in their order.
void plan_cycle(FrameRecipe& recipe, const profile::Settings& settings, Problems& problems) {
    const std::uint32_t room = room_of(settings, problems);
    recipe.block_bytes = block_bytes(settings, problems);
    if (coalesces(settings)) {
        recipe.payload_bytes = {static_cast<std::uint16_t>(room)};
        recipe.frames_per_block = 0;
    } else {
        recipe.payload_bytes = cut_block(recipe.block_bytes, room, least_of(settings));
        recipe.frames_per_block = (recipe.block_bytes + room - 1) / room;
    }
    for (std::uint16_t& bytes : recipe.payload_bytes) {
        bytes = sent_bytes(bytes, recipe.header_bytes);
    }
}

/// Sizes of the closed loop: each that occurs.
void plan_sizes(FrameRecipe& recipe, const profile::Settings& settings, Problems& problems) {
    const flow::BlockCut block = make_block(settings, problems);
    const bool stream =
        coalesces(settings) && !settings.find<std::uint64_t>("transfer.object_size");
    recipe.block_bytes = static_cast<std::uint32_t>(
        stream ? block_bytes(settings, problems)
               : std::min<std::uint64_t>(block.bytes(), std::numeric_limits<std::uint32_t>::max())
    );
    recipe.frames_per_block = stream ? 0 : block.frames;
    recipe.payload_bytes.clear();
    for (const std::uint32_t frame : {0U, std::max(block.frames, 2U) - 2U, block.frames - 1U}) {
        const std::uint16_t sent = sent_bytes(block.bytes_of(frame), recipe.header_bytes);
        if (std::ranges::find(recipe.payload_bytes, sent) == recipe.payload_bytes.end()) {
            recipe.payload_bytes.push_back(sent);
        }
    }
}

UdpChecksum checksum_of(const std::string& text) {
    return text == "offload" ? UdpChecksum::offload
           : text == "zero"  ? UdpChecksum::zero
                             : UdpChecksum::incremental;
}

}  // namespace

std::uint32_t payload_room(const profile::Settings& settings) {
    const auto mtu = static_cast<std::uint32_t>(settings.get<std::uint64_t>("traffic.mtu"));
    const std::uint32_t whole = wire::mss_bytes(mtu);
    const std::uint32_t header = header_of(settings);
    return whole > header ? whole - header : 0;
}

flow::BlockCut make_block(const profile::Settings& settings, Problems& problems) {
    const std::uint32_t room = room_of(settings, problems);
    const auto object = settings.find<std::uint64_t>("transfer.object_size");
    for (const char* other : {"traffic.block_size", "traffic.frame_size"}) {
        if (object && settings.at(other).value.index() != 0) {
            problems.add(
                settings.where(other),
                fmt::format(
                    "transfer.object_size, set at {}, is what is fetched at once: leave {} out, or "
                    "set it to `auto`",
                    settings.where("transfer.object_size"),
                    other
                )
            );
        }
    }
    if (!object && coalesces(settings)) {
        const auto full = static_cast<std::uint16_t>(room);
        return {1, full, full, full};
    }
    const std::uint64_t bytes = object ? *object : block_bytes(settings, problems);
    return flow::cut(
        bytes + settings.get<std::uint64_t>("transfer.header"), room, least_of(settings)
    );
}

FrameRecipe make_recipe(const profile::Settings& settings, Problems& problems) {
    FrameRecipe recipe;
    recipe.header_bytes = static_cast<std::uint16_t>(header_of(settings));
    if (closes_loop(settings)) {
        plan_sizes(recipe, settings, problems);
    } else {
        plan_cycle(recipe, settings, problems);
    }
    plan_flows(recipe, settings, problems);
    recipe.udp_checksum = checksum_of(settings.get<std::string>("traffic.udp_checksum"));
    recipe.source_mac = settings.find<profile::MacAddress>("traffic.source_mac");
    recipe.destination_mac = settings.find<profile::MacAddress>("traffic.destination_mac");
    recipe.source_ip = settings.get<profile::Ipv4Address>("traffic.source_ip");
    recipe.destination_ip = settings.get<profile::Ipv4Address>("traffic.destination_ip");
    return recipe;
}

std::uint32_t largest_frame(const FrameRecipe& recipe) {
    return wire::frame_bytes(*std::ranges::max_element(recipe.payload_bytes));
}

}  // namespace gensink::plan::detail
