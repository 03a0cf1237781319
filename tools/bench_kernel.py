# SPDX-License-Identifier: BSD-3-Clause
"""gensink's kernel arms beside iperf3, over sockets on one veth pair, with the same blocks and buffers."""
import json
import math
import subprocess
import time

from bench_packet import Veth, ip
from benching import Failed, attempt, gensink, table

PORT = 5301
ADDRESSES = ("198.18.0.1", "198.18.0.2")
SENDER_CPU, RECEIVER_CPU = 1, 0
DATAGRAM = 1472  # payload of a frame of 1518 B
BUFFER = 256 << 10

# Title, gensink's keys, iperf3's options.
CASES = [
    (
        "TCP, blocks of 128 KiB, the kernel's buffers",
        "kernel: {protocol: tcp}\ntraffic: {block_size: 128 KiB}\n",
        ["-l", "128K"],
    ),
    (
        f"TCP, blocks of 4 KiB, buffers of {BUFFER >> 10} KiB",
        "kernel: {protocol: tcp}\ntraffic: {block_size: 4 KiB}\n" f"window: {{limit: {BUFFER} B}}\n",
        ["-l", "4K", "-w", str(BUFFER)],
    ),
    (
        f"UDP, a datagram of {DATAGRAM} B a call",
        f"kernel: {{protocol: udp, sender: write}}\ntraffic: {{block_size: {DATAGRAM} B}}\n"
        "tx: {burst: 1}\n",
        ["-u", "-b", "0", "-l", str(DATAGRAM)],
    ),
]


def gensink_carried(folder, veth, more, seconds):
    wire = f"{{kind: kernel, gen_netns: {veth.spaces[0]}, sink_netns: {veth.spaces[1]}}}"
    settings = [f"host.gen_cpus=[{SENDER_CPU}]", f"host.sink_cpus=[{RECEIVER_CPU}]"]
    trial, _ = gensink(folder, wire, None, seconds, "rx.bps_payload", more, settings=settings)
    return trial["metrics"]["rx.bps_payload"]


def iperf3_carried(veth, options, seconds):
    inside = [["ip", "netns", "exec", space, "taskset", "-c"] for space in veth.spaces]
    server = subprocess.Popen(
        [*inside[1], str(RECEIVER_CPU), "iperf3", "-s", "-1", "-p", str(PORT)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 5
        while str(PORT) not in ip("netns", "exec", veth.spaces[1], "ss", "-ltn"):
            if time.monotonic() > end:
                raise Failed("iperf3 does not listen")
            time.sleep(0.02)
        client = [*inside[0], str(SENDER_CPU), "iperf3", "-c", ADDRESSES[1], "-p", str(PORT), "-J"]
        done = subprocess.run(
            [*client, "-t", str(math.ceil(seconds)), *options],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        said = json.loads(done.stdout)
        if "error" in said:
            raise Failed(f"iperf3: {said['error']}")
        if "-u" not in options:
            return said["end"]["sum_received"]["bits_per_second"]
        total = said["end"]["streams"][0]["udp"]
        return total["bits_per_second"] * (1 - total["lost_packets"] / total["packets"])
    finally:
        server.kill()
        server.wait()


def bench_kernel(options, folder):
    for title, more, peer in CASES:
        raw = {}
        with Veth() as veth:
            for space, end, own, other in zip(veth.spaces, veth.ends, ADDRESSES, reversed(ADDRESSES)):
                ip("-n", space, "addr", "add", own, "peer", other, "dev", end)
            for number in range(options.rounds):
                turns = [
                    ("gensink", lambda: gensink_carried(folder, veth, more, options.seconds)),
                    ("iperf3", lambda: iperf3_carried(veth, peer, options.seconds)),
                ]
                # Who is first changes from round to round.
                for name, measure in turns if number % 2 == 0 else reversed(turns):
                    attempt(name, lambda: measure() / 1e9, raw)
        yield table(
            f"kernel sockets on veth: {title}",
            "Gbit/s of payload received",
            2,
            raw,
            [("gensink", "iperf3", ">= 0.95")],
            paired=True,
        )
