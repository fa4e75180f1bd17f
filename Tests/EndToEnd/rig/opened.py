# SPDX-License-Identifier: Apache-2.0
"""Everything that a test opens. The rig closes it at the end of the test, the latest first."""

import contextlib
from collections.abc import Iterator

opened: list = []


@contextlib.contextmanager
def closing_what_is_opened() -> Iterator[None]:
    before = len(opened)
    yield
    while len(opened) > before:
        opened.pop().close()
