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
OWN = "/proc/thread-self/ns/net"
LIBC = ctypes.CDLL(None, use_errno=True)


def enter(namespace) -> None:
    """This thread, and what it starts."""
    if LIBC.setns(namespace.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Elsewhere:
    """Three hosts beyond this one: `public`, `private` and `link_local` are their addresses.

    The thread that makes it, and what it starts, live in a network of their own until `close`: the machine's stays as it is
    (a browser ends all that it loads when that changes).
    """

    public, private, link_local = "198.51.100.2", "10.213.0.2", "169.254.100.2"

    def __init__(self):
        self._origins: list[Origin] = []
        self._home = open(OWN, "rb")
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        try:
            self._wait_for_namespace()
            if LIBC.unshare(CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "unshare")
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
                with open(self._namespace, "rb") as namespace:
                    enter(namespace)
                made.append(Origin(address))
            except BaseException as error:
                made.append(error)

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
        enter(self._home)
        self._home.close()
        self._holder.kill()
        self._holder.wait()

    @property
    def _namespace(self) -> str:
        return f"/proc/{self._holder.pid}/ns/net"

    def _wait_for_namespace(self) -> None:
        own = pathlib.Path(OWN).readlink()
        eventually(lambda: pathlib.Path(self._namespace).readlink() != own, "the other network is there")

    def _connect(self) -> None:
        def run(*command: str) -> None:
            subprocess.run(command, check=True, capture_output=True)

        def there(*command: str) -> None:
            run("nsenter", f"--net={self._namespace}", *command)

        run("ip", "link", "add", "name", "near", "type", "veth", "peer", "name", "far", "netns", str(self._holder.pid))
        run("ip", "link", "set", "lo", "up")
        there("ip", "link", "set", "lo", "up")
        for address in (self.public, self.private, self.link_local):
            head = address.rpartition(".")[0]
            there("ip", "address", "add", f"{address}/30", "dev", "far")
            run("ip", "address", "add", f"{head}.1/30", "dev", "near")
        there("ip", "link", "set", "far", "up")
        run("ip", "link", "set", "near", "up")
