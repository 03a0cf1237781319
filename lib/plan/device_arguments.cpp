// SPDX-License-Identifier: BSD-3-Clause
#include "plan/detail/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gensink::plan::detail {

namespace {

using profile::DriverConfig;

Trust trust_of(const std::string& text) {
    return text == "exact" ? Trust::exact : text == "absent" ? Trust::absent : Trust::approximate;
}

/// One argument is the size of a buffer. Of two the second is the size of the kernel's blocks,
/// whole pages, in which buffers lie: one in each, with the kernel's header before it. DPDK 22.11
/// wants no gaps (rte_eth_af_packet.c: frame i begins at i times framesz).
void add_buffers(std::string& name, const std::string& keys, std::uint64_t frame_bytes) {
    constexpr std::uint64_t header_bytes = 128;
    constexpr std::uint64_t page_bytes = 4096;
    const std::size_t comma = keys.find(',');
    if (keys.empty() || argument(name, keys.substr(0, comma)) ||
        (comma != std::string::npos && argument(name, keys.substr(comma + 1)))) {
        return;
    }
    if (comma == std::string::npos) {
        name += fmt::format(",{}={}", keys, (frame_bytes + 63) / 64 * 64);
        return;
    }
    const std::uint64_t pages = (frame_bytes + header_bytes + page_bytes - 1) / page_bytes;
    name += fmt::format(
        ",{0}={2},{1}={2}", keys.substr(0, comma), keys.substr(comma + 1), pages * page_bytes
    );
}

}  // namespace

std::optional<std::string> argument(std::string_view device, std::string_view key) {
    std::size_t comma = device.find(',');
    while (comma != std::string_view::npos) {
        device.remove_prefix(comma + 1);
        comma = device.find(',');
        const std::string_view pair = device.substr(0, comma);
        const std::size_t equals = pair.find('=');
        if (equals != std::string_view::npos && pair.substr(0, equals) == key) {
            return std::string(pair.substr(equals + 1));
        }
    }
    return std::nullopt;
}

bool has_any_of(std::string_view device, std::string_view text) {
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view pair = text.substr(0, comma);
        if (argument(device, pair.substr(0, pair.find('=')))) {
            return true;
        }
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return false;
}

DriverFacts facts_of(const DriverConfig& config) {
    DriverFacts facts;
    facts.name = config.driver;
    facts.tx_frames = trust_of(config.tx_frames);
    facts.rx_frames = trust_of(config.rx_frames);
    facts.rx_missed = trust_of(config.rx_missed);
    facts.tx_errors = trust_of(config.tx_errors);
    facts.doorbell = config.doorbell;
    facts.loses_refused = config.loses_refused;
    facts.small_buffers = config.small_buffers;
    facts.power_of_two_buffers = config.power_of_two_buffers;
    facts.keeps_buffers = config.keeps_buffers;
    facts.pool_extra = config.pool_extra;
    facts.copies_sent = config.copies_sent;
    facts.one_segment = config.one_segment;
    facts.system_calls = config.system_calls;
    facts.settle = config.settle;
    facts.line_bps = config.line_bps;
    facts.limits.max_frame_bytes = config.largest_frame_bytes;
    facts.limits.max_queues = config.max_queues;
    facts.limits.min_descriptors = config.min_descriptors;
    facts.limits.max_descriptors = config.max_descriptors;
    return facts;
}

std::string complete_device(const Device& device, Side side, const ArgumentFacts& facts) {
    const DriverConfig::Arguments& known = device.config->arguments;
    std::string name = device.name;
    const auto add = [&](const std::string& key, std::uint64_t value) {
        if (!key.empty() && !argument(name, key)) {
            name += fmt::format(",{}={}", key, value);
        }
    };
    std::string pair = side == Side::gen ? known.gen : known.sink;
    if (!pair.empty() && !has_any_of(name, pair)) {
        if (const std::size_t at = pair.find("{socket}"); at != std::string::npos) {
            pair.replace(at, std::string_view("{socket}").size(), facts.socket);
        }
        name += "," + pair;
    }
    if (facts.queues > 1) {
        add(known.queues, facts.queues);
    }
    if (facts.ring) {
        add(known.ring, *facts.ring);
        add(known.ring_log2, static_cast<std::uint64_t>(std::bit_width(*facts.ring) - 1));
    }
    if (facts.frame_bytes > known.buffer_bytes) {
        add_buffers(name, known.buffer, facts.frame_bytes);
    }
    return name;
}

}  // namespace gensink::plan::detail
