# SPDX-License-Identifier: Apache-2.0
"""A microphone for a PulseAudio without hardware: what is spoken into it is what it hears."""

import os
import pathlib
import signal
import subprocess

import numpy

from .pulse import PulseDaemon
from .waiting import eventually

RATE = 48000


class Microphone:
    """`source` as a recorder sees it; fed through a null sink by `speak`.

    Made before a `Capture`: PulseAudio moves a recorder to a new default source if it records the old one.
    """

    source = "mic"

    def __init__(self, pulse: PulseDaemon):
        self.pulse = pulse
        self.sink = pulse.load(f"module-null-sink sink_name=mic_in format=float32le rate={RATE} channels=2 norewinds=1")
        self.module = pulse.load(f"module-remap-source master=mic_in.monitor source_name={self.source} remix=no")
        pulse.pactl("set-default-source", self.source)
        self._voice: subprocess.Popen | None = None
        self._log = pathlib.Path()

    def speak(self, samples: numpy.ndarray, scratch: pathlib.Path) -> None:
        """Mono floats, over and over until `hush`; ends what was spoken before."""
        if self._voice is not None:
            speaking = len(self.pulse.sink_inputs())
            self.hush()
            eventually(lambda: len(self.pulse.sink_inputs()) < speaking, "who spoke has gone")
        frames = numpy.repeat(samples.astype("<f4")[:, None], 2, axis=1)
        path = scratch / "voice.raw"
        path.write_bytes(frames.tobytes())
        script = (f"while cat '{path}'; do :; done | "
                  f"pacat -v -d mic_in --format=float32le --rate={RATE} --channels=2 --raw --latency-msec=1000")
        before = len(self.pulse.sink_inputs())
        self._log = scratch / "voice.log"
        with self._log.open("w") as log:
            self._voice = subprocess.Popen(["bash", "-c", script], env=self.pulse.environment | {"LC_ALL": "C"},
                                           start_new_session=True, stdout=subprocess.DEVNULL, stderr=log)
        eventually(lambda: len(self.pulse.sink_inputs()) > before, "someone speaks")

    def tone(self, frequency: float, scratch: pathlib.Path, amplitude: float = 0.5) -> None:
        """A whole number of periods in 1 s, so that it goes on without a step."""
        self.speak(amplitude * numpy.sin(2 * numpy.pi * frequency * numpy.arange(RATE) / RATE), scratch)

    @property
    def stumbles(self) -> int:
        """How often the voice itself broke off, as on a busy machine."""
        return self._log.read_text(errors="replace").lower().count("underrun")

    def hush(self) -> None:
        if self._voice is None:
            return
        os.killpg(self._voice.pid, signal.SIGTERM)
        self._voice.wait()
        self._voice = None

    def unplug(self) -> None:
        self.pulse.unload(self.module)


def loudest(samples: numpy.ndarray, rate: int) -> float:
    """The frequency with the most energy, to a fraction of a bin."""
    window = samples * numpy.hanning(len(samples))
    spectrum = numpy.abs(numpy.fft.rfft(window))
    return float(numpy.argmax(spectrum) * rate / len(samples))


def energy(samples: numpy.ndarray, rate: int, frequency: float) -> float:
    """How much of the samples is this tone, 0...1 of full scale."""
    phase = numpy.exp(-2j * numpy.pi * frequency * numpy.arange(len(samples)) / rate)
    return float(2 * abs(numpy.mean(samples * phase)))
