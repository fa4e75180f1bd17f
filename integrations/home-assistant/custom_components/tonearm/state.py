# SPDX-License-Identifier: Apache-2.0
"""The state of one player, from its snapshot and events. Independent of Home Assistant."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

Json = dict[str, Any]


@dataclass
class PlayerState:
    """One player. `player` has the shape of GET /player; events replace the members that they carry."""

    player: Json
    # The time of `position` by Home Assistant's clock.
    position_at: datetime
    discontinuity: int | None = None
    # The outputs, the default one first.
    outputs: list[Json] = field(default_factory=list)
    # None until they have been read.
    effects: Json | None = None
    # Names of the equaliser's presets.
    presets: list[str] = field(default_factory=list)

    @classmethod
    def from_snapshot(cls, player: Json, at: int, now: datetime) -> PlayerState:
        """`at`: the server's clock when it sent the snapshot, in milliseconds."""
        age = max(0, at - player["sampledAt"])
        return cls(player, now - timedelta(milliseconds=age))

    @property
    def id(self) -> str:
        return str(self.player["id"])

    @property
    def name(self) -> str:
        return str(self.player["name"])

    @property
    def leader(self) -> str | None:
        leader = self.player["leader"]
        return None if leader is None else str(leader)

    @property
    def is_output_available(self) -> bool:
        return bool(self.player["output"]["available"])

    def apply(self, event: str, data: Json, now: datetime) -> bool:
        """Applies an event. Returns True if anything visible has changed."""
        match event:
            case "status":
                self._move(data["position"], now)
                self.player.update(
                    {key: data[key] for key in ("status", "reason", "playWhenReady", "error")}
                )
            case "item":
                self.player["item"] = data["item"]
                self.player["queueIndex"] = None if data["item"] is None else data["item"]["index"]
                self.player["duration"] = None if data["item"] is None else data["item"]["duration"]
            case "queue":
                summary = ("length", "revision", "canUndo", "canRedo")
                self.player["queue"] = {key: data[key] for key in summary}
            case "settings":
                self.player.update(data)
            case "effects":
                self.effects = data
            case "output":
                self.player["output"] = data
            case "time":
                jumped = self.discontinuity != data["discontinuity"]
                self.discontinuity = data["discontinuity"]
                # The duration of a stream without a length is an estimate, which the server corrects.
                measured = self.player["duration"] != data["duration"]
                self.player["duration"] = data["duration"]
                if not jumped and not measured:
                    return False
                self._move(data["position"], now)
            case _:
                return False
        return True

    def _move(self, position: float, now: datetime) -> None:
        self.player["position"] = position
        self.position_at = now
