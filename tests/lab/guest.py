# SPDX-License-Identifier: BSD-3-Clause
"""A guest of QEMU made of Debian's packages: its kernel, its file system, its boot and its end."""
import base64
import io
import pathlib
import re
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time

LAB = pathlib.Path(__file__).resolve().parent
ROOT = LAB.parent.parent
QEMU = "qemu-system-x86_64"
LIBRARIES = pathlib.Path("/usr/lib/x86_64-linux-gnu")
PLUGINS = ("bus_pci", "bus_vdev", "mempool_ring", "net_e1000", "net_virtio", "net_vmxnet3",
           "net_ring", "net_null")
MODULES = ("uio", "uio_pci_generic", "virtio", "virtio_ring", "virtio_pci_legacy_dev",
           "virtio_pci_modern_dev", "virtio_pci", "failover", "net_failover", "virtio_net")
NICS = {
    "e1000": "e1000",  # 82540EM
    "e1000e": "e1000e",  # 82574L
    "virtio": "virtio-net-pci",
    "vmxnet3": "vmxnet3",
}


class Failed(Exception):
    pass


class WrongClock(Failed):
    """The host was so busy while the guest's kernel took the measure of its clock that it runs fast."""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def download_kernel(folder):
    """Debian's cloud kernel, unpacked below a folder, never installed; 26 MB."""
    for attempt in (0, 1):
        found = re.search(r"Depends: (linux-image-\S+)",
                          run("apt-cache", "depends", "linux-image-cloud-amd64"))
        if found:
            break
        if attempt == 0:
            run("apt-get", "-q", "update")  # a fresh system has no lists of packages
    else:
        raise Failed("apt-cache knows no linux-image-cloud-amd64")
    package = found.group(1)
    with tempfile.TemporaryDirectory(dir=folder, prefix="download-") as scratch:
        scratch = pathlib.Path(scratch)
        run("apt-get", "download", package, cwd=scratch)
        run("dpkg", "-x", next(scratch.glob("*.deb")), scratch / "unpacked")
        (scratch / "unpacked").rename(folder / package)
    return folder / package


def kernel(folder):
    """Its image, and the folder of its modules. One that is here already is taken."""
    here = sorted(path for path in folder.glob("linux-image-*") if path.is_dir())
    try:
        unpacked = here[-1] if here else download_kernel(folder)
    except (Failed, FileNotFoundError) as error:
        raise Failed(f"no kernel for the guest, which is downloaded once: {error}") from None
    image = next((unpacked / "boot").glob("vmlinuz-*"))
    return image, unpacked / "lib" / "modules" / image.name.removeprefix("vmlinuz-")


def libraries(*binaries):
    """What they are linked with, as the loader finds it."""
    found = set()
    for binary in binaries:
        found.update(re.findall(r"(/\S+) \(0x", run("ldd", binary)))
    return found


def copy_library(path, root):
    """The file once, under its own name, and links to it: EAL refuses a plugin that is there twice."""
    path = pathlib.Path(path)
    real = path.resolve()
    target = root / real.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copy(real, target)
    link = root / path.relative_to("/")
    if link != target and not link.exists() and not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(real)


def make_root(root, gensink, modules, programs=()):
    """The guest's file system; `programs` come with their libraries."""
    shutil.rmtree(root, ignore_errors=True)
    for folder in ("bin", "dev", "proc", "sys", "tmp", "var", "modules", "gensink", "lib64", "etc"):
        (root / folder).mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    (root / "usr" / "lib").mkdir(parents=True)
    shutil.copy(LAB / "init", root / "init")
    shutil.copy("/bin/busybox", root / "bin" / "busybox")
    for module in MODULES:  # some kernels have some of them built in
        for path in (modules / "kernel").rglob(f"{module}.ko"):
            shutil.copy(path, root / "modules")
    shutil.copy(gensink, root / "gensink" / "gensink")
    for data in ("profiles", "drivers-config"):
        shutil.copytree(ROOT / data, root / "gensink" / data)
    for entry in (LAB / "drivers").glob("*.yaml"):
        shutil.copy(entry, root / "gensink" / "drivers-config")
    shutil.copytree(LAB / "profiles", root / "gensink" / "lab")
    for program in programs:
        shutil.copy(program, root / "bin")
    plugins = next((LIBRARIES / "dpdk").glob("pmds-*"))
    wanted = [next(plugins.glob(f"librte_{name}.so.*.*")) for name in PLUGINS]
    for path in wanted:
        copy_library(path, root)
    for path in {*libraries(gensink, *wanted, *programs), "/lib64/ld-linux-x86-64.so.2"}:
        real = pathlib.Path(path).resolve()
        if real.parent == plugins and not (root / real.relative_to("/")).exists():
            # A program may be linked with drivers that are no use here: EAL must not load them.
            shutil.copy(real, root / path.lstrip("/"))
        else:
            copy_library(path, root)
    copy_library(LIBRARIES / "libgcc_s.so.1", root)  # pthread_cancel loads it


def pack(root, archive):
    names = run("find", ".", cwd=root)
    with open(archive, "wb") as out:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], input=names.encode(), stdout=out,
                       cwd=root, check=True)


class Guest:
    """One run of a guest: it does its job, hands /out back, and powers off.

    The guest may ask for a command of QEMU's monitor, by a line "monitor: COMMAND" on its console.
    `ring` wakes a job that waits at its bell.
    """

    def __init__(self, folder, image, system, job, devices, memory=2048, boot=""):
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "job").mkdir(parents=True)
        self.folder = folder
        # A socket's path has at most 107 characters.
        self.sockets = tempfile.TemporaryDirectory(prefix="gensink-lab-")
        (folder / "job" / "job").write_text(job, encoding="utf-8")
        pack(folder / "job", folder / "job.cpio")
        initrd = folder / "initrd"
        with open(initrd, "wb") as out:  # archives one after the other make one file system
            out.write(system.read_bytes() + (folder / "job.cpio").read_bytes())
        self.command = [
            QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", "pc", "-accel", "tcg,thread=multi,tb-size=256", "-cpu", "max", "-smp", "2",
            "-m", str(memory), "-kernel", str(image), "-initrd", str(initrd), "-append",
            "console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=reliable nowatchdog audit=0 "
            f"hugepages={memory // 8} {boot}",
            "-serial", f"file:{folder / 'console.txt'}", "-serial", f"file:{folder / 'serial.txt'}",
            "-serial", f"unix:{self.sockets.name}/bell,server=on,wait=off",
            "-monitor", f"unix:{self.sockets.name}/monitor,server=on,wait=off", *devices]
        self.process = None
        self.started = 0.0
        self.obeyed = 0

    def __enter__(self):
        with open(self.folder / "qemu.txt", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)
        self.started = time.monotonic()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.sockets.cleanup()
        (self.folder / "initrd").unlink()  # 30 MB

    def console(self):
        path = self.folder / "console.txt"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def tell(self, name, line):
        with socket.socket(socket.AF_UNIX) as end:
            end.settimeout(5)
            end.connect(f"{self.sockets.name}/{name}")
            if name == "monitor":
                self.prompt(end)
            end.sendall(f"{line}\n".encode())
            if name == "monitor":
                self.prompt(end)

    @staticmethod
    def prompt(end):
        text = b""
        while b"(qemu) " not in text:
            more = end.recv(4096)
            if not more:
                raise Failed("QEMU's monitor ended")
            text += more

    def ring(self):
        self.tell("bell", "go on")

    def obey(self):
        """Does what the guest asks of the monitor."""
        asked = re.findall(r"^monitor: (.+?)\r?\n", self.console(), re.MULTILINE)
        for command in asked[self.obeyed:]:
            self.obeyed += 1
            self.tell("monitor", command)

    def check_clock(self):
        """A guest cannot have been up for longer than its QEMU."""
        up = re.search(r"^lab: up ([\d.]+)", self.console(), re.MULTILINE)
        ran = time.monotonic() - self.started
        if up and float(up.group(1)) > 1.1 * ran:
            raise WrongClock(f"after {ran:.0f} s the guest's clock shows {up.group(1)} s")

    def wait(self, seconds, until=None):
        """To the guest's end, or until its console shows a text."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            if until and until in self.console():
                return
            if time.monotonic() > end:
                raise Failed(f"the guest took more than {seconds} s; see {self.folder}")
            self.obey()
            self.check_clock()
            time.sleep(0.05)
        if until and until not in self.console():
            raise Failed(f"the guest ended early; see {self.folder / 'console.txt'}")

    def results(self):
        """The folder of what the guest handed back over its second serial port."""
        path = self.folder / "serial.txt"
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        found = re.search(r"BEGIN\n(.*)END\n", text.replace("\r", ""), re.DOTALL)
        if not found:
            log = (self.folder / "qemu.txt").read_text(encoding="utf-8", errors="replace")
            raise Failed(f"the guest handed nothing back; see {self.folder / 'console.txt'}: {log}")
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(found.group(1)))) as archive:
            archive.extractall(self.folder / "out")
        return self.folder / "out"


def status(out):
    """The exit status of each command of a job, by name."""
    return {name: int(code) for name, code in
            (line.split() for line in (out / "status").read_text().splitlines())}


def back_to_back(nic):
    """Two NICs joined by a hub."""
    return [*card(nic, 0, "hubport,hubid=1"), *card(nic, 1, "hubport,hubid=1")]


def card(nic, number, joined):
    """A NIC and what it is joined to."""
    return ["-netdev", f"{joined},id=n{number}", "-device",
            f"{NICS[nic]},netdev=n{number},mac=52:54:00:00:00:0{number + 1},romfile="]
