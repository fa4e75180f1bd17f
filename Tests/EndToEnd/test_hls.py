# SPDX-License-Identifier: Apache-2.0
"""HTTP Live Streaming: on demand and live, from nginx and from a server that behaves as scripted."""

import re
import socket
import subprocess
import threading
import time

import numpy
import pytest

from rig import PATIENCE, RATE, Api, Origin, binary, during, eventually
from rig.hls import AAC, SegmentRadio, cut
from rig.kept import copy_kept
from rig.signals import align, level, read_wave, second_of_chirp
from rig.webserver import Nginx

STEP = 86 * 1024 / 44100

FORMS = {
    "transport stream": AAC,
    "parts of one file": (*AAC, "-hls_segment_type", "fmp4", "-hls_flags", "single_file"),
    "ciphered": (*AAC, "-hls_enc", "1", "-hls_enc_key", "0123456789abcdef", "-hls_enc_key_url", "key.bin"),
}


@pytest.fixture(scope="session")
def streams(media):
    """A folder for each form, with three seconds of noise."""
    def make(root) -> None:
        wave = media._wave("hls-noise", media._noise(numpy.random.default_rng(33), 3))
        for form, options in FORMS.items():
            folder = root / form.replace(" ", "-")
            cut(wave, folder, *options, seconds=1)
            (folder / "key.bin").write_bytes(b"0123456789abcdef")
        cut(media.chirp_wave, root / "chirp", *AAC, seconds=4)
        # Segments of exactly 86 frames.
        cut(media.chirp_wave, root / "station", *AAC, seconds=STEP - 0.0004)
        cut(media.chirp_wave, root / "short", *AAC, seconds=STEP / 2 - 0.0004)

    return copy_kept("hls", media.scratch / "hls", make)


@pytest.fixture
def nginx(streams, directory):
    return Nginx(directory / "nginx", streams)


@pytest.fixture
def station(streams):
    return SegmentRadio(streams / "station", STEP)


def serve(origin: Origin, folder, **options) -> None:
    for path in folder.iterdir():
        kind = "application/vnd.apple.mpegurl" if path.suffix == ".m3u8" else "video/mp2t"
        origin.serve(f"/{path.name}", path.read_bytes(), content_type=kind, **options)


def reference(folder) -> numpy.ndarray:
    """ffmpeg's own decode."""
    output = folder / "reference.wav"
    if not output.exists():
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-allowed_extensions", "ALL", "-i", "list.m3u8", "-c:a", "pcm_s16le",
             str(output)], check=True, cwd=folder)
    return read_wave(output)


# On demand


# `HLSDecodingTests` has more forms.
@pytest.mark.parametrize("form", ["parts of one file", "ciphered"])
def test_it_plays_whole(written, api, streams, nginx, form):
    """Rows 33, 204: each sample as ffmpeg decodes it, nothing between the segments; the length is known."""
    folder = form.replace(" ", "-")
    api.load(f"{nginx.url}/{folder}/list.m3u8")
    api.play()
    player = api.wait_status("playing", timeout=10)
    assert abs(player["duration"] - 3) < 0.1 and player["item"]["live"] is None
    api.wait_status("completed", timeout=20)
    written.wait_silence()
    heard, wanted = written.samples(), reference(streams / folder)[2048:-2048]
    start = align(heard, wanted)
    part = heard[start : start + len(wanted)].astype(float) - wanted
    assert level(part) < level(wanted) - 60


def position_heard(api, capture) -> float:
    """The position, once the chirp agrees: in a first try the machine may have been busy between the two readings."""
    def agreed() -> tuple[float] | None:
        position = api.player()["position"]
        at = capture.frames
        capture.wait_frames(at + RATE // 5)
        return (position,) if abs(second_of_chirp(capture.samples(at, at + RATE // 10)) - position) < 0.3 else None

    return eventually(agreed, "the position is what is heard", timeout=0.5)[0]


def test_a_seek_lands_where_it_should(capture, api, streams, nginx, open_events):
    """Rows 43, 44: into what is not loaded, and back; what is loaded is reported in time."""
    events = open_events("events=buffer")
    api.start(f"{nginx.url}/chirp/list.m3u8", timeout=10)
    for place in (21.3, 4.2, 25.0, 0.5):
        mark = capture.frames
        api.seek(position=place)
        api.wait_status("playing", timeout=10)
        capture.wait_sound(mark + RATE // 2)
        assert place <= position_heard(api, capture) < place + 3 * PATIENCE
    ranges = events.since(0, "buffer")[-1]["loadedRanges"]
    assert ranges[0]["start"] == 0 and ranges[-1]["start"] + ranges[-1]["duration"] > 25


@pytest.mark.parametrize("claimed", ["0", "0.1"])
def test_a_playlist_that_claims_too_little_holds_no_position_back(capture, api, streams, origin, claimed):
    """Promise 1: the length becomes unknown, the position is the one that is heard, also after a seek."""
    serve(origin, streams / "chirp")
    text = (streams / "chirp" / "list.m3u8").read_text()
    origin.serve("/list.m3u8", re.sub("(?<=#EXTINF:)[^,]*", claimed, text).encode(), content_type="application/vnd.apple.mpegurl")

    api.start(f"{origin.url}/list.m3u8", timeout=10)
    player = eventually(lambda: (now := api.player())["position"] > 3 and now, "the position goes on", timeout=10)
    assert player["duration"] is None and api.wait_status("playing")
    position_heard(api, capture)
    mark = capture.frames
    api.seek(position=1.5)
    api.wait_status("playing", timeout=10)
    capture.wait_sound(mark + RATE // 2)
    assert 1.5 <= position_heard(api, capture) < 1.5 + 3 * PATIENCE


def slow_worker(directory, seconds: float) -> tuple[str, ...]:
    """Arguments of a server whose media worker takes so long to start, as on a busy machine."""
    wrapper = directory / "worker"
    wrapper.write_text(f'#!/bin/sh\nsleep {seconds}\nexec {binary().with_name("tonearm-media-worker")} "$@"\n')
    wrapper.chmod(0o755)
    return "--media-worker", str(wrapper), "--library", "off"


def test_the_next_run_is_ready_when_its_turn_comes(start_server, streams, origin, directory, open_events):
    """Runs of 5 and of 3 s, and a worker that takes longer to start than what is decoded ahead (1 to 2 s) lasts: no underrun. So
    much is decoded ahead that a busy machine makes none."""
    serve(origin, streams / "short")
    parts = origin.paths["/list.m3u8"].content.decode().split("#EXTINF")
    text = parts[0] + "".join(("#EXT-X-DISCONTINUITY\n" if number in (5, 8) else "") + "#EXTINF" + part
                              for number, part in enumerate(parts[1:]))
    origin.paths["/list.m3u8"].content = text.encode()
    server = start_server(arguments=slow_worker(directory, 2.5))
    api = Api(server.url)
    log = open_events("events=status", url=server.events_url)
    api.start(f"{origin.url}/list.m3u8", timeout=20)
    mark = log.mark()
    eventually(lambda: api.player()["position"] > 8.5, "it plays on", 30)
    assert not log.ran_dry(mark)


def test_a_station_of_short_runs_plays_without_a_gap(start_server, streams, directory, open_events):
    """Segments of 1 s, a discontinuity each 3 s, live."""
    station = SegmentRadio(streams / "short", STEP / 2)
    station.run = 3
    server = start_server(arguments=slow_worker(directory, 0.5))
    api = Api(server.url)
    log = open_events("events=status", url=server.events_url)
    tune_in(api, station)
    mark = log.mark()
    eventually(lambda: api.player()["position"] > 9, "it plays on", 40)
    assert not log.ran_dry(mark)


def test_a_missing_segment_of_more_than_60_s_is_an_error(api, events, streams, origin):
    """As silence it would last longer than anybody waits. `HLSDecodingTests` has too many short ones."""
    serve(origin, streams / "chirp")
    lines = origin.paths["/list.m3u8"].content.decode().splitlines()
    lines[lines.index("list1.ts") - 1] = "#EXTINF:61,"
    origin.paths["/list.m3u8"].content = "\n".join(lines).encode()
    del origin.paths["/list1.ts"]
    api.load(f"{origin.url}/list.m3u8")
    api.play()
    assert events.wait_for("error", timeout=30)["code"] == "not-found"


def test_an_origin_that_goes_away_fails_the_item(api, events, streams, origin):
    """Row 229: what is loaded is played; then it is said why it ends."""
    serve(origin, streams / "chirp", rate=30_000)
    api.start(f"{origin.url}/list.m3u8", timeout=10)
    mark = events.mark()
    origin.close()
    assert events.wait_for("error", timeout=60, mark=mark)["code"] == "network"


def test_fields_and_secrets_stay_with_their_host(api, streams, origin):
    """Row 237: the item's header fields go to its own host only; what is shown has no key in it."""
    elsewhere = Origin("127.0.0.2")
    serve(origin, streams / "transport-stream")
    text = origin.paths["/list.m3u8"].content.decode()
    origin.paths["/list.m3u8"].content = text.replace("list1.ts", f"{elsewhere.url}/list1.ts").encode()
    serve(elsewhere, streams / "transport-stream")
    api.play_through({"uri": f"{origin.url}/list.m3u8?token=secret", "headers": {"X-Key": "mine"}})
    assert all(request.headers.get("x-key") == "mine" for request in origin.log())
    assert len(elsewhere.log()) == 1 and "x-key" not in elsewhere.log()[0].headers
    assert "secret" not in api.request("GET", "/queue").text


def test_a_bad_playlist_is_refused(api, events, origin):
    for name, body in (
            ("huge", b"#EXTM3U\n#EXT-X-TARGETDURATION:4\n" + b"#EXTINF:4,\npiece.ts\n" * 300_000),
            ("of-itself", b"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nof-itself.m3u8\n"),
            ("of-pages", b"#EXTM3U\n#EXT-X-TARGETDURATION:4\n" + b"#EXTINF:4,\nof-pages.m3u8\n" * 9 + b"#EXT-X-ENDLIST\n")):
        origin.serve(f"/{name}.m3u8", body, content_type="application/vnd.apple.mpegurl")
        mark = events.mark()
        ids = api.load(f"{origin.url}/{name}.m3u8")
        api.request("POST", "/player/play")
        error = events.wait_for("error", lambda event: event["itemId"] in ids, timeout=20, mark=mark)
        assert error["code"] in ("unsupported", "empty"), (name, error)


def test_a_playlist_without_an_end_is_no_playlist(api, events):
    """It sends on and on, slowly or as fast as it can: the item fails in time, and memory stays."""
    listener = socket.create_server(("127.0.0.1", 0))

    def flood() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            try:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.apple.mpegurl\r\n\r\n#EXTM3U\n")
                connection.sendall(b"#EXT-X-TARGETDURATION:4\n")
                while True:
                    connection.sendall(b"#EXTINF:4,\na.ts\n" * 1000)
            except OSError:
                connection.close()

    threading.Thread(target=flood, daemon=True).start()
    mark = events.mark()
    api.load(f"http://127.0.0.1:{listener.getsockname()[1]}/a.m3u8")
    api.request("POST", "/player/play")
    assert events.wait_for("error", timeout=35, mark=mark)["code"] in ("unsupported", "network", "timed-out")
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


# Live


def tune_in(api, station) -> dict:
    api.load(station.live)
    api.play()
    return api.wait_status("playing", timeout=10)


def assert_near_the_edge(capture, station, mark: int = 0) -> int:
    """The sound is not much older than three segments, and one more that is being made."""
    start = capture.wait_sound(mark, timeout=10)
    capture.wait_frames(start + RATE // 2)
    now = capture.frames
    capture.wait_frames(now + RATE // 5)
    edge = station.edge()
    behind = (edge - second_of_chirp(capture.samples(now, now + RATE // 10))) % (len(station.segments) * STEP)
    assert behind < 6 * STEP + PATIENCE
    return start


def test_live_is_near_the_edge_and_goes_on(written, api, events, station):
    """Rows 36, 133: no length, no seeking, no gap between the segments, no end; over the place where the content begins anew."""
    station.began = time.monotonic() - 29 * STEP
    player = tune_in(api, station)
    assert player["duration"] is None and player["item"]["live"] is not None and player["item"]["seekable"] is False
    start = assert_near_the_edge(written, station)
    written.wait_frames(start + 11 * RATE)
    samples = written.samples(start, start + 11 * RATE)
    gaps = [place for place in range(0, len(samples) - 441, 441) if level(samples[place : place + 441]) < -40]
    # Where the content begins anew, its encoder began with 23 ms of nothing.
    assert len(gaps) <= 3, gaps
    api.wait_status("playing")
    assert not events.since(0, "completed", "error")
    paths = [request.path for request in station.log() if "segment" in request.path]
    assert len(paths) == len(set(paths)), "each segment once"
    assert api.request("POST", "/player/seek", json={"position": 3}).json()["code"] == "not-seekable"


def test_a_pause_goes_back_to_what_is_on_the_air(capture, api, station):
    tune_in(api, station)
    capture.wait_sound(timeout=10)
    api.pause()
    api.wait_status("paused")
    capture.wait_silence()
    seen = len(station.log())
    capture.wait_seconds(2 * STEP)
    assert len(station.log()) <= seen + 1, "nobody listens while it is paused"
    station.began -= 4 * STEP
    mark = capture.frames
    api.play()
    api.wait_status("playing", timeout=10)
    assert_near_the_edge(capture, station, mark)


def test_an_interruption_ends_at_the_edge(capture, api, events, station):
    """The network is away for longer than there was to play: it waits, and goes on with what is on the air then."""
    tune_in(api, station)
    capture.wait_sound(timeout=10)
    station.refusing.set()
    station.cut()
    # Before, a late sound server may have been another reason.
    api.wait_status("buffering", reason="network", timeout=20)
    capture.wait_seconds(2)
    mark = capture.frames
    station.refusing.clear()
    api.wait_status("playing", timeout=25)
    assert_near_the_edge(capture, station, mark)
    assert not events.since(0, "error", "completed")


def test_missing_segments_of_a_station(api, events, station):
    """For a moment it has none of its segments: silence, then it goes on."""
    tune_in(api, station)
    station.bare.set()
    seen = len(station.log())
    eventually(lambda: any("segment" in request.path for request in station.log()[seen:]), "one is missing", 15)
    station.bare.clear()
    eventually(lambda: api.player()["item"]["decodeErrors"] >= 1, "it is counted", 15)
    position = api.player()["position"]
    eventually(lambda: api.player()["position"] > position + 3, "it goes on", 20)
    during(1, lambda: api.player()["status"] in ("playing", "buffering"), "it goes on")
    assert not events.since(0, "error", "completed")


@pytest.mark.smoke
def test_a_station_is_named_by_a_playlist(api, station, origin):
    """Row 235: an M3U that leads to it."""
    origin.serve("/radio.m3u", f"#EXTM3U\n#EXTINF:-1,Segments FM\n{station.live}\n".encode(), content_type="audio/x-mpegurl")
    api.call("PUT", "/queue", json={"items": [{"uri": f"{origin.url}/radio.m3u"}]})
    assert api.queue()["items"][0]["title"] == "Segments FM"
    api.play()
    assert api.wait_status("playing", timeout=10)["item"]["live"] is not None
    assert re.search(r"live\.m3u8", api.uris()[0])
    # An announcement of it would never end.
    api.request("POST", "/announcements", json={"uri": station.live})
    ended = eventually(lambda: api.call("GET", "/announcements")["ended"], "it has ended", timeout=10)[0]
    assert (ended["reason"], ended["error"]["code"]) == ("failed", "unsupported") and "live stream" in ended["error"]["message"]
