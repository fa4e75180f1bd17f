# SPDX-License-Identifier: Apache-2.0
"""Offline rendering against mpg123 -w."""

import pathlib
import subprocess
import time

from measure import Row, at_least_of
from rig.server import binary


def render(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """A ten-minute MP3 to WAV, as multiples of real time."""
    source = music / "noise-long.mp3"
    speeds: dict[str, list[float]] = {"ours": [], "mpg123 -w": []}
    for _ in range(rounds):
        for name, command in (("ours", [str(binary()), "render", str(source), str(directory / "ours.wav")]),
                              ("mpg123 -w", ["mpg123", "-q", "-w", str(directory / "theirs.wav"), str(source)])):
            began = time.monotonic()
            subprocess.run(command, check=True, capture_output=True)
            speeds[name].append(600 / (time.monotonic() - began))
            for output in directory.glob("*.wav"):
                output.unlink()
    return [Row("render of 10 min MP3 to WAV", "x real time", speeds.pop("ours"), speeds, at_least_of("mpg123 -w", 0.9))]
