# SPDX-License-Identifier: Apache-2.0
"""Other applications at the same sound server."""

import pathlib
import subprocess

import numpy

from .pulse import PulseDaemon
from .waiting import eventually


class Neighbour:
    """A `pacat` of some role that plays until `stop`: silence like a call, or a sine of 1 kHz."""

    def __init__(self, pulse: PulseDaemon, role: str | None, sink: str = "spk", amplitude: float = 0.0):
        self.pulse = pulse
        seconds = 120
        wave = amplitude * 32767 * numpy.sin(2 * numpy.pi * 1000 * numpy.arange(44100) / 44100)
        second = numpy.repeat(wave.astype("<i2")[:, None], 2, axis=1).tobytes()
        self._file = pathlib.Path(pulse.directory) / f"neighbour-{id(self)}.raw"
        self._file.write_bytes(second * seconds)
        self._properties = [f"--property=media.role={role}"] if role else []
        self._sink = sink
        self.process: subprocess.Popen | None = None
        self.index: str | None = None

    def start(self) -> "Neighbour":
        before = {stream[0] for stream in self.pulse.sink_inputs()}
        self.process = subprocess.Popen(
            ["pacat", "-d", self._sink, "--latency-msec=60", "--raw", "--format=s16le", "--rate=44100", "--channels=2",
             *self._properties, str(self._file)],
            env=self.pulse.environment, stderr=subprocess.DEVNULL)

        def mine() -> str | None:
            # Our own server's streams may come and go meanwhile.
            for block in self.pulse.pactl("list", "sink-inputs").split("Sink Input #")[1:]:
                index = block.split("\n")[0]
                if index not in before and f'application.process.id = "{self.process.pid}"' in block:
                    return index
            return None

        self.index = eventually(mine, "pacat plays", every=0.005)
        return self

    def stream(self) -> str:
        """PulseAudio's description of its stream."""
        return next(block for block in self.pulse.pactl("list", "sink-inputs").split("Sink Input #") if block.startswith(f"{self.index}\n"))

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> "Neighbour":
        return self.start()

    def __exit__(self, *exception) -> None:
        self.stop()
