// SPDX-License-Identifier: BSD-3-Clause
#include "apart/message.hpp"

#include "apart/version.hpp"
#include "trial/datapath.hpp"
#include "wire/checksum.hpp"
#include "wire/control.hpp"
#include "wire/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace gensink::apart {

namespace {

/// After the Ethernet header. Integers as they lie in memory: ends of another byte order, or
/// another build, see a wrong magic or build.
struct Header {
    std::uint32_t magic = right_magic;
    std::uint16_t checksum = 0;  ///< makes the sum of everything behind the Ethernet header 0xffff
    std::uint8_t kind = 0;
    std::uint8_t ask = 0;
    std::uint32_t build = 0;
    std::uint32_t session = 0;
    std::uint32_t number = 0;
    std::uint32_t total = 0;   ///< bytes of the whole payload
    std::uint32_t offset = 0;  ///< of this frame's part
    std::uint32_t bytes = 0;   ///< of this frame's part

    static constexpr std::uint32_t right_magic = 0x67736b31;  // "gsk1": the layout of this header
};

constexpr std::size_t header_bytes = sizeof(Header);
static_assert(header_bytes == 32);
constexpr std::size_t payload_offset = wire::ethernet_bytes + header_bytes;
constexpr std::size_t least_bytes = wire::min_frame_bytes - wire::fcs_bytes;

std::uint16_t sum_of(ByteView frame) {
    const ByteView body = frame.subspan(wire::ethernet_bytes);
    return wire::fold(wire::sum_bytes(body.data(), static_cast<std::uint32_t>(body.size())));
}

/// FNV-1a (Fowler, Noll, Vo) of the version.
std::uint32_t build_number() {
    std::uint32_t hash = 2166136261U;
    for (const char c : version()) {
        hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619U;
    }
    return hash;
}

Bytes frame_of(const Message& message, const Route& route, std::size_t offset) {
    const std::size_t bytes = std::min(chunk_bytes, message.payload.size() - offset);
    Header header;
    header.kind = static_cast<std::uint8_t>(message.kind);
    header.ask = static_cast<std::uint8_t>(message.ask);
    header.build = build_number();
    header.session = message.session;
    header.number = message.number;
    header.total = static_cast<std::uint32_t>(message.payload.size());
    header.offset = static_cast<std::uint32_t>(offset);
    header.bytes = static_cast<std::uint32_t>(bytes);
    Bytes frame(std::max(payload_offset + bytes, least_bytes));
    std::memcpy(frame.data(), route.destination.data(), route.destination.size());
    std::memcpy(frame.data() + 6, route.source.data(), route.source.size());
    const std::uint16_t type = wire::swap16(wire::control_ethertype);
    std::memcpy(frame.data() + 12, &type, sizeof type);
    if (bytes != 0) {
        std::memcpy(frame.data() + payload_offset, message.payload.data() + offset, bytes);
    }
    std::memcpy(frame.data() + wire::ethernet_bytes, &header, sizeof header);
    header.checksum = static_cast<std::uint16_t>(~sum_of(frame));
    std::memcpy(frame.data() + wire::ethernet_bytes, &header, sizeof header);
    return frame;
}

/// The header of a sound frame whose part fits.
std::optional<Header> read_header(ByteView frame) {
    if (frame.size() < payload_offset ||
        !wire::is_control(frame.data(), static_cast<std::uint32_t>(frame.size()))) {
        return std::nullopt;
    }
    Header header;
    std::memcpy(&header, frame.data() + wire::ethernet_bytes, sizeof header);
    const bool known = header.kind <= static_cast<std::uint8_t>(Kind::ended) &&
                       header.ask <= static_cast<std::uint8_t>(Ask::measuring);
    const bool inside = header.offset < header.total || header.offset + header.total == 0;
    const bool fits =
        header.total <= largest_payload && inside && header.offset % chunk_bytes == 0 &&
        header.bytes == std::min<std::size_t>(chunk_bytes, header.total - header.offset) &&
        payload_offset + header.bytes <= frame.size();
    if (header.magic != Header::right_magic || !known || !fits || sum_of(frame) != 0xffff) {
        return std::nullopt;
    }
    return header;
}

bool same(const Header& header, const Message& message) {
    return header.kind == static_cast<std::uint8_t>(message.kind) &&
           header.session == message.session && header.number == message.number &&
           header.ask == static_cast<std::uint8_t>(message.ask) &&
           header.total == message.payload.size();
}

}  // namespace

const char* name(Ask ask) {
    switch (ask) {
    case Ask::hello:
        return "hello";
    case Ask::open:
        return "open";
    case Ask::start:
        return "start";
    case Ask::drained:
        return "drained";
    case Ask::stop:
        return "stop";
    case Ask::measuring:
        return "measuring";
    }
    return "unknown";
}

Bytes encode(SinkId id) {
    Bytes bytes(sizeof id);
    std::memcpy(bytes.data(), &id, sizeof id);
    return bytes;
}

std::optional<SinkId> sink_id(const Message& message) {
    const bool has_one =
        message.kind == Kind::busy || (message.kind == Kind::answer && message.ask == Ask::hello);
    SinkId id = 0;
    if (!has_one || message.payload.size() != sizeof id) {
        return std::nullopt;
    }
    std::memcpy(&id, message.payload.data(), sizeof id);
    return id;
}

std::vector<Bytes> frames_of(const Message& message, const Route& route) {
    std::vector<Bytes> frames;
    std::size_t offset = 0;
    do {
        frames.push_back(frame_of(message, route, offset));
        offset += chunk_bytes;
    } while (offset < message.payload.size());
    return frames;
}

std::optional<Assembler::Arrived> Assembler::add(ByteView frame) {
    const auto header = read_header(frame);
    if (!header) {
        return std::nullopt;
    }
    if (missing_ == 0 || !same(*header, current_.message)) {
        Message& message = current_.message;
        message.kind = static_cast<Kind>(header->kind);
        message.ask = static_cast<Ask>(header->ask);
        message.session = header->session;
        message.number = header->number;
        message.payload.assign(header->total, std::byte{0});
        missing_ = std::max<std::size_t>((header->total + chunk_bytes - 1) / chunk_bytes, 1);
        have_.assign(missing_, false);
        std::memcpy(current_.route.destination.data(), frame.data(), 6);
        std::memcpy(current_.route.source.data(), frame.data() + 6, 6);
        current_.same_build = header->build == build_number();
    }
    const std::size_t chunk = header->offset / chunk_bytes;
    if (have_[chunk]) {
        return std::nullopt;
    }
    have_[chunk] = true;
    if (header->bytes != 0) {
        std::memcpy(
            current_.message.payload.data() + header->offset,
            frame.data() + payload_offset,
            header->bytes
        );
    }
    return --missing_ == 0 ? std::optional(current_) : std::nullopt;
}

std::string program_version() {
    const std::string_view project = project_version;
    return project == build_version ? std::string(project)
                                    : fmt::format("{} ({})", project, build_version);
}

std::string version() {
    // The sizes of what is sent as it lies in memory.
    return fmt::format(
        "{} ({}-{}-{})",
        build_version,
        sizeof(trial::CoreReport<counters::SinkCounts>),
        sizeof(trial::StreamReport),
        sizeof(trial::DeviceReport)
    );
}

}  // namespace gensink::apart
