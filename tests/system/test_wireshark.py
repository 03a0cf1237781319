# SPDX-License-Identifier: BSD-3-Clause
"""The Wireshark dissector, on captures of what gensink sends."""
import pathlib
import shutil
import struct
import subprocess
import unittest

from harness import ROOT, RunCase, end
from test_apart import ApartCase

DISSECTOR = ROOT / "tools/wireshark/gensink.lua"
PCAP_HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)  # Ethernet
PAYLOAD = 42  # of UDP over IPv4, in a frame

PROFILE = """gensink: 1
name: captured
wire: {kind: ports, gen: "net_pcap0,tx_pcap=out.pcap", sink: none}
traffic: {block_size: 128 B, load: 20 kfps}
tx: {burst: 8}
stats: {rounds: 1, repeats: 0}
run: {warmup: 20 ms, measure: 100 ms, quiet: 50 ms}
"""


def packets(path):
    """The frames of a capture."""
    data = pathlib.Path(path).read_bytes()
    offset, found = 24, []
    while offset < len(data):
        kept, = struct.unpack_from("<I", data, offset + 8)
        found.append(bytearray(data[offset + 16:offset + 16 + kept]))
        offset += 16 + kept
    return found


def write_packets(path, frames):
    parts = [PCAP_HEADER]
    for number, frame in enumerate(frames):
        parts += [struct.pack("<IIII", 0, number, len(frame), len(frame)), bytes(frame)]
    path.write_bytes(b"".join(parts))


def flipped(frame, at):
    """A copy with one bit of the UDP payload's byte `at` inverted."""
    changed = bytearray(frame)
    changed[PAYLOAD + at] ^= 0x40
    return changed


def datagram(payload):
    """UDP over IPv4 between the ports that gensink has where nothing else is said."""
    udp = struct.pack(">HHHH", 49152, 5401, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0,
                     bytes((198, 18, 0, 1)), bytes((198, 18, 0, 2)))
    return bytes(12) + b"\x08\x00" + ip + udp


def dissect(path, *fields, only=None):
    """Rows of fields of the frames that pass the display filter; all of them as text."""
    command = ["tshark", "-n", "-r", str(path), "-X", f"lua_script:{DISSECTOR}", "-T", "fields"]
    command += [word for field in fields for word in ("-e", field)]
    done = subprocess.run(command + (["-Y", only] if only else []), capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode != 0 or "Lua" in done.stderr:
        raise AssertionError(f"{command}: {done.stderr}")
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


class WithTshark:
    def setUp(self):
        if not shutil.which("tshark"):
            self.skipTest("tshark is not installed")
        super().setUp()

    def assert_all_sound(self, path):
        for wrong in ("_ws.malformed", "_ws.lua", "gensink.expert.check", "gensink.expert.version",
                      "gensink.expert.ack_check", "gensink.expert.checksum"):
            self.assertEqual(dissect(path, "frame.number", only=wrong), [], wrong)


class Frames(WithTshark, RunCase):
    def capture(self, *settings):
        """A run into a file; the file, which holds the last trial."""
        _, result = self.short(*settings, text=PROFILE)
        path = self.folder / "out.pcap"
        sent = sum(core["total"]["frames_accepted"] for core in result["trials"][-1]["gen"])
        self.assertEqual(len(packets(path)), sent)
        return path, sent

    def test_the_fields_of_every_frame(self):
        path, sent = self.capture()
        rows = dissect(path, "gensink.sequence", "gensink.run_id", "gensink.stream",
                       "gensink.version", "gensink.is_ack", "gensink.check.good", "gensink.phase",
                       "gensink.time", only="gensink")
        self.assertGreater(sent, 1000)
        sequences, runs, *constant, good, phases, times = zip(*rows)
        self.assertEqual([int(number) for number in sequences], list(range(sent)))
        self.assertEqual(len(set(runs)), 1)
        self.assertEqual([set(values) for values in constant], [{"0"}, {"1"}, {"0"}])
        self.assertEqual(set(good), {"1"})
        order = [int(phase) for phase in phases]
        self.assertEqual(order, sorted(order))
        self.assertEqual({1, 2} - set(order), set())  # warm-up and measure
        steps = {(int(b) - int(a)) % 2**32 for a, b in zip(times, times[1:])}
        self.assertLess(max(steps), 2**31, "time runs back")
        self.assertNotEqual(steps, {0})
        self.assert_all_sound(path)

    def test_sizes_and_flows_change_nothing(self):
        path, sent = self.capture("traffic.block_size=4096 B", "traffic.flows=8")
        rows = dissect(path, "gensink.sequence", "udp.srcport", only="gensink.is_ack == 0")
        self.assertEqual([int(number) for number, _ in rows], list(range(sent)))
        self.assertEqual(len({port for _, port in rows}), 8)
        self.assert_all_sound(path)

    def test_a_damaged_header_is_flagged(self):
        path, sent = self.capture()
        frames = packets(path)
        # The sequence, the time, the version; the payload behind the header is UDP's to check.
        for number, at in ((10, 11), (20, 13), (30, 5), (40, 30)):
            frames[number] = flipped(frames[number], at)
        write_packets(path, frames)
        self.assertEqual(dissect(path, "frame.number", only="gensink.expert.check"),
                         [("11",), ("21",), ("31",)])
        self.assertEqual(dissect(path, "frame.number", only="gensink.check.good == 0"),
                         [("11",), ("21",), ("31",)])
        self.assertEqual(dissect(path, "frame.number", only="gensink.expert.version"), [("31",)])
        self.assertEqual(len(dissect(path, "frame.number", only="gensink")), sent)

    def test_a_strange_run_id_with_a_wrong_check_is_not_ours(self):
        path, sent = self.capture()
        frames = packets(path)
        frames[10] = flipped(frames[10], 0)
        write_packets(path, frames)
        self.assertEqual(dissect(path, "frame.number", only="udp && !gensink"), [("11",)])

    def test_other_protocols_on_its_ports_are_not_claimed(self):
        path = self.folder / "other.pcap"
        texts = [bytes(64), b"\xff" * 64, b"\x11" * 18, b"", b"short", bytes(range(200)),
                 *(bytes((i * j + j) & 255 for i in range(100)) for j in range(1, 200, 2))]
        write_packets(path, [datagram(text) for text in texts])
        self.assertEqual(len(dissect(path, "frame.number", only="udp")), len(texts))
        self.assertEqual(dissect(path, "frame.number", only="gensink"), [])


class Apart(WithTshark, ApartCase):
    """Two ends of a closed loop: ACKs, and what the ends say to each other. A capture sees what
    comes in at its end: frames that go out past the queueing discipline pass it by."""

    def watch(self, space, interface):
        path = self.folder / f"{interface}.pcap"
        watcher = subprocess.Popen(
            ["ip", "netns", "exec", space, "tshark", "-n", "-F", "pcap", "-i", interface, "-w",
             str(path)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(end, watcher)
        self.wait_for(path.exists, what="the capture begins")
        return path, watcher

    def capture(self):
        """What came to the generator, what came to the sink, and the trial."""
        watched = [self.watch(*at) for at in zip(self.spaces, self.ends)]
        sink = self.sink()
        _, result = self.gen("window.limit=8 KiB", "recovery.timeout=20 ms", "traffic.load=2 kfps")
        self.stop(sink)
        for _, watcher in watched:
            watcher.terminate()
            watcher.wait(timeout=20)
        return watched[0][0], watched[1][0], result["trials"][-1]

    def test_acks_and_messages(self):
        to_gen, to_sink, trial = self.capture()
        for path in (to_gen, to_sink):
            self.assert_all_sound(path)
        data = dissect(to_sink, "gensink.run_id", only="gensink.is_ack == 0")
        self.assertGreaterEqual(len(data), trial["ledger"]["accepted"])
        acks = dissect(
            to_gen, "gensink.run_id", "gensink.ack.check.good", "gensink.sequence",
            "gensink.ack.flow", "gensink.ack.next", "gensink.ack.highest", "gensink.ack.frames",
            "gensink.ack.payload", "gensink.ack.held_ns", only="gensink.is_ack == 1")
        self.assertGreater(len(acks), 10)
        self.assertEqual({row[:2] for row in acks}, {(data[0][0], "1")})
        numbers = [[int(word) for word in row[2:]] for row in acks]
        self.assertEqual([row[0] for row in numbers], sorted({row[0] for row in numbers}))
        for _, flow, following, highest, frames, payload, _ in numbers:
            self.assertEqual(flow, 0)
            self.assertEqual((following, frames), (highest, highest), "nothing was lost")
            self.assertEqual(payload % frames, 0)
        asked = dissect(to_sink, "gensink.message.ask", only="gensink.message.kind == 0")
        # Hello, open, start, drained, the last without an answer; "stop" may miss the capture's end.
        self.assertLessEqual(set("0123"), {ask for ask, in asked})
        answered = dissect(to_gen, "gensink.message.ask", only="gensink.message.kind == 1")
        self.assertEqual({ask for ask, in answered} - {"4"}, set("012"))

    def test_a_damaged_ack_or_message_is_flagged(self):
        path, _, _ = self.capture()
        frames = packets(path)
        # A byte behind the header of an ACK; the number of a message, which begins behind Ethernet.
        for kind, at, wrong in (("gensink.is_ack == 1", PAYLOAD + 29, "ack_check"),
                                ("gensink_message", 14 + 16, "checksum")):
            number = int(dissect(path, "frame.number", only=kind)[2][0])
            frames[number - 1][at] ^= 1
            write_packets(path, frames)
            self.assertEqual(dissect(path, "frame.number", only=f"gensink.expert.{wrong}"),
                             [(str(number),)])


if __name__ == "__main__":
    unittest.main()
