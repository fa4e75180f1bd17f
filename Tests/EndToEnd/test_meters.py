# SPDX-License-Identifier: Apache-2.0
"""`levels` and `spectrum`: what is measured at the playhead."""

import json
import math

import httpx
import numpy
import pytest

from rig import RATE
from rig.signals import write_wave

AMPLITUDE = 10 ** (-6 / 20)


def band(frequency: float, count: int) -> int:
    """Bands of equal ratio from 20 Hz to 20 kHz."""
    return int(count * math.log(frequency / 20) / math.log(1000))


@pytest.fixture
def music(directory):
    """`tone`: -6 dBFS all along. `late`: the same after a second of silence."""
    music = directory / "tones"
    music.mkdir()
    tone = AMPLITUDE * numpy.sin(2 * numpy.pi * 997 * numpy.arange(20 * RATE) / RATE)
    write_wave(music / "tone.wav", numpy.column_stack([tone, tone]))
    write_wave(music / "late.wav", numpy.column_stack([tone, tone])[: 3 * RATE] * (numpy.arange(3 * RATE) >= RATE)[:, None])
    return music


def test_a_sine_reads_its_level_and_lands_in_its_band(server, api, music, open_events):
    """Rows 79, 87, 277, 288, 289: before the volume; only for who asks; the wishes can be changed."""
    bystander = open_events()
    log = open_events("events=levels,spectrum&levelsInterval=0.05")
    api.settings(volume=0.1)
    api.load("tone.wav", play=True)
    levels = log.wait_for("levels", lambda event: event["position"] > 3.2, timeout=10)
    assert len(levels["channels"]) == 2
    for channel in levels["channels"]:
        assert channel["peak"] == pytest.approx(-6, abs=0.1)
        assert channel["truePeak"] == pytest.approx(-6, abs=0.1)
        assert channel["average"] == pytest.approx(-9, abs=0.1)
    # Two channels of a sine at 1 kHz: -3.01 for its mean, +3.01 for two channels.
    assert levels["loudness"] == pytest.approx(-6, abs=0.2)
    spectrum = log.wait_for("spectrum", mark=log.mark())
    assert len(spectrum["bands"]) == 32 and int(numpy.argmax(spectrum["bands"])) == band(997, 32)
    assert max(spectrum["bands"]) == pytest.approx(-6, abs=1)
    assert "seq" not in levels.message

    log.send({"type": "subscribe", "id": 1, "events": ["spectrum"], "levelsInterval": 0.2, "bands": 64})
    reply = log.wait_for("reply").message
    assert (reply["result"]["levelsInterval"], reply["result"]["bands"]) == (0.2, 64)
    changed = log.mark()
    spectrum = log.wait_for("spectrum", lambda event: len(event["bands"]) == 64, mark=changed)
    assert int(numpy.argmax(spectrum["bands"])) == band(997, 64)
    stamps = [log.wait_for("spectrum", mark=log.mark()).message["at"] for _ in range(5)]
    # One of them may be late.
    assert stamps[-1] - stamps[0] >= 4 * 195 - 100
    assert not bystander.since(0, "levels", "spectrum")
    assert not [event for event in log.since(changed, "levels")]

    with httpx.stream("GET", server.url + "/api/v1/events?events=levels", headers={"Accept": "text/event-stream"},
                      trust_env=False, timeout=10) as stream:
        lines = (line for line in stream.iter_lines() if line.startswith("data:") and '"levels"' in line)
        data = next(json.loads(line[5:])["data"] for line in lines if json.loads(line[5:])["type"] == "levels")
    assert data["channels"][0]["peak"] == pytest.approx(-6, abs=0.1)
    api.pause()


def test_levels_are_those_at_the_playhead(pulse, music, api, open_events):
    """Row 288: within 20 ms, though the sound is heard 0.3 s after it is rendered. The tone begins at 1 s; the first event that
    sees it is one interval late at most."""
    log = open_events("events=levels&levelsInterval=0.0334")
    api.load("late.wav", play=True)
    loud = log.wait_for("levels", lambda event: event["channels"][0]["peak"] > -20, timeout=15)
    quiet = [event for event in log.since(0, "levels") if event["position"] < loud["position"]]
    assert quiet and all(event["position"] < 1 + 0.02 for event in quiet)
    assert loud["position"] > 1 - 0.02
