# SPDX-License-Identifier: Apache-2.0
"""HLS streams: on demand as ffmpeg cuts them, and a station whose window slides on in real time."""

import pathlib
import socket
import subprocess
import threading
import time

from .origin import Origin

AAC = ("-c:a", "aac", "-b:a", "128k", "-aac_pns", "0")


def cut(wave: pathlib.Path, folder: pathlib.Path, *options: str, seconds: float = 2, name: str = "list.m3u8") -> pathlib.Path:
    """Segments of about so many seconds, and their playlist."""
    folder.mkdir(exist_ok=True, parents=True)
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", str(wave), *(options or AAC), "-f", "hls", "-hls_time",
         str(seconds), "-hls_list_size", "0", str(folder / name)], check=True, cwd=folder)
    return folder / name


class SegmentRadio(Origin):
    """A live playlist at /live.m3u8, whose segments are those of a stream on demand, over and over.

    It goes on whether or not somebody listens. `step` is the exact length of each segment in seconds.
    """

    def __init__(self, folder: pathlib.Path, step: float, window: int = 6):
        # The last one is shorter.
        paths = sorted(folder.glob("*.ts"), key=lambda path: int(path.stem[4:]))[:-1]
        self.segments = [path.read_bytes() for path in paths]
        self.step, self.window = step, window
        # Segments between two discontinuities; None: only where the content begins anew.
        self.run: int | None = None
        # It has been on the air for a while.
        self.began = time.monotonic() - 20 * step
        # While set: the playlist stands; no segment can be had; nothing is answered at all; it has ended.
        self.frozen, self.bare, self.refusing, self.ended = (threading.Event() for _ in range(4))
        self._shown = 0
        super().__init__()

    @property
    def live(self) -> str:
        return f"{self.url}/live.m3u8"

    def edge(self) -> float:
        """Seconds of the content that are on the air."""
        return (time.monotonic() - self.began) % (len(self.segments) * self.step)

    def _playlist(self) -> str:
        if not self.frozen.is_set() or not self._shown:
            self._shown = int((time.monotonic() - self.began) / self.step)
        first = max(0, self._shown - self.window)
        count = len(self.segments)

        def breaks(number: int) -> bool:
            return number > 0 and (number % count == 0 or self.run is not None and number % count % self.run == 0)

        lines = ["#EXTM3U", "#EXT-X-VERSION:3", f"#EXT-X-TARGETDURATION:{max(1, round(self.step))}",
                 f"#EXT-X-MEDIA-SEQUENCE:{first}", f"#EXT-X-DISCONTINUITY-SEQUENCE:{sum(map(breaks, range(first)))}"]
        for number in range(first, self._shown):
            if breaks(number):
                lines.append("#EXT-X-DISCONTINUITY")
            lines += [f"#EXTINF:{self.step:.3f},", f"segment{number}.ts"]
        return "\n".join(lines + ["#EXT-X-ENDLIST"] * self.ended.is_set()) + "\n"

    def _answer(self, connection: socket.socket, request) -> bool:
        if self.refusing.is_set():
            return False
        if request.path == "/live.m3u8":
            body, kind = self._playlist().encode(), "application/vnd.apple.mpegurl"
        elif self.bare.is_set():
            self._head(connection, 404, [("Content-Length", "0")])
            return True
        else:
            number = int(request.path.removeprefix("/segment").removesuffix(".ts"))
            body, kind = self.segments[number % len(self.segments)], "video/mp2t"
        self._head(connection, 200, [("Content-Type", kind), ("Content-Length", str(len(body)))])
        connection.sendall(body)
        return True
