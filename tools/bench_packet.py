# SPDX-License-Identifier: BSD-3-Clause
"""gensink beside dpdk-testpmd over packet sockets on a veth pair."""
import contextlib
import os
import pathlib
import subprocess
import time

from benching import Failed, Testpmd, attempt, command, gensink_received, judged, table


def ip(*words, check=True):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise Failed(f"ip {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


class Veth:
    """Two network namespaces joined by a veth pair; names are this process's own."""

    def __init__(self):
        self.spaces = (f"gensink-bench-a{os.getpid()}", f"gensink-bench-b{os.getpid()}")
        self.ends = (f"gba{os.getpid()}", f"gbb{os.getpid()}")
        self.macs = ("02:00:00:00:01:0a", "02:00:00:00:01:0b")
        self.inside = None

    def __enter__(self):
        try:
            for space in self.spaces:
                ip("netns", "add", space)
            ip("link", "add", self.ends[0], "address", self.macs[0], "netns", self.spaces[0], "type", "veth",
               "peer", "name", self.ends[1], "address", self.macs[1], "netns", self.spaces[1])
            for space, end in zip(self.spaces, self.ends):
                ip("-n", space, "link", "set", end, "addrgenmode", "none", "up")  # no frames of IPv6
            # A process in the far namespace, through which its counters are read without delay.
            self.inside = subprocess.Popen(["ip", "netns", "exec", self.spaces[1], "sleep", "infinity"])
            self.counters = pathlib.Path(f"/proc/{self.inside.pid}/net/dev")
            end = time.monotonic() + 5
            while self.ends[1] not in self.counters.read_text():
                if time.monotonic() > end:
                    raise Failed("the far namespace has no interface")
                time.sleep(0.01)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.inside is not None:
            self.inside.kill()
            self.inside.wait()
        for space in self.spaces:
            ip("netns", "del", space, check=False)

    def port(self, end):
        return f"net_af_packet{end},iface={self.ends[end]}"

    def testpmd(self, end, mode, burst):
        """It forwards on the second core, as gensink does; frames have the same address."""
        before = ["ip", "netns", "exec", self.spaces[end]]
        return Testpmd(0, self.port(end), mode, burst, before, [f"--eth-peer=0,{NOBODY}"])

    def arrived(self):
        """Frames that the far interface has received, by the kernel."""
        line = next(line for line in self.counters.read_text().splitlines() if self.ends[1] in line)
        return int(line.split(":")[1].split()[1])


# Another's address: the far kernel drops such frames at once, unless a packet socket takes them.
NOBODY = "02:00:00:00:00:00"
BUSY = "validity: {run_delay: 100 %, clock: 100 %, offered: 100 %}\n"
RISE = 0.3  # seconds until a rate is looked at


def rate(count, seconds):
    """What a count grows by in a second, once it has grown for a while."""
    first = count()
    end = time.monotonic() + 20
    while count() < first + 1000:
        if time.monotonic() > end:
            raise Failed("no frames came")
        time.sleep(0.01)
    time.sleep(RISE)
    (n0, t0), _, (n1, t1) = (count(), time.monotonic()), time.sleep(seconds), (count(), time.monotonic())
    return (n1 - n0) / (t1 - t0)


@contextlib.contextmanager
def generator(folder, veth, burst, seconds, core):
    """gensink's generator alone, for at least so long; its result must be valid."""
    wire = f'{{kind: ports, gen: "{veth.port(0)}", gen_netns: {veth.spaces[0]}, sink: none}}'
    settings = [f"traffic.destination_mac={NOBODY}", f"host.gen_cpus=[{core}]"]
    line, out = command(folder, wire, burst, seconds + RISE + 0.7, "tx.fps", BUSY, settings=settings)
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield
            _, said = process.communicate(timeout=60)
        except BaseException:
            process.kill()
            raise
    judged(out, said)


def packet_sent_gensink(folder, veth, burst, seconds):
    with generator(folder, veth, burst, seconds, 1):
        return rate(veth.arrived, seconds)


def packet_sent_testpmd(veth, burst, seconds):
    pmd = veth.testpmd(0, "txonly", burst)
    try:
        pmd.say("start")
        return rate(veth.arrived, seconds)
    finally:
        pmd.quit()


def packet_received_gensink(folder, veth, burst, seconds):
    wire = (
        f'{{kind: ports, gen: "{veth.port(0)}", gen_netns: {veth.spaces[0]},'
        f' sink: "{veth.port(1)}", sink_netns: {veth.spaces[1]}}}'
    )
    more = BUSY + f"sink: {{burst: {burst}}}\n"
    settings = [f"traffic.destination_mac={NOBODY}", "host.gen_cpus=[0]", "host.sink_cpus=[1]"]
    return gensink_received(folder, wire, burst, seconds, more, lossless=False, settings=settings)


def packet_received_testpmd(folder, veth, burst, seconds):
    pmd = veth.testpmd(1, "rxonly", burst)

    def count():
        return Testpmd.packets(pmd.say("show port stats 0", "Tx-bps"), "RX")

    try:
        pmd.say("start")
        with generator(folder, veth, burst, seconds, 0):
            return rate(count, seconds)
    finally:
        pmd.quit()


def bench_packet(options, folder):
    seconds = options.seconds
    for burst in [burst for burst in options.bursts if burst <= 32]:
        with Veth() as veth:
            sent, received = {}, {}
            for number in range(options.rounds):
                turns = [
                    ("gensink", lambda: packet_sent_gensink(folder, veth, burst, seconds), sent),
                    ("testpmd", lambda: packet_sent_testpmd(veth, burst, seconds), sent),
                    ("gensink", lambda: packet_received_gensink(folder, veth, burst, seconds), received),
                    ("testpmd", lambda: packet_received_testpmd(folder, veth, burst, seconds), received),
                ]
                # Who is first changes from round to round.
                for name, measure, raw in turns if number % 2 == 0 else reversed(turns):
                    attempt(name, lambda: measure() / 1e3, raw)
        for title, unit, raw in (
            ("transmit", "kfps at the far interface", sent),
            ("receive, gensink's generator", "kfps received", received),
        ):
            yield table(
                f"net_af_packet on veth, 64 B, burst {burst}, {title}",
                unit,
                1,
                raw,
                [("gensink", "testpmd", ">= 1.0")],
                paired=True,
            )
