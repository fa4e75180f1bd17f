# SPDX-License-Identifier: Apache-2.0
"""Latency, CPU, memory, wake-ups, through one private PulseAudio with a sink for each program."""

import contextlib
import json
import pathlib
import socket
import subprocess
import time
from collections.abc import Iterator

from measure import Row, Usage, at_most, at_most_of, below, proportional_bytes
from peers import Mpd, require
from rig import Api, Capture, PulseDaemon, Server, eventually
from rig.pulse import HEADPHONES, SPEAKERS

THIRD = "module-null-sink sink_name=third format=s16le rate=44100 channels=2 norewinds=1"


class Stage:
    """A PulseAudio, a server and MPD, each player on its own sink, with one long MP3."""

    def __init__(self, directory: pathlib.Path, music: pathlib.Path):
        self.pulse = PulseDaemon(directory, (SPEAKERS, HEADPHONES, THIRD)).start()
        home = directory / "tonearm"
        home.mkdir()
        self.server = Server(home, music, self.pulse.environment, "pulse", arguments=("--sink", "spk"))
        self.mpd = Mpd(directory, music, self.pulse, "hp")

    def start(self) -> None:
        self.server.start()
        self.api = Api(self.server.url)
        self.mpd.start()

    def load(self, name: str) -> None:
        self.api.load(name)
        self.mpd.command("update")
        eventually(lambda: "updating_db" not in self.mpd.command("status"), "MPD has scanned")
        self.mpd.command("clear")
        self.mpd.command(f'add "{name}"')

    def stop(self) -> None:
        self.server.stop()
        self.mpd.stop()
        self.pulse.stop()


@contextlib.contextmanager
def stage(directory: pathlib.Path, music: pathlib.Path) -> Iterator[Stage]:
    require("pulseaudio", "mpd")
    made = Stage(directory, music)
    try:
        yield made
    finally:
        made.stop()


class Rest:
    """Prepared requests on one persistent connection: the cost of a command without a client library."""

    def __init__(self, port: int):
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, method: str, path: str, body: bytes = b"") -> None:
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        elif method != "GET":
            head += "Content-Length: 0\r\n"
        self.connection.sendall(head.encode() + b"\r\n" + body)

    def answer(self) -> tuple[int, bytes]:
        data = b""
        while b"\r\n\r\n" not in data:
            block = self.connection.recv(1 << 16)
            assert block, data
            data += block
        head, _, body = data.partition(b"\r\n\r\n")
        length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        while len(body) < length:
            body += self.connection.recv(1 << 20)
        return int(head.split()[1]), body

    def timed(self, method: str, path: str, body: bytes = b"") -> float:
        began = time.perf_counter()
        self.send(method, path, body)
        status, answer = self.answer()
        took = time.perf_counter() - began
        assert 200 <= status < 300, (method, path, status, answer[:300])
        return took

    def close(self) -> None:
        self.connection.close()


def first_sound_after(capture: Capture, asked: float, mark: int, level: int = 8) -> float:
    """Milliseconds from `asked` to the first loud sample after `mark` that was rendered to the sink."""
    sound = capture.wait_sound(mark, timeout=5, level=level)
    with capture._lock:
        arrivals = list(capture._arrivals)
    moment, frames = next(arrival for arrival in arrivals if arrival[1] > sound)
    return (moment - asked) * 1000


def latency(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Command to first sound at the monitor; the sinks run all the time (warm)."""
    with stage(directory, music) as s:
        ours, theirs = Capture(s.pulse, "spk", latency=2).start(), Capture(s.pulse, "hp", latency=2).start()
        s.start()
        s.load("noise-long.mp3")
        rest = Rest(s.server.port)
        play: dict[str, list[float]] = {"ours": [], "mpd": []}
        resume: dict[str, list[float]] = {"ours": [], "mpd": []}

        def ask_us(verb: str) -> None:
            rest.send("POST", f"/api/v1/player/{verb}")

        def ask_mpd(command: str) -> None:
            s.mpd.send(command)

        def quiet(capture: Capture) -> int:
            capture.wait_silence(0.15)
            return capture.frames

        for _ in range(rounds):
            for who, capture, ask, done, commands in (
                ("ours", ours, ask_us, rest.answer, ("play", "pause", "play", "stop")),
                ("mpd", theirs, ask_mpd, s.mpd.answer, ("play 0", "pause 1", "pause 0", "stop"))):
                for command, results in zip(commands, (play, None, resume, None)):
                    mark = quiet(capture) if results is not None else 0
                    asked = time.monotonic()
                    ask(command)
                    done()
                    if results is not None:
                        results[who].append(first_sound_after(capture, asked, mark))
                        capture.wait_seconds(0.2)
        announced: list[float] = []
        for _ in range(rounds + 1):
            mark = quiet(ours)
            asked = time.monotonic()
            rest.send("POST", "/api/v1/announcements", b'{"uri":"noise-long.mp3"}')
            said = json.loads(rest.answer()[1])
            announced.append(first_sound_after(ours, asked, mark))
            rest.timed("DELETE", f"/api/v1/announcements/{said['id']}")
        rest.close()
        ours.close()
        theirs.close()
    return [Row("announcement to first sound, warm sink", "ms", announced[1:], goal=below(150, "ms"),
                note=f"the first one, with a player that begins: {announced[0]:.0f} ms"),
            Row("play to first sound, warm sink", "ms", play["ours"], {"mpd": play["mpd"]}, at_most_of("mpd")),
            Row("resume to first sound, warm sink", "ms", resume["ours"], {"mpd": resume["mpd"]}, at_most_of("mpd"))]


def cpu(directory: pathlib.Path, music: pathlib.Path, rounds: int, seconds: float = 12) -> list[Row]:
    """All three at once, each on its own sink, under the same conditions; scaled to a minute."""
    require("mpg123")
    with stage(directory, music) as s:
        s.start()
        s.load("noise-long.mp3")
        s.api.play()
        s.mpd.command("play 0")
        mpg123 = subprocess.Popen(["mpg123", "-q", "-o", "pulse", "-a", "third", str(music / "noise-long.mp3")],
                                  env=s.pulse.environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        s.api.wait_status("playing")
        eventually(lambda: len(s.pulse.sink_inputs()) == 3, "all three play")
        pids = {"ours": s.server.process.pid, "mpd": s.mpd.process.pid, "mpg123": mpg123.pid}
        used: dict[str, list[float]] = {name: [] for name in pids}
        switched: dict[str, list[float]] = {name: [] for name in pids}
        try:
            for _ in range(rounds):
                usages = {name: Usage(pid) for name, pid in pids.items()}
                began = time.monotonic()
                time.sleep(seconds)
                for name, usage in usages.items():
                    processor, switches = usage.since()
                    took = time.monotonic() - began
                    used[name].append(processor * 60 / took)
                    switched[name].append(switches / took)
        finally:
            mpg123.terminate()
            mpg123.wait()
    return [Row("CPU per minute of a 192 kbit/s MP3", "s", used.pop("ours"), used, at_most_of("mpd")),
            Row("voluntary context switches while playing", "/s", switched.pop("ours"), switched, at_most_of("mpd"))]


def memory(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """PSS idle (started, nothing played) and while playing."""
    figures: dict[str, dict[str, list[float]]] = {"idle": {"ours": [], "mpd": []}, "playing": {"ours": [], "mpd": []}}
    with stage(directory, music) as s:
        for _ in range(rounds):
            s.start()
            time.sleep(0.5)
            pids = {"ours": s.server.process.pid, "mpd": s.mpd.process.pid}
            for name, pid in pids.items():
                figures["idle"][name].append(proportional_bytes(pid) / 1e6)
            s.load("noise-long.mp3")
            s.api.play()
            s.mpd.command("play 0")
            s.api.wait_status("playing")
            time.sleep(2)
            for name, pid in pids.items():
                figures["playing"][name].append(proportional_bytes(pid) / 1e6)
            s.server.stop()
            s.mpd.stop()
        s.server.start()
        s.mpd.start()
    return [Row(f"memory {state} (PSS)", "MB", found["ours"], {"mpd": found["mpd"]}, at_most_of("mpd", 0.6))
            for state, found in figures.items()]


def wakeups(directory: pathlib.Path, music: pathlib.Path, rounds: int, seconds: float = 5) -> list[Row]:
    """Paused, no client connected."""
    with stage(directory, music) as s:
        s.start()
        s.load("noise-long.mp3")
        s.api.play()
        s.mpd.command("play 0")
        s.api.wait_status("playing")
        s.api.pause()
        s.mpd.command("pause 1")
        s.api.close()
        s.mpd.disconnect()
        time.sleep(12)
        found: dict[str, list[float]] = {"ours": [], "mpd": []}
        for _ in range(rounds):
            usages = {"ours": Usage(s.server.process.pid), "mpd": Usage(s.mpd.process.pid)}
            time.sleep(seconds)
            for name, usage in usages.items():
                found[name].append(usage.since()[1] / seconds)
        s.mpd.connection = s.mpd._connect()
    return [Row("wake-ups paused, no client", "/s", found["ours"], {"mpd": found["mpd"]}, at_most(0, "/s"))]




def worker(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """The media worker: a file, an announcement, and the server's memory after the worker has ended."""
    for suffix in ("flac", "wav"):
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-t", "20", "-i", str(music / "noise-long.mp3"),
                        str(music / f"short.{suffix}")], check=True)
    played: list[float] = []
    announced: dict[str, list[float]] = {"flac": [], "wav": []}
    grown: list[float] = []
    with stage(directory, music) as s:
        capture = Capture(s.pulse, "spk", latency=2).start()
        s.start()
        s.load("noise-long.mp3")
        s.api.play()
        s.api.wait_status("playing")
        s.api.command("stop")
        rest = Rest(s.server.port)
        time.sleep(2)
        before = proportional_bytes(s.server.process.pid)

        def sound_after(path: str, body: bytes) -> tuple[float, bytes]:
            capture.wait_silence(0.15)
            mark, asked = capture.frames, time.monotonic()
            rest.send("PUT" if path == "queue" else "POST", f"/api/v1/{path}", body)
            answer = rest.answer()[1]
            return first_sound_after(capture, asked, mark), answer

        for _ in range(rounds):
            played.append(sound_after("queue", b'{"items":[{"uri":"short.flac"}],"play":true}')[0])
            rest.timed("POST", "/api/v1/player/stop")
            for suffix, results in announced.items():
                moment, answer = sound_after("announcements", f'{{"uri":"short.{suffix}"}}'.encode())
                results.append(moment)
                rest.timed("DELETE", f"/api/v1/announcements/{json.loads(answer)['id']}")
        rest.timed("DELETE", "/api/v1/queue")
        rest.close()
        # Workers and the announcer's players end after 30 s without work.
        time.sleep(40)
        grown.append((proportional_bytes(s.server.process.pid) - before) / 1e6)
        capture.close()
    return [Row("FLAC added and played to first sound, warm sink", "ms", played, goal=below(150, "ms")),
            *(Row(f"announcement in {suffix.upper()} to first sound", "ms", results, goal=below(150, "ms"),
                  note=f"the first one: {results[0]:.0f} ms") for suffix, results in announced.items()),
            Row("memory that stays after the worker (PSS)", "MB", grown, goal=below(5, "MB"))]
