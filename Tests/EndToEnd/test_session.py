# SPDX-License-Identifier: Apache-2.0
"""The audio session: who may sound, and what becomes of other programs. They are played by pacat."""

import time

import numpy
import pytest

from rig import PATIENCE, RATE, Api, Neighbour, during, eventually
from rig.signals import largest_difference

# A server that may reach into other programs.
interrupts_others = pytest.mark.serve("--interrupt-others", "on")

# The other program's amplitude, full scale 1.
NEIGHBOUR = 0.25


def session(api) -> dict:
    return api.call("GET", "/session")


def change(api, **members) -> dict:
    return api.call("PATCH", "/session", json=members)


def refused(api, **members) -> tuple[int, str | None]:
    answer = api.request("PATCH", "/session", json=members)
    return answer.status_code, answer.json().get("member") or answer.json().get("code")


def is_muted(neighbour: Neighbour) -> bool:
    return "Mute: yes" in neighbour.stream()


def amplitude(capture, frequency: float = 1000, seconds: float = 0.4) -> float:
    """Of a sine in the last `seconds` of the left channel, full scale 1."""
    samples = capture.samples()[-int(seconds * RATE):, 0].astype(float) / 32768
    window = numpy.hanning(len(samples))
    phase = numpy.exp(-2j * numpy.pi * frequency * numpy.arange(len(samples)) / RATE)
    return float(2 * abs((samples * window * phase).sum()) / window.sum())


@pytest.fixture
def other(pulse):
    with Neighbour(pulse, "music", amplitude=NEIGHBOUR) as neighbour:
        yield neighbour


@pytest.fixture
def microphone(pulse, api) -> None:
    pulse.load("module-null-sink sink_name=mic_in")
    pulse.load("module-remap-source master=mic_in.monitor source_name=mic")
    eventually(lambda: "record" in session(api)["available"]["categories"], "the microphone is seen")


@pytest.mark.smoke
def test_the_session_at_the_start_and_its_activation(pulse, api):
    """Rows 94, 99, 110: the documented default; activation needs a route."""
    eventually(lambda: "playback" in session(api)["available"]["categories"], "the output is there")
    state = session(api)
    assert (state["category"], state["options"], state["mode"], state["active"]) == ("playback", [], "default", False)
    assert state["others"] == "silence" and state["interruptOthers"] is False
    assert "record" not in state["available"]["categories"]
    assert state["available"]["modes"] == ["default", "movie-playback", "measurement"]
    assert change(api, active=True)["active"] is True
    assert change(api, active=False)["active"] is False
    pulse.kill()
    eventually(lambda: "playback" not in session(api)["available"]["categories"], "it is gone")
    assert refused(api, active=True) == (503, "no-suitable-route")


def test_everything_at_once_or_nothing(pulse, api):
    """Rows 117, 118, 119, 126, 109: bad combinations change nothing."""
    eventually(lambda: "playback" in session(api)["available"]["categories"], "the output is there")
    assert change(api, category="playback", options=["mix-with-others"], mode="movie-playback")["others"] == "mix"
    before = session(api)
    assert refused(api, category="ambient", options=[], mode="voice-chat") == (422, "mode")
    assert refused(api, category="ambient") == (422, "options")
    assert refused(api, options=["default-to-speaker"]) == (422, "options")
    assert refused(api, mode="loud") == (422, "mode")
    assert refused(api, options="mix-with-others") == (422, "options")
    assert refused(api, options=["nonsense"]) == (422, "options")
    assert refused(api, notifyOthers=True) == (422, "notifyOthers")
    assert refused(api, category="record", options=[], mode="default") == (409, "session-forbids")
    assert refused(api, colour="blue")[0] == 422
    for method in ("PUT", "PATCH"):
        response = api.request(method, "/session")
        assert (response.status_code, response.json().get("code")) == (400, "malformed"), method
    assert session(api) == before
    assert change(api, mode="default")["options"] == ["mix-with-others"]
    assert api.call("PUT", "/session", json={})["options"] == []


@interrupts_others
def test_others_are_silent_only_while_music_plays(api, capture, pulse, other):
    """Rows 97, 100, 103: muted while active, and only what we muted is heard again. For row 104 see below."""
    change(api, category="solo-ambient")
    with Neighbour(pulse, "music") as by_hand, Neighbour(pulse, "event") as beep:
        pulse.pactl("set-sink-input-mute", by_hand.index, "1")
        api.load("long.mp3", play=True)
        eventually(lambda: is_muted(other), "the other program is muted")
        assert session(api)["active"] and session(api)["otherAudioPlaying"]
        assert not is_muted(beep), "short sounds are not music"
        api.pause()
        eventually(lambda: not is_muted(other), "heard again")
        assert is_muted(by_hand), "muted by hand, and so it stays"
        assert not session(api)["active"]


def test_others_are_left_alone_unless_the_operator_allows(capture, pulse, api, other):
    """Row 104 and the choice of decision 0016."""
    api.start("long.mp3")
    during(0.5, lambda: not is_muted(other), "reached into another program")


@interrupts_others
def test_a_stop_and_a_crash_give_back_what_was_taken(server, api, capture, pulse, other):
    """Row 104 and issue 4: after kill -9 the next run does."""
    api.load("long.mp3", play=True)
    eventually(lambda: is_muted(other), "the other program is muted")
    server.kill()
    assert is_muted(other)
    server.start()
    eventually(lambda: not is_muted(other), "the next run gives it back")
    api = Api(server.url)
    api.play()
    eventually(lambda: is_muted(other), "muted again")
    assert server.stop() == 0
    eventually(lambda: not is_muted(other), "given back")


@interrupts_others
def test_release_without_notice_leaves_others_silent(api, capture, pulse, other):
    """Row 100: the flag."""
    api.load("long.mp3", play=True)
    eventually(lambda: is_muted(other), "the other program is muted")
    assert change(api, active=False, notifyOthers=False)["active"] is False
    assert api.wait_status("paused")
    during(0.4, lambda: is_muted(other), "was given back")


def test_others_are_ducked_and_come_back(capture, pulse, api, other):
    """Row 112: -20 dB +-1 while active."""
    # Only the sine is heard: our own music is silent.
    api.settings(muted=True)
    eventually(lambda: amplitude(capture) > 0.2, "the other program sounds")
    capture.wait_seconds(0.6)

    def level() -> float:
        return float(20 * numpy.log10(max(1e-9, amplitude(capture)) / NEIGHBOUR))

    # Its own program may be late on a busy machine, but not for long.
    eventually(lambda: abs(level()) < 0.2, "it is heard in full")
    change(api, options=["duck-others"])
    api.load("long.mp3", play=True)
    eventually(lambda: "46%" in other.stream(), "its volume is changed")
    eventually(lambda: abs(level() + 20) < 1, "it is heard 20 dB below")
    api.pause()
    eventually(lambda: "100%" in other.stream(), "its volume is as before")
    eventually(lambda: abs(level()) < 0.2, "it is heard in full again")


def test_a_ducked_program_may_die_or_be_changed_by_hand(capture, pulse, api, other):
    """Issue 4, bad input."""
    change(api, options=["duck-others"])
    with Neighbour(pulse, "music") as second:
        api.load("long.mp3", play=True)
        eventually(lambda: "46%" in second.stream() and "46%" in other.stream(), "both are ducked")
    pulse.pactl("set-sink-input-volume", other.index, "70%")
    during(0.4, lambda: "70%" in other.stream(), "fought the user's hand")
    api.pause()
    during(0.4, lambda: "70%" in other.stream(), "overwrote the user's hand")


@interrupts_others
def test_mixing_is_heard_as_both(api, capture, pulse, other):
    """Rows 102, 111: ambient, and the option of playback: the sum of both is heard."""
    for members in ({"category": "ambient"}, {"category": "playback", "options": ["mix-with-others"]}):
        api.call("PUT", "/session", json=members)
        api.start("low.mp3")
        during(0.4, lambda: not is_muted(other), "muted although it mixes")
        capture.wait_seconds(0.5)
        eventually(lambda: amplitude(capture) > 0.2 and amplitude(capture, 220) > 0.4, "both are heard", every=0.1)
        api.command("stop")


@interrupts_others
def test_spoken_audio_only(api, capture, pulse, other):
    """Row 116."""
    with Neighbour(pulse, "a11y") as speech:
        change(api, options=["interrupt-spoken-audio-and-mix"])
        api.load("long.mp3", play=True)
        eventually(lambda: is_muted(speech), "speech is silent")
        assert not is_muted(other)


def test_other_audio_is_reported(capture, pulse, api, events):
    """Rows 101, 135: other programs within 200 ms, as an event; the secondary-audio hint begins and ends with music only."""
    assert session(api)["otherAudioPlaying"] is False
    coming, going = [], []
    for role in ("event", "music"):
        mark = events.mark()
        with Neighbour(pulse, role):
            there = time.monotonic()
            seen = events.wait_for("session", lambda event: event["otherAudioPlaying"], mark=mark)
            coming.append(seen.moment - there)
            during(0.2, lambda: session(api)["silenceSecondaryAudioHint"] is (role == "music"), f"the hint for {role}")
            mark, gone = events.mark(), time.monotonic()
        left = events.wait_for("session", lambda event: not event["otherAudioPlaying"], mark=mark)
        going.append(left.moment - gone)
        assert left["silenceSecondaryAudioHint"] is False
    # A busy machine delays one of them.
    assert min(coming) < 0.2 * PATIENCE and min(going) < 0.2 * PATIENCE, (coming, going)
    hints = [event["silenceSecondaryAudioHint"] for event in events.since(0, "session")]
    assert [hint for hint, before in zip(hints, [False] + hints) if hint != before] == [True, False]


def test_the_silent_switch_counts_for_its_categories(capture, pulse, api, events):
    """Rows 95, 102-104: solo-ambient is silent, playback unchanged; the mute of the user is another thing."""
    api.load("long.mp3", play=True)
    capture.wait_sound()
    change(api, silentSwitch=True)
    capture.wait_seconds(0.4)
    assert capture.samples()[-RATE // 4:].any()
    change(api, category="solo-ambient")
    capture.wait_silence(0.3)
    silenced = api.wait_status("playing")
    assert (silenced["muted"], silenced["reason"]) == (False, "silent-switch")
    mark = events.mark()
    change(api, silentSwitch=False)
    capture.wait_sound(capture.frames)
    # A late sound server is the machine's.
    heard = events.wait_for("status", lambda event: event["reason"] != "output-unavailable", mark=mark)
    assert heard["reason"] is None and api.wait_status("playing")["reason"] is None


def test_the_lock_pauses_what_obeys_it(capture, pulse, api):
    """Row 96."""
    api.load("long.mp3", play=True)
    capture.wait_sound()
    change(api, locked=True)
    during(0.3, lambda: api.player()["status"] in ("playing", "buffering"), "playback does not obey the lock")
    change(api, category="ambient")
    assert api.wait_status("interrupted")["reason"] == "interruption"
    capture.wait_silence(0.3)
    change(api, locked=False)
    api.wait_status("playing")


def test_a_category_that_only_records_plays_nothing(capture, pulse, api, microphone):
    """Rows 105, 108, 109. For row 146 see test_items.py."""
    api.start("long.mp3")
    assert session(api)["mayRecord"] is False
    assert change(api, category="record")["mayRecord"] is True
    paused = api.wait_status("paused")
    assert paused["reason"] == "session"
    for verb in ("play", "toggle"):
        assert api.refusal("POST", f"/player/{verb}") == (409, "session-forbids")
    assert change(api, category="audio-processing")["mayRecord"] is False
    eventually(lambda: not pulse.sink_inputs(), "the stream is given back", timeout=20, every=0.1)
    change(api, category="play-and-record")
    assert session(api)["mayRecord"] is True
    api.play()
    api.wait_status("playing")


def test_modes_set_the_role_of_the_stream(capture, pulse, api, microphone):
    """Rows 121, 122, 123, 120: the role in the property list, and back."""
    api.start("long.mp3")

    def roles() -> set[str]:
        return {line.split('"')[1] for line in pulse.pactl("list", "sink-inputs").splitlines() if "media.role" in line}

    for category, mode, role in (("playback", "movie-playback", "video"), ("play-and-record", "game-chat", "game"),
                                 ("play-and-record", "voice-chat", "phone"), ("play-and-record", "video-chat", "phone")):
        change(api, category=category, mode=mode)
        eventually(lambda: roles() == {role}, f"{mode} is {role}")
        change(api, mode="default")
        eventually(lambda: roles() == {"music"}, "music")


def test_measurement_leaves_the_sound_as_it_is(capture, pulse, api, media):
    """Row 125: neither volume nor balance nor effects count: bit-exact."""
    api.settings(volume=0.1, balance=-1)
    bands = [{"type": "peak", "frequency": 1000, "gain": -12, "q": 1}]
    api.call("PUT", "/effects", json={"enabled": True, "equalizer": {"enabled": True, "bands": bands}, "reverb": {"enabled": True},
                                      "loudness": {"mode": "track", "untaggedPreamp": -6}})
    change(api, mode="measurement")
    api.load("noise.mp3", play=True)
    capture.wait_sound()
    api.wait_status("completed", timeout=10)
    capture.wait_silence(0.3)
    assert largest_difference(capture.samples(), media.reference("noise.mp3"))[0] <= 1
    assert api.player()["volume"] == 0.1 and api.player()["balance"] == -1


def test_bluetooth_and_airplay_are_admitted_by_option(capture, pulse, api, events, microphone):
    """Rows 113, 114, 142 (category-change): fixture sinks with the properties of the real ones."""
    pulse.load('module-null-sink sink_name=bt sink_properties=device.bus=bluetooth')
    pulse.load("module-null-sink sink_name=raop_output.box")

    eventually(lambda: "bt" in api.outputs(), "listed")
    for sink, option in (("bt", "allow-bluetooth-a2dp"), ("raop_output.box", "allow-airplay")):
        api.call("PUT", "/session", json={})
        api.call("PUT", "/outputs/current", json={"id": sink})
        eventually(lambda: api.current_output() == sink, "chosen")
        mark = events.mark()
        api.call("PUT", "/session", json={"category": "play-and-record"})
        eventually(lambda: api.current_output() != sink, f"{sink} is not admitted")
        events.wait_for("route", lambda event: event["reason"] == "category-change", mark=mark)
        change(api, options=[option])
        eventually(lambda: api.current_output() == sink, f"{sink} is admitted again")


def test_a_forbidden_output_to_which_the_music_was_moved_pauses_it_when_it_is_unplugged(pulse, api, microphone):
    """Row 138: another program moved it there."""
    pulse.load("module-null-sink sink_name=bt sink_properties=device.bus=bluetooth")
    eventually(lambda: "bt" in api.outputs(), "listed")
    api.call("PUT", "/session", json={"category": "play-and-record"})
    eventually(lambda: api.current_output() != "bt", "Bluetooth is not admitted")
    api.load("long.mp3", play=True)
    api.wait_status("playing")
    pulse.pactl("move-sink-input", pulse.sink_inputs()[0][0], "bt")
    eventually(lambda: api.current_output() == "bt", "moved")
    pulse.unload(pulse.module("sink_name=bt"))
    assert api.wait_status("paused")["reason"] == "route-lost"


def test_a_chat_brings_its_options_and_the_default_takes_them_back(capture, pulse, api, microphone):
    """Rows 115, 120, 121: the options of a mode are listed beside the requested ones, apply, and go with the mode."""
    pulse.load("module-null-sink sink_name=headset sink_properties=device.form_factor=headset")
    pulse.load("module-null-sink sink_name=loud sink_properties=device.form_factor=speaker")
    pulse.load("module-null-sink sink_name=bt sink_properties=device.bus=bluetooth")

    eventually(lambda: "bt" in api.outputs(), "listed")
    state = api.call("PUT", "/session", json={"category": "play-and-record", "options": ["mix-with-others"]})
    assert state["effectiveOptions"] == state["options"] == ["mix-with-others"]
    api.call("PUT", "/outputs/current", json={"id": "bt"})
    eventually(lambda: api.current_output() not in (None, "bt"), "Bluetooth is not admitted")
    for mode, extras in (("voice-chat", ["allow-bluetooth"]), ("video-chat", ["allow-bluetooth", "default-to-speaker"])):
        state = change(api, mode=mode)
        assert state["options"] == ["mix-with-others"] and state["effectiveOptions"] == [*extras, "mix-with-others"]
        eventually(lambda: api.current_output() == "bt", f"{mode} admits Bluetooth")
    api.call("PUT", "/outputs/current", json={"id": None})
    eventually(lambda: api.current_output() == "loud", "the speaker, as in a video chat")
    state = change(api, mode="default")
    assert state["effectiveOptions"] == ["mix-with-others"]
    eventually(lambda: api.current_output() != "loud", "and back")


def test_a_change_of_the_session_does_not_touch_the_transport(capture, pulse, api, events):
    """Rows 167, 168: still playing; active with the music, inactive after its end."""
    api.load("noise.mp3", "long.mp3")
    api.play(index=1)
    events.wait_status("playing")
    mark = events.mark()
    for members in ({"category": "ambient"}, {"category": "multi-route"}, {"category": "playback", "mode": "movie-playback"}):
        assert api.call("PUT", "/session", json=members)["active"] is True
    capture.wait_seconds(0.3)
    api.wait_status("playing")
    # A late sound server is the machine's.
    assert all(event["status"] == "playing" or event["reason"] == "output-unavailable" for event in events.since(mark, "status"))
    api.play(index=0)
    api.settings(stopAfterCurrent=True)
    api.wait_status("stopped", "completed")
    eventually(lambda: session(api)["active"] is False, "released after the end")
