# SPDX-License-Identifier: BSD-3-Clause
"""gensink beside dpdk-testpmd, alternating in one guest on the same emulated NIC."""
import json
import re
import shutil
import statistics

import guest

TESTPMD = "dpdk-testpmd"
BURSTS = (1, 32)
ROUND_SECONDS = 90  # for the two of both bursts, on a busy host


def testpmd():
    found = shutil.which(TESTPMD)
    if found is None:
        raise guest.Failed(f"no {TESTPMD}: tools/install-deps bench")
    return found


def job(rounds):
    """Who is first changes from round to round."""
    lines = ["""\
testpmd() { # NAME BURST: frames a second, each second
    call "$1" timeout -s INT 10 dpdk-testpmd -l 0,1 --main-lcore 0 -a 0000:00:02.0 --in-memory \\
        --no-telemetry -- --nb-cores=1 --forward-mode=txonly --burst="$2" --txpkts=60 --txd=1024 \\
        --rxd=1024 --total-num-mbufs=8192 --stats-period 1
}"""]
    for number in range(rounds):
        for burst in BURSTS:
            ours = f"run gensink-{burst}-{number} /gensink/lab/full-speed.yaml --set tx.burst={burst}"
            theirs = f"testpmd testpmd-{burst}-{number} {burst}"
            lines += [ours, theirs] if number % 2 == 0 else [theirs, ours]
    return "\n".join(lines) + "\n"


def ours(out, burst, number):
    saved = json.loads((out / f"gensink-{burst}-{number}" / "result.json").read_text())
    trial = saved["trials"][-1]
    wrong = [reason for reason in trial["reasons"] if reason["severity"] == "invalid"]
    if wrong:  # the host's other work disturbs both alike
        raise guest.Failed(f"gensink, burst {burst}: {wrong}")
    return trial["metrics"]["tx.fps"]


def theirs(out, burst, number):
    log = (out / f"testpmd-{burst}-{number}.txt").read_text(errors="replace")
    seconds = [int(found) for found in re.findall(r"Tx-pps:\s+(\d+)", log)]
    seconds = [each for each in seconds if each > 0][1:]  # the first is not a whole one
    if not seconds:
        raise guest.Failed(f"{TESTPMD}, burst {burst}: {log[-400:]}")
    return statistics.median(seconds)


def table(out, rounds):
    """Lines of raw numbers, medians and the ratio."""
    for burst in BURSTS:
        raw = {"gensink": [ours(out, burst, number) for number in range(rounds)],
               "testpmd": [theirs(out, burst, number) for number in range(rounds)]}
        for name, runs in raw.items():
            text = " ".join(f"{each / 1000:.1f}" for each in runs)
            yield (f"burst {burst:<3} {name}  median {statistics.median(runs) / 1000:8.1f} kfps"
                   f"   runs {text}")
        pairs = [a / b for a, b in zip(raw["gensink"], raw["testpmd"])]
        yield (f"burst {burst:<3} gensink / testpmd: {statistics.median(pairs):.2f}, the median of "
               + " ".join(f"{each:.2f}" for each in pairs) + "   (wanted >= 1.0)")
