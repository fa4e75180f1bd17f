# SPDX-License-Identifier: Apache-2.0
"""Music, announcements and effects with different pitches, and the level of each in a capture."""

import pathlib
import subprocess

import numpy

from .capture import RATE, Capture
from .kept import copy_kept
from .signals import write_wave

MUSIC, TEXT, BELL, TICK = 220.0, 700.0, 1000.0, 1500.0
LEVEL = 0.4
QUIET = 0.15


class Sounds:
    """`music.mp3` and `other.mp3` (220 Hz, 60 s), `text.mp3` (700 Hz, 6 s), `bell.mp3` and `.wav` (1000 Hz, 1.5 s),
    `tick.mp3` (1500 Hz, 0.2 s), `broken.mp3`."""

    def __init__(self, directory: pathlib.Path):
        self.root = directory / "music"
        copy_kept("sounds", directory, self._make)

    @staticmethod
    def _make(directory: pathlib.Path) -> None:
        root = directory / "music"
        root.mkdir()
        for name, frequency, seconds, level in (
                ("music", MUSIC, 60, LEVEL), ("text", TEXT, 6, QUIET), ("bell", BELL, 1.5, QUIET), ("tick", TICK, 0.2, QUIET)):
            wave = tone(directory / f"{name}.wav", frequency, seconds, level)
            subprocess.run(["lame", "--quiet", "-b", "192", str(wave), str(root / f"{name}.mp3")], check=True)
        (root / "other.mp3").write_bytes((root / "music.mp3").read_bytes())
        (root / "bell.wav").write_bytes((directory / "bell.wav").read_bytes())
        (root / "broken.mp3").write_text("This is no music.\n" * 200)


def tone(path: pathlib.Path, frequency: float, seconds: float, level: float = QUIET, rate: int = RATE) -> pathlib.Path:
    """A stereo WAV file of one pitch, with soft edges: what clicks is not of the file."""
    samples = level * numpy.sin(2 * numpy.pi * frequency * numpy.arange(round(seconds * rate)) / rate)
    edge = numpy.hanning(2 * rate // 50)
    samples[:len(edge) // 2] *= edge[:len(edge) // 2]
    samples[-(len(edge) // 2):] *= edge[-(len(edge) // 2):]
    return write_wave(path, numpy.stack([samples, samples], axis=1), rate)


def amplitude(samples: numpy.ndarray, frequency: float) -> float:
    """Of the sine of this frequency in the left channel of a capture, 1 being full scale."""
    signal = samples[:, 0].astype(float) / 32768
    window = numpy.hanning(len(signal))
    turning = numpy.exp(-2j * numpy.pi * frequency * numpy.arange(len(signal)) / RATE)
    return 2 * abs(numpy.sum(signal * window * turning)) / numpy.sum(window)


def decibels(value: float, reference: float) -> float:
    return 20 * numpy.log10(max(value, 1e-9) / reference)


def phase(samples: numpy.ndarray, start: int, frequency: float) -> float:
    """Of the sine, as it would be at frame 0 of the capture: the same wherever it is measured if not a sample is missing."""
    signal = samples[:, 0].astype(float)
    turning = numpy.exp(-2j * numpy.pi * frequency * (start + numpy.arange(len(signal))) / RATE)
    return float(numpy.angle(numpy.sum(signal * numpy.hanning(len(signal)) * turning)))


def level_now(capture: Capture, frequency: float, seconds: float = 0.2) -> float:
    """Of the last `seconds`."""
    return amplitude(capture.samples()[-round(seconds * RATE):], frequency)


def first_heard(capture: Capture, frequency: float, start: int, level: float = 0.05) -> int | None:
    """The first frame from `start` on at which the pitch sounds, to 5 ms."""
    samples, size = capture.samples(start), RATE // 200
    for at in range(0, len(samples) - 4 * size, size):
        if amplitude(samples[at:at + 4 * size], frequency) > level:
            return start + at
    return None


def near(value: float, reference: float, tolerance: float = 1.0) -> bool:
    return abs(decibels(value, reference)) <= tolerance
