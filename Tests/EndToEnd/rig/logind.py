# SPDX-License-Identifier: Apache-2.0
"""A stand-in for systemd's login manager on a private bus: what of `org.freedesktop.login1` a player needs, with real signals."""

import os
import pathlib
import select
import threading

import jeepney
from jeepney.io.blocking import open_dbus_connection
from jeepney.wrappers import new_error, new_method_return, new_signal

from .dbus import SessionBus
from .waiting import eventually

NAME = "org.freedesktop.login1"
MANAGER_PATH = "/org/freedesktop/login1"
MANAGER = f"{NAME}.Manager"
SESSION = f"{NAME}.Session"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Screen:
    """A login session; `seat` is empty for one that came over the network."""

    def __init__(self, number: int, user: int, seat: str = "seat0", kind: str = "user", type: str = "wayland"):
        self.id = f"c{number}"
        self.path = f"{MANAGER_PATH}/session/{self.id}"
        self.user = user
        self.seat = seat
        self.kind = kind
        self.type = type
        self.locked = False

    def properties(self) -> dict:
        # Two of the types are none that a player reads, as in the original.
        return {
            "Id": ("s", self.id), "User": ("(uo)", (self.user, f"{MANAGER_PATH}/user/_{self.user}")),
            "Timestamp": ("t", 1), "VTNr": ("u", 1), "Class": ("s", self.kind), "Type": ("s", self.type), "Active": ("b", True),
            "Seat": ("(so)", (self.seat, f"{MANAGER_PATH}/seat/{self.seat or 'none'}")),
            "LockedHint": ("b", self.locked), "IdleSinceHint": ("t", 0),
        }


class LoginManager:
    """Answers on `bus` from a thread of its own, from `start` to `stop`; both may be called again."""

    def __init__(self, bus: SessionBus, screens: list[Screen] | None = None):
        self.bus = bus
        self.screens = [Screen(1, os.getuid())] if screens is None else screens
        self.preparing = False
        self.may_inhibit = True
        self.calls: list[str] = []
        self._inhibitors: list[int] = []
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def start(self) -> "LoginManager":
        self._stopping.clear()
        self.connection = open_dbus_connection(self.bus.address, enable_fds=True)
        request = jeepney.DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        answer = self.connection.send_and_get_reply(jeepney.new_method_call(request, "RequestName", "su", (NAME, 4)))
        assert answer.body == (1,), answer.body
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        self._stopping.set()
        if self._thread:
            self._thread.join(5)
        self.connection.close()
        for descriptor in self._inhibitors:
            os.close(descriptor)
        self._inhibitors = []

    # What happens to the machine

    def lock(self, screen: Screen, locked: bool = True) -> None:
        """As `loginctl lock-session`: a request to the desktop."""
        self._signal(screen.path, SESSION, "Lock" if locked else "Unlock")

    def hint(self, screen: Screen, locked: bool) -> None:
        """The desktop's locker has done it."""
        screen.locked = locked
        self._signal(screen.path, PROPERTIES, "PropertiesChanged", "sa{sv}as",
                     (SESSION, {"LockedHint": ("b", locked)}, []))

    def add(self, screen: Screen) -> None:
        self.screens.append(screen)
        self._signal(MANAGER_PATH, MANAGER, "SessionNew", "so", (screen.id, screen.path))

    def remove(self, screen: Screen) -> None:
        self.screens.remove(screen)
        self._signal(MANAGER_PATH, MANAGER, "SessionRemoved", "so", (screen.id, screen.path))

    def sleep(self, begins: bool = True) -> None:
        self.preparing = begins
        self._signal(MANAGER_PATH, MANAGER, "PrepareForSleep", "b", (begins,))

    def asked(self, member: str) -> int:
        return self.calls.count(member)

    def is_held(self) -> bool:
        """Whether somebody delays the sleep: another end of a pipe that was handed out is open."""
        for descriptor in self._inhibitors:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            if not any(flags & select.POLLHUP for _, flags in poll.poll(0)):
                return True
        return False

    # The bus

    def _signal(self, path: str, interface: str, member: str, signature: str = "", body: tuple = ()) -> None:
        emitter = jeepney.DBusAddress(path, NAME, interface)
        with self._lock:
            self.connection.send(new_signal(emitter, member, signature or None, body))

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
                self._answer(message)

    def _answer(self, call) -> None:
        fields = call.header.fields
        member = fields.get(jeepney.HeaderFields.member)
        path = fields.get(jeepney.HeaderFields.path)
        self.calls.append(member)
        opened = None
        match member:
            case "ListSessions":
                rows = [(screen.id, screen.user, "someone", screen.seat, screen.path) for screen in self.screens]
                reply = new_method_return(call, "a(susso)", (rows,))
            case "Get":
                reply = new_method_return(call, "v", (("b", self.preparing),))
            case "GetAll":
                screen = next((screen for screen in self.screens if screen.path == path), None)
                reply = (new_method_return(call, "a{sv}", (screen.properties(),)) if screen
                         else new_error(call, "org.freedesktop.DBus.Error.UnknownObject"))
            case "Inhibit" if self.may_inhibit:
                assert call.body[0] == "sleep" and call.body[3] == "delay", call.body
                ours, opened = os.pipe()
                self._inhibitors.append(ours)
                reply = new_method_return(call, "h", (opened,))
            case _:
                reply = new_error(call, "org.freedesktop.DBus.Error.AccessDenied")
        with self._lock:
            self.connection.send(reply)
        if opened is not None:
            os.close(opened)


def system_bus(directory: pathlib.Path) -> SessionBus:
    """A bus that a program takes for the system's when `DBUS_SYSTEM_BUS_ADDRESS` names it."""
    (directory / "system").mkdir()
    bus = SessionBus(directory / "system")
    eventually(lambda: bus.start(), "the system bus runs")
    return bus
