# SPDX-License-Identifier: BSD-3-Clause
"""`gensink gen` and `gensink sink`: the ends in two processes, in two namespaces joined by veth."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

from harness import (ENVIRONMENT, FAILED, GENSINK, OK, USAGE, VethCase, children, end, ip,
                     skip_without_xdp)

PROFILE = """gensink: 1
name: apart
wire: {kind: ports}
traffic: {frame_size: 128 B, load: 10 kfps}
tx: {burst: 8}
sink: {burst: 64}
stats: {rounds: 1, repeats: 0}
run: {warmup: 20 ms, measure: 300 ms, quiet: 50 ms}
"""


# An echo request from the kernel's own socket, for which it first asks by ARP.
PING = """
import socket, struct
def sum16(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    return ~(total + (total >> 16)) & 0xffff
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
s.settimeout(5)
head, data = struct.pack("!HH", 77, 1), b"0123456789abcdef"
s.sendto(struct.pack("!BBH", 8, 0, sum16(struct.pack("!HH", 0x800, 0) + head + data)) + head + data,
         ("198.18.0.2", 0))
while True:
    answer = s.recv(2000)
    if answer[20] == 0 and answer[24:] == head + data:
        print("answered")
        break
"""


def changes(*settings):
    return [word for setting in settings for word in ("--set", setting)]


class ApartCase(VethCase):
    """A sink and a generator at the two ends of a veth pair."""

    driver = "net_af_packet"

    def waiting(self, command, *settings, time="60s"):
        """A sink or reflector that waits, in the second namespace."""
        process = subprocess.Popen(
            [GENSINK, command, "--port", f"{self.driver}1,iface={self.ends[1]}", "--for", time,
             *changes(f"wire.sink_netns={self.spaces[1]}", *settings)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(end, process)
        self.assertIn("Ctrl-C ends it", process.stderr.readline())
        return process

    def sink(self, *settings, **options):
        return self.waiting("sink", *settings, **options)

    def stop(self, sink, number=signal.SIGINT):
        sink.send_signal(number)
        self.assertEqual(sink.wait(timeout=10), OK)

    def gen_command(self, *settings, out="out"):
        return ["gen", self.profile(PROFILE), "--port", f"{self.driver}0,iface={self.ends[0]}",
                "--out", self.folder / out,
                *changes(f"wire.gen_netns={self.spaces[0]}", *settings)]

    def gen(self, *settings, out="out"):
        done = self.gensink(*self.gen_command(*settings, out=out), timeout=90)
        path = self.folder / out
        return done, self.result(path) if path.exists() else None

    def start_gen(self, *settings, out="out"):
        process = subprocess.Popen(
            [GENSINK, *map(str, self.gen_command(*settings, out=out))], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(end, process)
        return process

    def sent(self):
        """Frames that left the generator's interface."""
        path = f"/sys/class/net/{self.ends[0]}/statistics/tx_packets"
        return int(ip("netns", "exec", self.spaces[0], "cat", path))

    def lost(self, gen, since):
        """Reasons of a run that a lost sink ended."""
        gen.wait(timeout=50)
        self.assertLess(time.monotonic() - since, 25)  # two more trials look for a sink, 5 s each
        first = self.result(self.folder / "out")["trials"][0]
        return [reason["message"] for reason in first["reasons"]]

    def assert_whole(self, result):
        self.assertTrue(result["trials"])
        for trial in result["trials"]:
            ledger = trial["ledger"]
            self.assertIsNotNone(ledger, trial["reasons"])
            self.assertGreater(ledger["accepted"], 1000)
            self.assertEqual(ledger["accepted"], ledger["in_order"] + ledger["late"]
                             + ledger["corrupt"] + ledger["lost"])
            self.assertEqual(ledger["corrupt"], 0)
            self.assertEqual(ledger["residue"], 0)


class Apart(ApartCase):
    def test_one_result_holds_both_ends(self):
        sink = self.sink()
        done, result = self.gen()
        self.assert_whole(result)
        trial = result["trials"][0]
        self.assertEqual(trial["opened"]["sink_driver"], "net_af_packet")
        self.assertEqual(len(trial["sink"]), 1)
        measured = trial["sink"][0]["measured"]
        self.assertGreater(measured["frames"], 1000)
        self.assertLessEqual(measured["frames"], trial["ledger"]["accepted"])
        self.assertIsNotNone(trial["sink_measure_seconds"])
        self.assertAlmostEqual(trial["sink_measure_seconds"], 0.27, delta=0.05)
        self.stop(sink)
        self.assertIn("frames received", sink.stderr.read())
        self.assertNotEqual(done.returncode, FAILED)

    def test_frames_of_others_are_in_no_rate(self):
        sink = self.sink()
        gen = self.start_gen("run.measure=1 s", "run.warmup=1 s")
        script = (
            "import socket, sys, time\n"
            "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
            "s.bind((sys.argv[1], 0))\n"
            "end = time.monotonic() + 6\n"
            "while time.monotonic() < end:\n"
            "    for kind in (b'\\x99\\x99', b'\\x88\\xb5', b'\\x08\\x06'):\n"
            "        s.send(b'\\xff' * 6 + b'\\2' * 6 + kind + b'\\7' * 46)\n"
            "    time.sleep(0.001)\n")
        stray = subprocess.Popen(["ip", "netns", "exec", self.spaces[0], sys.executable, "-c",
                                  script, self.ends[0]])
        self.addCleanup(end, stray)
        gen.wait(timeout=60)
        trial = self.result(self.folder / "out")["trials"][0]
        measured = trial["sink"][0]["measured"]
        self.assertGreater(measured["background"], 300)
        ours = measured["frames"] - measured["background"] - measured["foreign"]
        self.assertAlmostEqual(
            trial["metrics"]["rx.fps"], ours / trial["sink_measure_seconds"], delta=1)
        self.assert_whole({"trials": [trial]})
        self.stop(sink)

    def test_the_closed_loop_runs_over_it(self):
        sink = self.sink()
        _, result = self.gen("window.limit=8 KiB", "recovery.timeout=20 ms", "transfer.total=1 MiB",
                             "run.measure=20 s", "traffic.load=max")
        trial = result["trials"][-1]
        self.assertGreater(trial["ledger"]["in_order"], 1000)
        flow = trial["transport"]["flows"][0]
        self.assertGreaterEqual(flow["payload_acked"], 1 << 20)
        self.assertLess(flow["payload_acked"], (1 << 20) + 128)  # whole blocks
        self.stop(sink, signal.SIGTERM)

    def test_jumbo_frames_pass_where_the_interfaces_let_them(self):
        jumbo = ["traffic.frame_size=9018 B", "traffic.mtu=9000", "traffic.load=2 kfps"]
        sink = self.sink()
        done, _ = self.gen(*jumbo, out="small")
        self.assert_status(done, ENVIRONMENT)
        self.assertIn(f"ip link set dev {self.ends[0]} mtu 9000", " ".join(done.stdout.split()))
        for space, interface in zip(self.spaces, self.ends):
            ip("-n", space, "link", "set", interface, "mtu", "9000")
        _, result = self.gen(*jumbo, "run.measure=1 s")
        self.assert_whole(result)
        trial, = result["trials"]
        self.assertGreater(trial["ledger"]["in_order"], 1000)
        measured = trial["sink"][0]["measured"]
        self.assertGreater(measured["frame_bytes"], 9000 * 1000)
        self.stop(sink)

    def test_nothing_is_sent_without_a_sink(self):
        before = self.sent()
        done, result = self.gen()
        self.assert_status(done, ENVIRONMENT)
        self.assertIn("no sink answered", done.stdout)
        self.assertLess(self.sent() - before, 100)  # questions, and the kernel's own
        self.assertTrue(all(trial["ledger"] is None for trial in result["trials"]))

    def test_unattended_sends_all_the_same(self):
        done, result = self.gen("wire.unattended=true")
        self.assertNotIn("no sink answered", done.stdout)
        self.assertFalse(result["trials"][0]["ledger"]["has_sink"])
        self.assertGreater(result["trials"][0]["ledger"]["accepted"], 1000)

    def test_what_the_sink_cannot_do_is_told_with_its_reason(self):
        sink = self.sink()
        done, _ = self.gen("sink.queues=60")
        self.assert_status(done, ENVIRONMENT)
        text = " ".join(done.stdout.split())
        self.assertIn("peer: --set sink.queues=60", text)
        self.assertIn("60 queues, but", text)
        _, result = self.gen(out="second")  # it listens on
        self.assert_whole(result)
        self.stop(sink)

    def test_a_sink_that_dies_ends_the_run_clearly(self):
        sink = self.sink()
        gen = self.start_gen("run.measure=2 s")
        time.sleep(2)
        for worker in children(sink.pid):
            os.kill(worker, signal.SIGKILL)
        self.assertEqual(sink.wait(timeout=20), FAILED)
        self.assertNotEqual(gen.wait(timeout=60), OK)
        result = self.result(self.folder / "out")
        reasons = [r["message"] for t in result["trials"] for r in t["reasons"]]
        self.assertTrue(any("did not answer" in r or "no sink answered" in r for r in reasons),
                        reasons)

    def test_a_sink_that_dies_in_mid_trial_is_missed_at_once(self):
        for settings in ([], ["window.limit=8 KiB", "recovery.timeout=20 ms"]):
            with self.subTest(settings=settings):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                sink = self.sink()
                gen = self.start_gen("run.measure=60 s", *settings)
                time.sleep(2.5)
                for worker in children(sink.pid):
                    os.kill(worker, signal.SIGKILL)
                reasons = self.lost(gen, time.monotonic())
                self.assertTrue(any("was not heard for 3." in r for r in reasons), reasons)
                self.assertEqual(sink.wait(timeout=20), FAILED)

    def test_a_sink_whose_time_is_over_tells_its_generator(self):
        sink = self.sink(time="4s")
        gen = self.start_gen("run.measure=60 s")
        self.assertEqual(sink.wait(timeout=20), OK)
        reasons = self.lost(gen, time.monotonic())
        self.assertTrue(any("has ended" in r for r in reasons), reasons)

    def test_a_generator_that_dies_does_not_block_the_sink(self):
        sink = self.sink()
        gen = self.start_gen("run.measure=5 s")
        time.sleep(2.5)
        gen.kill()
        gen.wait()
        done, result = self.gen(out="second")
        self.assert_whole({"trials": result["trials"][-1:]})
        self.assertIn("waited for", done.stderr)  # before it is
        warnings = result["trials"][0]["opened"]["warnings"]
        self.assertTrue(any("was waited for" in text for text in warnings), warnings)
        self.stop(sink)

    def test_two_sinks_on_one_link_are_refused(self):
        first, second = self.sink(), self.sink()
        before = self.sent()
        done, _ = self.gen()
        self.assert_status(done, ENVIRONMENT)
        self.assertIn("two sinks answer on this link", " ".join(done.stdout.split()))
        self.assertLess(self.sent() - before, 100)
        self.stop(second)
        _, result = self.gen(out="second")
        self.assert_whole(result)
        self.stop(first)

    def test_two_generators_take_turns(self):
        sink = self.sink()
        first = self.start_gen("stats.rounds=3", out="first")
        time.sleep(0.3)
        _, second = self.gen("stats.rounds=3", out="second")
        first.wait(timeout=60)
        self.assert_whole(second)
        self.assert_whole(self.result(self.folder / "first"))
        self.stop(sink)

    def test_the_sink_answers_arp_and_ping(self):
        sink = self.sink("traffic.destination_ip=198.18.0.2")
        ip("-n", self.spaces[0], "addr", "add", "198.18.0.1/24", "dev", self.ends[0])
        done = subprocess.run(
            ["ip", "netns", "exec", self.spaces[0], sys.executable, "-c", PING],
            capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.stdout, "answered\n", done.stderr)
        self.stop(sink)

    def one_port(self, *settings):
        port = f"net_af_packet0,iface={self.ends[0]}"
        space = self.spaces[0]
        return self.gensink(
            "run", self.profile(PROFILE), "--ports", f"{port},{port}", "--out", self.folder / "out",
            *changes(f"wire.gen_netns={space}", f"wire.sink_netns={space}", *settings))

    def test_a_reflector_sends_back_what_one_port_sends(self):
        reflector = self.waiting("reflect")
        self.one_port()
        self.assert_whole(self.result(self.folder / "out"))
        self.stop(reflector)
        counted = [int(word) for word in reflector.stdout.read().split() if word.isdigit()]
        self.assertGreater(counted[0], 1000)
        self.assertEqual(counted[0], counted[1] + counted[2])

    def test_one_port_cannot_close_the_loop(self):
        done = self.one_port("window.limit=8 KiB")
        self.assert_status(done, USAGE)
        self.assertIn("both ends", done.stderr)

    def refused(self, *words):
        """What a command says that is refused as misused."""
        done = self.gensink(*words)
        self.assert_status(done, USAGE)
        self.assertIn("--port", done.stderr)
        self.assertNotIn("--ports", done.stderr)
        self.assertNotIn("wire.", done.stderr)
        return " ".join(done.stderr.split())

    def test_errors_name_what_was_typed(self):
        self.assertIn("--port net_af_packet1: error: needs iface=",
                      self.refused("sink", "--port", "net_af_packet1"))
        self.assertIn("`ifcae` is none of its arguments",
                      self.refused("sink", "--port", "net_af_xdp0,ifcae=lo"))
        self.assertIn("no interface `nosuch0`",
                      self.refused("gen", self.profile(PROFILE), "--port",
                                   "net_af_packet0,iface=nosuch0"))

    def test_devices_that_hear_nobody_cannot_wait(self):
        for device, why in (("net_null0", "nothing that is sent comes in"),
                            ("net_ring0", "within one process"),
                            ("net_pcap0,tx_pcap=/tmp/none.pcap", "nobody at its other end")):
            with self.subTest(device=device):
                self.assertIn(why, self.refused("sink", "--port", device))
                self.assertIn(why, self.refused("reflect", "--port", device))
                self.assertIn(why, self.refused("gen", self.profile(PROFILE), "--port", device))

    def test_an_interface_that_its_namespace_lacks_is_named(self):
        done = self.gensink("sink", "--port", "net_af_packet1,iface=nosuch0", "--for", "1s", "--set",
                            f"wire.sink_netns={self.spaces[1]}")
        self.assert_status(done, ENVIRONMENT)
        self.assertIn("no interface `nosuch0`", " ".join(done.stderr.split()))

    def test_peer_is_no_device(self):
        done = self.gensink("devices", "peer")
        self.assertIn("`peer` is no device", " ".join((done.stdout + done.stderr).split()))

    def test_both_ends_elsewhere_are_refused(self):
        done = self.gensink("run", self.profile(PROFILE), "--ports", "peer,peer")
        self.assert_status(done, USAGE)
        done = self.gensink("run", self.profile(PROFILE), "--ports",
                            "peer,net_af_packet1,iface=lo")
        self.assert_status(done, USAGE)
        self.assertIn("gensink sink", done.stderr)


class ApartXdp(ApartCase):
    """Over AF_XDP, whose port the sink opens anew for each trial."""

    driver = "net_af_xdp"

    def setUp(self):
        super().setUp()
        skip_without_xdp(self)

    def test_one_sink_serves_trial_after_trial(self):
        sink = self.sink()
        for out in ("first", "second"):
            _, result = self.gen("stats.rounds=2", out=out)
            self.assert_whole(result)
            self.assertEqual(len(result["trials"]), 2)
        self.stop(sink)
        for space, interface in zip(self.spaces, self.ends):
            link, = json.loads(ip("-n", space, "-d", "-j", "link", "show", interface))
            self.assertNotIn("xdp", link)

    def test_the_closed_loop_runs_over_it(self):
        sink = self.sink()
        _, result = self.gen("window.limit=8 KiB", "recovery.timeout=20 ms",
                             "transfer.total=256 KiB", "run.measure=20 s", "traffic.load=max")
        self.assertGreaterEqual(
            result["trials"][-1]["transport"]["flows"][0]["payload_acked"], 256 << 10)
        self.stop(sink)

    def test_a_sink_that_dies_in_mid_trial_is_missed_at_once(self):
        sink = self.sink()
        gen = self.start_gen("run.measure=60 s")
        time.sleep(4)
        for worker in children(sink.pid):
            os.kill(worker, signal.SIGKILL)
        reasons = self.lost(gen, time.monotonic())
        self.assertTrue(any("was not heard for 3." in r for r in reasons), reasons)


if __name__ == "__main__":
    unittest.main()
