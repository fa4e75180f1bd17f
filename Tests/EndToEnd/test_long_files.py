# SPDX-License-Identifier: Apache-2.0
"""Files of half a gigabyte and of hours: memory and exactness at their end."""

import contextlib
import pathlib
import struct

import pytest

from rig import RATE, eventually

FRAME = 1152


def bare_frames(source: pathlib.Path) -> list[bytes]:
    """The MPEG-1 layer III frames of a CBR file at 44.1 kHz, without the frame that only holds a header of lame's."""
    data, place, frames = source.read_bytes(), 0, []
    rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    while place + 4 <= len(data):
        if data[place] != 0xFF or data[place + 1] & 0xFE != 0xFA:
            place += 1
            continue
        length = 144_000 * rates[data[place + 2] >> 4] // RATE + (data[place + 2] >> 1 & 1)
        frames.append(data[place : place + length])
        place += length
    return [frame for frame in frames[1:] if b"Info" not in frame and b"Xing" not in frame]


def repeated(frames: list[bytes], path: pathlib.Path, count: int) -> int:
    """Writes at least `count` frames in whole rounds; returns how many it wrote."""
    rounds = -(-count // len(frames))
    block = b"".join(frames)
    with path.open("wb") as file:
        for _ in range(rounds):
            file.write(block)
    return rounds * len(frames)


def test_half_a_gigabyte_plays_in_little_memory(media, music, server, api):
    """Row 2: begins at once, plays, jumps to its end; the server never holds 32 MB more."""
    frames = bare_frames(media.path("noise-320.mp3"))
    count = repeated(frames, music / "big.mp3", 500_000_000 // len(frames[0]))
    server.forget_peak()
    before = server.peak_bytes()
    api.load("big.mp3")
    api.play()
    duration = api.wait_status("playing")["duration"]
    assert duration == pytest.approx(count * FRAME / RATE, rel=1e-4)
    for part in (0.5, 0.99, 0.2):
        place = api.seek(progress=part)["position"]
        assert place == pytest.approx(duration * part, abs=2)
        eventually(lambda: api.player()["position"] > place + 0.5, "it plays on from there")
        assert server.peak_bytes() - before < 32 << 20


def resident(process: int, most: bool = False) -> int:
    """Bytes, or the most since its start; 0 if it has ended."""
    with contextlib.suppress(OSError, IndexError):
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        return int(status.partition("VmHWM:" if most else "VmRSS:")[2].split()[0]) * 1024
    return 0


def test_half_a_gigabyte_of_pcm_plays_in_little_memory(music, server, api):
    """Row 2: a WAV, through the media worker: neither process ever grows by 32 MB while it plays and jumps."""
    count = 500_000_000 // 4
    for name, frames in (("big", count), ("small", RATE)):
        head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + 4 * frames, b"WAVE", b"fmt ", 16, 1, 2, RATE, 4 * RATE, 4, 16, b"data", 4 * frames)
        with (music / f"{name}.wav").open("wb") as file:
            file.write(head)
            file.truncate(len(head) + 4 * frames)
    api.play_through("small.wav")
    server.forget_peak()
    before = server.peak_bytes()
    api.load("big.wav")
    api.play()
    duration = api.wait_status("playing")["duration"]
    assert duration == pytest.approx(count / RATE, abs=0.001)
    workers = server.workers()
    assert workers
    first = {process: resident(process) for process in workers}
    for part in (0.5, 0.99, 0.2):
        place = api.seek(progress=part)["position"]
        assert place == pytest.approx(duration * part, abs=2)
        eventually(lambda: api.player()["position"] > place + 0.5, "it plays on from there")
        assert server.peak_bytes() - before < 32 << 20
        assert all(resident(process, most=True) - first[process] < 32 << 20 for process in workers)


def test_the_end_of_three_hours_is_exact(media, music, api):
    """Row 47: the duration and the last position are right to a millisecond."""
    count = repeated(bare_frames(media.path("noise-128.mp3")), music / "hours.mp3", 3 * 3600 * RATE // FRAME)
    api.start("hours.mp3")
    true = count * FRAME / RATE
    api.seek(position=true - 0.5)
    last = api.wait_status("completed")
    assert last["duration"] == pytest.approx(true, abs=0.001)
    assert last["position"] == pytest.approx(true, abs=0.001)
