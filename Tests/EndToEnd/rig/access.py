# SPDX-License-Identifier: Apache-2.0
"""A server that strangers can reach, and what they need for it."""

import pathlib
import re
import socket
from dataclasses import dataclass

from .server import Server

# Tokens of the servers that the fixture `guarded` starts.
READ, CONTROL, ADMIN = ("r" * 32, "c" * 32, "a" * 32)


def own_address() -> str | None:
    """An address of this machine that is not loopback (which needs no token); nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
        return None if address.startswith("127.") else address


@dataclass(frozen=True)
class OpenServer:
    """Bound to every address, with a token that it made itself."""

    server: Server
    url: str
    token_file: pathlib.Path

    @property
    def token(self) -> str:
        return re.search(r"[A-Za-z0-9_\-]{20,}", self.token_file.read_text()).group()
