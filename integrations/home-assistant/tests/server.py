# SPDX-License-Identifier: Apache-2.0
"""The real server, with the null output, as a process of its own."""

from __future__ import annotations

import asyncio
import math
import os
import pathlib
import signal
import struct
import subprocess
import time
import wave

BINARY = os.environ.get("TONEARM_BINARY", "")


class Server:
    def __init__(self, home: pathlib.Path, *arguments: str, output: str = "null") -> None:
        self.home = home
        self.music = home / "music"
        self.music.mkdir()
        self.arguments = list(arguments)
        self.output = output
        # The command that runs the server's.
        self.wrapper: list[str] = []
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def tone(self, name: str, seconds: float = 5, frequency: float = 440) -> str:
        rate = 8000
        with wave.open(str(self.music / name), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate)
            samples = (int(8000 * math.sin(2 * math.pi * frequency * n / rate)) for n in range(int(seconds * rate)))
            file.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
        return name

    def start(self) -> Server:
        assert BINARY, "TONEARM_BINARY names the server to test"
        port_file = self.home / "port"
        port_file.unlink(missing_ok=True)
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *self.wrapper, BINARY, "serve", "--port", str(self.port), "--port-file", str(port_file), "--data",
                    str(self.home / "data"), "--music", str(self.music), "--output", self.output, *self.arguments,
                ],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        deadline = time.monotonic() + 20
        while not port_file.exists() or not port_file.read_text().strip():
            assert self.process.poll() is None and time.monotonic() < deadline, (self.home / "log").read_text()
            time.sleep(0.01)
        self.port = int(port_file.read_text())
        return self

    async def restart(self) -> None:
        """As `start`, from the event loop."""
        await asyncio.to_thread(self.start)

    async def stop(self, with_signal: int = signal.SIGTERM) -> None:
        """As `end`, from the event loop."""
        await asyncio.to_thread(self.end, with_signal)

    def end(self, with_signal: int = signal.SIGTERM) -> None:
        process, self.process = self.process, None
        if process is not None:
            process.send_signal(with_signal)
            process.wait(10)
