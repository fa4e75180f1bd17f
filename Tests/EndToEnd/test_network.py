# SPDX-License-Identifier: Apache-2.0
"""Items that come over HTTP, from a server that behaves as scripted."""

import subprocess
import threading
import time
import zlib

import numpy
import pytest

from rig import PATIENCE, RATE, Api, Origin, during, eventually
from rig.signals import align, largest_difference, second_of_chirp, write_wave

KBPS_192 = 24000


@pytest.fixture
def elsewhere():
    """Another host: its address differs."""
    return Origin("127.0.0.2")


def content(media, name: str) -> bytes:
    return media.path(name).read_bytes()


def play_to_the_end(api, capture, *items, timeout: float = 30) -> numpy.ndarray:
    api.play_through(*items, timeout=timeout)
    capture.wait_silence()
    return capture.samples()


def assert_whole(captured, *references) -> None:
    difference, start = largest_difference(captured, numpy.concatenate(references))
    assert difference <= 1
    assert not captured[:start].any()


def end_of(ranges: list[dict]) -> float:
    return ranges[-1]["start"] + ranges[-1]["duration"] if ranges else 0


def failure_of(api, events, item: dict | str, timeout: float = 5) -> dict:
    """Plays it alone; the error that it ends with."""
    mark = events.mark()
    # The item that was there before may fail once more meanwhile.
    ids = api.load(item)
    assert api.request("POST", "/player/play").status_code != 500
    error = events.wait_for("error", lambda event: event["itemId"] in ids, timeout=timeout, mark=mark)
    assert api.wait_status("failed")["error"]["code"] == error["code"]
    return error.data


# Playing


@pytest.mark.smoke
def test_a_link_and_a_file_play_in_one_queue_without_a_gap(written, api, media, origin):
    """Rows 33, 34, 211: both kinds in one queue; each sample as mpg123 decodes it, nothing between them."""
    # Each is 2 s long: so late may the origin be with the next one.
    linked, files = ("noise-128.mp3", "noise-320.mp3"), ("noise.mp3", "noise-160.mp3")
    for name in linked:
        origin.serve(f"/{name}", content(media, name))
    captured = play_to_the_end(
        api, written, f"{origin.url}/{linked[0]}", files[0], f"{origin.url}/{linked[1]}", files[1])
    assert_whole(captured, *(media.reference(name) for pair in zip(linked, files) for name in pair))


@pytest.mark.parametrize("name, options", [
    ("noise.mp2", {"ranges": False}), ("noise-vbr-noxing.mp3", {"chunked": True, "ranges": False})])
def test_every_way_of_sending_arrives_whole(written, api, media, origin, name, options):
    """Row 33: without ranges, and without a length. With them: see above."""
    origin.serve("/a", content(media, name), **options)
    assert_whole(play_to_the_end(api, written, f"{origin.url}/a"), media.reference(name))


def test_it_sounds_while_most_of_it_is_still_to_come(written, api, media, origin):
    """Rows 33, 59: at twice the bit rate, sound comes of what arrives within 3 s, which is less than a fifth, and goes on unbroken."""
    behaviour = origin.serve("/long.mp3", content(media, "long.mp3"), rate=2 * KBPS_192, hold_at=3 * 2 * KBPS_192)
    # However late the machine is, no more has come.
    behaviour.held.set()
    api.load(f"{origin.url}/long.mp3")
    asked = time.monotonic()
    api.play()
    written.wait_frames(1, timeout=5)
    assert time.monotonic() - asked < 3 * PATIENCE
    assert origin.sent_bytes("/long.mp3") <= behaviour.hold_at < len(content(media, "long.mp3")) / 5
    behaviour.held.clear()
    written.wait_frames(4 * RATE)
    difference, _ = largest_difference(written.samples(), media.reference("long.mp3")[: 7 * RATE // 2])
    assert difference <= 1


@pytest.mark.serve("--prebuffer", "4")
def test_it_starts_at_the_threshold_and_not_before(server, api, capture, pulse, media, origin):
    """Row 59: with a prebuffer of 4 s it does not sound while 3.5 s have come, and does when 7 s have."""
    behaviour = origin.serve("/long.mp3", content(media, "long.mp3"), hold_at=7 * KBPS_192 // 2)
    behaviour.held.set()
    api.load(f"{origin.url}/long.mp3")
    play = threading.Thread(target=lambda: Api(server.url).request("POST", "/player/play"))
    play.start()
    eventually(lambda: origin.sent_bytes("/long.mp3") >= behaviour.hold_at and api.player()["playWhenReady"], "most of it has come")
    during(0.5, lambda: api.player()["status"] in ("loading", "buffering"), "it plays from 3.5 s")
    assert capture.first_sound() is None
    # It counts what comes behind the first frames that are decoded.
    behaviour.hold_at = behaviour.lets_on = 7 * KBPS_192
    api.wait_status("playing")
    assert origin.sent_bytes("/long.mp3") <= behaviour.hold_at
    capture.wait_sound()
    play.join()


@pytest.mark.serve("--prebuffer", "20")
def test_a_tiny_file_starts_below_the_threshold(written, api, media, origin):
    """Row 59: all of it is there, so there is nothing to wait for."""
    origin.serve("/a.mp3", content(media, "short-0.mp3"))
    assert_whole(play_to_the_end(api, written, f"{origin.url}/a.mp3"), media.reference("short-0.mp3"))


def test_paths_are_encoded_once(api, media, origin):
    """Row 38."""
    paths = {"/The New Look.mp3": "/The%20New%20Look.mp3", "/劉若英.mp3": "/%E5%8A%89%E8%8B%A5%E8%8B%B1.mp3",
             "/%20.mp3": "/%20.mp3", "/a%2Fb.mp3?x=1 2": "/a%2Fb.mp3?x=1%202"}
    for sent in paths.values():
        origin.serve(sent, content(media, "short-0.mp3"))
    api.play_through(*(origin.url + path for path in paths))
    assert {request.path for request in origin.log()} == set(paths.values())


# Seeking and what is loaded


def test_a_seek_asks_for_what_is_missing(capture, api, media, origin, open_events):
    """Rows 43, 44: a seek into the unloaded part makes a second range; both are reported, and merge once all is there."""
    events = open_events("events=buffer")
    behaviour = origin.serve("/chirp.mp3", content(media, "chirp.mp3"), rate=4 * KBPS_192)
    api.load(f"{origin.url}/chirp.mp3", play=True)
    capture.wait_sound()
    api.seek(position=18)
    two = events.wait_for("buffer", lambda event: len(event["loadedRanges"]) == 2)
    assert two["loadedRanges"][1]["start"] == pytest.approx(18, abs=1.5)
    api.wait_status("playing")
    mark = capture.frames
    capture.wait_frames(mark + RATE)
    heard = capture.samples(mark + RATE // 2, mark + RATE)[:, 0].astype(float)
    crossings = numpy.count_nonzero(numpy.diff(numpy.sign(heard))) / 2 / (len(heard) / RATE)
    assert crossings == pytest.approx(200 + 200 * 19, abs=500)
    behaviour.rate = 0
    events.wait_for("buffer", lambda event: end_of(event["loadedRanges"]) > 29.9)
    api.seek(position=1)
    last = events.wait_for("buffer", lambda event: event["bufferProgress"] == 1.0, timeout=10)
    assert len(last["loadedRanges"]) == 1
    assert last["loadedTime"] == pytest.approx(30, abs=0.1)


def test_buffer_events_are_few_and_the_last_one_comes(api, media, origin, open_events):
    """Rows 44, 45: many small pieces, at most ten events a second, progress rises to 1.0."""
    events = open_events("events=buffer")
    origin.serve("/long.mp3", content(media, "long.mp3"), rate=200_000)
    api.load(f"{origin.url}/long.mp3")
    api.play()

    # Row 239: kbit/s of what is played and of what comes.
    eventually(lambda: api.metric("tonearm_network_bytes_per_second") > 100_000, "the speed is reported")
    eventually(lambda: api.metric("tonearm_item_bits_per_second") == pytest.approx(192_000, rel=0.03), "the bit rate is reported")
    assert api.metric("tonearm_buffered_ahead_seconds") > 0
    events.wait_for("buffer", lambda event: event["bufferProgress"] == 1.0, timeout=10)
    told = events.since(0, "buffer")
    # By the server's clock, to the millisecond.
    for first, last in zip(told, told[10:]):
        assert last.message["at"] - first.message["at"] >= 990
    progress = [event["bufferProgress"] for event in told]
    assert progress == sorted(progress)
    assert any(event["bytesPerSecond"] > 100_000 for event in told)
    assert api.player()["loadedTime"] == pytest.approx(40, abs=0.1)


def test_without_ranges_it_can_be_searched_once_all_of_it_is_there(capture, api, media, origin):
    """A server that gives no parts: no seek while it comes, any seek afterwards, without asking again."""
    file = media.scratch / "whole.flac"
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", str(media.chirp_wave), str(file)], check=True)
    size = file.stat().st_size
    behaviour = origin.serve("/chirp.flac", file.read_bytes(), ranges=False, etag=None, rate=size / 10)
    api.load(f"{origin.url}/chirp.flac")
    requests = len(origin.log())
    api.play()
    api.wait_status("playing", timeout=10)
    assert api.request("POST", "/player/seek", json={"position": 20}).json()["code"] == "not-seekable"
    behaviour.rate = 0
    eventually(lambda: api.player()["item"]["seekable"], "all of it is there", 20)
    for place in (20, 3):
        api.seek(position=place)
        api.wait_status("playing")
        capture.wait_seconds(0.3)
        # The position is of a moment between these two frames.
        first = capture.frames
        position = api.player()["position"]
        last = capture.frames
        capture.wait_frames(last + RATE // 5)
        earliest, latest = (second_of_chirp(capture.samples(at, at + RATE // 10)) for at in (first, last))
        assert place <= position < place + 3 * PATIENCE and earliest - 0.3 < position < latest + 0.3
    assert len(origin.log()) <= requests + 1


def test_a_seek_before_anything_has_come_is_kept(capture, api, media, origin):
    """Row 245: seek at 0 bytes: it starts there."""
    behaviour = origin.serve("/long.mp3", content(media, "long.mp3"), hold_at=0)
    behaviour.held.set()
    api.load(f"{origin.url}/long.mp3", play=True)
    eventually(lambda: origin.log(), "it asks")
    api.seek(position=20)
    behaviour.held.clear()
    start = capture.wait_sound(timeout=10)
    capture.wait_frames(start + RATE)
    reference = media.reference("long.mp3")[19 * RATE : 23 * RATE]
    place = 19 + align(reference, capture.samples(start, start + RATE // 2)) / RATE
    assert place == pytest.approx(20, abs=0.01)


@pytest.mark.slow
def test_waiting_for_the_next_item_costs_little(pulse, server, api, media, origin):
    """Row 92: the stream runs and has nothing to play; the sound server is not asked for its time all the while."""
    behaviour = origin.serve("/long.mp3", content(media, "long.mp3"), hold_at=0)
    behaviour.held.set()
    api.load("one-frame.mp3", f"{origin.url}/long.mp3")
    api.play()
    eventually(lambda: api.player()["queueIndex"] == 1, "the next item is waited for")
    eventually(lambda: api.call("GET", "/library")["state"] in ("idle", "failed"), "the first scan is over", 20)
    before = server.wake_ups()
    time.sleep(2)  # the wake-ups per time are the subject
    assert server.wake_ups() - before < 300
    behaviour.held.clear()


def test_a_seek_ends_the_wait_for_the_place_that_is_left(capture, api, media, origin):
    """Row 245: while it waits for bytes in the middle, a seek to another part sounds from there."""
    behaviour = origin.serve("/long.mp3", content(media, "long.mp3"), hold_at=100_000)
    behaviour.held.set()
    api.start(f"{origin.url}/long.mp3")
    api.wait_status("buffering", timeout=10)
    behaviour.hold_at = None
    # The recording is behind what the sink has played.
    capture.wait_silence(0.2)
    mark = capture.frames
    api.seek(position=30)
    behaviour.held.clear()
    api.wait_status("playing")
    start = capture.wait_sound(mark)
    capture.wait_frames(start + RATE)
    reference = media.reference("long.mp3")[29 * RATE : 33 * RATE]
    assert 29 + align(reference, capture.samples(start, start + RATE // 2)) / RATE == pytest.approx(30, abs=0.1)


# When the network fails


def test_three_drops_leave_no_trace(written, api, media, origin):
    """Row 228: dropped three times: the next byte is asked for, nothing is heard twice or left out."""
    places = [15_000, 20_333, 25_001]
    origin.serve("/a.mp3", content(media, "noise-160.mp3"), drops=list(places))
    assert_whole(play_to_the_end(api, written, f"{origin.url}/a.mp3"), media.reference("noise-160.mp3"))
    log = origin.log("/a.mp3")
    assert [request.range_start for request in log] == [0, *places]
    assert log[-1].headers["if-range"] == '"v1"'


def test_the_fourth_drop_is_an_error_after_what_had_come(written, api, events, media, origin):
    """Row 228: what was loaded is heard, then the item fails as `network`, and the queue goes on."""
    origin.serve("/a.mp3", content(media, "long.mp3"), drops=[60_000, 60_000 + 1, 60_000 + 2, 60_000 + 3])
    api.load(f"{origin.url}/a.mp3", "short-1.mp3")
    api.play()
    assert events.wait_for("error", timeout=30)["code"] == "network"
    api.wait_status("completed", timeout=10)
    written.wait_silence()
    assert len(origin.log("/a.mp3")) == 4
    # It comes after silence, and so fades in.
    largest, _ = largest_difference(written.samples()[-3 * RATE :], media.reference("short-1.mp3")[RATE // 20 :])
    assert largest <= 1


def test_it_plays_on_from_what_is_loaded_while_the_network_is_away(written, api, media, origin, events):
    """Row 229: 5 s without a byte in the middle of a loaded stretch of 10 s are not heard."""
    behaviour = origin.serve("/long.mp3", content(media, "long.mp3"), hold_at=12 * KBPS_192)
    behaviour.held.set()
    api.load(f"{origin.url}/long.mp3", play=True)
    written.wait_frames(1)
    threading.Timer(6, behaviour.held.clear).start()
    written.wait_frames(14 * RATE, timeout=40)
    difference, _ = largest_difference(written.samples(), media.reference("long.mp3")[: 13 * RATE])
    assert difference <= 1
    assert not [event for event in events.since(0, "status") if (event["previous"], event["status"]) == ("playing", "buffering")]


def test_after_running_dry_more_is_gathered_than_at_the_start(capture, api, events, media, origin):
    """Rows 229, 232: starts with 1 s, runs dry, resumes with 7.5 s; `buffering` says `network`; the stall is reported."""
    behaviour = origin.serve("/long.mp3", content(media, "long.mp3"), hold_at=KBPS_192 // 2)
    behaviour.held.set()
    api.load(f"{origin.url}/long.mp3")
    api.play()
    # Half a second is not enough; a little more than one is.
    during(0.5, lambda: api.player()["status"] != "playing", "it plays from half a second")
    behaviour.hold_at = behaviour.lets_on = 4 * KBPS_192
    first = events.wait_status("playing", timeout=20)
    loaded = [event for event in events.since(0, "buffer") if event.moment <= first.moment + 0.2 * PATIENCE]
    assert max(event["loadedTime"] or 0 for event in loaded) >= 1
    capture.wait_sound()
    # A late sink has another reason.
    dry = events.wait_for("status", lambda event: (event["previous"], event["reason"]) == ("playing", "network"), timeout=15)
    events.wait_for("buffer", lambda event: event["stalled"])
    # It may run dry half a second before the last byte: with that, 6.5 s more are not enough; 8 s are.
    behaviour.hold_at = behaviour.lets_on = 21 * KBPS_192 // 2
    eventually(lambda: api.player()["loadedTime"] > 10.4, "6.5 s more")
    during(0.5, lambda: api.player()["status"] == "buffering", "it plays from less than 7.5 s")
    mark = events.mark()
    behaviour.hold_at = behaviour.lets_on = 12 * KBPS_192
    again = events.wait_status("playing", timeout=20, mark=mark)
    assert again.message["at"] - dry.message["at"] < 30_000, "the wait ended by its limit"
    behaviour.held.clear()
    events.wait_for("buffer", lambda event: event["bufferProgress"] == 1 and not event["stalled"], mark=mark)


@pytest.mark.serve("--network-timeout", "2")
def test_a_silent_server_is_an_error_at_the_limit(api, origin, events):
    """Row 231: at the limit, neither before nor long after."""
    origin.serve("/a.mp3", silent=True)
    began = time.monotonic()
    error = failure_of(api, events, f"{origin.url}/a.mp3", timeout=10)
    assert error["code"] == "network" and "2 s" in error["message"]
    assert 1.9 <= time.monotonic() - began < 2 + PATIENCE


FAILURES = {
    "missing": (dict(status=404), "not-found"),
    "gone": (dict(status=410), "not-found"),
    "private": (dict(status=401), "forbidden"),
    "refused": (dict(status=403), "forbidden"),
    "page": (dict(content=b"<html>hello</html>" * 500, content_type="text/html"), "unsupported"),
    "page under another name": (dict(content=b"<!doctype html><html>hello</html>" * 500), "unsupported"),
    "picture": (dict(content=b"\x89PNG\r\n\x1a\n" + bytes(5000)), "unsupported"),
    "noise": (dict(content=bytes(range(256)) * 400), "unsupported"),
    "compressed": (dict(content=b"x" * 5000, headers=[("Content-Encoding", "gzip")]), "unsupported"),
    "empty": (dict(content=b"", ranges=False), "empty"),
    "wrong part": (dict(raw=b"HTTP/1.1 206 x\r\nContent-Range: bytes 7-9/10\r\nContent-Length: 3\r\n\r\nabc"), "network"),
    "not HTTP": (dict(raw=b"220 ftp.example ready\r\n\r\n"), "network"),
    "flood of fields": (dict(raw=b"HTTP/1.1 200 OK\r\n" + b"X-Flood: yes\r\n" * 5000 + b"\r\n"), "network"),
    "loop": (dict(redirect="/a.mp3"), "network"),
    "other scheme": (dict(redirect="file:///etc/passwd"), "network"),
    "long wait": (dict(status=503, headers=[("Retry-After", "3600")]), "network"),
}


def test_each_failure_has_its_code_and_reason(api, events, origin):
    """Rows 35, 236: each cause has its code and a sentence that names the item; the server lives on."""
    for name, (options, code) in FAILURES.items():
        # An address that is named like audio is not looked at when it is added.
        origin.serve("/a.mp3", **options)
        error = failure_of(api, events, f"{origin.url}/a.mp3?token=s3cret")
        assert error["code"] == code and "s3cret" not in error["message"], name


@pytest.mark.serve("--network-timeout", "3")
def test_unreachable_server_is_a_network_error(api, origin, events):
    """Row 35: refused, and tried again before that."""
    url = origin.url
    origin.close()
    error = failure_of(api, events, f"{url}/a.mp3", timeout=15)
    assert error["code"] == "network" and "127.0.0.1" in error["message"]


@pytest.mark.serve("--rebuffer", "0", "--prebuffer", "0")
def test_six_causes_have_six_codes(api, pulse, media, origin, events):
    """Rows 35, 230: refused, garbage behind a tag, dropped, an unsupported codec, running dry four times in 10 s, the sound server's death."""
    raw = media.scratch / "yamaha.wav"
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", str(media.noise_wave), "-c:a", "adpcm_yamaha", str(raw)], check=True)
    origin.serve("/refused.mp3", status=403)
    origin.serve("/garbage.mp3", content(media, "zero-frames.mp3"))
    origin.serve("/dropped.mp3", content(media, "long.mp3"), drops=[60_000, 60_001, 60_002, 60_003])
    origin.serve("/yamaha.wav", raw.read_bytes(), content_type="audio/wav")
    origin.serve("/flapping.mp3", content(media, "long.mp3"), rate=KBPS_192 / 2)
    failures = [failure_of(api, events, f"{origin.url}/{name}", timeout=40)
                for name in ("refused.mp3", "garbage.mp3", "dropped.mp3", "yamaha.wav", "flapping.mp3")]
    assert [failure["code"] for failure in failures] == ["forbidden", "empty", "network", "unsupported", "bouncing"]
    assert "unsteady" in failures[-1]["message"] and api.player()["reason"] == "network"
    api.start("long.mp3")
    pulse.kill()
    held = api.wait_status("interrupted")
    assert held["reason"] == "output-unavailable"
    api.pause()
    assert api.request("POST", "/player/play").json()["code"] == "output-unavailable"


# Servers that lie, break off and drip


@pytest.mark.parametrize("name, factor, heard", [("noise.mp3", 2, 1.8), ("noise-128.mp3", 0.5, 0.8)])
def test_a_length_that_is_wrong_is_no_trap(written, api, events, media, origin, name, factor, heard):
    """“Bad input”: twice or half of the length is announced: so much of it is heard, and the queue goes on."""
    data = content(media, name)
    origin.serve("/a.mp3", data, length=int(factor * len(data)), ranges=False, etag=None)
    first, _ = api.load(f"{origin.url}/a.mp3", "short-1.mp3", play=True)
    events.wait_for("completed", lambda event: event["itemId"] == first, timeout=40)
    api.wait_status("completed", timeout=20)
    written.wait_silence()
    assert largest_difference(written.samples(), media.reference(name)[: round(heard * RATE)])[0] <= 1
    assert largest_difference(written.samples()[-3 * RATE :], media.reference("short-1.mp3")[RATE // 20 :])[0] <= 1


def test_the_whole_file_in_answer_to_a_range(written, api, media, origin):
    """“Bad input”, row 173: 200 for a range from a server that had known them: a seek into what is not loaded lands right."""
    behaviour = origin.serve("/long.mp3", content(media, "long.mp3"), rate=4 * KBPS_192)
    api.load(f"{origin.url}/long.mp3", play=True)
    written.wait_frames(1)
    behaviour.ranges, behaviour.rate = False, 40 * KBPS_192
    api.seek(position=30)
    api.wait_status("playing", timeout=15)
    written.wait_frames(written.frames + RATE)
    heard = written.samples()[-RATE // 2 :]
    difference, place = largest_difference(media.reference("long.mp3")[29 * RATE : 36 * RATE], heard)
    assert difference <= 1 and place >= RATE


def bomb() -> bytes:
    """400 MB of zeros in 400 KB of gzip."""
    packer = zlib.compressobj(9, wbits=31)
    zeros = bytes(1 << 20)
    return b"".join(packer.compress(zeros) for _ in range(400)) + packer.flush()


def test_bombs_and_floods_cost_nothing(server, api, events, media, origin):
    """“Bad input”: gzip bombs as music, list and picture; a head without an end: refused, and memory stays."""
    packed = bomb()
    for path, content_type in (("/a.mp3", "audio/mpeg"), ("/list.m3u", "audio/x-mpegurl"), ("/cover.png", "image/png")):
        origin.serve(path, packed, content_type=content_type, headers=[("Content-Encoding", "gzip")])
    origin.serve("/flood.mp3", raw=b"HTTP/1.1 200 OK\r\n" + b"X-Flood: yes\r\n" * 2_000_000)
    # Memory that the first fetch takes.
    origin.serve("/tiny.mp3", content(media, "short-0.mp3"))
    api.play_through(f"{origin.url}/tiny.mp3")
    before = server.resident_bytes()
    assert failure_of(api, events, f"{origin.url}/a.mp3")["code"] == "unsupported"
    assert failure_of(api, events, f"{origin.url}/flood.mp3", timeout=30)["code"] == "network"
    assert api.refusal("POST", "/queue/items", json={"items": [{"uri": f"{origin.url}/list.m3u"}]}) == (422, "unsupported")
    item = api.load({"uri": "untagged.mp3", "artworkUri": f"{origin.url}/cover.png"})[0]
    assert 400 <= api.request("GET", f"/queue/items/{item}/artwork").status_code < 600
    assert server.resident_bytes() - before < 32 << 20
    assert api.request("GET", "//healthz").status_code == 200


# Requests to other servers


def test_fields_go_to_their_own_host_only(api, media, origin, elsewhere):
    """Row 237: an item's header fields reach its origin, with our user agent, and no other host; cookies are never sent back."""
    data = content(media, "short-0.mp3")
    elsewhere.serve("/b.mp3", data, headers=[("Set-Cookie", "id=1; Path=/")], drops=[len(data) // 2])
    origin.serve("/a.mp3", redirect=f"{elsewhere.url}/b.mp3")
    fields = {"Authorization": "Bearer s3cret", "X-Key": "k", "Range": "bytes=5-6"}
    for _ in range(2):
        api.play_through({"uri": f"{origin.url}/a.mp3", "headers": fields})
    first, second = origin.log()[0].headers, elsewhere.log()[0].headers
    assert first["authorization"] == "Bearer s3cret" and first["x-key"] == "k" and first["range"] == "bytes=0-"
    assert first["user-agent"].startswith("Tonearm/")
    assert "authorization" not in second and "x-key" not in second
    assert len(elsewhere.log()) == 3 and not any("cookie" in request.headers for request in elsewhere.log())


def test_credentials_of_an_address_are_used_and_never_shown(server, api, events, media, origin):
    """The password is sent to the server that it is for, and is in no answer, event or log."""
    origin.serve("/a.mp3", content(media, "short-0.mp3"))
    origin.serve("/missing.mp3", status=404)
    address = origin.url.replace("//", "//user:s3cret@")
    for path in ("/missing.mp3", "/a.mp3"):
        api.load(f"{address}{path}?token=t0ken&id=7")
        api.request("POST", "/player/play")
        api.wait_status("completed", "failed", timeout=10)
        for text in (api.request("GET", "/player").text, api.request("GET", "/queue").text):
            assert "s3cret" not in text and "t0ken" not in text
            assert "id=7" in text
    assert origin.log("/a.mp3?token=t0ken&id=7")[0].headers["authorization"] == "Basic dXNlcjpzM2NyZXQ="
    for text in (str([event.message for event in events.since()]), server.log()):
        assert "s3cret" not in text and "t0ken" not in text


@pytest.mark.serve("--network", "off")
def test_the_network_can_be_switched_off(api, media, origin, events):
    origin.serve("/a.mp3", content(media, "short-0.mp3"))
    assert failure_of(api, events, f"{origin.url}/a.mp3")["code"] == "forbidden"
    assert not origin.log()


def test_memory_stays_bounded_and_nothing_is_left_behind(server, api, media, origin):
    """Back-pressure: of 200 MB only a window is fetched; skipping frees connection and thread."""
    data = content(media, "long.mp3")
    origin.serve("/huge.mp3", data * (200_000_000 // len(data)))
    before = server.resident_bytes()
    for _ in range(3):
        api.start(f"{origin.url}/huge.mp3")
    eventually(lambda: origin.sent_bytes("/huge.mp3") > 3 * 5_000_000, "the window fills")
    assert origin.sent_bytes("/huge.mp3") < 3 * 20_000_000
    assert server.resident_bytes() - before < 60_000_000
    threads, descriptors = server.threads(), server.descriptors()
    for _ in range(10):
        api.start(f"{origin.url}/huge.mp3")
    eventually(lambda: server.threads() <= threads + 1, "no thread is left behind")
    eventually(lambda: server.descriptors() <= descriptors + 2, "no connection is left behind")
    assert server.resident_bytes() - before < 60_000_000


def test_first_sound_and_seek_are_quick(api, media, origin):
    """From a server next door: `playing` within 150 ms of the command, and within 300 ms of a seek to what is not loaded."""
    behaviour = origin.serve("/long.mp3", content(media, "long.mp3"))

    def took(act) -> float:
        began = time.monotonic()
        act()
        return time.monotonic() - began

    def seek() -> None:
        api.seek(position=35)
        api.wait_status("playing")

    sounds, seeks = [], []
    for _ in range(3):
        behaviour.held.clear()
        api.load(f"{origin.url}/long.mp3")
        sounds.append(took(api.resume))
        behaviour.hold_at = 200_000
        behaviour.held.set()
        sent = origin.sent_bytes("/long.mp3")
        api.start(f"{origin.url}/long.mp3")
        eventually(lambda: origin.sent_bytes("/long.mp3") >= sent + 200_000, "the first part has come")
        # The rest is held; another connection is not.
        api.wait_status("playing")
        behaviour.hold_at = None
        seeks.append(took(seek))
        assert origin.log("/long.mp3")[-1].range_start > 700_000
        api.command("stop")
        api.wait_status("stopped")
    # A busy machine delays some.
    assert min(sounds) < 0.15 * PATIENCE and min(seeks) < 0.3 * PATIENCE, (sounds, seeks)


# The library


def loaded_libraries(server) -> str:
    with open(f"/proc/{server.process.pid}/maps") as maps:
        return maps.read()


def test_libcurl_is_loaded_when_something_is_fetched_and_not_before(server, api, media, origin):
    """It and the forty libraries behind it are a quarter of the memory of a server that plays files only."""
    api.load("tagged.mp3", play=True)
    api.wait_status("playing", "completed")
    assert "libcurl" not in loaded_libraries(server)
    origin.serve("/a.mp3", content(media, "tagged.mp3"))
    api.load(f"{origin.url}/a.mp3", play=True)
    api.wait_status("playing", "completed")
    assert "libcurl" in loaded_libraries(server)


def test_without_libcurl_a_link_fails_with_the_cause_and_files_play(start_server, directory, media, origin):
    (directory / "libcurl.so.4").write_text("no library")
    api = Api(start_server(wrapper=("env", f"LD_LIBRARY_PATH={directory}")).url)
    api.load(f"{origin.url}/a.mp3")
    assert not api.request("POST", "/player/play").is_success
    error = api.wait_status("failed")["error"]
    assert error["code"] == "network" and "libcurl" in error["message"], error
    assert not origin.log()
    api.load("tagged.mp3", play=True)
    api.wait_status("playing", "completed")


# The queue runs low


def test_an_item_added_on_queue_low_follows_without_a_gap(written, api, events, music, origin):
    """Rows 156, 271. The item's server needs a second to answer. Behind a gap the file would have a fade."""
    noise = numpy.random.default_rng(7).uniform(-0.3, 0.3, (8 * RATE, 2))
    for name, part in (("one", noise[:4 * RATE]), ("two", noise[4 * RATE:])):
        wave = write_wave(music / f"{name}.wav", part)
        origin.serve(f"/{name}.wav", wave.read_bytes(), content_type="audio/wav", delay=1 if name == "two" else 0)
    mark = events.mark()
    ids = api.load(f"{origin.url}/one.wav", play=True)
    low = events.wait_for("queue-low", mark=mark)
    assert (low["reason"], low["itemId"]) == ("ending", ids[0]) and 0 < low["remaining"] <= 4
    api.add(f"{origin.url}/two.wav")
    events.wait_status("completed", mark=mark, timeout=15)
    heard = written.samples().astype(int)
    assert len(heard) == len(noise) and numpy.abs(heard - numpy.round(noise * 32767).astype(int)).max() <= 2
    # Of the last one as well, and of no more.
    assert [event["itemId"] for event in events.since(mark, "queue-low")] == [ids[0], api.ids()[1]]
    assert "underrun" not in [event.data.get("reason") for event in events.since(mark, "status")]
