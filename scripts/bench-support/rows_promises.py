# SPDX-License-Identifier: Apache-2.0
"""Times that SPEC promises and no other row measures: sound, reports, and the server's end."""

import concurrent.futures
import contextlib
import math
import pathlib
import random
import subprocess
import time

from measure import Row, at_most, below
from rig import Api, Capture, EventLog, Origin, PulseDaemon, eventually
from rig.capture import RATE
from rig.pulse import SPEAKERS
from rig.radio import Radio
from rig.signals import encode_noise, place_heard, reference_decode
from rows_routes import DESK
from rows_shared import start_server
from rows_sound import first_sound_after

KBPS_192 = 24_000


def answers(url: str, dice: random.Random, count: int) -> list[float]:
    """Seconds to answer each random command of one client, which sends the next one after the answer."""
    took = []
    with contextlib.closing(Api(url)) as api:
        for _ in range(count):
            verb, body = dice.choice((("play", {}), ("pause", {}), ("toggle", {}), ("stop", {}), ("seek", {"position": dice.uniform(0, 500)})))
            asked = time.monotonic()
            api.request("POST", f"/player/{verb}", **({"json": body} if body else {}))
            took.append(time.monotonic() - asked)
    return took


def commands(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Rows 4 and 66: a prepared item; a stop. Row 62: 10,000 random commands of eight clients, the slowest answer and the total time.
    A single client waits for each sound that it starts."""
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    capture = Capture(pulse, "spk", latency=2).start()
    server = start_server(directory, music, pulse)
    api = Api(server.url)
    prepared, silence, slowest, spent = [], [], [], []
    dice = [random.Random(client) for client in range(8)]
    for _ in range(rounds):
        api.load("noise-long.mp3")
        api.wait_status("ready")
        capture.wait_silence(0.15)
        mark, asked = capture.frames, time.monotonic()
        api.play()
        prepared.append(first_sound_after(capture, asked, mark))
        capture.wait_seconds(0.3)
        mark, asked = capture.frames, time.monotonic()
        api.command("stop")
        capture.wait_silence(0.3)
        silence.append((capture.arrival(capture.last_sound(mark)) - asked) * 1000)
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(len(dice)) as clients:
            took = list(clients.map(lambda own: answers(server.url, own, math.ceil(10_000 / rounds / len(dice))), dice))
        slowest.append(max(map(max, took)) * 1000)
        spent.append(time.monotonic() - began)
        api.command("stop")
    api.close()
    server.stop()
    capture.close()
    pulse.stop()
    return [Row("play of a prepared item to first sound", "ms", prepared, goal=below(150, "ms")),
            Row("stop to silence", "ms", silence, goal=below(100, "ms")),
            Row("slowest answer to random commands", "ms", [max(slowest)], goal=below(1000, "ms")),
            Row("10,000 random commands", "s", [sum(spent)], goal=below(60, "s"))]


def default_output(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Row 259: from running `pactl` to change the default until the stream is on the new one."""
    pulse = PulseDaemon(directory, (SPEAKERS, DESK)).start()
    server = start_server(directory, music, pulse)
    api = Api(server.url)
    api.load("noise-long.mp3", play=True)
    api.wait_status("playing")
    took = []
    for number in range(2 * rounds):
        target = ("desk", "spk")[number % 2]
        asked = time.monotonic()
        pulse.pactl("set-default-sink", target)
        eventually(lambda: pulse.stream_sinks() == [target], f"on {target}", every=0.002)
        took.append((time.monotonic() - asked) * 1000)
        api.wait_status("playing")
    api.close()
    server.stop()
    pulse.stop()
    return [Row("default output changed to the stream on it", "ms", took, goal=below(500, "ms"))]


def sound_server(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Row 147: the distance between the last position before the sound server's death and the first one after it."""
    encode_noise(music / "noise.mp3", 60)
    reference = reference_decode(music / "noise.mp3")
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    server = start_server(directory, music, pulse)
    api = Api(server.url)
    apart = []
    for _ in range(rounds):
        capture = Capture(pulse, "spk", latency=2).start()
        api.load("noise.mp3", play=True)
        capture.wait_sound()
        capture.wait_seconds(1)
        pulse.kill()
        held = api.wait_status("interrupted")["position"]
        heard = capture.samples()[-RATE // 4 :]
        apart.append(abs(held - (place_heard(heard, reference) + len(heard)) / RATE) * 1000)
        capture.close()
        pulse.start()
        api.wait_status("playing", timeout=10)
        api.command("stop")
    api.close()
    server.stop()
    pulse.stop()
    return [Row("place after the sound server's death, apart from what was heard", "ms", apart, goal=below(200, "ms"))]


def ticks(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Rows 8, 46 and 153: `time` events in ten seconds at two intervals, more or fewer than promised."""
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    server = start_server(directory, music, pulse)
    api = Api(server.url)
    api.load("noise-long.mp3", play=True)
    api.wait_status("playing")
    off: dict[int, list[float]] = {300: [], 20: []}
    with contextlib.ExitStack() as stack:
        logs = {300: stack.enter_context(contextlib.closing(EventLog(server.events_url, "events=time&interval=0.0334"))),
                20: stack.enter_context(contextlib.closing(EventLog(server.events_url, "events=time&interval=0.5")))}
        for _ in range(rounds):
            marks = {count: log.mark() for count, log in logs.items()}
            time.sleep(10)
            for count, log in logs.items():
                off[count].append(abs(len(log.since(marks[count], "time")) - count))
    api.close()
    server.stop()
    pulse.stop()
    return [Row("time events in 10 s at 1/30 s, off 300 by", "", off[300], goal=at_most(6, "")),
            Row("time events in 10 s at 0.5 s, off 20 by", "", off[20], goal=at_most(1, ""))]


def slow_link(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Row 33: a server at twice the bit rate. Row 234: the distance between a station's title and its sound."""
    content = (music / "noise-long.mp3").read_bytes()
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    capture = Capture(pulse, "spk", latency=2).start()
    server = start_server(directory, music, pulse)
    api, events, origin = Api(server.url), EventLog(server.events_url), Origin()
    sound, share, title = [], [], []
    for number in range(rounds):
        origin.serve(f"/{number}.mp3", content[: 60 * KBPS_192], rate=2 * KBPS_192)
        capture.wait_silence(0.15)
        mark, asked = capture.frames, time.monotonic()
        api.load(f"{origin.url}/{number}.mp3", play=True)
        sound.append(first_sound_after(capture, asked, mark))
        share.append(100 * origin.sent_bytes(f"/{number}.mp3") / (60 * KBPS_192))
        api.command("stop")
        # The station sends silence, then music; its title changes in between.
        quiet = music / "quiet.mp3"
        if not quiet.exists():
            _silence(quiet, 6)
        radio = Radio(quiet.read_bytes() + content, KBPS_192, interval=1024)
        radio.titles.append((len(quiet.read_bytes()), "The second one"))
        capture.wait_silence(0.15)
        start, mark = capture.frames, events.mark()
        api.load(f"{radio.url}/live", play=True)
        told = events.wait_for("item", lambda event: ((event["item"] or {}).get("live") or {}).get("title") == "The second one",
                               timeout=20, mark=mark)
        heard = capture.arrival(capture.wait_sound(start, timeout=20, level=1000))
        title.append(abs(told.moment - heard) * 1000)
        api.command("stop")
        radio.close()
    events.close()
    api.close()
    origin.close()
    server.stop()
    capture.close()
    pulse.stop()
    return [Row("an address at twice its bit rate to first sound", "ms", sound, goal=below(3000, "ms")),
            Row("received of it by then", "%", share, goal=below(20, "%")),
            Row("a station's title, apart from its sound", "ms", title, goal=below(200, "ms"))]


def _silence(path: pathlib.Path, seconds: float) -> None:
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo", "-t",
                    str(seconds), "-b:a", "192k", str(path)], check=True)


def ending(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """From SIGTERM, while music plays and 100 clients listen, to the end of the process."""
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    server = start_server(directory, music, pulse)
    took = []
    for _ in range(rounds):
        with contextlib.closing(Api(server.url)) as api, contextlib.ExitStack() as stack:
            api.load("noise-long.mp3", play=True)
            api.wait_status("playing")
            for _ in range(100):
                stack.enter_context(contextlib.closing(EventLog(server.events_url)))
            asked = time.monotonic()
            assert server.stop() == 0
            took.append((time.monotonic() - asked) * 1000)
        server.start()
    server.stop()
    pulse.stop()
    return [Row("SIGTERM to the end", "ms", took, goal=below(2000, "ms"))]
