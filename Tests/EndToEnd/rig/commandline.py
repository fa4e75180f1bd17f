# SPDX-License-Identifier: Apache-2.0
"""The commands as scripts and people give them."""

import contextlib
import os
import pty
import subprocess

from .server import Server, binary


def tonearm(*arguments: str, environment: dict | None = None, timeout: float = 20) -> subprocess.CompletedProcess:
    return subprocess.run([str(binary()), *arguments], env=environment or dict(os.environ), capture_output=True, text=True,
                          timeout=timeout, stdin=subprocess.DEVNULL)


class CommandLine:
    """The client commands, for one server."""

    def __init__(self, server: Server, **environment: str):
        self.environment = os.environ | {"TONEARM_SERVER": server.url} | environment

    def __call__(self, *arguments: str, timeout: float = 80) -> subprocess.CompletedProcess:
        return tonearm(*arguments, environment=self.environment, timeout=timeout)

    def output(self, *arguments: str) -> str:
        """The output of a command that must succeed."""
        result = self(*arguments)
        assert result.returncode == 0, result
        return result.stdout

    def refusal(self, *arguments: str, status: int = 1) -> str:
        """The one sentence of a command that fails, and prints nothing else."""
        result = self(*arguments)
        assert result.returncode == status and not result.stdout, (arguments, result)
        assert len(result.stderr.splitlines()) == 1 and result.stderr.startswith("tonearm: "), (arguments, result)
        return result.stderr


def in_a_terminal(*arguments: str, environment: dict | None = None, stream: str = "stderr") -> tuple[int, str]:
    """Exit status, and one stream as a person sees it."""
    ours, theirs = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    process = subprocess.Popen([str(binary()), *arguments], env=environment or dict(os.environ), stdin=subprocess.DEVNULL, **streams)
    os.close(theirs)
    seen = b""
    # The end of a terminal is an error (EIO).
    with contextlib.suppress(OSError):
        while data := os.read(ours, 4096):
            seen += data
    os.close(ours)
    return process.wait(60), seen.decode()
