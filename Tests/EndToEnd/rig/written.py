# SPDX-License-Identifier: Apache-2.0
"""The file output: every sample that is heard, without gaps when the machine is late."""

import pathlib

import numpy

from .waiting import eventually

# Of the WAV files that the server writes: the samples begin behind it.
HEADER = 44


class Written:
    """Reads like `Capture` what a server with `--output file:` has written. Its clock stands while no samples come, so a
    difference to the reference is the server's fault, never the machine's."""

    def __init__(self, path: pathlib.Path, channels: int = 2):
        self.path, self.channels = path, channels

    @property
    def output(self) -> str:
        return f"file:{self.path}"

    def wait_silence(self) -> None:
        """`completed` is reported once the last sample is written."""

    def samples(self, start: int = 0, end: int | None = None) -> numpy.ndarray:
        data = self.path.read_bytes()[HEADER:] if self.path.exists() else b""
        whole = len(data) // (2 * self.channels) * 2 * self.channels
        return numpy.frombuffer(data[:whole], dtype="<i2").reshape(-1, self.channels)[start:end]

    @property
    def frames(self) -> int:
        """Frames written so far; a mark for `samples`."""
        return max(0, self.path.stat().st_size - HEADER) // (2 * self.channels) if self.path.exists() else 0

    def wait_sound(self, start: int = 0, timeout: float = 30.0) -> int:
        """The first frame from `start` on: silence between two sounds is not written."""
        self.wait_frames(start + 1, timeout)
        return start

    def wait_seconds(self, seconds: float) -> None:
        """Until `seconds` more were written."""
        self.wait_frames(self.frames + int(seconds * 44100), seconds + 10)

    def wait_frames(self, count: int, timeout: float = 30.0) -> None:
        eventually(lambda: self.frames >= count, f"{count} frames written", timeout)
