# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Avahi on a private bus: the part of `org.freedesktop.Avahi` that announces services."""

from jeepney.wrappers import new_error, new_method_return

from .dbus import SessionBus
from .program import BusProgram

NAME = "org.freedesktop.Avahi"
RUNNING, COLLISION = 2, 3


class Avahi(BusProgram):
    name = NAME

    def __init__(self, bus: SessionBus):
        super().__init__(bus)
        # Names that this machine announces already.
        self.taken: set[str] = set()
        # The content of each entry group, and its state.
        self.groups: dict[str, list[dict]] = {}
        self.announced: dict[str, list[dict]] = {}

    @property
    def services(self) -> list[dict]:
        return [service for services in self.announced.values() for service in services]

    def stop(self) -> None:
        super().stop()
        self.groups, self.announced = {}, {}

    def collide(self) -> None:
        """Another machine announces the same name."""
        for path in list(self.announced):
            self.signal(path, f"{NAME}.EntryGroup", "StateChanged", "is", (COLLISION, "org.freedesktop.Avahi.CollisionError"))

    def rename_machine(self) -> None:
        self.signal("/", f"{NAME}.Server", "StateChanged", "is", (RUNNING, ""))

    def answer(self, call, member: str, path: str) -> None:
        match member:
            case "EntryGroupNew":
                made = f"/Client1/EntryGroup{len(self.groups) + 1}"
                self.groups[made] = []
                return self.reply(new_method_return(call, "o", (made,)))
            case "AddService":
                interface, protocol, flags, name, type, domain, host, port, texts = call.body
                assert (interface, protocol, flags, domain, host) == (-1, -1, 0, "", ""), call.body
                if name in self.taken:
                    return self.reply(new_error(call, "org.freedesktop.Avahi.CollisionError"))
                properties = dict(bytes(text).decode().split("=", 1) for text in texts)
                self.groups[path].append({"name": name, "type": type, "port": port, "properties": properties})
            case "Commit":
                self.announced[path] = list(self.groups[path])
            case "Reset":
                self.groups[path] = []
                self.announced.pop(path, None)
        self.reply(new_method_return(call))
