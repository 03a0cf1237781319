# SPDX-License-Identifier: BSD-3-Clause
"""tools/bind over a copy of /sys and /proc, with a kernel that a thread plays."""
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NIC = "0000:01:00.0"


class FakeKernel(threading.Thread):
    """Binds and unbinds as Linux does: by what is written to driver_override, unbind and probe."""

    def __init__(self, root, native):
        super().__init__(daemon=True)
        self.pci = root / "sys/bus/pci"
        self.native = native  # driver that the kernel itself would choose, by address
        self.refuses = set()  # drivers that take nothing
        self.done = threading.Event()

    def run(self):
        while not self.done.is_set():
            for driver in (self.pci / "drivers").iterdir():
                self.obey(driver / "unbind", self.unbind)
            self.obey(self.pci / "drivers_probe", self.probe)
            time.sleep(0.005)

    @staticmethod
    def obey(path, act):
        address = path.read_text().strip() if path.exists() else ""
        if address:
            path.write_text("")
            act(address)

    def unbind(self, address):
        device = self.pci / "devices" / address
        (device / "driver").unlink()
        shutil.rmtree(device / "net", ignore_errors=True)
        for interface in (self.pci.parents[1] / "class/net").iterdir():
            if (interface / "device").resolve() == device.resolve():
                shutil.rmtree(interface)

    def probe(self, address):
        device = self.pci / "devices" / address
        override = (device / "driver_override").read_text().strip()
        driver = override or self.native.get(address, "")
        if driver and driver not in self.refuses and (self.pci / "drivers" / driver).exists():
            (device / "driver").symlink_to(self.pci / "drivers" / driver)


class Bind(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="gensink-test-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.pci = self.root / "sys/bus/pci"
        for driver in ("e1000", "vfio-pci", "mlx5_core"):
            self.add_driver(driver)
        self.file("sys/bus/pci/drivers_probe", "")
        (self.root / "sys/class/net").mkdir(parents=True)
        self.add_nic(NIC, "eth1")
        self.file("proc/net/route", "Iface Destination Gateway Flags RefCnt Use Metric Mask\n")
        # A modprobe that knows one module.
        tool = self.file("bin/modprobe", "#!/bin/sh\n[ \"$1\" = uio_pci_generic ] || exit 1\n"
                         f"mkdir -p {self.pci}/drivers/$1 && : > {self.pci}/drivers/$1/unbind\n")
        tool.chmod(0o755)
        self.kernel = FakeKernel(self.root, {NIC: "e1000"})
        self.kernel.start()
        self.addCleanup(self.kernel.join)
        self.addCleanup(self.kernel.done.set)

    def file(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def add_driver(self, name):
        self.file(f"sys/bus/pci/drivers/{name}/unbind", "")

    def add_nic(self, address, interface, driver="e1000", iommu=True):
        device = self.pci / "devices" / address
        self.file(f"sys/bus/pci/devices/{address}/class", "0x020000\n")
        self.file(f"sys/bus/pci/devices/{address}/driver_override", "(null)\n")
        (device / "driver").symlink_to(self.pci / "drivers" / driver)
        if iommu:
            group = self.root / "sys/kernel/iommu_groups/7"
            (group / "devices").mkdir(parents=True, exist_ok=True)
            (group / "devices" / address).symlink_to(device)
            (device / "iommu_group").symlink_to(group)
        if interface:
            (self.root / "sys/class/net" / interface).mkdir()
            (self.root / "sys/class/net" / interface / "device").symlink_to(device)

    def bind(self, *arguments, **environment):
        clean = {name: value for name, value in os.environ.items() if name != "SSH_CONNECTION"}
        clean.update(GENSINK_BIND_ROOT=str(self.root),
                     PATH=f"{self.root}/bin:{os.environ['PATH']}", **environment)
        return subprocess.run([ROOT / "tools/bind", *arguments], capture_output=True, text=True,
                              timeout=30, check=False, env=clean)

    def driver(self, address=NIC):
        link = self.pci / "devices" / address / "driver"
        return link.resolve().name if link.exists() else ""

    def assert_refused(self, done, *words):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(self.driver(), "e1000")

    def assert_done(self, done, *words):
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in words:
            self.assertIn(word, done.stdout)

    def test_there_and_back_by_interface_and_address(self):
        self.assert_done(self.bind("eth1"), f"{NIC}: bound to vfio-pci (before: e1000)", "eth1")
        self.assertEqual(self.driver(), "vfio-pci")
        self.assert_done(self.bind("--back", "01:00.0"), "back on e1000 (before: vfio-pci)")
        self.assertEqual(self.driver(), "e1000")
        self.assertEqual((self.pci / "devices" / NIC / "driver_override").read_text().strip(), "")

    def test_twice_does_nothing(self):
        self.bind(NIC)
        self.assert_done(self.bind(NIC), "already bound to vfio-pci")
        self.bind("--back", NIC)
        self.assert_done(self.bind("--back", NIC), "already on its kernel driver e1000")

    def test_without_an_iommu_uio_is_loaded_and_used(self):
        (self.pci / "devices" / NIC / "iommu_group").unlink()
        self.assert_done(self.bind(NIC), "bound to uio_pci_generic", "no IOMMU")
        self.assertEqual(self.driver(), "uio_pci_generic")

    def test_a_driver_that_does_not_take_it_gives_it_back(self):
        self.kernel.refuses.add("vfio-pci")
        self.assert_refused(self.bind(NIC), "vfio-pci did not take it", "e1000")

    def test_a_module_that_is_missing_is_named(self):
        shutil.rmtree(self.pci / "drivers/vfio-pci")
        self.assert_refused(self.bind(NIC), "no driver vfio-pci")

    def test_the_default_route_is_refused(self):
        self.file("proc/net/route", "Iface Destination Gateway Flags RefCnt Use Metric Mask\n"
                  "eth1 00000000 0100A8C0 0003 0 0 0 00000000\n")
        self.assert_refused(self.bind("eth1"), "eth1", "default route")

    def test_the_default_route_of_ipv6_is_refused(self):
        self.file("proc/net/ipv6_route", f"{'0' * 32} 00 {'0' * 32} 00 fe80{'0' * 27}1 "
                  "00000400 00000001 00000000 00000003 eth1\n")
        self.assert_refused(self.bind(NIC), "default route")

    def test_an_ssh_session_is_refused_by_its_variable_and_by_its_connection(self):
        place = struct.unpack("=I", bytes([10, 0, 0, 0]))[0]
        mask = struct.unpack("=I", bytes([255, 255, 255, 0]))[0]
        self.file("proc/net/route", "Iface Destination Gateway Flags RefCnt Use Metric Mask\n"
                  f"eth1 {place:08X} 00000000 0001 0 0 0 {mask:08X}\n")
        self.assert_refused(self.bind(NIC, SSH_CONNECTION="10.0.0.9 50000 10.0.0.1 22"),
                            "SSH session (10.0.0.1)")
        # sudo drops the variable: the connection itself remains.
        local, remote = (struct.unpack("=I", bytes([10, 0, 0, last]))[0] for last in (1, 9))
        self.file("proc/net/tcp", "sl local rem st\n"
                  f"0: {local:08X}:0016 {remote:08X}:C350 01 0 0\n")
        self.assert_refused(self.bind(NIC), "SSH session")
        self.file("proc/net/tcp", f"sl local rem st\n0: {local:08X}:1F90 {remote:08X}:C350 01 0 0\n")
        self.assert_done(self.bind(NIC))

    def test_an_ssh_session_over_ipv6_is_refused(self):
        self.file("proc/net/if_inet6", f"20010db8{'0' * 23}1 02 40 00 80 eth1\n")
        self.assert_refused(
            self.bind(NIC, SSH_CONNECTION="2001:db8:1::9 50000 2001:db8::1 22"), "2001:db8::1")

    def test_members_and_carriers_are_refused(self):
        interface = self.root / "sys/class/net/eth1"
        (self.root / "sys/class/net/br0").mkdir()
        (interface / "master").symlink_to(self.root / "sys/class/net/br0")
        self.assert_refused(self.bind("eth1"), "belongs to br0", "nomaster")
        (interface / "master").unlink()
        (interface / "upper_eth1.100").symlink_to(self.root / "sys/class/net/br0")
        self.assert_refused(self.bind("eth1"), "eth1.100")

    def test_what_is_no_nic_is_refused(self):
        (self.root / "sys/class/net/veth0").mkdir()
        self.file("sys/bus/pci/devices/0000:02:00.0/class", "0x010601\n")
        for name, words in (("nosuch", "no such interface"), ("veth0", "not a PCI NIC"),
                            ("0000:09:00.0", "no such PCI device"),
                            ("0000:02:00.0", "not a network device")):
            self.assert_refused(self.bind(name), words)

    def test_a_nic_that_dpdk_shares_is_refused(self):
        self.add_nic("0000:03:00.0", "eth3", driver="mlx5_core")
        done = self.bind("eth3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("shares the NIC", done.stderr)

    def test_one_in_use_is_not_given_back(self):
        self.bind(NIC)
        holder = self.root / "proc/4711/fd"
        holder.mkdir(parents=True)
        (holder / "9").symlink_to("/dev/vfio/7")
        done = self.bind("--back", NIC)
        self.assertEqual(done.returncode, 1)
        self.assertIn("4711", done.stderr)
        self.assertEqual(self.driver(), "vfio-pci")

    def test_others_of_the_group_are_named(self):
        self.add_nic("0000:01:00.1", "")
        self.assert_done(self.bind(NIC), "0000:01:00.1 (e1000) is of the same IOMMU group")

    def test_no_argument_is_a_usage_error(self):
        self.assertEqual(self.bind().returncode, 2)


if __name__ == "__main__":
    unittest.main()
