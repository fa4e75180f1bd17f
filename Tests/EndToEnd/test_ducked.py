# SPDX-License-Identifier: Apache-2.0
"""Another program's stream turns ours down (module-role-ducking): told, and never taken for the user's volume."""

import numpy
import pytest

from rig import RATE, Capture, Neighbour, PulseDaemon, during, eventually
from rig.pulse import SECOND, SPEAKERS


@pytest.fixture
def pulse(directory):
    home = directory / "pulse"
    home.mkdir()
    daemon = PulseDaemon(home, (SPEAKERS, SECOND, "module-role-ducking")).start()
    yield daemon
    daemon.stop()


def level(capture: Capture, seconds: float = 0.4) -> float:
    """Decibels of the last `seconds`, without the holes that a late mixer leaves."""
    samples = capture.samples()[-int(seconds * RATE):].astype(float) / 32768
    samples = samples[samples.any(axis=1)]
    assert len(samples) > RATE // 20, "nothing sounds"
    return 20 * numpy.log10(max(1e-9, float(numpy.sqrt((samples**2).mean()))))


def test_being_ducked_is_reported(capture, pulse, api, events, playing):
    """Row 136: -20 dB, told by API and event, restored; the volume is what the user set."""
    api.settings(volume=0.8)
    capture.wait_seconds(0.8)
    full = level(capture)
    assert api.player()["output"]["ducked"] is False
    # The call itself is silent.
    with Neighbour(pulse, "phone"):
        events.wait_for("output", lambda event: event["ducked"], mark=playing)
        assert api.player()["output"]["ducked"] is True
        assert api.wait_status("playing")["volume"] == 0.8
        capture.wait_seconds(0.8)
        assert abs(level(capture) - full + 20) < 1.5
        mark = events.mark()
    events.wait_for("output", lambda event: not event["ducked"], mark=mark)
    assert api.player()["output"]["ducked"] is False and api.player()["volume"] == 0.8
    capture.wait_seconds(0.8)
    assert abs(level(capture) - full) < 1.5


def test_a_volume_set_meanwhile_is_the_users(capture, pulse, api, playing):
    """Row 136: what is set while ducked holds afterwards, undiminished."""
    api.settings(volume=1)
    capture.wait_seconds(0.8)
    full = level(capture)
    with Neighbour(pulse, "phone"):
        eventually(lambda: api.player()["output"]["ducked"], "it is reported")
        api.settings(volume=0.5)
    eventually(lambda: not api.player()["output"]["ducked"], "it is over")
    api.settings(volume=1)
    capture.wait_seconds(0.8)
    assert abs(level(capture) - full) < 1.5


def test_others_do_not_duck(capture, pulse, api, playing):
    """A beep is no call, a corked call is none, and one on another sink is none either."""
    with Neighbour(pulse, "event"):
        during(0.4, lambda: not api.player()["output"]["ducked"], "a beep was taken for a call")
    with Neighbour(pulse, "phone") as call:
        eventually(lambda: api.player()["output"]["ducked"], "a call")
        pulse.pactl("move-sink-input", call.index, "hp")
        eventually(lambda: not api.player()["output"]["ducked"], "it is elsewhere")
        pulse.pactl("move-sink-input", call.index, "spk")
        eventually(lambda: api.player()["output"]["ducked"], "and back")
        pulse.unload(pulse.module("module-role-ducking"))
        eventually(lambda: not api.player()["output"]["ducked"], "nobody ducks any more")


def test_a_sound_server_that_dies_ducks_nobody(capture, pulse, api, playing):
    with Neighbour(pulse, "phone"):
        eventually(lambda: api.player()["output"]["ducked"], "a call")
        pulse.kill()
        eventually(lambda: not api.player()["output"]["ducked"], "the server is gone")
    pulse.start()
    api.wait_status("playing")
    assert not api.player()["output"]["ducked"]


def test_the_reported_duck_is_the_heard_one(capture, pulse, api, playing):
    """The value derived from the module's arguments agrees with its effect: other roles, all sinks, muted calls."""
    pulse.unload(pulse.module("module-role-ducking"))
    pulse.load("module-role-ducking trigger_roles=event,phone ducking_roles=music global=1 volume=-30dB")
    capture.wait_seconds(0.8)
    full = level(capture)
    for role, sink, muted in (("event", "spk", False), ("phone", "hp", False), ("game", "spk", False), ("event", "spk", True)):
        with Neighbour(pulse, role) as other:
            if sink != "spk":
                pulse.pactl("move-sink-input", other.index, sink)
            if muted:
                pulse.pactl("set-sink-input-mute", other.index, "1")
            capture.wait_seconds(1.0)
            heard = bool(level(capture) < full - 15)
            eventually(lambda: api.player()["output"]["ducked"] is heard, f"{role} at {sink}, muted {muted}: heard {heard}")
        eventually(lambda: not api.player()["output"]["ducked"], "it is over")
        capture.wait_seconds(0.8)
