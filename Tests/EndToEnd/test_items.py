# SPDX-License-Identifier: Apache-2.0
"""The life of an item: each status, what is known of it and when, why it ends, and what the commands mean in each state."""

import random
import time

import pytest

from rig import PATIENCE, RATE, Api, during, eventually, kept_waiting
from rig.signals import align

KBPS_192 = 24000


@pytest.fixture
def web(origin, media):
    """The address of `long.mp3` (40 s) on a web server that behaves as asked."""
    def serve(**options) -> str:
        origin.serve("/long.mp3", media.path("long.mp3").read_bytes(), **options)
        return f"{origin.url}/long.mp3"

    return serve


def completed(events, mark: int) -> list[tuple[str, str]]:
    return [(event["itemId"], event["reason"]) for event in events.since(mark, "completed")]


def statuses(events, mark: int) -> list[str]:
    """Each change of the status. A reason that comes while a pause fades out is none."""
    return [event["status"] for event in events.since(mark, "status") if event["status"] != event["previous"]]


# Before it is open

def test_unopened_item_has_no_duration(api, events, origin, web):
    """Rows 40, 41: `loading` and null until it is known; a play meanwhile is kept, and sounds once it can."""
    mark = events.mark()
    address = web(hold_at=0)
    held = origin.paths["/long.mp3"].held
    held.set()
    api.load(address, play=True)
    snapshot = api.player()
    assert (snapshot["status"], snapshot["playWhenReady"]) == ("loading", True)
    assert (snapshot["duration"], snapshot["progress"], snapshot["position"], snapshot["rate"]) == (None, None, 0, 0)
    assert (snapshot["item"]["status"], snapshot["item"]["duration"]) == ("loading", None)
    held.clear()
    ready = events.wait_for("item", lambda event: event["item"]["status"] == "ready", mark=mark)
    assert ready["item"]["duration"] == pytest.approx(40, abs=0.1)
    events.wait_status("playing", mark=mark)
    durations = [event["item"]["duration"] for event in events.since(mark, "item")]
    assert durations[0] is None and len({duration for duration in durations if duration is not None}) == 1
    assert api.player()["duration"] == pytest.approx(40, abs=0.1)


def test_failed_item_cannot_be_played(api, events):
    """Row 41: 409 and why, again and again, and `item.status` says so."""
    api.load("text.mp3")
    events.wait_status("failed")
    for verb, members, code in (("play", {}, "unsupported"), ("toggle", {}, "unsupported"), ("play", {"index": 0}, "unsupported"),
                                ("seek", {"position": 1}, "invalid-state")):
        assert api.refusal("POST", f"/player/{verb}", json=members) == (409, code), verb
        snapshot = api.player()
        assert snapshot["status"] == "failed" and snapshot["item"]["status"] == "failed"


# Why it ends

def test_completed_says_why(api, events):
    """Rows 11, 241: each item once; a seek completes nothing; behind the removed item the next one is current."""
    ids = api.start("long.mp3", "low.mp3", "chirp.mp3", "long.mp3", "text.mp3", "short-0.mp3")
    mark = events.mark()
    for position in (10, 0, 30, 20):
        api.seek(position=position)
        api.wait_status("playing")
    assert completed(events, mark) == []
    api.command("next")
    api.play(index=2)
    api.command("previous")
    api.call("DELETE", f"/queue/items/{ids[1]}")
    expected = [(ids[0], "user"), (ids[1], "user"), (ids[2], "user"), (ids[1], "removed")]
    eventually(lambda: completed(events, mark) == expected, f"{expected}")
    api.play(itemId=ids[3])
    api.command("stop")
    expected += [(ids[2], "user"), (ids[3], "user")]
    eventually(lambda: completed(events, mark) == expected, f"{expected}")
    api.request("POST", "/player/play", json={"itemId": ids[4]})
    events.wait_for("queue-ended", mark=mark)
    expected += [(ids[4], "error"), (ids[5], "finished")]
    assert completed(events, mark) == expected


def test_no_event_of_an_old_item_comes_after_the_new_one(api, open_events, web):
    """Row 42: 200 switches within 10 s, answered or not, among files and a slow web server, with seeks between."""
    count, pace = 200, 0.05
    log = open_events("interval=0.05")
    ids = api.load("long.mp3", "chirp.mp3", web(rate=10 * KBPS_192), "low.mp3", play=True)
    dice = random.Random(42)

    def ask(number: int, command: str, **members) -> None:
        log.send({"type": "command", "id": number, "command": command, "data": members})

    began = time.monotonic()
    for number in range(count):
        ask(number, "play", index=number % 4)
        if dice.random() < 0.3:
            ask(-1, "seek", position=dice.uniform(0, 20))
        time.sleep(max(0, began + (number + 1) * pace - time.monotonic()))  # the pace is the subject
    assert time.monotonic() - began < 1.2 * count * pace
    log.wait_for("reply", lambda event: event.message["id"] == count - 1, timeout=10)
    final = ids[(count - 1) % 4]
    log.wait_for("time", lambda event: event["itemId"] == final and event["rate"] == 1, mark=log.mark(), timeout=10)
    log.wait_for("buffer", lambda event: event["itemId"] == final)
    current, seen = None, dict.fromkeys(("time", "buffer", "status", "completed", "error"), 0)
    for event in log.since():
        if event.type == "item":
            current = (event["item"] or {}).get("id")
        elif event.type in seen and event["itemId"] is not None:
            seen[event.type] += 1
            assert event["itemId"] == current, f"{event.message} while {current} is current"
    assert seen["completed"] >= count - 1 and seen["status"] and seen["time"] and seen["buffer"], seen


# The whole life

def test_the_whole_life_is_reported_in_order(api, events):
    """Row 56."""
    mark = events.mark()
    ids = api.load("long.mp3", "short-0.mp3")
    events.wait_status("ready", mark=mark)
    assert statuses(events, mark) == ["loading", "ready"]
    mark = events.mark()
    api.resume()
    api.pause()
    api.wait_status("paused")
    api.resume()
    api.command("stop")
    events.wait_status("stopped", mark=mark)
    assert statuses(events, mark) == ["loading", "playing", "paused", "playing", "stopping", "stopped"]
    assert events.trace(mark, "status", "completed")[-3:] == ["status stopping", f"completed {ids[0]} user", "status stopped"]
    mark = events.mark()
    api.play(index=1)
    events.wait_for("queue-ended", mark=mark)
    events.wait_status("completed", mark=mark)
    lines = events.trace(mark, "status", "item", "completed", "queue-ended")
    assert [line for line in lines if line not in ("status loading", f"item {ids[1]}")] == [
        "status playing", f"completed {ids[1]} finished", "queue-ended", "status completed"]


def test_waiting_and_failing_are_reported_in_order(api, events, origin, web):
    """Row 56: a web server that falls silent in the middle."""
    address = web(hold_at=40 * KBPS_192 // 10)
    held = origin.paths["/long.mp3"].held
    held.set()
    mark = events.mark()
    [id] = api.load(address, play=True)
    # Not the second that is gathered first, nor an underrun of a busy machine.
    events.wait_for("status", lambda event: event["status"] == "buffering" and event["reason"] == "network" and event["position"] > 1,
                    mark=mark, timeout=15)
    # The reason may be an underrun first, until the source reports that nothing comes.
    assert statuses(events, mark)[-2:] == ["playing", "buffering"]
    waiting = events.mark()
    held.clear()
    heard = events.wait_status("playing", mark=waiting, timeout=15)
    assert (heard["previous"], heard["reason"]) == ("buffering", None)
    mark = events.mark()
    [id] = api.load("text.mp3", play=True)
    events.wait_status("failed", mark=mark)
    lines = events.trace(mark, "status", "completed", "error", "queue-ended")
    assert lines[-4:] == [f"completed {id} error", "error", "queue-ended", "status failed"]


@pytest.mark.parametrize("status", ["idle", "loading", "ready", "playing", "paused", "stopped", "buffering", "seeking", "interrupted"])
def test_toggle_has_a_meaning_in_every_state(api, events, origin, web, status):
    """Row 155: it plays what is silent, and pauses what sounds or is about to. For `failed` see above, for `completed`
    test_transport.py, for `stopping` PlayerCoreDrainTests."""
    match status:
        case "idle":
            assert api.refusal("POST", "/player/toggle") == (404, "no-such-content")
            return
        case "playing" | "paused" | "stopped":
            api.start("long.mp3")
            if status != "playing":
                api.command({"paused": "pause", "stopped": "stop"}[status])
        case "loading":
            address = web(hold_at=0)
            origin.paths["/long.mp3"].held.set()
            api.load(address)
        case "ready":
            api.load("long.mp3")
        case "buffering":
            address = web(hold_at=40 * KBPS_192 // 10)
            origin.paths["/long.mp3"].held.set()
            api.load(address, play=True)
        case "seeking":
            api.start(web(rate=2 * KBPS_192))
            origin.paths["/long.mp3"].hold_at = 0
            origin.paths["/long.mp3"].held.set()
            api.seek(position=39)
        case "interrupted":
            api.start("long.mp3")
            api.call("POST", "/session/interruptions", json={"type": "began"})
    api.wait_status(status, timeout=15)
    wanted, mark = api.player()["playWhenReady"], events.mark()
    snapshot = api.command("toggle")
    if status in ("playing", "buffering", "seeking"):
        assert wanted and not snapshot["playWhenReady"]
        during(0.3, lambda: not api.player()["playWhenReady"], "it wants to sound again")
        if status == "playing":
            api.wait_status("paused")
    else:
        assert snapshot["playWhenReady"]
        if status == "loading":
            origin.paths["/long.mp3"].held.clear()
        api.wait_status("playing", timeout=10)
    eventually(lambda: events.since(mark, "status"), "an event of it")


# Time heard

def test_position_and_listened_time_over_a_seek(capture, pulse, server, api, media):
    """Row 70: 8 s, a seek to 20, 3 s: at 23, with 11 heard. On PulseAudio, whose clock a flush does not reset: the position is that
    of the last sound, and as long was heard as there was sound."""
    waited = kept_waiting(server.process, pulse.process)
    api.load("long.mp3", play=True)
    heard = eventually(lambda: (player := api.player())["position"] >= 8 and player, "8 s", timeout=10)
    assert heard["listenedTime"] == pytest.approx(heard["position"], abs=0.1)
    before = api.seek(position=20)
    assert before["position"] >= 19.99
    eventually(lambda: api.player()["position"] >= 23, "3 s more", timeout=10)
    api.pause()
    after = api.wait_status("paused")
    # Of the server's clock.
    assert 0 <= before["listenedTime"] - heard["listenedTime"] <= (before["sampledAt"] - heard["sampledAt"]) / 1000 + 0.1
    assert after["listenedTime"] - before["listenedTime"] == pytest.approx(after["position"] - before["position"], abs=0.1)
    capture.wait_silence(0.2)
    end = capture.last_sound() + 1
    # A sink that runs dry because its server waits for a processor is silent for as long. Threads that have ended count no more.
    late = max(0, kept_waiting(server.process, pulse.process) - waited)
    place = align(media.reference("long.mp3"), capture.samples(end - RATE // 5, end - RATE // 20)) / RATE + 0.2
    assert after["position"] == pytest.approx(place, abs=0.1 + late)
    assert after["listenedTime"] == pytest.approx(capture.samples().any(axis=1).sum() / RATE, abs=0.1 + late)


# The session

@pytest.mark.serve("--recordings", "{directory}/recordings")
def test_the_session_s_rules_hold_for_all_that_sounds_or_records(pulse, api):
    """Rows 108, 146: player, announcements, effects and recorder; what needs no device works. For saved streams see test_record_stream.py."""
    pulse.load("module-null-sink sink_name=mic_in")
    pulse.load("module-remap-source master=mic_in.monitor source_name=mic")
    api.load("long.mp3")
    eventually(lambda: "record" in api.call("GET", "/session")["available"]["categories"], "the microphone is seen")
    api.call("PATCH", "/session", json={"category": "audio-processing"})
    for path, body in (("/player/play", {}), ("/player/toggle", {}), ("/announcements", {"uri": "short-0.mp3"}),
                       ("/sfx", {"uri": "short-0.mp3"}), ("/recordings", {})):
        refused = api.request("POST", path, json=body)
        expected = "not-permitted" if path == "/recordings" else "session-forbids"
        assert (refused.status_code, refused.json()["code"]) == (409, expected), (path, refused.text)
    job = api.call("POST", "/renders", json={"items": [{"uri": "short-0.mp3"}]})
    eventually(lambda: api.call("GET", f"/renders/{job['id']}")["status"] == "completed", "it is rendered")
    assert not pulse.sink_inputs()
    assert api.call("GET", "/media/info", params={"uri": "short-0.mp3"})["duration"] > 0
    assert api.call("GET", "/queue/items/" + api.ids()[0] + "/waveform")
    api.call("PATCH", "/session", json={"category": "playback"})
    api.play()
    api.wait_status("playing")
    # The answer comes after 0.8 s at the latest.
    assert api.call("POST", "/sfx", json={"uri": "short-0.mp3"})["state"] in ("loading", "playing")


# Description of an item

def told_durations(events, mark) -> list[float]:
    """Each new duration of the item that `item` events told, in order."""
    told: list[float] = []
    for event in events.since(mark, "item"):
        duration = event["item"] and event["item"]["duration"]
        if duration is not None and duration != (told or [None])[-1]:
            told.append(duration)
    return told


def test_the_length_of_a_variable_bit_rate_is_reported_until_it_is_right(api, events, media, origin):
    """Row 208: from a server, without a header: an `item` event for each new length, the last of which is exact."""
    name = "vbr-noxing-long.mp3"
    true = len(media.reference(name)) / 44100
    origin.serve(f"/{name}", media.path(name).read_bytes())
    mark = events.mark()
    api.start(f"{origin.url}/{name}", timeout=10)
    api.seek(position=true - 0.7)
    events.wait_for("completed", mark=mark, timeout=10)
    told = told_durations(events, mark)
    assert len(told) >= 2 and abs(told[-1] - true) < 0.1, told
    assert abs(api.player()["duration"] - true) < 0.1


def test_a_prepared_item_is_silent_and_sounds_at_once(capture, api, media, origin):
    """Row 4: `ready` before any sound; then within 150 ms, though the same item takes a second to open."""
    origin.serve("/slow.mp3", media.path("long.mp3").read_bytes(), delay=1)

    def sound_after(act) -> float:
        mark = capture.frames
        began = time.monotonic()
        act()
        capture.wait_sound(mark, timeout=20)
        return time.monotonic() - began

    def sound_of_the_prepared() -> float:
        api.command("stop")
        capture.wait_silence()
        api.request("DELETE", "/queue")
        api.load(f"{origin.url}/slow.mp3")
        api.wait_status("ready", timeout=20)
        assert api.player()["duration"] > 39
        quiet = capture.frames
        during(0.3, lambda: capture.first_sound(quiet) is None, "it sounded unasked")
        return sound_after(api.play)

    unprepared = sound_after(lambda: api.load(f"{origin.url}/slow.mp3", play=True))
    # The better of two: what is not prepared takes a second each time.
    prepared = min(sound_of_the_prepared() for _ in range(2))
    assert prepared < 0.15 * PATIENCE and prepared < unprepared / 2, (prepared, unprepared)
    assert unprepared >= 1


def test_duration_and_loaded_part_are_reported_as_they_become_known(api, events):
    """Rows 10, 154: the duration goes from null to its value once; what is loaded only grows; nothing leaves 0...1."""
    mark = events.mark()
    api.load("vbr-noxing-long.mp3", play=True)
    events.wait_for("buffer", lambda event: event["bufferProgress"] == 1, mark=mark)
    events.wait_for("time", mark=mark)
    durations = [event["duration"] for event in events.since(mark, "time")]
    durations += [event["item"]["duration"] for event in events.since(mark, "item") if event["item"]]
    assert set(durations) - {None} == {api.player()["duration"]}
    assert len(told_durations(events, mark)) == 1
    loaded = [event["loadedTime"] for event in events.since(mark, "buffer") if event["loadedTime"] is not None]
    assert loaded == sorted(loaded)
    for event in events.since(mark, "time", "buffer"):
        for member in ("progress", "bufferProgress"):
            assert 0 <= (event.data.get(member) or 0) <= 1


def test_an_item_ends_before_the_next_begins_and_the_queue_last(api, events):
    """Row 243: `completed`, then `item`, for each; `queue-ended` after the last one only, once."""
    ids = api.load("short-0.mp3", "short-1.mp3", "short-2.mp3")
    mark = events.mark()
    api.play()
    events.wait_for("queue-ended", mark=mark)
    events.wait_status("completed", mark=mark)
    trace = events.trace(mark, "completed", "item", "queue-ended")
    order = [line for line in trace if line != f"item {ids[0]}" and line != "item None"]
    assert order == [f"completed {ids[0]} finished", f"item {ids[1]}", f"completed {ids[1]} finished",
                     f"item {ids[2]}", f"completed {ids[2]} finished", "queue-ended"]


def test_the_log_tells_details_only_when_asked(start_server, directory):
    """Row 189: asked by a configuration file."""
    config = directory / "config.yaml"
    config.write_text("log-level: debug\n")
    logs = {}
    for level in ("info", "debug"):
        server = start_server(arguments=("--config", str(config)) if level != "info" else ())
        Api(server.url).load("short-0.mp3", play=True)
        Api(server.url).wait_status("completed")
        server.stop()
        logs[level] = server.log()
    assert " debug " not in logs["info"]
    assert " debug " in logs["debug"]
