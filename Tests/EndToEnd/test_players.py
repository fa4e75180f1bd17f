# SPDX-License-Identifier: Apache-2.0
"""Several players: each with a queue, settings, an output, state and events of its own, and one session for all."""

import concurrent.futures
import contextlib
import json
import shutil
import time

import httpx
import pytest
import websockets

from rig import RATE, Api, CommandLine, EventLog, Neighbour, during, eventually
from rig.access import ADMIN, CONTROL, READ
from rig.signals import dominant_frequency, largest_difference


@pytest.fixture
def player(server):
    """Makes players and gives a client of each."""
    main = Api(server.url)

    def make(id: str | None = None, **members) -> Api:
        if id is not None:
            members["id"] = id
        entry = main.call("POST", "/players", json=members)
        return Api(server.url, player=entry["id"])

    return make


def listed(api) -> dict[str, dict]:
    return {entry["id"]: entry for entry in api.call("GET", "/players")["players"]}


def channel(server, player: str) -> str:
    return server.events_url.replace("/events", f"/players/{player}/events")


def test_all_players_on_one_channel(server, api, player, open_events):
    """SPEC 318: 16 players on one socket, each with its snapshot, also one that comes later; numbers rise over all."""
    others = [player(f"p{number}") for number in range(14)]
    log = open_events("players=all&interval=60")
    last = player("p14")
    ids = {"main", *(f"p{number}" for number in range(15))}
    eventually(lambda: {event.message["player"] for event in log.since(0, "snapshot")} == ids, "16 snapshots")
    for id in ids:
        assert [event.type for event in log.since() if event.message["player"] == id][:2] == ["hello", "snapshot"]
    greetings = {event.message["player"]: event.message["seq"] for event in log.since(0, "hello")}
    assert greetings["p14"] >= greetings["main"] >= 14, "a new player begins where the server's numbers are"
    mark = log.mark()
    clients = [api, *others, last]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for number in range(5):
            list(pool.map(lambda client: client.settings(level=number / 10), clients))
    eventually(lambda: len(log.since(mark, "settings")) == 5 * 16, "each change of each player")
    told = log.since(mark, "settings")
    for id in ids:
        assert [event["level"] for event in told if event.message["player"] == id] == [0, 0.1, 0.2, 0.3, 0.4]
    numbers = [event.message["seq"] for event in log.since(mark) if "seq" in event.message]
    assert numbers == sorted(set(numbers))
    # Events of the whole server come once.
    mark = log.mark()
    others[0].settings(name="Bath")
    log.wait_for("settings", mark=mark)
    log.wait_for("players", mark=mark)
    others[0].settings(name="Attic")
    log.wait_for("players", lambda event: event["name"] == "Attic", mark=mark)
    eventually(lambda: len(log.since(mark, "settings")) >= 2, "both changes of the player itself")
    assert [(event.message["player"], event["name"]) for event in log.since(mark, "players")] == [("main", "Bath"), ("main", "Attic")]
    # After a lost connection: what was missed of each player, and no snapshot of those that are named.
    epochs = {event.message["player"]: event["epoch"] for event in log.since(0, "hello")}
    latest = {event.message["player"]: event.message["seq"] for event in log.since() if "seq" in event.message}
    log.close()
    changed = [(others[1], 0.7), (api, 0.6), (others[0], 0.5), (api, 0.4), (others[1], 0.3)]
    for client, level in changed:
        client.settings(level=level)
    again = open_events("players=all&since=" + ",".join(f"{epochs[id]}:{latest[id]}" for id in ids))
    missed = eventually(lambda: len(found := again.since(0, "settings")) == len(changed) and found, "what was missed")
    assert [event["level"] for event in missed] == [level for _, level in changed] and not again.since(0, "snapshot", "resync")
    assert missed[0].message["player"] == "p1" and [event.message["seq"] for event in missed] == sorted(event.message["seq"] for event in missed)
    assert api.request("GET", "/events?players=some", headers={"Accept": "text/event-stream"}).status_code == 422


def test_a_leader_names_its_followers(server, api, player, open_events):
    """SPEC 318: in its snapshot, in a `settings` event when they change, on its own channel and on that of all."""
    player("kitchen")
    bath = player("bath")
    logs = [open_events(), open_events("players=all")]
    for log in logs:
        log.wait_for("snapshot", lambda event: event.message["player"] == "main" and event["player"]["followers"] == [])
    marks = [log.mark() for log in logs]
    for client, followers in ((Api(server.url, player="kitchen"), ["kitchen"]), (bath, ["bath", "kitchen"])):
        client.settings(leader="main")
        for log, mark in zip(logs, marks):
            log.wait_for("settings", lambda event: event.message["player"] == "main" and event["followers"] == followers, mark=mark)
        assert api.player()["followers"] == followers
    for change, followers in ((lambda: bath.settings(leader=None), ["kitchen"]), (lambda: api.call("DELETE", "/players/kitchen"), [])):
        marks = [log.mark() for log in logs]
        change()
        for log, mark in zip(logs, marks):
            log.wait_for("settings", lambda event: event.message["player"] == "main" and event["followers"] == followers, mark=mark)
        assert api.player()["followers"] == followers
    logs[1].wait_for("players", lambda event: event["change"] == "removed")
    mark = logs[1].mark()
    bath.settings(level=0.3)
    logs[1].wait_for("settings", lambda event: event.message["player"] == "bath", mark=mark)


# Listing


@pytest.mark.smoke
def test_players_are_made_listed_renamed_and_removed(server, api, player):
    """Issue 4, point 4."""
    answer = api.request("POST", "/players", json={"id": "kitchen", "name": "Küche"})
    assert answer.status_code == 201 and answer.headers["Location"] == "/api/v1/players/kitchen"
    assert answer.json()["name"] == "Küche" and answer.json()["output"] == "null"
    fresh = api.call("POST", "/players")["id"]
    assert list(listed(api)) == ["main", *sorted(["kitchen", fresh])]
    kitchen = Api(server.url, player="kitchen")
    assert kitchen.player()["id"] == "kitchen" and kitchen.player()["name"] == "Küche"
    assert kitchen.settings(name="Cuisine", volume=0.25)["name"] == "Cuisine"
    assert api.settings(name="Living room")["name"] == "Living room"
    entries = listed(api)
    assert (entries["kitchen"]["name"], entries["kitchen"]["volume"]) == ("Cuisine", 0.25)
    assert (entries["main"]["name"], entries["main"]["volume"]) == ("Living room", 1)
    assert api.request("DELETE", f"/players/{fresh}").status_code == 204
    assert fresh not in listed(api)
    assert api.request("GET", f"/players/{fresh}").json()["code"] == "unknown-player"


def test_main_stays_and_strangers_are_unknown(api, player):
    player("a")
    for path in ("/player", "/players/main"):
        assert api.refusal("DELETE", path) == (409, "main-player")
    for method, path in (("DELETE", "/players/b"), ("GET", "/players/b"), ("POST", "/players/b/play"), ("GET", "/players/b/queue"),
                         ("GET", "/players/"), ("GET", "/players/A"), ("PUT", "/players/b/outputs/current")):
        assert api.request(method, path).status_code == 404, (method, path)
    assert api.request("POST", "/players", json={"id": "a"}).json()["code"] == "player-exists"
    for path in ("/players/a/session", "/players/a/library", "/players/a/players", "/players/main/session", "/players/a/"):
        assert api.request("GET", path).status_code == 404, path


def test_there_are_sixteen_and_no_more_also_when_asked_for_all_at_once(server, api):
    """Bounded: a storm of requests makes fifteen beside main, whatever order they come in."""
    def add(number: int) -> int:
        return httpx.post(f"{server.url}/api/v1/players", json={"id": f"p{number}"}, timeout=60, trust_env=False).status_code

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(add, range(60)))
    assert statuses.count(201) == 15 and set(statuses) <= {201, 409, 503}, statuses
    assert len(listed(api)) == 16
    assert api.refusal("POST", "/players", json={"id": "one-more"}) == (409, "too-many-players")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        removed = list(pool.map(lambda id: httpx.delete(f"{server.url}/api/v1/players/{id}", timeout=60, trust_env=False).status_code,
                                [id for id in listed(api) if id != "main"] * 2))
    assert removed.count(204) == 15 and set(removed) <= {204, 404}, removed
    assert list(listed(api)) == ["main"]
    assert api.request("GET", "//healthz").status_code == 200


def test_a_name_that_is_given_again_is_another_player(server, api, player):
    """It begins empty; what was meant for the first one does not reach it."""
    first = player("a", name="First")
    first.load("low.mp3", "long.mp3")
    first.settings(volume=0.3, repeat="all")
    tag = first.request("GET", "/queue").headers["ETag"]
    key = {"Idempotency-Key": "same"}
    assert first.request("POST", "/queue/items", json={"items": [{"uri": "noise.mp3"}]}, headers=key).status_code == 201
    api.call("DELETE", "/players/a")
    second = player("a")
    snapshot = second.player()
    assert (snapshot["queue"]["length"], snapshot["volume"], snapshot["repeat"], snapshot["name"]) == (0, 1, "off", "a")
    assert second.request("GET", "/queue", headers={"If-None-Match": tag}).status_code == 200
    assert second.request("POST", "/queue/shuffle", headers={"If-Match": tag}).status_code == 412
    answer = second.request("POST", "/queue/items", json={"items": [{"uri": "noise.mp3"}]}, headers=key)
    assert answer.json()["code"] == "idempotency-key-reused" and second.player()["queue"]["length"] == 0
    assert not list((server.data / "players").glob(".*"))


# Each for itself


def test_players_have_queues_settings_and_positions_of_their_own(api, player):
    kitchen = player("kitchen")
    api.load("long.mp3")
    kitchen.load("low.mp3", "noise.mp3")
    kitchen.settings(volume=0.5, shuffle=True)
    api.play()
    kitchen.play(position=10)
    api.wait_status("playing")
    kitchen.wait_status("playing")
    assert api.player()["position"] < 9 < kitchen.player()["position"]
    assert (api.player()["volume"], api.player()["shuffle"]) == (1, False)
    assert api.uris() == ["long.mp3"] and kitchen.uris() == ["low.mp3", "noise.mp3"]
    api.pause()
    assert kitchen.player()["status"] == "playing"
    kitchen.call("DELETE", "/queue")
    assert api.uris() == ["long.mp3"] and api.player()["status"] == "paused"


def test_links_use_the_players_own_paths(api, player):
    kitchen = player("kitchen")
    answer = kitchen.request("POST", "/queue/items", json={"items": [{"uri": "tagged.mp3"}]})
    assert answer.headers["Location"] == f"/api/v1/players/kitchen/queue/items/{answer.json()['ids'][0]}"
    kitchen.play()
    item = eventually(lambda: (kitchen.player()["item"] or {}).get("artwork") and kitchen.player()["item"], "the item is open")
    assert item["artwork"] == f"/api/v1/players/kitchen/queue/items/{item['id']}/artwork"
    for path in (item["artwork"], answer.headers["Location"], f"/api/v1/players/kitchen/queue/items/{item['id']}/waveform"):
        assert api.http.get(path).status_code == 200, path
    # The same number is no item of main's queue.
    assert api.request("GET", f"/queue/items/{item['id']}/artwork").status_code == 404


def test_list_metrics_and_health_report_each(api, player):
    kitchen = player("kitchen")
    kitchen.start({"uri": "low.mp3", "title": "Low"})
    entry = listed(api)["kitchen"]
    assert (entry["status"], entry["title"], entry["uri"], entry["queueLength"]) == ("playing", "Low", "low.mp3", 1)
    assert listed(api)["main"]["title"] is None
    text = api.http.get("/metrics").text
    assert 'tonearm_player_status{player="kitchen",status="playing"} 1' in text
    assert 'tonearm_player_status{player="main",status="idle"} 1' in text
    assert 'tonearm_queue_items{player="kitchen"} 1' in text
    assert api.request("GET", "//healthz").status_code == 200


# Sound


def test_two_players_on_two_sinks_each_only_there(capture, headphones, pulse, api, player, media):
    """Rows 107, 148: multi-route, two sink inputs; song A in spk.monitor, song B in hp.monitor, each sample exact."""
    eventually(lambda: "multi-route" in api.call("GET", "/session")["available"]["categories"], "the outputs are there")
    api.call("PATCH", "/session", json={"category": "multi-route"})
    cue = player("cue", output="hp")
    assert listed(api)["cue"]["output"] == "hp"
    api.load("long.mp3")
    cue.load("noise.mp3")
    api.play()
    first = capture.wait_sound()
    assert headphones.first_sound() is None
    mark = headphones.frames
    cue.play()
    headphones.wait_sound(mark)
    assert sorted(pulse.stream_sinks()) == ["hp", "spk"]
    cue.wait_status("completed", timeout=10)
    capture.wait_seconds(0.5)
    api.pause()
    headphones.wait_silence()
    assert largest_difference(headphones.samples(mark), media.reference("noise.mp3"))[0] <= 1, "not the cue's song alone"
    seconds = 2 * RATE
    assert largest_difference(capture.samples(first), media.reference("long.mp3")[RATE // 2 : RATE // 2 + seconds])[0] <= 1


@pytest.mark.headphones
def test_the_loss_of_ones_sink_leaves_the_other_alone(capture, headphones, pulse, api, player, events):
    """The one on headphones pauses; the one on the speakers plays on."""
    cue = player("cue", output="hp")
    api.load("low.mp3")
    cue.load("long.mp3")
    api.play()
    cue.play()
    mark = capture.wait_sound()
    headphones.wait_sound()
    api.wait_status("playing")
    place = events.mark()
    capture.wait_seconds(0.5)
    pulse.unplug("hp")
    cue.wait_status("paused")
    capture.wait_seconds(1)
    api.wait_status("playing")
    # A late sound server is the machine's.
    assert all(event["status"] == "playing" or event["reason"] == "output-unavailable" for event in events.since(place, "status"))
    heard = capture.samples(mark + RATE // 5)[:, 0]
    assert abs(dominant_frequency(heard) - 220) < 1, "something else than main's tone was heard on the speakers"


@pytest.mark.serve("--interrupt-others", "on")
def test_players_are_no_neighbours_to_each_other(capture, headphones, pulse, server, api):
    """An exclusive session that may reach into other programs, and one that ducks: ours are not others."""
    api.call("POST", "/players", json={"id": "cue", "output": "hp"})
    cue = Api(server.url, player="cue")
    api.load("low.mp3")
    cue.load("low.mp3", play=True)
    headphones.wait_sound()
    api.play()
    mark = capture.wait_sound()
    during(0.7, lambda: not api.call("GET", "/session")["otherAudioPlaying"], "a player counts as another program")
    assert "Mute: yes" not in pulse.pactl("list", "sink-inputs")
    api.call("PATCH", "/session", json={"category": "playback", "options": ["duck-others"]})
    with Neighbour(pulse, "music", amplitude=0.25):
        eventually(lambda: api.call("GET", "/session")["otherAudioPlaying"], "the real one is seen")

        def volumes() -> list[bool]:
            blocks = pulse.pactl("list", "sink-inputs").split("Sink Input #")[1:]
            return [("Tonearm" in block, "-20.00 dB" in block) for block in blocks]

        eventually(lambda: (False, True) in volumes(), "the real one is ducked")
        assert (True, True) not in volumes()
    assert capture.first_sound(mark) is not None


def test_the_session_is_one_for_all(api, player):
    """Row 98: active while any of them plays; interruptions, a request to be inactive and the category concern all."""
    kitchen = player("kitchen")
    kitchen.start("low.mp3")
    eventually(lambda: api.call("GET", "/session")["active"], "the session is active for another player than main")
    api.start("low.mp3")
    api.call("POST", "/session/interruptions", json={"type": "began"})
    assert api.player()["status"] == kitchen.player()["status"] == "interrupted"
    api.call("POST", "/session/interruptions", json={"type": "ended", "shouldResume": True})
    api.wait_status("playing")
    kitchen.wait_status("playing")
    kitchen.pause()
    api.pause()
    eventually(lambda: not api.call("GET", "/session")["active"], "nobody wants sound")
    kitchen.play()
    kitchen.wait_status("playing")
    api.call("PATCH", "/session", json={"active": False})
    assert kitchen.wait_status("paused")["status"] == "paused"
    for client in (api, kitchen):
        client.play()
        client.wait_status("playing")
    api.call("PATCH", "/session", json={"category": "audio-processing"})
    for client in (api, kitchen):
        assert client.wait_status("paused")["reason"] == "session"
        assert client.request("POST", "/player/play").json()["code"] == "session-forbids"
        assert client.call("GET", "/session")["category"] == "audio-processing"


def test_a_player_made_during_an_interruption_is_interrupted(api, player):
    api.call("POST", "/session/interruptions", json={"type": "began"})
    late = player("late")
    late.settings(autoPlay=True)
    late.load("low.mp3")
    late.wait_status("interrupted")
    api.call("POST", "/session/interruptions", json={"type": "ended", "shouldResume": True})
    late.wait_status("playing")


def test_a_player_is_removed_while_it_plays(capture, headphones, pulse, server, api, player, open_events):
    """Its stream ends, its channel says so and closes; the other one plays on."""
    cue = player("cue", output="hp", name="Cue")
    main_channel = open_events()
    own_channel = open_events(url=channel(server, "cue"))
    api.load("low.mp3")
    cue.load("low.mp3")
    api.play()
    cue.play()
    capture.wait_sound()
    headphones.wait_sound()
    assert api.request("DELETE", "/players/cue").status_code == 204
    assert api.request("GET", "/players/cue").status_code == 404
    headphones.wait_silence(0.3)
    eventually(lambda: pulse.stream_sinks() == ["spk"], "its stream has gone")
    removed = own_channel.wait_for("players", lambda event: event["change"] == "removed")
    assert (removed["id"], removed["name"], removed.message["player"]) == ("cue", "Cue", "cue")
    assert own_channel.wait_status("stopped", "stopping")
    eventually(lambda: own_channel.close_code == 1001, "the channel is closed")
    told = main_channel.wait_for("players", lambda event: event["change"] == "removed")
    assert (told["id"], told.message["player"]) == ("cue", "main")
    api.wait_status("playing")


# Events


def test_a_players_events_come_as_a_stream_too(server, api, player):
    """Server-sent events. The stream ends when the player is removed."""
    player("kitchen")
    with httpx.stream("GET", f"{server.url}/api/v1/players/kitchen/events", headers={"Accept": "text/event-stream"}, timeout=20,
                      trust_env=False) as stream:
        frames = (json.loads(line[5:]) for line in stream.iter_lines() if line.startswith("data:"))
        assert next(frames)["player"] == "kitchen"
        api.call("DELETE", "/players/kitchen")
        last = list(frames)[-1]
    assert (last["type"], last["data"]["change"]) == ("players", "removed")


def test_commands_on_a_channel_go_to_its_player(server, api, player, open_events):
    kitchen = player("kitchen")
    log = open_events(url=channel(server, "kitchen"))
    for number, (command, data) in enumerate((("queue.add", {"items": [{"uri": "low.mp3"}]}), ("settings", {"volume": 0.3}),
                                              ("play", {}))):
        log.send({"type": "command", "id": number, "command": command, "data": data})
        reply = log.wait_for("reply", lambda event: event.message["id"] == number).message
        assert reply["status"] < 300, reply
    kitchen.wait_status("playing")
    assert kitchen.player()["volume"] == 0.3 and kitchen.uris() == ["low.mp3"]
    assert api.player()["volume"] == 1 and api.uris() == [] and api.player()["status"] == "idle"
    log.send({"type": "command", "id": "i", "command": "interruption", "data": {"type": "began"}})
    assert log.wait_for("reply", lambda event: event.message["id"] == "i").message["result"]["status"] == "interrupted"


# Persistence


def test_all_players_come_back_after_kill_9(server, api, player):
    kitchen, bath = player("kitchen", name="Küche"), player("bath")
    api.load("long.mp3")
    kitchen.load("low.mp3", "noise.mp3")
    kitchen.settings(volume=0.3)
    bath.settings(repeat="all")
    kitchen.play(position=5)
    kitchen.wait_status("playing")
    eventually(lambda: kitchen.player()["position"] > 6.5, "a second has been heard")
    asked = time.monotonic()
    position = kitchen.player()["position"]
    server.kill()
    since = time.monotonic() - asked
    server.start()
    api, kitchen, bath = (Api(server.url, player=id) for id in ("main", "kitchen", "bath"))
    assert list(listed(api)) == ["main", "bath", "kitchen"]
    snapshot = kitchen.player()
    assert (snapshot["status"], snapshot["name"], snapshot["volume"], snapshot["queue"]["length"]) == ("paused", "Küche", 0.3, 2)
    assert position - 1.2 <= snapshot["position"] <= position + since + 0.1
    assert api.uris() == ["long.mp3"] and bath.player()["repeat"] == "all"
    api.call("DELETE", "/players/bath")
    after = Api(server.restart(kill=True).url)
    assert list(listed(after)) == ["main", "kitchen"]


def test_kill_9_at_any_moment_leaves_whole_players(server, media):
    """Killed amid making and removing: what is there afterwards answers, plays, and nothing half is left."""
    for moment in (0.0, 0.01, 0.02, 0.04, 0.08, 0.15):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            def churn(id: str) -> None:
                with contextlib.suppress(httpx.HTTPError):
                    for _ in range(50):
                        httpx.post(f"{server.url}/api/v1/players", json={"id": id}, timeout=10, trust_env=False)
                        httpx.delete(f"{server.url}/api/v1/players/{id}", timeout=10, trust_env=False)

            jobs = [pool.submit(churn, id) for id in ("a", "b", "c", "d")]
            eventually(lambda: any((server.data / "players").glob("*")), "the first is made", timeout=30)
            time.sleep(moment)  # the moment itself is the subject
            server.kill()
            for job in jobs:
                job.result()
        server.start()
        api = Api(server.url)
        names = sorted(path.name for path in (server.data / "players").iterdir())
        assert names == sorted(set(listed(api)) - {"main"})
        for id in names:
            client = Api(server.url, player=id)
            assert client.load("low.mp3") and client.player()["queue"]["length"] == 1


def test_kill_9_during_a_swap_of_leaders_leaves_one_group(server, media):
    """The leader afterwards has the queue, and the other two follow."""
    ids, items = ["main", "kitchen", "bath"], ["low.mp3", "long.mp3", "chirp.mp3"]
    api = Api(server.url)
    for id in ids[1:]:
        api.call("POST", "/players", json={"id": id})
    api.load(*items)
    for id in ids[1:]:
        api.call("PATCH", f"/players/{id}", json={"leader": "main"})
    head = "main"
    for number in range(0, 24, 3):
        other = ids[(ids.index(head) + 1) % 3]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            def swap() -> None:
                with contextlib.suppress(httpx.HTTPError):
                    httpx.patch(f"{server.url}/api/v1/players/{head}", json={"leader": other}, timeout=10, trust_env=False)

            job = pool.submit(swap)
            time.sleep(0.002 * number)  # the moment itself is the subject
            server.kill()
            job.result()
        server.start()
        api = Api(server.url)
        def whole() -> bool:
            leaders = {id: entry["leader"] for id, entry in listed(api).items()}
            return list(leaders.values()).count(None) == 1 and len({leader for leader in leaders.values() if leader}) == 1

        eventually(whole, f"one group after {2 * number} ms: {[entry['leader'] for entry in listed(api).values()]}")
        head = next(id for id, entry in listed(api).items() if entry["leader"] is None)
        client = Api(server.url, player=head)
        assert client.uris() == items


def test_a_new_leader_is_answered_with_its_item(api, player):
    kitchen = player("kitchen")
    api.load("long.mp3", "low.mp3")
    kitchen.load("chirp.mp3", "low.mp3", "short-0.mp3", index=2)
    api.play()
    api.wait_status("playing")
    answer = kitchen.settings(leader="main")
    head = api.player()
    assert answer["item"]["id"] == head["item"]["id"] and answer["item"]["uri"] == "long.mp3"
    assert (answer["queueIndex"], answer["queue"]["length"], answer["status"]) == (0, 2, "playing")
    # The heads swap: the one that follows now plays on with the item of the other one.
    answer = api.settings(leader="kitchen")
    head = kitchen.player()
    assert answer["item"]["id"] == head["item"]["id"] and answer["queue"]["revision"] == head["queue"]["revision"]


def test_a_followers_command_is_answered_with_the_state_after_it(api, player):
    kitchen = player("kitchen")
    api.load("long.mp3", "low.mp3", play=True)
    api.wait_status("playing")
    kitchen.settings(leader="main")
    answer = kitchen.command("next")
    assert (answer["item"]["uri"], answer["queueIndex"], answer["status"]) == ("low.mp3", 1, "playing")
    assert kitchen.pause()["status"] == "paused"
    answer = kitchen.play()
    assert (answer["status"], answer["playWhenReady"], answer["item"]["uri"]) == ("playing", True, "low.mp3")
    # A seek: once it is heard there.
    kitchen.command("previous")
    kitchen.wait_status("playing")
    for position in (30, 15, 0):
        answer = kitchen.seek(position=position)
        assert answer["status"] == "playing" and 0 <= answer["position"] - position < 0.5, answer
        here, there = kitchen.player(), api.player()
        between = (there["sampledAt"] - here["sampledAt"]) / 1000
        assert abs(there["position"] - between - here["position"]) < 0.25
    kitchen.pause()
    answer = kitchen.seek(position=20)
    assert (answer["status"], answer["position"]) == ("paused", 20)
    assert (api.player()["position"], kitchen.player()["position"]) == (20, 20)


def test_a_player_is_made_while_the_sound_server_hangs(pulse, server, api):
    outputs = api.call("GET", "/outputs")["outputs"]
    assert outputs
    pulse.freeze()
    try:
        times = []
        for id in ("kitchen", "bath", "attic"):
            began = time.monotonic()
            api.call("POST", "/players", json={"id": id})
            times.append(time.monotonic() - began)
        # A busy machine delays one of them, a wait for the sound server each.
        assert min(times) < 0.8, times
        kitchen = Api(server.url, player="kitchen")
        assert [output["id"] for output in kitchen.call("GET", "/outputs")["outputs"]] == [output["id"] for output in outputs]
    finally:
        pulse.thaw()


def test_a_damaged_player_is_set_aside_and_the_others_start(server, api, player):
    kitchen, bath = player("kitchen", name="Küche"), player("bath")
    kitchen.load("low.mp3")
    bath.load("low.mp3")
    server.stop()
    (server.data / "players" / "kitchen" / "state.sqlite").write_bytes(b"nonsense" * 1000)
    for name in ("state.sqlite-wal", "state.sqlite-shm"):
        (server.data / "players" / "kitchen" / name).unlink(missing_ok=True)
    shutil.rmtree(server.data / "players" / "bath")
    (server.data / "players" / "bath").write_text("no directory")
    (server.data / "players" / ".new-half").mkdir()
    (server.data / "players" / ".removed-half-1").mkdir()
    server.start()
    kitchen = Api(server.url, player="kitchen")
    assert kitchen.player()["queue"]["length"] == 0 and kitchen.player()["name"] == "Küche"
    assert list(listed(kitchen)) == ["main", "kitchen"]
    names = [path.name for path in (server.data / "players").iterdir()]
    assert sorted(names) == ["bath", "kitchen"]
    assert list((server.data / "players" / "kitchen").glob("state.sqlite.damaged-*"))


def test_all_fade_and_are_saved_within_two_seconds(capture, headphones, pulse, server, api, player):
    """SIGTERM, with more than one playing; at once, not one after the other."""
    players = [player(f"p{number}", output="hp") for number in range(6)]
    for client in [api, *players]:
        client.load("long.mp3")
        client.settings(volume=0.2)
        client.play()
    for client in [api, *players]:
        client.wait_status("playing")
    capture.wait_seconds(0.5)
    asked = time.monotonic()
    positions = [client.player()["position"] for client in players]
    assert server.stop(timeout=2) == 0
    since = time.monotonic() - asked
    server.start()
    for number, position in enumerate(positions):
        client = Api(server.url, player=f"p{number}")
        assert position - 1.2 < client.player()["position"] < position + since + 0.2 and client.player()["status"] == "paused"


# Cost, access, command line


def test_an_idle_player_costs_next_to_nothing(pulse, server, api, player):
    """No wake-ups; some hundred kilobytes, a handful of threads and descriptors."""
    player("warm")
    eventually(lambda: server.wake_ups() == (time.sleep(0.5), server.wake_ups())[1], "the server rests", timeout=20)
    memory, threads, descriptors = server.resident_bytes(), server.threads(), server.descriptors()
    for number in range(10):
        player(f"p{number}")
    eventually(lambda: server.wake_ups() == (time.sleep(1), server.wake_ups())[1], "nobody wakes up", timeout=30)
    each = (server.resident_bytes() - memory) / 10
    assert each < 1_500_000 and server.threads() - threads <= 40 and server.descriptors() - descriptors <= 160


def test_nothing_is_left_of_removed_players(pulse, server, api, player):
    """Threads, descriptors, files, connections to the sound server; and nothing that wakes up."""
    def cycle(count: int) -> None:
        for _ in range(count):
            client = player("guest")
            client.load("short-0.mp3", play=True)
            client.wait_status("playing", "completed")
            api.call("DELETE", "/players/guest")
            client.close()

    def clients() -> int:
        return len(pulse.pactl("list", "short", "clients").splitlines())

    cycle(20)
    connections, threads, descriptors = clients(), server.threads(), server.descriptors()
    # The allocator settles after some 60 players. A leak grows in every round.
    rounds: list[float] = []
    while len(rounds) < 5 and (not rounds or rounds[-1] >= 100_000):
        memory = server.resident_bytes()
        cycle(20)
        eventually(lambda: server.threads() <= threads and server.descriptors() <= descriptors, "all are given back")
        rounds.append((server.resident_bytes() - memory) / 20)
    assert rounds[-1] < 100_000, f"bytes left of each player, by round: {rounds}"
    eventually(lambda: clients() <= connections, "no connection is left")
    eventually(lambda: server.wake_ups() == (time.sleep(1), server.wake_ups())[1], "nobody wakes up", timeout=30)
    assert not list((server.data / "players").iterdir())


def test_scopes_hold_for_each_player(guarded):
    server = guarded()

    def status(method: str, path: str, token: str | None, **arguments) -> int:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.request(method, f"{server.url}/api/v1{path}", headers=headers, trust_env=False, **arguments).status_code

    read, control, token = READ, CONTROL, ADMIN
    assert status("POST", "/players", control, json={"id": "a"}) == 403
    assert status("POST", "/players", token, json={"id": "a"}) == 201
    # Without the scope `read` a client does not learn which players exist.
    assert [status("GET", f"/players/{id}", None) for id in ("a", "b")] == [401, 401]
    assert [status("GET", f"/players/{id}", read) for id in ("a", "b")] == [200, 404]
    assert status("GET", "/players", None) == 401 and status("GET", "/players", read) == 200
    assert status("POST", "/players/a/pause", read) == 403 and status("POST", "/players/a/pause", control) == 200
    for path in ("/announcements", "/sfx"):
        assert status("POST", path, read, json={"uri": "x"}) == status("DELETE", f"{path}/x", read) == 403
        assert status("GET", path, read) == 200
        assert status("POST", path, control, json={"uri": "x"}) == status("DELETE", f"{path}/x", control) == 404
    assert [status("GET", f"/players/{id}/events", None) for id in ("a", "b")] == [401, 401]
    with pytest.raises(websockets.InvalidStatus) as refusal:
        EventLog(channel(server, "a"))
    assert refusal.value.response.status_code == 401
    assert status("DELETE", "/players/a", control) == 403 and status("DELETE", "/players/a", token) == 204


def test_the_command_line_plays_and_saves_playlists_of_any_player(server, cli, api):
    """The queue of main stays as it is, and its items are in no saved list."""
    api.load("noise.mp3")
    cli.output("players", "add", "kitchen")
    kitchen, at_kitchen = Api(server.url, player="kitchen"), CommandLine(server, TONEARM_PLAYER="kitchen")
    kitchen.load("low.mp3", "chirp.mp3")
    before = api.player()["queue"]
    assert cli.output("playlists", "--save", "Evening", "--player", "kitchen").split() == ["p1", "Evening", "2"]
    kitchen.load("low.mp3")
    assert at_kitchen.output("playlists", "--save", "Evening", "--replace").split() == ["p1", "Evening", "1"]
    assert [entry["uri"] for entry in api.call("GET", "/playlists/p1")["items"]] == ["low.mp3"]
    kitchen.call("DELETE", "/queue")
    assert at_kitchen.output("playlists", "--play", "Evening").startswith("playing  ")
    assert kitchen.uris() == ["low.mp3"] and kitchen.player()["status"] == "playing"
    assert api.player()["queue"] == before and api.player()["status"] != "playing"
    for arguments in (("--play", "Evening"), ("--save", "Evening", "--replace")):
        assert "no player" in cli.refusal("playlists", *arguments, "--player", "bath")


def test_the_command_line_speaks_to_any_player(server, cli, api):
    assert cli.output("players", "add", "kitchen", "--name", "Küche").strip() == "kitchen"
    cli.output("add", "low.mp3", "--player", "kitchen")
    assert "playing" in cli.output("play", "--player", "kitchen")
    cli.output("volume", "30", "--player", "kitchen")
    assert "Küche" in cli.output("players") and cli.output("players", "--ids").split() == ["main", "kitchen"]
    assert json.loads(cli.output("players", "--json"))["players"][1]["level"] == pytest.approx(0.3)
    at_kitchen = CommandLine(server, TONEARM_PLAYER="kitchen")
    assert "30 %" in at_kitchen.output("status") and "100 %" in at_kitchen.output("status", "--player", "main")
    assert "no player" in cli.refusal("status", "--player", "bath")
    assert "is not a player id" in cli.refusal("status", "--player", "a/b", status=78)
    cli.output("players", "remove", "kitchen")
    assert list(listed(api)) == ["main"]
    assert "cannot be removed" in cli.refusal("players", "remove", "main")
