# SPDX-License-Identifier: Apache-2.0
"""PipeWire's PulseAudio server in place of PulseAudio. docs/sound-servers.md lists the differences."""

import numpy
import pytest

from rig import PATIENCE, RATE, Capture, Neighbour, during, eventually
from rig.pipewire import PipeWireDaemon, is_installed

pytestmark = [
    pytest.mark.skipif(not is_installed(), reason="PipeWire, WirePlumber or pipewire-pulse is not installed"), pytest.mark.headphones]


@pytest.fixture
def pulse(directory):
    home = directory / "pw"
    home.mkdir()
    daemon = PipeWireDaemon(home)
    yield daemon.start()
    daemon.stop()


def test_it_is_what_is_said_to_be(capture, pulse, api):
    """The outputs and the default, as PipeWire tells them."""
    assert "PipeWire" in pulse.pactl("info")
    eventually(lambda: api.current_output() == "spk", "the default sink is the current output")
    outputs = api.outputs()
    assert outputs["spk"]["default"] and outputs["hp"]["formFactor"] == "headphone"


def test_play_pause_and_seek(capture, pulse, api, events, playing, media):
    """`playing` sounds, `paused` does not, and a seek is heard where it went to."""
    assert pulse.stream_sinks().count("spk") >= 1
    api.pause()
    paused = api.wait_status("paused")
    capture.wait_silence(0.3)
    during(0.3, lambda: api.player()["position"] == paused["position"], "time ran while paused")
    silent = capture.frames
    api.resume()
    capture.wait_sound(silent)
    api.seek(position=20)
    assert 20 <= api.wait_status("playing")["position"] < 20 + PATIENCE
    first = api.player()
    capture.wait_seconds(1)
    second = api.player()
    assert 0.5 < second["position"] - first["position"] < 5 and second["rate"] == 1


def test_time_runs_as_the_sink_does(capture, pulse, api, playing):
    """Position is what is heard: over 3 s of what the monitor gives it advances by 3 s."""
    def reading() -> tuple[int, float, int]:
        """A position, and the frames between which it was asked for."""
        return capture.frames, api.player()["position"], capture.frames

    capture.wait_seconds(0.5)
    first = reading()
    capture.wait_frames(first[2] + 3 * RATE)
    last = reading()
    assert (last[0] - first[2]) / RATE - 0.3 < last[1] - first[1] < (last[2] - first[0]) / RATE + 0.3


def test_items_follow_each_other_without_a_gap(capture, pulse, api):
    """One stream for both: no silence between."""
    api.load("short-0.mp3", "long.mp3", play=True)
    start = capture.wait_sound()
    eventually(lambda: api.player()["queueIndex"] == 1, "the second item plays", timeout=20)
    capture.wait_seconds(0.7)
    loudness = numpy.abs(capture.samples(start).astype(int)).max(axis=1)
    size = RATE // 20
    windows = [loudness[at:at + size].max() for at in range(size, len(loudness) - 2 * size, size)]
    assert min(windows) > 20, "silence between two items"


def test_the_default_sink_goes(capture, pulse, api, events, playing):
    """Row 139: another sink than headphones: goes on elsewhere."""
    third = pulse.load("module-null-sink sink_name=third rate=44100 channels=2")
    api.choose("third")
    eventually(lambda: api.current_output() == "third", "chosen")
    eventually(lambda: "third" in pulse.stream_sinks(), "and there")
    api.wait_status("playing")
    pulse.unload(third)
    eventually(lambda: api.current_output() == "spk", "followed")
    api.wait_status("playing")
    silent = capture.frames
    capture.wait_sound(silent)


def test_the_default_is_followed(capture, pulse, api, playing):
    """Row 259: here the default is reported first, and the session manager moves the stream after it."""
    pulse.load("module-null-sink sink_name=third rate=44100 channels=2")
    eventually(lambda: "third" in api.outputs(), "listed")
    for sinks in (["third"], ["spk"], ["third", "spk"] * 5, ["third", "spk"] * 5 + ["third"], ["spk"]):
        for sink in sinks:
            pulse.pactl("set-default-sink", sink)
        eventually(lambda: api.current_output() == sinks[-1] and sinks[-1] in pulse.stream_sinks(), f"on {sinks[-1]}")
        assert api.call("GET", "/outputs")["following"] == "default"
        during(0.3, lambda: api.current_output() == sinks[-1], "it went elsewhere")


def test_headphones_go_and_the_speakers_stay_silent(capture, pulse, api, events):
    """Row 138."""
    api.choose("hp")
    api.start("long.mp3")
    eventually(lambda: "hp" in pulse.stream_sinks(), "on the headphones")
    mark = capture.frames
    pulse.unplug("hp")
    assert api.wait_status("paused")["reason"] == "route-lost"
    capture.wait_seconds(0.7)
    assert capture.first_sound(mark) is None, "the speakers blared"


def test_without_a_sink_there_is_a_stand_in(capture, pulse, api, playing):
    """PipeWire makes a sink of its own: it is listed, and its clock runs."""
    capture.close()
    pulse.unplug("hp")
    pulse.unplug("spk")
    eventually(lambda: api.current_output() == "auto_null", "the stand-in is followed")
    api.wait_status("playing")
    position = api.player()["position"]
    eventually(lambda: api.player()["position"] > position + 0.3, "its clock runs")


def test_modules_that_it_does_not_have(pulse):
    """Calls and ducking as in docs/sound-servers.md. If this fails, PipeWire can do more and needs tests."""
    for module in ("module-role-cork", "module-role-ducking"):
        with pytest.raises(AssertionError, match="No such entity"):
            pulse.load(module)


@pytest.mark.parametrize("victims", [("pipewire-pulse",), ("pipewire-pulse", "wireplumber", "pipewire")])
def test_the_sound_server_dies_and_comes_back(capture, pulse, api, events, playing, victims):
    """Row 147."""
    mark = events.mark()
    for program in victims:
        pulse.kill_program(program)
    stopped = api.wait_status("interrupted", "buffering")
    assert stopped["rate"] == 0
    if "pipewire" in victims:
        pulse.start()
    else:
        pulse.start_program("pipewire-pulse")
    again = events.wait_status("playing", timeout=15, mark=mark)
    assert abs(again["position"] - stopped["position"]) < 1


def test_a_suspended_sink_wakes_again(capture, pulse, api, playing):
    """PipeWire wakes a sink that somebody plays at: the music goes on by itself, or with the sink."""
    pulse.suspend("spk", True)
    pulse.suspend("spk", False)
    api.wait_status("playing")
    position = api.player()["position"]
    eventually(lambda: api.player()["position"] > position + 0.2, "time goes on")
    # PipeWire gives silence to older recorders of the monitor after that.
    fresh = Capture(pulse).start(restart_sink=False)
    fresh.wait_sound(fresh.frames)


def test_others_are_ducked_and_come_back(capture, pulse, api, playing):
    """Row 112."""
    with Neighbour(pulse, "music", amplitude=0.25) as other:
        api.call("PATCH", "/session", json={"options": ["duck-others"]})
        eventually(lambda: "46%" in other.stream(), "ducked")
        api.pause()
        eventually(lambda: "100%" in other.stream(), "restored")


def test_it_ends_in_time(capture, pulse, api, server, playing):
    assert server.stop() == 0
    eventually(lambda: not any("Tonearm" in block for block in pulse.pactl("list", "sink-inputs").split("Sink Input #")),
               "our stream is gone")
