# SPDX-License-Identifier: BSD-3-Clause
"""What others attach to: hugepages, DPDK's telemetry socket, dpdk-dumpcap."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest

from harness import SHORT, RunCase, alive, children, needs_root

SINKLESS = """gensink: 1
name: sinkless
wire: {kind: ports, gen: "net_null0,no-rx=1", sink: none}
traffic: {frame_size: 64 B, load: 10 kfps}
metrics: [tx.fps]
stats: {rounds: 1}
run: {warmup: 20 ms, measure: 3 s}
"""


@needs_root
class Hugepages(RunCase):
    COUNT = pathlib.Path("/proc/sys/vm/nr_hugepages")

    def setUp(self):
        super().setUp()
        had = int(self.COUNT.read_text())
        self.addCleanup(self.COUNT.write_text, f"{had}\n")
        try:
            self.COUNT.write_text(f"{had + 256}\n")
        except OSError as error:
            self.skipTest(f"hugepages cannot be set aside here: {error}")
        if int(self.COUNT.read_text()) < had + 256:
            self.skipTest("not enough memory in one piece for hugepages")

    def free(self):
        text = pathlib.Path("/proc/meminfo").read_text()
        return int(re.search(r"HugePages_Free:\s+(\d+)", text).group(1))

    def test_are_used_where_there_are_any_and_given_back(self):
        free = self.free()
        done, result = self.short()
        self.assert_measured(done, result)
        self.assertEqual({trial["opened"]["memory"] for trial in result["trials"]}, {"hugepages"})
        self.assertEqual(self.free(), free)

    def test_dpdk_dumpcap_attaches_to_a_port(self):
        if not shutil.which("dpdk-dumpcap"):
            self.skipTest("no dpdk-dumpcap (package dpdk-dev)")
        mounted = "/dev/hugepages hugetlbfs" in pathlib.Path("/proc/mounts").read_text()
        if not mounted:
            pathlib.Path("/dev/hugepages").mkdir(exist_ok=True)
            subprocess.run(["mount", "-t", "hugetlbfs", "none", "/dev/hugepages"], check=True)
            self.addCleanup(subprocess.run, ["umount", "/dev/hugepages"], check=True)
        run = self.start(self.profile(SINKLESS), "--out", self.folder / "out",
                         "--set", "host.pdump=true", "--set", "run.measure=8 s")
        prefix = f"gensink-{run.pid}"
        self.wait_for(lambda: pathlib.Path("/var/run/dpdk", prefix).exists(), what=prefix)
        file = self.folder / "frames.pcapng"
        file.touch()
        file.chmod(0o666)
        dump = None
        for _ in range(10):  # its port may not be open yet
            dump = subprocess.run(
                ["dpdk-dumpcap", f"--file-prefix={prefix}", "-i", "net_null0", "-c", "10", "-P",
                 "-w", str(file)], capture_output=True, text=True, timeout=30, check=False)
            if dump.returncode == 0:
                break
            time.sleep(0.2)
        self.assertEqual(dump.returncode, 0, dump.stderr)
        frames = file.read_bytes()
        self.assertGreater(len(frames), 24 + 10 * (16 + 60))  # pcap's header, then frames with theirs
        self.assertIn(bytes([0x08, 0x00, 0x45]), frames)      # IPv4 in Ethernet
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)


class Telemetry(RunCase):
    """The socket that dpdk-telemetry.py and exporters read, in their protocol (DPDK 22.11,
    lib/telemetry/telemetry.c): a greeting, then an answer a command, each a datagram of JSON."""

    def ask(self, sock, command):
        sock.send(command.encode())
        return json.loads(sock.recv(65536))[command.split(",")[0]]

    def connect(self, path):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(sock.close)
        sock.settimeout(10)
        sock.connect(str(path))
        self.assertIn("DPDK", json.loads(sock.recv(65536))["version"])
        return sock

    def runtime(self):
        return pathlib.Path("/var/run" if os.getuid() == 0 else
                            os.environ.get("XDG_RUNTIME_DIR", "/tmp"))

    def test_counts_of_the_running_trial(self):
        run = self.start(self.profile(SHORT), "--out", self.folder / "out",
                         "--set", "host.telemetry=true", "--set", "run.measure=3 s",
                         "--set", "stats.rounds=1")
        path = self.runtime() / f"dpdk/gensink-{run.pid}/dpdk_telemetry.v2"
        self.wait_for(path.exists, what=str(path))
        sock = self.connect(path)
        self.wait_for(lambda: self.ask(sock, "/gensink/trial").get("phase") == "measure",
                      what="the measure phase")
        first, second = [], []
        for seen in (first, second):
            seen += [self.ask(sock, "/gensink/gen"), self.ask(sock, "/gensink/sink"),
                     self.ask(sock, "/gensink/sink,2")]
            time.sleep(0.5)
        self.assertGreater(second[0]["frames_accepted"], first[0]["frames_accepted"])
        self.assertGreater(second[1]["frames"], first[1]["frames"])
        self.assertEqual(second[1].keys(), second[2].keys())
        self.assertIsNone(self.ask(sock, "/gensink/gen,99"))
        self.assertIsNone(self.ask(sock, "/gensink/gen,x"))
        self.assertIn("/gensink/trial", self.ask(sock, "/"))
        sock.close()
        run.communicate(timeout=60)
        result = self.result(self.folder / "out")
        trial = result["trials"][-1]
        self.assertLess(second[0]["frames_accepted"],
                        trial["gen"][0]["total"]["frames_accepted"])

    def test_a_killed_run_leaves_what_the_next_one_removes(self):
        run = self.start(self.profile(SHORT), "--out", self.folder / "out",
                         "--set", "host.telemetry=true", "--set", "run.measure=10 s")
        folder = self.runtime() / f"dpdk/gensink-{run.pid}"
        self.wait_for((folder / "dpdk_telemetry.v2").exists, what=str(folder))
        workers = children(run.pid)
        run.kill()
        run.communicate(timeout=60)
        self.wait_for(lambda: not any(alive(worker) for worker in workers), what="workers ended")
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        done, result = self.short()
        self.assert_measured(done, result)
        self.assertFalse(folder.exists())


