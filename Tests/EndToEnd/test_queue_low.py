# SPDX-License-Identifier: Apache-2.0
"""`queue-low`: who fills the queue on it leaves no gap."""

import numpy
import pytest

from rig import Origin
from rig.capture import RATE
from rig.signals import write_wave

SECONDS = 4


@pytest.fixture
def halves(directory):
    """Noise in two WAV files, and all of it."""
    root = directory / "noise"
    root.mkdir()
    noise = numpy.random.default_rng(7).uniform(-0.3, 0.3, (2 * SECONDS * RATE, 2))
    for name, part in (("one", noise[:SECONDS * RATE]), ("two", noise[SECONDS * RATE:])):
        write_wave(root / f"{name}.wav", part)
    return root, numpy.round(noise * 32767).astype(int)


@pytest.fixture
def server(start_server, written, halves):
    return start_server(output=written.output, music=halves[0])


@pytest.mark.parametrize("where", ["local", "network"])
def test_an_item_added_on_it_follows_without_a_gap(written, api, events, halves, where):
    """Rows 156, 271. The server of the network's item needs a second to answer. Behind a gap the file would have a fade."""
    root, noise = halves
    origin = Origin()
    for name in ("one", "two"):
        content = (root / f"{name}.wav").read_bytes()
        origin.serve(f"/{name}.wav", content, content_type="audio/wav", delay=1 if name == "two" else 0)
    base = f"{origin.url}/" if where == "network" else ""
    mark = events.mark()
    ids = api.load(f"{base}one.wav", play=True)
    low = events.wait_for("queue-low", mark=mark)
    assert (low["reason"], low["itemId"]) == ("ending", ids[0]) and 0 < low["remaining"] <= SECONDS
    api.add(f"{base}two.wav")
    api.wait_status("completed", timeout=15)
    heard = written.samples().astype(int)
    assert len(heard) == len(noise) and numpy.abs(heard - noise).max() <= 2
    # Of the last one as well, and of no more.
    assert [event["itemId"] for event in events.since(mark, "queue-low")] == [ids[0], api.ids()[1]]
    assert "underrun" not in [event.data.get("reason") for event in events.since(mark, "status")]


def test_it_is_sent_when_the_next_one_is_asked_for(api, events):
    """Row 156: the hook, and no-such-content."""
    mark = events.mark()
    assert api.refusal("POST", "/player/next") == (404, "no-such-content")
    low = events.wait_for("queue-low", mark=mark)
    assert low.data == {"reason": "next", "itemId": None, "remaining": None}
