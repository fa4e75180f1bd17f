# SPDX-License-Identifier: Apache-2.0
"""Row 259: the default output is followed. PulseAudio moves the stream before it reports the new default."""

import subprocess
import time

import pytest

from rig import during, eventually
from rig.pulse import DESK

pytestmark = pytest.mark.headphones


@pytest.fixture
def playing(pulse, api):
    pulse.load(DESK)
    eventually(lambda: len(api.outputs()) == 3, "three outputs")
    # On a busy machine the changes take longer than the file.
    api.settings(repeat="one")
    api.start("long.mp3")
    return api


def ends_on(pulse, api, sink: str) -> None:
    def there() -> bool:
        is_followed = api.call("GET", "/outputs")["following"] == "default"
        return pulse.stream_sinks() == [sink] and is_followed and api.current_output() == sink and api.player()["status"] == "playing"

    eventually(there, f"the music is on {sink}", timeout=0.5)


def change_default(pulse, sinks: list[str], pause: float) -> None:
    """One change after the other, without waiting for the answers. The last one is answered last."""
    started = []
    for sink in sinks:
        started.append(subprocess.Popen(["pactl", "set-default-sink", sink], env=pulse.environment))
        if pause == 0:
            started[-1].wait()
        time.sleep(pause)  # the time between the changes is the subject
    for process in started[:-1]:
        process.wait()
    started[-1].wait()
    # The processes may have overtaken each other.
    pulse.pactl("set-default-sink", sinks[-1])


def test_fifty_changes_of_the_default_are_followed(pulse, playing, api):
    """Row 259: 10 ms to 3 s apart."""
    for _ in range(3):
        change_default(pulse, ["desk", "spk"] * 6 + ["desk"], 0.01)
        ends_on(pulse, api, "desk")
        change_default(pulse, ["spk"], 0)
        ends_on(pulse, api, "spk")
    for sink in ("desk", "spk"):
        time.sleep(3)  # as above
        change_default(pulse, [sink], 0)
        ends_on(pulse, api, sink)
    for pause in (0.05, 0.2, 0.5):
        change_default(pulse, ["desk", "spk"], pause)
        ends_on(pulse, api, "spk")


def test_headphones_as_the_default_are_followed_and_left(pulse, playing, api):
    """Row 259: here a stream of its own takes the place of the one that was moved."""
    for sinks in (["hp"], ["spk"], ["hp", "spk"] * 5 + ["hp"], ["desk"], ["hp", "desk", "spk"] * 3):
        change_default(pulse, sinks, 0.01)
        ends_on(pulse, api, sinks[-1])


def test_a_move_by_hand_is_respected_until_the_default_changes(pulse, playing, api):
    """Row 145: another program may move the music. The next change of the default takes it along again."""
    for _ in range(2):
        change_default(pulse, ["desk", "spk"], 0.01)
        ends_on(pulse, api, "spk")
        pulse.pactl("move-sink-input", pulse.sink_inputs()[0][0], "desk")
        eventually(lambda: pulse.stream_sinks() == ["desk"] and api.current_output() == "desk", "it is moved")
        during(0.5, lambda: pulse.stream_sinks() == ["desk"], "the move by hand was undone")
        change_default(pulse, ["hp", "spk"], 0.3)
        ends_on(pulse, api, "spk")


def test_a_move_by_hand_to_the_default_is_respected(pulse, playing, api):
    """Row 145: the music stays there, and follows the default again."""
    for _ in range(3):
        for sink in ("desk", "spk"):
            pulse.pactl("move-sink-input", pulse.sink_inputs()[0][0], sink)
            eventually(lambda: pulse.stream_sinks() == [sink] and api.current_output() == sink, "it is moved")
            during(0.3, lambda: pulse.stream_sinks() == [sink], "the move by hand was undone")
        for sink in ("desk", "spk"):
            change_default(pulse, [sink], 0)
            ends_on(pulse, api, sink)


def test_a_choice_does_not_undo_moves_by_hand(pulse, playing, api):
    api.call("PUT", "/outputs/current", json={"id": "desk"})
    # The answer comes after 0.8 s at the latest.
    eventually(lambda: pulse.stream_sinks() == ["desk"], "it is chosen")
    pulse.pactl("move-sink-input", pulse.sink_inputs()[0][0], "spk")
    eventually(lambda: pulse.stream_sinks() == ["spk"] and api.current_output() == "spk", "it is moved")
    during(0.3, lambda: pulse.stream_sinks() == ["spk"], "the move by hand was undone")
    api.call("PUT", "/outputs/current", json={"id": "desk"})
    eventually(lambda: pulse.stream_sinks() == ["desk"], "it is chosen again")
    # A choice that is the default: PulseAudio would take the stream along.
    change_default(pulse, ["desk", "spk"], 0.2)
    during(0.3, lambda: api.current_output() == "desk", "the choice is lost")
    assert pulse.stream_sinks() == ["desk"]


def test_a_choice_and_its_end_in_quick_succession_follow_the_default(pulse, playing, api):
    """A move that we asked for ourselves is nobody else's."""
    for _ in range(10):
        api.call("PUT", "/outputs/current", json={"id": "desk"})
        api.call("PUT", "/outputs/current", json={"id": None})
    ends_on(pulse, api, "spk")
    change_default(pulse, ["desk"], 0)
    ends_on(pulse, api, "desk")
