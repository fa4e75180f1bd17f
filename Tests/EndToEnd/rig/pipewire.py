# SPDX-License-Identifier: Apache-2.0
"""A private PipeWire with its PulseAudio server and WirePlumber: the other sound server that Linux machines run."""

import pathlib
import shutil
import signal
import subprocess

from .dbus import SessionBus
from .pulse import PulseDaemon, listens
from .waiting import eventually

PROGRAMS = ("pipewire", "wireplumber", "pipewire-pulse")
SPEAKERS = "module-null-sink sink_name=spk format=s16le rate=44100 channels=2"
HEADPHONES = SPEAKERS.replace("spk", "hp") + ' sink_properties="device.description=HP device.form_factor=headphone"'


def is_installed() -> bool:
    return all(shutil.which(program) for program in PROGRAMS)


class PipeWireDaemon(PulseDaemon):
    """As `PulseDaemon`: same directory layout, same socket, same commands."""

    def __init__(self, directory: pathlib.Path, modules: tuple[str, ...] = (SPEAKERS, HEADPHONES)):
        super().__init__(directory, modules)
        # Without a bus WirePlumber does not start.
        self.bus = SessionBus(directory / "bus")
        self.bus.socket.parent.mkdir()
        runtime = directory / "run"
        runtime.mkdir(mode=0o700)
        self.socket = runtime / "pulse" / "native"
        self.environment |= {
            "XDG_RUNTIME_DIR": str(runtime), "PIPEWIRE_RUNTIME_DIR": str(runtime), "PULSE_RUNTIME_PATH": str(runtime / "pulse"),
            "XDG_STATE_HOME": str(directory / "state"), "PULSE_SERVER": f"unix:{self.socket}",
        }
        self._daemons: dict[str, subprocess.Popen] = {}

    def start(self) -> "PipeWireDaemon":
        if self.bus.process is None:
            self.bus.start()
        for program in PROGRAMS:
            self.start_program(program)
        eventually(self.answers, f"pipewire-pulse answers, see {self.log}", timeout=10, every=0.02)
        for module in self.modules:
            self.load(module)
        # Possible once WirePlumber is there; and a choice is not always taken up the first time.
        eventually(self._is_default, "spk is the default sink", timeout=10, every=0.1)
        return self

    def _is_default(self) -> bool:
        self._pactl("set-default-sink", "spk")
        return "Default Sink: spk" in self.pactl("info")

    def start_program(self, program: str) -> None:
        with self.log.open("ab") as log:
            self._daemons[program] = subprocess.Popen(
                [program], env=self.environment | {"DBUS_SESSION_BUS_ADDRESS": self.bus.address}, stdout=log, stderr=log)
        self.process = self._daemons[program]
        if program == "pipewire":
            eventually(lambda: listens(self.socket.parent.parent / "pipewire-0"), "pipewire listens", every=0.02)

    def kill_program(self, program: str) -> None:
        """kill -9, as a crash."""
        process = self._daemons.pop(program, None)
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()

    def kill(self) -> None:
        for program in reversed(PROGRAMS):
            self.kill_program(program)

    def stop(self) -> None:
        self.kill()
        self.bus.kill()
