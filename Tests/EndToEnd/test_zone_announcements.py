# SPDX-License-Identifier: Apache-2.0
"""Announcements and effects of several players: each in its own room, beside its own music."""

import time

import pytest

from rig import RATE, Api, Neighbour, during, eventually
from rig.sounds import BELL, LEVEL, MUSIC, TEXT, amplitude, first_heard, level_now, near

pytestmark = pytest.mark.usefixtures("capture", "sounds")


@pytest.fixture
def kitchen(server, api, headphones):
    """A player on the headphones; both play."""
    api.call("POST", "/players", json={"id": "kitchen", "output": "hp"})
    client = Api(server.url, player="kitchen")
    for player in (api, client):
        player.start("music.mp3")
    headphones.wait_sound()
    headphones.wait_seconds(0.4)
    return client


def under_way(api) -> list[dict]:
    return api.call("GET", "/players/kitchen/announcements")["announcements"]


def channel(server) -> str:
    return server.events_url.replace("/events", "/players/kitchen/events")


def test_a_zone_announces_to_itself(capture, headphones, server, api, kitchen, open_events):
    """On its own output, beside its own music, in its own channel; then all is as it was."""
    own, other = open_events(url=channel(server)), open_events()
    here, there = headphones.frames, capture.frames
    answer = api.request("POST", "/players/kitchen/announcements", json={"uri": "bell.mp3"})
    assert answer.status_code == 201, answer.text
    said = answer.json()
    assert said["output"] == "hp" and answer.headers["Location"] == f"/api/v1/players/kitchen/announcements/{said['id']}"
    assert api.call("GET", "/announcements") == {"announcements": [], "ended": []}
    eventually(lambda: not under_way(api), "it is over", timeout=10)
    headphones.wait_seconds(0.2)
    start = first_heard(headphones, BELL, here)
    both = headphones.samples()[start + RATE // 2:start + RATE]
    assert amplitude(both, MUSIC) < LEVEL * 0.11 and amplitude(both, BELL) > 0.1
    eventually(lambda: near(level_now(headphones, MUSIC), LEVEL, 0.5), "its music is back")
    eventually(lambda: near(level_now(capture, MUSIC), LEVEL, 0.5), "main's music plays on")
    assert first_heard(capture, BELL, there) is None
    kitchen.wait_status("playing")
    ended = own.wait_for("announcement", lambda event: event["type"] == "ended")
    assert ended["reason"] == "finished" and ended.message["player"] == "kitchen"
    assert not other.since(0, "announcement", "interruption")
    mine = api.call("GET", "/players/kitchen/announcements")["ended"][0]
    assert (mine["id"], mine["reason"]) == (said["id"], "finished")


def test_main_announces_to_its_own_room(capture, headphones, api, kitchen):
    here, there = headphones.frames, capture.frames
    # By either path.
    said = api.call("POST", "/players/main/announcements", json={"uri": "text.mp3", "music": "pause"})
    assert said["output"] == "spk" and [each["id"] for each in api.call("GET", "/announcements")["announcements"]] == [said["id"]]
    eventually(lambda: near(level_now(headphones, MUSIC), LEVEL, 0.5) and level_now(capture, MUSIC) < 0.001, "only main's music pauses")
    capture.wait_seconds(1)
    assert first_heard(capture, TEXT, there) is not None and first_heard(headphones, TEXT, here) is None
    api.call("DELETE", f"/players/main/announcements/{said['id']}")


def test_at_the_end_of_the_server_no_music_comes_up(capture, headphones, server, api, kitchen, open_events):
    """SIGTERM during announcements: what was silent for them stays so, and all is saved."""
    api.seek(position=20)
    own = open_events(url=channel(server))
    for path, members in (("/announcements", {"duck": -40}), ("/players/kitchen/announcements", {"music": "pause"})):
        api.call("POST", path, json={"uri": "text.mp3", **members})
    for recorder in (capture, headphones):
        eventually(lambda: level_now(recorder, MUSIC, 0.1) < LEVEL * 0.02, "its music is down")
    down = [(recorder, recorder.frames) for recorder in (capture, headphones)]
    asked = time.monotonic()
    positions = [client.player()["position"] for client in (api, kitchen)]
    assert server.stop(timeout=2) == 0
    since = time.monotonic() - asked
    assert own.wait_for("announcement", lambda event: event["type"] == "ended")["reason"] == "failed"
    for recorder, start in down:
        recorder.wait_silence(0.3)
        loudest = max(amplitude(recorder.samples(at, at + RATE // 20), MUSIC) for at in range(start, recorder.frames - RATE // 20, RATE // 40))
        assert loudest < LEVEL * 0.03, "the music came up for a moment"
    server.start()
    for id, position in zip(("main", "kitchen"), positions, strict=True):
        client = Api(server.url, player=id)
        assert position - 1.5 < client.player()["position"] < position + since + 0.2 and client.player()["status"] == "paused"


def test_effects_and_the_command_line_go_to_the_player(capture, headphones, cli, api, kitchen):
    here, there = headphones.frames, capture.frames
    for words in (("sfx", "bell.mp3"), ("announce", "text.mp3", "--music", "pause")):
        cli.output(*words, "--player", "kitchen")
    for pitch in (BELL, TEXT):
        eventually(lambda: first_heard(headphones, pitch, here) is not None, f"{pitch} Hz are heard", every=0.1)
    headphones.wait_seconds(0.5)
    assert first_heard(capture, BELL, there) is None and first_heard(capture, TEXT, there) is None
    assert len(under_way(api)) == 1 and api.call("GET", "/sfx")["effects"] == []
    assert 'tonearm_sound_effects_total{player="kitchen",reason="finished"}' in api.http.get("/metrics").text
    assert api.request("DELETE", "/players/kitchen/announcements/s99").status_code == 404


def test_a_player_removed_while_it_announces_takes_it_along(capture, headphones, pulse, server, api, kitchen, open_events):
    """Silence, the end is reported before the player's, no stream is left."""
    own = open_events(url=channel(server))
    said = api.call("POST", "/players/kitchen/announcements", json={"uri": "text.mp3", "music": "pause"})
    waits = api.call("POST", "/players/kitchen/announcements", json={"uri": "bell.mp3"})
    assert waits["state"] == "waiting"
    eventually(lambda: level_now(headphones, MUSIC, 0.1) < 0.001, "its music is silent")
    silent_from = headphones.frames
    api.call("DELETE", "/players/kitchen")
    assert own.wait_for("players", lambda event: event["change"] == "removed")
    eventually(lambda: {event["id"]: event["reason"] for event in own.since(0, "announcement") if event["type"] == "ended"}
               == {said["id"]: "cancelled", waits["id"]: "cancelled"}, "the end of both")
    headphones.wait_silence(0.3)
    assert first_heard(headphones, MUSIC, silent_from) is None, "its music came back for a moment"
    assert api.request("GET", "/players/kitchen/announcements").status_code == 404
    eventually(lambda: len(pulse.sink_inputs()) <= 1, "only main's stream is left", timeout=10)
    eventually(lambda: near(level_now(capture, MUSIC), LEVEL, 0.5), "main's music plays on")
    # One of the same name begins anew.
    api.call("POST", "/players", json={"id": "kitchen"})
    assert api.call("GET", "/players/kitchen/announcements") == {"announcements": [], "ended": []}


def test_voices_are_bounded_for_the_whole_server(capture, api, server):
    """24, however many players there are; then 429, but for an alarm."""
    zones = []
    for number in range(3):
        api.call("POST", "/players", json={"id": f"zone{number}"})
        zones.append(f"/players/zone{number}/sfx")
    for zone in zones:
        for _ in range(8):
            # A minute long: none is over before the last one sounds.
            api.call("POST", zone, json={"uri": "music.mp3", "volume": 0.01})
    refused = api.request("POST", "/sfx", json={"uri": "text.mp3"})
    assert refused.status_code == 429 and refused.json()["code"] == "too-many-announcements" and "Retry-After" in refused.headers
    assert api.request("POST", "/announcements", json={"uri": "bell.mp3"}).status_code == 429
    oldest = api.call("GET", zones[0])["effects"][0]["id"]
    alarm = api.call("POST", "/announcements", json={"uri": "bell.mp3", "priority": "high"})
    assert alarm["state"] == "playing"
    eventually(lambda: [(effect["id"], effect["reason"]) for effect in api.call("GET", zones[0])["ended"]] == [(oldest, "displaced")],
               "the oldest effect made room")
    for effect in api.call("GET", zones[0])["effects"]:
        api.call("DELETE", f"{zones[0]}/{effect['id']}")
    assert api.call("POST", "/sfx", json={"uri": "text.mp3"})["state"] == "playing"


def test_others_stay_ducked_while_an_announcement_pauses_the_music(capture, pulse, api):
    """The session is active while anything of ours sounds."""
    api.call("PATCH", "/session", json={"options": ["duck-others"]})
    with Neighbour(pulse, "music") as other:
        api.load("music.mp3", play=True)
        eventually(lambda: "46%" in other.stream(), "the other program is ducked")
        api.call("POST", "/announcements", json={"uri": "text.mp3", "music": "pause"})
        api.wait_status("interrupted")

        def ducked() -> bool:
            assert api.call("GET", "/session")["active"]
            assert "46%" in other.stream(), "it came up during the announcement"
            return True

        eventually(lambda: ducked() and api.player()["status"] == "playing", "the music is back", timeout=10, every=0.1)
        during(0.5, ducked, "it came up after the announcement")
        api.pause()
        eventually(lambda: "100%" in other.stream(), "its volume is as before")
        # An announcement alone: for as long as it sounds.
        api.call("POST", "/announcements", json={"uri": "text.mp3"})
        eventually(lambda: "46%" in other.stream(), "it is heard above it")
        eventually(lambda: "100%" in other.stream(), "its volume is as before", timeout=10)
        assert api.call("GET", "/session")["active"] is False


def test_one_that_cannot_be_played_is_refused_while_it_would_wait(capture, api):
    """Not when its turn comes."""
    api.call("POST", "/announcements", json={"uri": "text.mp3"})
    for uri, code in (("broken.mp3", (422, "unsupported")), ("nowhere.mp3", (404, "media-not-found"))):
        assert api.refusal("POST", "/announcements", json={"uri": uri}) == code
    assert api.call("POST", "/announcements", json={"uri": "bell.mp3"})["state"] == "waiting"
    assert [each["state"] for each in api.call("GET", "/announcements")["announcements"]] == ["playing", "waiting"]
