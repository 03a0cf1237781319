# SPDX-License-Identifier: BSD-3-Clause
"""What system tests share: the binary under test, runs with a time limit, results."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
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
