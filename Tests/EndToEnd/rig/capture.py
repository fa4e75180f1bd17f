# SPDX-License-Identifier: Apache-2.0
"""The sound of a sink, recorded from its monitor as 16-bit samples."""

import subprocess
import threading
import time

import numpy

from .opened import opened
from .pulse import PulseDaemon
from .waiting import eventually

RATE = 44100


class Capture:
    """Records one sink's monitor from `start` until `close` or the end of the test. Frames are counted from the start of the recording.

    Start it before the server: it restarts the sink, which otherwise would first finish a block of up to 2 s.
    """

    def __init__(self, pulse: PulseDaemon, sink: str = "spk", channel_map: str = "front-left,front-right", latency: int = 20):
        self.pulse, self.sink, self.channel_map, self.latency = pulse, sink, channel_map, latency
        self.channels = channel_map.count(",") + 1
        self._lock = threading.Lock()
        # Its first `_frames` are what was recorded.
        self._buffer = numpy.empty((60 * RATE, self.channels), "<i2")
        self._frames = 0
        self._arrivals: list[tuple[float, int]] = []
        self._process: subprocess.Popen | None = None
        self._reader: threading.Thread | None = None

    def start(self, restart_sink: bool = True) -> "Capture":
        recorders = self.pulse.source_outputs()
        if restart_sink:
            self.pulse.suspend(self.sink, True)
        # Every channel as it is: nothing is mixed down or moved.
        self._process = subprocess.Popen(
            ["parec", "-d", f"{self.sink}.monitor", "--format=s16le", f"--rate={RATE}", f"--channels={self.channels}",
             f"--channel-map={self.channel_map}",
             f"--latency-msec={self.latency}", "--raw"],
            env=self.pulse.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        eventually(lambda: self.pulse.source_outputs() > recorders, "parec is connected")
        if restart_sink:
            self.pulse.suspend(self.sink, False)
        eventually(self._is_steady, f"{self.sink}.monitor delivers steadily", timeout=6)
        opened.append(self)
        return self

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._reader.join()
            self._process.stdout.close()
            self._process = None

    def _read(self) -> None:
        stream, rest = self._process.stdout, b""
        size = 2 * self.channels
        while data := stream.read(65536):
            now = time.monotonic()
            data = rest + data
            whole = len(data) // size * size
            rest = data[whole:]
            block = numpy.frombuffer(data[:whole], dtype="<i2").reshape(-1, self.channels)
            with self._lock:
                end = self._frames + len(block)
                if end > len(self._buffer):
                    self._buffer = numpy.concatenate([self._buffer, numpy.empty_like(self._buffer)])
                self._buffer[self._frames : end] = block
                self._frames = end
                self._arrivals.append((now, self._frames))

    def _is_steady(self) -> bool:
        """The last 300 ms came in pieces of at most 60 ms, and in real time."""
        now = time.monotonic()
        with self._lock:
            recent = [arrival for arrival in self._arrivals if arrival[0] > now - 0.3]
        if len(recent) < 5:
            return False
        gaps = [later[0] - earlier[0] for earlier, later in zip(recent, recent[1:])]
        sizes = [later[1] - earlier[1] for earlier, later in zip(recent, recent[1:])]
        return max(gaps) < 0.06 and max(sizes) < 0.06 * RATE and now - recent[-1][0] < 0.06

    @property
    def frames(self) -> int:
        """Frames received so far; a mark for `samples`."""
        with self._lock:
            return self._frames

    def frame_at(self, moment: float) -> int:
        """The frame that comes at this `time.monotonic()` moment unless it is late; up to 40 ms behind what is heard."""
        began = self._began([arrival for arrival in self._all_arrivals() if abs(arrival[0] - moment) < 2])
        return max(0, round((moment - began) * RATE))

    def arrival(self, frame: int) -> float:
        """The `time.monotonic()` moment at which this frame came unless it was late: after it was heard."""
        return self._began([arrival for arrival in self._all_arrivals() if abs(arrival[1] - frame) < 2 * RATE]) + frame / RATE

    def _all_arrivals(self) -> list[tuple[float, int]]:
        with self._lock:
            return list(self._arrivals)

    @staticmethod
    def _began(arrivals: list[tuple[float, int]]) -> float:
        """The moment of frame 0, told by the piece that was the least late: a busy machine delays pieces, and none comes early."""
        return min(moment - frames / RATE for moment, frames in arrivals)

    def samples(self, start: int = 0, end: int | None = None) -> numpy.ndarray:
        """Captured frames as an int16 array of shape (frames, channels)."""
        with self._lock:
            return self._buffer[: self._frames][start:end]

    def wait_frames(self, count: int, timeout: float = 30.0) -> None:
        """Until `count` frames in all were received."""
        eventually(lambda: self.frames >= count, f"{count} frames captured", timeout)

    def wait_seconds(self, seconds: float) -> None:
        """Until `seconds` more were captured: lets music run for a time that is itself the subject."""
        self.wait_frames(self.frames + int(seconds * RATE), seconds + 10)

    def first_sound(self, start: int = 0, level: int = 1) -> int | None:
        """Index of the first frame from `start` on that is louder than `level` LSB."""
        loud = self._loud(start, level)
        return start + int(loud[0]) if len(loud) else None

    def last_sound(self, start: int = 0, level: int = 1) -> int | None:
        loud = self._loud(start, level)
        return start + int(loud[-1]) if len(loud) else None

    def _loud(self, start: int, level: int) -> numpy.ndarray:
        return numpy.flatnonzero(numpy.abs(self.samples(start).astype(numpy.int32)).max(axis=1) >= level)

    def wait_sound(self, start: int = 0, timeout: float = 5.0, level: int = 1) -> int:
        """Waits for sound and returns its first frame."""
        silent = start

        def sound() -> tuple[int] | None:
            nonlocal silent
            frames = self.frames
            found = self.first_sound(silent, level)
            silent = max(silent, frames)
            return None if found is None else (found,)

        return eventually(sound, f"{self.sink} sounds", timeout)[0]

    def wait_silence(self, seconds: float = 0.3, timeout: float = 30.0) -> None:
        """Until the last `seconds` were digital silence."""
        count = int(seconds * RATE)

        def silent() -> bool:
            tail = self.samples()[-count:]
            return len(tail) == count and not tail.any()

        eventually(silent, f"{self.sink} is silent", timeout, every=0.03)
