# SPDX-License-Identifier: Apache-2.0
"""A stand-in for systemd's login manager on a private bus: what of `org.freedesktop.login1` a player needs, with real signals."""

import os
import select

from jeepney.wrappers import new_error, new_method_return

from .dbus import SessionBus
from .program import BusProgram

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


class LoginManager(BusProgram):
    name = NAME

    def __init__(self, bus: SessionBus, screens: list[Screen] | None = None):
        super().__init__(bus)
        self.screens = [Screen(1, os.getuid())] if screens is None else screens
        self.preparing = False
        self.may_inhibit = True
        self._inhibitors: list[int] = []

    def stop(self) -> None:
        super().stop()
        for descriptor in self._inhibitors:
            os.close(descriptor)
        self._inhibitors = []

    # Lock and sleep

    def lock(self, screen: Screen, locked: bool = True) -> None:
        """As `loginctl lock-session`: a request to the desktop."""
        self.signal(screen.path, SESSION, "Lock" if locked else "Unlock")

    def hint(self, screen: Screen, locked: bool) -> None:
        """The desktop's locker has done it."""
        screen.locked = locked
        self.signal(screen.path, PROPERTIES, "PropertiesChanged", "sa{sv}as",
                    (SESSION, {"LockedHint": ("b", locked)}, []))

    def add(self, screen: Screen) -> None:
        self.screens.append(screen)
        self.signal(MANAGER_PATH, MANAGER, "SessionNew", "so", (screen.id, screen.path))

    def remove(self, screen: Screen) -> None:
        self.screens.remove(screen)
        self.signal(MANAGER_PATH, MANAGER, "SessionRemoved", "so", (screen.id, screen.path))

    def sleep(self, begins: bool = True) -> None:
        self.preparing = begins
        self.signal(MANAGER_PATH, MANAGER, "PrepareForSleep", "b", (begins,))

    def is_held(self) -> bool:
        """True if a program delays the sleep: the other end of a pipe that was handed out is open."""
        for descriptor in self._inhibitors:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            if not any(flags & select.POLLHUP for _, flags in poll.poll(0)):
                return True
        return False

    # The bus

    def answer(self, call, member: str, path: str) -> None:
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
        self.reply(reply)
        if opened is not None:
            os.close(opened)
