# SPDX-License-Identifier: BSD-3-Clause
"""Whole experiments over the cable: verdict, result files, signals, deaths."""
import json
import os
import signal
import subprocess
import sys
import time

from harness import (FAILED, INCONCLUSIVE, INTERRUPTED, INVALID, NOBODY, OK, UNMET, USAGE, SHORT,
                     RunCase, alive, children, needs_root)

# Long enough to be interrupted in its measure phase.
LONG = SHORT.replace("measure: 200 ms", "measure: 60 s").replace("rounds: 2", "rounds: 1")


class XmitBatching(RunCase):
    def run_undisturbed(self, **options):
        """A run; once more where the host, and nothing else, made it INVALID."""
        for out in ("first", "second"):
            done = self.gensink("run", "xmit-batching", "--quick", "--out", self.folder / out,
                                timeout=120, **options)
            result = self.result(self.folder / out)
            spoilt = {reason["code"] for trial in result["trials"] for reason in trial["reasons"]
                      if reason["severity"] == "invalid"}
            if done.returncode != INVALID or spoilt != {"offered_short"}:
                break
            self.assertIn("disturbed_gen", self.codes(result))
        return done, result

    def check(self, **options):
        done, result = self.run_undisturbed(**options)
        self.assert_status(done, OK, INCONCLUSIVE)
        self.assertIn(result["verdict"].upper().replace("_", " "), done.stdout)
        self.assertNotIn("residue", self.codes(result))
        arms = {trial["arm"] for trial in result["trials"]}
        self.assertLessEqual({"one-by-one", "batched"}, arms)
        for trial in result["trials"]:
            ledger = trial["ledger"]
            self.assertEqual(ledger["residue"], 0)
            self.assertEqual(ledger["accepted"], ledger["in_order"] + ledger["late"])
        return result

    def test_reaches_a_verdict(self):
        self.check()

    @needs_root
    def test_reaches_a_verdict_without_root(self):
        os.chmod(self.folder, 0o777)
        self.check(user=NOBODY, group=NOBODY, extra_groups=[],
                   env={"HOME": "/nonexistent", "PATH": os.environ["PATH"]})


class PublishedExperiments(RunCase):
    """Each bundled profile on the model meets its own expectations: the figures as published."""

    def check(self, name):
        done = self.gensink("run", name, "--out", self.folder / "out", timeout=120)
        self.assert_status(done, OK)
        self.assertIn("model: virtual time, not a measurement", done.stdout)
        result = self.result(self.folder / "out")
        self.assertGreater(len(result["expectations"]), 2)
        self.assertTrue(all(expectation["met"] for expectation in result["expectations"]))

    def test_gensink4(self):
        self.check("gensink4")

    def test_volanomark(self):
        self.check("volanomark")

    def test_gpxe_wan(self):
        self.check("gpxe-wan")

    def test_gpxe_lan(self):
        self.check("gpxe-lan")

    def test_gpxe_ring(self):
        self.check("gpxe-ring")

    def test_initial_window(self):
        self.check("initial-window")

    def test_a_seed_gives_the_same_transfer_again(self):
        done = [self.gensink("run", "gpxe-ring", "--set", "path.loss=1 %", "--out",
                             self.folder / out, timeout=120) for out in ("a", "b")]
        for each in done:
            self.assertIn(each.returncode, (OK, UNMET, INVALID), each.stderr)
        a, b = (self.result(self.folder / out)["trials"] for out in ("a", "b"))
        self.assertEqual(a, b)

    def test_the_same_file_runs_on_the_cable(self):
        done = self.gensink("run", "gensink4", "--set", "wire.kind=cable", "--quick", "--out",
                            self.folder / "out", timeout=120)
        self.assertNotIn(done.returncode, (USAGE, FAILED), done.stderr)
        result = self.result(self.folder / "out")
        self.assertNotIn("residue", self.codes(result))
        for trial in result["trials"]:
            self.assertGreater(trial["gen"][0]["measured"]["transport"]["payload_acked"], 0)


class Result(RunCase):
    def test_fits_its_schema(self):
        import jsonschema
        _, result = self.short()
        schema = json.loads(self.gensink("schema", "result").stdout)
        jsonschema.validate(result, schema)

    def test_a_clean_run_raises_no_reason_of_a_fault(self):
        done, result = self.short()
        self.assert_measured(done, result)
        faults = {"residue", "lost_frames", "duplicate_frames", "corrupt_frames",
                  "reordered_frames", "foreign_frames", "stale_frames", "pool_empty", "link_down",
                  "datapath_died", "sink_saw_nothing", "treatment_not_exercised"}
        self.assertEqual(self.codes(result) & faults, set())
        for trial in result["trials"]:
            self.assertGreater(trial["ledger"]["in_order"], 0)
            self.assertEqual(trial["ledger"]["in_order"], trial["ledger"]["accepted"])

    def test_causes_of_each_core_sum_to_its_run_time(self):
        _, result = self.short()
        for trial in result["trials"]:
            for end in ("gen", "sink"):
                for core in trial[end]:
                    span = core["measure_end_ticks"] - core["measure_start_ticks"]
                    self.assertEqual(sum(core["measured"]["cause_ticks"].values()), span)

    def test_writes_every_file_and_names_the_result(self):
        done, _ = self.short()
        for name in ("result.json", "result.csv", "report.txt", "report.html", "profile.yaml"):
            self.assertTrue((self.folder / "out" / name).is_file(), name)
        self.assertIn("out/result.json", done.stdout)
        self.assertEqual((self.folder / "out/profile.yaml").read_text(), SHORT)

    def test_never_overwrites(self):
        self.short()
        before = (self.folder / "out/result.json").read_bytes()
        done = self.gensink("run", self.profile(SHORT), "--out", self.folder / "out")
        self.assert_status(done, USAGE)
        self.assertEqual((self.folder / "out/result.json").read_bytes(), before)

    def test_default_folder_has_time_and_name(self):
        self.assert_status(self.gensink("run", self.profile(SHORT)), OK)
        self.assert_status(self.gensink("run", self.profile(SHORT)), OK)
        folders = sorted(path.name for path in (self.folder / "gensink-results").iterdir())
        self.assertEqual(len(folders), 2)
        for folder in folders:
            self.assertRegex(folder, r"^\d{4}-\d\d-\d\d.*-short")

    def test_unmet_expectation_is_exit_status_1(self):
        text = SHORT + "expect:\n  - {metric: tx.burst_accepted, arm: run, at_most: 2}\n"
        done, result = self.short(text=text)
        self.assert_status(done, UNMET)
        self.assertFalse(result["expectations"][0]["met"])

    def test_a_long_plan_asks_for_consent(self):
        done = self.gensink("run", self.profile(SHORT), "--set", "run.measure=1 h")
        self.assert_status(done, USAGE)
        self.assertIn("--yes", done.stderr)


class Signals(RunCase):
    def interrupted(self, number):
        process = self.start(self.profile(LONG), "--out", self.folder / "out")
        self.wait_for(lambda: children(process.pid), what="a worker")
        time.sleep(2)  # into the measure phase: nothing outside shows its start
        self.assertIsNone(process.poll(), process.stderr)
        sent = time.monotonic()
        process.send_signal(number)
        process.wait(timeout=10)
        took = time.monotonic() - sent
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertLess(took, 1.0)
        result = self.result(self.folder / "out")
        self.assertTrue(result["partial"])
        self.assertIn("interrupted", self.codes(result))
        counted = [trial["gen"][0]["total"]["frames_accepted"] for trial in result["trials"]
                   if trial["gen"]]
        self.assertTrue(counted and max(counted) > 0, "what was measured is lost")

    def test_interrupt(self):
        self.interrupted(signal.SIGINT)

    def test_terminate(self):
        self.interrupted(signal.SIGTERM)

    def test_interrupt_of_the_whole_group(self):
        # A terminal's ^C reaches the workers too; they must not die before they have answered.
        process = self.start(self.profile(LONG), "--out", self.folder / "out",
                             start_new_session=True)
        self.wait_for(lambda: children(process.pid), what="a worker")
        time.sleep(2)
        os.killpg(process.pid, signal.SIGINT)
        process.wait(timeout=10)
        self.assertEqual(process.returncode, INTERRUPTED)
        result = self.result(self.folder / "out")
        self.assertNotIn("datapath_died", self.codes(result))


class Deaths(RunCase):
    def test_a_killed_worker_is_a_reason_in_a_written_result(self):
        process = self.start(self.profile(LONG), "--out", self.folder / "out")
        workers = self.wait_for(lambda: children(process.pid), what="a worker")
        time.sleep(2)
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        process.wait(timeout=20)
        self.assertEqual(process.returncode, FAILED)
        result = self.result(self.folder / "out")
        self.assertIn("datapath_died", self.codes(result))
        messages = [reason["message"] for trial in result["trials"]
                    for reason in trial["reasons"] if reason["code"] == "datapath_died"]
        self.assertIn("9", messages[0])  # the signal

    def test_a_worker_killed_while_it_starts_leaves_nothing(self):
        process = self.start(self.profile(SHORT), "--out", self.folder / "out", "--set",
                             "host.hugepages=off")
        deadline = time.monotonic() + 10
        caught = False
        while process.poll() is None and not caught and time.monotonic() < deadline:
            for worker in children(process.pid):
                if os.path.exists(f"/var/run/dpdk/gensink-{worker}"):
                    os.kill(worker, signal.SIGKILL)
                    caught = True
        process.wait(timeout=20)
        if not caught:
            self.skipTest("the worker started too fast, or without root")
        self.assertFalse(os.path.exists(f"/var/run/dpdk/gensink-{worker}"))

    def test_workers_end_with_a_killed_parent(self):
        process = self.start(self.profile(LONG), "--out", self.folder / "out")
        workers = self.wait_for(lambda: children(process.pid), what="a worker")
        time.sleep(1)
        process.kill()
        process.wait(timeout=5)
        self.wait_for(lambda: not any(map(alive, workers)), seconds=3, what="workers gone")


class Faults(RunCase):
    """Faults planted at the receive side; each is named, and nothing else is."""

    EXCLUSIVE = {"lost_frames", "duplicate_frames", "corrupt_frames", "reordered_frames",
                 "foreign_frames"}

    def fault(self, key, code, field, every=1000):
        done, result = self.short(f"sink.fault.{key}={every}")
        codes = self.codes(result)
        self.assertIn(code, codes)
        # One fault in `every` frames of all phases; a foreign frame tells no phase, and counts in
        # any.
        trials = result["trials"]
        frames = sum(core["total"]["frames"] for trial in trials for core in trial["sink"]) if (
            field == "foreign") else sum(trial["ledger"]["accepted"] for trial in trials)
        found = sum(trial["ledger"][field] for trial in trials)
        self.assertGreater(frames / every, 5)
        self.assertAlmostEqual(found, frames / every, delta=frames / every * 0.05 + 2 * len(trials))
        return done, result, codes

    def test_dropped(self):
        done, result, codes = self.fault("drop_every", "lost_frames", "lost")
        for trial in result["trials"]:  # once, though the device's count contradicts it as well
            self.assertEqual(trial["ledger"]["residue"], trial["ledger"]["lost"])
        self.assertEqual(codes & self.EXCLUSIVE, {"lost_frames"})
        self.assert_status(done, INVALID)  # the cable cannot lose a frame

    def test_duplicated(self):
        _, _, codes = self.fault("duplicate_every", "duplicate_frames", "duplicate")
        self.assertEqual(codes & self.EXCLUSIVE, {"duplicate_frames"})

    def test_reordered(self):
        _, _, codes = self.fault("reorder_every", "reordered_frames", "late")
        self.assertEqual(codes & self.EXCLUSIVE, {"reordered_frames"})

    def test_corrupted(self):
        _, _, codes = self.fault("corrupt_every", "corrupt_frames", "corrupt")
        self.assertIn("corrupt_frames", codes)
        self.assertNotIn("duplicate_frames", codes)

    def test_foreign(self):
        _, _, codes = self.fault("foreign_every", "foreign_frames", "foreign")
        self.assertIn("foreign_frames", codes)

    def test_slow_sink(self):
        done, result = self.short("sink.fault.slow=20000 ticks", "traffic.load=max")
        self.assertIn("sink_limit", self.codes(result))

    def test_treatment_not_exercised(self):
        # A burst of 512 would take half a second to fill; each is sent after a millisecond.
        done, result = self.short("tx.flush_after=1 ms", "traffic.load=1 kfps", "tx.burst=512",
                                  "tx.ring=2048")
        self.assertIn("treatment_not_exercised", self.codes(result))
        self.assert_status(done, INVALID)

    def test_slow_generator(self):
        done, result = self.short("traffic.load=900 Mfps")
        self.assertIn("offered_short", self.codes(result))
        self.assert_status(done, INVALID)

    def test_pool_run_dry(self):
        done, result = self.short("tx.pool=63", "traffic.load=max")
        self.assertIn("pool_empty", self.codes(result))
        self.assert_status(done, INVALID)

    def test_disturbed_thread(self):
        # One datapath thread and another for the system: not short of cores. The other process
        # spins on the generator's.
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            self.skipTest("needs two CPUs")
        hog = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            os.sched_setaffinity(hog.pid, {cpus[1]})
            done, result = self.short(
                "wire.kind=ports", "wire.gen=net_null0", "wire.sink=none", "traffic.load=max",
                "metrics=[tx.ticks_per_frame]", f"host.gen_cpus={cpus[1]}", "stats.repeats=1",
            )
        finally:
            hog.kill()
            hog.wait()
        reasons = [r for trial in result["trials"] for r in trial["reasons"]
                   if r["code"] == "disturbed_gen"]
        self.assertTrue(reasons)
        self.assertEqual({r["severity"] for r in reasons}, {"external"})
        self.assertEqual(result["rounds_repeated"], 1)
