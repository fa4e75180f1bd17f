# SPDX-License-Identifier: Apache-2.0
"""Other programs and devices that appear and disappear (SPEC rows 101, 127, 139, 141)."""

import pathlib
import re
import time

import numpy

from measure import Row, below
from rig import Api, Capture, EventLog, PulseDaemon, eventually
from rig.capture import RATE
from rig.neighbours import Neighbour
from rig.pulse import HEADPHONES, SPEAKERS
from rig.signals import encode_noise, place_heard, reference_decode
from rows_shared import start_server

DESK = "module-null-sink sink_name=desk format=s16le rate=44100 channels=2 norewinds=1"


def neighbours(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Measured from before the other program starts or is ended, which includes its start or end."""
    pulse = PulseDaemon(directory, (SPEAKERS, "module-role-cork")).start()
    server = start_server(directory, music, pulse)
    api, events = Api(server.url), EventLog(server.events_url)
    api.load("noise-long.mp3", play=True)
    began, told, gone = [], [], []
    for _ in range(rounds):
        api.wait_status("playing")
        mark, asked = events.mark(), time.monotonic()
        with Neighbour(pulse, "phone"):
            began.append((events.wait_for("interruption", mark=mark).moment - asked) * 1000)
            frozen = api.wait_status("interrupted")["position"]
            assert api.player()["position"] == frozen
        api.wait_status("playing")
        eventually(lambda: api.call("GET", "/session")["otherAudioPlaying"] is False, "alone again")
        mark, asked = events.mark(), time.monotonic()
        with Neighbour(pulse, "music"):
            other = events.wait_for("session", lambda event: event["otherAudioPlaying"], mark=mark)
            told.append((other.moment - asked) * 1000)
            mark, asked = events.mark(), time.monotonic()
        alone = events.wait_for("session", lambda event: not event["otherAudioPlaying"], mark=mark)
        gone.append((alone.moment - asked) * 1000)
    events.close()
    api.close()
    server.stop()
    pulse.stop()
    return [Row("a call begins to the event interruption", "ms", began, goal=below(200, "ms")),
            Row("another program plays to the event session", "ms", told, goal=below(200, "ms")),
            Row("another program ends to the event session", "ms", gone, goal=below(200, "ms"))]


def routes(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """A device lost, including `pactl unload-module`; headphones plugged in, by the positions on both sides of the seam."""
    encode_noise(music / "noise.mp3", 30)
    reference = reference_decode(music / "noise.mp3")
    pulse = PulseDaemon(directory, (SPEAKERS, DESK)).start()
    capture = Capture(pulse, "spk", latency=2).start()
    server = start_server(directory, music, pulse)
    api, events = Api(server.url), EventLog(server.events_url)
    lost, seam = [], []
    api.load("noise.mp3")
    for _ in range(rounds):
        api.choose("desk")
        api.play(position=0)
        eventually(lambda: pulse.stream_sinks() == ["desk"] and api.player()["position"] > 0.3, "on the desk")
        module, begin, mark, asked = pulse.module("sink_name=desk "), capture.frames, events.mark(), time.monotonic()
        pulse.unload(module)
        lost.append((capture.arrival(capture.wait_sound(begin)) - asked) * 1000)
        api.choose(None)
        capture.wait_seconds(0.7)
        pulse.load(HEADPHONES)
        recorder = Capture(pulse, "hp", latency=2).start(restart_sink=False)
        eventually(lambda: pulse.stream_sinks() == ["hp"] and not capture.samples()[-RATE // 10:].any(), "on the headphones")
        recorder.wait_seconds(0.6)
        left, came = capture.last_sound() - RATE // 2, recorder.frames - RATE // 3
        places = [place_heard(each.samples(start, start + RATE // 5), reference) for each, start in ((capture, left), (recorder, came))]
        seam.append((recorder.arrival(came) - capture.arrival(left) - (places[1] - places[0]) / RATE) * 1000)
        recorder.close()
        assert not [event for event in events.since(mark, "status") if event["status"] == "paused"], "a pause"
        pulse.unplug("hp")
        api.wait_status("paused")
        pulse.load(DESK)
    events.close()
    api.close()
    server.stop()
    capture.close()
    pulse.stop()
    return [Row("another device lost to sound on the default one", "ms", lost, goal=below(500, "ms")),
            Row("gap at the seam when headphones come", "ms", seam, goal=below(100, "ms"))]


def switching(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Rows 54, 65, 72: the old item's sound after the answer to `next`; silence; empty files."""
    encode_noise(music / "noise.mp3", 10)
    reference = reference_decode(music / "noise.mp3")
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    capture = Capture(pulse, "spk", latency=2).start()
    server = start_server(directory, music, pulse)
    (music / "one-frame.mp3").write_bytes((music / "noise.mp3").read_bytes()[:1300])
    (music / "no-frame.mp3").write_bytes(b"ID3\4\0\0\0\0\0\0")
    api, events = Api(server.url), EventLog(server.events_url)
    old, silence, both, tiny, ended = [], [], [], [], []
    for _ in range(rounds):
        api.load("noise-long.mp3", "noise.mp3", play=True)
        begin = capture.wait_sound(capture.frames)
        capture.wait_seconds(0.5)
        begin = capture.frames
        api.command("next")
        answered = time.monotonic()
        latency = int(re.search(r"Sink Latency: (\d+) usec", pulse.pactl("list", "sink-inputs"))[1]) / 1e6
        capture.wait_seconds(0.6)
        window = capture.samples(begin)
        start = len(window) - RATE // 4
        new = start - place_heard(window[start:], reference)
        # A monitor has a sample when the sink takes it; it is heard after the sink's latency.
        old.append((capture.arrival(begin + new) - answered + latency) * 1000)
        asked = time.monotonic()
        api.pause()
        capture.wait_silence(0.3)
        silence.append((capture.arrival(capture.last_sound(begin)) - asked) * 1000)
        api.play()
        api.wait_status("playing")
        asked = time.monotonic()
        api.pause()
        api.command("stop")
        both.append((time.monotonic() - asked) * 1000)
        # The slowest counts.
        for name in ("one-frame.mp3", "no-frame.mp3") * (250 // rounds):
            api.load(name)
            mark, asked = events.mark(), time.monotonic()
            api.request("POST", "/player/play")
            tiny.append((events.wait_for("completed", mark=mark).moment - asked) * 1000)
        api.load("noise.mp3")
        for _ in range(500 // rounds):
            asked = time.monotonic()
            api.request("POST", "/player/play")
            api.command("stop")
            ended.append((time.monotonic() - asked) * 1000)
    events.close()
    api.close()
    server.stop()
    capture.close()
    pulse.stop()
    return [Row("old sound after the answer to next", "ms", [float(max(0, numpy.round(each, 1))) for each in old], goal=below(20, "ms")),
            Row("pause to silence", "ms", silence, goal=below(100, "ms")),
            Row("pause, then stop, with a full buffer", "ms", both, goal=below(1000, "ms")),
            Row(f"{len(tiny)} files of one frame or none, the slowest from play to completed", "ms", [max(tiny)], goal=below(2000, "ms")),
            Row(f"{len(ended)} times play and stop, the slowest", "ms", [max(ended)], goal=below(2000, "ms"))]
