# SPDX-License-Identifier: Apache-2.0
"""Sockets without a client library, for what a library would not send."""

import socket
import struct


def exchange(port: int, data: bytes, timeout: float = 5, whole: bool = True) -> bytes:
    """Sends bytes and reads until the server closes or the time is over; or only an answer's head (not `whole`)."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        answer = b""
        try:
            connection.sendall(data)
            while block := connection.recv(65536):
                answer += block
                if not whole and b"\r\n\r\n" in answer:
                    break
        except (TimeoutError, ConnectionResetError, BrokenPipeError):
            pass
        return answer


def upgrade(port: int, query: str = "") -> socket.socket:
    """A connection that has become a WebSocket of the event channel."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=5)
    connection.sendall(
        f"GET /api/v1/events{query} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        block = connection.recv(1)
        assert block, head
        head += block
    assert head.startswith(b"HTTP/1.1 101"), head
    return connection


def frame(opcode: int, payload: bytes, fin: bool = True, masked: bool = True, length: int | None = None) -> bytes:
    """A client's frame (RFC 6455 section 5.2); `length` overrides what it announces."""
    size = len(payload) if length is None else length
    first = (0x80 if fin else 0) | opcode
    mark = 0x80 if masked else 0
    if size < 126:
        head = struct.pack("!BB", first, mark | size)
    elif size < 65536:
        head = struct.pack("!BBH", first, mark | 126, size)
    else:
        head = struct.pack("!BBQ", first, mark | 127, size)
    return head + (b"\0\0\0\0" if masked else b"") + payload  # a mask of zeros leaves the bytes as they are


def close_code(connection: socket.socket) -> int | None:
    """Reads frames until the server's close frame, and gives its code; None when it just closed. Times out otherwise."""
    data = b""

    def need(count: int) -> bool:
        nonlocal data
        while len(data) < count:
            try:
                block = connection.recv(65536)
            except (ConnectionResetError, BrokenPipeError):
                return False
            if not block:
                return False
            data += block
        return True

    while need(2):
        head, size = 2, data[1] & 127
        if size == 126 and need(4):
            head, size = 4, struct.unpack("!H", data[2:4])[0]
        elif size == 127 and need(10):
            head, size = 10, struct.unpack("!Q", data[2:10])[0]
        if not need(head + size):
            return None
        if data[0] & 15 == 8:
            return struct.unpack("!H", data[head : head + 2])[0] if size >= 2 else 1005
        data = data[head + size :]
    return None
