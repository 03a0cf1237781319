#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the system tests: real processes, namespaces and files. Only what test_*.py here defines.

Usage: run.py [--counts FILE] [NAME ...]     NAME: a module, class or test, as unittest knows it
"""
import argparse
import pathlib
import sys
import time
import unittest


class Result(unittest.TextTestResult):
    """Says how long each test took."""

    def startTest(self, test):
        self.began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        took = time.monotonic() - self.began
        if took > 5:
            self.stream.writeln(f"    ({took:.0f} s)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    loader = unittest.TestLoader()
    if arguments.names:
        tests = loader.loadTestsFromNames(arguments.names)
    else:
        tests = loader.discover(str(here), top_level_dir=str(here))
    result = unittest.TextTestRunner(
        stream=sys.stdout, verbosity=2, resultclass=Result).run(tests)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped) + len(result.expectedFailures)
    # A class that cannot be set up is one error for all its tests, which did not run.
    passed = max(result.testsRun - failed - skipped, 0)
    if arguments.counts:
        arguments.counts.write_text(f"{passed} {failed} {skipped}\n")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
