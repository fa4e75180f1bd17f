# SPDX-License-Identifier: Apache-2.0
"""One player follows another: the same sound at the same time on two outputs."""

import pytest

from rig import Api, Capture, eventually
from rig.capture import RATE
from rig.radio import Radio
from rig.signals import align
from rig.waiting import during

MEDIA = "long.mp3"


@pytest.fixture
def sides(pulse):
    """Two outputs that are the two channels of one, so that one recording shows both at the same moment."""
    for name, side in (("left", "front-left"), ("right", "front-right")):
        pulse.load(f"module-remap-sink sink_name={name} master=spk channels=1 channel_map=mono "
                   f"master_channel_map={side} remix=no")
    recorder = Capture(pulse, "spk").start()
    yield recorder
    recorder.stop()


@pytest.fixture
def pair(sides, server, api):
    """Main on the left, the kitchen on the right, which follows main."""
    api.choose("left")
    api.call("POST", "/players", json={"id": "kitchen", "output": "right"})
    kitchen = Api(server.url, player="kitchen")
    kitchen.settings(leader="main")
    yield api, kitchen
    kitchen.close()


def entry(api, id: str = "kitchen") -> dict:
    return {player["id"]: player for player in api.call("GET", "/players")["players"]}[id]


def wait_in_step(api) -> None:
    eventually(lambda: (offset := entry(api)["offset"]) is not None and abs(offset) <= 0.002, "in step", timeout=20)


def apart(sides, seconds: float = 0.5) -> float:
    """Milliseconds by which the right side is heard behind the left, from now on."""
    start = sides.frames
    sides.wait_seconds(seconds)
    heard = sides.samples(start, start + int(seconds * RATE))
    middle = heard[RATE // 10 : -RATE // 10]
    return (align(heard[:, 1:], middle[:, :1]) - RATE // 10) / RATE * 1000


def test_both_are_heard_within_five_milliseconds(pair, sides):
    """Issue 4, how fast: two players in step."""
    api, kitchen = pair
    api.load(MEDIA, MEDIA)
    api.play()
    wait_in_step(api)
    assert kitchen.player()["item"]["uri"] == MEDIA and kitchen.player()["leader"] == "main"
    assert abs(apart(sides)) < 5
    api.seek(position=20)
    eventually(lambda: kitchen.player()["position"] > 20, "the kitchen has followed the seek", timeout=10)
    wait_in_step(api)
    assert abs(apart(sides)) < 5
    api.pause()
    eventually(lambda: kitchen.player()["status"] == "paused", "the kitchen pauses, too")
    api.play()
    eventually(lambda: kitchen.player()["status"] == "playing", "the kitchen plays, too")
    wait_in_step(api)
    assert abs(apart(sides)) < 5
    # Across the border to the next item, and no further apart there.
    api.seek(position=api.player()["duration"] - 3)
    first = api.player()["item"]["id"]
    eventually(lambda: api.player()["item"]["id"] != first, "the next item", timeout=10)
    wait_in_step(api)
    assert abs(apart(sides)) < 5
    api.command("stop")
    eventually(lambda: kitchen.player()["status"] == "stopped", "the kitchen stops, too")


def test_a_station_is_heard_by_both(pair, sides, media):
    """It cannot be sought: each joins it on its own."""
    api, kitchen = pair
    radio = Radio(media.path("long.mp3").read_bytes(), 24000)
    try:
        api.load(f"{radio.url}/live", play=True)
        api.wait_status("playing", timeout=15)
        kitchen.wait_status("playing", timeout=15)
        during(1.5, lambda: kitchen.player()["status"] == "playing" and kitchen.player()["error"] is None, "it plays on")
        api.pause()
        eventually(lambda: kitchen.player()["status"] == "paused", "the kitchen pauses, too")
        api.play()
        kitchen.wait_status("playing", timeout=15)
    finally:
        radio.close()


def test_volume_and_output_stay_its_own(pair, sides):
    api, kitchen = pair
    api.load(MEDIA)
    api.play()
    wait_in_step(api)
    kitchen.settings(volume=0.1)
    assert api.player()["volume"] == 1
    sides.wait_seconds(0.3)
    start = sides.frames
    sides.wait_seconds(0.5)
    heard = sides.samples(start).astype(float)
    assert 0.08 < heard[:, 1].std() / heard[:, 0].std() < 0.12


def test_what_it_plays_is_the_leaders_to_say(pair):
    api, kitchen = pair
    for method, path, body in [
        ("POST", "/players/kitchen/play", {}), ("POST", "/players/kitchen/next", {}),
        ("POST", "/players/kitchen/seek", {"position": 1}), ("DELETE", "/players/kitchen/queue", {}),
        ("POST", "/players/kitchen/queue/items", {"items": [{"uri": MEDIA}]}), ("PATCH", "/players/kitchen", {"repeat": "one"}),
    ]:
        answer = api.request(method, path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (409, "following"), path
    assert kitchen.settings(leader=None)["leader"] is None
    assert kitchen.settings(repeat="one")["repeat"] == "one"


def test_circles_and_strangers_are_refused(pair):
    api, kitchen = pair
    api.call("POST", "/players", json={"id": "attic"})
    for id, leader, status, code in [
        ("attic", "attic", 422, "invalid"), ("attic", "nobody", 422, "unknown-player"), ("attic", "kitchen", 409, "following"),
        ("main", "attic", 409, "main-player"),
    ]:
        answer = api.request("PATCH", f"/players/{id}", json={"leader": leader})
        assert (answer.status_code, answer.json()["code"]) == (status, code), (id, leader)
    assert api.request("PATCH", "/players/attic", json={"leader": "main"}).status_code == 200
    api.call("POST", "/players", json={"id": "cellar"})
    answer = api.request("PATCH", "/players/main", json={"leader": "cellar"})
    assert answer.json()["code"] == "main-player"


def test_a_follower_of_a_removed_player_goes_on_alone(sides, server, api):
    api.call("POST", "/players", json={"id": "leader", "output": "left"})
    api.call("POST", "/players", json={"id": "kitchen", "output": "right"})
    leader, kitchen = Api(server.url, player="leader"), Api(server.url, player="kitchen")
    leader.load(MEDIA)
    kitchen.settings(leader="leader")
    leader.play()
    wait_in_step(api)
    api.request("DELETE", "/players/leader")
    eventually(lambda: kitchen.player()["leader"] is None, "nobody is followed")
    during(0.5, lambda: kitchen.player()["status"] == "playing", "it plays on")
    assert kitchen.call("POST", "/player/pause")["status"] == "paused"
    leader.close()
    kitchen.close()


def test_it_follows_after_a_crash(pair, sides, server):
    api, kitchen = pair
    api.load(MEDIA)
    api.play()
    wait_in_step(api)
    server.restart(kill=True)
    again, kitchen_again = Api(server.url), Api(server.url, player="kitchen")
    assert kitchen_again.player()["leader"] == "main"
    again.play()
    wait_in_step(again)
    assert abs(apart(sides)) < 5
    again.close()
    kitchen_again.close()


def test_a_kitchen_without_its_device_comes_back_in_step(pair, sides, pulse):
    """The leader is not disturbed by it."""
    api, kitchen = pair
    api.load(MEDIA)
    api.play()
    wait_in_step(api)
    pulse.unload(pulse.module("sink_name=right "))
    during(1, lambda: api.player()["status"] == "playing", "main plays on")
    pulse.load("module-remap-sink sink_name=right master=spk channels=1 channel_map=mono "
               "master_channel_map=front-right remix=no")
    kitchen.choose("right")
    eventually(lambda: kitchen.player()["status"] == "playing", "the kitchen plays again", timeout=15)
    wait_in_step(api)
    assert abs(apart(sides)) < 5


def test_it_is_silent_because_its_leader_is(pair):
    main, kitchen = pair
    main.load(MEDIA, play=True)
    wait_in_step(main)
    main.call("POST", "/session/interruptions", json={"type": "began"})
    main.wait_status("interrupted")
    assert kitchen.wait_status("paused")["reason"] == "leader"
    main.call("POST", "/session/interruptions", json={"type": "ended", "shouldResume": True})
    kitchen.wait_status("playing")
