# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a program of the system bus, on a private one."""

import pathlib
import threading

import jeepney
from jeepney.io.blocking import open_dbus_connection
from jeepney.wrappers import new_signal

from .dbus import SessionBus
from .waiting import eventually


class BusProgram:
    """Owns `name` and answers on `bus` from a thread of its own, from `start` to `stop`; both may be called again."""

    name: str

    def __init__(self, bus: SessionBus):
        self.bus = bus
        self.calls: list[str] = []
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def start(self):
        self._stopping.clear()
        self.connection = open_dbus_connection(self.bus.address, enable_fds=True)
        request = jeepney.DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        answer = self.connection.send_and_get_reply(jeepney.new_method_call(request, "RequestName", "su", (self.name, 4)))
        assert answer.body == (1,), answer.body
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        self._stopping.set()
        if self._thread:
            self._thread.join(5)
        self.connection.close()

    def answer(self, call, member: str, path: str) -> None:
        """Replies to a call with `reply`."""
        raise NotImplementedError

    def reply(self, message) -> None:
        with self._lock:
            self.connection.send(message)

    def signal(self, path: str, interface: str, member: str, signature: str = "", body: tuple = ()) -> None:
        self.reply(new_signal(jeepney.DBusAddress(path, self.name, interface), member, signature or None, body))

    def asked(self, member: str) -> int:
        return self.calls.count(member)

    def _serve(self) -> None:
        while not self._stopping.is_set():
            try:
                message = self.connection.receive(timeout=0.05)
            except TimeoutError:
                continue
            except ConnectionError:
                # The bus was killed.
                return
            if message.header.message_type == jeepney.MessageType.method_call:
                fields = message.header.fields
                member = fields.get(jeepney.HeaderFields.member)
                self.calls.append(member)
                self.answer(message, member, fields.get(jeepney.HeaderFields.path))


def system_bus(directory: pathlib.Path) -> SessionBus:
    """A bus that a program takes for the system's when `DBUS_SYSTEM_BUS_ADDRESS` names it."""
    (directory / "system").mkdir()
    bus = SessionBus(directory / "system")
    eventually(lambda: bus.start(), "the system bus runs")
    return bus
