# SPDX-License-Identifier: Apache-2.0
"""Downloaded media are kept, and played from there (rows 169-178, 212-214)."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import threading
import time

import httpx
import pytest

from rig import RATE, Api, Radio, during, eventually
from rig.signals import largest_difference, read_wave

pytestmark = pytest.mark.serve("--cache", "on")
KBPS_192 = 24000


def files(server, where: pathlib.Path | None = None) -> dict[str, pathlib.Path]:
    directory = where or server.data / "cache"
    return {path.name: path for path in directory.iterdir() if not path.name.startswith("cache.sqlite")}


def kept(server) -> list[bytes]:
    return [path.read_bytes() for path in files(server).values()]


def journalled(server, copy: pathlib.Path) -> str | None:
    """The ranges of the first entry that would be known after a kill: from a copy, as the server keeps the journal for itself."""
    copy.mkdir(exist_ok=True)
    for name in ("cache.sqlite", "cache.sqlite-wal"):
        shutil.copy(server.data / "cache" / name, copy / name)
    (copy / "cache.sqlite-shm").unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(copy / "cache.sqlite")) as journal:
        row = journal.execute("SELECT ranges FROM entry").fetchone()
    return row and row[0]


def entry(api) -> dict | None:
    entries = api.call("GET", "/cache")["entries"]
    return entries[0] if entries else None


def wait_complete(api, timeout: float = 20) -> dict:
    return eventually(lambda: (entry(api) or {}).get("complete") and entry(api), "it is complete", timeout)


def start_held(api, origin, content: bytes, size: int = 300_000):
    """Plays `/a.mp3`, of which only the first bytes come."""
    behaviour = origin.serve("/a.mp3", content, hold_at=size)
    behaviour.held.set()
    api.start(f"{origin.url}/a.mp3", timeout=15)
    eventually(lambda: entry(api) and entry(api)["bytes"] == size, "the first part is kept", 10)
    return behaviour


def test_off_by_default(start_server, media, origin):
    """Row 169."""
    server = start_server()
    api = Api(server.url)
    origin.serve("/a.mp3", media.path("short-0.mp3").read_bytes())
    for _ in range(2):
        api.load(f"{origin.url}/a.mp3", play=True)
        api.wait_status("completed", timeout=15)
    assert len(origin.log("/a.mp3")) == 2
    assert not (server.data / "cache").exists()
    assert api.call("GET", "/cache") == {"enabled": False, "limit": 0, "bytes": 0, "count": 0, "problem": None, "entries": []}
    assert api.request("DELETE", "/cache").json()["code"] == "no-cache"


def test_media_are_not_downloaded_twice(server, api, media, origin):
    """Rows 169, 172, 212: the second time nobody is asked, not even after a restart or without a network; a token makes no other
    media; what is kept is the origin's, byte for byte, under its final name only when it is complete."""
    content = media.path("long.mp3").read_bytes()
    origin.serve("/a.mp3", content)
    api.start(f"{origin.url}/a.mp3?token=one", timeout=15)
    found = wait_complete(api)
    assert found["bytes"] == found["size"] == len(content) and found["uri"] == f"{origin.url}/a.mp3"
    assert kept(server) == [content]
    assert list(files(server)) == [f"{found['key']}.media"]
    api.start(f"{origin.url}/a.mp3?token=two")
    api.seek(position=39.5)
    api.wait_status("completed", timeout=15)
    requests = len(origin.log())
    assert requests == 1
    api = Api(server.restart(kill=True).url)
    origin.close()
    api.start(f"{origin.url}/a.mp3")
    assert api.player()["bufferProgress"] == 1


def test_seeks_leave_gaps_that_are_filled_and_nothing_is_loaded_twice(server, api, media, origin):
    """Rows 170, 214: after three seeks the parts that were sent are the file, each byte once; then it is whole."""
    content = media.path("long.mp3").read_bytes()
    # Held there, a connection has nothing on its way that would be lost with it.
    behaviour = start_held(api, origin, content, 150_000)
    size = 150_000
    for position, hold in ((31, 850_000), (18, 520_000), (10, 300_000)):
        behaviour.hold_at = hold
        api.seek(position=position)
        api.wait_status("playing", timeout=15)
        last = origin.log("/a.mp3")[-1].range_start
        size += hold - last
        eventually(lambda: entry(api)["bytes"] == size, f"what is held from {position} s on is kept", 10)
    assert origin.sent_bytes("/a.mp3") == size
    behaviour.hold_at = None
    behaviour.held.clear()
    # All but the gap before the place that plays; then no connection is left that a seek would break off.
    eventually(lambda: entry(api)["bytes"] == len(content) - (last - 150_000), "the gaps behind are filled", 20)
    api.seek(position=0.5)
    eventually(lambda: api.player()["bufferProgress"] == 1, "all of it is at hand", 20)
    wait_complete(api)
    assert origin.sent_bytes("/a.mp3") == len(content)
    assert kept(server) == [content]


def test_killed_at_any_moment_it_replays_bit_exact(server, api, media, origin, directory):
    """Row 175: kill -9 ten times in the middle of the download; what is kept then is the origin's bytes."""
    content = media.path("long.mp3").read_bytes() * 3
    behaviour = origin.serve("/a.mp3", content, rate=200_000)
    output = directory / "heard.wav"
    api.load(f"{origin.url}/a.mp3")
    for turn in range(10):
        api = Api(server.url)
        known = (entry(api) or {"bytes": 0})["bytes"]
        # Bytes in the journal count. Every other turn lasts until there are more.
        assert known > 0 or turn < 2, turn
        if known < len(content):
            before = journalled(server, directory / "journal")
            api.request("POST", "/player/play")
            target = min(len(content), known + 100_000 + 7_919 * turn % 60_000)
            eventually(lambda: (entry(api) or {"bytes": 0})["bytes"] >= target, "more is kept", 15)
            if turn % 2:
                eventually(lambda: journalled(server, directory / "journal") != before, "the journal has more", 15, every=0.05)
        server.restart(kill=True)
        # The journal's ranges are in the file.
        api = Api(server.url)
        found = entry(api)
        if found:
            stored = next(iter(files(server).values())).read_bytes()
            for part in found["ranges"]:
                start, end = part["start"], part["start"] + part["length"]
                assert stored[start:end] == content[start:end], f"turn {turn}: {part}"
    behaviour.rate = 0
    api = Api(server.url)
    api.request("POST", "/player/play")
    wait_complete(api)
    assert kept(server) == [content]
    server.stop()
    origin.close()
    # From what is kept alone, as it would be heard.
    server.output = f"file:{output}"
    api = Api(server.start().url)
    api.start(f"{origin.url}/a.mp3", timeout=15)
    eventually(lambda: api.player()["position"] > 3, "it plays", 10)
    api.command("stop")
    server.stop()
    heard = read_wave(output)
    reference = media.reference("long.mp3")[: 2 * 44100]
    assert largest_difference(heard[: 4 * 44100], reference)[0] <= 1


def test_damage_is_loaded_anew(server, api, media, origin):
    """Row 174. `RangeCacheTests` has each kind of damage."""
    content = media.path("short-0.mp3").read_bytes()
    origin.serve("/a.mp3", content)
    api.play_through(f"{origin.url}/a.mp3")
    wait_complete(api)
    api.call("DELETE", "/queue")
    server.kill()
    for suffix in ("-wal", "-shm"):
        pathlib.Path(f"{server.data}/cache/cache.sqlite{suffix}").unlink(missing_ok=True)
    (server.data / "cache" / "cache.sqlite").write_bytes(os.urandom(8192))
    api = Api(server.start().url)
    assert entry(api) is None
    api.play_through(f"{origin.url}/a.mp3")
    wait_complete(api)
    assert kept(server) == [content]


def test_servers_without_ranges(server, api, media, origin):
    """Row 173."""
    content = media.path("noise.mp3").read_bytes()
    origin.serve("/a.mp3", content, ranges=False, chunked=True)
    api.play_through(f"{origin.url}/a.mp3")
    wait_complete(api)
    assert kept(server) == [content]
    api.play()
    api.wait_status("completed", timeout=15)
    assert len(origin.log("/a.mp3")) == 1


@pytest.mark.serve("--cache-limit", "1")
def test_the_limit_holds_and_what_plays_stays(server, api, media, origin):
    """Row 176: ten files, more than the limit, beside the oldest one, which another player plays; a file that is larger than
    the limit plays all the same."""
    origin.serve("/oldest.mp3", media.path("long.mp3").read_bytes()[:400_000])
    api.call("POST", "/players", json={"id": "kitchen"})
    kitchen = Api(server.url, player="kitchen")
    kitchen.settings(repeat="one")
    kitchen.start(f"{origin.url}/oldest.mp3", timeout=15)
    wait_complete(api)
    content = media.path("noise-320.mp3").read_bytes()
    pad = content + b"\0" * (250_000 - len(content))
    for number in range(10):
        origin.serve(f"/{number}.mp3", pad)
    for number in range(10):
        api.load(f"{origin.url}/{number}.mp3", play=True)
        api.wait_status("playing", "completed", timeout=15)
        eventually(lambda: any(found["complete"] and f"/{number}.mp3" in found["uri"] for found in api.call("GET", "/cache")["entries"]),
                   "it is kept", 15)
        assert f"{origin.url}/oldest.mp3" in [found["uri"] for found in api.call("GET", "/cache")["entries"] if found["complete"]]
        assert api.call("GET", "/cache")["bytes"] <= 1 << 20
        assert sum(path.stat().st_blocks * 512 for path in files(server).values()) <= (1 << 20) + 300_000
    # In any order: one that is left late counts as used then.
    kept = {found["uri"] for found in api.call("GET", "/cache")["entries"]}
    assert kept == {f"{origin.url}/{name}.mp3" for name in (9, 8, "oldest")}
    huge = media.path("long.mp3").read_bytes() * 4
    origin.serve("/huge.mp3", huge)
    api.start(f"{origin.url}/huge.mp3", timeout=15)
    during(2, lambda: api.call("GET", "/cache")["bytes"] <= 1 << 20, "the limit holds")
    api.wait_status("playing")
    kitchen.seek(position=1)
    kitchen.wait_status("playing")
    assert len(origin.log("/oldest.mp3")) == 1


@pytest.mark.serve("--cache-dir", "{directory}/elsewhere/cache")
def test_removing(server, api, media, origin, directory):
    """Rows 171, 177: in its own directory; one and all are removed, but never what plays."""
    where = directory / "elsewhere" / "cache"
    for name in ("a", "b", "c"):
        origin.serve(f"/{name}.mp3", media.path("long.mp3" if name == "c" else "short-0.mp3").read_bytes())
    for name in ("a", "b"):
        api.play_through(f"{origin.url}/{name}.mp3")
    api.start(f"{origin.url}/c.mp3", timeout=15)
    eventually(lambda: sorted(found["inUse"] for found in api.call("GET", "/cache")["entries"]) == [False, False, True], "one of three plays")
    keys = {found["uri"][-5]: found["key"] for found in api.call("GET", "/cache")["entries"]}
    assert api.call("GET", f"/cache/{keys['a']}")["key"] == keys["a"]
    assert api.request("GET", "/cache/c999").status_code == 404
    assert api.request("DELETE", f"/cache/{keys['c']}").status_code == 409
    assert api.request("DELETE", f"/cache/{keys['a']}").status_code == 204
    assert api.request("DELETE", f"/cache/{keys['a']}").status_code == 404
    assert api.call("DELETE", "/cache") == {"removed": 1, "kept": 1}
    assert {name.split(".")[0] for name in files(server, where)} == {keys["c"]}
    assert not (server.data / "cache").exists()
    api.command("stop")
    api.call("DELETE", "/queue")
    eventually(lambda: api.call("DELETE", "/cache")["kept"] == 0, "nothing is in use")
    assert files(server, where) == {}


def test_events_tell_progress_and_the_end(api, media, origin, open_events):
    """Row 178: at most ten a second, with speed; the last one says that it is complete."""
    events = open_events("events=cache")
    origin.serve("/a.mp3", media.path("long.mp3").read_bytes(), rate=300_000)
    api.load(f"{origin.url}/a.mp3", play=True)
    events.wait_for("cache", lambda event: event["entries"] and event["entries"][0]["complete"], timeout=20)
    seen = events.since(0, "cache")
    progress = [event["entries"][0]["progress"] for event in seen if event["entries"] and event["entries"][0]["size"]]
    assert progress == sorted(progress) and progress[-1] == 1
    assert max(event["entries"][0]["bytesPerSecond"] for event in seen if event["entries"]) > 100_000
    # By the server's time: what came late came at once.
    span = (seen[-1].message["at"] - seen[0].message["at"]) / 1000
    assert len(seen) <= span * 10 + 3
    events.wait_for("cache", lambda event: event["entries"] and event["entries"][0]["bytesPerSecond"] == 0
                    and event["entries"][0]["complete"], timeout=10)


def test_a_browser_gets_what_is_there_while_it_is_loaded(server, api, media, origin):
    """Row 213: ranges of what is kept, also in the middle of the download; a part that is not there is asked for again later."""
    content = media.path("long.mp3").read_bytes()
    behaviour = start_held(api, origin, content)
    path = f"/cache/{entry(api)['key']}/content"
    part = api.request("GET", path, headers={"Range": "bytes=1000-1999"})
    assert part.status_code == 206 and part.content == content[1000:2000]
    assert part.headers["content-range"] == f"bytes 1000-1999/{len(content)}" and part.headers["content-type"] == "audio/mpeg"
    rest = api.request("GET", path, headers={"Range": "bytes=290000-"})
    assert rest.content == content[290_000:300_000]
    assert api.refusal("GET", path, headers={"Range": "bytes=500000-"}) == (503, "not-yet-loaded")
    assert api.request("GET", path).status_code == 503
    assert api.request("GET", path, headers={"Range": f"bytes={len(content)}-"}).status_code == 416
    behaviour.held.clear()
    wait_complete(api)
    whole = api.request("GET", path)
    assert whole.status_code == 200 and whole.content == content
    assert api.request("GET", path, headers={"Range": "bytes=500000-"}).content == content[500_000:]
    assert api.request("GET", "/cache/c999/content").status_code == 404


def test_bytes_under_way_are_waited_for(server, api, media, origin):
    """Row 213: a browser takes a failure for the end, so the answer comes when the bytes do; nobody is kept waiting for what
    nobody loads."""
    content = media.path("long.mp3").read_bytes()
    behaviour = start_held(api, origin, content)
    path = f"/cache/{entry(api)['key']}/content"
    answers = []
    # As a browser does: one range after another, each from where the last one has ended.
    client = Api(server.url)

    def listen() -> None:
        place = 0
        while place < len(content):
            answer = client.request("GET", path, headers={"Range": f"bytes={place}-"})
            answers.append(answer.status_code)
            if answer.status_code != 206 or answer.content != content[place : place + len(answer.content)]:
                return
            place += len(answer.content)

    listener = threading.Thread(target=listen)
    listener.start()
    eventually(lambda: answers == [206], "what is there", 10)
    during(1, lambda: answers == [206], "the rest is waited for")
    behaviour.held.clear()
    listener.join(60)
    assert not listener.is_alive() and set(answers) == {206}
    # Left before it was complete: nothing more comes, so nothing is waited for.
    half = origin.serve("/b.mp3", content, content_type="audio/mpeg", hold_at=300_000)
    half.held.set()
    api.load(f"{origin.url}/b.mp3", play=True)
    eventually(lambda: len(api.call("GET", "/cache")["entries"]) == 2, "a part is kept", 10)
    key = next(entry["key"] for entry in api.call("GET", "/cache")["entries"] if not entry["complete"])
    api.call("DELETE", "/queue")
    eventually(lambda: not any(entry["inUse"] for entry in api.call("GET", "/cache")["entries"]), "nobody loads it", 10)
    began = time.monotonic()
    assert api.request("GET", f"/cache/{key}/content", headers={"Range": "bytes=500000-"}).status_code == 503
    assert time.monotonic() - began < 10


def test_stale_entries_are_revalidated(server, api, media, origin):
    """Complete and fresh, nobody is asked; old, the server is, with a condition; without the server it plays all the same."""
    content, new = media.path("short-0.mp3").read_bytes(), media.path("short-1.mp3").read_bytes()
    behaviour = origin.serve("/a.mp3", content, headers=[("Cache-Control", "max-age=0")])
    fresh = origin.serve("/b.mp3", content, headers=[("Cache-Control", "max-age=3600")])
    for name in ("a.mp3", "b.mp3"):
        api.play_through(f"{origin.url}/{name}")
    eventually(lambda: all(entry["complete"] for entry in api.call("GET", "/cache")["entries"]), "they are complete", 10)
    sent = origin.sent_bytes("/a.mp3")

    api.play_through(f"{origin.url}/b.mp3")
    assert len(origin.log("/b.mp3")) == 1 and fresh.etag
    api.play_through(f"{origin.url}/a.mp3")
    assert [request.headers.get("if-none-match") for request in origin.log("/a.mp3")] == [None, '"v1"']
    assert origin.sent_bytes("/a.mp3") == sent, "304 has no body"
    # Another version is there; then the server is gone. `DownloadCacheTests` has the other answers.
    behaviour.content, behaviour.etag = new, '"v2"'
    api.play_through(f"{origin.url}/a.mp3")
    eventually(lambda: new in kept(server), "the new one is kept", 10)
    origin.close()
    api.play_through(f"{origin.url}/a.mp3")
    api.play_through(f"{origin.url}/b.mp3")


def test_fifty_downloads_leave_the_music_alone(server, api, written, media, origin):
    """While fifty clients read what is kept, over and over, the music has no gap."""
    content = media.path("long.mp3").read_bytes() * 5
    origin.serve("/big.mp3", content, content_type="audio/mpeg")
    api.load(f"{origin.url}/big.mp3")
    api.play()
    path = f"/cache/{wait_complete(api)['key']}/content"
    api.start(f"{origin.url}/big.mp3", timeout=10)
    start_frame = written.frames
    downloaded, wrong, stop = [], [], threading.Event()

    def download() -> None:
        with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client:
            while not stop.is_set():
                body = client.get("/api/v1" + path).content
                (downloaded if len(body) == len(content) else wrong).append(len(body))

    clients = [threading.Thread(target=download) for _ in range(50)]
    for client in clients:
        client.start()
    written.wait_frames(start_frame + 6 * RATE, timeout=60)
    eventually(lambda: len(downloaded) >= 50, "each has it", 60)
    stop.set()
    for client in clients:
        client.join(120)
    samples = written.samples(start_frame + RATE, start_frame + 6 * RATE)
    assert not wrong
    difference, _ = largest_difference(media.reference("long.mp3")[: 30 * RATE], samples)
    assert difference <= 1


def test_a_full_disk_keeps_the_music_going(start_server, media, origin, small_disk):
    """Nothing more is kept, which is reported; what plays goes on, and when there is room again, it is kept again."""
    where = small_disk("600k")
    server = start_server(arguments=("--cache", "on", "--cache-dir", str(where)))
    api = Api(server.url)
    origin.serve("/a.mp3", media.path("long.mp3").read_bytes())
    api.start(f"{origin.url}/a.mp3", timeout=15)
    eventually(lambda: api.call("GET", "/cache")["problem"], "it is reported", 10)
    api.seek(position=39)
    api.wait_status("completed", timeout=15)
    assert api.player()["error"] is None
    origin.serve("/b.mp3", media.path("short-0.mp3").read_bytes())
    api.call("DELETE", "/queue")
    eventually(lambda: api.call("DELETE", "/cache")["kept"] == 0, "nothing is in use")
    api.play_through(f"{origin.url}/b.mp3")
    wait_complete(api)
    server.stop()


def test_a_page_and_a_station_are_not_kept(server, api, media, origin):
    """Only what is music, and has an end."""
    origin.serve("/text.mp3", b"secret " * 10_000, content_type="audio/mpeg")
    api.load(f"{origin.url}/text.mp3")
    api.request("POST", "/player/play")
    api.wait_status("failed", timeout=15)
    radio = Radio(media.path("long.mp3").read_bytes(), KBPS_192)
    api.start(f"{radio.url}/live", timeout=15)
    during(1, lambda: entry(api) is None, "nothing is kept")
    assert files(server) == {}
