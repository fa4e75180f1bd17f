# SPDX-License-Identifier: Apache-2.0
"""Servers at public, private and link-local addresses: a network namespace on a cable of its own. Needs root."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import threading

from .origin import Origin
from .waiting import eventually

CLONE_NEWNET = 0x40000000


class Elsewhere:
    """Three hosts beyond this machine: `public`, `private` and `link_local` are their addresses."""

    def __init__(self):
        # Another run on this machine has other networks.
        number = os.getpid() % 60
        self.public = f"198.51.100.{4 * number + 2}"
        self.private = f"10.213.{number}.2"
        self.link_local = f"169.254.{100 + number}.2"
        self._cable = f"ta{os.getpid()}"
        self._origins: list[Origin] = []
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        try:
            self._wait_for_namespace()
            self._connect()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def reason_against() -> str | None:
        """Why there can be none on this machine."""
        if os.geteuid() != 0:
            return "network namespaces need root"
        if not shutil.which("ip") or not shutil.which("unshare"):
            return "network namespaces need ip and unshare"
        probe = subprocess.run(["unshare", "--net", "ip", "link", "add", "name", "near", "type", "veth", "peer", "name", "far"], capture_output=True)
        return None if probe.returncode == 0 else f"no network namespaces here: {probe.stderr.decode().strip()}"

    def origin(self, address: str) -> Origin:
        """A server at one of the addresses."""
        made: list[Origin | BaseException] = []

        def make() -> None:
            try:
                self._enter()
                made.append(Origin(address))
            except BaseException as error:
                made.append(error)

        # A thread, and what it starts, can live in another network than the process.
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        if isinstance(made[0], BaseException):
            raise made[0]
        self._origins.append(made[0])
        return made[0]

    def close(self) -> None:
        for origin in self._origins:
            origin.close()
        subprocess.run(["ip", "link", "del", self._cable], capture_output=True)
        self._holder.kill()
        self._holder.wait()

    @property
    def _namespace(self) -> str:
        return f"/proc/{self._holder.pid}/ns/net"

    def _wait_for_namespace(self) -> None:
        own = pathlib.Path("/proc/self/ns/net").readlink()
        eventually(lambda: pathlib.Path(self._namespace).readlink() != own, "the other network is there")

    def _enter(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        with open(self._namespace, "rb") as file:
            if libc.setns(file.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")

    def _connect(self) -> None:
        def run(*command: str) -> None:
            subprocess.run(command, check=True, capture_output=True)

        def there(*command: str) -> None:
            run("nsenter", f"--net={self._namespace}", *command)

        run("ip", "link", "add", "name", self._cable, "type", "veth", "peer", "name", "far", "netns", str(self._holder.pid))
        there("ip", "link", "set", "lo", "up")
        for address in (self.public, self.private, self.link_local):
            head, _, last = address.rpartition(".")
            there("ip", "address", "add", f"{address}/30", "dev", "far")
            run("ip", "address", "add", f"{head}.{int(last) - 1}/30", "dev", self._cable)
        there("ip", "link", "set", "far", "up")
        run("ip", "link", "set", self._cable, "up")
