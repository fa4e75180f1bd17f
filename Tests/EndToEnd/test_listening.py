# SPDX-License-Identifier: Apache-2.0
"""Position and sound compared where they could part: after next, behind a cut file, on the way to headphones."""

import time

import numpy
import pytest

from rig import PATIENCE, RATE, Capture, eventually
from rig.pulse import HEADPHONES
from rig.signals import align, click_level, largest_difference, place_heard

# A monitor gives a sample when the sink renders it: up to a block of 20 ms before it is heard.
NEAR = 0.04


def positions(api, seconds: float) -> list[tuple[float, dict]]:
    """Answers over some time, each with its moment."""
    found, end, wall = [], time.monotonic() + seconds, time.time() - time.monotonic()
    while time.monotonic() < end:
        answer = api.player()
        found.append((answer["sampledAt"] / 1000 - wall, answer))
    return found


def assert_near(errors: list[float]) -> None:
    """Single ones may be far off: a recorder that is late on a busy machine."""
    assert abs(numpy.median(errors)) < NEAR and max(map(abs, errors)) < NEAR * PATIENCE


def test_replaced_item_is_gone_and_the_position_is_of_the_new_one(capture, api, media):
    """Rows 54, 69: hardly any old audio after the answer (scripts/bench asserts 20 ms), no click, and the first 100 ms told as heard."""
    api.load("low.mp3", play=True)
    capture.wait_sound()
    capture.wait_seconds(0.5)
    begin = capture.frames
    api.call("PUT", "/queue", json={"items": [{"uri": "long.mp3"}], "play": True})
    answer = api.player()
    answered = time.monotonic()
    told = positions(api, 0.15)
    assert answer["item"]["uri"] == "long.mp3"
    capture.wait_seconds(1.0)
    window = capture.samples(begin)
    new = begin + align(window, media.reference("long.mp3")[:RATE // 2])
    old_end = begin + int(numpy.flatnonzero(capture.samples(begin, new)[:, 0])[-1])
    assert old_end - capture.frame_at(answered) < 0.02 * PATIENCE * RATE
    assert click_level(capture.samples(begin - RATE // 4, new)[:, 0]) < -40
    errors = []
    for moment, snapshot in told:
        assert snapshot["item"]["uri"] == "long.mp3"
        heard = max(0, capture.frame_at(moment) - new) / RATE
        errors.append(snapshot["position"] - heard)
    assert_near(errors)
    assert [snapshot["position"] for _, snapshot in told] == sorted(snapshot["position"] for _, snapshot in told)


@pytest.mark.parametrize("name", ["truncated.mp3", "formats/cut.flac"])
def test_a_cut_file_sounds_to_its_last_frame_and_the_next_one_follows(written, api, media, formats, events, name):
    """Row 5: what there is is heard; the position does not run past it, and is the next item's from its first frame on."""
    api.load(name, "short-0.mp3")
    mark = events.mark()
    api.play()
    events.wait_for("queue-ended", mark=mark, timeout=10)
    captured = written.samples()
    if name.endswith("mp3"):
        cut = media.reference(name)
    else:
        cut = formats.reference(name.removeprefix("formats/"))
    following = media.reference("short-0.mp3")
    difference, start = largest_difference(captured, cut[:len(cut) - 2304])
    next_start = align(captured, following)
    heard = next_start - start
    assert difference <= 1 and abs(heard - len(cut)) <= 1152
    ended = eventually(lambda: len(found := events.since(mark, "completed")) == 2 and found, "the end of both")
    ends = {event["itemId"]: event for event in ended}
    ids = [item["id"] for item in api.queue()["items"]]
    last = [event for event in events.since(mark, "time") if event["itemId"] == ids[0]]
    assert all(event["position"] <= heard / RATE + NEAR for event in last)
    events.wait_for("item", lambda event: event["item"] and event["item"]["id"] == ids[1], mark=mark)


def test_on_the_way_to_headphones_nothing_is_lost(capture, pulse, api, media, events):
    """Row 141: what is heard on the headphones goes on where the speakers stopped; the position is what is heard."""
    pulse.unplug("hp")
    eventually(lambda: len(api.outputs()) == 1, "the speakers only")
    reference = media.reference("long.mp3")
    api.load("long.mp3", play=True)
    capture.wait_sound()
    capture.wait_seconds(0.7)
    mark = events.mark()
    pulse.load(HEADPHONES)
    recorder = Capture(pulse, "hp", latency=5).start(restart_sink=False)
    eventually(lambda: pulse.stream_sinks() == ["hp"], "the music moved")
    eventually(lambda: recorder.samples()[-RATE // 4:].any(axis=1).sum() > RATE // 5, "it sounds there")
    api.wait_status("playing")
    recorder.wait_seconds(0.4)
    told = positions(api, 0.1)
    recorder.wait_seconds(0.2)
    last = capture.last_sound()
    left, came = last - RATE // 2, recorder.frame_at(told[0][0]) - RATE // 5
    left_place = place_heard(capture.samples(left, left + RATE // 5), reference)
    came_place = place_heard(recorder.samples(came, came + RATE // 5), reference)
    apart = recorder.arrival(came) - capture.arrival(left)
    gap = apart - (came_place - left_place) / RATE
    # By two recorders.
    assert -0.08 < gap < 0.1 * PATIENCE
    errors = [snapshot["position"] - (came_place + recorder.frame_at(moment) - came) / RATE for moment, snapshot in told]
    assert_near(errors)
    assert not [event for event in events.since(mark, "status") if event["status"] == "paused"]


def test_the_seam_between_two_devices_repeats_and_loses_nothing(capture, pulse, api, media):
    """Rows 74, 141: to the headphones and back, frame by frame, but for the fades."""
    headphones = Capture(pulse, "hp").start()
    reference = media.reference("long.mp3")
    api.choose("spk")
    api.load("long.mp3", play=True)
    capture.wait_sound()
    capture.wait_seconds(0.5)
    for recorder, other, sink in ((capture, headphones, "hp"), (headphones, capture, "spk")):
        mark = other.frames
        api.choose(sink)
        first = other.wait_sound(mark)
        other.wait_seconds(0.6)
        last = recorder.last_sound()
        before = place_heard(recorder.samples(last - RATE // 3, last - RATE // 8), reference)
        after = place_heard(other.samples(first + RATE // 10, first + RATE // 3), reference)
        lost = (after - RATE // 10) - (before + RATE // 3)
        gap = other.arrival(first) - recorder.arrival(last)
        assert abs(lost) < 0.02 * RATE
        assert gap < 0.1 * PATIENCE
