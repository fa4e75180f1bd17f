# SPDX-License-Identifier: Apache-2.0
"""What an output writes to a file: every sample that is heard, and no gap where the machine was late."""

import pathlib

import numpy

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

    def samples(self) -> numpy.ndarray:
        data = self.path.read_bytes()[HEADER:]
        whole = len(data) // (2 * self.channels) * 2 * self.channels
        return numpy.frombuffer(data[:whole], dtype="<i2").reshape(-1, self.channels)
