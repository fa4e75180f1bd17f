# SPDX-License-Identifier: Apache-2.0
"""Waiting on conditions with a deadline.

Limits are stated as the product promises them and stretched by `PATIENCE`: a test fails for what hangs or is wrong, never
for a machine that is busy. How fast things are is measured by scripts/bench.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

Value = TypeVar("Value")

PATIENCE = float(os.environ.get("TONEARM_TEST_PATIENCE", 4))

# Seconds of what is promised for a long time: enough to see each period that the server has; scripts/soak takes longer.
ENDURANCE = float(os.environ.get("TONEARM_SOAK_SECONDS", 15))


def eventually(probe: Callable[[], Value], what: str, timeout: float = 5.0, every: float = 0.01) -> Value:
    """The first truthy value of `probe`; fails with `what` and the last value at the deadline."""
    deadline = time.monotonic() + timeout * PATIENCE
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout * PATIENCE:g} s: {what} (last: {value!r})")
        time.sleep(every)


def during(seconds: float, probe: Callable[[], bool], what: str, every: float = 0.02) -> None:
    """Fails if `probe` turns false within `seconds`: for what must not happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert probe(), f"within {seconds} s: {what}"
        time.sleep(every)


@contextlib.contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Fails when the block took longer."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < seconds * PATIENCE, f"{what} took {took:.2f} s, promised are {seconds:g} s"
