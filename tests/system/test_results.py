# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of saved results: compared, gated, run again, told over time, as JUnit's XML; and
what a run tells while it goes on."""
import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import socket
import struct
import subprocess
import termios
import time
import urllib.request
import xml.etree.ElementTree as xml

from harness import ENVIRONMENT, GENSINK, INCONCLUSIVE, OK, UNMET, USAGE, Case

MODEL = """gensink: 1
name: small-window
wire: {kind: model}
traffic: {block_size: 1460 B, header: 12 B}
window: {limit: 16 KiB}
path: {rtt: 1 ms, rate: 1 Gbit/s}
metrics: [transfer.bps_payload]
stats: {rounds: 3}
run: {warmup: 10 ms, measure: 50 ms}
expect:
  - {metric: predicted_ratio, equals: 1, within: 2 %}
  - {metric: transfer.bps_payload, at_least: 120000000}
"""


class Results(Case):
    def run_model(self, name, *arguments, status=OK):
        path = pathlib.Path(self.folder, "small-window.yaml")
        path.write_text(MODEL, encoding="utf-8")
        out = pathlib.Path(self.folder, "results", name)
        done = self.gensink("run", str(path), "--out", str(out), *arguments)
        self.assert_status(done, status)
        return str(out)

    def test_compare_names_the_key_that_differs(self):
        old = self.run_model("old")
        new = self.run_model("new", "--set", "tx.ring=512")
        done = self.gensink("compare", old, new)
        self.assertRegex(done.stdout, r"differs: tx\.ring: A auto, B 512")
        self.assertNotIn("descriptors", done.stdout)

    def test_compare_refuses_two_keys_unless_told(self):
        old = self.run_model("old")
        new = self.run_model("new", "--set", "path.rtt=2 ms", "--set", "window.limit=32 KiB")
        done = self.gensink("compare", old, new)
        self.assert_status(done, USAGE)
        self.assertIn("path.rtt (1 ms / 2 ms)", done.stderr)
        self.assertIn("window.limit (16 KiB / 32 KiB)", done.stderr)
        self.assertIn("FORCED", self.gensink("compare", old, new, "--force").stdout)

    def test_a_gate_fails_on_a_loss_beyond_its_bound(self):
        old = self.run_model("old")
        new = self.run_model("new", "--set", "path.rtt=1.1 ms", status=UNMET)
        for gate, status in (("loss:2%", UNMET), ("loss:20%", OK),
                             ("transfer.bps_payload:loss:2 %", UNMET)):
            with self.subTest(gate):
                self.assert_status(self.gensink("compare", old, new, "--fail-on", gate), status)
        self.assert_status(self.gensink("compare", new, old, "--fail-on", "loss:2%"), OK)

    def test_a_gate_that_makes_no_sense_is_refused(self):
        old = self.run_model("old")
        for gate in ("", "loss", "loss:2", "gain:2%", "rx.speed:loss:2%", "rx.fps:loss:2%"):
            with self.subTest(gate):
                done = self.gensink("compare", old, old, "--fail-on", gate)
                self.assert_status(done, USAGE)
                self.assertIn("--fail-on", done.stderr)

    def test_rerun_repeats_a_result(self):
        old = self.run_model("old", "--seed", "7", "--set", "path.rtt=0.9 ms")
        pathlib.Path(self.folder, "small-window.yaml").unlink()
        again = pathlib.Path(self.folder, "again")
        self.assert_status(self.gensink("rerun", old, "--out", str(again)), OK)
        first, second = (json.loads(pathlib.Path(folder, "result.json").read_text("utf-8"))
                         for folder in (old, again))
        self.assertEqual(second["run"]["seed"], 7)
        self.assertEqual(first["run"]["profile"]["overrides"], second["run"]["profile"]["overrides"])
        self.assertEqual(first["run"]["profile"]["digest_xxh3_64"], second["run"]["profile"]["digest_xxh3_64"])
        self.assertEqual(first["cells"], second["cells"])

    def test_rerun_with_a_key_set_anew(self):
        old = self.run_model("old", "--set", "path.rtt=0.9 ms")
        again = pathlib.Path(self.folder, "again")
        done = self.gensink("rerun", old, "--set", "path.rtt=0.8 ms", "--out", str(again))
        self.assert_status(done, OK)
        result = json.loads((again / "result.json").read_text("utf-8"))
        self.assertEqual(result["run"]["profile"]["overrides"], ["path.rtt=0.8 ms"])

    def test_history_marks_where_a_level_changes(self):
        for day in range(8):
            rtt = "1 ms" if day < 5 else "1.1 ms"
            self.run_model(f"{day}", "--set", f"path.rtt={rtt}",
                           status=OK if day < 5 else UNMET)
        done = self.gensink("history", str(pathlib.Path(self.folder, "results")))
        self.assert_status(done, OK)
        self.assertIn("1 of 1 series changed", done.stdout)
        self.assertRegex(done.stdout, r"WORSE at \S+: small-window: transfer.bps_payload")
        self.assertIn("--set path.rtt=1 ms -> path.rtt=1.1 ms", " ".join(done.stdout.split()))

    def test_history_of_nothing_is_refused(self):
        for arguments in (["/nowhere"], [self.folder], [self.folder, "--metric", "rx.speed"]):
            with self.subTest(arguments):
                self.assert_status(self.gensink("history", *arguments), USAGE)

    def test_history_leaves_out_what_is_no_result(self):
        self.run_model("good")
        bad = pathlib.Path(self.folder, "results", "bad")
        bad.mkdir()
        (bad / "result.json").write_text("{", encoding="utf-8")
        done = self.gensink("history", str(bad.parent))
        self.assert_status(done, OK)
        self.assertIn("left out: ", done.stderr)
        self.assertIn("0 of 1 series changed", done.stdout)

    def test_junit_has_a_case_an_expectation(self):
        file = pathlib.Path(self.folder, "junit.xml")
        self.run_model("unmet", "--set", "path.rtt=1.5 ms", "--junit", str(file),
                       status=UNMET)
        suite = xml.parse(file).getroot()
        self.assertEqual(suite.get("tests"), "3")
        self.assertEqual(suite.get("failures"), "1")
        self.assertEqual(len(suite.findall("testcase/failure")), 1)


class Following(Case):
    """Those who look on while it runs."""

    def test_a_json_stream_has_lines_and_ends_with_the_outcome(self):
        out = pathlib.Path(self.folder, "out")
        done = self.gensink("run", "core-cost", "--quick", "--json-stream", "--out", str(out))
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertGreaterEqual(len(lines), 3)
        for line in lines[:-1]:
            self.assertEqual(line["type"], "progress")
            self.assertIn("last_trial", line)
        self.assertTrue(any(line["last_trial"] for line in lines[:-1]))
        self.assertEqual(lines[-1]["type"], "result")
        self.assertEqual(lines[-1]["exit_status"], done.returncode)
        self.assertTrue(pathlib.Path(lines[-1]["file"]).exists())

    def test_a_terminal_gets_a_view_that_is_gone_at_the_end(self):
        out = pathlib.Path(self.folder, "out")
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        run = subprocess.Popen(
            [GENSINK, "run", "core-cost", "--quick", "--set", "run.measure=500ms", "--set",
             "stats.rounds=2", "--out", str(out)], stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        text = ""
        with contextlib.suppress(OSError):  # the other side is closed
            while seen := os.read(ours, 65536):
                text += seen.decode()
                fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        os.close(ours)
        self.assertIn(run.wait(timeout=60), (OK, INCONCLUSIVE))
        for part in (r"core-cost  \[#*-*\] trial \d/6", r"offered [\d.]+ \wfps", r"received [\d.]+ ",
                     r"burst asked [\d.]+, accepted", r"gen core 1:  sending \d+ %",
                     r"sink core 2:  receiving \d+ %", r"last: run, frame_size \d+ B | lost 0"):
            self.assertRegex(text, part)
        self.assertTrue(text.endswith("\x1b[J"), repr(text[-40:]))
        views = text.split("\x1b[J")[3:]  # the terminal is narrower by then
        self.assertTrue(all(len(line) < 60 for view in views
                            for line in view.replace("\r", "").split("\n")
                            if "\x1b" not in line))

    def test_prometheus_scrapes_a_run(self):
        out = pathlib.Path(self.folder, "out")
        run = subprocess.Popen(
            [GENSINK, "run", "core-cost", "--quick", "--set", "run.measure=1 s", "--set",
             "stats.rounds=2", "--prometheus", "0", "--out", str(out)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        url = re.fullmatch(r"metrics: (http://127\.0\.0\.1:\d+/metrics)\n",
                           run.stderr.readline()).group(1)
        seen = ""
        while "gensink_trials_ended_total" not in seen or "gensink_offered_frames" not in seen:
            self.assertIsNone(run.poll(), seen)
            with urllib.request.urlopen(url, timeout=10) as answer:
                seen = answer.read().decode()
            time.sleep(0.05)
        self.assertRegex(seen, r"gensink_trials_ended_total\{arm=\"run\",outcome=\"\w+\"\} [1-6]\n")
        self.assertRegex(seen, r"gensink_core_time_ratio\{cause=\"sending\",core=\"gen core 1\"\} 0")
        run.stderr.read()
        run.stderr.close()
        self.assertIn(run.wait(timeout=60), (OK, INCONCLUSIVE))
        with self.assertRaises(OSError):
            urllib.request.urlopen(url, timeout=10)

    def test_an_address_that_is_none_or_taken_is_refused(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            for address, status in (("http", USAGE), ("127.0.0.1:123456", USAGE),
                                    (str(taken.getsockname()[1]), ENVIRONMENT)):
                with self.subTest(address):
                    done = self.gensink("run", "gpxe-lan", "--prometheus", address, "--out",
                                        str(pathlib.Path(self.folder, "out")))
                    self.assert_status(done, status)
                    self.assertIn("--prometheus", done.stderr)
