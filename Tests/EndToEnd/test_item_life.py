# SPDX-License-Identifier: Apache-2.0
"""What is known of an item, when, and in which order it is told."""

import random
import time

from rig import PATIENCE, Api, within
from rig.waiting import during


def test_a_loaded_item_is_prepared_and_silent(capture, api):
    """Row 4: `ready` before any sound; play then needs no more opening."""
    api.load("long.mp3")
    api.wait_status("ready")
    assert api.player()["duration"] > 39
    quiet = capture.frames
    during(0.3, lambda: capture.first_sound(quiet) is None, "it sounded unasked")
    with within(0.15, "the first sound"):
        api.play()
        capture.wait_sound(quiet)


def told_durations(events, mark) -> list[float]:
    """Each new duration of the item that `item` events told, in order."""
    told: list[float] = []
    for event in events.since(mark, "item"):
        duration = event["item"] and event["item"]["duration"]
        if duration is not None and duration != (told or [None])[-1]:
            told.append(duration)
    return told


def test_the_length_of_a_variable_bit_rate_is_told_until_it_is_right(api, events, media, origin):
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


def test_prepared_it_sounds_sooner_than_unprepared(capture, api, media, origin):
    """Row 4: within 150 ms where all is ready, though the same item takes a second to open."""
    origin.serve("/slow.mp3", media.path("long.mp3").read_bytes(), delay=1)

    def sound_after(act) -> float:
        mark = capture.frames
        began = time.monotonic()
        act()
        capture.wait_sound(mark, timeout=20)
        return time.monotonic() - began

    unprepared = sound_after(lambda: api.load(f"{origin.url}/slow.mp3", play=True))
    api.command("stop")
    capture.wait_silence()
    api.request("DELETE", "/queue")
    api.load(f"{origin.url}/slow.mp3")
    api.wait_status("ready", timeout=20)
    prepared = sound_after(api.play)
    assert prepared < 0.15 * PATIENCE and prepared < unprepared / 2, (prepared, unprepared)
    assert unprepared >= 1


def test_duration_and_loaded_part_are_told_as_they_become_known(api, events):
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


def test_a_file_that_begins_anywhere_is_joined(capture, media, api):
    """Row 207: cut at ten random bytes, without a header: sound within 0.5 s, of nearly the whole rest."""
    data = media.path("noise-128.mp3").read_bytes()
    dice = random.Random(207)
    for number in range(10):
        cut = dice.randrange(2000, len(data) // 2)
        (media.root / f"joined-{number}.mp3").write_bytes(data[cut:])
        api.load(f"joined-{number}.mp3")
        mark = capture.frames
        with within(0.5, "the first sound"):
            api.play()
            capture.wait_sound(mark)
        whole = (len(data) - cut) * 8 / 128_000
        assert abs(api.wait_status("completed")["position"] - whole) < 0.1


def test_the_log_tells_details_only_when_asked(start_server):
    """Row 189."""
    logs = {}
    for level in ("info", "debug"):
        server = start_server(arguments=("--log-level", level) if level != "info" else ())
        Api(server.url).load("short-0.mp3", play=True)
        Api(server.url).wait_status("completed")
        server.stop()
        logs[level] = server.log()
    assert " debug " not in logs["info"]
    assert " debug " in logs["debug"]
