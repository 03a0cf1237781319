# SPDX-License-Identifier: BSD-3-Clause
"""Wire `ports`: virtual DPDK devices, the kernel's network between namespaces."""
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

from harness import end as end_process
from harness import (ENVIRONMENT, FAILED, IS_ROOT, NOBODY, OK, RunCase, VethCase, alive, children, ip,
                     needs_root, skip_without_xdp)

PORTS = """gensink: 1
name: ports
wire: {kind: ports, gen: "GEN", sink: SINK}
traffic: {block_size: 128 B, load: 20 kfps}
tx: {burst: 8}
stats: {rounds: 1}
run: {warmup: 20 ms, measure: 300 ms, quiet: 50 ms}
"""


def ports(gen, sink="none"):
    return PORTS.replace("GEN", gen).replace("SINK", sink if sink == "none" else f'"{sink}"')


class Null(RunCase):
    def test_the_ledger_ends_at_device_out(self):
        done, result = self.short("traffic.load=max", text=ports("net_null0"))
        self.assert_measured(done, result)
        for trial in result["trials"]:
            self.assertFalse(trial["ledger"]["has_sink"])
            self.assertIsNone(trial["ledger"]["lost"])
            self.assertGreater(trial["ledger"]["accepted"], 0)
            self.assertEqual(trial["sink"], [])

    def test_needs_no_root(self):
        if not IS_ROOT:
            self.skipTest("is a plain user already")
        os.chmod(self.folder, 0o777)
        done, result = self.short(text=ports("net_null0"), user=NOBODY, group=NOBODY, extra_groups=[])
        self.assert_measured(done, result)


class Memif(RunCase):
    def test_two_workers_lose_nothing(self):
        done, result = self.short(text=ports("net_memif0", "net_memif0"))
        self.assert_measured(done, result)
        for trial in result["trials"]:
            self.assertGreater(trial["ledger"]["in_order"], 0)
            self.assertEqual(trial["ledger"]["lost"], 0)
            self.assertEqual(trial["ledger"]["residue"], 0)


class Pcap(RunCase):
    def frames(self, path):
        """Frames of a capture, and whether each was cut short."""
        data = path.read_bytes()
        magic, = struct.unpack_from("<I", data)
        self.assertIn(magic, (0xA1B2C3D4, 0xA1B23C4D))
        offset, found = 24, []
        while offset < len(data):
            _, _, kept, length = struct.unpack_from("<IIII", data, offset)
            self.assertEqual(kept, length, "a frame is cut short in the capture")
            found.append(data[offset + 16:offset + 16 + kept])
            offset += 16 + kept
        return found

    @staticmethod
    def ones_sum(data):
        """RFC 1071, by the book."""
        if len(data) % 2:
            data += b"\0"
        total = sum(struct.unpack(f">{len(data) // 2}H", data))
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        return total

    def capture(self, *settings):
        path = self.folder / "out.pcap"
        done, result = self.short(*settings, text=ports(f"net_pcap0,tx_pcap={path}"))
        self.assert_measured(done, result)
        # Each trial opens the file anew: it holds the last one, all phases of it.
        accepted = sum(core["total"]["frames_accepted"] for core in result["trials"][-1]["gen"])
        return self.frames(path), accepted

    def check(self, checksum, *settings):
        frames, accepted = self.capture(*settings)
        self.assertEqual(len(frames), accepted)
        flows = set()
        for frame in frames:
            self.assertEqual(frame[12:14], b"\x08\x00")
            header, rest = frame[14:34], frame[34:]
            self.assertEqual(header[0], 0x45)
            self.assertEqual(self.ones_sum(header), 0xFFFF, "IPv4 header checksum")
            total, = struct.unpack_from(">H", header, 2)
            self.assertEqual(total, len(frame) - 14, "IPv4 total length")
            source, destination, length, check = struct.unpack_from(">HHHH", rest)
            self.assertEqual(length, total - 20)
            flows.add((source, destination))
            if checksum:
                self.assertNotEqual(check, 0)
                pseudo = header[12:20] + struct.pack(">BBH", 0, 17, length)
                self.assertEqual(self.ones_sum(pseudo + rest[:length]), 0xFFFF, "UDP checksum")
            else:
                self.assertEqual(check, 0)
        return frames, flows

    def test_checksums_of_every_frame(self):
        frames, flows = self.check(True)
        self.assertGreater(len(frames), 1000)
        self.assertEqual(len(flows), 1)

    def test_mixed_sizes_and_flows(self):
        frames, flows = self.check(
            True, "traffic.block_size=4096 B", "traffic.flows=8")
        self.assertEqual(len(flows), 8)
        # A block of 4096 B at an MTU of 1500 is two full frames and the rest.
        self.assertEqual({len(frame) for frame in frames} & {1514}, {1514})
        self.assertGreater(len({len(frame) for frame in frames}), 1)

    def test_no_udp_checksum_where_the_profile_says_zero(self):
        self.check(False, "traffic.udp_checksum=zero")

    def test_no_two_frames_are_alike(self):
        frames, _ = self.capture()
        self.assertEqual(len({frame[42:60] for frame in frames}), len(frames))


@needs_root
class Tap(RunCase):
    def test_frames_reach_the_kernel_and_the_interface_goes(self):
        name = f"gst{os.getpid()}"
        done, result = self.short(text=ports(f"net_tap0,iface={name}"))
        self.assert_measured(done, result)
        self.assertGreater(result["trials"][0]["ledger"]["accepted"], 0)
        self.assertFalse(pathlib.Path("/sys/class/net", name).exists())


class LossyMiddle:
    """A third namespace between the ends of a pair, which loses every tenth of gensink's frames."""

    FORWARD = """
import socket, select, signal, sys
def stop(*_): raise SystemExit
signal.signal(signal.SIGTERM, stop)
ends = [socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) for _ in range(2)]
for end, name in zip(ends, sys.argv[1:]):
    end.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
    end.bind((name, 0))
seen = 0
print("ready", flush=True)
try:
    while True:
        for end in select.select(ends, [], [])[0]:
            frame, (_, _, kind, _, _) = end.recvfrom(2048)
            if kind == socket.PACKET_OUTGOING:
                continue
            if end is ends[0] and frame[12:14] == bytes((8, 0)) and frame[36:38] == b"\\x15\\x19":
                seen += 1
                if seen % 10 == 0:
                    continue
            ends[1 if end is ends[0] else 0].send(frame)
finally:
    print(seen // 10, flush=True)
"""

    def __init__(self, case):
        """Takes the pair of `case` apart, and joins its ends through the new namespace."""
        space = f"gsm{os.getpid()}"
        ip("netns", "add", space)
        case.addCleanup(ip, "netns", "del", space, check=False)
        ip("-n", case.spaces[0], "link", "del", case.ends[0])
        inner = [f"gvm{i}{os.getpid()}" for i in range(2)]
        for outer, end, middle in zip(case.spaces, case.ends, inner):
            ip("link", "add", end, "netns", outer, "type", "veth", "peer", "name", middle,
               "netns", space)
            ip("-n", outer, "link", "set", end, "up")
            ip("-n", space, "link", "set", middle, "up")
        self.forwarder = subprocess.Popen(
            ["ip", "netns", "exec", space, sys.executable, "-c", self.FORWARD, *inner],
            stdout=subprocess.PIPE, text=True)
        case.addCleanup(self.forwarder.stdout.close)
        case.addCleanup(end_process, self.forwarder)
        case.assertEqual(self.forwarder.stdout.readline(), "ready\n")

    def end(self):
        """Stops it; how many frames it has lost."""
        self.forwarder.terminate()
        lost = int(self.forwarder.stdout.read())
        self.forwarder.wait()
        return lost


class Pair(VethCase):
    """The pair of namespaces, and profiles that use it."""

    def text(self, line="wire: {kind: ports, gen: \"net_af_packet0,iface=%s\", "
                        "gen_netns: %s, sink: \"net_af_packet1,iface=%s\", sink_netns: %s}"):
        line %= (self.ends[0], self.spaces[0], self.ends[1], self.spaces[1])
        return re.sub(r"(?m)^wire:.*$", line, ports("x"))

    def received_by_kernel(self):
        return json.loads(ip("-n", self.spaces[1], "-s", "-j", "link", "show", self.ends[1]))[
            0]["stats64"]["rx"]["packets"]

    def assert_closes(self, trial):
        ledger = trial["ledger"]
        self.assertGreater(ledger["accepted"], 1000)
        self.assertEqual(ledger["accepted"], ledger["in_order"] + ledger["late"] + ledger["corrupt"]
                         + ledger["lost"])
        self.assertEqual((ledger["corrupt"], ledger["duplicate"], ledger["residue"]), (0, 0, 0))


class Namespaces(Pair):
    """AF_PACKET over the pair."""

    def test_frames_cross_the_kernel(self):
        before = self.received_by_kernel()
        done, result = self.short(text=self.text())
        self.assert_measured(done, result)
        crossed = self.received_by_kernel() - before
        trial = result["trials"][0]
        ledger = trial["ledger"]
        self.assertGreater(ledger["accepted"], 1000)
        self.assertEqual(ledger["accepted"], ledger["in_order"] + ledger["late"] + ledger["corrupt"]
                         + ledger["lost"])
        self.assertEqual(ledger["corrupt"], 0)
        self.assertEqual(ledger["residue"], 0)
        self.assertGreaterEqual(crossed, ledger["in_order"])

    def test_link_down_is_named(self):
        ip("-n", self.spaces[1], "link", "set", self.ends[1], "down")
        done, result = self.short(text=self.text())
        self.assertIn("link_down", self.codes(result))
        self.assertNotEqual(done.returncode, OK)

    def lose_link(self, *settings):
        """Sets the sink's interface down in mid-run; the run, and how long after it ended."""
        running = self.start(self.profile(self.text()), "--out", self.folder / "out", "--yes",
                             *(word for setting in settings for word in ("--set", setting)))
        self.wait_for(lambda: self.received_by_kernel() > 1000, what="frames cross")
        ip("-n", self.spaces[1], "link", "set", self.ends[1], "down")
        began = time.monotonic()
        running.communicate(timeout=60)
        return running, time.monotonic() - began, self.result(self.folder / "out")

    def test_link_lost_in_mid_run_ends_the_trial(self):
        running, took, result = self.lose_link("run.measure=1h")
        self.assertLess(took, 5)
        reasons = [reason for trial in result["trials"] for reason in trial["reasons"]
                   if reason["code"] == "link_down"]
        self.assertEqual(len(reasons), 1)
        self.assertEqual(reasons[0]["severity"], "invalid")
        self.assertRegex(reasons[0]["message"], r"\d+\.\d s into the (warm-up|measure phase)")
        self.assertIn(f"sink (net_af_packet1,iface={self.ends[1]})", reasons[0]["message"])
        self.assertEqual(running.returncode, FAILED)

    def test_link_that_stays_down_ends_the_experiment(self):
        _, took, result = self.lose_link("run.measure=1h", "stats.rounds=20")
        self.assertEqual(len(result["trials"]), 3)
        self.assertLess(took, 40)
        self.assertIn("3 trials in a row had no link", " ".join(result["warnings"]))

    def test_the_links_are_told(self):
        done, result = self.short(text=self.text())
        self.assert_measured(done, result)
        for trial in result["trials"]:
            for end in ("gen_link", "sink_link"):
                # What the kernel's veth driver claims; it has no flow control.
                self.assertEqual(trial[end]["bps_l1"], 10_000_000_000)
                self.assertTrue(trial[end]["full_duplex"])
                self.assertIsNone(trial[end]["flow_control"])
        self.assertIn("link: generator 10.00 Gbit/s, full duplex; sink 10.00 Gbit/s, full duplex",
                      done.stdout)

    def test_flow_control_that_cannot_be_set_is_an_error(self):
        done = self.gensink("run", self.profile(self.text()), "--out", self.folder / "out",
                            "--set", "wire.flow_control=off")
        self.assert_status(done, ENVIRONMENT)
        self.assertIn("ethtool -A", done.stdout + done.stderr)

    def promiscuity(self, end):
        return json.loads(ip("-n", self.spaces[end], "-d", "-j", "link", "show", self.ends[end]))[
            0]["promiscuity"]

    def test_promiscuous_only_where_an_address_asks_for_it(self):
        done, result = self.short(text=self.text())
        self.assertNotIn("promiscuous", done.stdout)
        running = self.start(self.profile(self.text()), "--out", self.folder / "other",
                             "--set", "traffic.destination_mac=02:00:00:00:00:99",
                             "--set", "run.measure=2s")
        self.wait_for(lambda: self.promiscuity(1) == 1, what="promiscuous sink")
        self.assertEqual(self.promiscuity(0), 0)
        out, _ = running.communicate(timeout=60)
        self.assertIn("promiscuous mode: traffic.destination_mac", " ".join(out.split()))
        self.assertEqual(self.promiscuity(1), 0)
        result = self.result(self.folder / "other")
        self.assertGreater(result["trials"][0]["ledger"]["in_order"], 1000)

    @staticmethod
    def places(trial):
        return {part["place"]: part for part in trial["ledger"]["attributed"]}

    def test_what_the_sinks_socket_had_no_room_for_is_placed(self):
        # 20 us a frame at 100 kfps: the ring of 64 slots overflows.
        done, result = self.short("sink.fault.slow=60000 ticks", "sink.ring=64",
                                  "traffic.load=100 kfps", text=self.text())
        for trial in result["trials"]:
            self.assert_closes(trial)
            ledger = trial["ledger"]
            self.assertGreater(ledger["lost"], 100)
            room = self.places(trial)["sink's packet socket: no room"]
            self.assertEqual(room["trust"], "exact")
            self.assertGreaterEqual(room["frames"], ledger["lost"] - ledger["unknown_place"])
            self.assertEqual(trial["sink_kernel"]["socket_dropped"], room["frames"])
            # Every frame of every phase that the kernel took is counted somewhere.
            seen = sum(stream[part][how] for stream in trial["streams"]
                       for part in ("seen_measured", "seen_other")
                       for how in ("in_order", "late", "corrupt"))
            sent = sum(core["total"]["frames_accepted"] for core in trial["gen"])
            background = ledger["background"]
            kernel = trial["gen_kernel"]["tx_dropped"] + trial["sink_kernel"]["rx_dropped"]
            refused = trial["device"]["gen"]["tx_errors"]
            self.assertAlmostEqual(sent, seen + room["frames"] + kernel + refused,
                                   delta=background + 8)
        self.assertIn("sink's packet socket: no room", done.stdout)

    def test_what_is_lost_on_the_way_has_an_unknown_place(self):
        lossy = LossyMiddle(self)
        done, result = self.short("traffic.load=2 kfps", text=self.text())
        lost = lossy.end()
        trial, = result["trials"]
        ledger = trial["ledger"]
        self.assertGreater(lost, 50)
        self.assertEqual(ledger["accepted"],
                         ledger["in_order"] + ledger["late"] + ledger["corrupt"] + ledger["lost"])
        seen = sum(stream[part]["in_order"] for stream in trial["streams"]
                   for part in ("seen_measured", "seen_other"))
        sent = sum(core["total"]["frames_accepted"] for core in trial["gen"])
        self.assertEqual(sent - seen, lost)
        self.assertGreater(ledger["lost"], 0)
        self.assertEqual(ledger["attributed"], [])
        self.assertEqual(ledger["unknown_place"], ledger["lost"])
        self.assertIn("place unknown", done.stdout)

    def test_interface_that_does_not_exist(self):
        text = self.text().replace(self.ends[0], "nosuchif0")
        done = self.gensink("run", self.profile(text), "--out", self.folder / "out")
        self.assert_status(done, 2, 3)
        self.assertIn("nosuchif0", done.stderr + done.stdout)

    def test_namespace_that_does_not_exist(self):
        text = self.text().replace(self.spaces[0], "nosuchspace")
        done = self.gensink("run", self.profile(text), "--out", self.folder / "out")
        self.assert_status(done, 2, 3)
        self.assertIn("nosuchspace", done.stderr + done.stdout)


class Xdp(Pair):
    """AF_XDP over the pair: a program of ours never outlives its worker."""

    def setUp(self):
        super().setUp()
        skip_without_xdp(self)

    def text(self):
        return super().text().replace("net_af_packet", "net_af_xdp")

    def programs(self):
        return [json.loads(ip("-n", space, "-d", "-j", "link", "show", end))[0].get("xdp")
                for space, end in zip(self.spaces, self.ends)]

    def assert_no_program(self):
        """The kernel drops a link of a process that has ended in a work queue of its own."""
        self.wait_for(lambda: self.programs() == [None, None], 5, "programs are gone")

    def running(self):
        """A long run that measures, with a program at each end."""
        run = self.start(self.profile(self.text()), "--out", self.folder / "out", "--yes", "--set",
                         "run.measure=1h")
        self.wait_for(lambda: all(self.programs()) and self.received_by_kernel() > 1000,
                      what="frames cross")
        return run

    def test_both_ends_apart(self):
        done, result = self.short(text=self.text())
        self.assert_measured(done, result)
        for trial in result["trials"]:
            self.assert_closes(trial)
            copies = [text for text in trial["opened"]["warnings"] if "copy mode" in text]
            self.assertEqual(len(copies), 2)  # veth has no zero-copy
        self.assertEqual(self.programs(), [None, None])

    def test_a_full_ring_has_an_unknown_place(self):
        done, result = self.short("sink.fault.slow=200000 ticks", "traffic.load=50 kfps",
                                  text=self.text())
        for trial in result["trials"]:
            self.assert_closes(trial)
            ledger = trial["ledger"]
            self.assertGreater(ledger["lost"], 100)
            exact = sum(part["frames"] for part in ledger["attributed"]
                        if part["trust"] == "exact")
            self.assertEqual(exact, 0)
            self.assertEqual(ledger["unknown_place"], ledger["lost"])

    def test_no_program_is_left_by_a_killed_worker(self):
        run = self.running()
        for worker in children(run.pid):
            os.kill(worker, signal.SIGKILL)
            break
        run.communicate(timeout=60)
        self.assert_no_program()

    def test_no_program_is_left_by_a_killed_parent(self):
        run = self.running()
        workers = children(run.pid)
        run.kill()
        run.communicate(timeout=60)
        self.wait_for(lambda: not any(map(alive, workers)), what="the workers' end")
        self.assert_no_program()

    def test_no_program_is_left_where_all_are_killed_at_once(self):
        run = self.running()
        workers = children(run.pid)
        for process in (run.pid, *workers):
            os.kill(process, signal.SIGKILL)
        run.communicate(timeout=60)
        self.wait_for(lambda: not any(map(alive, workers)), what="the workers' end")
        self.assert_no_program()

    def test_a_run_after_a_killed_one_measures(self):
        run = self.running()
        run.kill()
        run.communicate(timeout=60)
        (self.folder / "out").exists() and shutil.rmtree(self.folder / "out")
        done, result = self.short(text=self.text())
        self.assert_measured(done, result)
        self.assert_closes(result["trials"][0])


if __name__ == "__main__":
    unittest.main()
