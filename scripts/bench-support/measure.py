# SPDX-License-Identifier: Apache-2.0
"""Rows of figures, and what the kernel tells of a process."""

import os
import pathlib
import statistics
from dataclasses import dataclass, field


@dataclass
class Row:
    """One measured quantity: ours, the peers' in the same run, and what is to be reached."""

    name: str
    unit: str
    ours: list[float]
    peers: dict[str, list[float]] = field(default_factory=dict)
    goal: str = ""
    note: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.ours)

    def line(self) -> str:
        parts = [f"{self.name}: {number(self.median)} {self.unit} ({spread(self.ours)})"]
        for name, values in self.peers.items():
            peer = statistics.median(values)
            ratio = f", ratio {self.median / peer:.2f}" if peer else ""
            parts.append(f"{name} {number(peer)} {self.unit} ({spread(values)}){ratio}")
        if self.goal:
            parts.append(f"goal: {self.goal}")
        if self.note:
            parts.append(self.note)
        return "; ".join(parts)

    def markdown(self) -> str:
        peers = ", ".join(f"{name} {number(statistics.median(values))} {self.unit}" for name, values in self.peers.items())
        return f"| {self.name} | {number(self.median)} {self.unit} | {peers or '-'} | {self.goal or '-'} | {self.note or '-'} |"


MARKDOWN_HEAD = "| what | Tonearm | in the same run | goal | note |\n|---|---|---|---|---|"


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def spread(values: list[float]) -> str:
    return f"{number(min(values))}...{number(max(values))}, {len(values)} rounds"


class Usage:
    """CPU time and voluntary context switches of a process since this object was made."""

    def __init__(self, pid: int):
        self.pid = pid
        self._before = self._read()

    def _read(self) -> dict[str, tuple[int, int]]:
        found = {}
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            try:
                nanoseconds = int((task / "schedstat").read_text().split()[0])
                switches = next(int(line.split()[1]) for line in (task / "status").read_text().splitlines()
                                if line.startswith("voluntary_ctxt_switches"))
            except (FileNotFoundError, ProcessLookupError):
                continue
            found[task.name] = (nanoseconds, switches)
        return found

    def since(self) -> tuple[float, int]:
        """(CPU seconds, voluntary context switches); threads that came and went between are not seen."""
        now = self._read()
        cpu = sum(values[0] - self._before.get(task, (0, 0))[0] for task, values in now.items())
        switches = sum(values[1] - self._before.get(task, (0, 0))[1] for task, values in now.items())
        return cpu / 1e9, switches


def proportional_bytes(pid: int) -> int:
    """PSS: private memory and the fair part of what is shared."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no Pss line")


def raise_descriptor_limit() -> int:
    """For thousands of sockets here and in child processes; the new limit."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def cores() -> int:
    return len(os.sched_getaffinity(0))
