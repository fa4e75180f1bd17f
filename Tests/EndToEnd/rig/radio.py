# SPDX-License-Identifier: Apache-2.0
"""Radio stations: one that does what a test tells it to, and Icecast with ffmpeg as its source."""

import contextlib
import pathlib
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

from .opened import opened
from .origin import Origin
from .waiting import eventually
from .webserver import free_ports


class Radio(Origin):
    """An endless stream in real time. Its content goes on whether or not somebody listens: a late listener has missed it. It has
    been on the air long enough for a whole burst: without one a listener has a second at hand, runs dry on a busy machine, and
    then rightly gathers 7.5 s in silence."""

    def __init__(self, content: bytes, rate: float, interval: int = 1024, burst: int = 65536):
        self.content, self.rate, self.interval, self.burst = content, rate, interval, burst
        self.status_line = "ICY 200 OK"
        self.fields = [("icy-name", "Test FM"), ("icy-genre", "Noise"), ("icy-br", "192"), ("Content-Type", "audio/mpeg")]
        # Of the stream's first byte on: (place, title).
        self.titles: list[tuple[int, str]] = [(0, "The first one")]
        self.encoding = "utf-8"
        # Sends as fast as it is read.
        self.endless = False
        self.silent = threading.Event()
        self.refusing = threading.Event()
        self.began = time.monotonic() - burst / rate
        super().__init__()

    def edge(self, moment: float | None = None) -> int:
        """The place in the stream that is on the air, now or at this `time.monotonic()` moment."""
        return int(((time.monotonic() if moment is None else moment) - self.began) * self.rate)

    def _answer(self, connection: socket.socket, request) -> bool:
        if self.refusing.is_set():
            self._head(connection, 404, [("Content-Length", "0")])
            return False
        interval = self.interval if request.headers.get("icy-metadata") == "1" else 0
        fields = self.fields + ([("icy-metaint", str(interval))] if interval else [])
        head = [self.status_line, *(f"{name}: {value}" for name, value in fields), "", ""]
        connection.sendall("\r\n".join(head).encode(self.encoding))
        place, told, until_block = max(0, self.edge() - self.burst), None, interval
        while not self._closing.is_set():
            ahead = 16384 if self.endless else self.edge() - place
            if ahead <= 0 or self.silent.is_set():
                time.sleep(0.005)
                continue
            count = min(ahead, 4096, until_block or 4096, len(self.content) - place % len(self.content))
            start = place % len(self.content)
            connection.sendall(self.content[start : start + count])
            place += count
            if interval:
                until_block -= count
                if until_block == 0:
                    until_block = interval
                    title = [title for at, title in self.titles if at <= place][-1:]
                    block = f"StreamTitle='{title[0]}';StreamUrl='';".encode(self.encoding) if title and title != told else b""
                    told = title
                    size = -(-len(block) // 16)
                    connection.sendall(bytes([size]) + block.ljust(size * 16, b"\0"))
        return False


class Icecast:
    """The real server, and a source client that plays a file into it over and over, in real time."""

    CONFIGURATION = """<icecast>
  <limits><clients>20</clients><sources>2</sources><burst-size>65536</burst-size></limits>
  <authentication><source-password>secret</source-password><admin-user>admin</admin-user>
    <admin-password>secret</admin-password></authentication>
  <hostname>localhost</hostname>
  <listen-socket><port>{port}</port><bind-address>127.0.0.1</bind-address></listen-socket>
  <paths><basedir>{home}</basedir><logdir>{home}</logdir><webroot>{home}</webroot><adminroot>/usr/share/icecast2/admin</adminroot></paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>4</loglevel></logging>
  <security><chroot>0</chroot><changeowner><user>nobody</user><group>nogroup</group></changeowner></security>
</icecast>"""

    def __init__(self, home: pathlib.Path, name: str = "Real Radio"):
        self.home, self.name = home, name
        home.mkdir()
        # It gives up root's rights by itself, and refuses to run with them.
        home.chmod(0o777)
        home.parent.chmod(0o755)
        [self.port] = free_ports(1)
        path = home / "icecast.xml"
        path.write_text(self.CONFIGURATION.format(port=self.port, home=home))
        path.chmod(0o644)
        self.source: subprocess.Popen | None = None
        # A request before its threads run can make Icecast 2.4.4 crash. This is the first line a second later.
        with self._await("checking master stream list", "icecast runs"):
            self.process = subprocess.Popen(
                ["icecast2", "-c", str(path)], cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=(home / "stderr.log").open("wb"))
            opened.append(self)
        # A connection alone is accepted before it serves, and the next one can be refused.
        eventually(self._answers, "icecast answers", 10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/live.mp3"

    def _answers(self) -> bool:
        self._check()
        try:
            urllib.request.urlopen(self.url, timeout=1).close()
            return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    @contextlib.contextmanager
    def _await(self, line: str, what: str) -> Iterator[None]:
        """Waits for another such line in its log. Requests until then would do as well, but have made Icecast 2.4.4 crash."""
        before = self._log().count(line)
        yield
        eventually(lambda: self._check() or self._log().count(line) > before, what, 15)

    def _log(self, name: str = "error.log") -> str:
        path = self.home / name
        return path.read_text() if path.exists() else ""

    def _check(self) -> None:
        assert self.process.poll() is None, (self.process.returncode, self._log("stderr.log"), self._log())

    def feed(self, file: pathlib.Path) -> None:
        """The source comes. Returns once a listener gets the stream."""
        with self._await("new node stream_start (", "the source is connected"):
            self.source = subprocess.Popen(
                ["ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-stream_loop", "-1", "-i", str(file), "-c", "copy",
                 "-content_type", "audio/mpeg", "-ice_name", self.name, "-ice_genre", "Tests", "-f", "mp3",
                 f"icecast://source:secret@127.0.0.1:{self.port}/live.mp3"], stdin=subprocess.DEVNULL)

    def starve(self) -> None:
        """The source goes away. Returns once Icecast knows: until then it refuses another source."""
        with self._await('freeing source "/live.mp3"', "the source is gone"):
            self._end_source()

    def _end_source(self) -> None:
        if self.source is not None:
            self.source.kill()
            self.source.wait()
            self.source = None

    def close(self) -> None:
        self._end_source()
        self.process.kill()
        self.process.wait()
