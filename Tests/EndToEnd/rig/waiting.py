# SPDX-License-Identifier: Apache-2.0
"""Waiting on conditions with a deadline.

Limits are stated as the product promises them and stretched by `PATIENCE`: a test fails for what hangs or is wrong, never
for a machine that is busy. How fast things are is measured by scripts/bench.
"""

import contextlib
import os
import pathlib
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

Value = TypeVar("Value")

PATIENCE = float(os.environ.get("TONEARM_TEST_PATIENCE", 4))

# Seconds of what is promised for a long time: enough to see each period that the server has; scripts/soak takes longer.
ENDURANCE = float(os.environ.get("TONEARM_SOAK_SECONDS", 8))


def eventually(probe: Callable[[], Value], what: str, timeout: float = 5.0, every: float | None = None) -> Value:
    """The first truthy value of `probe`; fails with `what` and the last value at the deadline. Unless told how often, a long wait
    asks less often: a request each 10 ms costs a fifth of a core, of which a busy machine has none to spare."""
    began = time.monotonic()
    while True:
        value = probe()
        if value:
            return value
        waited = time.monotonic() - began
        if waited > timeout * PATIENCE:
            raise AssertionError(f"not within {timeout * PATIENCE:g} s: {what} (last: {value!r})")
        time.sleep(every or max(0.01, min(0.05, waited / 20)))


def during(seconds: float, probe: Callable[[], bool], what: str, every: float = 0.02) -> None:
    """Fails if `probe` turns false within `seconds`: for what must not happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert probe(), f"within {seconds} s: {what}"
        time.sleep(every)


def kept_waiting(*processes: subprocess.Popen) -> float:
    """Seconds that their living threads were ready to run and waited for a processor, all together."""
    return sum(int(text.split()[1]) for process in processes for text in of_threads(process, "schedstat")) / 1e9


def of_threads(process: subprocess.Popen, name: str) -> list[str]:
    """The file `name` of proc(5) for each thread."""
    texts = []
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        # It may have ended since.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            texts.append((task / name).read_text())
    return texts


@contextlib.contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Fails when the block took longer."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < seconds * PATIENCE, f"{what} took {took:.2f} s, promised are {seconds:g} s"
