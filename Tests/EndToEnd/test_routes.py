# SPDX-License-Identifier: Apache-2.0
"""Plugging and unplugging. Fact 3: what PulseAudio moves by itself has leaked before anyone is notified."""

import time

import pytest

from rig import PATIENCE, RATE, Capture, during, eventually
from rig.pulse import DESK, HEADPHONES

pytestmark = pytest.mark.headphones


def route_event(events, mark: int, reason: str):
    return events.wait_for("route", lambda event: event["reason"] == reason, mark=mark)


@pytest.fixture
def on_headphones(capture, headphones, pulse, api, events):
    """Music on the headphones, the speakers captured from before."""
    api.choose("hp")
    api.load("long.mp3", play=True)
    headphones.wait_sound()
    api.wait_status("playing")
    assert pulse.stream_sinks() == ["hp"]
    return events.mark()


def test_pulled_headphones_leave_the_speakers_silent(on_headphones, capture, pulse, api, events):
    """Row 138: paused within 200 ms, position kept, not one sample on the speakers."""
    mark, times = on_headphones, []
    for _ in range(3):
        if times:
            mark = events.mark()
            pulse.load(HEADPHONES)
            events.wait_status("playing", mark=mark)
            mark = events.mark()
        before, start = api.player()["position"], time.monotonic()
        pulse.unplug("hp")
        status = events.wait_status("paused", mark=mark)
        times.append(status.moment - start)
    # The time that pactl takes to say it is counted too. A busy machine delays some of them.
    assert min(times) < 0.2 * PATIENCE, times
    assert status["reason"] == "route-lost"
    told = route_event(events, mark, "old-device-unavailable")
    assert told["previous"]["id"] == "hp" and told["current"]["id"] == "spk"
    capture.wait_seconds(1.0)
    assert not capture.samples().any(), "samples on the speakers"
    paused = api.player()
    assert paused["status"] == "paused" and before <= paused["position"] < before + 3
    # `play` moves it to the speakers.
    mark = capture.frames
    api.resume()
    capture.wait_sound(mark)
    assert api.player()["position"] >= paused["position"]


def test_the_same_headphones_resume_what_their_loss_paused(on_headphones, capture, pulse, api, events):
    """Row 140."""
    pulse.unplug("hp")
    events.wait_status("paused", mark=on_headphones)
    mark = events.mark()
    pulse.load(HEADPHONES)
    route_event(events, mark, "new-device-available")
    events.wait_status("playing", mark=mark)
    eventually(lambda: pulse.stream_sinks() == ["hp"], "on the headphones again")
    assert not capture.samples().any(), "samples on the speakers"


def test_the_return_of_headphones_does_not_start_what_the_user_paused(on_headphones, capture, pulse, api, events):
    """Row 140: paused by hand before, and paused by hand after the loss."""
    api.pause()
    pulse.unplug("hp")
    route_event(events, on_headphones, "old-device-unavailable")
    mark = events.mark()
    pulse.load(HEADPHONES)
    route_event(events, mark, "new-device-available")
    during(0.5, lambda: api.player()["status"] == "paused", "it started by itself")
    api.play()
    eventually(lambda: pulse.stream_sinks() == ["hp"], "on the headphones")
    mark = events.mark()
    pulse.unplug("hp")
    events.wait_status("paused", mark=mark)
    api.pause()
    mark = events.mark()
    pulse.load(HEADPHONES)
    route_event(events, mark, "new-device-available")
    during(0.5, lambda: api.player()["status"] == "paused", "it started by itself")


def test_the_default_headphones_are_protected_as_well(headphones, pulse, api, events):
    """Rows 138, 248, fact 3: without a choice; PulseAudio itself moved the music there, and a second stream took its place."""
    api.start("long.mp3")
    pulse.pactl("set-default-sink", "hp")
    headphones.wait_sound()
    eventually(lambda: pulse.stream_sinks() == ["hp"], "on the headphones")
    # Only now: a recorder of what was the default follows the default, too.
    speakers = Capture(pulse).start()
    api.wait_status("playing")
    headphones.wait_seconds(0.5)
    mark = events.mark()
    pulse.unplug("hp")
    events.wait_status("paused", mark=mark)
    speakers.wait_seconds(0.8)
    assert not speakers.samples().any(), "samples on the speakers"


def test_policy_hold_waits_for_them(on_headphones, capture, pulse, api, events):
    """Issue 4: interrupted, silent, until they are back or the user plays on."""
    api.call("PATCH", "/outputs", json={"policy": "hold"})
    pulse.unplug("hp")
    status = events.wait_status("interrupted", mark=on_headphones)
    assert status["reason"] == "route-lost" and status["playWhenReady"]
    during(0.6, lambda: api.player()["status"] == "interrupted", "it did not wait")
    assert not capture.samples().any()
    mark = events.mark()
    pulse.load(HEADPHONES)
    events.wait_status("playing", mark=mark)
    pulse.unplug("hp")
    api.wait_status("interrupted")
    api.resume()
    capture.wait_sound()


@pytest.mark.smoke
def test_another_device_lost_is_followed_without_a_pause(capture, pulse, api, events):
    """Row 139: within 0.5 s."""
    pulse.load(DESK)
    api.choose("desk")
    desk = Capture(pulse, "desk").start()
    api.load("long.mp3", play=True)
    desk.wait_sound()
    mark = events.mark()
    start = time.monotonic()
    pulse.unplug("desk")
    sound = capture.wait_sound()
    assert (sound - capture.frame_at(start)) / RATE < 0.5 * PATIENCE
    route_event(events, mark, "old-device-unavailable")
    api.wait_status("playing")
    assert not [event for event in events.since(mark, "status") if event["status"] in ("paused", "interrupted")]


def test_a_device_that_returns_does_not_get_the_music_back_once_the_default_was_chosen(pulse, api):
    """PulseAudio remembers for which device a stream was meant, and moves it there."""
    pulse.load(DESK)
    speakers = api.current_output()
    api.load("long.mp3", play=True)
    api.wait_status("playing")
    api.choose("desk")
    eventually(lambda: pulse.stream_sinks() == ["desk"], "moved")
    pulse.unplug("desk")
    eventually(lambda: api.current_output() == speakers, "the music goes on")
    api.choose(None)
    pulse.load(DESK)
    eventually(lambda: "desk" in api.outputs() and pulse.stream_sinks() == [speakers] and api.current_output() == speakers, "it stays")
    api.wait_status("playing")
    pulse.pactl("set-default-sink", "desk")
    eventually(lambda: pulse.stream_sinks() == ["desk"] and api.current_output() == "desk", "it follows the default")


def test_headphones_that_come_are_followed_without_a_pause(directory, capture, pulse, api, events):
    """Row 141: the place is kept; a chosen device is not left."""
    pulse.unplug("hp")
    eventually(lambda: len(api.outputs()) == 1, "the speakers only")
    api.load("long.mp3", play=True)
    capture.wait_sound()
    before, mark = api.player()["position"], events.mark()
    pulse.load(HEADPHONES)
    told = route_event(events, mark, "new-device-available")
    assert told["current"]["id"] == "hp" and told["current"]["headphones"]
    capture.wait_silence(0.3)
    eventually(lambda: pulse.stream_sinks() == ["hp"], "the music moved")
    after = api.wait_status("playing")
    assert before <= after["position"] < before + 5
    assert not [event for event in events.since(mark, "status") if event["status"] == "paused"]
    pulse.unplug("hp")
    api.wait_status("paused")
    api.choose("spk")
    api.resume()
    pulse.load(HEADPHONES)
    eventually(lambda: "hp" in api.outputs(), "listed")
    during(0.6, lambda: pulse.stream_sinks() == ["spk"], "the chosen device was left")


def test_fifty_cycles_in_ten_seconds(capture, pulse, api, events):
    """Issue 4, bad input: no sample on the speakers, no hang, and it still plays afterwards."""
    api.choose("hp")
    api.start("long.mp3")
    mark = capture.frames
    start = time.monotonic()
    for cycle in range(50):
        pulse.unplug("hp")
        pulse.load(HEADPHONES)
        time.sleep(max(0.0, start + 0.2 * (cycle + 1) - time.monotonic()))  # the rate is the subject
    api.wait_status("playing", timeout=10)
    eventually(lambda: pulse.stream_sinks() == ["hp"], "on the headphones")
    assert not capture.samples(mark).any(), "samples on the speakers"
    assert api.request("GET", "//healthz").status_code == 200
    before = api.player()["position"]
    eventually(lambda: api.player()["position"] > before + 0.3, "time runs")


def test_the_sound_server_comes_back_without_the_headphones(on_headphones, capture, pulse, api):
    """Rows 138, 147: its death is no reason to blare either."""
    before = api.player()["position"]
    pulse.modules = tuple(module for module in pulse.modules if "sink_name=hp" not in module)
    pulse.kill()
    api.wait_status("interrupted")
    pulse.start()
    paused = api.wait_status("paused", timeout=10)
    assert paused["reason"] == "route-lost" and before - 0.2 <= paused["position"] < before + 5
    assert api.current_output() == "spk"
    fresh = Capture(pulse).start()
    fresh.wait_seconds(0.5)
    assert fresh.first_sound() is None
    api.play()
    fresh.wait_sound()


def test_the_sound_server_comes_back_with_the_headphones(on_headphones, capture, pulse, api, events):
    """Row 147: the same place to 0.2 s, on the same device."""
    before = api.player()["position"]
    pulse.kill()
    held = api.wait_status("interrupted")["position"]
    assert before - 0.2 <= held < before + 5
    mark = events.mark()
    pulse.start()
    after = events.wait_status("playing", timeout=10, mark=mark)
    assert abs(after["position"] - held) <= 0.2
    eventually(lambda: pulse.stream_sinks() == ["hp"], "on the headphones")


def test_no_device_and_a_new_one(capture, pulse, api, events):
    """Row 142: no-suitable-route, then new-device-available."""
    api.load("long.mp3", play=True)
    capture.wait_sound()
    mark = events.mark()
    pulse.unplug("hp")
    pulse.unplug("spk")
    told = route_event(events, mark, "no-suitable-route")
    assert told["current"] is None
    api.wait_status("interrupted")
    pulse.load(DESK)
    told = route_event(events, mark, "new-device-available")
    assert told["previous"] is None and told["current"]["id"] == "desk"
    api.wait_status("playing", timeout=10)


def test_waking_up_tells_the_route(capture, pulse, api, events):
    """Rows 142, 143: a program of the system says when the machine sleeps."""
    api.load("long.mp3", play=True)
    capture.wait_sound()
    mark = events.mark()
    assert api.call("POST", "/session/interruptions", json={"type": "began", "source": "sleep"})["status"] == "interrupted"
    api.call("POST", "/session/interruptions", json={"type": "ended", "source": "sleep"})
    assert route_event(events, mark, "wake-from-sleep")["current"]["id"] == "spk"
    api.wait_status("playing")


def test_outputs_tell_their_policy_and_ports(pulse, api):
    outputs = eventually(lambda: (o := api.call("GET", "/outputs")) and o["outputs"] and o, "sinks")
    assert outputs["policy"] == "pause" and outputs["following"] == "default"
    assert all(output["ports"] == [] and output["activePort"] is None for output in outputs["outputs"])
    for body in ({}, {"policy": "loud"}, {"policy": 1}):
        assert api.request("PATCH", "/outputs", json=body).status_code in (400, 422)
