# SPDX-License-Identifier: Apache-2.0
"""What survives."""

import contextlib
import os
import random
import subprocess
import threading
import time

import pytest

from rig import Api, eventually


def test_queue_and_settings_survive_kill(server, api):
    """Promise 3, rows 240, 249: what was answered is there after kill -9."""
    ids = api.load("long.mp3", "chirp.mp3", "short-0.mp3")
    api.settings(volume=0.35, balance=0.25, repeat="all", muted=True, consume=True)
    api.add({"uri": "low.mp3", "title": "Named", "loops": 2, "beginTime": 1.5}, position=1)
    api.call("POST", "/queue/move", json={"ids": [ids[2]], "position": 0})
    before, settings = api.queue(), api.player()
    server.restart(kill=True)
    api = Api(server.url)
    after, restored = api.queue(), api.player()
    assert after["items"] == before["items"] and after["revision"] >= before["revision"]
    for name in ("volume", "balance", "repeat", "muted", "consume"):
        assert restored[name] == settings[name], name
    api.add("short-1.mp3")
    assert len(set(api.ids())) == 5, "an id was given twice"
    api.close()


def test_position_survives_kill_and_nothing_starts_by_itself(server, api):
    """Row 240: the same item within 1 s, paused."""
    ids = api.load("short-0.mp3", "long.mp3", index=1)
    api.play(position=7)
    api.wait_status("playing")
    eventually(lambda: api.player()["position"] > 9.3, "it plays")
    position = api.player()["position"]
    server.restart(kill=True)
    api = Api(server.url)
    snapshot = eventually(lambda: (s := api.player())["item"] and s["status"] != "loading" and s, "the item is restored")
    assert snapshot["item"]["id"] == ids[1] and snapshot["rate"] == 0 and snapshot["playWhenReady"] is False
    assert snapshot["position"] == pytest.approx(position, abs=1.0)
    assert snapshot["reason"] == "restored"
    api.play()
    api.wait_status("playing")
    assert api.player()["position"] >= snapshot["position"] - 0.01
    api.close()


def test_what_was_answered_is_never_lost_at_any_moment_of_death(server):
    """Promise 3: killed in the middle of a stream of edits, eight times; every answered item is there."""
    dice = random.Random(3)
    answered: list[str] = []
    for round in range(8):
        api = Api(server.url)
        stop_after = dice.uniform(0.02, 0.15)
        killer = threading.Timer(stop_after, server.kill)
        killer.start()
        number = 0
        while True:
            uri = f"round-{round}-{number}.mp3"
            try:
                if api.request("POST", "/queue/items", json={"items": [{"uri": uri}]}).status_code == 201:
                    answered.append(uri)
            except Exception:
                break
            number += 1
        killer.join()
        api.close()
        server.start()
        api = Api(server.url)
        length = api.queue(limit=0)["length"]
        present = [item["uri"] for offset in range(0, length, 1000) for item in api.queue(offset, 1000)["items"]]
        missing = [uri for uri in answered if uri not in set(present)]
        assert not missing, f"lost after an answer: {missing[:5]}"
        assert len(present) - len(answered) <= round + 1, "items that nobody asked for"
        api.close()


@pytest.mark.parametrize("damage", ["garbage", "empty", "truncated"])
def test_a_damaged_state_is_set_aside(server, api, damage):
    """Promise 3: the server starts, says so, and keeps the damaged file."""
    api.load("long.mp3", "chirp.mp3")
    server.stop()
    database = next(path for path in server.data.iterdir() if path.suffix in (".sqlite", ".db", ".sqlite3"))
    original = database.read_bytes()
    for companion in server.data.glob(database.name + "-*"):
        companion.unlink()
    match damage:
        case "garbage":
            database.write_bytes(b"This is no database. " * 500)
        case "empty":
            database.write_bytes(b"")
        case "truncated":
            database.write_bytes(original[: len(original) // 2])
    damaged = database.read_bytes()
    server.start()
    api = Api(server.url)
    assert api.player()["status"] in ("idle", "paused", "stopped", "ready")
    api.load("short-0.mp3")
    api.close()
    if damage in ("garbage", "truncated") and damaged:
        kept = [path for path in server.data.rglob("*") if path.is_file() and path.read_bytes() == damaged]
        assert kept, "the damaged file was deleted"
        assert database.name in server.log() or "damaged" in server.log()


def test_full_disk_is_told_and_playing_goes_on(directory, start_server, media):
    """Issue 2: writes answer an error (507/500 `not-saved`), nothing crashes; needs the right to mount."""
    home = directory / "small"
    home.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(home)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        server = start_server(arguments=("--data", str(home / "data")))
        api = Api(server.url)
        api.load("long.mp3")
        api.play()
        api.wait_status("playing")
        filler = os.open(home / "filler", os.O_CREAT | os.O_WRONLY)
        with contextlib.suppress(OSError):
            while True:
                os.write(filler, b"x" * 4096)
        os.close(filler)
        big = [{"uri": f"{'x' * 200}-{number}.mp3"} for number in range(20000)]
        response = api.request("POST", "/queue/items", json={"items": big})
        assert response.status_code in (500, 503, 507) and response.json()["code"] == "not-saved", response.text[:300]
        assert api.player()["status"] == "playing"
        (home / "filler").unlink()
        assert api.settings(volume=0.5)["volume"] == 0.5
        api.close()
        server.stop()
    finally:
        subprocess.run(["umount", "-l", str(home)], capture_output=True)


def test_two_servers_cannot_share_a_data_directory(server, start_server):
    """They would overwrite each other: the second one says so and ends."""
    second = start_server(arguments=("--data", str(server.data)), launch_only=True)
    try:
        second.process.wait(5)
        assert second.process.returncode != 0
        assert "data" in second.log()
    finally:
        second.kill()
        second.process = None


def test_position_is_saved_now_and_then_not_all_the_time(server, api):
    """Row 249's cost: a few writes a second at most while playing."""
    api.load("long.mp3", play=True)
    api.wait_status("playing")

    def written() -> int:
        for line in open(f"/proc/{server.process.pid}/io"):
            if line.startswith("write_bytes"):
                return int(line.split()[1])
        return 0

    before = written()
    time.sleep(2)  # the amount per time is the subject
    assert written() - before < 200_000
