# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's TCP from a guest to the host, by a TAP interface and by QEMU's user-mode network.

The guest's own kernel drives its NIC; `gensink sink --port kernel` waits on the host.
"""
import json
import statistics

import guest
import pairs

MEMORY = 1024  # MiB of a guest
SECONDS = 150
# The guest's end, the host's, and where the sink is reached: QEMU's user-mode network translates.
PATHS = {
    "tap": ("10.87.65.2", "10.87.65.1"),
    "user": ("10.0.2.15", "10.0.2.2"),
}
PROFILE = "/gensink/lab/download.yaml"


def job(path):
    own, other = PATHS[path]
    return (f"ip addr add {own}/24 dev eth0\nip link set eth0 up\nip route add default via {other}\n"
            f"call download gensink gen {PROFILE} --port kernel {pairs.BUSY} "
            f"--set traffic.destination_ip={other} --out /out/download\n")


def carry(path, netdev, image, system, folder, gensink):
    """The saved result of the guest's download over one path."""
    with open(folder / f"{path}-host.txt", "w", encoding="utf-8") as log:
        gen = guest.Guest(folder / path, image, system, job(path), guest.card("virtio", 0, netdev),
                          MEMORY, boot="lab.net=kernel")
        with gen, pairs.host_sink(gensink, "kernel", log):
            gen.wait(SECONDS)
    out = gen.results()
    code = guest.status(out).get("download")
    if code != 0:
        said = (out / "download.txt").read_text(encoding="utf-8", errors="replace")
        raise guest.Failed(f"{path}: exit status {code}: {said}")
    return json.loads((out / "download" / "result.json").read_text(encoding="utf-8"))


def rows(path, saved):
    """Path, window, payload in Mbit/s by trial, what held it, the evidence."""
    cells = saved["plan"]["cells"]
    for number, cell in enumerate(cells):
        trials = [trial for trial in saved["trials"] if trial["cell"] == number]
        for trial in trials:
            ledger = trial["ledger"]
            if ledger["residue"] or ledger["lost"] or not ledger["accepted"]:
                raise guest.Failed(f"{path}: the ledger does not close: {ledger}")
        found = next(each for each in saved["predictions"] if each["cell"] == number)
        yield (path, dict(cell["point"])["window.limit"],
               [trial["metrics"]["rx.bps_payload"] / 1e6 for trial in trials],
               found["measured_limit"], found["evidence"])


def compare(image, system, folder, gensink):
    """Lines that tell what each path carried, and what held it."""
    found = list(rows("user", carry("user", "user", image, system, folder, gensink)))
    with pairs.tap() as interface:
        guest.run("ip", "addr", "add", f"{PATHS['tap'][1]}/24", "dev", interface)
        netdev = f"tap,ifname={interface},script=no,downscript=no"
        found += rows("tap", carry("tap", netdev, image, system, folder, gensink))
    tap = {window: statistics.median(rates) for path, window, rates, _, _ in found if path == "tap"}
    if tap["64 KiB"] < 1.3 * tap["8 KiB"]:
        raise guest.Failed(f"over TAP a larger window carried no more: {tap} Mbit/s")
    for path, window, rates, limit, evidence in found:
        yield (f"{path:4}  window {window:>6}  {' '.join(f'{rate:.0f}' for rate in rates)} Mbit/s  "
               f"limit: {limit} ({evidence})")
