# SPDX-License-Identifier: Apache-2.0
"""Play, pause, stop, next: reports and sound."""

import json
import os
import random
import threading
import time
import wave

import numpy
import pytest
from websockets.sync.client import connect

from rig import PATIENCE, RATE, Api, EventLog, during, eventually, within
from rig.contract import read_yaml
from rig.signals import align, click_level


def frame_of(capture, milliseconds: int) -> int:
    """The frame that came at this time of the server's clock."""
    return capture.frame_at(time.monotonic() - (time.time() - milliseconds / 1000))


def silence_begins(capture, after: int, timeout: float = 3.0) -> int:
    """First frame from `after` on from which 0.2 s are silent."""
    length = RATE // 5

    def found() -> int:
        quiet = ~capture.samples(after).any(axis=1)
        run = numpy.convolve(quiet.astype(int), numpy.ones(length, dtype=int), mode="valid")
        silent = numpy.flatnonzero(run == length)
        return after + int(silent[0]) + 1 if len(silent) else 0

    return eventually(found, "silence", timeout) - 1


@pytest.mark.smoke
def test_playing_means_sound_and_time_runs(capture, api, events):
    """Promise 1, row 39: `playing` comes with rate 1 and with sound; the position follows the sink."""
    api.load("low.mp3")
    mark = events.mark()
    asked = time.time()
    api.play()
    playing = events.wait_status("playing", mark=mark)
    sound = capture.wait_sound()
    capture.wait_seconds(0.1)
    # By the server's clock: a report that comes here late is none that was made late.
    reported = frame_of(capture, playing.message["at"])
    assert -0.1 * RATE < reported - sound < 0.1 * RATE * PATIENCE, "status and sound part by over 100 ms"
    assert playing.message["at"] / 1000 - asked < 0.5 * PATIENCE
    capture.wait_seconds(1.0)
    snapshot = api.player()
    capture.wait_seconds(0.1)
    now = frame_of(capture, snapshot["sampledAt"])
    assert snapshot["rate"] == 1
    assert snapshot["position"] == pytest.approx((now - sound) / RATE, abs=0.08)


def test_play_twice_changes_nothing(events, api):
    """Row 6: one status event, no jump."""
    api.load("long.mp3", play=True)
    events.wait_status("playing")
    mark = events.mark()
    before = api.player()
    after = api.play()
    assert after["status"] == "playing"
    passed = (after["sampledAt"] - before["sampledAt"]) / 1000
    assert after["position"] - before["position"] == pytest.approx(passed, abs=0.1)
    during(0.3, lambda: not events.since(mark, "status"), "a second play caused a status event")


@pytest.mark.parametrize("verb", ["pause", "stop"])
def test_sound_ends_at_once_and_without_a_click(capture, api, verb):
    """Rows 65, 66: silence within 100 ms of the answer; the end is faded."""
    api.load("low.mp3", play=True)
    capture.wait_sound()
    capture.wait_seconds(0.5)
    ended = {"pause": "paused", "stop": "stopped"}[verb]
    mark, asked = capture.frames, time.monotonic()
    snapshot = api.command(verb)
    answered = time.monotonic()
    # An answer that is late comes before the silence.
    if answered - asked > 0.5:
        snapshot = api.wait_status(ended)
    assert snapshot["status"] == ended and snapshot["rate"] == 0
    silent = silence_begins(capture, mark)
    assert silent - capture.frame_at(answered) < 0.1 * RATE * PATIENCE
    assert click_level(capture.samples(silent - RATE // 10, silent + RATE // 10)[:, 0]) < -40


@pytest.mark.parametrize("verbs", [["pause"], ["stop"], ["pause", "stop"]], ids="-".join)
def test_silence_is_answered_at_once(pulse, api, verbs):
    """Rows 65, 66: within 100 ms each, a stop after a pause too; the best of eight, as a busy machine delays some but never
    shortens one."""
    api.load("low.mp3")
    times = []
    for _ in range(8):
        api.play()
        api.wait_status("playing")
        asked = time.monotonic()
        answers = [api.command(verb)["status"] for verb in verbs]
        times.append(time.monotonic() - asked)
        # An answer that is late comes before the silence.
        assert times[-1] > 0.5 or answers == [{"pause": "paused", "stop": "stopped"}[verb] for verb in verbs]
    assert min(times) < 0.1 * len(verbs) and max(times) < 1 * PATIENCE, times


def test_resume_goes_on_where_pause_left_off(capture, api, media):
    """Row 65: pause and resume lose no sample and repeat none, but for the few milliseconds of the fades."""
    api.load("long.mp3", play=True)
    start = capture.wait_sound()
    capture.wait_seconds(0.5)
    api.pause()
    position = api.wait_status("paused")["position"]
    end = silence_begins(capture, start + RATE // 10)
    assert position == pytest.approx((end - start) / RATE, abs=0.02)
    capture.wait_seconds(0.2)
    mark = capture.frames
    api.play()
    again = capture.wait_sound(mark)
    capture.wait_seconds(0.5)
    reference = media.reference("long.mp3")
    resumed = align(reference[: 4 * RATE], capture.samples(again + RATE // 20, again + RATE // 3)) - RATE // 20
    assert abs(resumed - (end - start)) < 0.012 * RATE


def test_draining_plays_what_is_buffered(capture, api, events):
    """Row 67: `stopping`, then what had been decoded is heard, then `stopped`."""
    api.load("noise.mp3", play=True)
    start = capture.wait_sound()
    events.wait_status("playing")
    mark = events.mark()
    asked = capture.frame_at(time.monotonic())
    api.command("stop", drain=True)
    events.wait_status("stopped", mark=mark)
    # Before the stop a late sound server may stand still.
    assert [event["status"] for event in events.since(mark, "status")][-2:] == ["stopping", "stopped"]
    end = silence_begins(capture, start)
    assert asked <= end <= start + 2 * RATE + 10, "neither cut off nor beyond the file"
    assert end - asked > 0.02 * RATE, "nothing was drained"


def test_end_of_the_queue_is_reported_and_toggle_starts_again(capture, api, events):
    """Rows 11, 52, 155, 157: completed once with `finished`, then the queue's end; toggle then sounds."""
    ids = api.load("short-0.mp3", "short-1.mp3")
    mark = events.mark()
    api.play()
    events.wait_for("queue-ended", mark=mark)
    events.wait_status("completed", mark=mark)
    assert [(e["itemId"], e["reason"]) for e in events.since(mark, "completed")] == [(id, "finished") for id in ids]
    snapshot = api.player()
    assert snapshot["status"] == "completed" and snapshot["reason"] == "end-of-queue" and snapshot["rate"] == 0
    capture.wait_silence()
    silent = capture.frames
    assert api.command("toggle")["playWhenReady"]
    capture.wait_sound(silent)


def test_repeat_one_repeats_and_next_still_goes_on_and_repeat_all_wraps_around(api, events):
    """Rows 52, 53."""
    ids = api.load("short-0.mp3", "short-1.mp3")
    api.settings(repeat="one")
    mark = events.mark()
    api.play()
    events.wait_for("completed", mark=mark)
    mark = events.mark()
    events.wait_for("completed", lambda e: e["itemId"] == ids[0], mark=mark)
    assert api.player()["item"]["id"] == ids[0]
    assert api.command("next")["item"]["id"] == ids[1]
    api.settings(repeat="all")
    events.wait_for("completed", lambda e: e["itemId"] == ids[1])
    eventually(lambda: api.player()["item"]["id"] == ids[0], "the first item again")
    assert not events.since(0, "queue-ended")


def test_previous_restarts_after_three_seconds_and_goes_back_before(api):
    """Row 53."""
    ids = api.load("long.mp3", "chirp.mp3", index=1)
    api.play(position=5)
    api.wait_status("playing")
    snapshot = api.command("previous")
    assert snapshot["item"]["id"] == ids[1] and snapshot["position"] < 1
    assert api.command("previous")["item"]["id"] == ids[0]


def test_next_and_previous_at_the_ends_are_refused(api, events):
    """Rows 156, 188: 404 with a code, nothing changes; on an empty queue too. `queue-low` tells of `next`."""
    mark = events.mark()
    assert api.refusal("POST", "/player/next") == (404, "no-such-content")
    assert events.wait_for("queue-low", mark=mark).data == {"reason": "next", "itemId": None, "remaining": None}
    for verb in ("previous", "play"):
        response = api.request("POST", f"/player/{verb}")
        assert (response.status_code, response.json()["code"]) == (404, "no-such-content"), verb
    api.start("long.mp3")
    response = api.request("POST", "/player/next")
    assert (response.status_code, response.json()["code"]) == (404, "no-such-content")
    assert api.player()["status"] == "playing"


def test_auto_play_is_off_until_asked_for(api, events):
    """Row 150."""
    assert api.player()["autoPlay"] is False
    api.load("short-0.mp3")
    during(0.3, lambda: api.player()["status"] in ("idle", "loading", "ready", "stopped"), "it played unasked")
    api.call("DELETE", "/queue")
    api.settings(autoPlay=True)
    api.add("short-1.mp3")
    events.wait_status("playing")


def test_status_names_are_the_promised_ones(api, contract):
    """Row 152: the enumeration of openapi.yaml, and that the events' contract accepts no other name."""
    names = "idle loading ready playing paused buffering seeking interrupted stopping stopped completed failed".split()
    document = read_yaml(api.request("GET", "//openapi.yaml").text)
    assert document["components"]["schemas"]["Status"]["enum"] == names
    assert document["components"]["schemas"]["Player"]["properties"]["status"] == {"$ref": "#/components/schemas/Status"}
    event = {"type": "status", "seq": 1, "at": 1, "version": 1, "player": "main", "data": {
        "status": "playing", "previous": "paused", "reason": None, "playWhenReady": True, "itemId": None, "position": 0, "error": None}}
    for name in names:
        assert contract.violations(event | {"data": event["data"] | {"status": name, "previous": name}}) == []
    for member in ("status", "previous"):
        assert contract.violations(event | {"data": event["data"] | {member: "singing"}}) != []


def random_command(dice) -> tuple[str, dict]:
    return dice.choice([
        ("play", {}), ("pause", {}), ("toggle", {}), ("next", {}), ("previous", {}), ("stop", {}),
        ("play", {"index": dice.randrange(5)}), ("seek", {"position": dice.uniform(0, 40)}),
        ("seek", {"progress": dice.random()}), ("seek", {"offset": dice.uniform(-20, 20)}),
        ("play", {"index": dice.randrange(5), "position": dice.uniform(0, 5)})])


def test_random_commands_never_break_the_invariants(api, events):
    """Row 39: each answer within 1 s; playing <=> rate is not 0; versions only rise."""
    dice = random.Random(62)
    api.load("long.mp3", "short-0.mp3", "chirp.mp3", "text.mp3", "low.mp3")
    slowest, version = 0.0, 0
    for _ in range(400):
        verb, members = random_command(dice)
        began = time.monotonic()
        response = api.request("POST", f"/player/{verb}", **({"json": members} if members else {}))
        slowest = max(slowest, time.monotonic() - began)
        assert response.status_code in (200, 404, 409, 422), response.text
        snapshot = api.player()
        assert (snapshot["status"] == "playing") == (snapshot["rate"] != 0), snapshot
        assert snapshot["version"] >= version
        version = snapshot["version"]
    assert slowest < 1.0 * PATIENCE


def test_thousands_of_commands_are_all_answered_in_time(pulse, server, api):
    """Row 62: 10,000 random ones within 60 s over one socket, 50 on their way at a time; each answered within 1 s, none twice;
    then the player does as it is told."""
    count, ahead = 10_000, 50
    api.load("long.mp3", "short-0.mp3", "chirp.mp3", "text.mp3", "low.mp3")
    dice = random.Random(62)
    sent: dict[int, float] = {}
    took: list[float] = []
    began = time.monotonic()
    with connect(server.events_url + "?events=status", max_size=None, compression=None, proxy=None) as socket:
        for number in range(count + ahead):
            if number < count:
                verb, members = random_command(dice)
                sent[number] = time.monotonic()
                socket.send(json.dumps({"type": "command", "id": number, "command": verb, "data": members}))
            while len(sent) > (ahead if number < count else 0):
                message = json.loads(socket.recv(timeout=20))
                if message["type"] == "reply":
                    took.append(time.monotonic() - sent.pop(message["id"]))
    assert time.monotonic() - began < 60 * PATIENCE
    # A machine that stands still for a moment, a few times, holds up those that are on their way.
    late = [seconds for seconds in took if seconds >= 1]
    assert len(took) == count and len(late) <= ahead * PATIENCE and max(took) < 1 * PATIENCE
    api.pause()
    api.play(index=2)
    assert api.wait_status("playing")["queueIndex"] == 2


@pytest.mark.parametrize("end", ["completed", "drained"])
def test_nothing_sounds_by_itself_after_the_end(capture, server, api, end):
    """Promise 1: the stream that has played to its end is still there, and must not take up what is only loaded."""
    if end == "completed":
        api.load("short-0.mp3", play=True)
    else:
        api.start("long.mp3", "low.mp3")
        api.command("stop", drain=True)
    api.wait_status("completed", "stopped", timeout=10)
    # The recording is behind what the sink has played.
    capture.wait_silence(0.2)
    mark = capture.frames
    api.load("low.mp3")
    api.seek(position=1)
    api.wait_status("ready", "paused")
    capture.wait_seconds(1)
    assert capture.first_sound(mark, level=3) is None
    assert api.player()["position"] == 1
    api.play()
    capture.wait_sound(capture.frames)


@pytest.fixture
def draining(api, server, events):
    """The first of two items plays out what is buffered of it for a stop that has been asked for."""
    def begin() -> int:
        api.load("long.mp3", "low.mp3", play=True)
        eventually(lambda: api.player()["position"] > 2, "the buffer is full")
        mark = events.mark()
        stop = threading.Thread(target=lambda: Api(server.url).command("stop", drain=True))
        stop.start()
        stops.append(stop)
        events.wait_status("stopping", mark=mark)
        return mark

    stops: list[threading.Thread] = []
    yield begin
    for stop in stops:
        stop.join()


def test_draining_is_reported_and_paused_at_once(capture, api, events, draining):
    draining()
    first = api.player()
    assert first["status"] == "stopping" and first["rate"] == 1
    eventually(lambda: api.player()["position"] > first["position"] + 0.3, "it is heard")
    with within(0.5, "silence"):
        paused = api.pause()
    assert paused["status"] == "paused" and first["position"] < paused["position"] < first["position"] + 2
    capture.wait_silence(0.2)
    silent = capture.frames
    capture.wait_seconds(0.5)
    assert capture.first_sound(silent, level=3) is None
    draining()
    assert api.seek(position=20)["position"] == 20
    assert api.wait_status("paused")["position"] == 20


def test_a_loop_of_a_moment_keeps_nobody_busy(directory, start_server):
    """Promise 4: one bad file hurts only itself. On one processor the sink takes what there is before the decoder has more."""
    music = directory / "moments"
    music.mkdir()
    with wave.open(str(music / "moment.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44_100)
        file.writeframes(b"\1\1\1\1")
    server = start_server(music=music, wrapper=("taskset", "-c", str(min(os.sched_getaffinity(0)))))
    api = Api(server.url)
    heard = EventLog(server.events_url, "events=status")
    heard.wait_for("snapshot")
    api.start({"uri": "moment.wav", "loops": -1})
    eventually(lambda: api.player()["listenedTime"] > 2, "it is heard")
    assert len(heard.since(0, "status")) < 20
