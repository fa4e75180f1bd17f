# SPDX-License-Identifier: Apache-2.0
"""Persistence."""

import contextlib
import os
import random
import resource
import sqlite3
import threading
import time

import pytest

from rig import Api, EventLog, eventually


def given(items: list[dict]) -> list[dict]:
    """Without what the library knows, which may come later."""
    return [{name: value for name, value in item.items() if name in ("id", "uri", "beginTime", "loops")} for item in items]


def titles(api: Api) -> list[str | None]:
    return [item["title"] for item in api.queue(limit=1000)["items"]]


def test_the_server_is_known_again(start_server, server, api):
    """Row 269: the id stays, another data directory is another server; the name can be given. A damaged id is set aside."""
    first = api.call("GET", "/server")
    assert set(first) == {"id", "name", "version", "features", "scope"} and len(first["id"]) >= 16 and first["name"]
    assert {"library", "playlists", "players"} <= set(first["features"])
    api = Api(server.restart(kill=True).url)
    assert api.call("GET", "/server") == first
    other = Api(start_server(arguments=("--name", "Kitchen", "--library", "off")).url)
    found = other.call("GET", "/server")
    assert found["id"] != first["id"] and found["name"] == "Kitchen" and "library" not in found["features"]
    (server.data / "server-id").write_text("garbage")
    server.restart()
    assert [file.read_text() for file in server.data.glob("server-id.damaged-*")] == ["garbage"]
    assert "server-id is damaged" in server.log()


@pytest.mark.smoke
def test_queue_and_settings_survive_kill(server, api):
    """Promise 3, rows 240, 249: what was answered is there after kill -9."""
    ids = api.load("long.mp3", "chirp.mp3", "short-0.mp3")
    api.settings(volume=0.35, balance=0.25, repeat="all", muted=True, consume=True, crossfade=7.5, playbackRate=1.5, pitch=-100,
                 preservePitch=False)
    api.call("PATCH", "/session", json={"category": "solo-ambient", "silentSwitch": True})
    api.add({"uri": "low.mp3", "title": "Named", "loops": 2, "beginTime": 1.5}, position=1)
    api.call("POST", "/queue/move", json={"ids": [ids[2]], "position": 0})
    before, settings = api.queue(), api.player()
    api = Api(server.restart(kill=True).url)
    after, restored = api.queue(), api.player()
    assert given(after["items"]) == given(before["items"]) and after["revision"] >= before["revision"]
    for name in ("volume", "balance", "repeat", "muted", "consume", "crossfade", "playbackRate", "pitch", "preservePitch"):
        assert restored[name] == settings[name], name
    assert (restored["crossfade"], restored["playbackRate"], restored["pitch"], restored["preservePitch"]) == (7.5, 1.5, -100, False)
    session = api.call("GET", "/session")
    assert session["category"] == "solo-ambient" and session["silentSwitch"]
    api.add("short-1.mp3")
    assert len(set(api.ids())) == 5, "an id was given twice"


def test_position_and_loop_survive_kill_and_nothing_starts_by_itself(server, api):
    """Promise 3, rows 240, 280: the same item within 1 s, paused; the repeated part goes with its item."""
    ids = api.load("short-0.mp3", "long.mp3", index=1)
    api.play(position=7)
    api.wait_status("playing")
    eventually(lambda: api.player()["position"] > 9.3, "it plays")
    asked = time.monotonic()
    position = api.player()["position"]
    api.settings(abLoop={"begin": 2, "end": 35})
    server.kill()
    since = time.monotonic() - asked
    api = Api(server.start().url)
    snapshot = eventually(lambda: (s := api.player())["item"] and s["status"] != "loading" and s, "the item is restored")
    assert snapshot["item"]["id"] == ids[1] and snapshot["rate"] == 0 and snapshot["playWhenReady"] is False
    assert position - 1 <= snapshot["position"] <= position + since + 0.1
    assert snapshot["reason"] == "restored" and snapshot["abLoop"] == {"begin": 2, "end": 35}
    api.play()
    api.wait_status("playing")
    assert api.player()["position"] >= snapshot["position"] - 0.01
    api.play(itemId=ids[0])
    assert api.player()["abLoop"] is None
    assert Api(server.restart(kill=True).url).player()["abLoop"] is None


def test_answered_edits_survive_a_kill_at_any_moment(server):
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
            title = f"round-{round}-{number}"
            try:
                item = {"uri": "short-0.mp3", "title": title}
                if api.request("POST", "/queue/items", json={"items": [item]}).status_code == 201:
                    answered.append(title)
            except Exception:
                break
            number += 1
        killer.join()
        api = Api(server.start().url)
        length = api.queue(limit=0)["length"]
        present = [item["title"] for offset in range(0, length, 1000) for item in api.queue(offset, 1000)["items"]]
        missing = [title for title in answered if title not in set(present)]
        assert not missing, f"lost after an answer: {missing[:5]}"
        assert len(present) - len(answered) <= round + 1, "items that nobody asked for"


@pytest.mark.parametrize("key, value", [("nextItemNumber", 2**63 - 1), ("revision", "seven")])
def test_counters_that_make_no_sense_do_no_harm(server, api, key, value):
    """Promise 3: what a foreign hand wrote neither ends the server nor loses what comes after it."""
    first = api.load("long.mp3")
    server.stop()
    with contextlib.closing(sqlite3.connect(server.data / "state.sqlite")) as database:
        assert database.execute("UPDATE player SET value = ? WHERE key = ?", (value, key)).rowcount == 1
        database.commit()
    server.start()
    api = Api(server.url)
    added = api.add("chirp.mp3", "low.mp3")["ids"]
    assert len(set(first + added)) == 3
    api = Api(server.restart(kill=True).url)
    assert api.uris() == ["long.mp3", "chirp.mp3", "low.mp3"]


def test_a_damaged_state_is_set_aside(server, api):
    """Promise 3: the server starts, says so, and keeps the damaged file. `StateFileTests` has each kind of damage."""
    api.load("long.mp3", "chirp.mp3")
    server.stop()
    database = next(path for path in server.data.iterdir() if path.suffix in (".sqlite", ".db", ".sqlite3"))
    damaged = b"This is no database. " * 500
    for companion in server.data.glob(database.name + "-*"):
        companion.unlink()
    database.write_bytes(damaged)
    api = Api(server.start().url)
    assert api.player()["status"] in ("idle", "paused", "stopped", "ready")
    api.load("short-0.mp3")
    kept = [path for path in server.data.rglob("*") if path.is_file() and path.read_bytes() == damaged]
    assert kept, "the damaged file was deleted"
    assert database.name in server.log() or "damaged" in server.log()


@pytest.mark.parametrize("damage", ["middle", "cut"])
def test_a_damaged_write_ahead_file_is_reported(server, api, damage):
    """Promise 3: all of it is kept, and what is left of it used; a power cut may cut it. `WriteAheadFileTests` has each case."""
    for number in range(12):
        api.add("long.mp3")
    api.call("POST", "/playlists", json={"name": "Evening", "fromQueue": True})
    server.kill()
    damaged = []
    for name in ("state.sqlite-wal", "playlists.sqlite-wal"):
        path = server.data / name
        whole = path.read_bytes()
        match damage:
            case "middle":
                begin, end = len(whole) // 4, len(whole) // 2
                path.write_bytes(whole[:begin] + random.Random(1).randbytes(end - begin) + whole[end:])
            case "cut":
                path.write_bytes(whole[:len(whole) // 2])
        damaged.append(path.read_bytes())
    api = Api(server.start().url)
    kept = [path.read_bytes() for path in server.data.glob("*.damaged-*-wal")]
    assert "another program" not in server.log()
    for name in ("state.sqlite-wal", "playlists.sqlite-wal"):
        assert f"{name} is damaged; kept as" in server.log() or f"{name} ends within a change" in server.log()
    if damage != "cut":
        assert damaged[0] in kept
    api.load("long.mp3")
    api = Api(server.restart(kill=True).url)
    assert api.uris() == ["long.mp3"]


def test_without_its_data_directory_nothing_is_said_to_be_saved(server, api):
    """Moved away: its files are not in their place, as when it was removed."""
    api.start("long.mp3")
    elsewhere = server.directory / "elsewhere"
    server.data.rename(elsewhere)
    alarm = {"type": "alarm", "time": "07:00", "items": [{"uri": "long.mp3"}]}
    for method, path, body in (
            ("PATCH", "/player", {"volume": 0.5}), ("POST", "/queue/items", {"items": [{"uri": "long.mp3"}]}), ("POST", "/timers", alarm),
            ("POST", "/playlists", {"name": "Evening", "fromQueue": True})):
        assert api.refusal(method, path, json=body) == (500, "not-saved")
    assert api.player()["status"] == "playing" and api.player()["volume"] == 1
    answer = api.request("GET", "//readyz")
    assert answer.status_code == 503 and "was removed or moved" in answer.json()["detail"]
    assert server.log().count("the state cannot be saved") == 1
    elsewhere.rename(server.data)
    eventually(lambda: api.request("GET", "//readyz").status_code == 200, "it is ready again")
    assert api.settings(volume=0.5)["volume"] == 0.5


def refuses_as_a_whole(server, api, events, refusal):
    """The reaction to any unwritable disk: `server` plays, and nothing can be saved any more."""
    before, settings = api.queue(), api.player()
    mark = events.mark()
    big = [{"uri": "short-0.mp3", "title": f"{'x' * 200}-{number}"} for number in range(20000)]
    for method, path, body in (
            ("POST", "/queue/items", {"items": big}), ("PUT", "/queue", {"items": big, "play": True}), ("POST", "/queue/items", {"items": big})):
        response = api.request(method, path, json=body)
        assert (response.status_code, response.json()["code"]) == refusal, response.text[:300]
    assert api.queue() == before, "a refused edit is visible"
    after = api.player()
    assert after["status"] == "playing" and after["item"]["id"] == settings["item"]["id"]
    assert after["queue"] == settings["queue"], "revision, undo and redo stay"
    # An event of the load before may come late.
    newer = [event for event in events.since(mark, "queue") if event.message["version"] > settings["version"]]
    assert not newer, "an event of a change that is none"
    # Transport needs no disk.
    assert api.pause()["status"] == "paused"
    assert api.seek(position=3)["position"] == pytest.approx(3, abs=0.1)
    api.resume()
    assert api.request("GET", "//healthz").status_code == 200


FULL = (507, "disk-full")


def recovers(api):
    """By itself, within seconds of there being room."""
    eventually(lambda: api.request("GET", "//readyz").status_code == 200, "it is ready again", timeout=20, every=0.1)
    assert api.settings(volume=0.5)["volume"] == 0.5
    count = api.queue()["length"]
    api.add("chirp.mp3")
    assert api.queue()["length"] == count + 1


def test_a_full_disk_refuses_edits_as_a_whole_and_playing_goes_on(small_disk, start_server, contract):
    """Issue 2: 507 `disk-full`, nothing of it is visible, before or after a restart; needs the right to mount."""
    home = small_disk("8m")
    server = start_server(arguments=("--data", str(home / "data")))
    api, events = Api(server.url), EventLog(server.events_url, contract=contract)
    events.wait_for("snapshot")
    api.start("long.mp3")
    filler = os.open(home / "filler", os.O_CREAT | os.O_WRONLY)
    with contextlib.suppress(OSError):
        while True:
            os.write(filler, b"x" * 4096)
    os.close(filler)
    refuses_as_a_whole(server, api, events, FULL)
    items = [{"uri": "short-0.mp3", "title": "x" * 200}] * 5000
    assert api.refusal("POST", "/playlists", json={"name": "Evening", "items": items}) == FULL
    assert api.refusal("POST", "/players", json={"id": "kitchen"}) == FULL
    alarm = {"type": "alarm", "time": "07:00", "items": [{"uri": "long.mp3", "title": "x" * 900}] * 60}
    assert api.refusal("POST", "/timers", json=alarm) == FULL
    (home / "filler").unlink()
    recovers(api)
    saved = api.queue()["items"]
    assert not events.violations
    events.close()
    server.data = home / "data"
    api = Api(server.restart(kill=True).url)
    assert given(api.queue()["items"]) == given(saved)
    server.stop()


def test_a_disk_that_cannot_be_written_makes_it_unready_and_it_recovers(server, api, events):
    """Every write fails (`RLIMIT_FSIZE`, which needs no rights): /readyz says so with its cause, as long as it is so."""
    api.start("long.mp3")
    _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, hard))
    try:
        refuses_as_a_whole(server, api, events, (500, "not-saved"))
        for body in ({"volume": 0.1}, {"repeat": "all", "muted": True}):
            assert api.refusal("PATCH", "/player", json=body) == (500, "not-saved")
        assert api.player()["volume"] == 1 and api.player()["repeat"] == "off" and not api.player()["muted"]
        assert api.request("POST", "/queue/undo").json()["code"] == "not-saved" and api.queue()["length"] == 1
        events.wait_for("error", lambda event: event["code"] == "not-saved")
        response = eventually(lambda: (r := api.request("GET", "//readyz")).status_code == 503 and r, "it is not ready")
        assert response.json()["code"] == "not-saved" and "could not be saved" in response.json()["detail"]
        api.pause()
        assert api.request("GET", "//readyz").status_code == 503, "also while nothing is to be saved"
    finally:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, hard))
    recovers(api)


def test_foreign_entry_in_place_of_a_file_is_set_aside(server, api):
    """Promise 3: the server starts whatever it finds, and keeps it. `StateFileTests` has each file in each way."""
    api.load("long.mp3", "chirp.mp3")
    server.stop()
    for name in ("state.sqlite-wal", "state.lock"):
        (server.data / name).unlink(missing_ok=True)
    (server.data / "state.sqlite-wal").symlink_to("state.sqlite-wal")
    os.mkfifo(server.data / "state.lock")
    api = Api(server.start().url)
    assert api.queue()["length"] == 2
    for name in ("state.sqlite-wal", "state.lock"):
        assert list(server.data.glob(f"{name}.damaged-*")), f"{name} is gone"
    api.add("short-0.mp3")
    before = api.uris()
    api = Api(server.restart(kill=True).url)
    assert api.uris() == before


def test_killed_again_and_again_while_playing_and_editing(server, api):
    """Promise 3: the queue as answered, the position within 1 s, at whatever moment it dies."""
    dice = random.Random(20)
    api.load("long.mp3")
    place = since = 0.0
    for round in range(8):
        # Where it was left is where it goes on.
        snapshot = eventually(lambda: (s := api.player())["item"] and s["status"] != "loading" and s, "the item is loaded")
        assert place - 1 <= snapshot["position"] <= place + since + 0.1, f"round {round}"
        api.play()
        api.wait_status("playing")
        target = snapshot["position"] + dice.uniform(0.2, 1.3)
        answered = titles(api)
        while (playing := api.player())["position"] < target:
            if len(answered) < 500:
                title = f"round-{round}-{len(answered)}"
                api.add({"uri": "short-0.mp3", "title": title})
                answered.append(title)
            place = playing["position"]
        asked = time.monotonic()
        place = api.player()["position"]
        server.kill()
        since = time.monotonic() - asked
        api = Api(server.start().url)
        assert titles(api) == answered, f"round {round}"
        api.call("POST", "/queue/remove", json={"ids": api.ids()[1:]})


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
    """Row 249's cost: a few writes a second at most while playing, once the first scan has written what it found."""
    api.start("long.mp3")
    eventually(lambda: api.call("GET", "/library")["state"] in ("idle", "failed"), "the first scan is over", 20)

    def written() -> int:
        for line in open(f"/proc/{server.process.pid}/io"):
            if line.startswith("write_bytes"):
                return int(line.split()[1])
        return 0

    before = written()
    time.sleep(2)  # the amount per time is the subject
    assert written() - before < 200_000
