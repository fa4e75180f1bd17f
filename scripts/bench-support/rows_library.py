# SPDX-License-Identifier: Apache-2.0
"""The music library: scanning beside MPD's update, scanning again, watching, searching."""

import os
import pathlib
import random
import shutil
import time

import httpx

from measure import Row, at_least_of, below
from peers import Mpd
from rig import Server, eventually
from rig.collection import make_collection, sound

COVER = b"\x89PNG\r\n\x1a\n" + bytes(100_000)


def idle(client: httpx.Client) -> dict | None:
    status = client.get("/api/v1/library").json()
    return status if status["state"] == "idle" and status["scan"] and status["scan"]["endedAt"] else None


def _scan(directory: pathlib.Path, music: pathlib.Path, files: int) -> float:
    """Files per second of a first scan, by the server's own clock."""
    home = directory / "scan"
    home.mkdir()
    server = Server(home, music).start()
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client:
        status = eventually(lambda: idle(client), "scanned", timeout=300, every=0.02)
    server.stop()
    shutil.rmtree(home)
    assert status["tracks"] == files, status
    return files / (status["scan"]["endedAt"] - status["scan"]["startedAt"])


def _update(directory: pathlib.Path, music: pathlib.Path, files: int) -> float:
    """Files per second of MPD's first update."""
    home = directory / "mpd"
    home.mkdir()
    mpd = Mpd(home, music, None)
    mpd.start()
    began = time.monotonic()
    if "updating_db" not in mpd.command("status"):
        mpd.command("update")
    eventually(lambda: "updating_db" not in mpd.command("status"), "updated", timeout=300, every=0.02)
    seconds = time.monotonic() - began
    songs = int(next(line for line in mpd.command("stats").splitlines() if line.startswith("songs: ")).split()[1])
    mpd.stop()
    shutil.rmtree(home)
    assert songs == files, songs
    return files / seconds


def scan(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """A first scan of 10,000 tagged files, with and without pictures in the tags."""
    rows = []
    for name, cover in (("tags", b""), ("every second with 100 KB picture", COVER)):
        root = directory / "collection"
        make_collection(root, 10_000, sound(directory), cover)
        os.sync()
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(_scan(directory, root, 10_000))
            theirs.append(_update(directory, root, 10_000))
        shutil.rmtree(root)
        rows.append(Row(f"first scan of 10,000 MP3 ({name})", "files/s", ours, {"MPD update": theirs}, at_least_of("MPD update", 1)))
    return rows


def rescan(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """A scan of 2,000 unchanged files."""
    root = directory / "collection"
    make_collection(root, 2_000, sound(directory))
    home = directory / "server"
    home.mkdir()
    server = Server(home, root).start()
    times = []
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client:
        eventually(lambda: idle(client), "scanned", timeout=120)
        for _ in range(max(5, rounds)):
            assert client.post("/api/v1/library/scan").status_code == 202
            status = eventually(lambda: idle(client), "scanned again", timeout=60, every=0.002)
            assert status["scan"]["scanned"] == 0 and status["scan"]["found"] == 2_000, status
            times.append(1_000 * (status["scan"]["endedAt"] - status["scan"]["startedAt"]))
    server.stop()
    shutil.rmtree(root)
    return [Row("rescan of 2,000 unchanged files", "ms", times, {}, below(20, "ms"))]


def watch(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """From adding a file to the folder until the library lists it."""
    root = directory / "collection"
    make_collection(root, 200, sound(directory))
    file = next(root.rglob("*.mp3")).read_bytes()
    home = directory / "server"
    home.mkdir()
    server = Server(home, root).start()
    times = []
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client:
        count = eventually(lambda: idle(client), "scanned", timeout=120)["tracks"]
        for number in range(rounds):
            began = time.monotonic()
            (root / f"new-{number}.mp3").write_bytes(file)
            eventually(lambda: client.get("/api/v1/library").json()["tracks"] == count + number + 1, "listed", timeout=60, every=0.005)
            times.append(1_000 * (time.monotonic() - began))
    server.stop()
    shutil.rmtree(root)
    return [Row("a new file to the list", "ms", times, {}, below(2_000, "ms"))]


def search(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Searches among 100,000 tracks over one HTTP connection. The files are links to a few, as only their names matter."""
    root = directory / "collection"
    source = directory / "source"
    make_collection(source, 10_000, sound(directory, 0.2))
    for copy in range(10):
        for file in source.rglob("*.mp3"):
            target = root / str(copy) / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(file, target)
    home = directory / "server"
    home.mkdir()
    server = Server(home, root).start()
    chance = random.Random(3)
    words = {"a rare word": lambda: f"{chance.randrange(10_000)}", "a common word": lambda: "song",
             "two words": lambda: f"song {chance.randrange(10_000)}", "one letter": lambda: "a", "two characters of CJK": lambda: "流行"}
    rows = []
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client:
        eventually(lambda: idle(client), "scanned", timeout=600)
        for name, word in words.items():
            times = []
            for _ in range(20 * rounds):
                began = time.monotonic()
                client.get("/api/v1/library/search", params={"q": word()}).raise_for_status()
                times.append(1_000 * (time.monotonic() - began))
            rows.append(Row(f"search 100,000 tracks: {name}", "ms", times, {}, below(20, "ms")))
        pages = []
        for _ in range(20 * rounds):
            began = time.monotonic()
            client.get("/api/v1/library/tracks", params={"offset": chance.randrange(99_000), "limit": 100}).raise_for_status()
            pages.append(1_000 * (time.monotonic() - began))
        rows.append(Row("a page of 100 of 100,000 tracks", "ms", pages, {}, below(1_000, "ms")))
    server.stop()
    return rows
