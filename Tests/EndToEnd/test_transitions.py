# SPDX-License-Identifier: Apache-2.0
"""How sound begins, ends and passes over to other sound."""

import math

import numpy
import pytest

from rig import RATE, Api, EventLog, eventually
from rig.signals import align, read_wave, write_wave

PERIOD = 100


@pytest.fixture
def sine_server(start_server, written, music):
    """With two sines to play into the file."""
    for name in ("one", "two"):
        write_wave(music / f"{name}.wav", 0.5 * numpy.sin(2 * math.pi * numpy.arange(20 * RATE) / PERIOD))
    return start_server(output=written.output, music=music)


@pytest.fixture
def sines(sine_server):
    return Api(sine_server.url)


def largest_step(samples: numpy.ndarray) -> float:
    """In dB of the sine: its next sample follows from the two before, and what does not is a step."""
    x = samples[:, 0].astype(float)
    return 20 * math.log10(numpy.abs(x[2:] - 2 * math.cos(2 * math.pi / PERIOD) * x[1:-1] + x[:-2]).max() / 16384)


def gains(samples: numpy.ndarray) -> numpy.ndarray:
    """Of each period."""
    whole = samples[: len(samples) // PERIOD * PERIOD, 0].astype(float)
    return numpy.abs(whole.reshape(-1, PERIOD)).max(axis=1) / 16384


def test_pause_stop_and_skip_fade(sines, written):
    """Row 279: no step above -60 dB; the fades have their lengths; the volume stays."""
    sines.settings(fades={"pause": 0.5, "stop": 0.5, "skip": 0.5})
    sines.load("one.wav", "two.wav", play=True)
    written.wait_frames(RATE // 2)
    sines.pause()
    sines.wait_status("paused")
    quiet = written.frames
    assert sines.player()["volume"] == 1
    sines.play()
    written.wait_frames(quiet + RATE)
    sines.command("next")
    sines.wait_status("playing")
    written.wait_frames(written.frames + RATE)
    sines.command("stop")
    sines.wait_status("stopped")
    samples = written.samples()
    assert largest_step(samples) < -60
    # Of a fade, 0.83 lies between these gains: four of 0.5 s, and the next item's first 50 ms.
    course = gains(samples)
    fading = numpy.count_nonzero((course > 0.02) & (course < 0.98)) * PERIOD / RATE
    assert fading == pytest.approx(0.83 * 2.05, abs=0.1)
    assert course[-1] < 0.02


def test_a_pause_that_is_taken_back_rises_from_the_gain_reached(sines, sine_server, written, open_events):
    sines.settings(fades={"pause": 2})
    sines.load("one.wav", play=True)
    written.wait_frames(RATE // 2)
    events = open_events(url=sine_server.events_url)
    mark = events.mark()
    fading = sines.pause()
    # Something sounds for two seconds more.
    assert (fading["status"], fading["playWhenReady"], fading["rate"]) == ("playing", False, 1)
    sines.play()
    playing = sines.player()
    assert (playing["status"], playing["playWhenReady"], playing["reason"]) == ("playing", True, None)
    assert playing["version"] > fading["version"]
    events.wait_for("status", lambda e: e["playWhenReady"])
    assert [(e["playWhenReady"], e["reason"]) for e in events.since(mark, "status")] == [(False, "user"), (True, None)]

    def risen() -> bool:
        course = gains(written.samples())[10:]
        return course.min() < 0.95 and course[-1] > 0.99

    eventually(risen, "it has sunk and risen again")
    samples = written.samples()
    assert gains(samples)[10:].min() > 0.05
    assert largest_step(samples) < -60


def test_a_seek_and_an_interruption_cut_a_long_fade_short(sines, sine_server, written):
    """Others wait for no fade."""
    sines.settings(fades={"pause": 2, "stop": 2})
    sines.load("one.wav", play=True)
    written.wait_frames(RATE // 2)
    events = EventLog(sine_server.events_url)
    events.wait_for("snapshot")
    mark = written.frames
    # At once: the answer to the pause alone comes after 0.8 s.
    for number, command, data in ((1, "pause", {}), (2, "seek", {"position": 5})):
        events.send({"type": "command", "id": number, "command": command, "data": data})
    events.wait_for("reply", lambda event: event.message["id"] == 2)
    assert sines.wait_status("paused")["position"] == pytest.approx(5, abs=0.001)
    # The fade alone takes 2 s.
    assert written.frames - mark < 3 * RATE // 2
    sines.play()
    sines.pause()
    sines.call("POST", "/session/interruptions", json={"type": "began"})
    sines.wait_status("paused", timeout=0.5)
    assert largest_step(written.samples()) < -20


def test_a_part_is_repeated_to_the_frame(written, api, media, open_events):
    """Row 280: twenty rounds, none a frame longer than another."""
    api.load("noise.mp3", "click.mp3", play=True)
    written.wait_frames(RATE // 10)
    # Late in the item: it is set before its end.
    assert api.settings(abLoop={"begin": 1.6, "end": 1.75})["abLoop"] == {"begin": 1.6, "end": 1.75}
    written.wait_frames(round((1.6 + 21 * 0.15) * RATE))
    part = media.reference("noise.mp3")[70560:77175].astype(int)
    heard = written.samples().astype(int)
    first = align(heard[: 79380], part)
    # The item that sounded then goes on.
    assert first == 70560
    rounds = heard[first : first + 20 * len(part)].reshape(20, len(part), 2)
    assert numpy.abs(rounds - part).max() <= 1
    refused = api.request("PATCH", "/player", json={"abLoop": {"begin": 0.5, "end": 1000}})
    assert (refused.status_code, refused.json()["member"]) == (422, "abLoop.end")
    log = open_events("events=settings,completed")
    api.command("next")
    assert log.wait_for("settings").data["abLoop"] is None
    assert api.player()["abLoop"] is None


@pytest.fixture
def noises(start_server, written, directory):
    """A server with three noises of 5, 6 and 2 s to play into the file."""
    music = directory / "music"
    music.mkdir()
    for number, seconds in enumerate((5, 6, 2)):
        noise = numpy.random.default_rng(number).normal(0, 0.1, (seconds * RATE, 2))
        write_wave(music / f"noise{number}.wav", noise)
    return Api(start_server(output=written.output, music=music).url)


def test_a_crossfade_keeps_the_power_and_is_rendered_alike(noises, written, directory):
    """Row 278: power within 1 dB; a shorter track has a shorter fade; a render equals what is heard."""
    assert noises.settings(crossfade=4)["crossfade"] == 4
    noises.load("noise0.wav", "noise1.wav", "noise2.wav")
    job = noises.call("POST", "/renders", json={"queue": True})
    noises.play()
    readings = [noises.player()]

    def is_over() -> bool:
        readings.append(noises.player())
        return readings[-1]["item"]["uri"] == "noise1.wav"

    eventually(is_over, "the border", timeout=20)
    before, after = readings[-2:]
    # It lies between the two readings.
    assert after["position"] < 1 + (after["sampledAt"] - before["sampledAt"]) / 1000 and after["status"] == "playing"
    noises.wait_status("completed", timeout=60)
    heard = written.samples()
    # Half of 5 s, and half of 2 s.
    assert len(heard) == round((5 + 6 + 2 - 2.5 - 1) * RATE)
    parts = heard[: len(heard) // 4410 * 4410].reshape(-1, 4410 * 2).astype(float)
    assert numpy.abs(20 * numpy.log10(numpy.sqrt((parts ** 2).mean(axis=1)) / (0.1 * 32768))).max() < 1
    eventually(lambda: noises.call("GET", f"/renders/{job['id']}")["status"] == "completed", "rendered", timeout=60)
    file = directory / "rendered.wav"
    file.write_bytes(noises.request("GET", f"/renders/{job['id']}/file").content)
    assert numpy.array_equal(read_wave(file), heard)
