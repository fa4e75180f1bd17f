# SPDX-License-Identifier: Apache-2.0
"""A private session bus, and the player on it as desktops see it: through gdbus and playerctl."""

import ast
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading

from .waiting import eventually

NAME = "org.mpris.MediaPlayer2.tonearm"
OBJECT = "/org/mpris/MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"


class SessionBus:
    """`dbus-daemon --session` with its socket in `directory`; `start` may be called again after `kill`."""

    def __init__(self, directory: pathlib.Path):
        self.socket = directory / "bus"
        self.address = f"unix:path={self.socket}"
        self.environment = os.environ | {"DBUS_SESSION_BUS_ADDRESS": self.address}
        self.process: subprocess.Popen | None = None

    def start(self) -> "SessionBus":
        self.socket.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self.address}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(self._listens, "the bus listens")
        return self

    def _listens(self) -> bool:
        """The file is there a moment before."""
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    # Calls

    def _gdbus(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(["gdbus", *arguments], env=self.environment, capture_output=True, text=True, timeout=40)

    def call(self, method: str, *arguments: str, name: str = NAME, path: str = OBJECT) -> str:
        """`method` with its interface; what it returns as GVariant text."""
        result = self._gdbus("call", "--session", "--dest", name, "--object-path", path, "--method", method, "--", *arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    def fails(self, method: str, *arguments: str) -> str:
        """The error of a call that must not succeed."""
        result = self._gdbus(
            "call", "--session", "--dest", NAME, "--object-path", OBJECT, "--method", method, "--", *arguments)
        assert result.returncode != 0, f"{method} succeeded: {result.stdout}"
        return result.stderr

    def owned(self, name: str = NAME) -> bool:
        answer = self.call("org.freedesktop.DBus.NameHasOwner", name, name="org.freedesktop.DBus", path="/org/freedesktop/DBus")
        return "true" in answer

    def owner(self, name: str = NAME) -> str:
        return self.call("org.freedesktop.DBus.GetNameOwner", name, name="org.freedesktop.DBus", path="/org/freedesktop/DBus")

    def wait_owned(self, owned: bool = True) -> None:
        eventually(lambda: self.owned() == owned, f"the name is {'owned' if owned else 'released'}", timeout=20, every=0.05)

    def get(self, name: str, interface: str = PLAYER) -> object:
        return parse(self.call("org.freedesktop.DBus.Properties.Get", interface, name))[0]

    def set(self, name: str, value: str) -> None:
        self.call("org.freedesktop.DBus.Properties.Set", PLAYER, name, value)

    def metadata(self) -> dict:
        return self.get("Metadata")

    def player(self, method: str, *arguments: str) -> str:
        return self.call(f"{PLAYER}.{method}", *arguments)

    def playerctl(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(["playerctl", "--player=tonearm", *arguments], env=self.environment, capture_output=True,
                              text=True, timeout=40)


def parse(text: str) -> object:
    """GVariant's text as Python values: what MPRIS sends is close enough to Python's own."""
    text = re.sub(r"@[a-z{}()]+ ", "", text)
    text = re.sub(r"\b(?:objectpath|u?int(?:16|32|64)|byte|double) ", "", text)
    text = re.sub(r"\btrue\b", "True", re.sub(r"\bfalse\b", "False", text))
    # A variant is written in angle brackets; texts of these tests have none.
    return ast.literal_eval(text.replace("<", "").replace(">", ""))


class BusSignals:
    """The output of `gdbus monitor` for the player, from before the first signal."""

    def __init__(self, bus: SessionBus):
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", "gdbus", "monitor", "--session", "--dest", NAME], env=bus.environment,
            stdout=subprocess.PIPE, text=True)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        eventually(self._ready.is_set, "gdbus monitor listens")

    def _read(self) -> None:
        for line in self.process.stdout:
            if "is owned by" in line:
                self._ready.set()
            elif line.startswith(OBJECT + ": "):
                self.lines.append(line[len(OBJECT) + 2:].strip())

    def of(self, member: str) -> list[str]:
        return [line for line in self.lines if line.split(" ")[0].endswith("." + member)]

    def changed(self) -> list[dict]:
        """The changed properties, one dictionary a signal."""
        return [parse(line.split(" ", 1)[1])[1] for line in self.of("PropertiesChanged")]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()
