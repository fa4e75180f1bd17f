# SPDX-License-Identifier: Apache-2.0
"""One player follows another: the same sound at the same time on two outputs."""

import datetime
import time

import pytest

from rig import PATIENCE, RATE, Api, Capture, Radio, during, eventually
from rig.signals import align

MEDIA = "long.mp3"


@pytest.fixture
def sides(pulse):
    """Two outputs that are the two channels of one, so that one recording shows both at the same moment."""
    for name, side in (("left", "front-left"), ("right", "front-right")):
        pulse.load(f"module-remap-sink sink_name={name} master=spk channels=1 channel_map=mono "
                   f"master_channel_map={side} remix=no")
    return Capture(pulse, "spk").start()


@pytest.fixture
def pair(sides, server, api):
    """Main on the left, the kitchen on the right, which follows main."""
    api.choose("left")
    api.call("POST", "/players", json={"id": "kitchen", "output": "right"})
    kitchen = Api(server.url, player="kitchen")
    kitchen.settings(leader="main")
    return api, kitchen


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


def wait_together(sides) -> None:
    """Within 5 ms: a late mixer moves one of the two, which then comes back. That nothing else does so is tested below."""
    eventually(lambda: abs(apart(sides)) < 5, "heard together", timeout=10)


def test_both_are_heard_within_five_milliseconds(pair, sides):
    """Issue 4, how fast: two players in step."""
    api, kitchen = pair
    api.load(MEDIA, MEDIA, play=True)
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


def levels(sides, seconds: float = 0.2) -> tuple[float, float]:
    """The levels of the left and the right side, from now on."""
    start = sides.frames
    sides.wait_seconds(seconds)
    left, right = sides.samples(start).astype(float).std(axis=0)
    return left, right


def test_an_alarm_rises_on_both_and_either_snoozes_it(pair, sides):
    api, kitchen = pair
    at = datetime.datetime.fromtimestamp(time.time() + 5, datetime.timezone.utc).strftime("%H:%M:%S")
    api.call("POST", "/timers", json={"type": "alarm", "time": at, "timeZone": "UTC", "ramp": 16, "level": 1, "items": [{"uri": MEDIA}]})
    kitchen.wait_status("playing", timeout=15)
    wait_in_step(api)
    heard = []
    # In step after some seconds of it, which a busy machine makes more.
    while api.player()["position"] < 15.5:
        heard.append(levels(sides, 0.5))
    assert len(heard) > 5
    for left, right in heard:
        assert 0.8 * left - 100 < right < 1.25 * left + 100, heard
    sides.wait_seconds(1.5)
    assert levels(sides, 0.5)[1] > 2 * heard[0][1]
    [ringing] = kitchen.call("GET", "/players/kitchen/timers")["timers"]
    assert ringing["state"] == "ringing"
    kitchen.call("POST", f"/players/kitchen/timers/{ringing['id']}/snooze")
    eventually(lambda: api.player()["status"] == kitchen.player()["status"] == "paused", "both are silent")
    assert kitchen.call("GET", "/players/kitchen/timers")["timers"] == []


def test_a_station_is_heard_by_both(pair, sides, media):
    """It cannot be sought: each joins it on its own."""
    api, kitchen = pair
    radio = Radio(media.path("long.mp3").read_bytes(), 24000)
    api.start(f"{radio.url}/live", timeout=15)
    kitchen.wait_status("playing", timeout=15)
    during(1.5, lambda: kitchen.player()["status"] in ("playing", "buffering") and kitchen.player()["error"] is None, "it plays on")
    api.pause()
    eventually(lambda: kitchen.player()["status"] == "paused", "the kitchen pauses, too")
    api.play()
    kitchen.wait_status("playing", timeout=15)


def test_volume_and_output_stay_its_own(pair, sides):
    api, kitchen = pair
    api.load(MEDIA, play=True)
    wait_in_step(api)
    kitchen.settings(volume=0.1)
    assert api.player()["volume"] == 1
    sides.wait_seconds(0.3)
    start = sides.frames
    sides.wait_seconds(0.5)
    heard = sides.samples(start).astype(float)
    assert 0.08 < heard[:, 1].std() / heard[:, 0].std() < 0.12


# A limiter's gain depends on what came long before, and so on when a player began.
EFFECTS = {
    "enabled": True,
    "equalizer": {"enabled": True, "preamp": -3, "bands": [{"type": "lowshelf", "frequency": 200, "gain": -12, "q": 0.7}]},
}


def test_effects_are_its_own_and_sound_as_its_leaders(pair, sides):
    """Row 294: one renderer: the same effects give the same samples on both outputs, and keep them in step."""
    api, kitchen = pair

    def difference() -> float:
        """The largest one of the samples, once the right side is laid over the left one; infinite in silence and 5 ms apart."""
        start = sides.frames
        sides.wait_seconds(0.5)
        heard = sides.samples(start, start + RATE // 2).astype(int)
        middle = heard[RATE // 10 : -RATE // 10, :1]
        at = align(heard[:, 1:], middle)
        right = heard[max(0, at) : max(0, at) + len(middle), 1:]
        is_near = abs(at - RATE // 10) < 0.005 * RATE
        return abs(right - middle).max() if is_near and len(right) == len(middle) and middle.any() else float("inf")

    api.load(MEDIA, MEDIA, play=True)
    wait_in_step(api)
    eventually(lambda: difference() <= 1, "both sound alike", timeout=10)
    plain = levels(sides)[1]
    api.call("PUT", "/effects", json=EFFECTS)
    eventually(lambda: 1000 < difference() < float("inf"), "the effects of the leader are its own")
    assert kitchen.call("GET", "/effects")["enabled"] is False
    kitchen.call("PUT", "/effects", json=EFFECTS)
    eventually(lambda: difference() <= 1, "both sound alike again", timeout=10)
    assert levels(sides)[1] < 0.9 * plain


def test_a_follower_that_joins_is_in_step_without_hardware(server, api):
    """`null` is a real clock: how long the follower takes to begin is made up for."""
    api.call("POST", "/players", json={"id": "kitchen"})
    api.load(MEDIA, play=True)
    api.wait_status("playing")
    Api(server.url, player="kitchen").settings(leader="main")
    wait_in_step(api)


def test_commands_to_a_follower_move_the_leader(pair, server, open_events):
    """Over REST and the event channel. Queue, ids and revisions that the follower shows are the leader's."""
    api, kitchen = pair
    log = open_events(url=server.events_url.replace("/events", "/players/kitchen/events"))
    added = api.call("POST", "/players/kitchen/queue/items", json={"items": [{"uri": MEDIA}, {"uri": "low.mp3"}], "play": True})
    api.wait_status("playing")
    items = kitchen.call("GET", "/queue")["items"]
    assert [item["id"] for item in items] == [item["id"] for item in api.call("GET", "/queue")["items"]]
    assert added["ids"] == [item["id"] for item in items]
    event = log.wait_for("queue")
    assert event["length"] == 2 and event["revision"] == api.player()["queue"]["revision"]
    kitchen.wait_status("playing")
    assert kitchen.player()["item"]["id"] == items[0]["id"]
    kitchen.call("POST", "/player/pause")
    assert api.wait_status("paused")["playWhenReady"] is False
    kitchen.call("POST", "/player/seek", json={"position": 7})
    assert api.player()["position"] == pytest.approx(7, abs=0.2)
    kitchen.call("POST", "/player/next")
    assert api.player()["item"]["id"] == items[1]["id"]
    kitchen.call("POST", "/queue/move", json={"ids": [items[1]["id"]], "position": 0})
    assert api.player()["queueIndex"] == 0
    assert kitchen.settings(repeat="one", muted=True)["repeat"] == "one"
    assert (api.player()["repeat"], api.player()["muted"]) == ("one", False)
    log.send({"type": "command", "id": 1, "command": "queue.clear"})
    log.wait_for("queue", lambda event: event["length"] == 0)
    assert api.player()["queue"]["length"] == 0
    mark = log.mark()
    kitchen.settings(leader=None)
    event = log.wait_for("queue", mark=mark)
    assert (event["change"]["kind"], event["length"]) == ("replaced", event["change"]["count"])
    assert kitchen.queue()["length"] == 0
    assert kitchen.settings(repeat="off")["repeat"] == "off" and api.player()["repeat"] == "one"


@pytest.mark.smoke
def test_every_pair_of_three_joins_and_leaves(server, api):
    """SPEC 310, by the server alone: any head, `main` too, and no pause between the groups."""
    for id in ("kitchen", "bath"):
        api.call("POST", "/players", json={"id": id})
    players = {id: Api(server.url, player=id) for id in ("kitchen", "bath")} | {"main": api}

    def leaders() -> dict:
        return {id: player["leader"] for id, player in ((id, client.player()) for id, client in players.items())}

    for head in players:
        for other in players:
            if other == head:
                continue
            players[other].settings(leader=head)
            assert players[head].player()["followers"] == [other] and leaders()[other] == head
            # The follower leads: the heads swap.
            players[head].settings(leader=other)
            assert leaders()[head] == other and leaders()[other] is None
            third = next(id for id in players if id not in (head, other))
            # To follow a follower is to follow its leader.
            assert players[third].settings(leader=head)["leader"] == other
            for id in (head, third):
                players[id].settings(leader=None)
            assert set(leaders().values()) == {None}
    for id, leader, status, code in [("bath", "bath", 422, "invalid"), ("bath", "nobody", 404, "unknown-player")]:
        assert api.refusal("PATCH", f"/players/{id}", json={"leader": leader}) == (status, code)


def test_leaving_and_remaining_players_keep_the_music(pair, server):
    """The queue comes along, also when the leader is removed."""
    api, kitchen = pair
    api.load("low.mp3", MEDIA, "long.mp3")
    api.settings(repeat="all")
    api.call("POST", "/player/play", json={"index": 1})
    kitchen.wait_status("playing")
    kitchen.settings(leader=None)
    assert kitchen.uris() == ["low.mp3", MEDIA, "long.mp3"] and kitchen.player()["queueIndex"] == 1
    kitchen.wait_status("playing")
    api.settings(leader="kitchen")
    eventually(lambda: api.player()["status"] == "playing", "in the group again")
    api.call("DELETE", "/players/kitchen")
    after = api.player()
    assert (after["leader"], after["queueIndex"], api.uris()) == (None, 1, ["low.mp3", MEDIA, "long.mp3"])
    api.wait_status("playing")


def test_leaders_swap_while_the_music_goes_on(pair, sides):
    """The sleep timer goes with the head: the music of a group ends when its timer says so."""
    api, kitchen = pair
    api.load("low.mp3", MEDIA, "low.mp3")
    api.settings(repeat="all")
    api.call("POST", "/player/play", json={"index": 1})
    wait_in_step(api)
    before = api.player()
    timer = api.call("POST", "/timers", json={"type": "sleep", "after": 25, "fade": 0})
    assert api.settings(leader="kitchen")["leader"] == "kitchen"
    [moved] = eventually(lambda: kitchen.call("GET", "/players/kitchen/timers")["timers"], "the kitchen has it")
    # A follower shows its leader's.
    assert moved["next"] == timer["next"] and api.call("GET", "/timers")["timers"] == [moved]
    head = kitchen.player()
    assert (head["leader"], head["followers"], head["repeat"], head["queueIndex"]) == (None, ["main"], "all", 1)
    assert [item["uri"] for item in kitchen.call("GET", "/queue")["items"]] == ["low.mp3", MEDIA, "low.mp3"]
    assert head["status"] == "playing" and before["position"] <= head["position"] < before["position"] + 5
    eventually(lambda: (offset := entry(api, "main")["offset"]) is not None and abs(offset) <= 0.002, "in step", timeout=20)
    assert api.player()["status"] == "playing"
    api.call("POST", "/player/pause")
    kitchen.wait_status("paused")
    api.call("POST", "/player/play")
    api.call("PATCH", f"/timers/{moved['id']}", json={"after": 0.5})
    eventually(lambda: kitchen.player()["reason"] == "sleep-timer", "it sleeps", 10)
    assert kitchen.call("GET", "/players/kitchen/timers")["timers"] == []


def test_the_level_of_a_group_moves_by_one_step(pair):
    api, kitchen = pair
    api.settings(level=0.9)
    kitchen.settings(level=0.5)
    assert kitchen.settings(groupLevelBy=0.3)["level"] == pytest.approx(0.6, abs=1e-4)
    assert api.player()["level"] == pytest.approx(1, abs=1e-4)
    assert api.request("PATCH", "/player", json={"groupLevelBy": 0.1, "levelBy": 0.1}).status_code == 422


def test_it_follows_after_a_crash(pair, sides, server):
    api, kitchen = pair
    api.load(MEDIA, play=True)
    wait_in_step(api)
    server.restart(kill=True)
    again, kitchen_again = Api(server.url), Api(server.url, player="kitchen")
    assert kitchen_again.player()["leader"] == "main"
    again.play()
    wait_in_step(again)
    wait_together(sides)


def lose_the_right_side(pair, sides, pulse) -> None:
    """The kitchen is silent: on the default output it would double main. Main is not disturbed."""
    api, kitchen = pair
    api.load(MEDIA, MEDIA, play=True)
    wait_in_step(api)
    pulse.unload(pulse.module("sink_name=right "))
    waiting = kitchen.wait_status("interrupted")
    assert waiting["reason"] == "route-lost" and waiting["playWhenReady"] and "right" in waiting["output"]["message"]
    sides.wait_seconds(0.5)
    start = sides.frames
    during(1, lambda: api.player()["status"] in ("playing", "buffering") and kitchen.player()["status"] == "interrupted", "main plays on")
    heard = sides.samples(start)
    assert heard[:, 0].any() and not heard[:, 1].any()


def test_a_kitchen_without_its_device_comes_back_in_step(pair, sides, pulse):
    lose_the_right_side(pair, sides, pulse)
    api, kitchen = pair
    # The leader's commands do not end the wait.
    api.pause()
    kitchen.wait_status("paused")
    api.play()
    kitchen.wait_status("interrupted")
    pulse.load("module-remap-sink sink_name=right master=spk channels=1 channel_map=mono "
               "master_channel_map=front-right remix=no")
    kitchen.wait_status("playing", timeout=15)
    wait_in_step(api)
    wait_together(sides)


def test_a_kitchen_without_its_device_plays_elsewhere_on_request(pair, sides, pulse):
    lose_the_right_side(pair, sides, pulse)
    api, kitchen = pair
    kitchen.choose("spk")
    kitchen.wait_status("playing", timeout=15)
    wait_in_step(api)


def test_it_is_silent_because_its_leader_is(pair):
    main, kitchen = pair
    main.load(MEDIA, play=True)
    wait_in_step(main)
    main.call("POST", "/session/interruptions", json={"type": "began"})
    main.wait_status("interrupted")
    assert kitchen.wait_status("paused")["reason"] == "leader"
    main.call("POST", "/session/interruptions", json={"type": "ended", "shouldResume": True})
    kitchen.wait_status("playing")


def test_two_players_start_at_one_time(sides, server, api):
    """SPEC rows 63 and 283: at the time, and within 5 ms of each other."""
    api.choose("left")
    api.call("POST", "/players", json={"id": "kitchen", "output": "right"})
    kitchen = Api(server.url, player="kitchen")
    for each in (api, kitchen):
        each.load(MEDIA)
    at = int(time.time() * 1000) + 3000
    begin = sides.frames
    for each in (api, kitchen):
        assert each.play(at=at)["status"] != "playing"
    for each in (api, kitchen):
        state = each.wait_status("playing", timeout=10)
        # By the sink's clock: when samples reach the recorder says how busy the machine is.
        assert abs(state["sampledAt"] - 1000 * state["position"] - at) < 15 * PATIENCE
    sides.wait_sound(begin, level=300)
    sides.wait_seconds(0.3)
    assert abs(apart(sides)) < 5
