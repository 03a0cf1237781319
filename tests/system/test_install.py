# SPDX-License-Identifier: BSD-3-Clause
"""`meson install` into a folder, and the binary that runs from there."""
import os
import pathlib
import re
import subprocess
import unittest

import harness
from harness import OK, ROOT, Case

PREFIX = "usr/local"
BUILD = pathlib.Path(harness.GENSINK).resolve().parents[2]


class Install(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not (BUILD / "apps/gensink/gensink.1").exists():
            raise unittest.SkipTest(f"{BUILD} is no build folder, or not all is built in it")

    def setUp(self):
        super().setUp()
        done = subprocess.run(
            ["meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet", "--destdir",
             str(self.folder)],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.root = self.folder / PREFIX
        self.binary = self.root / "bin/gensink"

    def installed(self, *arguments):
        """Runs the installed binary, from another folder."""
        done = subprocess.run([self.binary, *arguments], stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=60, check=False, cwd="/")
        self.assert_status(done, OK)
        return done.stdout

    def test_every_file_has_its_place(self):
        for source in ("profiles", "drivers-config"):
            for path in (ROOT / source).rglob("*.*"):
                folder = "doc/gensink" if path.name == "README.md" else "gensink"
                copy = self.root / "share" / folder / path.relative_to(ROOT)
                self.assertEqual(copy.read_bytes(), path.read_bytes(), copy)
        for name in ("share/gensink/wireshark/gensink.lua", "share/doc/gensink/LICENSE",
                     "share/man/man1/gensink.1", "share/zsh/site-functions/_gensink",
                     "share/bash-completion/completions/gensink.bash"):
            self.assertTrue((self.root / name).is_file(), name)
        self.assertTrue(os.access(self.binary, os.X_OK))

    def test_links_between_the_readmes_hold(self):
        docs = self.root / "share/doc/gensink"
        for path in docs.rglob("README.md"):
            for link in re.findall(r"\]\(([^)#:]+\.md)[^):]*\)", path.read_text()):
                self.assertTrue((path.parent / link).is_file(), f"{path}: {link}")

    def test_the_binary_finds_its_profiles(self):
        listed = self.installed("profiles")
        self.assertIn(f"they are in {self.root}/share/gensink/profiles", listed)
        for path in (ROOT / "profiles").glob("*.yaml"):
            self.assertIn(path.stem, listed)
        self.assertIn("xmit-batching", self.installed("plan", "xmit-batching"))
        self.assertEqual(self.installed("--version"), self.gensink("--version").stdout)


if __name__ == "__main__":
    unittest.main()
