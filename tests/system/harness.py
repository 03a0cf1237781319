# SPDX-License-Identifier: BSD-3-Clause
"""What system tests share: the binary under test, runs with a time limit, results."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENSINK = os.environ.get("GENSINK", str(ROOT / "build/apps/gensink/gensink"))
IS_ROOT = os.geteuid() == 0
needs_root = unittest.skipUnless(IS_ROOT, "needs root")
NOBODY = 65534

# Exit status, as README lists it.
OK, UNMET, USAGE, ENVIRONMENT, INVALID, INCONCLUSIVE, FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130


class Case(unittest.TestCase):
    """A test with a folder of its own that is gone afterwards."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if not os.access(GENSINK, os.X_OK):
            raise unittest.SkipTest(f"{GENSINK} is not built")

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gensink-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def gensink(self, *arguments, timeout=60, **options):
        """Runs to the end; the completed process has text output."""
        return subprocess.run(
            [GENSINK, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=timeout, check=False, cwd=self.folder, **options)

    def profile(self, text):
        """Writes a profile and returns its path."""
        path = self.folder / "profile.yaml"
        path.write_text(text)
        return path

    def result(self, folder=None):
        """The one result.json below a folder."""
        found = sorted(pathlib.Path(folder or self.folder).rglob("result.json"))
        self.assertEqual(len(found), 1, f"result files: {found}")
        return json.loads(found[0].read_text())

    def assert_status(self, done, *expected):
        self.assertIn(done.returncode, expected,
                      f"{done.args}\nstdout:\n{done.stdout}\nstderr:\n{done.stderr}")


def children(pid):
    """Processes whose parent is `pid`, at any depth."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            fields = stat[stat.rindex(")") + 2:].split()
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
    found, todo = set(), [pid]
    while todo:
        parent = todo.pop()
        direct = {child for child, owner in parents.items() if owner == parent} - found
        found |= direct
        todo += direct
    return found


def alive(pid):
    """Whether a process exists and is no zombie."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat[stat.rindex(")") + 2] != "Z"


def end(process):
    """Ends a process of ours that a failed test left behind."""
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
        process.wait()


# A run of about a second: one arm, two short trials.
SHORT = """gensink: 1
name: short
wire: {kind: cable}
traffic: {block_size: 128 B, load: 200 kfps}
tx: {burst: 32}
stats: {rounds: 2}
run: {warmup: 20 ms, measure: 200 ms, quiet: 20 ms}
"""


class RunCase(Case):
    """Runs experiments; afterwards nothing that they made may be left."""

    def setUp(self):
        super().setUp()
        self.before = traces()
        self.addCleanup(self.assert_nothing_left)

    def assert_nothing_left(self):
        left = traces() - self.before
        self.assertEqual(left, set(), "left behind")

    def start(self, *arguments, **options):
        """A run in the background, ended at the latest with the test."""
        process = subprocess.Popen(
            [GENSINK, "run", *map(str, arguments)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(end, process)
        return process

    def short(self, *settings, text=SHORT, timeout=90, **options):
        """Runs the short profile with changes; returns the process and its result."""
        changes = [word for setting in settings for word in ("--set", setting)]
        done = self.gensink("run", self.profile(text), "--out", self.folder / "out", *changes,
                            timeout=timeout, **options)
        if not (self.folder / "out/result.json").exists():
            self.fail(f"no result: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done, self.result(self.folder / "out")

    def assert_measured(self, done, result):
        """Valid, or invalid only because other work on this machine came in between."""
        self.assert_status(done, OK, INVALID)
        wrong = [reason["message"] for trial in result["trials"] for reason in trial["reasons"]
                 if reason["severity"] == "invalid"]
        self.assertEqual(wrong, [])

    def codes(self, result):
        return {reason["code"] for trial in result["trials"] for reason in trial["reasons"]}

    def wait_for(self, condition, seconds=15, what="condition"):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.01)
        return self.fail(f"{what}: not within {seconds} s")


def skip_without_xdp(case):
    """Before gensink's own look: does the kernel have XDP sockets?"""
    try:
        socket.socket(44, socket.SOCK_RAW).close()  # AF_XDP
    except OSError as error:
        case.skipTest(f"this kernel has no XDP sockets: {error}")


def listing(*folders):
    return {str(path) for folder in folders for path in pathlib.Path(folder).glob("*")}


def traces():
    """What a run might leave: shared memory, hugepage files, DPDK's folders, interfaces,
    processes of the binary, namespaces."""
    processes = set()
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.path.realpath(entry / "exe") == os.path.realpath(
                    GENSINK) and alive(int(entry.name)):
                processes.add(f"process {entry.name}")
        except OSError:
            continue
    runtime = os.environ.get("XDG_RUNTIME_DIR", "/tmp")
    return processes | {path for path in listing(
        "/dev/shm", "/dev/hugepages", "/var/run/dpdk", "/sys/class/net", f"{runtime}/dpdk",
        "/tmp/dpdk", "/run/netns") if not in_use(path)}


def in_use(path):
    """A name that ends with the id of another process that runs is that one's."""
    found = re.search(r"(\d+)(-gen|-sink|-\d+|map_\d+)?$", path)
    number = int(found.group(1)) if found else 0
    return number != os.getpid() and number > 1 and alive(number)


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True).stdout


class VethCase(RunCase):
    """Two network namespaces joined by veth; names are this process's own."""

    def setUp(self):
        if not IS_ROOT:
            self.skipTest("needs root: network namespaces")
        super().setUp()
        tag = os.getpid()
        self.spaces = (f"gsa{tag}", f"gsb{tag}")
        self.ends = (f"gva{tag}", f"gvb{tag}")
        for space in self.spaces:
            ip("netns", "add", space)
            self.addCleanup(ip, "netns", "del", space, check=False)
        ip("link", "add", self.ends[0], "netns", self.spaces[0], "type", "veth", "peer", "name",
           self.ends[1], "netns", self.spaces[1])
        for space, interface in zip(self.spaces, self.ends):
            ip("-n", space, "link", "set", interface, "up")
