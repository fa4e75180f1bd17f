# SPDX-License-Identifier: Apache-2.0
"""A web server that does what a test tells it to: well or badly, and logs every request."""

import re
import socket
import struct
import threading
import time
import urllib.parse
from dataclasses import dataclass, field

from .opened import opened


@dataclass
class Behaviour:
    """How one path is served. Times in seconds, sizes and places in bytes."""

    content: bytes = b""
    status: int = 200
    reason: str = "Scripted"
    content_type: str | None = "audio/mpeg"
    headers: list[tuple[str, str]] = field(default_factory=list)
    ranges: bool = True
    etag: str | None = '"v1"'
    # Bytes a second; 0 is as fast as it goes.
    rate: float = 0
    # The connection ends after a body has reached these places of the content, each once, in this order.
    drops: list[int] = field(default_factory=list)
    # A drop is a reset (RST), not an end (FIN).
    resets: bool = False
    # While this event is set, nothing is sent from `hold_at` on, which may be moved meanwhile.
    hold_at: int | None = None
    # A connection that is held before this byte goes on to the next place where it is held.
    lets_on: int = 0
    held: threading.Event = field(default_factory=threading.Event)
    # Instead of the real one; None sends no Content-Length.
    length: int | str | None = "real"
    # Instead of the real one.
    content_range: str | None = None
    chunked: bool = False
    redirect: str | None = None
    # Seconds before the answer.
    delay: float = 0
    # Says nothing at all.
    silent: bool = False
    # Sent as it is, then the connection ends.
    raw: bytes | None = None


@dataclass(frozen=True)
class Request:
    moment: float
    path: str
    headers: dict[str, str]

    @property
    def range_start(self) -> int:
        match = re.match(r"bytes=(\d+)-", self.headers.get("range", ""))
        return int(match.group(1)) if match else 0


class Origin:
    """Listens on a free loopback port until the test ends; `paths` maps a path as it is sent (encoded) to its behaviour."""

    def __init__(self, host: str = "127.0.0.1"):
        self.host = host
        self.paths: dict[str, Behaviour] = {}
        self.requests: list[Request] = []
        self.sent: dict[str, int] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._connections: set[socket.socket] = set()
        self._listener = socket.create_server((host, 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        opened.append(self)

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def serve(self, path: str, content: bytes = b"", **options) -> Behaviour:
        behaviour = Behaviour(content=content, **options)
        self.paths[path] = behaviour
        return behaviour

    def log(self, path: str | None = None) -> list[Request]:
        with self._lock:
            return [request for request in self.requests if path is None or request.path == path]

    def sent_bytes(self, path: str) -> int:
        with self._lock:
            return self.sent.get(path, 0)

    def close(self) -> None:
        """Idempotent."""
        if self._closing.is_set():
            return
        self._closing.set()
        # A blocked accept does not end by a close.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Ends every connection."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    # Inside

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.add(connection)
        try:
            while not self._closing.is_set():
                request = self._read(connection)
                if request is None or not self._answer(connection, request):
                    break
        except OSError:
            pass
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.close()

    def _read(self, connection: socket.socket) -> Request | None:
        head = b""
        while b"\r\n\r\n" not in head:
            data = connection.recv(65536)
            if not data:
                return None
            head += data
        lines = head.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        request = Request(time.monotonic(), lines[0].split(" ")[1], headers)
        with self._lock:
            self.requests.append(request)
        return request

    def _answer(self, connection: socket.socket, request: Request) -> bool:
        """True if the connection stays."""
        behaviour = self.paths.get(request.path) or self.paths.get(urllib.parse.urlsplit(request.path).path)
        if behaviour is None:
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return True
        if behaviour.delay and self._closing.wait(behaviour.delay):
            return False
        if behaviour.silent:
            self._closing.wait()
            return False
        if behaviour.raw is not None:
            connection.sendall(behaviour.raw)
            return False
        if behaviour.redirect is not None:
            self._head(connection, 302, [("Location", behaviour.redirect), ("Content-Length", "0")])
            return True
        if behaviour.status != 200:
            self._head(connection, behaviour.status, [*behaviour.headers, ("Content-Length", "0")])
            return True
        return self._send(connection, request, behaviour)

    def _head(self, connection: socket.socket, status: int, headers: list[tuple[str, str]]) -> None:
        lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers)]
        connection.sendall("\r\n".join(lines + ["", ""]).encode())

    def _send(self, connection: socket.socket, request: Request, behaviour: Behaviour) -> bool:
        content, start, status = behaviour.content, 0, 200
        end = len(content)
        headers = list(behaviour.headers)
        if behaviour.content_type:
            headers.append(("Content-Type", behaviour.content_type))
        if behaviour.etag:
            headers.append(("ETag", behaviour.etag))
        if behaviour.etag and request.headers.get("if-none-match") == behaviour.etag:
            self._head(connection, 304, headers)
            return True
        condition = request.headers.get("if-range")
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
        if behaviour.ranges and asked and (condition is None or condition == behaviour.etag):
            start = int(asked.group(1))
            end = min(end, int(asked.group(2)) + 1) if asked.group(2) else end
            if start >= len(content):
                self._head(connection, 416, [("Content-Range", f"bytes */{len(content)}"), ("Content-Length", "0")])
                return True
            status = 206
            headers.append(("Content-Range", behaviour.content_range or f"bytes {start}-{end - 1}/{len(content)}"))
        if behaviour.chunked:
            headers.append(("Transfer-Encoding", "chunked"))
        elif behaviour.length == "real":
            headers.append(("Content-Length", str(end - start)))
        elif behaviour.length is not None:
            headers.append(("Content-Length", str(behaviour.length)))
        self._head(connection, status, headers)
        return self._body(connection, request.path, behaviour, start, end)

    @staticmethod
    def _has_gone(connection: socket.socket) -> bool:
        """True if the client has closed it: then nothing more is sent, not even into the kernel's buffers."""
        try:
            return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False

    def _body(self, connection: socket.socket, path: str, behaviour: Behaviour, start: int, end: int) -> bool:
        began, place = time.monotonic(), start
        piece = 16384 if not behaviour.rate else max(1, min(16384, int(behaviour.rate / 20)))
        while place < end:
            if behaviour.hold_at is not None and place >= behaviour.hold_at:
                while behaviour.held.is_set() and place >= behaviour.lets_on and not self._closing.is_set():
                    if self._has_gone(connection):
                        return False
                    time.sleep(0.01)
            stop = min(end, place + piece)
            if behaviour.hold_at is not None and place < behaviour.hold_at and behaviour.held.is_set():
                stop = min(stop, behaviour.hold_at)
            drop = behaviour.drops[0] if behaviour.drops else None
            if drop is not None and place < drop:
                stop = min(stop, drop)
            data = behaviour.content[place:stop]
            connection.sendall(b"%x\r\n%b\r\n" % (len(data), data) if behaviour.chunked else data)
            with self._lock:
                self.sent[path] = self.sent.get(path, 0) + len(data)
            place = stop
            if drop is not None and place == drop:
                behaviour.drops.pop(0)
                if behaviour.resets:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            if behaviour.rate:
                ahead = (place - start) / behaviour.rate - (time.monotonic() - began)
                if ahead > 0 and self._closing.wait(ahead):
                    return False
        if behaviour.chunked:
            connection.sendall(b"0\r\n\r\n")
        return behaviour.chunked or behaviour.length == "real"
