-- SPDX-License-Identifier: BSD-3-Clause
-- Wireshark dissector of what gensink puts on the wire. The layouts, and the names of the fields:
--   frames     lib/wire/stamp.hpp, the first 18 bytes of a UDP payload
--   ACKs       lib/wire/ack.hpp, the 46 bytes behind them
--   messages   lib/apart/message.cpp, EtherType 0x88b5 (lib/wire/control.hpp)
-- A frame has no port or magic number of its own: it is known by its version and its check.

local gensink = Proto("gensink", "gensink")
local message = Proto("gensink_message", "gensink message")

local stamp_bytes = 18
local stamp_version = 1
local is_ack = 0x08
local ack_bytes = 64
local control_ethertype = 0x88b5
local message_bytes = 32
local message_magic = 0x67736b31

-- counters/counts.hpp, Phase
local phases = { [0] = "settle", [1] = "warm-up", [2] = "measure", [3] = "drain" }
-- apart/message.hpp, Kind and Ask
local kinds = {
    [0] = "question", [1] = "answer", [2] = "refusal", [3] = "busy",
    [4] = "mismatch", [5] = "alive", [6] = "ended",
}
local asks = {
    [0] = "hello", [1] = "open", [2] = "start", [3] = "drained", [4] = "stop", [5] = "measuring",
}

local f = {
    run_id = ProtoField.uint32("gensink.run_id", "Run id", base.HEX, nil, nil, "Random, per trial"),
    stream = ProtoField.uint8("gensink.stream", "Stream"),
    flags = ProtoField.uint8("gensink.flags", "Flags", base.HEX),
    version = ProtoField.uint8("gensink.version", "Version", base.DEC, nil, 0xf0),
    is_ack = ProtoField.bool("gensink.is_ack", "Is an ACK", 8, nil, is_ack),
    answer_at_once = ProtoField.bool("gensink.answer_at_once", "Answer at once", 8, nil, 0x04),
    phase = ProtoField.uint8("gensink.phase", "Phase", base.DEC, phases, 0x03),
    sequence = ProtoField.uint64("gensink.sequence", "Sequence", base.DEC, nil, nil,
        "Of the frame in its stream; of an ACK, its number"),
    time = ProtoField.uint32("gensink.time", "Time", base.DEC, nil, nil,
        "TSC / 16, low 32 bits, when the frame was built; 0 in an ACK"),
    check = ProtoField.uint16("gensink.check", "Check", base.HEX),
    check_good = ProtoField.bool("gensink.check.good", "Check fits"),
    payload = ProtoField.bytes("gensink.payload", "Payload"),
    ack_flow = ProtoField.uint32("gensink.ack.flow", "Flow"),
    ack_next = ProtoField.uint64("gensink.ack.next", "Next", base.DEC, nil, nil,
        "All frames of the flow below it have come"),
    ack_highest = ProtoField.uint64("gensink.ack.highest", "Highest", base.DEC, nil, nil,
        "One above the highest that came"),
    ack_frames = ProtoField.uint64("gensink.ack.frames", "Frames", base.DEC, nil, nil,
        "That have come, each counted once"),
    ack_payload = ProtoField.uint64("gensink.ack.payload", "Payload bytes", base.DEC, nil, nil,
        "Bytes of the application in the frames that have come"),
    ack_held = ProtoField.uint64("gensink.ack.held_ns", "Held (ns)", base.DEC, nil, nil,
        "For how long the sink's timer kept the ACK back"),
    ack_check = ProtoField.uint16("gensink.ack.check", "Check of the ACK", base.HEX),
    ack_check_good = ProtoField.bool("gensink.ack.check.good", "Check of the ACK fits"),
}
local m = {
    magic = ProtoField.uint32("gensink.message.magic", "Magic", base.HEX),
    checksum = ProtoField.uint16("gensink.message.checksum", "Checksum", base.HEX),
    checksum_good = ProtoField.bool("gensink.message.checksum.good", "Checksum fits"),
    kind = ProtoField.uint8("gensink.message.kind", "Kind", base.DEC, kinds),
    ask = ProtoField.uint8("gensink.message.ask", "Ask", base.DEC, asks),
    build = ProtoField.uint32("gensink.message.build", "Build", base.HEX, nil, nil,
        "FNV-1a of the program's version"),
    session = ProtoField.uint32("gensink.message.session", "Session", base.HEX),
    number = ProtoField.uint32("gensink.message.number", "Number", base.DEC, nil, nil,
        "Of the question, from 1"),
    total = ProtoField.uint32("gensink.message.total", "Bytes of the whole payload"),
    offset = ProtoField.uint32("gensink.message.offset", "Offset of this part"),
    bytes = ProtoField.uint32("gensink.message.bytes", "Bytes of this part"),
    payload = ProtoField.bytes("gensink.message.payload", "Part of the payload"),
}

local e = {
    check = ProtoExpert.new("gensink.expert.check", "the check does not fit: the header is damaged",
        expert.group.CHECKSUM, expert.severity.ERROR),
    version = ProtoExpert.new("gensink.expert.version", "unknown version",
        expert.group.PROTOCOL, expert.severity.WARN),
    ack_check = ProtoExpert.new("gensink.expert.ack_check", "the ACK's check does not fit",
        expert.group.CHECKSUM, expert.severity.ERROR),
    ack_short = ProtoExpert.new("gensink.expert.ack_short", "shorter than an ACK",
        expert.group.MALFORMED, expert.severity.ERROR),
    checksum = ProtoExpert.new("gensink.expert.checksum", "the message's checksum does not fit",
        expert.group.CHECKSUM, expert.severity.ERROR),
}

local function list(...)
    local all = {}
    for _, named in ipairs({ ... }) do
        for _, value in pairs(named) do
            all[#all + 1] = value
        end
    end
    return all
end

gensink.fields = list(f)
message.fields = list(m)
gensink.experts = { e.check, e.version, e.ack_check, e.ack_short }
message.experts = { e.checksum }

-- The Internet checksum's sum (RFC 1071), folded; the last odd byte is padded with zero.
local function ones_sum(range)
    local sum = 0
    local bytes = range:len()
    for at = 0, bytes - 2, 2 do
        sum = sum + range(at, 2):uint()
    end
    if bytes % 2 == 1 then
        sum = sum + range(bytes - 1, 1):uint() * 256
    end
    while sum > 0xffff do
        sum = sum % 0x10000 + math.floor(sum / 0x10000)
    end
    return sum
end

local function add_good(tree, field, range, good, problem)
    local item = tree:add(field, range, good)
    item:set_generated()
    if not good then
        item:add_proto_expert_info(problem)
    end
end

local function add_ack(buffer, tree)
    if buffer:len() < ack_bytes then
        if buffer:reported_len() < ack_bytes then -- else the capture has cut it short
            tree:add_proto_expert_info(e.ack_short)
        end
        return
    end
    tree:add(f.ack_flow, buffer(18, 4))
    tree:add(f.ack_next, buffer(22, 8))
    tree:add(f.ack_highest, buffer(30, 8))
    tree:add(f.ack_frames, buffer(38, 8))
    tree:add(f.ack_payload, buffer(46, 8))
    tree:add(f.ack_held, buffer(54, 8))
    tree:add(f.ack_check, buffer(62, 2))
    add_good(tree, f.ack_check_good, buffer(62, 2), ones_sum(buffer(18, 46)) == 0xffff, e.ack_check)
end

function gensink.dissector(buffer, pinfo, root)
    if buffer:len() < stamp_bytes then
        return 0
    end
    local flags = buffer(5, 1):uint()
    local ack = bit.band(flags, is_ack) ~= 0
    local tree = root:add(gensink, buffer())
    tree:add(f.run_id, buffer(0, 4))
    tree:add(f.stream, buffer(4, 1))
    local marks = tree:add(f.flags, buffer(5, 1))
    local version = marks:add(f.version, buffer(5, 1))
    if bit.rshift(flags, 4) ~= stamp_version then
        version:add_proto_expert_info(e.version)
    end
    marks:add(f.is_ack, buffer(5, 1))
    marks:add(f.answer_at_once, buffer(5, 1))
    marks:add(f.phase, buffer(5, 1))
    tree:add(f.sequence, buffer(6, 6))
    tree:add(f.time, buffer(12, 4))
    tree:add(f.check, buffer(16, 2))
    local good = ones_sum(buffer(0, stamp_bytes)) == 0xffff
    add_good(tree, f.check_good, buffer(16, 2), good, e.check)

    pinfo.cols.protocol = "gensink"
    local what = ack and "ACK" or phases[bit.band(flags, 3)]
    pinfo.cols.info = string.format("%s run 0x%08x stream %d sequence %s%s", what,
        buffer(0, 4):uint(), buffer(4, 1):uint(), tostring(buffer(6, 6):uint64()),
        good and "" or " [wrong check]")
    if ack then
        add_ack(buffer, tree)
    elseif buffer:len() > stamp_bytes then
        tree:add(f.payload, buffer(stamp_bytes))
    end
    return buffer:len()
end

-- Runs of which this capture has a sound frame, by run id and destination port: a frame of such a
-- run whose check is wrong is a damaged one. One whose run id is damaged too is anybody's, as it is
-- to gensink's sink ("foreign").
local known = {}

function gensink.init()
    known = {}
end

local function heuristic(buffer, pinfo, root)
    if buffer:len() < stamp_bytes then
        return false
    end
    local run = buffer(0, 4):uint() .. ":" .. pinfo.dst_port
    if bit.rshift(buffer(5, 1):uint(), 4) == stamp_version and
        ones_sum(buffer(0, stamp_bytes)) == 0xffff then
        known[run] = true
    elseif not known[run] then
        return false
    end
    gensink.dissector(buffer, pinfo, root)
    return true
end

gensink:register_heuristic("udp", heuristic)
-- For a capture without one sound frame of a run: Decode As.
DissectorTable.get("udp.port"):add_for_decode_as(gensink)

-- Both ends send integers as they lie in memory, and run on x86_64: little-endian.
function message.dissector(buffer, pinfo, root)
    if buffer:len() < message_bytes or buffer(0, 4):le_uint() ~= message_magic then
        return 0
    end
    local kind, ask = buffer(6, 1):uint(), buffer(7, 1):uint()
    local number, bytes = buffer(16, 4):le_uint(), buffer(28, 4):le_uint()
    local tree = root:add(message, buffer())
    tree:add_le(m.magic, buffer(0, 4))
    tree:add_le(m.checksum, buffer(4, 2))
    if buffer:len() == buffer:reported_len() then -- else the capture has cut it short
        add_good(tree, m.checksum_good, buffer(4, 2), ones_sum(buffer()) == 0xffff, e.checksum)
    end
    tree:add(m.kind, buffer(6, 1))
    tree:add(m.ask, buffer(7, 1))
    tree:add_le(m.build, buffer(8, 4))
    tree:add_le(m.session, buffer(12, 4))
    tree:add_le(m.number, buffer(16, 4))
    tree:add_le(m.total, buffer(20, 4))
    tree:add_le(m.offset, buffer(24, 4))
    tree:add_le(m.bytes, buffer(28, 4))
    if bytes > 0 and message_bytes + bytes <= buffer:len() then
        tree:add(m.payload, buffer(message_bytes, bytes))
    end
    pinfo.cols.protocol = "gensink"
    pinfo.cols.info = string.format("%s %s %d, bytes %d to %d of %d", asks[ask] or "unknown",
        kinds[kind] or "unknown", number, buffer(24, 4):le_uint(),
        buffer(24, 4):le_uint() + bytes, buffer(20, 4):le_uint())
    return buffer:len()
end

DissectorTable.get("ethertype"):add(control_ethertype, message)
