# SPDX-License-Identifier: Apache-2.0
"""Waiting on conditions with a deadline."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def eventually(probe: Callable[[], Value], what: str, timeout: float = 5.0, every: float = 0.01) -> Value:
    """The first truthy value of `probe`; fails with `what` and the last value at the deadline."""
    deadline = time.monotonic() + timeout
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what} (last: {value!r})")
        time.sleep(every)


def during(seconds: float, probe: Callable[[], bool], what: str, every: float = 0.02) -> None:
    """Fails if `probe` turns false within `seconds`: for what must not happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert probe(), f"within {seconds} s: {what}"
        time.sleep(every)
