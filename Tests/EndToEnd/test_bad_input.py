# SPDX-License-Identifier: Apache-2.0
"""Files, requests and connections that are wrong: a clear error, and the rest goes on (issue 2, Bad input)."""

import contextlib
import shutil
import subprocess
import time

import pytest

from rig import eventually, within
from rig.raw import close_code, exchange, frame, upgrade

BAD_FILES = {"empty.mp3": "empty", "text.mp3": "unsupported", "picture.mp3": "unsupported", "zero-frames.mp3": "empty",
             "missing.mp3": "not-found"}


def test_an_unplayable_file_is_named_and_the_next_plays(api, events, media):
    """Rows 5, 190: an error with code, message and item; completed with `error`; the queue goes on."""
    for name, code in BAD_FILES.items():
        if name == "missing.mp3":
            shutil.copy(media.path("short-0.mp3"), media.path(name))
        mark = events.mark()
        ids = api.load(name, "long.mp3", "short-0.mp3")
        if name == "missing.mp3":
            api.wait_status("ready")
            # Gone after it was opened to be ready: it is opened again.
            media.path(name).unlink()
            api.command("stop")
            events.wait_for("completed", lambda event: event["itemId"] == ids[0], mark=mark)
        mark = events.mark()
        api.request("POST", "/player/play")
        completed = events.wait_for("completed", lambda event: event["itemId"] in ids, mark=mark)
        assert (completed["itemId"], completed["reason"]) == (ids[0], "error"), name
        events.wait_status("playing", mark=mark)
        assert api.player()["item"]["id"] == ids[1]
        found = events.wait_for("error", mark=mark)
        assert found["itemId"] == ids[0] and len(found["message"]) > 10
        assert found["code"] == code, name
        # The player tells why this one plays; of the one behind it that says nothing.
        assert api.player()["error"]["itemId"] == ids[0]
        assert api.call("POST", "/player/next")["error"] is None
        api.call("DELETE", "/queue")


def test_a_queue_of_unplayable_files_fails_and_says_why(api, events):
    """Rows 5, 190: `failed`, the last error kept; no endless round."""
    api.settings(repeat="all")
    ids = api.load("text.mp3", "empty.mp3")
    api.request("POST", "/player/play")
    failed = events.wait_status("failed", "stopped", "completed", timeout=5)
    assert failed["status"] == "failed"
    snapshot = api.player()
    assert snapshot["error"]["code"] and snapshot["error"]["itemId"] in ids
    eventually(lambda: server_is_calm(events), "no endless round", timeout=10)


def server_is_calm(events) -> bool:
    mark = events.mark()
    time.sleep(0.5)  # the absence of events is the subject
    return events.mark() - mark < 10


def test_a_cut_file_is_an_error_event_and_the_queue_goes_on(api, events, media):
    """Row 5: what is there is heard; the event names the item; the next one plays."""
    for name in ("cut.mp3", "cut.flac", "cut.wav", "cut.w64", "cut.caf"):
        whole = media.path("whole-" + name)
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=440:d=1", str(whole)], check=True)
        content = whole.read_bytes()
        whole.unlink()
        media.path(name).write_bytes(content[: len(content) * 2 // 3])
        mark = events.mark()
        ids = api.load(name, "long.mp3")
        api.play()
        found = events.wait_for("error", mark=mark, timeout=10)
        assert (found["code"], found["itemId"]) == ("incomplete", ids[0]), name
        completed = events.wait_for("completed", lambda event: event["itemId"] in ids, mark=mark)
        assert (completed["itemId"], completed["reason"]) == (ids[0], "finished"), name
        eventually(lambda: api.player()["item"]["id"] == ids[1], "the next one plays")
        api.call("DELETE", "/queue")


def test_an_unplayable_file_ends_the_music_when_asked(api, events):
    """Row 5: `onError: stop`, from the first item and from one that is loaded beneath another."""
    assert api.settings(onError="stop")["onError"] == "stop"
    for names, failed in ((("text.mp3", "long.mp3"), 0), (("short-0.mp3", "text.mp3", "long.mp3"), 1)):
        mark = events.mark()
        ids = api.load(*names, play=True)
        assert events.wait_status("failed", mark=mark)["itemId"] == ids[failed]
        assert api.player()["error"]["itemId"] == ids[failed]
        assert all(event["itemId"] != ids[-1] for event in events.since(mark, "completed"))
    api.command("next")
    api.play()
    assert api.wait_status("playing")["item"]["id"] == ids[2]


def test_play_and_stop_in_quick_succession_never_hang(pulse, api):
    """Row 72: 500 rounds on PulseAudio; each stop ends as a stop."""
    api.load("one-frame.mp3", "short-0.mp3", "zero-frames.mp3")
    for number in range(500):
        with within(1, "play"):
            api.request("POST", "/player/play", json={"index": number % 3})
        with within(1, "stop"):
            api.command("stop")
            status = api.wait_status("stopped", "failed")["status"]
        assert status == "stopped" or (status == "failed" and number % 3 == 2), number


def test_hundreds_of_tiny_and_empty_files_pass_in_a_row(pulse, api, events):
    """Row 72: one frame, no frame, 250 times: each is reported within 2 s, the last one ends the queue, nothing lingers."""
    ids = api.load(*["one-frame.mp3", "zero-frames.mp3"] * 250)
    mark = events.mark()
    api.play()
    for number, id in enumerate(ids):
        reason = "error" if number % 2 else "finished"
        events.wait_for("completed", lambda event: event["itemId"] == id and event["reason"] == reason, mark=mark, timeout=2)
    events.wait_for("queue-ended", mark=mark)
    assert [event["itemId"] for event in events.since(mark, "completed")] == ids


OUTSIDE = {
    (403, "forbidden"): ["../../../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "link-out.mp3", "link-dir/secret.mp3",
                         "A Folder/../../secret.mp3", "file:///etc/%70asswd"],
    (404, "media-not-found"): ["..%2f..%2fetc%2fpasswd", "Data: live.mp3"],
    (422, "unsupported"): ["file://other-host/x.mp3", "ftp://127.0.0.1/x.mp3", "data:audio/mpeg;base64,AA", "JavaScript:alert(1)%3B"],
    (422, "invalid"): ["short-0.mp3\u0000.txt"],
}


def test_nothing_outside_the_music_is_opened(directory, api, media, music):
    """Row 1, DESIGN section 4: by .., absolute path, symbolic link, percent-encoding, NUL. A link within the music plays."""
    (music / "A Folder").mkdir()
    shutil.copy(media.path("short-0.mp3"), music)
    outside = directory / "outside"
    outside.mkdir()
    shutil.copy(media.path("short-0.mp3"), outside / "secret.mp3")
    shutil.copy(media.path("short-0.mp3"), directory / "secret.mp3")
    (music / "link-out.mp3").symlink_to(outside / "secret.mp3")
    (music / "link-dir").symlink_to(outside)
    for refusal, uris in OUTSIDE.items():
        for uri in uris:
            assert api.refusal("PUT", "/queue", json={"items": [{"uri": uri}]}) == refusal, uri
            assert api.player()["queue"]["length"] == 0
    (music / "link-in.mp3").symlink_to("short-0.mp3")
    api.play_through("link-in.mp3")


def test_a_huge_body_is_refused(server, api):
    """Issue 2: 413, without reading it all into memory; the server goes on."""
    announced = exchange(server.port, b"PATCH /api/v1/player HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Content-Length: 1000000000000\r\n\r\n{")
    assert b" 413 " in announced.split(b"\r\n")[0]
    before = server.resident_bytes()
    for method, path in (("PATCH", "/player"), ("POST", "/player/play"), ("GET", "/queue")):
        sent = api.request(method, path, content=b'{"volume":' + b" " * (30 << 20) + b"0.1}", headers={"Content-Type": "application/json"})
        assert sent.status_code == 413 and sent.headers["Content-Type"] == "application/problem+json", sent.text[:200]
    assert server.resident_bytes() - before < 8 << 20
    assert api.player()["volume"] == 1


@pytest.mark.shared
def test_malformed_requests_are_refused(server, api):
    """Issue 2: never a success, never a hang; others are served."""
    for data in [
        b"GARBAGE\r\n\r\n", b"GET\r\n\r\n", b"\r\n\r\n", b"GET / HTTP/1.1x\r\nHost: localhost\r\n\r\n",
        b"G\x01T / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET / a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n: x\r\nX: y\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"POST /api/v1/player/pause HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/v1/player/pause HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000 + b"\r\n"]:
        answer = exchange(server.port, data, whole=False)
        assert not answer.startswith(b"HTTP/1.1 2"), answer[:200]
        assert api.player()


@pytest.mark.shared
@pytest.mark.parametrize("later", [False, True], ids=["first", "later"])
def test_a_request_that_can_be_read_in_two_ways_ends_the_connection(server, api, later):
    """RFC 9112 section 6.3: what is smuggled behind it is never answered. `MicrohttpdServerTests` has each kind."""
    version = api.player()["version"]
    first = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" if later else b""
    smuggled = b"0\r\n\r\nPOST /api/v1/player/stop HTTP/1.1\r\nHost: localhost\r\n\r\n"
    ambiguous = b"Host: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = exchange(server.port, first + b"POST /api/v1/player/pause HTTP/1.1\r\n" + ambiguous + smuggled)
    assert answer.count(b"HTTP/1.1 ") == (2 if later else 1), answer
    head = answer[answer.rindex(b"HTTP/1.1 "):]
    assert head.startswith(b"HTTP/1.1 400") and b"application/problem+json" in head and b"\r\nConnection: close" in head
    assert api.player()["version"] == version


# The frame, and the code of the close frame; None for any, or for an end without one.
BROKEN_FRAMES = {
    "reserved opcode": (frame(3, b"x"), 1002), "reserved control opcode": (frame(11, b"x"), 1002),
    "fragmented ping": (frame(9, b"x", fin=False), 1002), "continuation first": (frame(0, b"x"), 1002),
    "2^62 bytes announced": (frame(1, b"x", length=1 << 62), 1009), "over 64 kB announced": (frame(1, b"x", length=70_000), 1009),
    "2 MB": (frame(1, b"x" * (2 << 20)), None),
    "utf-8 broken over fragments": (frame(1, b"\xe4\xb8", fin=False) + frame(0, b"\xff"), None), "long ping": (frame(9, b"x" * 126), None)}


def test_a_broken_frame_ends_its_connection_only(server, api, events):
    """RFC 6455 sections 5.2, 5.4, 5.5 and 7.1.7: the code, no frame behind it, the end; the others go on."""
    api.start("long.mp3")
    for number, (name, (broken, code)) in enumerate(BROKEN_FRAMES.items()):
        with upgrade(server.port, "?events=levels,time&interval=0.02&levelsInterval=0.04") as connection:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                connection.sendall(broken)
            found = close_code(connection)  # fails when neither a close frame nor the end comes
            assert code in (None, found), name
            if code:
                with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                    connection.settimeout(15)
                    assert connection.recv(65536) == b"", f"a frame after the close frame: {name}"
        api.settings(volume=number / 20)
        events.wait_for("settings", lambda event: event["volume"] == number / 20)


def test_odd_frames_cost_nothing(server, api, events):
    """Issue 2: 1 TB that is announced is not allocated, nor is what is not masked."""
    before = server.resident_bytes()
    for volume, frames in ((0.2, frame(1, b"x", length=1 << 40)), (0.3, frame(1, b"{}", masked=False))):
        with upgrade(server.port) as connection:
            connection.sendall(frames)
            api.settings(volume=volume)
            events.wait_for("settings", lambda event: event["volume"] == volume)
            assert server.resident_bytes() - before < 4 << 20
