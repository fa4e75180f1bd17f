# SPDX-License-Identifier: Apache-2.0
"""Row 233: whatever an origin does, at random and for long: it always ends in playing, or in an error that says why.

`scripts/soak SECONDS` runs it for as long as is wanted; its figures stand in the output.
"""

import os
import random
import socket
import time

import pytest

from rig import ENDURANCE, Origin
from rig.hls import AAC, SegmentRadio, cut
from rig.origin import Behaviour

SECONDS = 2 * ENDURANCE
SEED = int(os.environ.get("TONEARM_SOAK_SEED", 1))
KBPS_192 = 24000
STEP = 44 * 1024 / 44100
# The longest wait that the server allows itself is 30 s of buffering, behind 30 s of opening.
PATIENCE = 75


class Chaos(Origin):
    """Serves files in bursts, with pauses, breaks and refusals at random."""

    def __init__(self, dice: random.Random):
        self.dice = dice
        self.deeds: dict[str, int] = {}
        super().__init__()

    def _did(self, deed: str) -> None:
        with self._lock:
            self.deeds[deed] = self.deeds.get(deed, 0) + 1

    def _answer(self, connection: socket.socket, request) -> bool:
        roll = self.dice.random()
        if roll < 0.05:
            self._did("refused")
            return False
        if roll < 0.10:
            self._did("503")
            self._head(connection, 503, [("Content-Length", "0"), ("Retry-After", "1")])
            return True
        if roll < 0.15:
            self._did("late")
            self._closing.wait(self.dice.uniform(1, 20))
        return super()._answer(connection, request)

    def _body(self, connection: socket.socket, path: str, behaviour: Behaviour, start: int, end: int) -> bool:
        place = start
        while place < end:
            piece = self.dice.randrange(1_000, 120_000)
            data = behaviour.content[place : min(end, place + piece)]
            connection.sendall(b"%x\r\n%b\r\n" % (len(data), data) if behaviour.chunked else data)
            place += len(data)
            roll = self.dice.random()
            if roll < 0.04:
                self._did("broken off")
                return False
            if roll < 0.12:
                self._did("stalled")
                self._closing.wait(self.dice.choice([0.5, 2, 6, 12, 25, 40]))
            else:
                self._closing.wait(len(data) / KBPS_192 / self.dice.uniform(0.8, 6))
            if self._closing.is_set():
                return False
        if behaviour.chunked:
            connection.sendall(b"0\r\n\r\n")
        return True


@pytest.fixture
def scene(media):
    """An origin and an HLS station, both of which behave badly."""
    dice = random.Random(SEED)
    origin = Chaos(dice)
    long = media.path("long.mp3").read_bytes()
    origin.serve("/a.mp3", long)
    origin.serve("/b.mp3", long, ranges=False, etag=None)
    origin.serve("/c.mp3", long, chunked=True, ranges=False, etag=None)
    folder = media.scratch / "hls-soak"
    cut(media.chirp_wave, folder, *AAC, seconds=STEP - 0.0004)
    for path in folder.iterdir():
        origin.serve(f"/vod/{path.name}", path.read_bytes(), content_type="video/mp2t")
    station = SegmentRadio(folder, STEP)
    return dice, origin, station


@pytest.mark.serve("--cache", "on")
@pytest.mark.endurance
@pytest.mark.timeout(SECONDS + 300)
def test_it_never_stays_stuck(scene, server, api, capsys):
    dice, origin, station = scene
    uris = [f"{origin.url}/{name}" for name in ("a.mp3", "b.mp3", "c.mp3", "vod/list.m3u8")] + [station.live]
    seen: dict[str, int] = {}
    began = since = time.monotonic()
    last, longest, memory_at_begin, moved = None, 0.0, 0, 0.0
    while time.monotonic() - began < SECONDS:
        player = api.player()
        status, position = player["status"], player["position"]
        now = time.monotonic()
        if status != last:
            seen[status] = seen.get(status, 0) + 1
            last, since = status, now
        if status in ("loading", "buffering", "seeking", "stopping"):
            longest = max(longest, now - since)
            assert now - since < PATIENCE, f"{status} for {now - since:.0f} s: {player}"
        elif status == "playing":
            assert player["rate"] > 0 or now - since < 5
            moved = max(moved, position)
        if status in ("idle", "completed", "failed", "stopped", "paused", "ready"):
            if status == "failed":
                assert player["error"]["code"] and player["error"]["message"]
            dice.shuffle(uris)
            # An address named like a list is read when it is added: its server may refuse just then.
            answer = api.request("PUT", "/queue", json={"items": [{"uri": uri} for uri in uris]})
            assert answer.is_success or answer.status_code in (404, 502), answer.text
            api.request("POST", "/player/play")
        elif dice.random() < 0.01:
            deed = dice.choice(["seek", "next", "pause", "cut", "freeze"])
            if deed == "seek":
                api.request("POST", "/player/seek", json={"position": dice.uniform(0, 38)})
            elif deed == "next":
                api.request("POST", "/player/next")
            elif deed == "pause":
                api.request("POST", "/player/pause")
            elif deed == "cut":
                dice.choice([origin, station]).cut()
            else:
                for event in (station.frozen, station.bare, station.refusing):
                    (event.set if dice.random() < 0.3 else event.clear)()
        if not memory_at_begin and now - began > min(60, SECONDS / 3):
            memory_at_begin = server.resident_bytes()
        assert api.request("GET", "//healthz").status_code == 200
        time.sleep(0.1)  # the load per time is the subject
    memory = server.resident_bytes()
    with capsys.disabled():
        print(f"\nsoak: {SECONDS:.0f} s, seed {SEED}; statuses {seen}; the origin {origin.deeds}; longest wait {longest:.1f} s; "
              f"resident {memory_at_begin / 1e6:.1f} MB -> {memory / 1e6:.1f} MB")
    assert moved > 1, "something was played"
    # The window of an item has 8 MB, the cache's queue another 8.
    assert memory < memory_at_begin + 24_000_000
