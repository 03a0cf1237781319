# SPDX-License-Identifier: BSD-3-Clause
"""Kernel arms: sockets over loopback, over a veth pair that gensink makes, and between two ends apart."""
import os
import pathlib
import signal
import socket
import subprocess

from harness import (ENVIRONMENT, GENSINK, IS_ROOT, NOBODY, OK, USAGE, RunCase, VethCase, end, ip,
                     needs_root)

TCP = """gensink: 1
name: tcp
wire: {kind: kernel}
kernel: {protocol: tcp}
traffic: {block_size: 64 KiB}
metrics: [rx.bps_payload, tx.driver_bytes_copied_per_frame]
stats: {rounds: 1, repeats: 0}
run: {warmup: 20 ms, measure: 200 ms, quiet: 50 ms}
"""
UDP = TCP.replace("protocol: tcp", "protocol: udp").replace("block_size: 64 KiB", "load: 20 kfps")


class Loopback(RunCase):
    """Without root, without namespaces."""

    def check_bytes(self, *settings, copied):
        done, result = self.short(*settings, text=TCP)
        self.assert_measured(done, result)
        self.assertIn("kernel sockets over loopback: not a NIC result", done.stdout)
        (trial,) = result["trials"]
        ledger = trial["ledger"]
        self.assertTrue(ledger["in_bytes"])
        self.assertGreater(ledger["accepted"], 65536)
        self.assertEqual((ledger["lost"], ledger["residue"]), (0, 0))
        told = trial["metrics"]["tx.driver_bytes_copied_per_frame"]
        self.assertEqual(told > 0, copied, told)

    def test_tcp_by_write_is_copied_by_the_kernel(self):
        self.check_bytes(copied=True)

    def test_tcp_by_sendfile_is_not_copied(self):
        self.check_bytes("kernel.sender=sendfile", copied=False)

    def test_a_file_is_sent_in_place(self):
        file = self.folder / "big"
        with open(file, "wb") as out:
            out.truncate(300 << 20)
        self.check_bytes("kernel.sender=sendfile", "source.kind=file", f"source.file={file}",
                         copied=False)

    def test_zero_copy_that_loopback_copies_is_said(self):
        done, result = self.short("kernel.sender=msg_zerocopy", text=TCP)
        self.assert_measured(done, result)
        self.assertIn("treatment_not_exercised", self.codes(result))
        self.assertIn("the kernel copied 100.0 % of the payload", " ".join(done.stdout.split()))

    def test_udp_closes_to_the_datagram(self):
        for sender, burst in (("write", 1), ("sendmmsg", 8), ("gso", 8)):
            with self.subTest(sender):
                done = self.gensink(
                    "run", self.profile(UDP), "--out", self.folder / sender,
                    "--set", f"kernel.sender={sender}", "--set", f"tx.burst={burst}")
                self.assert_status(done, OK)
                (trial,) = self.result(self.folder / sender)["trials"]
                ledger = trial["ledger"]
                self.assertFalse(ledger["in_bytes"])
                self.assertEqual(ledger["accepted"], ledger["in_order"] + ledger["lost"])
                self.assertEqual(ledger["residue"], 0)
                self.assertEqual(trial["gen"][0]["measured"]["burst_accepted"][str(burst)],
                                 trial["gen"][0]["measured"]["send_calls"])

    @needs_root
    def test_needs_no_root(self):
        os.chmod(self.folder, 0o777)
        done, result = self.short(text=TCP, user=NOBODY, group=NOBODY, extra_groups=[],
                                  env={"HOME": "/nonexistent", "PATH": os.environ["PATH"]})
        self.assert_measured(done, result)

    def test_a_port_in_use_is_named(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            done, _ = self.short(f"traffic.destination_port={port}", text=TCP)
        self.assertNotEqual(done.returncode, OK)
        self.assertIn(f"127.0.0.1:{port}: cannot listen: Address already in use", done.stdout)

    def test_a_file_that_is_missing_is_named(self):
        empty = self.folder / "empty"
        empty.touch()
        for file, why in (("/nowhere", "/nowhere cannot be read: No such file"),
                          ("/dev", "/dev is no regular file"), (empty, "has 0 B")):
            with self.subTest(why):
                done = self.gensink("run", self.profile(TCP), "--set", "source.kind=file",
                                    "--set", f"source.file={file}")
                self.assert_status(done, ENVIRONMENT)
                self.assertIn(f"--set source.file={file}: error: ", done.stderr)
                self.assertIn(why, done.stderr)

    def test_a_namespace_that_is_missing_is_named(self):
        done = self.gensink("run", self.profile(TCP), "--set", "wire.gen_netns=nowhere")
        self.assert_status(done, ENVIRONMENT)
        self.assertIn("--set wire.gen_netns=nowhere: error: no network namespace 'nowhere'",
                      done.stderr)

    def test_a_device_is_refused(self):
        done = self.gensink("run", self.profile(TCP), "--set", "wire.gen=net_null0")
        self.assert_status(done, USAGE)
        self.assertIn("`net_null0` is a device", done.stderr)


class MadeVeth(RunCase):
    """wire.veth: two namespaces and a pair between them, gone with the run."""

    def setUp(self):
        if not IS_ROOT:
            self.skipTest("needs root: network namespaces")
        super().setUp()

    def test_sockets_and_devices_use_the_same_pair(self):
        device = ("wire: {kind: ports, gen: 'net_af_packet0,iface=gen0', sink: "
                  "'net_af_packet1,iface=sink0', veth: true}")
        for name, text in (("tcp", TCP), ("udp", UDP), ("ports", UDP.replace(
                "wire: {kind: kernel}", device).replace("kernel: {protocol: udp}\n", ""))):
            with self.subTest(name):
                done = self.gensink("run", self.profile(text), "--out", self.folder / name,
                                    "--set", "wire.veth=true")
                self.assert_status(done, OK)
                (trial,) = self.result(self.folder / name)["trials"]
                self.assertEqual(trial["ledger"]["residue"], 0)
                self.assertGreater(trial["ledger"]["in_order"], 0)
                self.assertNotIn("over loopback", done.stdout)

    def test_the_reverse_direction_sends_from_the_other_end(self):
        done, result = self.short("wire.veth=true", "traffic.direction=reverse", text=TCP)
        self.assert_measured(done, result)
        self.assertIn("-sink -> kernel tcp socket in netns", " ".join(done.stdout.split()))

    def long_run(self):
        """A run that is in the middle, and one of its namespaces."""
        text = TCP.replace("measure: 200 ms", "measure: 60 s")
        run = self.start(self.profile(text), "--set", "wire.veth=true")
        space = pathlib.Path(f"/run/netns/gensink-{run.pid}-gen")
        self.wait_for(space.exists, what="namespace")
        return run, space

    def test_what_a_killed_run_leaves_the_next_removes(self):
        run, space = self.long_run()
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertTrue(space.exists())
        done, _ = self.short("wire.veth=true", text=TCP)
        self.assert_status(done, OK)
        self.assertFalse(space.exists())

    def test_an_interrupt_leaves_nothing(self):
        run, space = self.long_run()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=20)
        self.assertFalse(space.exists())

    def test_without_root_it_says_so(self):
        os.chmod(self.folder, 0o777)
        done = self.gensink("run", self.profile(TCP), "--set", "wire.veth=true", user=NOBODY,
                            group=NOBODY, extra_groups=[], env={"PATH": os.environ["PATH"]})
        self.assert_status(done, ENVIRONMENT)
        self.assertIn("needs root: run it with sudo", done.stderr)


class Apart(VethCase):
    """A sink and a generator of sockets, in two processes and two namespaces."""

    addresses = ("198.18.0.1", "198.18.0.2")

    def setUp(self):
        super().setUp()
        for space, interface, own, other in zip(self.spaces, self.ends, self.addresses,
                                                reversed(self.addresses)):
            ip("-n", space, "addr", "add", own, "peer", other, "dev", interface)

    def sink(self):
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.spaces[1], GENSINK, "sink", "--port", "kernel", "--for",
             "60s"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, cwd=self.folder)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(end, process)
        self.assertIn("sink on kernel", process.stderr.readline())
        return process

    def gen(self, text, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        profile = self.profile(text)
        return subprocess.run(
            ["ip", "netns", "exec", self.spaces[0], GENSINK, "gen", profile, "--port", "kernel",
             "--out", self.folder / "out", "--set", f"traffic.destination_ip={self.addresses[1]}",
             # Both ends may be on one CPU here, and strangers to each other.
             "--set", "validity.run_delay=100 %", "--set", "validity.clock=100 %",
             *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90,
            check=False, cwd=self.folder)

    def check(self, text):
        sink = self.sink()
        done = self.gen(text)
        self.assert_status(done, OK)
        (trial,) = self.result(self.folder / "out")["trials"]
        ledger = trial["ledger"]
        self.assertGreater(ledger["accepted"], 0)
        self.assertEqual(ledger["residue"], 0)
        self.assertEqual(ledger["accepted"], ledger["in_order"] + ledger["lost"])
        sink.send_signal(signal.SIGINT)
        self.assertEqual(sink.wait(10), OK)

    def test_tcp_counts_every_byte(self):
        self.check(TCP)

    def test_udp_counts_every_datagram(self):
        self.check(UDP)

    def test_without_a_sink_it_ends_with_what_to_start(self):
        done = self.gen(TCP)
        self.assertNotEqual(done.returncode, OK)
        self.assertIn("gensink sink", done.stdout + done.stderr)

    def test_the_sinks_address_must_be_given(self):
        done = self.gensink("gen", self.profile(TCP), "--port", "kernel")
        self.assert_status(done, USAGE)
        self.assertIn("the address of the host", done.stderr)
