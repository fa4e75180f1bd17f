# SPDX-License-Identifier: Apache-2.0
"""Numbers from strangers that no file has: an error or "unknown", and the server lives (row 251)."""

import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from rig import Api, eventually, tonearm, within

NUMBERS = [2**63 - 1, 2**62, 2**53 + 1, 2**48 + 1, 0, -1]
WORDS = [*map(str, NUMBERS), "NaN"]


def test_an_origin_that_claims_impossible_sizes_ends_nothing(server, api, origin, media):
    """Content-Range, its `*`, and Content-Length: each is played as of unknown length, or is an error; so it is after a restart."""
    content = media.path("short-0.mp3").read_bytes()
    urls = []
    for number in WORDS:
        last = str(int(number) - 1) if number != "NaN" else number
        for index, field in enumerate([f"bytes 0-{last}/{number}", f"bytes 0-{len(content) - 1}/{number}", f"bytes 0-{last}/*"]):
            path = f"/{number}-{index}.mp3"
            origin.serve(path, content, content_range=field, length=None)
            urls.append(origin.url + path)
        origin.serve(f"/{number}-length.mp3", content, ranges=False, length=number)
        urls.append(f"{origin.url}/{number}-length.mp3")
    for url in urls:
        api.load(url)
        api.request("POST", "/player/play")
        state = eventually(lambda: (s := api.player())["status"] in ("playing", "buffering", "failed", "completed") and s, url)
        assert (state["duration"] or 0) < 1e13, url
    api.load(urls[0])
    server.restart(kill=True)
    Api(server.url).wait_status("paused", "failed")
    assert server.is_running


@pytest.fixture
def vast(directory) -> Iterator[pathlib.Path]:
    """A folder with a sparse file of 10^18 bytes, on whatever file system takes one."""
    for parent in (directory, pathlib.Path("/dev/shm"), pathlib.Path("/var/tmp")):
        folder = parent / f"vast-{os.getpid()}"
        folder.mkdir()
        try:
            with (folder / "vast.mp3").open("wb") as file:
                file.truncate(10**18)
            yield folder
            return
        except OSError:
            pass
        finally:
            shutil.rmtree(folder)
    pytest.skip("no file system here has files of 10^18 bytes")


def test_a_file_of_a_billion_gigabytes_is_an_error(start_server, media, vast):
    content = media.path("short-0.mp3").read_bytes()
    for name in ("vast.mp3", "vast.flac"):
        with (vast / name).open("wb") as file:
            file.write(content)
            file.truncate(10**18)
    (vast / "sound.mp3").write_bytes(content)
    server = start_server(music=vast)
    api = Api(server.url)
    scan = eventually(lambda: (s := api.call("GET", "/library")["scan"])["endedAt"] and s, "the scan has ended", 20)
    assert (scan["found"], scan["unplayable"]) == (3, 2)
    for name in ("vast.mp3", "vast.flac"):
        api.load(name)
        api.request("POST", "/player/play")
        assert api.wait_status("failed")["error"]["code"] == "unsupported"
    server.restart()
    api = Api(server.url)
    api.start("sound.mp3")


def test_holes_are_not_searched_without_end(start_server, media, vast):
    """8 TB with 5 s of music at the beginning: a seek and a waveform fail soon and say why, and its length is unknown."""
    with (vast / "vast.mp3").open("wb") as file:
        file.write(media.path("noise.mp3").read_bytes())
        file.truncate(8 << 40)
    server = start_server(music=vast)
    api = Api(server.url)
    eventually(lambda: api.call("GET", "/library")["scan"]["endedAt"], "the scan has ended", 20)
    assert api.call("GET", "/library")["duration"] < 1000
    api.load("vast.mp3", play=True)
    assert api.wait_status("playing")["duration"] is None
    api.request("POST", "/player/seek", json={"position": 1e6})
    error = api.wait_status("failed", timeout=10)["error"]
    assert error["code"] == "unreadable" and "24 MB" in error["message"]
    assert api.refusal("GET", "/media/waveform", params={"uri": "vast.mp3"}) == (422, "unreadable")


@pytest.mark.parametrize("name", ["vast.wav", "vast.flac"])
def test_holes_behind_the_sound_are_not_scanned(start_server, media, vast, name):
    """8 TB with 1 s of sound at the beginning: listed within 2 s, with the length in its header, and played."""
    (vast / "vast.mp3").unlink(missing_ok=True)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=440:d=1", str(vast / name)], check=True)
    with (vast / name).open("ab") as file:
        file.truncate(8 << 40)
    with within(2, "a scan of one file"):
        server = start_server(music=vast)
        api = Api(server.url)
        scan = eventually(lambda: (s := api.call("GET", "/library")["scan"])["endedAt"] and s, "the scan has ended", 20)
        assert (scan["found"], scan["unplayable"]) == (1, 0)
        assert api.call("GET", "/library")["duration"] == pytest.approx(1, abs=0.05)
    api = Api(server.url)
    api.load(name, play=True)
    assert api.wait_status("playing", "completed")["status"] in ("playing", "completed")


# Each member with a number that fits: it shows that the request itself is right.
MEMBERS = {
    ("POST", "/player/seek"): {'{"position": %s}': 1, '{"offset": %s}': 1, '{"progress": %s}': 0.5},
    ("POST", "/player/play"): {'{"index": %s}': 1, '{"position": %s}': 1},
    ("POST", "/player/scan"): {'{"rate": %s}': 2},
    ("POST", "/player/prime"): {'{"seconds": %s}': 1},
    ("PATCH", "/player"): {
        '{"volume": %s}': 1, '{"volumeRamp": {"to": %s, "seconds": 0}}': 1, '{"volumeRamp": {"to": 1, "seconds": %s}}': 0,
        '{"level": %s}': 1, '{"levelBy": %s}': 0.1, '{"balance": %s}': 0.5, '{"interruptionTimeout": %s}': 9,
        '{"previousRestartsAfter": %s}': 3, '{"remoteCommands": {"skipInterval": %s}}': 15, '{"playbackRate": %s}': 1, '{"pitch": %s}': 0,
        '{"crossfade": %s}': 0, '{"fades": {"pause": %s}}': 0, '{"decodeAhead": %s}': 1,
        '{"abLoop": {"begin": %s, "end": 30}}': 1, '{"abLoop": {"begin": 1, "end": %s}}': 30},
    ("PATCH", "/effects"): {
        '{"width": %s}': 1, '{"delay": %s}': 0, '{"loudness": {"preamp": %s}}': 0, '{"limiter": {"ceiling": %s}}': -1,
        '{"crossfeed": {"level": %s}}': 6, '{"reverb": {"decay": %s}}': 1, '{"equalizer": {"preamp": %s}}': 0,
        '{"equalizer": {"bands": [{"type": "peak", "frequency": %s, "gain": 3, "q": 1}]}}': 1000,
        '{"equalizer": {"bands": [{"type": "peak", "frequency": 1000, "gain": %s, "q": 1}]}}': 3,
        '{"equalizer": {"bands": [{"type": "peak", "frequency": 1000, "gain": 3, "q": %s}]}}': 1},
    ("POST", "/timers"): {
        '{"type": "sleep", "after": %s}': 3600, '{"type": "sleep", "after": 3600, "fade": %s}': 5,
        '{"type": "alarm", "time": "07:00", "level": %s}': 0.5, '{"type": "alarm", "time": "07:00", "ramp": %s}': 9,
        '{"type": "alarm", "time": "07:00", "snooze": %s}': 300},
    ("POST", "/renders"): {
        '{"items": [{"uri": "short-0.mp3"}], "start": %s}': 0.1, '{"items": [{"uri": "short-0.mp3"}], "duration": %s}': 0.1,
        '{"mix": [{"uri": "short-0.mp3", "gain": %s}]}': -6},
    ("POST", "/announcements"): {
        '{"uri": "short-0.mp3", "duck": %s}': -6, '{"uri": "short-0.mp3", "timeout": %s}': 9, '{"uri": "short-0.mp3", "volume": %s}': 0.5},
    ("POST", "/queue/items"): {
        '{"items": [{"uri": "short-0.mp3", "beginTime": %s}]}': 0.1, '{"items": [{"uri": "short-0.mp3", "loops": %s}]}': 2,
        '{"items": [{"uri": "short-0.mp3"}], "position": %s}': 1},
    ("POST", "/queue/move"): {'{"ids": [], "position": %s}': 0},
    ("PUT", "/queue"): {'{"items": [{"uri": "short-0.mp3"}], "index": %s}': 0},
}
QUERIES = ["/queue?offset=%s", "/queue?limit=%s", "/library/tracks?offset=%s", "/media/waveform?uri=short-0.mp3&count=%s",
           "/media/thumbnail?uri=short-0.mp3&t=%s", "/media/thumbnail?uri=short-0.mp3&size=%s"]


def test_requests_with_impossible_numbers_are_answered(api, server):
    for (method, path), bodies in MEMBERS.items():
        for body, fitting in bodies.items():
            api.start("long.mp3", "chirp.mp3")
            for number in [fitting, *WORDS, "1e308", "1e400", "-1e308"]:
                answer = api.request(method, path, content=body % number, headers={"Content-Type": "application/json"})
                assert answer.is_success or number != fitting, (path, body % number, answer.text)
                assert answer.status_code < 500, (path, body % number, answer.text)
                if number in ("NaN", "1e400"):
                    assert answer.status_code in (400, 422), (path, body % number, answer.text)
    for query in QUERIES:
        # 415: an MP3 has no thumbnails.
        assert api.request("GET", query % 100).status_code in (200, 415), query
        for number in WORDS:
            assert api.request("GET", query % number).status_code < 500, query % number
    for path in ("//app.js", "//openapi.yaml"):
        for number in WORDS:
            for field in (f"bytes=0-{number}", f"bytes={number}-", f"bytes=-{number}"):
                answer = api.request("GET", path, headers={"Range": field})
                assert answer.status_code in (200, 206, 416), (path, field)
    assert server.is_running


def test_impossible_settings_are_refused():
    for flag in ("port", "decode-buffer-frames", "buffer-count", "cache-limit", "network-timeout", "prebuffer", "rebuffer"):
        for number in (str(2**63 - 1), "-1", "NaN", "1e400"):
            result = tonearm("serve", f"--{flag}={number}")
            assert result.returncode in range(1, 126) and flag in result.stderr, (number, result)


def test_item_that_crashed_the_server_is_not_reopened(server, api, origin):
    """The mark outlives `kill -9`; an error tells; play opens it, and what opened is restored as ever."""
    origin.serve("/held.mp3", b"x" * 4000, silent=True)
    (item,) = api.load(f"{origin.url}/held.mp3")
    # Opened by the user, then by itself: the process dies both times.
    for number in (1, 2):
        eventually(lambda: len(origin.log("/held.mp3")) == number, "it is being opened")
        server.restart(kill=True)
    api = Api(server.url)
    state = api.wait_status("failed")
    assert (state["reason"], state["error"]["code"], state["error"]["itemId"]) == ("media-error", "decoder-failed", item)
    assert state["item"]["id"] == item and len(origin.log("/held.mp3")) == 2
    # The mark stays until something was opened.
    server.restart(kill=True)
    api = Api(server.url)
    assert api.wait_status("failed")["error"]["code"] == "decoder-failed"
    api.request("POST", "/player/play")
    eventually(lambda: len(origin.log("/held.mp3")) == 3, "play opens it")
    api.load("long.mp3")
    api.wait_status("ready", "playing")
    api = Api(server.restart(kill=True).url)
    assert api.wait_status("ready", "paused")["error"] is None
