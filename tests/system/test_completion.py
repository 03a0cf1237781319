# SPDX-License-Identifier: BSD-3-Clause
"""Shell completion and the manual page: both are made of the command line itself."""
import re
import shutil
import subprocess
import unittest

from harness import GENSINK, OK, ROOT, USAGE, Case

# What the line completes to, sorted; the cursor stands at its end.
BASH = r"""
set -u
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
_gensink
printf '%s\n' "${COMPREPLY[@]+"${COMPREPLY[@]}"}"
"""
ZSH = r"""
emulate zsh
compdef() { }
_describe() { local each=$2; print -l -- "${(@P)each}" }
_files() { print files }
source "$1"
words=("${(@s: :)2}") CURRENT=${#words}
_gensink
"""


class CompletionCase(Case):
    def script(self, shell):
        path = self.folder / shell
        done = self.gensink("completion", shell)
        self.assert_status(done, OK)
        path.write_text(done.stdout)
        return path

    def run_shell(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                              cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout.splitlines()

    def commands(self):
        """All that the help lists."""
        listed = self.gensink("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
        return re.findall(r"(?m)^  (\w+) ", listed)

    def options(self, command):
        text = self.gensink(command, "--help").stdout.split("\nOptions:\n")[1]
        return re.findall(r"(?m)^  (?:-\w,)?(--[\w-]+)", text)


class Bash(CompletionCase):
    def complete(self, line):
        found = self.run_shell("bash", "--norc", "-c", BASH, "bash", self.script("bash"),
                               line.replace("gensink", GENSINK, 1))
        return sorted(filter(None, found))

    def test_every_command(self):
        self.assertEqual(self.complete("gensink "), sorted(self.commands()))
        self.assertEqual(self.complete("gensink pro"), ["profiles"])
        self.assertNotIn("complete", self.commands())

    def test_every_option_of_every_command(self):
        for command in self.commands():
            self.assertEqual(self.complete(f"gensink {command} --"), sorted(self.options(command)))

    def test_profiles_and_files(self):
        (self.folder / "xylophone.yaml").touch()
        names = sorted(path.stem for path in (ROOT / "profiles").glob("*.yaml"))
        for line in ("gensink run ", "gensink plan --quick ", "gensink gen --port net_null0 "):
            self.assertEqual(sorted(set(self.complete(line)) - {"bash", "xylophone.yaml"}), names)
        self.assertEqual(self.complete("gensink run x"), ["xmit-batching", "xylophone.yaml"])
        self.assertEqual(self.complete("gensink run xmit-batching --out xy"), ["xylophone.yaml"])
        self.assertEqual(self.complete("gensink report a.json xy"), ["xylophone.yaml"])
        self.assertEqual(self.complete("gensink run xmit-batching --seed "), [])

    def test_keys_of_set_and_their_choices(self):
        keys = re.findall(r"(?m)^\| `([\w.]+)` \|", self.gensink("schema", "reference").stdout)
        found = self.complete("gensink run xmit-batching --quick --set ")
        self.assertGreater(len(found), 50)
        self.assertEqual(set(found) - {f"{key}=" for key in keys}, set())
        self.assertEqual(self.complete("gensink run x --set wire.ki"), ["wire.kind="])
        # Behind the "=", which Bash takes for the end of a word.
        self.assertEqual(self.complete("gensink run x --set wire.kind="),
                         ["cable", "kernel", "model", "ports"])
        self.assertEqual(self.complete("gensink run x --set wire.kind=ca"), ["cable"])

    def test_words_of_which_one_is_wanted(self):
        self.assertEqual(self.complete("gensink completion "), ["bash", "zsh"])
        self.assertEqual(self.complete("gensink nonsense "), sorted(self.commands()))

    def test_another_shell_is_refused(self):
        self.assert_status(self.gensink("completion", "fish"), USAGE)


class Zsh(CompletionCase):
    def setUp(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        super().setUp()

    def complete(self, line):
        return self.run_shell("zsh", "-f", "-c", ZSH, "zsh", self.script("zsh"),
                              line.replace("gensink", GENSINK, 1))

    def test_its_syntax(self):
        self.run_shell("zsh", "-n", self.script("zsh"))

    def test_words_have_their_help(self):
        found = self.complete("gensink ")
        self.assertEqual([line.split(":")[0] for line in found], self.commands())
        self.assertEqual(self.complete("gensink run --q"),
                         ["--quick:shorter trials; the confidence stays"])
        self.assertEqual(self.complete("gensink run xmi"),
                         ["xmit-batching:bundled profile", "files"])
        self.assertRegex(self.complete("gensink run x --set wire.kin")[0], "^wire.kind=:")


class Manual(CompletionCase):
    def test_it_has_every_command_and_option(self):
        text = self.gensink("manual").stdout.replace("\\-", "-")
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS",
                        "FILES", "EXAMPLES"):
            self.assertIn(f"\n.SH {section}\n", text)
        for command in self.commands():
            part = re.search(rf"(?ms)^\.SS gensink {command}\b.*?(?=^\.S)", text).group()
            for option in set(self.options(command)) - {"--help"}:
                self.assertIn(f"{option}\\fR", part)

    def test_its_examples_are_commands(self):
        examples = self.gensink("manual").stdout.replace("\\-", "-").split(".SH EXAMPLES")[1]
        found = re.findall(r"\\fBgensink (.*)\\fR", examples)
        self.assertGreater(len(found), 3)
        for example in found:
            words = example.split()
            self.assertIn(words[0], self.commands())
            self.assertEqual({word for word in words if word.startswith("--")}
                             - set(self.options(words[0])), set())

    def test_man_has_nothing_to_warn_of(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        page = self.folder / "gensink.1"
        page.write_text(self.gensink("manual").stdout)
        done = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-cbu", str(page)], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("COMMANDS", done.stdout)


if __name__ == "__main__":
    unittest.main()
