# SPDX-License-Identifier: Apache-2.0
"""Music from a web server on the same machine: command to first sound, seeks beyond the loaded part."""

import pathlib
import random
import time

from measure import Row, below
from rig import Origin
from rig.capture import RATE, Capture
from rig.radio import Radio
from rows_sound import Rest, first_sound_after, stage


def _sound_after_a_gap(capture: Capture, asked: float, mark: int) -> float:
    """Milliseconds from `asked` until sound follows the silence of a seek that loads."""
    silence = RATE // 1000

    def found() -> int | None:
        loud = abs(capture.samples(mark).astype(int)).max(axis=1) > 8
        gap = 0
        for place, sounds in enumerate(loud):
            if sounds and gap >= silence:
                return mark + place
            gap = 0 if sounds else gap + 1
        return None

    deadline = time.monotonic() + 10
    while (place := found()) is None:
        assert time.monotonic() < deadline, "no gap, or no sound after it"
        time.sleep(0.02)
    return (capture.arrival(place) - asked) * 1000


def network(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """A server that answers at once. The seek target lies beyond the 8 MB window of a stream."""
    content = (music / "noise-long.mp3").read_bytes()
    origin = Origin()
    first, sought = [], []
    with stage(directory, music) as s:
        capture = Capture(s.pulse, "spk", latency=2).start()
        s.start()
        rest = Rest(s.server.port)
        for number in range(rounds + 1):
            origin.serve(f"/first-{number}.mp3", content)
            capture.wait_silence(0.15)
            mark, asked = capture.frames, time.monotonic()
            rest.send("PUT", "/api/v1/queue",
                      f'{{"items":[{{"uri":"{origin.url}/first-{number}.mp3"}}],"play":true}}'.encode())
            rest.answer()
            first.append(first_sound_after(capture, asked, mark))
            rest.timed("POST", "/api/v1/player/stop")
        for number in range(rounds):
            origin.serve(f"/seek-{number}.mp3", content)
            s.api.load(f"{origin.url}/seek-{number}.mp3", play=True)
            s.api.wait_status("playing", timeout=10)
            capture.wait_seconds(1)
            mark, asked = capture.frames, time.monotonic()
            rest.send("POST", "/api/v1/player/seek", b'{"position":480}')
            rest.answer()
            sought.append(_sound_after_a_gap(capture, asked, mark))
            rest.timed("POST", "/api/v1/player/stop")
        rest.close()
        capture.close()
    origin.close()
    return [Row("address added and played to first sound, warm sink", "ms", first[1:], goal=below(150, "ms"),
                note=f"the first one, which loads libcurl: {first[0]:.0f} ms"),
            Row("seek into an unloaded part to its first sound", "ms", sought, goal=below(300, "ms"),
                note="8 MB are held of 14 MB")]


def station(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """A station whose stream begins at a random byte, until the first sound."""
    content = (music / "noise-long.mp3").read_bytes()
    chance = random.Random(7)
    times = []
    with stage(directory, music) as s:
        capture = Capture(s.pulse, "spk", latency=2).start()
        s.start()
        for _ in range(rounds):
            radio = Radio(content[chance.randrange(1, len(content) // 2) :], 24_000)
            s.api.load(f"{radio.url}/live")
            capture.wait_silence(0.15)
            mark, asked = capture.frames, time.monotonic()
            s.api.play()
            times.append(first_sound_after(capture, asked, mark))
            s.api.command("stop")
            radio.close()
        capture.close()
    return [Row("a station joined at any byte to first sound", "ms", times, goal=below(500, "ms"))]
