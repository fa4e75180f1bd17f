# SPDX-License-Identifier: Apache-2.0
"""The peers, each with its own configuration in a temporary directory."""

import pathlib
import shutil
import socket
import subprocess
import time

from rig import PulseDaemon, eventually

HERE = pathlib.Path(__file__).resolve().parent


class Mpd:
    """MPD decoding with libmpg123, playing to one sink of the private PulseAudio, controlled over a Unix socket."""

    def __init__(self, directory: pathlib.Path, music: pathlib.Path, pulse: PulseDaemon | None, sink: str = "hp"):
        self.socket_path = directory / "mpd.sock"
        self.process: subprocess.Popen | None = None
        self.environment = pulse.environment if pulse else None
        self.log = directory / "mpd.log"
        output = f'type "pulse"\n  sink "{sink}"' if pulse else 'type "null"'
        self.config = directory / "mpd.conf"
        self.config.write_text(f"""
music_directory "{music}"
bind_to_address "{self.socket_path}"
state_file "{directory}/mpd.state"
max_playlist_length "1000000"
max_command_list_size "1000000"
max_output_buffer_size "1000000"
db_file "{directory}/mpd.db"
log_file "{self.log}"
audio_output {{
  {output}
  name "bench"
}}
decoder {{
  plugin "ffmpeg"
  enabled "no"
}}
decoder {{
  plugin "mad"
  enabled "no"
}}
""")

    def start(self) -> float:
        """Seconds from exec to the greeting."""
        self.socket_path.unlink(missing_ok=True)
        began = time.monotonic()
        self.process = subprocess.Popen(["mpd", "--no-daemon", str(self.config)], env=self.environment,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.connection = eventually(self._connect, "MPD answers", timeout=10, every=0.0005)
        return time.monotonic() - began

    def _connect(self) -> socket.socket | None:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(self.socket_path))
            connection.settimeout(60)
            assert connection.recv(100).startswith(b"OK MPD")
            return connection
        except OSError:
            connection.close()
            return None

    def send(self, text: str) -> None:
        self.connection.sendall(text.encode() + b"\n")

    def answer(self) -> str:
        data = b""
        while not (data.endswith(b"\nOK\n") or data == b"OK\n" or (data.endswith(b"\n") and b"ACK [" in data)):
            data += self.connection.recv(1 << 16)
        return data.decode()

    def command(self, text: str) -> str:
        self.send(text)
        answer = self.answer()
        assert "ACK [" not in answer, answer[-300:]
        return answer

    def disconnect(self) -> None:
        self.connection.close()

    def stop(self) -> None:
        if self.process is not None:
            self.connection.close()
            self.process.terminate()
            self.process.wait(10)
            self.process = None


def compiled(name: str, directory: pathlib.Path, *libraries: str) -> pathlib.Path:
    """One of the C programs beside this file, compiled into `directory`."""
    output = directory / name
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", *libraries], capture_output=True, text=True, check=True).stdout.split() \
        if libraries else []
    subprocess.run(["gcc", "-O2", "-Wall", "-o", str(output), str(HERE / f"{name}.c"), *flags], check=True)
    return output


class Bare:
    """A compiled peer that prints its port on its first line."""

    def __init__(self, program: pathlib.Path, *arguments: str):
        self.process = subprocess.Popen([str(program), *arguments], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def require(*programs: str) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        raise SystemExit(f"missing: {', '.join(missing)}; scripts/bench installs them")
