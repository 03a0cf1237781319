# SPDX-License-Identifier: BSD-3-Clause
"""gensink beside dpdk-testpmd, alternating in one guest on the same emulated NIC."""
import json
import re
import shutil
import statistics

import guest

TESTPMD = "dpdk-testpmd"
BURSTS = (1, 32)
WAYS = ("transmit", "receive")
ROUND_SECONDS = 180  # for the two of both bursts and both ways, on a busy host

# Both receivers have the same generator, gensink's; each party's loop has the same virtual CPU.
TESTPMD_JOB = """\
testpmd() { # NAME SECONDS NIC BURST MODE: frames a second, each second
    call "$1" timeout -s INT "$2" dpdk-testpmd -l 0,1 --main-lcore 0 -a "$3" --in-memory \\
        --no-telemetry -- --nb-cores=1 --burst="$4" --forward-mode="$5" --txpkts=60 --txd=1024 \\
        --rxd=1024 --total-num-mbufs=8192 --stats-period 1
}
testpmd_transmit() { # NAME BURST
    testpmd "$1" 10 0000:00:02.0 "$2" txonly
}
testpmd_receive() { # NAME BURST
    testpmd "$1" 20 0000:00:03.0 "$2" rxonly &
    until grep -q Rx-pps "/out/$1.txt" || ! kill -0 $!; do sleep 0.1; done
    sleep 1.5 # an emulated 82540 holds back what comes in the first second
    run "$1-source" /gensink/lab/full-speed.yaml --set tx.burst="$2" --set host.gen_cpus=0 \\
        --set run.measure='5 s' --set traffic.destination_mac=52:54:00:00:00:02
    wait
}
gensink_transmit() { # NAME BURST
    run "$1" /gensink/lab/full-speed.yaml --set tx.burst="$2" --set host.gen_cpus=1
}
gensink_receive() { # NAME BURST
    run "$1" /gensink/lab/full-receive.yaml --set tx.burst="$2" --set sink.burst="$2"
}
"""


def testpmd():
    found = shutil.which(TESTPMD)
    if found is None:
        raise guest.Failed(f"no {TESTPMD}: tools/install-deps bench")
    return found


def job(rounds):
    """Who is first changes from round to round."""
    lines = [TESTPMD_JOB]
    for number in range(rounds):
        for burst in BURSTS:
            for way in WAYS:
                pair = [f"{who}_{way} {who}-{way}-{burst}-{number} {burst}"
                        for who in ("gensink", "testpmd")]
                lines += pair if number % 2 == 0 else reversed(pair)
    return "\n".join(lines) + "\n"


def valid_trial(out, name):
    saved = json.loads((out / name / "result.json").read_text())
    trial = saved["trials"][-1]
    wrong = [reason for reason in trial["reasons"] if reason["severity"] == "invalid"]
    if wrong:  # the host's other work disturbs both alike
        raise guest.Failed(f"gensink, {name}: {wrong}")
    return trial


def ours(out, way, burst, number):
    metric = "tx.fps" if way == "transmit" else "rx.fps"
    return valid_trial(out, f"gensink-{way}-{burst}-{number}")["metrics"][metric]


def theirs(out, way, burst, number):
    name = f"testpmd-{way}-{burst}-{number}"
    if way == "receive":
        valid_trial(out, f"{name}-source")
    log = (out / f"{name}.txt").read_text(errors="replace")
    seconds = re.findall(("Tx" if way == "transmit" else "Rx") + r"-pps:\s+(\d+)", log)
    seconds = [int(each) for each in seconds if int(each) > 0][1:]  # the first is not a whole one
    if way == "receive":
        seconds = seconds[:-1]  # nor is the last
    if not seconds:
        raise guest.Failed(f"{TESTPMD}, {name}: {log[-400:]}")
    return statistics.median(seconds)


def table(out, rounds):
    """Lines of raw numbers, medians and the ratio."""
    for way in WAYS:
        for burst in BURSTS:
            raw = {"gensink": [ours(out, way, burst, number) for number in range(rounds)],
                   "testpmd": [theirs(out, way, burst, number) for number in range(rounds)]}
            head = f"{way:<8} burst {burst:<3}"
            for name, runs in raw.items():
                text = " ".join(f"{each / 1000:.1f}" for each in runs)
                yield f"{head} {name}  median {statistics.median(runs) / 1000:8.1f} kfps   runs {text}"
            pairs = [a / b for a, b in zip(raw["gensink"], raw["testpmd"])]
            yield (f"{head} gensink / testpmd: {statistics.median(pairs):.2f}, the median of "
                   + " ".join(f"{each:.2f}" for each in pairs) + "   (wanted >= 1.0)")
