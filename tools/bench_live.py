# SPDX-License-Identifier: BSD-3-Clause
"""What it costs a run to be looked at: the live view on a terminal, DPDK's telemetry, Prometheus."""
import contextlib
import os
import pty
import re
import socket
import subprocess
import threading
import time
import urllib.request

from benching import attempt, command, judged, table

WIRE = '{kind: ports, gen: "net_null0,no-rx=1", sink: none}'


def rate(trial, saved):
    core = trial["gen"][0]
    ticks = core["measure_end_ticks"] - core["measure_start_ticks"]
    return core["measured"]["frames_accepted"] * saved["run"]["tsc_hz"] / ticks / 1e6


def ask_telemetry(process):
    """A look a second at all counts, as an exporter does."""
    path = f"/var/run/dpdk/gensink-{process.pid}/dpdk_telemetry.v2"
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(path)
        sock.recv(65536)
        for question in (b"/gensink/trial", b"/gensink/gen"):
            sock.send(question)
            sock.recv(65536)


def watched(folder, burst, seconds, looked_at):
    settings = ["host.telemetry=true"] if looked_at else []
    line, out = command(folder, WIRE, burst, seconds, "tx.fps", settings=settings)
    if looked_at:
        line += ["--prometheus", "0"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL,
                               stderr=theirs if looked_at else subprocess.DEVNULL)
    os.close(theirs)
    said = []

    def read():
        with contextlib.suppress(OSError):  # the other side is closed
            while seen := os.read(ours, 65536):
                said.append(seen.decode(errors="replace"))

    reader = threading.Thread(target=read)
    reader.start()
    while process.poll() is None:
        url = re.search(r"http://\S+/metrics", "".join(said))
        if url:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(url.group(), timeout=5).read()
            ask_telemetry(process)
        time.sleep(1)
    reader.join()
    os.close(ours)
    return rate(*judged(out, "".join(said)))


def bench_live(options, folder):
    for burst in options.bursts:
        raw = {}
        for _ in range(options.rounds):
            attempt("looked at", lambda: watched(folder, burst, options.seconds, True), raw)
            attempt("alone", lambda: watched(folder, burst, options.seconds, False), raw)
        yield table(
            f"net_null, 64 B, burst {burst}: live view, telemetry and Prometheus, asked once a second",
            "Mfps offered",
            2,
            raw,
            [("looked at", "alone", ">= 0.99")],
            paired=True,
        )
