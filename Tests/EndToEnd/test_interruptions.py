# SPDX-License-Identifier: Apache-2.0
"""Calls and other programs that take the sound. The gates are those of facts 1 and 2: PulseAudio asks to uncork what it
never corked, and mutes along with its question."""

import time

import numpy
import pytest

from rig import PATIENCE, RATE, Api, Neighbour, during, eventually


def began(api) -> dict:
    return api.call("POST", "/session/interruptions", json={"type": "began"})


def ended(api, **members) -> dict:
    return api.call("POST", "/session/interruptions", json={"type": "ended", **members})


def is_muted(pulse) -> bool:
    """Of our stream."""
    for block in pulse.pactl("list", "sink-inputs").split("Sink Input #")[1:]:
        if 'application.name = "Tonearm"' in block:
            return "Mute: yes" in block
    raise AssertionError("no stream of ours")


def loud(capture, start: int, seconds: float) -> bool:
    """All of the last `seconds` sounded, in windows of 50 ms."""
    samples = numpy.abs(capture.samples(start).astype(int)).max(axis=1)[-int(seconds * RATE):]
    size = RATE // 20
    return len(samples) >= seconds * RATE and all(
        samples[at:at + size].max() > 50 for at in range(0, len(samples) - size, size))


@pytest.mark.smoke
def test_a_call_interrupts_and_the_music_goes_on_afterwards(capture, pulse, api, events, playing):
    """Rows 127, 128, 132, 165: began within 200 ms, position frozen, resumed; the user's own mute is untouched."""
    with Neighbour(pulse, "phone"):
        start = time.time()
        event = events.wait_for("interruption", mark=playing)
        assert event["type"] == "began" and event["reason"] == "sound-server" and event["shouldResume"] is None
        status = events.wait_status("interrupted", mark=playing)
        assert status["reason"] == "interruption" and status["playWhenReady"]
        assert status.message["at"] / 1000 - start < 0.2 * PATIENCE
        frozen = api.player()
        assert frozen["status"] == "interrupted" and frozen["rate"] == 0 and frozen["muted"] is False
        capture.wait_silence(0.3)
        during(0.3, lambda: api.player()["position"] == frozen["position"], "time ran during the call")
        mark = events.mark()
        silent = capture.frames
    end = events.wait_for("interruption", mark=mark)
    assert end["type"] == "ended" and end["shouldResume"] is True
    events.wait_status("playing", mark=mark)
    capture.wait_sound(silent)
    after = api.player()
    assert after["muted"] is False and frozen["position"] <= after["position"] < frozen["position"] + 5
    assert not is_muted(pulse)


def test_player_paused_before_the_call_stays_paused(capture, pulse, api, events, playing):
    """Row 129, fact 1: the request to uncork comes anyway."""
    api.pause()
    capture.wait_silence(0.3)
    mark = events.mark()
    with Neighbour(pulse, "phone"):
        events.wait_for("interruption", mark=mark)
        assert api.player()["status"] == "paused" and api.player()["reason"] == "user"
    events.wait_for("interruption", lambda event: event["type"] == "ended", mark=mark)
    silent = capture.frames
    during(0.5, lambda: api.player()["status"] == "paused", "the end of a call started what the user had paused")
    assert capture.first_sound(silent) is None
    # And what PulseAudio muted is muted no more.
    api.play()
    capture.wait_sound(silent)


def test_play_during_the_call_is_heard(capture, pulse, api, events, playing):
    """Row 130, fact 2: the stream is muted while its clock runs; `playing` must sound."""
    with Neighbour(pulse, "phone"):
        events.wait_status("interrupted", mark=playing)
        capture.wait_silence(0.3)
        mark, silent = events.mark(), capture.frames
        api.resume()
        capture.wait_sound(silent)
        assert not is_muted(pulse)
        told = events.wait_for("interruption", mark=mark)
        assert told["type"] == "ended" and told["reason"] == "user"
        eventually(lambda: loud(capture, silent, 0.4), "it sounds")
    during(0.4, lambda: api.player()["status"] in ("playing", "buffering"), "the end of the call stopped the music")
    silent = capture.frames
    eventually(lambda: loud(capture, silent, 0.4), "it sounds on")


def test_mute_by_another_program_interrupts_the_music(capture, pulse, api, events, playing):
    """Promise 1: by another program, without a request to cork. The music goes on where it was; `play` takes the mute back."""
    stream = pulse.sink_inputs()[0][0]
    pulse.pactl("set-sink-input-mute", stream, "1")
    status = events.wait_status("interrupted", mark=playing)
    assert status["reason"] == "interruption" and status["playWhenReady"]
    muted = api.player()
    assert muted["rate"] == 0 and muted["muted"] is False
    during(0.3, lambda: api.player()["position"] == muted["position"], "time ran although nothing was heard")
    mark, silent = events.mark(), capture.frames
    pulse.pactl("set-sink-input-mute", stream, "0")
    events.wait_status("playing", mark=mark)
    capture.wait_sound(silent)
    mark = events.mark()
    pulse.pactl("set-sink-input-mute", stream, "1")
    events.wait_status("interrupted", mark=mark)
    api.resume()
    assert not is_muted(pulse)
    during(0.3, lambda: api.player()["status"] in ("playing", "buffering"), "interrupted again")


def test_pause_during_the_call_stays(capture, pulse, api, events, playing):
    """Row 131."""
    with Neighbour(pulse, "phone"):
        events.wait_status("interrupted", mark=playing)
        api.pause()
        api.wait_status("paused")
        mark, silent = events.mark(), capture.frames
    events.wait_for("interruption", lambda event: event["type"] == "ended", mark=mark)
    during(0.5, lambda: api.player()["status"] == "paused", "the end of the call took the user's pause back")
    capture.wait_seconds(0.2)
    assert capture.first_sound(silent + RATE // 5) is None


def test_nothing_sounds_100_ms_after_a_call_began(capture, pulse, api, events, playing):
    """Issue 4: began to silence under 100 ms. test_transitions.py shows that it fades."""
    capture.wait_seconds(0.6)
    mark = capture.frames
    began(api)
    api.wait_status("interrupted")
    told = events.wait_for("interruption", mark=playing)
    # When it was told, not when it came.
    before = told.message["at"] / 1000 - time.time() + time.monotonic()
    capture.wait_silence(0.3)
    last = capture.last_sound(mark)
    # The capture itself is up to 40 ms behind, and adds its own latency.
    assert last is not None and (last - capture.frame_at(before)) / RATE < (0.1 + 0.06) * PATIENCE


@pytest.mark.parametrize("resumes", [True, False])
def test_another_program_may_interrupt(capture, pulse, api, events, playing, resumes):
    """Rows 127, 128: through the API; shouldResume=false leaves it paused, and so does the setting `autoResume`."""
    began(api)
    answer = api.wait_status("interrupted")
    assert answer["reason"] == "interruption" and answer["playWhenReady"]
    capture.wait_silence(0.3)
    answer = ended(api, shouldResume=resumes)
    if not resumes:
        assert api.wait_status("paused")["reason"] == "interruption-ended"
        told = events.wait_for("interruption", lambda event: event["type"] == "ended", mark=playing)
        assert told["shouldResume"] is False
        api.settings(autoResume=False)
        api.play()
        began(api)
        ended(api)
        assert api.wait_status("paused")["reason"] == "interruption-ended"
    else:
        # The answer comes after 0.8 s at the latest.
        assert answer["playWhenReady"] and api.wait_status("playing")
        capture.wait_sound(capture.frames)


def test_an_interruption_that_never_ends(capture, pulse, server, api, events, playing):
    """Row 134: no end, no music; unless a time-out was set. Then it does not interrupt players made later either."""
    began(api)
    during(1.0, lambda: api.player()["status"] == "interrupted", "resumed by itself")
    mark = events.mark()
    api.settings(interruptionTimeout=0.2)
    told = events.wait_for("interruption", mark=mark)
    assert told["type"] == "ended" and told["reason"] == "timeout"
    events.wait_status("playing", mark=mark)
    api.call("POST", "/players", json={"id": "late"})
    late = Api(server.url, player="late")
    late.settings(autoPlay=True)
    late.load("low.mp3")
    assert late.wait_status("playing", "interrupted")["status"] == "playing"


def test_notify_only_reports_and_plays_on(capture, pulse, api, events, playing):
    """Row 166: notify-only tells of it and plays on, audibly, although PulseAudio mutes."""
    api.settings(interruptionPolicy="notify-only")
    with Neighbour(pulse, "phone"):
        assert events.wait_for("interruption", mark=playing)["type"] == "began"
        eventually(lambda: not is_muted(pulse), "our stream sounds")
        mark = capture.frames
        eventually(lambda: loud(capture, mark, 0.4), "it sounds on")
        assert api.player()["status"] in ("playing", "buffering")
    assert api.player()["interruptionPolicy"] == "notify-only"


def test_change_of_policy_during_the_call_sounds_at_once(capture, pulse, api, events, playing):
    """Row 166: also when the policy changes while the call has the sound."""
    with Neighbour(pulse, "phone"):
        events.wait_status("interrupted", mark=playing)
        silent = capture.frames
        api.settings(interruptionPolicy="notify-only")
        api.wait_status("playing")
        capture.wait_sound(silent)


def test_a_new_stream_during_a_call_is_silent_or_says_so(capture, pulse, api, events):
    """Fact 2, promise 1: play from rest while a call is on: never `playing` with silence."""
    with Neighbour(pulse, "phone"):
        api.load("long.mp3")
        api.play()
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            mark = capture.frames
            if api.player()["status"] == "playing":
                capture.wait_frames(mark + RATE // 2)
                still = api.player()["status"]
                assert still != "playing" or capture.first_sound(mark) is not None, "playing, but silent"
    # However it was, it ends in music or in a state that says why not.
    assert api.wait_status("playing", "paused")


def test_the_sound_server_dies_during_a_call(capture, pulse, api, events, playing):
    """Issue 4: the music does not burst in afterwards."""
    with Neighbour(pulse, "phone"):
        events.wait_status("interrupted", mark=playing)
        pulse.kill()
        api.wait_status("paused")
    pulse.start()
    during(0.7, lambda: api.player()["status"] == "paused", "it began by itself")
    assert api.player()["reason"] == "interruption-ended"
