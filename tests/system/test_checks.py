# SPDX-License-Identifier: BSD-3-Clause
"""The check scripts catch what they are for: each rule has a planted violation."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from harness import ROOT

TABLE = """| module | one line | may include | third party |
|---|---|---|---|
| base | bottom | - | tl::expected, fmt |
| wire | frames | base | - |
| plan | plans | base, wire | - |
| dpdk | devices | base, plan | DPDK |
"""
LICENCE = "// SPDX-License-Identifier: BSD-3-Clause\n"


class Tree(unittest.TestCase):
    """A small copy of a repository, and a check to run on it."""

    tool = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("lib/README.md", TABLE)
        for module in ("base", "wire", "plan", "dpdk"):
            self.write(f"lib/{module}/a.hpp", LICENCE + "#pragma once\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self, *arguments):
        done = subprocess.run(
            [ROOT / "tools" / self.tool, "--root", self.root, *arguments],
            capture_output=True, text=True, check=False, timeout=120)
        return done.returncode, done.stdout + done.stderr

    def assert_caught(self, part, *arguments):
        status, output = self.check(*arguments)
        self.assertEqual(status, 1, output)
        self.assertIn(part, output)

    def assert_clean(self, *arguments):
        status, output = self.check(*arguments)
        self.assertEqual(status, 0, output)


class Layers(Tree):
    tool = "check-layers"

    def include(self, module, line):
        self.write(f"lib/{module}/b.cpp", f"{LICENCE}{line}\n")

    def test_listed_includes_are_clean(self):
        self.include("plan", '#include "wire/a.hpp"\n#include <vector>\n#include <sys/mman.h>\n'
                             '#include <fmt/format.h>')
        self.include("dpdk", "#include <rte_mbuf.h>")
        self.assert_clean()

    def test_module_above(self):
        self.include("wire", '#include "plan/a.hpp"')
        self.assert_caught("wire may not include plan")

    def test_module_not_listed(self):
        self.include("dpdk", '#include "wire/a.hpp"')
        self.assert_caught("dpdk may not include wire")

    def test_private_header(self):
        self.write("lib/base/detail/x.hpp", LICENCE)
        self.include("wire", '#include "base/detail/x.hpp"')
        self.assert_caught("private to base")

    def test_dpdk_header_elsewhere(self):
        self.include("plan", "#include <rte_mbuf.h>")
        self.assert_caught("plan may not use DPDK")

    def test_third_party_elsewhere(self):
        self.include("plan", "#include <yaml-cpp/yaml.h>")
        self.assert_caught("plan may not use yaml-cpp")

    def test_unknown_library(self):
        self.include("plan", "#include <QtCore/qstring.h>")
        self.assert_caught("no library that this check knows")

    def test_include_without_module(self):
        self.include("plan", '#include "a.hpp"')
        self.assert_caught('write it as "module/file.hpp"')

    def test_module_without_row(self):
        self.write("lib/extra/a.hpp", LICENCE)
        self.assert_caught("lib/extra: no row")

    def test_cycle_in_the_table(self):
        self.write("lib/README.md", TABLE.replace("| base | bottom | - |", "| base | x | plan |"))
        self.assert_caught("base lists plan, which stands below it")

    def test_dpdk_header_in_the_binary(self):
        self.write("apps/gensink/x.cpp", LICENCE + "#include <rte_eal.h>\n")
        self.assert_caught("apps may not use DPDK")


class Repository(Tree):
    tool = "check-repo"

    def test_clean(self):
        self.write("profiles/a.yaml", "# comment\n" * 40 + "key: 1\n" * 30)
        self.assert_clean()

    def test_licence(self):
        self.write("lib/base/b.cpp", "int x;\n")
        self.assert_caught("lib/base/b.cpp:1: no line 'SPDX")

    def test_licence_of_scripts(self):
        self.write("tools/x", "#!/bin/sh\necho\n")
        self.assert_caught("tools/x:1: no line 'SPDX")

    def test_length(self):
        self.write("lib/base/b.cpp", LICENCE + "\n" * 500)
        self.assert_caught("501 lines, at most 500")

    def test_length_of_a_subcommand(self):
        self.write("apps/gensink/b.cpp", LICENCE + "\n" * 150)
        self.assert_caught("151 lines, at most 150")

    def test_length_of_a_profile(self):
        self.write("profiles/a.yaml", "key: 1\n" * 31)
        self.assert_caught("31 lines of YAML, at most 30")

    def test_leftovers(self):
        for mark in ("TO" + "DO", "FIX" + "ME", "<" * 7 + " HEAD", ">" * 7 + " main"):
            with self.subTest(mark):
                self.write("lib/base/b.cpp", f"{LICENCE}{mark}\n")
                self.assert_caught("lib/base/b.cpp:2: leftover")

    def test_macros(self):
        self.write("lib/base/b.cpp", LICENCE + "#define X 1\n")
        self.assert_caught("preprocessor directive outside lib/dpdk")

    def test_macros_of_dpdk(self):
        self.write("lib/dpdk/b.cpp", LICENCE + "#if RTE_VERSION > 1\n#endif\n")
        self.assert_clean()

    def test_guard(self):
        self.write("lib/base/b.hpp", LICENCE + "int x();\n")
        self.assert_caught("no '#pragma once'")


class Headers(Tree):
    tool = "check-headers"

    def setUp(self):
        super().setUp()
        self.write("lib/base/b.cpp", LICENCE)
        self.write("build/compile_commands.json", json.dumps([{
            "directory": str(self.root / "build"),
            "command": "ccache g++ -I../lib -std=c++20 -Wall -Wextra -o b.o -c ../lib/base/b.cpp",
            "file": "../lib/base/b.cpp", "output": "b.o"}]))

    def test_complete_header(self):
        self.write("lib/base/a.hpp", "#pragma once\n#include <string>\nstd::string x();\n")
        self.assert_clean()

    def test_missing_include(self):
        self.write("lib/base/a.hpp", "#pragma once\nstd::string x();\n")
        self.assert_caught("lib/base/a.hpp: does not compile alone")

    def test_missing_guard(self):
        self.write("lib/base/a.hpp", "struct X {};\n")
        self.assert_caught("lib/base/a.hpp: does not compile alone")

    def test_header_that_the_build_compiled_first(self):
        self.write("lib/base/a.hpp", "#pragma once\nstd::string x();\n")
        self.write("lib/base/b.cpp", LICENCE + '#include "base/a.hpp"\n')
        self.write("build/b.o", "")
        self.assert_clean()

    def test_header_that_the_build_compiled_second(self):
        self.write("lib/base/a.hpp", "#pragma once\nstd::string x();\n")
        self.write("lib/base/b.cpp", LICENCE + '#include <string>\n#include "base/a.hpp"\n')
        self.write("build/b.o", "")
        self.assert_caught("lib/base/a.hpp: does not compile alone")

    def test_warning(self):
        self.write("lib/base/a.hpp", "#pragma once\ninline int x(int y) { return 1; }\n")
        self.assert_caught("unused parameter")


BAD_LOOP = """
#include <atomic>
#include <stdexcept>
#include <vector>
struct State {{
    void (*hook)(int);
    std::atomic<int> shared;
    std::vector<int> values;
    unsigned __int128 wide;
}};
[[gnu::noinline]] void helper(State& s) {{ {helper}; }}
namespace gensink::engine {{
template <class P> struct TxLoop {{ [[gnu::noinline]] void run(State& s); }};
template <class P> void TxLoop<P>::run(State& s) {{
    for (int i = 0; i < 100; ++i) {{ {body}; }}
}}
}}
template struct gensink::engine::TxLoop<int>;
"""


class HotPath(unittest.TestCase):
    def check(self, body, helper=""):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "loop.cpp")
            source.write_text(BAD_LOOP.format(body=body, helper=helper))
            binary = source.with_suffix(".o")
            subprocess.run(["g++", "-std=c++20", "-O2", "-fPIC", "-c", source, "-o", binary],
                           check=True, timeout=60)
            done = subprocess.run(
                [ROOT / "tools" / "check-hotpath", "--object", binary],
                capture_output=True, text=True, check=False, timeout=60)
            return done.returncode, done.stdout

    def assert_caught(self, part, body, helper=""):
        status, output = self.check(body, helper)
        self.assertEqual(status, 1, output)
        self.assertIn(part, output)

    def test_clean_loop(self):
        status, output = self.check("s.shared.store(i, std::memory_order_relaxed)")
        self.assertEqual(status, 0, output)
        self.assertIn("1 loops", output)

    def test_pointer(self):
        self.assert_caught("call through a pointer", "s.hook(i)")

    def test_lock(self):
        self.assert_caught("locked instruction", "s.shared.fetch_add(1)")

    def test_exchange(self):
        self.assert_caught("locked instruction", "s.shared.store(i)")

    def test_allocation(self):
        self.assert_caught("operator new", "s.values.push_back(i)")

    def test_exception(self):
        self.assert_caught("__cxa_throw", "if (i == 7) throw 1")

    def test_wide_division(self):
        self.assert_caught("__udivti3", "s.wide = s.wide / (s.wide + 3)")

    def test_fault_in_a_callee(self):
        self.assert_caught("helper(State&): locked instruction", "helper(s)", "++s.shared")

    def test_no_loop_is_no_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [ROOT / "tools" / "check-hotpath", "--build", folder],
                capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(done.returncode, 1, done.stdout)


class Counting(unittest.TestCase):
    """tools/count-tests never counts a failure as a pass."""

    def count(self, *tests):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as log:
            log.writelines(json.dumps(test) + "\n" for test in tests)
            log.flush()
            done = subprocess.run([ROOT / "tools" / "count-tests", log.name],
                                  capture_output=True, text=True, check=True, timeout=20)
            return done.stdout.split()

    def test_cases(self):
        self.assertEqual(self.count(
            {"result": "OK", "stdout": "All tests passed (86 assertions in 20 test cases)"},
            {"result": "FAIL", "stdout": "test cases: 20 | 17 passed | 3 failed\nassertions: 5 | 5"},
            {"result": "SKIP", "stdout": ""}), ["37", "3", "1"])

    def test_crash_after_success(self):
        self.assertEqual(self.count(
            {"result": "FAIL", "stdout": "All tests passed (1 assertion in 1 test case)"}),
            ["1", "1", "0"])

    def test_crash_and_timeout_without_output(self):
        self.assertEqual(self.count({"result": "FAIL"}, {"result": "TIMEOUT", "stdout": ""}),
                         ["0", "2", "0"])

    def test_empty_log(self):
        self.assertEqual(self.count(), ["0", "0", "0"])


if __name__ == "__main__":
    unittest.main()
