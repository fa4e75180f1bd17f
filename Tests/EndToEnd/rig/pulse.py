# SPDX-License-Identifier: Apache-2.0
"""A private PulseAudio daemon with null sinks; never the user's own."""

import os
import pathlib
import signal
import socket
import subprocess
from collections.abc import Callable

from .waiting import PATIENCE, eventually

# Without norewinds a null sink's monitor loses the first 18 ms of each stream.
SPEAKERS = "module-null-sink sink_name=spk format=s16le rate=44100 channels=2 norewinds=1"
DESK = "module-null-sink sink_name=desk format=s16le rate=44100 channels=2 norewinds=1"
# A second sink of the name that headphones have in other tests.
SECOND = "module-null-sink sink_name=hp format=s16le rate=44100 channels=2 norewinds=1"
HEADPHONES = (
    "module-null-sink sink_name=hp format=s16le rate=44100 channels=2 norewinds=1 "
    'sink_properties="device.description=HP device.form_factor=headphone"'
)


def listens(path: pathlib.Path) -> bool:
    """A program that was killed leaves its socket behind."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
        return True
    except OSError:
        return False


class PulseDaemon:
    """Lives in `directory`, which it does not remove. `start` may be called again after `kill`: same socket."""

    def __init__(self, directory: pathlib.Path, modules: tuple[str, ...] = (SPEAKERS, SECOND, "module-role-cork")):
        self.directory = directory
        self.socket = directory / "sock"
        self.modules = modules
        self.process: subprocess.Popen | None = None
        self.log = directory / "pulseaudio.log"
        self.environment = os.environ | {
            "HOME": str(directory),
            "XDG_RUNTIME_DIR": str(directory),
            "XDG_CONFIG_HOME": str(directory / "config"),
            "PULSE_SERVER": f"unix:{self.socket}",
            "PULSE_COOKIE": str(directory / "cookie"),
        }
        self.environment.pop("DBUS_SESSION_BUS_ADDRESS", None)

    def start(self) -> "PulseDaemon":
        # The socket opens last: no client comes before the sinks and the default are there (a headphone sink would
        # otherwise be the default).
        script = self.directory / "start.pa"
        script.write_text("\n".join(
            [f"load-module {module}" for module in self.modules]
            + ["set-default-sink spk", f"load-module module-native-protocol-unix socket={self.socket} auth-anonymous=1", ""]))
        arguments = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "-vv", "-F", str(script)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(arguments, env=self.environment, stdout=log, stderr=log)
        eventually(self.answers, f"pulseaudio answers, see {self.log}", timeout=10)
        return self

    def answers(self) -> bool:
        assert self.process is not None and self.process.poll() is None, self.log.read_text(errors="replace")[-2000:]
        return listens(self.socket)

    def kill(self) -> None:
        """kill -9, as a crash."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def refuse(self, times: int, cause: Callable[[], object] = lambda: None) -> None:
        """After `kill`: returns when that many clients have tried to connect, in vain; each after a call of `cause`."""
        self.socket.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(str(self.socket))
            door.listen()
            door.settimeout(10 * PATIENCE)
            for _ in range(times):
                cause()
                door.accept()[0].close()
        self.socket.unlink()

    def freeze(self) -> None:
        """It lives and does nothing, until `thaw`."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.kill()

    def load(self, module: str) -> str:
        """Loads a module, given with its arguments, and returns its index."""
        return self.pactl("load-module", *module.split(" ")).strip()

    def unload(self, module: str) -> None:
        self.pactl("unload-module", module)

    def module(self, text: str) -> str:
        """Index of the loaded module whose line contains `text`."""
        for line in self.pactl("list", "short", "modules").splitlines():
            if text in line:
                return line.split("\t")[0]
        raise AssertionError(f"no module with {text!r}")

    def unplug(self, sink: str) -> None:
        self.unload(self.module(f"sink_name={sink} "))

    def suspend(self, sink: str, suspended: bool) -> None:
        self.pactl("suspend-sink", sink, "1" if suspended else "0")

    def sink_inputs(self) -> list[list[str]]:
        """Index, sink, client ... of every playing stream."""
        return [line.split("\t") for line in self.pactl("list", "short", "sink-inputs").splitlines()]

    def sink_name(self, index: str) -> str:
        for line in self.pactl("list", "short", "sinks").splitlines():
            fields = line.split("\t")
            if fields[0] == index:
                return fields[1]
        return ""

    def stream_sinks(self) -> list[str]:
        return [self.sink_name(stream[1]) for stream in self.sink_inputs()]

    def source_outputs(self) -> int:
        return len(self.pactl("list", "short", "source-outputs").splitlines())

    def pactl(self, *arguments: str) -> str:
        result = self._pactl(*arguments)
        assert result.returncode == 0, f"pactl {arguments}: {result.stderr}{self._ending()}"
        return result.stdout

    def _ending(self) -> str:
        """How the sound server has ended, if a test did not end it."""
        status = self.process.poll() if self.process is not None else None
        if status in (None, -signal.SIGKILL):
            return ""
        return f"pulseaudio has ended with {status}:\n{self.log.read_text(errors='replace')[-4000:]}"

    def _pactl(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["pactl", *arguments], env=self.environment | {"LC_ALL": "C"}, capture_output=True, text=True, timeout=10
        )
