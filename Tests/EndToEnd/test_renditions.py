# SPDX-License-Identifier: Apache-2.0
"""Frames of videos, pictures in other sizes, waveforms."""

import io
import os
import shutil
import signal
import struct
import subprocess
import zlib

import numpy
import pytest

from rig import Api, binary, eventually, within
from rig.collection import picture, tag
from rig.kept import copy_kept

FRAMES = 25


def make_videos(folder) -> None:
    """20 s whose brightness tells the second: frame n of 500 has the grey n / 2. A key frame every 50."""
    def make(name: str, *options: str) -> None:
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", f"color=black:s=320x180:r={FRAMES}:d=20",
             "-f", "lavfi", "-i", "sine=440:d=20", "-vf", "geq=lum='N/2':cb=128:cr=128", *options, str(folder / name)], check=True)

    common = ("-c:v", "mpeg4", "-q:v", "2", "-c:a", "aac")
    make("clock.mp4", *common, "-g", "50")
    make("clock.mkv", *common, "-g", "50")
    make("keys.mov", "-c:v", "mjpeg", "-q:v", "2", "-r", "1", "-c:a", "aac")


@pytest.fixture(scope="session")
def videos(media):
    return copy_kept("videos", media.root / "videos", make_videos)


def pixels(jpeg: bytes) -> numpy.ndarray:
    """As grey values, shape (height, width)."""
    size = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", "-"], input=jpeg,
                          check=True, capture_output=True).stdout.decode().split(",")
    raw = subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "jpeg_pipe", "-i", "-", "-f", "rawvideo", "-pix_fmt", "gray", "-"],
                         input=jpeg, check=True, capture_output=True).stdout
    return numpy.frombuffer(raw, numpy.uint8).reshape(int(size[1]), int(size[0]))


def thumbnail(api, uri: str, **query):
    return api.request("GET", "/media/thumbnail", params={"uri": uri, **query})


@pytest.mark.parametrize("name", ["clock.mp4", "clock.mkv"])
def test_the_frame_is_that_of_the_time(api, videos, name):
    """Rows 216, 217: the burnt-in clock reads the actual time, which is at or just before the one asked for."""
    for time in (0, 13.0, 7.33, 19.9):
        answer = thumbnail(api, f"videos/{name}", t=time, size=320)
        assert answer.status_code == 200 and answer.headers["Content-Type"] == "image/jpeg"
        actual = float(answer.headers["X-Actual-Time"])
        # In Matroska the video begins 23 ms after the sound: before that there is no frame but the first.
        assert time - 1.01 / FRAMES <= actual <= max(time, 0.023) + 0.001
        # Video range becomes full range: 16...235 to 0...255.
        shown = pixels(answer.content).mean() * 219 / 255 + 16
        expected = min(235, max(16, actual * FRAMES / 2))
        assert shown == pytest.approx(expected, abs=2.5), time


def test_a_video_of_key_frames_tells_the_time_of_the_frame(api, videos):
    """Row 217: one frame a second: what is shown at 7.9 s appeared at 7 s."""
    answer = thumbnail(api, "videos/keys.mov", t=7.9)
    assert float(answer.headers["X-Actual-Time"]) == pytest.approx(7.0, abs=0.51)
    assert pixels(answer.content).shape == (180, 320)


def test_size_etag_and_refusals(api, videos):
    """Rows 218, 219."""
    answer = thumbnail(api, "videos/clock.mp4", t=5, size=64)
    assert pixels(answer.content).shape == (36, 64)
    again = api.request("GET", "/media/thumbnail", params={"uri": "videos/clock.mp4", "t": 5, "size": 64},
                        headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304 and not again.content
    behind = thumbnail(api, "videos/clock.mp4", t=21)
    assert (behind.status_code, behind.json()["code"]) == (416, "behind-the-end")
    assert thumbnail(api, "videos/none.mp4", t=1).status_code == 404
    sound = thumbnail(api, "noise.mp3", t=1)
    assert sound.status_code == 415 and "noise.mp3" in sound.json()["detail"] and "no video" in sound.json()["detail"]
    assert thumbnail(api, "videos/clock.mp4", t=-1).status_code == 422
    assert thumbnail(api, "videos/clock.mp4", t="nan").status_code == 422
    assert thumbnail(api, "videos/clock.mp4", size=100_000).status_code == 422
    assert thumbnail(api, "../../etc/passwd").status_code in (403, 404)


def test_a_thumbnail_is_decoded_once(start_server, videos, tmp_path):
    """Row 219: it is kept and listed, so that the second request, and a 304, need no worker, in the next run neither."""
    off, wrapper = tmp_path / "off", tmp_path / "worker"
    wrapper.write_text(f'#!/bin/sh\n[ -e {off} ] || exec {binary().with_name("tonearm-media-worker")} "$@"\n')
    wrapper.chmod(0o755)
    server = start_server(arguments=("--media-worker", str(wrapper), "--library", "off"))
    api = Api(server.url)
    first = thumbnail(api, "videos/clock.mp4", t=5, size=64)
    assert first.status_code == 200
    off.touch()
    for process in subprocess.run(["pgrep", "-P", str(server.process.pid)], capture_output=True, text=True).stdout.split():
        os.kill(int(process), signal.SIGKILL)
    eventually(lambda: thumbnail(api, "videos/clock.mp4", t=7, size=64).status_code == 422, "there is no worker any more")
    for run in range(2):
        if run:
            api = Api(server.restart(kill=True).url)
        again = thumbnail(api, "videos/clock.mp4", t=5, size=64)
        assert (again.content, again.headers["X-Actual-Time"]) == (first.content, first.headers["X-Actual-Time"])
        assert api.call("GET", "/media/thumbnails")["thumbnails"] == [
            {"uri": "videos/clock.mp4", "t": 5, "size": 64, "time": float(first.headers["X-Actual-Time"]), "bytes": len(first.content)}]
        api = Api(server.restart(kill=True).url)
    known = api.request("GET", "/media/thumbnail", params={"uri": "videos/clock.mp4", "t": 5, "size": 64}, headers={"If-None-Match": first.headers["ETag"]})
    assert known.status_code == 304


def test_a_waveform_shows_where_it_is_loud(api, media):
    """Row 216: for audio. Quiet tone, then noise; the same for MP3 and FLAC."""
    source = media.scratch / "changing.wav"
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", str(source), str(media.root / "changing.flac")], check=True)
    for uri in ("changing.flac", "vbr-noxing-long.mp3"):
        waveform = api.call("GET", "/media/waveform", params={"uri": uri, "count": 100})
        peaks = waveform["peaks"]
        assert len(peaks) == 100 and waveform["duration"] == pytest.approx(40, abs=0.1)
        assert max(peaks[:48]) < 0.2 < 0.4 < min(peaks[52:])
    with within(1, "a waveform that was made before"):
        (item,) = api.load("changing.flac")
        again = api.call("GET", f"/queue/items/{item}/waveform", params={"count": 100})
    assert again["peaks"] == pytest.approx(peaks, abs=0.15)
    assert len(api.call("GET", f"/queue/items/{item}/waveform")["peaks"]) == 800
    assert api.request("GET", "/media/waveform", params={"uri": "text.mp3"}).status_code == 422
    assert api.request("GET", "/media/waveform", params={"uri": "noise.mp3", "count": 0}).status_code == 422


def test_pictures_come_in_the_size_that_is_asked_for(api, media):
    """Issue 3, point 7: as JPEG, with an ETag of its own."""
    whole = api.request("GET", "/media/artwork", params={"uri": "tagged.mp3"})
    assert whole.content == media.cover
    small = api.request("GET", "/media/artwork", params={"uri": "tagged.mp3", "size": 32})
    assert small.headers["Content-Type"] == "image/jpeg" and pixels(small.content).shape == (32, 32)
    assert small.headers["ETag"] != whole.headers["ETag"]
    again = api.request("GET", "/media/artwork", params={"uri": "tagged.mp3", "size": 32}, headers={"If-None-Match": small.headers["ETag"]})
    assert again.status_code == 304
    (item,) = api.load("tagged.mp3")
    queued = api.request("GET", f"/queue/items/{item}/artwork", params={"size": 32})
    assert queued.content == small.content
    assert api.request("GET", "/media/artwork", params={"uri": "tagged.mp3", "size": 7}).status_code == 422


def bomb() -> bytes:
    """A PNG of 30,000 by 30,000 pixels in a few hundred kilobytes: 2.7 GB when decoded."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer, packed = zlib.compressobj(1), io.BytesIO()
    row = bytes(1 + 30_000 * 3)
    for _ in range(300):
        packed.write(packer.compress(row))
    packed.write(packer.flush())
    head = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed.getvalue()) + chunk(b"IEND", b"")


def test_a_picture_that_is_a_bomb_is_refused(server, api, music, media):
    """“Bad input”: zip-bomb pictures; the server neither falls nor grows."""
    shutil.copy(media.path("untagged.mp3"), music / "a.mp3")
    (music / "cover.png").write_bytes(bomb())
    before = server.resident_bytes()
    for _ in range(3):
        assert api.refusal("GET", "/media/artwork", params={"uri": "a.mp3", "size": 100}) == (415, "unsupported")
    assert server.resident_bytes() - before < 32 << 20
    # In the tags of the file, too.
    (music / "b.mp3").write_bytes(tag(picture(bomb())) + media.path("untagged.mp3").read_bytes())
    inside = api.request("GET", "/media/artwork", params={"uri": "b.mp3", "size": 100})
    assert inside.status_code == 415 and server.resident_bytes() - before < 48 << 20
    (music / "cover.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))
    assert api.request("GET", "/media/artwork", params={"uri": "a.mp3", "size": 100}).status_code == 415
