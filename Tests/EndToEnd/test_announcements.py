# SPDX-License-Identifier: Apache-2.0
"""Announcements beside the music: what the music does meanwhile, and that it is exactly as it was afterwards."""

import concurrent.futures
import time

import numpy
import pytest

from rig import PATIENCE, RATE, Api, Capture, Neighbour, during, eventually
from rig.pulse import HEADPHONES, SECOND
from rig.signals import click_level, read_wave, write_wave
from rig.sounds import BELL, LEVEL, MUSIC, QUIET, TEXT, amplitude, decibels, first_heard, level_now, near, phase, tone

pytestmark = pytest.mark.usefixtures("capture", "sounds")


def announce(api, uri: str = "bell.mp3", **members) -> dict:
    return api.call("POST", "/announcements", json={"uri": uri, **members})


def announcements(api) -> list[dict]:
    return api.call("GET", "/announcements")["announcements"]


def last(api) -> dict:
    return api.call("GET", "/announcements")["ended"][0]


def is_over(api) -> dict:
    eventually(lambda: not announcements(api), "the announcements are over", timeout=20)
    return last(api)


def changes(events, mark: int) -> list[tuple]:
    return [(event["id"], event["type"]) for event in events.since(mark, "announcement")]


def alone(capture, heard: float, silent: float, start: int) -> bool:
    """True if from `start` on one pitch has sounded for a tenth of a second without the other."""
    samples, size = capture.samples(start), RATE // 10
    windows = (samples[at:at + size] for at in range(0, len(samples) - size, size // 2))
    return any(amplitude(window, heard) > 0.1 and amplitude(window, silent) < 0.001 for window in windows)


def back(capture, level: float = LEVEL) -> None:
    """The music is as loud as before."""
    eventually(lambda: near(level_now(capture, MUSIC), level, 0.5), f"the music is back at {level}", timeout=8, every=0.05)


# Sound

def test_the_music_is_ducked_and_comes_back(capture, api, events, playing):
    """-20 dB while it is heard, the earlier level after it, no click, not a sample of the music missing."""
    before, mark = api.player(), capture.frames
    said = announce(api, "bell.mp3")
    assert said["state"] == "playing" and said["duck"] == -20 and said["music"] == "duck" and said["output"] == "spk"
    is_over(api)
    capture.wait_seconds(1.2)
    now, samples = api.player(), capture.samples()
    start = first_heard(capture, BELL, mark)
    both = samples[start + RATE // 2:start + RATE]
    assert abs(decibels(amplitude(both, MUSIC), LEVEL) + 20) < 1 and near(amplitude(both, BELL), QUIET, 1)
    after = samples[start + int(2.3 * RATE):]
    assert near(amplitude(after, MUSIC), LEVEL, 0.3) and amplitude(after, BELL) < 0.001
    assert click_level(samples[mark - RATE // 2:, 0]) < -50
    turns = [phase(samples[at:at + RATE // 4], at, MUSIC) for at in (mark - RATE // 3, start + RATE // 2, len(samples) - RATE // 4)]
    assert max(turns) - min(turns) < 0.05, turns
    assert now["status"] == "playing" and now["version"] == before["version"] and now["volume"] == 1
    assert now["position"] - before["position"] == pytest.approx(
        (len(samples) - mark) / RATE, abs=0.3 * PATIENCE)
    ended = events.wait_for("announcement", lambda event: event["type"] == "ended", mark=playing)
    assert changes(events, playing) == [(said["id"], "began"), (said["id"], "ended")]
    assert not events.since(playing, "status", "item", "queue", "settings", "interruption", "completed")
    assert ended["reason"] == "finished" and ended["error"] is None


def test_the_music_pauses_and_goes_on_from_there(capture, api, events, playing):
    mark = capture.frames
    said = announce(api, "bell.mp3", music="pause")
    assert said["duck"] is None
    status = events.wait_status("interrupted", mark=playing)
    assert status["reason"] == "interruption" and status["playWhenReady"]
    frozen = api.player()["position"]
    assert api.call("GET", "/session")["otherAudioPlaying"] is False, "our own stream counts as another program"
    is_over(api)
    events.wait_status("playing", mark=playing)
    back(capture)
    told = [(event["type"], event["reason"]) for event in events.since(playing, "interruption")]
    assert told == [("began", "announcement"), ("ended", "announcement")]
    assert alone(capture, BELL, MUSIC, mark), "the music went on under the bell"
    # Nothing was skipped, nothing repeated.
    now = api.player()
    assert now["position"] >= frozen and now["position"] == pytest.approx(now["listenedTime"], abs=0.05)


def test_it_is_heard_soon_whether_cold_or_warm(capture, api, sounds):
    """Issue 4: within 150 ms of the request."""
    took = []
    for name in ("bell.mp3", "bell.mp3", "bell.mp3", "bell.wav"):
        mark, asked = capture.frames, time.monotonic()
        said = announce(api, name)
        heard = eventually(lambda: first_heard(capture, BELL, mark), "it is heard")
        took.append(capture.arrival(heard) - asked)
        assert api.request("DELETE", f"/announcements/{said['id']}").status_code == 204
        capture.wait_silence(0.2)
    print("heard after", [f"{seconds * 1000:.0f} ms" for seconds in took])
    assert min(took[1:3]) < 0.15 * PATIENCE and took[0] < 0.3 * PATIENCE


def test_the_volume_is_the_music_s_or_its_own(capture, api, playing):
    api.settings(volume=0.5)
    mark = capture.frames
    assert announce(api)["volume"] == 0.5
    is_over(api)
    said = announce(api, "text.mp3", volume=1, duck=-6)
    assert said["volume"] == 1
    eventually(lambda: near(level_now(capture, TEXT), QUIET, 1) and near(level_now(capture, MUSIC), LEVEL * 0.5 * 10 ** (-6 / 20), 1),
               "both have their levels")
    api.call("DELETE", f"/announcements/{said['id']}")
    assert first_heard(capture, BELL, mark, 0.03) is not None
    back(capture, LEVEL * 0.5)
    assert api.player()["volume"] == 0.5
    # A volume ramp goes on while the music is ducked.
    api.settings(volumeRamp={"to": 0, "seconds": 4})
    announce(api)
    is_over(api)
    eventually(lambda: level_now(capture, MUSIC) < 0.001, "the ramp has ended", timeout=6)
    assert api.player()["volume"] == 0
    api.settings(volume=1)
    back(capture)


# Exactly as it was

@pytest.mark.parametrize("state, mode", [("paused", "pause"), ("stopped", "duck")])
def test_silent_player_stays_silent(capture, api, state, mode):
    api.start("music.mp3")
    api.pause() if state == "paused" else api.call("POST", "/player/stop")
    api.wait_status(state)
    capture.wait_silence(0.2)
    before, mark = api.player(), capture.frames
    announce(api, music=mode)
    assert api.player()["status"] == before["status"]
    is_over(api)
    during(0.5, lambda: api.player()["status"] == before["status"], "the end of an announcement started something")
    after = api.player()
    assert (after["position"], after["reason"], after["queue"]) == (before["position"], before["reason"], before["queue"])
    assert first_heard(capture, MUSIC, mark) is None
    api.play()
    back(capture)


def test_volume_and_next_of_the_user_hold(capture, api, playing):
    said = announce(api, "text.mp3")
    api.settings(volume=0.25)
    api.command("next")
    eventually(lambda: near(level_now(capture, MUSIC), LEVEL * 0.025, 1), "the new volume, ducked", every=0.05)
    api.call("DELETE", f"/announcements/{said['id']}")
    back(capture, LEVEL * 0.25)
    now = api.wait_status("playing")
    assert now["queueIndex"] == 1 and now["volume"] == 0.25


QUARTER = 10 ** (-12 / 20)
CURVE = {"enabled": True, "equalizer": {"enabled": True, "bands": [
    {"type": "peak", "frequency": frequency, "gain": -12, "q": 4} for frequency in (MUSIC, TEXT)]}}


def one_side(path, frequency: float, seconds: float, level: float) -> None:
    """A tone in the left channel."""
    samples = read_wave(tone(path, frequency, seconds, level)) / 32767
    samples[:, 1] = 0
    write_wave(path, samples)


def test_effects_change_while_it_sounds(capture, api, sounds):
    """Equaliser, limiter and crossfeed are in force for it and for the ducked music, and neither of them has a step."""
    one_side(sounds.root / "hum.wav", MUSIC, 60, LEVEL)
    one_side(sounds.root / "say.wav", TEXT, 30, QUIET)
    api.load("hum.wav", play=True)
    capture.wait_sound()
    capture.wait_seconds(0.5)
    said = announce(api, "say.wav")

    def heard(music: float, text: float, what: str) -> None:
        eventually(lambda: near(level_now(capture, MUSIC), music, 0.5) and near(level_now(capture, TEXT), text, 0.5), what)

    def right(frequency: float) -> float:
        return amplitude(capture.samples()[-RATE // 5:, ::-1], frequency)

    def clicks() -> list[float]:
        """Of both channels, in one round of changes."""
        begin = capture.frames
        api.call("PATCH", "/effects", json=CURVE)
        heard(LEVEL / 10 * QUARTER, QUIET * QUARTER, "the equaliser is in force")
        api.call("PATCH", "/effects", json={"equalizer": {"enabled": False}, "limiter": {"enabled": True, "ceiling": -20}})
        heard(0.1 / 10, 0.1, "the limiter is in force")
        assert right(MUSIC) < 0.0001 and right(TEXT) < 0.001
        api.call("PATCH", "/effects", json={"limiter": {"enabled": False}, "crossfeed": {"enabled": True}})
        eventually(lambda: right(MUSIC) > 0.1 * LEVEL / 10 and right(TEXT) > 0.1 * QUIET, "the crossfeed is in force")
        api.call("PATCH", "/effects", json={"enabled": False, "crossfeed": {"enabled": False}})
        heard(LEVEL / 10, QUIET, "nothing is in force")
        samples = capture.samples(begin)
        return [click_level(samples[:, channel]) for channel in (0, 1)]

    heard(LEVEL / 10, QUIET, "the music is ducked")
    # A step would come with each round, a hole in the mix of a late PulseAudio comes now and then.
    rounds = [clicks() for _ in range(3)]
    assert max(min(levels) for levels in zip(*rounds)) < -66, rounds
    api.call("DELETE", f"/announcements/{said['id']}")
    back(capture)


def test_effects_changed_while_the_music_is_silent(capture, api, sounds):
    """They are in force from its first frame on."""
    one_side(sounds.root / "hum.wav", MUSIC, 30, LEVEL)
    api.load("hum.wav", play=True)
    capture.wait_sound()
    said = announce(api, "text.mp3", music="pause")
    api.wait_status("interrupted")
    capture.wait_seconds(0.5)
    api.call("PATCH", "/effects", json=CURVE)
    eventually(lambda: near(level_now(capture, TEXT), QUIET * QUARTER, 0.5), "the equaliser is in force")
    mark = capture.frames
    api.call("DELETE", f"/announcements/{said['id']}")
    api.wait_status("playing")
    back(capture, LEVEL * QUARTER)
    capture.wait_seconds(0.3)
    start = first_heard(capture, MUSIC, mark, 0.01)
    assert numpy.abs(capture.samples(start + RATE // 10)).max() < 1.03 * LEVEL * QUARTER * 32768


# Order

def test_a_higher_one_sets_a_long_text_aside(capture, api, events, playing):
    """A doorbell: heard at once, alone, and then the text goes on where it was."""
    text = announce(api, "text.mp3", priority="low")["id"]
    capture.wait_seconds(1)
    mark = capture.frames
    bell = announce(api, "bell.mp3", priority="high")["id"]
    assert [(one["id"], one["state"]) for one in announcements(api)] == [(text, "set-aside"), (bell, "playing")]
    eventually(lambda: len(announcements(api)) == 1, "the bell is over")
    eventually(lambda: level_now(capture, TEXT) > 0.1, "the text goes on")
    eventually(lambda: abs(decibels(level_now(capture, MUSIC), LEVEL) + 20) < 1, "the music is still down")
    is_over(api)
    capture.wait_seconds(0.2)
    expected = [(text, "began"), (text, "set-aside"), (bell, "began"), (bell, "ended"), (text, "resumed"), (text, "ended")]
    eventually(lambda: changes(events, playing) == expected, f"{expected}")
    assert alone(capture, BELL, TEXT, mark), "the text went on under the bell"
    samples = capture.samples()
    loud = sum(amplitude(samples[at:at + 2205], TEXT) > 0.05 for at in range(0, len(samples) - 2205, 2205)) * 0.05
    assert abs(loud - 6) < 0.4, "all of the text was heard, once"
    back(capture)


def test_fifty_requests_at_once(capture, server, pulse, api, playing):
    """One is heard, as many wait as may, the others are told to retry."""
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: Api(server.url).request("POST", "/announcements", json={"uri": "text.mp3"}), range(50)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [201] * 17 + [429] * 33
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.json()["code"] == "too-many-announcements" and refused.headers["Retry-After"]
    assert sorted(one["state"] for one in announcements(api)) == ["playing"] + ["waiting"] * 16
    assert len(pulse.sink_inputs()) == 2
    # A higher one takes the place of the last.
    assert announce(api, priority="high")["state"] == "playing"
    for announcement in announcements(api):
        assert api.request("DELETE", f"/announcements/{announcement['id']}").status_code == 204
    assert not announcements(api)
    back(capture)


@pytest.mark.smoke
def test_delete_ends_it_and_gives_the_music_back(capture, api, events, playing):
    said = announce(api, "text.mp3", music="pause")
    waits = announce(api, "bell.mp3")
    assert api.request("DELETE", f"/announcements/{waits['id']}").status_code == 204
    assert api.request("DELETE", f"/announcements/{said['id']}").status_code == 204
    assert api.request("DELETE", f"/announcements/{said['id']}").status_code == 404
    assert last(api)["reason"] == "cancelled"
    back(capture)
    eventually(lambda: level_now(capture, TEXT) < 0.001, "the text is silent")
    api.wait_status("playing")
    eventually(lambda: changes(events, playing) == [(said["id"], "began"), (waits["id"], "ended"), (said["id"], "ended")], "the events")


# Failures

def test_unplayable_announcement_is_refused_and_the_music_stays(capture, api, events, playing):
    for uri, code, status in (("nothing.mp3", "not-found", 404), ("broken.mp3", "unsupported", 422)):
        answer = api.request("POST", "/announcements", json={"uri": uri, "music": "pause"})
        assert (answer.status_code, answer.json()["code"].removeprefix("media-")) == (status, code), answer.text
        assert (last(api)["reason"], last(api)["error"]["code"]) == ("failed", code)
        event = events.wait_for("announcement", lambda event: event["uri"] == uri, mark=playing)
        assert event["type"] == "ended" and event["reason"] == "failed" and event["error"]["code"] == code
        assert api.refusal("POST", "/sfx", json={"uri": uri})[0] == status
        assert api.call("GET", "/sfx")["ended"][0]["error"]["code"] == code
    assert api.refusal("POST", "/sfx", json={"uri": "../../etc/passwd"})[0] == 403
    assert len(api.call("GET", "/sfx")["ended"]) == 2, "it is refused before it begins"
    assert api.request("DELETE", "/sfx/x").status_code == 404
    api.wait_status("playing")
    # Music that plays on may run dry on a busy machine.
    assert {event["status"] for event in events.since(playing, "status")} <= {"buffering", "playing"}
    assert not events.since(playing, "interruption")
    for body in ({}, {"uri": ""}, {"uri": "a", "music": "stop"}, {"uri": "a", "duck": 3}, {"uri": "a", "priority": 5},
                 {"uri": "a", "music": "pause", "duck": -3}, {"uri": "a", "volume": -1}, {"uri": "a", "x": 1}):
        assert api.request("POST", "/announcements", json=body).status_code == 422, body


def test_the_sound_server_dies_meanwhile(capture, api, pulse, events, playing):
    announce(api, "text.mp3", music="pause")
    mark = events.mark()
    pulse.kill()
    events.wait_status("interrupted", mark=playing)
    capture.close()
    pulse.start()
    is_over(api)
    events.wait_for("announcement", lambda event: event["type"] == "ended", mark=mark)
    api.wait_status("playing", timeout=10)
    again = Capture(pulse).start(restart_sink=False)
    again.wait_seconds(0.5)
    back(again)


def test_kill_minus_9_leaves_nothing_behind(capture, server, api, pulse, playing):
    announce(api, "text.mp3")
    fresh = Api(server.restart(kill=True).url)
    assert fresh.call("GET", "/announcements") == {"announcements": [], "ended": []}
    player = fresh.player()
    assert player["status"] == "paused" and player["reason"] == "restored" and player["volume"] == 1
    fresh.play()
    back(capture)
    assert "Volume: front-left: 65536 / 100%" in " ".join(pulse.pactl("list", "sink-inputs").split())


@pytest.mark.parametrize("sink", [pytest.param(HEADPHONES, marks=pytest.mark.headphones), SECOND], ids=["headphones", "speakers"])
def test_its_output_is_removed(capture, api, pulse, events, playing, sink):
    """Not a sample of it on the speakers; the music there has nothing to do with it."""
    said = announce(api, "text.mp3", output="hp")
    waiting = announce(api, "text.mp3", output="hp")
    assert waiting["state"] == "waiting"
    mark = capture.frames
    pulse.unplug("hp")
    for each in (said, waiting):
        ended = events.wait_for("announcement", lambda event: event["type"] == "ended" and event["id"] == each["id"], mark=playing)
        assert ended["reason"] == "failed" and ended["error"]["code"] == "output-unavailable"
        assert ended["error"]["message"] == "The output hp was removed."
    capture.wait_seconds(0.5)
    assert first_heard(capture, TEXT, mark, 0.01) is None
    eventually(lambda: near(level_now(capture, MUSIC), LEVEL, 0.5), "the music plays on")
    api.wait_status("playing")
    pulse.load(sink)
    recorder = Capture(pulse, "hp").start()
    eventually(lambda: "hp" in api.outputs(), "it is back")
    recorder.wait_seconds(1)
    # With headphones the music moves there, and its start contains a little of every pitch.
    assert first_heard(recorder, TEXT, 0) is None, "an announcement that has ended goes on"
    announce(api, "text.mp3", output="hp")
    eventually(lambda: first_heard(recorder, TEXT, 0) is not None, "the next one is heard there")


# The session

def test_the_session_refuses_and_ends_it(capture, api, events, playing):
    """Row 146."""
    announce(api, "text.mp3")
    api.call("PATCH", "/session", json={"category": "audio-processing"})
    ended = events.wait_for("announcement", lambda event: event["type"] == "ended", mark=playing)
    assert ended["reason"] == "failed" and ended["error"]["code"] == "session-forbids"
    for path in ("/announcements", "/sfx"):
        assert api.refusal("POST", path, json={"uri": "bell.mp3"}) == (409, "session-forbids")
    api.call("PATCH", "/session", json={"category": "playback"})
    api.play()
    back(capture)
    assert announce(api)["state"] in ("loading", "playing")


def test_the_silent_switch_silences_where_the_category_obeys_it(capture, api, playing):
    api.call("PATCH", "/session", json={"category": "ambient", "silentSwitch": True})
    mark = capture.frames
    announce(api)
    is_over(api)
    capture.wait_seconds(0.2)
    assert first_heard(capture, BELL, mark) is None
    api.call("PATCH", "/session", json={"category": "playback"})
    mark = capture.frames
    said = announce(api, "text.mp3")
    eventually(lambda: first_heard(capture, TEXT, mark) is not None, "the switch does not count for playback")
    api.call("DELETE", f"/announcements/{said['id']}")
    api.call("PATCH", "/session", json={"category": "ambient", "locked": True})
    assert api.refusal("POST", "/announcements", json={"uri": "bell.mp3"}) == (409, "session-forbids")


def test_during_a_call_it_is_heard_and_the_music_waits_for_the_call(capture, pulse, api, playing):
    """As event sounds are: PulseAudio corks music and video only."""
    with Neighbour(pulse, "phone"):
        api.wait_status("interrupted")
        mark = capture.frames
        announce(api, music="pause")
        assert is_over(api)["reason"] == "finished"
        assert first_heard(capture, BELL, mark) is not None
        during(0.5, lambda: api.player()["status"] == "interrupted", "the end of the announcement ended the call")
    api.wait_status("playing")
    back(capture)


def test_it_goes_into_no_file(start_server, directory, sounds):
    """`--output file:` holds the music only: an announcement would not be heard."""
    client = Api(start_server(output=f"file:{directory}/out.wav", music=sounds.root).url)
    assert client.refusal("POST", "/announcements", json={"uri": "bell.mp3"}) == (503, "output-unavailable")


# From the command line

def test_the_command_line_announces(capture, cli, api, playing):
    cli.output("announce", "text.mp3", "--music", "pause", "--priority", "low", "--volume", "50")
    said = announcements(api)[0]
    assert (said["uri"], said["music"], said["priority"], said["volume"]) == ("text.mp3", "pause", "low", 0.125)
    assert "waiting" in cli.output("announce", "bell.mp3", "--priority", "low", "--duck", "-6")
    assert announcements(api)[1]["duck"] == -6
    assert cli.output("announce", "tick.mp3", "bell.mp3", "--chime", "tick.mp3", "--timeout", "3", "--wait", "--priority", "high") == ""
    ended = last(api)
    assert (ended["parts"], ended["chime"], ended["timeout"]) == (["tick.mp3", "bell.mp3"], "tick.mp3", 3)
    mark = capture.frames
    cli.output("sfx", "bell.mp3")
    eventually(lambda: first_heard(capture, BELL, mark) is not None, "the effect is heard")
    assert "nothing.mp3" in cli.refusal("announce", "nothing.mp3", "--priority", "high")
    for wrong in (("announce", ""), ("announce", "a", "--music", "pause", "--duck", "-3"), ("announce", "a", "--timeout", "0"), ("sfx", "a", "--volume", "101")):
        assert cli(*wrong).returncode == 64, wrong
