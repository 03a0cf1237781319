#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opens HTML reports in headless Chromium: of every bundled profile, of names that could be markup, of
a thousand trials. Needs root where profiles make network namespaces; else those are skipped.

Usage: run.py [--counts FILE] [NAME ...]     NAME: a class or test, as unittest knows it
"""
import argparse
import copy
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENSINK = os.environ.get("GENSINK", str(ROOT / "build/apps/gensink/gensink"))
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--force-device-scale-factor=1"]
NEEDS_ROOT = {"bypass", "zero-copy", "netperf-stream"}
# Numbers are not what is looked at here: short trials will do.
SHORT = ["--quick", "--set", "run.measure=20 ms", "--set", "run.warmup=5 ms"]
ROUNDS = {"netperf-stream": 3}  # the fewest that its rule allows; else 2
FEWER = {"bypass": ["--set", "traffic.load=20 kfps"]}  # one load: half the trials
WIDE, NARROW = (1400, 1000), (360, 800)

# Of each canvas: its colours, but for the background's.
COLOURS = """
return [...document.querySelectorAll('.plot canvas')].map((canvas) => {
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return new Set(pixels.filter((pixel) => pixel >>> 24 > 0)).size;
});"""


def profiles():
    """Names of the bundled profiles."""
    return sorted(path.stem for path in (ROOT / "profiles").glob("*.yaml"))


def chromium():
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="gensink-browser-")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.browser = chromium()
        cls.addClassCleanup(cls.browser.quit)

    def result(self, name):
        """The folder of a profile's result, made when it is first asked for."""
        out = self.folder / name
        if not out.exists():
            more = [*SHORT, "--set", f"stats.rounds={ROUNDS.get(name, 2)}",
                    *FEWER.get(name, [])]
            text = (ROOT / f"profiles/{name}.yaml").read_text(encoding="utf-8")
            if re.search(r"wire:.*kind: model", text):
                more = []
            done = subprocess.run([GENSINK, "run", name, *more, "--out", out], timeout=300,
                                  capture_output=True, text=True, check=False)
            self.assertTrue((out / "report.html").exists(), done.stderr[-600:])
        return out

    def open(self, file, size=WIDE):
        self.browser.set_window_size(*size)
        self.browser.get_log("performance")
        self.browser.get(f"file://{file}")
        self.assertEqual(self.browser.get_log("browser"), [], "the console")
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                self.assertRegex(url, r"^(file|data|about):", "a request")

    def script(self, code):
        return self.browser.execute_script(code)

    def assert_drawn(self):
        figures = len(self.browser.find_elements(By.CSS_SELECTOR, "figure.chart"))
        self.assertGreater(figures, 0)
        colours = self.script(COLOURS)
        self.assertEqual(len(colours), figures)
        for figure in colours:
            self.assertGreater(figure, 2)  # an axis, its words, and something to see

    def assert_fits(self):
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth"),
                             self.script("return innerWidth"))


class Bundled(Reports):
    """A test a profile is added below."""

    def look_at(self, name):
        if name in NEEDS_ROOT and os.getuid() != 0:
            self.skipTest("needs root: network namespaces")
        file = self.result(name) / "report.html"
        self.assertLess(file.stat().st_size, 500_000)
        for size in (WIDE, NARROW):
            self.open(file, size)
            self.assertTrue(self.browser.find_element(By.ID, "verdict").text)
            self.assert_drawn()
            self.assert_fits()


def add_tests():
    for name in profiles():
        setattr(Bundled, "test_" + name.replace("-", "_"),
                lambda self, name=name: self.look_at(name))


class Page(Reports):
    def setUp(self):
        self.open(self.result("gpxe-lan") / "report.html")

    def test_hovering_reads_a_point_in_words(self):
        chart = self.browser.find_element(By.CSS_SELECTOR, "figure.chart")
        self.assertEqual(chart.find_element(By.CLASS_NAME, "readout").text, "")
        over = chart.find_element(By.CLASS_NAME, "u-over")
        ActionChains(self.browser).move_to_element(over).perform()
        self.assertRegex(chart.find_element(By.CLASS_NAME, "readout").text,
                         r"^\d+ B: link [\d.]+ M .*sink-cpu [\d.]+ M")

    def test_a_column_sorts_up_and_down(self):
        table = self.browser.find_element(By.CSS_SELECTOR, ".part table.data")
        head = table.find_elements(By.CSS_SELECTOR, "thead th")
        column = next(i for i, one in enumerate(head) if "measured" in one.text)

        def values():
            cells = table.find_elements(By.CSS_SELECTOR, f"tbody tr > :nth-child({column + 1})")
            return [float(cell.text.split()[0]) for cell in cells]

        button = head[column].find_element(By.TAG_NAME, "button")
        self.browser.execute_script("arguments[0].click()", button)
        self.assertEqual(values(), sorted(values()))
        self.assertEqual(head[column].get_attribute("aria-sort"), "ascending")
        self.browser.execute_script("arguments[0].click()", button)
        self.assertEqual(values(), sorted(values(), reverse=True))
        self.assertNotEqual(values(), sorted(values()))

    def test_a_table_is_copied_as_csv(self):
        button = self.browser.find_element(By.CSS_SELECTOR, "button.copy")
        self.browser.execute_script("arguments[0].click()", button)
        for _ in range(100):
            text = button.get_attribute("data-csv")
            if text:
                break
            time.sleep(0.05)
        lines = text.split("\r\n")
        table = self.browser.find_element(By.CSS_SELECTOR, "table.data")
        self.assertEqual(len(lines), len(table.find_elements(By.TAG_NAME, "tr")) + 1)
        head = [th.text for th in table.find_elements(By.CSS_SELECTOR, "thead th")]
        self.assertEqual(next(csv.reader(lines)), head)

    def test_each_chart_has_words_and_numbers(self):
        for figure in self.browser.find_elements(By.CSS_SELECTOR, "figure.chart"):
            self.assertTrue(figure.find_element(By.TAG_NAME, "figcaption").text)
            plot = figure.find_element(By.CLASS_NAME, "plot")
            self.assertEqual(plot.get_attribute("role"), "img")
            self.assertGreater(len(plot.get_attribute("aria-label")), 20)
            summary = figure.find_element(By.TAG_NAME, "summary")
            self.browser.execute_script("arguments[0].click()", summary)
            self.browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 0))")
            self.assertGreater(len(figure.find_elements(By.CSS_SELECTOR, "tbody tr")), 0)

    def test_dark_and_light(self):
        background = "return getComputedStyle(document.body).backgroundColor"
        seen = {}
        for scheme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.browser.refresh()
            seen[scheme] = self.script(background)
            self.assert_drawn()
        self.assertNotEqual(seen["light"], seen["dark"])
        self.browser.find_element(By.ID, "theme").click()  # against what the system says
        self.assertEqual(self.script(background), seen["light"])
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_it_prints(self):
        pdf = self.browser.execute_cdp_cmd("Page.printToPDF", {})
        self.assertGreater(len(pdf["data"]), 20_000)


class Edited(Reports):
    """Results that no run here would make."""

    def page_of(self, name, change):
        result = json.loads((self.result("gpxe-lan") / "result.json").read_text(encoding="utf-8"))
        change(result)
        folder = self.folder / name
        folder.mkdir()
        (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")
        began = time.monotonic()
        subprocess.run([GENSINK, "report", folder, "--html", folder / "report.html"], check=True,
                       stdout=subprocess.DEVNULL, timeout=120)
        return folder / "report.html", time.monotonic() - began

    def test_names_are_never_markup(self):
        evil = "</script><img src=x onerror=\"document.title='hacked'\">"

        def change(result):
            result["run"]["profile"]["name"] = evil
            result["run"]["profile"]["summary"] = evil
            result["run"]["profile"]["text"] = evil

        file, _ = self.page_of("evil", change)
        self.open(file)
        self.assertEqual(self.browser.find_element(By.TAG_NAME, "h1").text, evil)
        self.assertNotEqual(self.browser.title, "hacked")
        self.assertEqual(self.browser.find_elements(By.TAG_NAME, "img"), [])
        self.assert_drawn()

    def test_a_thousand_trials(self):
        def change(result):
            trials = result["trials"]
            result["trials"] = [copy.deepcopy(trials[i % len(trials)]) for i in range(1000)]
            for i, trial in enumerate(result["trials"]):
                trial["round"] = 1 + i // len(trials)

        file, made = self.page_of("thousand", change)
        self.open(file)
        self.assert_drawn()
        opened = []
        for _ in range(3):
            began = time.monotonic()
            self.browser.get(f"file://{file}")
            opened.append((time.monotonic() - began, int(self.script(
                "return document.documentElement.dataset.drawn")) / 1000))
        seconds, drawn = min(opened)
        self.assertLess(file.stat().st_size, 500_000)
        print(f"    1,000 trials: {file.stat().st_size:,} B; text and page made in {made:.2f} s, "
              f"opened in {seconds:.2f} s, drawn {drawn:.2f} s after the start (wanted: under 1 s)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    add_tests()
    loader = unittest.TestLoader()
    here = sys.modules[__name__]
    tests = (loader.loadTestsFromNames(arguments.names, here) if arguments.names
             else loader.loadTestsFromModule(here))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    failed = len(result.failures) + len(result.errors)
    if arguments.counts:
        skipped = len(result.skipped)
        passed = result.testsRun - failed - skipped
        arguments.counts.write_text(f"{passed} {failed} {skipped}\n", encoding="utf-8")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
