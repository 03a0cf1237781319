# SPDX-License-Identifier: BSD-3-Clause
"""What the benches share: runs of gensink and of dpdk-testpmd, raw numbers, tables."""
import json
import os
import pathlib
import pty
import re
import select
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / os.environ.get("GENSINK_BUILD", "build")
GENSINK = BUILD / "apps" / "gensink" / "gensink"
BARE = BUILD / "tests" / "eal" / "bare-loop"
NO_HUGE = ["--no-huge", "--no-shconf", "-m", "256", "--no-pci", "--no-telemetry"]

PROFILE = """\
gensink: 1
name: bench
summary: One arm at full speed, to be compared with a peer.
wire: {wire}
{traffic}{tx}host: {{hugepages: off}}
stats: {{rounds: 1}}
run: {{warmup: 200 ms, measure: {milliseconds} ms}}
metrics: [{metric}]
"""


class Failed(Exception):
    pass


def command(folder, wire, burst, seconds, metric, more="", frame=64, settings=()):
    """gensink's command line, and the folder of its result."""
    profile = folder / f"bench-{time.monotonic_ns()}.yaml"
    # A kernel arm says itself what it sends.
    tx = f"tx: {{burst: {burst}}}\n" if burst else ""
    traffic = f"traffic: {{frame_size: {frame} B, load: max}}\n" if burst else ""
    profile.write_text(
        PROFILE.format(
            wire=wire, tx=tx, traffic=traffic, milliseconds=int(seconds * 1000), metric=metric
        )
        + more
    )
    out = folder / f"out-{time.monotonic_ns()}"
    changes = [word for setting in settings for word in ("--set", setting)]
    return [GENSINK, "run", profile, "--out", out, *changes], out


def gensink(folder, wire, burst, seconds, metric, more="", frame=64, settings=()):
    """One trial; returns the trial of its result."""
    line, out = command(folder, wire, burst, seconds, metric, more, frame, settings)
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    return judged(out, done.stderr)


def judged(out, said):
    """The trial of a result, which must be valid."""
    result = out / "result.json"
    if not result.exists():
        raise Failed(f"gensink: {said.strip()}")
    saved = json.loads(result.read_text())
    trial = saved["trials"][-1]
    problems = [r for r in trial["reasons"] if r["severity"] == "invalid"]
    if problems:
        raise Failed(f"gensink: {problems}")
    return trial, saved


def gensink_received(folder, wire, burst, seconds, more="", frame=64, lossless=True, settings=()):
    trial, saved = gensink(folder, wire, burst, seconds, "rx.fps", more, frame, settings)
    if (lossless and trial["ledger"]["lost"]) or trial["ledger"]["residue"]:
        raise Failed(f"gensink: ledger {trial['ledger']}")
    core = trial["sink"][0]
    ticks = core["measure_end_ticks"] - core["measure_start_ticks"]
    return core["measured"]["frames"] * saved["run"]["tsc_hz"] / ticks


class Testpmd:
    """An interactive dpdk-testpmd, driven over its stdin."""

    def __init__(self, main, vdev, mode, burst, before=(), after=()):
        # A terminal, or testpmd's prompt would wait in its output buffer.
        self.terminal, its_end = pty.openpty()
        self.process = subprocess.Popen(
            [*before, "dpdk-testpmd", "-l", "0,1", "--main-lcore", str(main), *NO_HUGE, f"--file-prefix=bench{os.getpid()}{mode}", f"--vdev={vdev}"]
            + ["--", "-i", "--nb-cores=1", f"--forward-mode={mode}", f"--burst={burst}"]
            + ["--txpkts=60", "--txd=1024", "--rxd=1024", "--record-core-cycles", "--total-num-mbufs=8192", *after],
            stdin=its_end,
            stdout=its_end,
            stderr=its_end,
        )
        os.close(its_end)
        self.log = ""
        self.wait_for("testpmd> ")

    def wait_for(self, text, limit=20):
        end = time.monotonic() + limit
        while text not in self.log:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise Failed(f"dpdk-testpmd: no '{text}': {self.log[-400:]}")
            try:
                self.log += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                raise Failed(f"dpdk-testpmd ended: {self.log[-400:]}") from None

    def say(self, command, then="testpmd> "):
        self.log = ""
        os.write(self.terminal, (command + "\n").encode())
        self.wait_for(then)
        return self.log

    def quit(self):
        try:
            os.write(self.terminal, b"quit\n")
            self.process.wait(timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.terminal)

    @staticmethod
    def packets(log, direction):
        return int(re.findall(direction + r"-packets: (\d+)", log)[-1])


def attempt(name, measure, raw):
    """One run; a failed one is kept as a failure, never as a number."""
    try:
        run = measure()
        raw.setdefault(name, []).append(run)
    except (Failed, subprocess.TimeoutExpired, AttributeError) as error:
        raw.setdefault(name + " failed", []).append(str(error)[:200])


def ratio_of(raw, over, under, paired):
    """Of the medians; or, where what else runs on the machine moves both, the median of the rounds' own."""
    if paired and len(raw[over]) == len(raw[under]):
        return statistics.median(a / b for a, b in zip(raw[over], raw[under]))
    return statistics.median(raw[over]) / statistics.median(raw[under])


def table(title, unit, digits, raw, ratios, paired=False):
    print(f"\n{title} ({unit})")
    for name, runs in raw.items():
        if name.endswith(" failed"):
            print(f"  {name:<18} {len(runs)} times: {runs[0]}")
            continue
        text = " ".join(f"{run:.{digits}f}" for run in runs)
        print(f"  {name:<18} median {statistics.median(runs):9.{digits}f}   runs {text}")
    made = {}
    for over, under, bound in ratios:
        if over in raw and under in raw:
            made[f"{over} / {under}"] = ratio = ratio_of(raw, over, under, paired)
            how = ", the median of the rounds" if paired else ""
            print(f"  {over} / {under} = {ratio:.2f}{how}   (wanted {bound})")
    return {"title": title, "unit": unit, "raw": raw, "ratios": made}
