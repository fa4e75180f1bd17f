# SPDX-License-Identifier: Apache-2.0
"""The commands as scripts and people give them."""

import contextlib
import os
import pty
import subprocess

from .server import binary


def tonearm(*arguments: str, environment: dict | None = None, timeout: float = 20) -> subprocess.CompletedProcess:
    return subprocess.run([str(binary()), *arguments], env=environment or dict(os.environ), capture_output=True, text=True,
                          timeout=timeout, stdin=subprocess.DEVNULL)


def client(server) -> dict:
    """The environment that leads the client commands to a server."""
    return os.environ | {"TONEARM_SERVER": server.url}


def in_a_terminal(*arguments: str, environment: dict | None = None) -> tuple[int, str]:
    """Status, and what a person sees on the error stream."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([str(binary()), *arguments], env=environment or dict(os.environ), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = b""
    # The end of a terminal is an error (EIO).
    with contextlib.suppress(OSError):
        while data := os.read(ours, 4096):
            seen += data
    os.close(ours)
    return process.wait(60), seen.decode()
