// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/recipe.hpp"

#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gensink::plan::detail {

namespace {

constexpr std::uint32_t least = wire::gensink_header_bytes;

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
    if (!frame) {
        return wire::payload_bytes(wire::min_frame_bytes);
    }
    const auto mtu = settings.get<std::uint64_t>("traffic.mtu");
    const std::uint64_t needed = *frame - wire::ethernet_bytes - wire::fcs_bytes;
    if (needed > mtu) {
        problems.add(
            settings.where("traffic.frame_size"),
            fmt::format("a frame of {} B needs traffic.mtu: {} (it is {})", *frame, needed, mtu)
        );
    }
    if (settings.get<std::string>("traffic.frame_mode") == "coalesce") {
        problems.add(
            settings.where("traffic.frame_size"),
            "coalesce fills frames up to traffic.mtu: give traffic.block_size, not frame_size"
        );
    }
    return wire::payload_bytes(static_cast<std::uint32_t>(*frame));
}

UdpChecksum checksum_of(const std::string& text) {
    return text == "offload" ? UdpChecksum::offload
           : text == "zero"  ? UdpChecksum::zero
                             : UdpChecksum::incremental;
}

}  // namespace

std::vector<std::uint16_t> cut_block(std::uint32_t block, std::uint32_t mss) {
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

FrameRecipe make_recipe(const profile::Settings& settings, Problems& problems) {
    FrameRecipe recipe;
    const auto mtu = static_cast<std::uint32_t>(settings.get<std::uint64_t>("traffic.mtu"));
    const std::uint32_t mss = wire::mss_bytes(mtu);
    recipe.block_bytes = block_bytes(settings, problems);
    if (settings.get<std::string>("traffic.frame_mode") == "coalesce") {
        recipe.payload_bytes = {static_cast<std::uint16_t>(mss)};
        recipe.frames_per_block = 0;
    } else {
        recipe.payload_bytes = cut_block(recipe.block_bytes, mss);
        recipe.frames_per_block = (recipe.block_bytes + mss - 1) / mss;
    }
    const auto flows = settings.get<std::uint64_t>("traffic.flows");
    if (!std::has_single_bit(flows)) {
        problems.add(
            settings.where("traffic.flows"),
            fmt::format("{} flows: write a power of two, such as {}", flows, std::bit_ceil(flows))
        );
    }
    recipe.flows = static_cast<std::uint16_t>(flows);
    recipe.udp_checksum = checksum_of(settings.get<std::string>("traffic.udp_checksum"));
    recipe.source_mac = settings.find<profile::MacAddress>("traffic.source_mac");
    recipe.destination_mac = settings.find<profile::MacAddress>("traffic.destination_mac");
    recipe.source_ip = settings.get<profile::Ipv4Address>("traffic.source_ip");
    recipe.destination_ip = settings.get<profile::Ipv4Address>("traffic.destination_ip");
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
    return recipe;
}

std::uint32_t largest_frame(const FrameRecipe& recipe) {
    return wire::frame_bytes(*std::ranges::max_element(recipe.payload_bytes));
}

}  // namespace gensink::plan::detail
