# SPDX-License-Identifier: Apache-2.0
"""Rows of figures with their goals, the kernel's statistics of a process, and the load of other processes."""

import os
import pathlib
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Goal:
    """A goal, in words and as a check of our median and the peers' medians."""

    text: str
    reached: Callable[[float, dict[str, float]], bool]


def below(limit: float, unit: str) -> Goal:
    return Goal(f"< {number(limit)} {unit}".rstrip(), lambda ours, peers: ours < limit)


def at_most(limit: float, unit: str) -> Goal:
    return Goal(f"<= {number(limit)} {unit}".rstrip(), lambda ours, peers: ours <= limit)


def at_most_of(peer: str, share: float = 1) -> Goal:
    text = f"<= {peer}" if share == 1 else f"<= {share:.2f} of {peer}"
    return Goal(text, lambda ours, peers: ours <= share * peers[peer])


def at_least_of(peer: str, share: float) -> Goal:
    return Goal(f">= {share:.2f} of {peer}", lambda ours, peers: ours >= share * peers[peer])


def both(first: Goal, text: str, reached: bool) -> Goal:
    """`first`, and a limit for a count over all rounds."""
    return Goal(f"{first.text}, {text}", lambda ours, peers: reached and first.reached(ours, peers))


@dataclass
class Row:
    """A measured quantity: ours, the peers' in the same run, and the goal."""

    name: str
    unit: str
    ours: list[float]
    peers: dict[str, list[float]] = field(default_factory=dict)
    goal: Goal | None = None
    note: str = ""
    busy: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.ours)

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return "-"
        reached = self.goal.reached(self.median, {name: statistics.median(values) for name, values in self.peers.items()})
        return "reached" if reached else "MISSED"

    def cells(self) -> list[str]:
        peers = []
        for name, values in self.peers.items():
            peer = statistics.median(values)
            peers.append(f"{name} {number(peer)}" + (f" (x {self.median / peer:.2f})" if peer else ""))
        return [self.name, f"{number(self.median)} {self.unit}".rstrip(), f"{number(min(self.ours))}...{number(max(self.ours))}",
                str(len(self.ours)), "; ".join(peers) or "-", self.goal.text if self.goal else "-", self.verdict,
                "; ".join(text for text in (self.note, self.busy) if text) or "-"]


HEAD = ["what", "Tonearm", "spread", "rounds", "in the same run", "goal", "verdict", "note"]


def markdown(rows: list[Row]) -> str:
    lines = [HEAD, ["---"] * len(HEAD)] + [row.cells() for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def table(rows: list[Row]) -> str:
    lines = [HEAD] + [row.cells() for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


class Others:
    """Processor time of other processes, which disturbs a measurement. A child of this process counts as its own once it was
    waited for, which every row does."""

    TOLERATED = 0.05

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._before = self._read()

    @staticmethod
    def _read() -> float:
        fields = [int(text) for text in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        # user, nice, system, irq, softirq and steal; not idle and iowait.
        busy = sum(fields[:3] + fields[5:8]) / os.sysconf("SC_CLK_TCK")
        own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return busy - sum(usage.ru_utime + usage.ru_stime for usage in own)

    def share(self) -> float:
        """The share of all processors' time since this object was made."""
        return max(0.0, (self._read() - self._before) / (time.monotonic() - self._began) / (os.cpu_count() or 1))

    def note(self) -> str:
        share = self.share()
        return f"BUSY: others took {share:.0%} of the processors" if share > self.TOLERATED else ""


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
        """(CPU seconds, voluntary context switches). Misses threads that started and ended in between."""
        now = self._read()
        cpu = sum(values[0] - self._before.get(task, (0, 0))[0] for task, values in now.items())
        switches = sum(values[1] - self._before.get(task, (0, 0))[1] for task, values in now.items())
        return cpu / 1e9, switches


def proportional_bytes(pid: int) -> int:
    """PSS: private memory and the proportional share of shared memory."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no Pss line")


def raise_descriptor_limit() -> int:
    """Raises the descriptor limit for thousands of sockets here and in child processes. Returns the new limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def cores() -> int:
    return len(os.sched_getaffinity(0))
