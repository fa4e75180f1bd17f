# SPDX-License-Identifier: Apache-2.0
"""The real server as a process."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from .waiting import PATIENCE, eventually, of_threads

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]


def binary() -> pathlib.Path:
    """The executable under test: TONEARM_BINARY, else the release build, else the debug build."""
    if path := os.environ.get("TONEARM_BINARY"):
        return pathlib.Path(path)
    for configuration in ("release", "debug"):
        candidate = REPOSITORY / ".build" / configuration / "tonearm"
        if candidate.exists():
            return candidate
    raise AssertionError("no build of tonearm; run scripts/test or set TONEARM_BINARY")


class Server:
    """`tonearm serve` on a free loopback port with its own data directory; restartable on the same data."""

    def __init__(self, directory: pathlib.Path, music: pathlib.Path | None, environment: dict[str, str] | None = None,
                 output: str = "null", arguments: tuple[str, ...] = (), host: str = "127.0.0.1"):
        self.directory = directory
        self.data = directory / "data"
        self.music = music
        self.output = output
        self.arguments = list(arguments)
        # A command that starts the server's with other limits, in the same process.
        self.wrapper: list[str] = []
        self.host = host
        self.environment = dict(environment if environment is not None else os.environ)
        self.environment.setdefault("HOME", str(directory))
        # A crash shows where it came from in the log.
        self.environment.setdefault("SWIFT_BACKTRACE", "enable=yes,color=no,interactive=no,threads=all,images=none")
        self.log_path = directory / "server.log"
        self.port_file = directory / "port"
        self.port = 0
        self.process: subprocess.Popen | None = None
        self._mapped = 0
        self.ready_seconds = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def events_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/api/v1/events"

    def launch(self) -> "Server":
        """Starts the process without waiting for it."""
        self.port_file.unlink(missing_ok=True)
        command = [str(binary()), "serve", "--host", self.host, "--port", "0", "--port-file", str(self.port_file),
                   "--data", str(self.data), "--public", str(REPOSITORY / "public"), "--output", self.output]
        if self.music is not None:
            command += ["--music", str(self.music)]
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                self.wrapper + command + self.arguments, env=self.environment, cwd=self.directory, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
        return self

    def start(self, timeout: float = 10.0) -> "Server":
        """Starts and waits until requests are answered (the port file says so)."""
        began = time.monotonic()
        self.launch()
        self.port = eventually(self._bound_port, "the port file is written", timeout, every=0.002)
        self.ready_seconds = time.monotonic() - began
        return self

    def _bound_port(self) -> int:
        assert self.process.poll() is None, f"the server ended with {self.process.returncode}:\n{self.log()}"
        text = self.port_file.read_text().strip() if self.port_file.exists() else ""
        return int(text) if text else 0

    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """kill -9."""
        if self.is_running:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self, timeout: float = 5.0) -> int:
        """SIGTERM; the exit status. Kills and fails when it takes much longer than `timeout` seconds."""
        if self.is_running:
            self.process.terminate()
            try:
                self.process.wait(timeout * PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError(f"no exit within {timeout * PATIENCE:g} s of SIGTERM") from None
        return self.process.returncode if self.process else 0

    def restart(self, kill: bool = False) -> "Server":
        if kill:
            self.kill()
        else:
            self.stop()
        return self.start()

    # The kernel's view of the process.

    def threads(self) -> int:
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/task").iterdir()))

    def open_files(self) -> list[str]:
        """The names of its descriptors' files, sockets and pipes."""
        names = []
        for entry in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            # One may be gone by now.
            with contextlib.suppress(FileNotFoundError):
                names.append(entry.readlink().name)
        return names

    def descriptors(self) -> int:
        """Without the library's: a read beside another one opens a further connection to its file, up to three, which stays."""
        return sum(not name.startswith("library.sqlite") for name in self.open_files())

    def connections(self) -> int:
        """TCP connections that it has accepted and holds."""
        held = self.open_files()
        fields = [line.split() for line in pathlib.Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]]
        # Local address, state (10 listens), inode.
        return sum(line[1].endswith(f":{self.port:04X}") and line[3] != "0A" and f"socket:[{line[9]}]" in held for line in fields)

    def workers(self) -> list[int]:
        """Its media workers that run, the oldest first: the spare one comes a second after an item's."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            # One may be gone by now.
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else ["", ""]
                if fields[1] == str(self.process.pid) and fields[0] != "Z":
                    found.append((int(fields[19]), int(entry.name)))
        return [process for _, process in sorted(found)]

    def _map_program(self) -> None:
        """Maps all of the program's pages. The server unmaps them once it has started, and then maps those that it uses: without this,
        a difference of two readings would count them as memory."""
        if self._mapped == self.process.pid:
            return
        self._mapped = self.process.pid
        program = os.readlink(f"/proc/{self.process.pid}/exe")
        with open(f"/proc/{self.process.pid}/mem", "rb", buffering=0) as memory:
            for line in pathlib.Path(f"/proc/{self.process.pid}/maps").read_text().splitlines():
                span, rights, *_, path = line.split()
                if path == program and "w" not in rights:
                    begin, end = (int(place, 16) for place in span.split("-"))
                    memory.seek(begin)
                    memory.read(end - begin)

    def resident_bytes(self) -> int:
        self._map_program()
        pages = int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def peak_bytes(self) -> int:
        """The most that was resident since the start, or since `forget_peak`."""
        self._map_program()
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024

    def forget_peak(self) -> None:
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def cpu_seconds(self) -> float:
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wake_ups(self) -> int:
        """Voluntary context switches of all living threads."""
        lines = [line for text in of_threads(self.process, "status") for line in text.splitlines()]
        return sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
