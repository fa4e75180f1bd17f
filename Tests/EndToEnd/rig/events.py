# SPDX-License-Identifier: Apache-2.0
"""A WebSocket client that logs every event with its time of arrival and holds it to asyncapi.yaml."""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import websockets
from websockets.sync.client import connect

from .contract import EventContract
from .opened import opened
from .waiting import PATIENCE


@dataclass(frozen=True)
class Event:
    moment: float  # time.monotonic() of arrival
    message: dict

    @property
    def type(self) -> str:
        return self.message["type"]

    @property
    def data(self) -> dict:
        return self.message.get("data", {})

    def __getitem__(self, member: str) -> Any:
        return self.data[member]


class EventLog:
    """Connects at once and ends with the test; `violations` holds what broke the contract."""

    def __init__(self, url: str, query: str = "", contract: EventContract | None = None, **options: Any):
        self.events: list[Event] = []
        self.violations: list[str] = []
        self.close_code: int | None = None
        self._contract = contract
        self._changed = threading.Condition()
        self._open = contextlib.ExitStack()
        address = url + (f"?{query}" if query else "")
        self.socket = self._open.enter_context(connect(address, max_size=None, compression=None, proxy=None, **options))
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        opened.append(self)

    def _read(self) -> None:
        try:
            for text in self.socket:
                moment = time.monotonic()
                message = json.loads(text, parse_constant=self._not_json)
                if self._contract is not None:
                    self.violations += self._contract.violations(message)
                with self._changed:
                    self.events.append(Event(moment, message))
                    self._changed.notify_all()
        except websockets.ConnectionClosed:
            pass
        with self._changed:
            self.close_code = self.socket.close_code
            self._changed.notify_all()

    def _not_json(self, name: str) -> None:
        self.violations.append(f"{name} is no JSON number")

    def send(self, message: dict) -> None:
        self.socket.send(json.dumps(message))

    def close(self) -> None:
        self._open.close()
        self._thread.join(5)

    def mark(self) -> int:
        """A place in the log: later events have this index or a higher one."""
        with self._changed:
            return len(self.events)

    def since(self, mark: int = 0, *types: str) -> list[Event]:
        with self._changed:
            return [event for event in self.events[mark:] if not types or event.type in types]

    def wait_for(self, type: str, predicate: Callable[[Event], bool] = lambda event: True, timeout: float = 5.0,
                 mark: int = 0) -> Event:
        """The first event from `mark` on with this type for which `predicate` holds."""
        deadline = time.monotonic() + timeout * PATIENCE
        index = mark
        with self._changed:
            while True:
                while index < len(self.events):
                    event = self.events[index]
                    index += 1
                    if event.type == type and predicate(event):
                        return event
                remaining = deadline - time.monotonic()
                if remaining <= 0 or (self.close_code is not None and index >= len(self.events)):
                    seen = [f"{event.type} {json.dumps(event.data)[:160]}" for event in self.events[mark:][-20:]]
                    state = f"closed with {self.close_code}" if self.close_code is not None else "open"
                    raise AssertionError(f"no {type} within {timeout * PATIENCE:g} s ({state}); seen:\n  " + "\n  ".join(seen))
                self._changed.wait(remaining)

    def wait_status(self, *statuses: str, timeout: float = 5.0, mark: int = 0) -> Event:
        return self.wait_for("status", lambda event: event["status"] in statuses, timeout, mark)

    def ran_dry(self, mark: int = 0) -> list[Event]:
        """Times when the server had nothing to play. `output-unavailable` is none: a late sound server, or a late machine."""
        return [event for event in self.since(mark, "status")
                if event["status"] == "buffering" and event["reason"] != "output-unavailable"]

    def trace(self, mark: int = 0, *types: str) -> list[str]:
        """Readable order of events: `status playing`, `completed i1 finished` ..."""
        lines = []
        for event in self.since(mark, *types):
            match event.type:
                case "status":
                    lines.append(f"status {event['status']}")
                case "completed":
                    lines.append(f"completed {event['itemId']} {event['reason']}")
                case "item":
                    lines.append(f"item {(event.data.get('item') or {}).get('id')}")
                case other:
                    lines.append(other)
        return lines
