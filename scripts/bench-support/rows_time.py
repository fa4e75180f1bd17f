# SPDX-License-Identifier: Apache-2.0
"""Starts and ends at a given time, and the delay of changes of the sound (SPEC rows 63, 79, 281 to 284, 288, 292)."""

import contextlib
import datetime
import pathlib
import re
import statistics
import time

import numpy

from measure import Row, below
from rig import Api, Capture, EventLog, PulseDaemon
from rig.capture import RATE
from rig.pulse import SPEAKERS
from rig.signals import write_wave
from rows_shared import start_server

# Lead of a scheduled start, for its preparation.
AHEAD = 2.0


def sink_latency(pulse: PulseDaemon) -> float:
    """Seconds. A monitor has a sample when the sink takes it; it is heard after this latency."""
    return int(re.search(r"Sink Latency: (\d+) usec", pulse.pactl("list", "sink-inputs"))[1]) / 1e6


def timers(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Two players, each with one side of the output, start at one time; a sleep timer; an alarm."""
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    for name, side in (("left", "front-left"), ("right", "front-right")):
        pulse.load(f"module-remap-sink sink_name={name} master=spk channels=1 channel_map=mono master_channel_map={side} remix=no")
    capture = Capture(pulse, "spk", latency=2).start()
    server = start_server(directory, music, pulse)
    api = Api(server.url)
    api.choose("left")
    api.call("POST", "/players", json={"id": "kitchen", "output": "right"})
    both = (api, Api(server.url, player="kitchen"))
    off, apart, asleep, woken = [], [], [], []
    for _ in range(rounds):
        at = time.time() + AHEAD
        wall = time.time() - time.monotonic()
        for player in both:
            player.load("noise-long.mp3")
            player.play(at=int(at * 1000))
        capture.wait_silence(0.15)
        mark = capture.frames
        capture.wait_sound(mark, timeout=10, level=8)
        latency = sink_latency(pulse)
        capture.wait_seconds(0.3)
        loud = numpy.abs(capture.samples(mark).astype(int)) >= 8
        first = [mark + int(numpy.argmax(loud[:, side])) for side in (0, 1)]
        off += [abs(capture.arrival(frame) + latency + wall - int(at * 1000) / 1000) * 1000 for frame in first]
        apart.append(abs(first[0] - first[1]) / RATE * 1000)
        both[1].command("stop")
        asked = time.monotonic()
        api.call("POST", "/timers", json={"type": "sleep", "after": 1.5, "fade": 0.5})
        capture.wait_silence(0.3)
        asleep.append(abs(capture.arrival(capture.last_sound(mark)) - asked - 1.5) * 1000)
        mark = capture.frames
        due = datetime.datetime.fromtimestamp(time.time() + 2, datetime.timezone.utc).strftime("%H:%M:%S")
        alarm = api.call("POST", "/timers", json={
            "type": "alarm", "time": due, "timeZone": "UTC", "ramp": 0, "level": 1, "items": [{"uri": "noise-long.mp3"}]})
        heard = capture.arrival(capture.wait_sound(mark, timeout=10, level=8)) + wall
        woken.append(abs(heard * 1000 - alarm["next"]))
        api.command("stop")
        api.call("DELETE", f"/timers/{alarm['id']}")
    for player in both:
        player.close()
    server.stop()
    capture.close()
    pulse.stop()
    return [Row("a start at a time, off by", "ms", off, goal=below(10, "ms")),
            Row("two players started at one time, apart", "ms", apart, goal=below(5, "ms")),
            Row("a sleep timer's silence, off by", "ms", asleep, goal=below(500, "ms")),
            Row("an alarm's time to its first sound", "ms", woken, goal=below(200, "ms"))]


def effects(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """The equaliser's preamp lowered by 24 dB while a full buffer plays, until the sink takes the quiet samples."""
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    capture = Capture(pulse, "spk", latency=2).start()
    server = start_server(directory, music, pulse)
    api = Api(server.url)
    api.call("PUT", "/effects", json={"enabled": True, "equalizer": {"enabled": True}})
    api.load("noise-long.mp3", play=True)
    capture.wait_sound()
    took = []
    for _ in range(rounds):
        capture.wait_seconds(1)
        mark, asked = capture.frames, time.monotonic()
        api.call("PATCH", "/effects", json={"equalizer": {"preamp": -24}})
        capture.wait_seconds(0.5)
        window = numpy.abs(capture.samples(mark).astype(int)).max(axis=1)
        blocks = window[: len(window) // 441 * 441].reshape(-1, 441).max(axis=1)
        quiet = int(numpy.argmax(blocks < statistics.median(blocks[-10:]) * 2))
        took.append((capture.arrival(mark + 441 * quiet) - asked + sink_latency(pulse)) * 1000)
        api.call("PATCH", "/effects", json={"equalizer": {"preamp": 0}})
    api.close()
    server.stop()
    capture.close()
    pulse.stop()
    return [Row("a change of the equaliser to its sound", "ms", took, goal=below(100, "ms"))]


def levels(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """A tone after a second of silence: the distance of its first event from the sound, and from its position in the media."""
    tone = 0.5 * numpy.sin(2 * numpy.pi * 997 * numpy.arange(3 * RATE) / RATE) * (numpy.arange(3 * RATE) >= RATE)
    write_wave(music / "late.wav", numpy.column_stack([tone, tone]))
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    capture = Capture(pulse, "spk", latency=2).start()
    server = start_server(directory, music, pulse)
    api = Api(server.url)
    apart, place = [], []
    with contextlib.closing(EventLog(server.events_url, "events=levels&levelsInterval=0.0334")) as log:
        for _ in range(rounds):
            start, mark = capture.frames, log.mark()
            api.load("late.wav", play=True)
            log.wait_for("levels", lambda event: event["channels"][0]["peak"] < -60, mark=mark)
            loud = log.wait_for("levels", lambda event: event["channels"][0]["peak"] > -20, mark=log.mark(), timeout=10)
            heard = capture.arrival(capture.wait_sound(start, level=1000)) + sink_latency(pulse)
            apart.append(abs(loud.moment - heard) * 1000)
            quiet = [event["position"] for event in log.since(mark, "levels") if event["channels"][0]["peak"] < -60]
            # The tone begins between the two.
            place.append(max(0, max(quiet) - 1, 1 - loud["position"]) * 1000)
            api.command("stop")
            capture.wait_silence(0.15)
    api.close()
    server.stop()
    capture.close()
    pulse.stop()
    return [Row("a tone's first event levels, apart from its sound", "ms", apart, goal=below(50, "ms")),
            Row("its place in the media, off by", "ms", place, goal=below(20, "ms"))]
