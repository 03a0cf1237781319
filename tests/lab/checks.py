# SPDX-License-Identifier: BSD-3-Clause
"""What is run in a guest of one NIC, and what its results must say.

Each test is a profile of tests/lab/profiles. Its exit status must be one of `status`; its check then
looks at result.json, and raises Wrong; what it returns is worth telling. What emulated NICs count
wrongly is in drivers-config; each such lie has a check here.
"""
import dataclasses
import math
import statistics
from collections.abc import Callable

OK, INVALID, FAILED = 0, 4, 6  # exit statuses of gensink; 6: a trial ended early, with a reason
# These count each frame that a full receive ring drops, the 82540 again at each further read, and
# in later runs; the others count none.
COUNTING = ("e1000", "vmxnet3")
MISSED_ROUNDS = 2
REORDERING = ("e1000e", "virtio")  # once a receive ring was full
GIGABIT = ("e1000", "e1000e")


# Student's t, one-sided 95 %, by the number of values.
ONE_SIDED_95 = {2: 6.314, 3: 2.920, 4: 2.353, 5: 2.132, 6: 2.015, 7: 1.943, 8: 1.895}


class Wrong(Exception):
    pass


class Noisy(Exception):
    """The host was too busy for the check to say anything."""


def want(condition, text):
    if not condition:
        raise Wrong(text)


def lost_in_trial(trial):
    """Frames of all phases that were accepted and never seen, by the software's own counts."""
    accepted = sum(core["total"]["frames_accepted"] for core in trial["gen"])
    seen = sum(stream[part][kind] for stream in trial["streams"]
               for part in ("seen_measured", "seen_other")
               for kind in ("in_order", "late", "corrupt"))
    return accepted - seen


def codes(trial):
    return [reason["code"] for reason in trial["reasons"]]


def undisputed(trial):
    """Nothing but the host's other work speaks against it."""
    wrong = [each for each in trial["reasons"] if each["severity"] == "invalid"]
    want(not wrong, f"a trial is not valid: {wrong}")


def only_trial(result):
    want(len(result["trials"]) == 1, f"{len(result['trials'])} trials, not 1")
    return result["trials"][0]


def reason(trial, code):
    """The text of a trial's reason."""
    found = [each["message"] for each in trial["reasons"] if each["code"] == code]
    want(found, f"no reason {code}: {codes(trial)}")
    return found[0]


def devices_agree(trial):
    """Both devices count what the software counts."""
    accepted = sum(core["total"]["frames_accepted"] for core in trial["gen"])
    sent = trial["device"]["gen"]["tx_frames"]
    want(sent == accepted, f"the generator's device counts {sent} frames, the software {accepted}")
    if trial["ledger"]["has_sink"]:
        polled = sum(core["total"]["frames"] for core in trial["sink"])
        received = trial["device"]["sink"]["rx_frames"]
        want(received == polled, f"the sink's device counts {received} frames, polled {polled}")


def ledger_clean(result, nic=""):
    for trial in result["trials"]:
        ledger = trial["ledger"]
        want(trial["valid"], f"a trial is not valid: {codes(trial)}")
        if nic in REORDERING and ledger["late"]:
            want(ledger["in_order"] + ledger["late"] == ledger["accepted"], f"not all arrived: {ledger}")
            raise Noisy(f"the sink stood still until its ring was full: {ledger['late']} came late")
        want(ledger["in_order"] == ledger["accepted"] > 0, f"not all arrived in order: {ledger}")
        for term in ("refused", "corrupt", "duplicate", "stale", "foreign", "residue"):
            want(ledger[term] == 0, f"{ledger[term]} {term} frames")


def all_arrived(result, nic):
    ledger_clean(result, nic)
    for trial in result["trials"]:
        devices_agree(trial)
        deaf = [text for text in trial["opened"]["warnings"] if "heeds" in text]
        want(not deaf, f"thresholds of tx: {deaf}")


def law(points):
    """b of cost = a + b / burst, by relative least squares, of (burst, cost)."""
    weights = [cost ** -2 for _, cost in points]
    mean_x = sum(w / burst for w, (burst, _) in zip(weights, points)) / sum(weights)
    mean_y = sum(w * cost for w, (_, cost) in zip(weights, points)) / sum(weights)
    over = sum(w * (1 / burst - mean_x) * (cost - mean_y)
               for w, (burst, cost) in zip(weights, points))
    return over / sum(w * (1 / burst - mean_x) ** 2 for w, (burst, _) in zip(weights, points))


def doorbell_costs(result, nic):
    """b of the law cost = a + b / burst is above that of the device that does nothing.

    By pairs: what else runs on the emulator's host changes from round to round, and moves both.
    """
    points = {}
    for trial in result["trials"]:
        if "treatment_not_exercised" in codes(trial):
            raise Noisy("the ring was full while the emulator stood still, so that bursts were cut short")
        undisputed(trial)
        devices_agree(trial)
        cell = result["plan"]["cells"][trial["cell"]]
        of_round = points.setdefault(trial["round"], {}).setdefault(cell["arm"], [])
        of_round.append((int(cell["point"]["tx.burst"]), trial["metrics"]["tx.ticks_per_frame"]))
    more = [law(arms["nic"]) - law(arms["nothing"]) for arms in points.values()]
    mean = statistics.mean(more)
    half = ONE_SIDED_95[len(more)] * statistics.stdev(more) / math.sqrt(len(more))
    fits = "; ".join(f"{fit['arm']} b {fit['b']:.0f} {[round(end) for end in fit['b_interval']]}"
                     for fit in result["fits"])
    text = f"a call of {nic} costs {mean:.0f} +- {half:.0f} ticks more than one of nothing ({fits})"
    want(mean + half > 0, text)
    if mean - half <= 0:
        raise Noisy(text)
    return text


def link_lost(result, _):
    trial = only_trial(result)
    text = reason(trial, "link_down")
    want("link" in text and "generator" in text, f"the reason names no link of the generator: {text}")
    want(not trial["valid"], "the trial is valid")
    want(trial["measure_seconds"] < 4, f"it went on for {trial['measure_seconds']} of 8 s")


def dead_queue(result, _):
    trial = only_trial(result)
    want(not trial["valid"], f"a dead queue, and the trial is valid: {codes(trial)}")
    texts = [each["message"] for each in trial["reasons"] if "queue 1" in each["message"]]
    want(texts, f"no reason names queue 1: {codes(trial)}")


def whole(result, nic):
    """Every frame arrives, and the result says how fast the link is where the card knows."""
    all_arrived(result, nic)
    if nic in GIGABIT:
        for trial in result["trials"]:
            for end in ("gen", "sink"):
                told = trial["opened"][f"{end}_link_bps_l1"]
                want(told == 1e9, f"{end}: the link has {told} bit/s")


def missed(result, nic):
    """A full receive ring drops frames. The ledger has each, whoever counted it."""
    trials = result["trials"]
    want(len(trials) == MISSED_ROUNDS, f"{len(trials)} trials, not {MISSED_ROUNDS}")
    for trial in trials:
        missed_in_trial(trial, nic)


def missed_in_trial(trial, nic):
    undisputed(trial)
    ledger = trial["ledger"]
    lost = lost_in_trial(trial)
    counted = trial["device"]["sink"]["rx_missed"]
    places = {place["place"]: place for place in ledger["attributed"]}
    at_sink = places.get("sink's device: missed")
    want(ledger["lost"] > 0, "the overload lost nothing")
    want(ledger["residue"] == 0, f"residue {ledger['residue']}")
    arrived = ledger["in_order"] + ledger["late"] + ledger["corrupt"]
    want(arrived + ledger["lost"] == ledger["accepted"], f"the ledger does not add up: {ledger}")
    if nic in COUNTING:
        want(at_sink and at_sink["trust"] == "exact", f"not attributed: {ledger['attributed']}")
        want(counted == lost, f"missed {counted}, lost {lost}")
        want(ledger["unknown_place"] == 0, f"place unknown: {ledger['unknown_place']}")
    else:
        want(counted == 0 and not at_sink, f"missed {counted}, which it never counted")
        want(ledger["unknown_place"] == ledger["lost"], f"{ledger}: the place is not known")
    if nic == "virtio":
        want(ledger["refused"] > 0, "a full ring refused nothing")


def promiscuous(result, nic):
    """Frames to another's address arrive, and the result says how."""
    all_arrived(result, nic)
    warnings = only_trial(result)["opened"]["warnings"]
    want(any("promiscuous" in text for text in warnings), f"no warning says it: {warnings}")


@dataclasses.dataclass
class Test:
    name: str  # of the profile
    check: Callable
    status: tuple = (OK,)
    nics: tuple = ()  # empty: all
    arguments: dict = dataclasses.field(default_factory=dict)  # more, by NIC
    ports: bool = True  # the profile's wire is the guest's two NICs
    meanwhile: str = ""  # what the job does while it runs


TESTS = [
    Test("batching", all_arrived,
         arguments={"e1000": "--set tx.rs_thresh=8 --set tx.free_thresh=64 "
                             "--set tx.pthresh=16 --set tx.hthresh=4"}),
    # A host may be too busy for any limit of gensink's; the check pairs rounds instead. INVALID is
    # then fine if it is for that alone.
    Test("sweep", doorbell_costs, status=(OK, INVALID), nics=("e1000", "e1000e", "vmxnet3"), ports=False),
    # On a hub, a virtio ring stays full while the other NIC is not started.
    Test("sweep-started", doorbell_costs, status=(OK, INVALID), nics=("virtio",), ports=False),
    Test("paced", whole),
    Test("window", all_arrived),
    Test("stranger", promiscuous),
    Test("link", link_lost, status=(FAILED,), meanwhile="monitor set_link n0 off"),
    Test("queues", dead_queue, status=(INVALID, FAILED), nics=("e1000",),
         arguments={"e1000": "--set wire.gen_driver=e1000-two-queues "
                             "--set wire.sink_driver=e1000-two-queues"}),
    # The last: afterwards a 82540 shows its missed frames in every run.
    # Frames wait in a queue of 10,000 of QEMU before any of a virtio card's is lost.
    # Of a 82540's, those beyond the 10,000 would be lost where it cannot count them.
    Test("missed", missed, status=(OK, INVALID),
         arguments={"e1000": "--set traffic.load='50 kfps'", "vmxnet3": "--set sink.ring=512",
                    "virtio": "--set run.measure='3 s'"}),
]


def tests(nic, only=()):
    return [test for test in TESTS if (not test.nics or nic in test.nics)
            and (not only or test.name in only)]


def job(nic, only=()):
    """The guest's part."""
    lines = ["gensink devices >/out/devices.txt 2>&1"]
    for test in tests(nic, only):
        ports = '--ports "$nics" ' if test.ports else ""
        line = f"run {test.name} /gensink/lab/{test.name}.yaml {ports}{test.arguments.get(nic, '')}"
        if not test.meanwhile:
            lines.append(line)
            continue
        lines += [f"{line} &",
                  f"until grep -q '| measure' /out/{test.name}.txt || ! kill -0 $!; do sleep 0.1; done",
                  test.meanwhile, "wait", "monitor set_link n0 on"]
    return "\n".join(lines) + "\n"
