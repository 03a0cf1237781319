# SPDX-License-Identifier: BSD-3-Clause
"""Both ends apart: two guests joined by a socket, or a guest and the host joined by a TAP interface.

`gensink sink` waits in one, `gensink gen` runs a profile in the other.
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import checks
import guest

MEMORY = 1024  # MiB of a guest
SECONDS = 150
PROFILES = ("paced", "window")
# Four virtual CPUs on a host of two: interruptions prove nothing.
BUSY = "--set run.turn_limit='1 s' --set validity.run_delay='100 %' --set validity.clock='100 %'"
TAP = f"gslab{os.getpid() % 1000000}"  # an interface's name has at most 15 characters

# The sink is ended when the generator is done, which the bell tells.
SINK_JOB = """\
gensink sink --port "$nics" >/out/sink.txt 2>&1 &
sink=$!
say waiting
bell
kill -INT $sink
wait $sink
echo "sink $?" >>/out/status
"""


def gen_job(largest):
    sizes = f"--set 'sweep.cross.traffic.frame_size=[64 B, {largest} B]'"
    return "".join(f'call {name} gensink gen /gensink/lab/{name}.yaml --port "$nics" {BUSY} '
                   f"{sizes if name == 'paced' else ''} --out /out/{name}\n" for name in PROFILES)


def wrong_results(out):
    """What is wrong with each profile's result, by name; empty: nothing."""
    codes = guest.status(out)
    wrong = {}
    for name in PROFILES:
        wrong[name] = ""
        if codes.get(name) != 0:
            log = (out / f"{name}.txt").read_text(encoding="utf-8", errors="replace")
            wrong[name] = f"exit status {codes.get(name)}: {log}"
            continue
        try:
            saved = json.loads((out / name / "result.json").read_text(encoding="utf-8"))
            checks.ledger_clean(saved)
        except (checks.Wrong, OSError, LookupError) as error:
            wrong[name] = repr(error)
    return wrong


def two(nic, image, system, folder):
    """Two guests joined by a unix socket; the sink's is there first."""
    with tempfile.TemporaryDirectory(prefix="gensink-lab-") as scratch:
        wire = f"{scratch}/wire"
        joined = f"stream,addr.type=unix,addr.path={wire}"
        sink = guest.Guest(folder / "sink", image, system, SINK_JOB,
                           guest.card(nic, 0, f"{joined},server=on"), MEMORY)
        gen = guest.Guest(folder / "gen", image, system, gen_job(9018),
                          guest.card(nic, 1, f"{joined},server=off"), MEMORY)
        with sink:
            await_path(wire)
            with gen:
                sink.wait(SECONDS, until="lab: waiting")
                gen.wait(SECONDS)
                sink.ring()
                sink.wait(30)
        sink.results()
        return wrong_results(gen.results())


def await_path(path):
    end = time.monotonic() + 10
    while not os.path.exists(path):
        if time.monotonic() > end:
            raise guest.Failed(f"QEMU made no {path}")
        time.sleep(0.05)


@contextlib.contextmanager
def tap():
    """An interface of the host, there before QEMU opens it, and gone afterwards."""
    guest.run("ip", "tuntap", "add", "dev", TAP, "mode", "tap")
    try:
        # No address of IPv6, whose neighbour discovery would be background of the ledger.
        pathlib.Path(f"/proc/sys/net/ipv6/conf/{TAP}/disable_ipv6").write_text("1")
        guest.run("ip", "link", "set", "dev", TAP, "mtu", "9000", "up")
        yield TAP
    finally:
        guest.run("ip", "link", "del", "dev", TAP)


@contextlib.contextmanager
def host_sink(gensink, port, log):
    """A sink of the host that waits, ended with the block."""
    sink = subprocess.Popen([gensink, "sink", "--port", port], stdin=subprocess.DEVNULL,
                            stdout=log, stderr=log)
    try:
        yield
    finally:
        sink.send_signal(signal.SIGINT)
        try:
            sink.wait(10)
        except subprocess.TimeoutExpired:
            sink.kill()
            sink.wait()


def with_host(nic, image, system, folder, gensink):
    """The sink is the host's end of a TAP interface, by a packet socket; the guest generates."""
    with tap() as interface, open(folder / "host.txt", "w", encoding="utf-8") as log:
        gen = guest.Guest(folder / "gen", image, system, gen_job(1518),  # what af_packet carries
                          guest.card(nic, 1, f"tap,ifname={interface},script=no,downscript=no"),
                          MEMORY)
        port = f"net_af_packet0,iface={interface}"
        with gen, host_sink(gensink, port, log):
            gen.wait(SECONDS)
        return wrong_results(gen.results())
