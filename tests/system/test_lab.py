# SPDX-License-Identifier: BSD-3-Clause
"""The lab's checks of results catch what they are for; no guest is booted here."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from harness import ROOT

sys.path.insert(0, str(ROOT / "tests" / "lab"))
import checks  # noqa: E402

SENT = 100


def trial(accepted=SENT, in_order=SENT, **ledger):
    terms = {"has_sink": True, "accepted": accepted, "in_order": in_order, "late": 0, "corrupt": 0,
             "lost": accepted - in_order, "refused": 0, "duplicate": 0, "stale": 0, "foreign": 0,
             "residue": 0, "attributed": [], "unknown_place": 0}
    seen = {"in_order": in_order, "late": 0, "corrupt": 0}
    return {
        "valid": True, "reasons": [], "ledger": {**terms, **ledger},
        "gen": [{"total": {"frames_accepted": accepted}}],
        "sink": [{"total": {"frames": in_order}}],
        "streams": [{"seen_measured": seen, "seen_other": dict.fromkeys(seen, 0)}],
        "device": {"gen": {"tx_frames": accepted}, "sink": {"rx_frames": in_order, "rx_missed": 0}},
        "opened": {"warnings": []},
    }


def result(*trials):
    return {"trials": list(trials)}


class AllArrived(unittest.TestCase):
    def test_clean_ledger_passes(self):
        checks.all_arrived(result(trial()), "e1000")

    def test_each_planted_error_is_wrong(self):
        for planted in ({"in_order": SENT - 1}, {"accepted": 0, "in_order": 0}, {"refused": 1},
                        {"duplicate": 1}, {"stale": 1}, {"foreign": 1}, {"residue": 1},
                        {"corrupt": 1}):
            with self.subTest(planted), self.assertRaises(checks.Wrong):
                checks.all_arrived(result(trial(**planted)), "e1000")

    def test_a_device_that_counts_otherwise_is_wrong(self):
        for end, counter in (("gen", "tx_frames"), ("sink", "rx_frames")):
            wrong = trial()
            wrong["device"][end][counter] += 1
            with self.subTest(end), self.assertRaises(checks.Wrong):
                checks.all_arrived(result(wrong), "e1000")


class Missed(unittest.TestCase):
    """40 of 100 frames lost; what each card says of it, and what the ledger makes of that."""

    def lossy(self, missed, unknown, trust=None, refused=0):
        lossy = trial(in_order=60, unknown_place=unknown, refused=refused)
        lossy["device"]["sink"]["rx_missed"] = missed
        if trust:
            lossy["ledger"]["attributed"] = [
                {"place": "sink's device: missed", "frames": missed, "trust": trust}]
        return result(*[lossy] * checks.MISSED_ROUNDS)

    def wrong(self, nic, *arguments, **more):
        with self.assertRaises(checks.Wrong):
            checks.missed(self.lossy(*arguments, **more), nic)

    def test_an_exact_counter_is_attributed_in_full(self):
        checks.missed(self.lossy(40, 0, "exact"), "vmxnet3")
        self.wrong("vmxnet3", 39, 0, "exact")
        self.wrong("vmxnet3", 40, 1, "exact")
        self.wrong("vmxnet3", 40, 0, "approximate")

    def test_a_counter_that_repeats_itself_is_wrong(self):
        checks.missed(self.lossy(40, 0, "exact"), "e1000")
        self.wrong("e1000", 120, 0, "exact")
        self.wrong("e1000", 120, 40, "approximate")
        self.wrong("e1000", 40, 40, "exact")

    def test_a_round_that_is_missing_is_wrong(self):
        with self.assertRaises(checks.Wrong):
            checks.missed(result(self.lossy(40, 0, "exact")["trials"][0]), "e1000")

    def test_a_counter_that_stays_at_0_leaves_the_place_unknown(self):
        checks.missed(self.lossy(0, 40), "e1000e")
        checks.missed(self.lossy(0, 40, refused=1), "virtio")
        self.wrong("virtio", 0, 40)
        self.wrong("e1000e", 0, 0)
        self.wrong("e1000e", 40, 40)

    def test_an_overload_that_loses_nothing_is_wrong(self):
        with self.assertRaises(checks.Wrong):
            checks.missed(result(*[trial()] * checks.MISSED_ROUNDS), "vmxnet3")


class Doorbell(unittest.TestCase):
    def swept(self, b_nic, b_nothing):
        """Rounds of cost = 100 + b / burst."""
        cells, trials = [], []
        for arm, b in (("nic", b_nic), ("nothing", b_nothing)):
            for burst in (1, 8, 64):
                cells.append({"arm": arm, "point": {"tx.burst": str(burst)}})
                for number, of_round in enumerate(b):
                    one = trial(has_sink=False)
                    one |= {"cell": len(cells) - 1, "round": number,
                            "metrics": {"tx.ticks_per_frame": 100 + of_round / burst}}
                    trials.append(one)
        return {"trials": trials, "plan": {"cells": cells}, "fits": []}

    def test_a_dearer_call_passes_though_rounds_differ(self):
        checks.doorbell_costs(self.swept([60, 90, 130], [20, 50, 95]), "e1000")

    def test_a_call_that_costs_no_more_is_wrong(self):
        with self.assertRaises(checks.Wrong):
            checks.doorbell_costs(self.swept([20, 30, 25], [60, 75, 70]), "e1000")

    def test_a_difference_within_the_noise_is_told_as_such(self):
        with self.assertRaises(checks.Noisy):
            checks.doorbell_costs(self.swept([60, 20, 60], [20, 60, 20]), "e1000")


class Faults(unittest.TestCase):
    def ended(self, code, message, seconds=1.0):
        one = trial()
        one |= {"valid": False, "measure_seconds": seconds,
                "reasons": [{"code": code, "message": message}]}
        return result(one)

    def test_a_reason_must_name_the_link(self):
        checks.link_lost(self.ended("link_down", "the link of the generator is down"), "e1000")
        for wrong in (self.ended("link_down", "something is down"),
                      self.ended("lost_frames", "the link of the generator is down"),
                      self.ended("link_down", "the link of the generator is down", 8.0)):
            with self.assertRaises(checks.Wrong):
                checks.link_lost(wrong, "e1000")

    def test_a_reason_must_name_the_queue(self):
        checks.dead_queue(self.ended("sink_limit", "transmit queue 1 takes nothing"), "e1000")
        with self.assertRaises(checks.Wrong):
            checks.dead_queue(self.ended("sink_limit", "the ring is full"), "e1000")


class Command(unittest.TestCase):
    def lab(self, *arguments, path=None):
        environment = os.environ | ({"PATH": path} if path else {})
        return subprocess.run([sys.executable, ROOT / "tools" / "lab", *arguments],
                              capture_output=True, text=True, check=False, timeout=30,
                              env=environment)

    def test_an_unknown_nic_is_named(self):
        done = self.lab("e1001")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown: e1001", done.stderr)

    def test_without_qemu_it_fails_where_it_could_be_installed_and_is_skipped_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            counts = pathlib.Path(folder) / "counts"
            with unittest.mock.patch.dict(os.environ, {"counts": str(counts)}):
                elsewhere = self.lab("e1000", path=folder)
            self.assertEqual(elsewhere.returncode, 0, elsewhere.stderr)
            self.assertIn("skipped: no qemu-system-x86_64", elsewhere.stdout)
            self.assertEqual(counts.read_text().split(), ["0", "0", "1"])
            (pathlib.Path(folder) / "apt-get").write_text("#!/bin/sh\n")
            (pathlib.Path(folder) / "apt-get").chmod(0o755)
            here = self.lab("e1000", path=folder)
            self.assertNotEqual(here.returncode, 0)
            self.assertIn("tools/install-deps lab", here.stderr)
