# SPDX-License-Identifier: Apache-2.0
"""Devices: choosing, following, losing them."""

import datetime

import pytest

from rig import RATE, Api, Capture, Origin, during, eventually, kept_waiting
from rig.pulse import DESK, HEADPHONES, SPEAKERS

pytestmark = pytest.mark.headphones


def test_outputs_are_listed_as_they_are(pulse, api):
    """DESIGN section 4."""
    outputs = eventually(lambda: (found := api.outputs()) and {"spk", "hp"} <= found.keys() and found, "both sinks")
    assert outputs["hp"]["name"] == "hp" and outputs["hp"]["formFactor"] == "headphone" and outputs["hp"]["available"]
    pulse.load("module-null-sink sink_name=third")
    eventually(lambda: "third" in api.outputs(), "a new sink is listed")


@pytest.mark.smoke
def test_the_music_moves_to_the_chosen_sink_without_a_jump(capture, headphones, pulse, api, events):
    """Rows 74, 142: heard on one, then on the other; the position runs on; the route's reason is `override`."""
    api.load("low.mp3", play=True)
    capture.wait_sound()
    before, asked = api.player(), events.mark()
    api.choose("hp")
    mark = headphones.frames
    headphones.wait_sound(max(0, mark - RATE // 2))
    capture.wait_silence(0.2, timeout=5)
    snapshot = api.wait_status("playing")
    passed = (snapshot["sampledAt"] - before["sampledAt"]) / 1000
    assert before["position"] < snapshot["position"] < before["position"] + passed + 1
    assert api.current_output() == "hp"
    assert pulse.stream_sinks() == ["hp"]
    events.wait_for("route", lambda event: event["reason"] == "override", mark=asked)


def test_a_chosen_sink_stays_when_the_default_changes(capture, pulse, api):
    """Row 145: sticky."""
    api.choose("spk")
    api.load("long.mp3", play=True)
    capture.wait_sound()
    # PulseAudio keeps no choice of the default: it moves the stream with it, before it answers.
    pulse.pactl("set-default-sink", "hp")
    eventually(lambda: pulse.stream_sinks() == ["spk"], "it is moved back")
    during(0.7, lambda: pulse.stream_sinks() == ["spk"], "the chosen sink was left")


def test_a_ramp_takes_as_long_at_another_rate(capture, pulse, api):
    """Row 85: what is left of a fade is time, not frames: the stream is replaced by one of 8 kHz on its way."""
    pulse.load("module-null-sink sink_name=slow rate=8000 channels=2 norewinds=1 sink_properties=device.form_factor=headset")
    slow = Capture(pulse, "slow").start()
    # Plugged in, the headset was followed.
    api.choose("spk")
    api.load("long.mp3", play=True)
    capture.wait_sound()
    api.settings(volumeRamp={"to": 0, "seconds": 3})
    api.choose("slow")
    start = slow.wait_sound()
    slow.wait_silence(1.0, timeout=60)
    last = slow.last_sound(start)
    assert 0.5 < (last - start) / RATE < 5, "3 s of the other rate"


def test_the_best_output_is_taken_as_they_are_plugged(pulse, api):
    """Row 137: headphones, else the default, else what there is; the configured default is spk. `RouteDecisionTests` has every order."""
    modules = {"desk": "module-null-sink sink_name=desk", "spk": SPEAKERS, "hp": HEADPHONES}

    def best(sinks: list[str]) -> str | None:
        return next((name for name in ("hp", "spk", "desk") if name in sinks), None)

    def check(sinks: list[str]) -> None:
        eventually(lambda: api.outputs().keys() == set(sinks), f"{sinks} are listed")
        eventually(lambda: api.current_output() == best(sinks), f"{best(sinks)} of {sinks}")

    for name in ("hp", "spk"):
        pulse.unplug(name)
    check([])
    plugged: list[str] = []
    for name, module in modules.items():
        pulse.load(module)
        plugged.append(name)
        check(plugged)
    during(0.3, lambda: api.current_output() == "hp", "the headphones were left")
    for name in modules:
        pulse.unload(pulse.module(f"sink_name={name}"))
        plugged.remove(name)
        check(plugged)


def test_the_best_output_is_taken_at_the_start(pulse, start_server):
    """Row 137: headphones win over the configured default, which is spk; a choice wins over both."""
    for name in ("hp", "spk"):
        pulse.unplug(name)
    for module in ("module-null-sink sink_name=desk", HEADPHONES, SPEAKERS):
        pulse.load(module)
    pulse.pactl("set-default-sink", "spk")
    server = start_server(output="pulse", pulse=pulse)
    api = Api(server.url)
    eventually(lambda: api.current_output() == "hp", "the headphones")
    assert api.call("GET", "/outputs")["following"] == "default"
    api.start("long.mp3")
    assert pulse.stream_sinks() == ["hp"]
    api.choose("spk")
    server.stop()
    api = Api(server.start().url)
    eventually(lambda: api.current_output() == "spk", "the choice is kept")
    assert api.call("GET", "/outputs")["following"] == "choice"


def test_a_combined_sink_is_an_output_as_any_other(capture, headphones, pulse, api):
    """Issue 4, real components: module-combine-sink over both: chosen, heard on both, and left again when it goes."""
    pulse.load("module-combine-sink sink_name=both slaves=spk,hp")
    assert api.choose("both")["following"] == "choice"
    api.load("low.mp3", play=True)
    capture.wait_sound(timeout=10)
    headphones.wait_sound(timeout=10)
    assert api.wait_status("playing") and api.current_output() == "both"
    before = api.player()["position"]
    pulse.unload(pulse.module("sink_name=both"))
    eventually(lambda: api.current_output() in ("spk", "hp"), "another one takes over")
    if api.player()["status"] == "paused":
        api.play()
    eventually(lambda: api.player()["status"] == "playing" and api.player()["position"] > before + 0.5, "it plays on", timeout=10)


def test_the_configured_sink_is_reported_while_it_is_missing_and_taken_when_it_appears(pulse, start_server):
    pulse.unplug("hp")
    server = start_server(output="pulse", pulse=pulse, arguments=("--sink", "desk"))
    api = Api(server.url)
    api.load("long.mp3", play=True)
    eventually(lambda: pulse.stream_sinks() == ["spk"], "the music plays on the default")
    listed = api.call("GET", "/outputs")
    assert listed["following"] == "default" and "desk" in listed["message"] and "desk" in api.player()["output"]["message"]
    assert server.log().count("the chosen sink is not there") == 1
    pulse.load(DESK)
    eventually(lambda: pulse.stream_sinks() == ["desk"], "the music plays on the sink")
    eventually(lambda: api.call("GET", "/outputs")["following"] == "choice", "it is the choice")
    assert api.call("GET", "/outputs")["message"] is None and api.player()["output"]["message"] is None


def test_the_choice_of_a_sink_waits_while_the_server_has_no_sinks(pulse, start_server):
    """It is not missing: the null output has no choice. PulseAudio has it again."""
    server = start_server(output="pulse", pulse=pulse)
    Api(server.url).choose("hp")
    server.stop()
    server.output = "null"
    api = Api(server.start().url)
    api.start("long.mp3")
    assert api.player()["output"]["message"] is None and api.call("GET", "/outputs")["message"] is None
    assert "the chosen sink is not there" not in server.log()
    server.stop()
    server.output = "pulse"
    api = Api(server.start().url)
    eventually(lambda: api.current_output() == "hp" and api.call("GET", "/outputs")["following"] == "choice", "it is the choice again")


def test_an_output_can_be_chosen_with_the_first_request(pulse, start_server):
    server = start_server(output="pulse", pulse=pulse)
    Api(server.url).call("POST", "/players", json={"id": "kitchen"})
    for player in ("main", "kitchen") * 3:
        server.restart()
        Api(server.url).call("PUT", f"/players/{player}/outputs/current", json={"id": "hp"})


def test_a_suspended_sink_is_not_called_playing(capture, pulse, api, events):
    """Row 73, promise 1: SUSPEND, before it plays and while it does: not playing, with a reason; afterwards it plays on."""
    pulse.suspend("spk", True)
    mark = events.mark()
    api.load("long.mp3", play=True)
    assert events.wait_status("interrupted", mark=mark)["reason"] == "output-suspended" and api.player()["output"]["suspended"]
    pulse.suspend("spk", False)
    events.wait_status("playing", mark=mark)
    assert not api.player()["output"]["suspended"]
    capture.wait_sound()
    pulse.suspend("spk", True)
    asleep = api.wait_status("interrupted")
    assert asleep["rate"] == 0 and asleep["reason"] == "output-suspended"
    during(0.3, lambda: api.player()["position"] == asleep["position"], "time ran while the sink slept")
    pulse.suspend("spk", False)
    api.wait_status("playing")
    eventually(lambda: api.player()["position"] > asleep["position"] + 0.2, "it plays on")


def test_a_sink_that_slept_plays_without_a_hole(pulse, server, api, events):
    """It wakes up with up to 2 s of silence ahead of the first frame. This was taken for its latency, and left a hole after 0.28 s."""
    pulse.load("module-null-sink sink_name=plain")
    pulse.pactl("set-default-sink", "plain")
    pulse.load("module-suspend-on-idle timeout=1")
    eventually(lambda: "RUNNING" not in (states := pulse.pactl("list", "sinks", "short")) and "IDLE" not in states, "it is suspended")
    mark, waited = events.mark(), kept_waiting(server.process, pulse.process)
    api.load("long.mp3", play=True)
    events.wait_status("playing", mark=mark)
    eventually(lambda: api.player()["position"] > 0.8, "it plays on")
    # A sound server that waits for a processor stands still.
    assert ("output-unavailable" not in [event["reason"] for event in events.since(mark, "status")]
            or kept_waiting(server.process, pulse.process) - waited > 0.25)


def move(pulse, api, how: str, sink: str) -> None:
    if how == "choice":
        api.choose(sink)
    elif how == "default":
        pulse.pactl("set-default-sink", sink)
    else:
        pulse.pactl("move-sink-input", pulse.sink_inputs()[0][0], sink)


@pytest.mark.parametrize("how", ["choice", "hand", "default"])
def test_a_move_between_a_suspended_and_an_awake_sink_changes_the_status(pulse, api, how):
    """PulseAudio reports the move only, not that the new sink is in another state."""
    pulse.load(DESK)
    api.load("long.mp3", play=True)
    api.wait_status("playing")
    pulse.suspend("spk", True)
    assert api.wait_status("interrupted")["reason"] == "output-suspended"
    eventually(lambda: "desk" in api.outputs(), "listed")
    move(pulse, api, how, "desk")
    player = api.wait_status("playing")
    assert player["output"]["id"] == "desk" and not player["output"]["suspended"]
    eventually(lambda: api.player()["position"] > player["position"] + 0.5, "it plays on")
    # Back.
    move(pulse, api, how, "spk")
    player = api.wait_status("interrupted")
    assert (player["reason"], player["output"]["suspended"], player["rate"]) == ("output-suspended", True, 0)
    pulse.suspend("spk", False)
    api.wait_status("playing")


def test_a_move_to_a_sink_that_slept_is_no_interruption(pulse, api, events):
    """PulseAudio wakes it up for the stream, and reports both."""
    pulse.load(DESK)
    pulse.load("module-suspend-on-idle timeout=1")
    api.load("long.mp3", play=True)
    api.wait_status("playing")
    eventually(lambda: "SUSPENDED" in next(line for line in pulse.pactl("list", "sinks", "short").splitlines() if "desk" in line), "it sleeps")
    mark = events.mark()
    api.choose("desk")
    eventually(lambda: pulse.stream_sinks() == ["desk"] and api.current_output() == "desk", "moved")
    start = api.wait_status("playing")["position"]
    eventually(lambda: api.player()["position"] > start + 0.5, "it plays on")
    assert "interrupted" not in [event["status"] for event in events.since(mark, "status")]
    assert not any(event["suspended"] for event in events.since(mark, "output"))


def test_the_stream_is_given_back_after_the_end(capture, pulse, api):
    """Row 12: no sink input is left a while after the queue ended."""
    api.load("short-0.mp3", play=True)
    capture.wait_sound()
    assert len(pulse.sink_inputs()) == 1
    api.wait_status("completed")
    eventually(lambda: not pulse.sink_inputs(), "the stream is released", timeout=20, every=0.1)
    api.play()
    api.wait_status("playing")


@pytest.mark.parametrize("state", ["paused", "stopped"])
def test_output_chosen_in_silence_is_shown_at_once(capture, pulse, api, state):
    """Headphones take a new stream, for which nobody has to press play first."""
    api.start("low.mp3")
    api.command("pause" if state == "paused" else "stop")
    api.wait_status(state)
    for chosen in ("hp", "spk", "hp"):
        answer = api.choose(chosen)
        assert [output["id"] for output in answer["outputs"] if output["current"]] == [chosen] and answer["following"] == "choice"
    assert api.player()["status"] == state
    api.resume()
    assert pulse.stream_sinks() == ["hp"]


def test_the_list_says_when_nothing_can_be_reached(server, pulse, api):
    api.start("low.mp3")
    pulse.kill()
    api.wait_status("interrupted")
    def is_unknown() -> bool:
        outputs = api.call("GET", "/outputs")["outputs"]
        return bool(outputs) and all(not output["available"] and output["state"] == "unknown" for output in outputs)

    eventually(is_unknown, "nothing can be reached")


def test_stream_that_is_not_seekable_continues_on_another_output(capture, pulse, api, media, directory):
    """A web file from a server without ranges is asked for once more when its output is another one, or comes back."""
    origin = Origin()
    origin.serve("/slow.mp3", media.path("long.mp3").read_bytes(), ranges=False, rate=48_000)
    headphones = Capture(pulse, "hp").start()
    api.start(f"{origin.url}/slow.mp3", "low.mp3", timeout=10)
    capture.wait_seconds(1.5)
    before = api.player()["position"]
    api.choose("hp")
    headphones.wait_sound(timeout=15)
    after = api.wait_status("playing", timeout=15)
    assert after["queueIndex"] == 0 and after["error"] is None
    assert before - 0.1 < after["position"] < before + 3
    pulse.kill()
    pulse.start()
    back = api.wait_status("playing", timeout=30)
    assert back["queueIndex"] == 0 and back["position"] >= after["position"] - 0.5


def test_an_alarm_sounds_on_its_own_output(pulse, api, cli):
    """Issue 12: afterwards the player's output is as it was, though nobody has set it back."""
    pulse.load("module-null-sink sink_name=third")
    eventually(lambda: "third" in api.outputs(), "a third sink")
    before = eventually(api.current_output, "an output")
    # In whole seconds; one that has begun is tomorrow's.
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=4)
    timer = api.call("POST", "/timers", json={"type": "alarm", "time": at.strftime("%H:%M:%S"), "timeZone": "UTC", "output": "third",
                                              "ramp": 0, "items": [{"uri": "long.mp3"}]})
    assert timer["output"] == "third"
    eventually(lambda: pulse.stream_sinks() == ["third"] and api.player()["status"] == "playing", "it rings there", timeout=10)
    marked = [line for line in cli.output("outputs").splitlines() if line.startswith("*")]
    assert len(marked) == 1 and "third" in marked[0] and "followed" not in marked[0] and "chosen" not in marked[0], marked
    api.pause()
    eventually(lambda: api.current_output() == before, "the player's own output")
    api.play()
    eventually(lambda: pulse.stream_sinks() == [before], "the music sounds there")
    assert api.call("PATCH", f"/timers/{timer['id']}", json={"output": None})["output"] is None
