# SPDX-License-Identifier: Apache-2.0
"""Sleep timers, alarms, starts at a time: what is heard when, and what survives (SPEC rows 63, 64, 281 to 283)."""

import datetime
import time

import numpy
import pytest

from rig import PATIENCE, Api, during, eventually
from rig.signals import write_wave


def now() -> int:
    return int(time.time() * 1000)


def timers(api) -> list[dict]:
    return api.call("GET", "/timers")["timers"]


def set_timer(api, **members) -> dict:
    return api.call("POST", "/timers", json=members)


def soon(seconds: float) -> str:
    """A time of day in UTC, in whole seconds, at least that far ahead."""
    at = datetime.datetime.fromtimestamp(time.time() + seconds + 1, datetime.timezone.utc)
    return at.strftime("%H:%M:%S")


def alarm(api, seconds: float = 2, **members) -> dict:
    return set_timer(api, type="alarm", time=soon(seconds), timeZone="UTC", ramp=0, **members)


def refused(api, path: str = "/timers", method: str = "POST", **members) -> tuple[int, str | None]:
    answer = api.request(method, path, json=members)
    return answer.status_code, answer.json().get("member")


def loudness(samples: numpy.ndarray) -> float:
    return float(numpy.sqrt(numpy.mean(samples.astype(float) ** 2)))


def test_sleep_fades_out_and_leaves_the_volume(written, api, events):
    """Row 281: silent at the time, within 0.5 s by the server's clock; the slider stays where it is."""
    api.start("long.mp3")
    level = api.player()["level"]
    asked = now()
    timer = set_timer(api, type="sleep", after=2.5, fade=1.5)
    assert timer["type"] == "sleep" and asked - 50 <= timer["next"] - 2500 <= now() + 50
    assert timers(api) == [timer]
    asleep = events.wait_status("paused")
    # A busy machine makes it late, never early.
    assert -500 < asleep.message["at"] - timer["next"] < 500 * PATIENCE and asleep["reason"] == "sleep-timer"
    assert api.player()["level"] == level
    eventually(lambda: timers(api) == [], "it is over")
    heard = written.samples()
    rate = 44100
    before, late = heard[-int(2.4 * rate):-int(2 * rate)], heard[-int(0.2 * rate):]
    assert loudness(late) < 0.2 * loudness(before)
    # As loud as ever with the next play.
    length = len(heard)
    api.play()
    eventually(lambda: len(written.samples()) > length + rate, "it plays on")
    assert loudness(written.samples()[length + rate // 10:]) > 0.3 * loudness(before)


def test_a_sleep_that_is_taken_back(api):
    api.start("long.mp3")
    timer = set_timer(api, type="sleep", after=2.5, fade=2)
    again = set_timer(api, type="sleep", until="end-of-item")
    assert [entry["id"] for entry in timers(api)] == [again["id"]] and again["next"] is None
    assert api.request("DELETE", f"/timers/{timer['id']}").status_code == 404
    assert api.request("DELETE", f"/timers/{again['id']}").status_code == 204
    during(max(0, timer["next"] - now()) / 1000 + 0.4, lambda: api.player()["status"] in ("playing", "buffering"), "it plays on")


def test_sleep_at_the_end_of_the_item(api):
    api.load("noise.mp3", "long.mp3", play=True)
    set_timer(api, type="sleep", until="end-of-item")
    eventually(lambda: api.player()["status"] == "paused", "it sleeps", timeout=20)
    state = api.player()
    assert state["reason"] == "sleep-timer" and state["item"]["uri"] == "long.mp3" and state["position"] < 0.05


def test_an_alarm_goes_off_at_its_time(api, events, cli):
    made = api.call("POST", "/playlists", json={"name": "Morning", "items": [{"uri": "long.mp3"}, {"uri": "short-0.mp3"}]})
    timer = alarm(api, items=[{"playlist": made["id"]}], level=0.3)
    assert timer["state"] == "waiting" and timer["days"] == [] and timer["next"] % 1000 == 0
    eventually(lambda: api.player()["status"] == "playing", "it plays", timeout=10)
    began = events.wait_for("timers", lambda event: event["timers"][0]["state"] == "ringing")
    assert 0 <= began.message["at"] - timer["next"] < 200 * PATIENCE
    state = api.player()
    assert state["item"]["uri"] == "long.mp3" and abs(state["level"] - 0.3) < 0.001
    assert api.uris() == ["long.mp3", "short-0.mp3"] and state["item"]["source"]["name"] == "Morning"
    eventually(lambda: timers(api)[0]["last"] == {"at": timer["next"], "result": "played"}, "it counts as played")
    [ringing] = timers(api)
    assert ringing["state"] == "ringing"
    assert not ringing["enabled"] and ringing["next"] is None and "\nalarm     ringing\n" in cli.output("status")
    # Put off, it sounds again; then it is ended.
    mark, asked = events.mark(), now()
    snoozed = api.call("POST", f"/timers/{timer['id']}/snooze", json={"seconds": 1})
    assert snoozed["state"] == "snoozed" and asked - 50 <= snoozed["next"] - 1000 <= now() + 50
    silent = events.wait_status("paused", mark=mark)
    events.wait_for("status", lambda event: event["status"] == "playing" and event.message["seq"] > silent.message["seq"], 10, mark)
    api.pause()
    eventually(lambda: timers(api)[0]["state"] == "waiting", "it is over")
    assert refused(api, f"/timers/{timer['id']}/snooze")[0] == 409


def test_the_list_of_an_alarm_is_asked_for_with_its_headers(api, origin):
    origin.serve("/mine.m3u", f"{origin.url}/a.mp3\n".encode(), content_type="audio/x-mpegurl")
    timer = alarm(api, items=[{"list": f"{origin.url}/mine.m3u", "headers": {"X-Key": "1"}}], fallback="long.mp3")
    assert timer["items"] == [{"list": f"{origin.url}/mine.m3u"}], "the headers are secret"
    eventually(lambda: len(origin.log("/mine.m3u")) > 1, "it goes off", timeout=10)
    assert [request.headers.get("x-key") for request in origin.log("/mine.m3u")] == ["1"] * len(origin.log("/mine.m3u"))


def test_an_alarm_shorter_than_its_rise_gets_loud_all_the_same(written, api, media):
    api.settings(consume=True)
    tone = 0.5 * numpy.sin(2 * numpy.pi * 441 * numpy.arange(44100) / 44100)
    write_wave(media.root / "bell.wav", numpy.column_stack([tone, tone]))
    set_timer(api, type="alarm", time=soon(2), timeZone="UTC", ramp=4, level=1, items=[{"uri": "bell.wav"}])
    eventually(lambda: len(written.samples()) > 5.5 * 44100, "it sounds again", timeout=20)
    heard = numpy.abs(written.samples().astype(float) / 32768)
    assert heard[:44100].max() < 0.2 and 0.45 < heard[-22050:].max() < 0.51
    assert timers(api)[0]["state"] == "ringing" and api.call("GET", "/queue")["length"] == 1
    api.pause()
    eventually(lambda: timers(api)[0]["state"] == "waiting", "it is over")
    during(1.5, lambda: api.player()["status"] == "paused", "it stays silent")


@pytest.mark.parametrize("items", [[{"uri": "bell.wav"}], []], ids=["items", "queue"])
def test_quiet_music_is_not_heard_at_the_level_of_an_alarm(written, api, media, items):
    """It is silent before the level changes; without other items it rises to the level."""
    tone = 0.5 * numpy.sin(2 * numpy.pi * 441 * numpy.arange(441000) / 44100)
    write_wave(media.root / "bell.wav", numpy.column_stack([tone, tone]))
    api.settings(volume=0.01, repeat="one")
    api.start("bell.wav")
    set_timer(api, type="alarm", time=soon(2), timeZone="UTC", ramp=200, level=1, items=items)
    eventually(lambda: timers(api)[0]["state"] == "ringing", "it rings")
    assert api.player()["level"] == 1
    length = len(written.samples())
    eventually(lambda: len(written.samples()) > length + 44100, "a second of it")
    assert numpy.abs(written.samples().astype(float) / 32768).max() < 0.05


def test_an_alarm_of_a_missing_file_is_refused(api):
    for members, member in [({"items": [{"uri": "long.mp3"}, {"uri": "missing.mp3"}]}, "items[1].uri"),
                            ({"items": [{"folder": "missing"}]}, "items[0].folder"), ({"items": [{"playlist": "p99"}]}, "items[0].playlist"),
                            ({"items": [{"uri": "long.mp3"}], "fallback": "missing.mp3"}, "fallback")]:
        assert refused(api, type="alarm", time="07:00", **members) == (404, member)
        if "fallback" not in members:
            assert refused(api, "/queue/items", **members) == (404, member)
    assert timers(api) == []
    timer = set_timer(api, type="alarm", time="07:00", items=[{"uri": "long.mp3"}, {"folder": ""}], fallback="http://127.0.0.1:9/x.mp3")
    assert refused(api, f"/timers/{timer['id']}", "PATCH", items=[{"uri": "missing.mp3"}]) == (404, "items[0].uri")
    assert timers(api) == [timer]


def test_an_alarm_without_its_source_sounds_all_the_same(api, origin, media):
    """A server that is not there, and no fallback; a file that is not there any more, and one."""
    api.load("long.mp3")
    alarm(api, items=[{"uri": "http://127.0.0.1:9/gone.mp3"}])
    eventually(lambda: timers(api)[0]["last"] is not None and timers(api)[0]["last"]["result"] == "tone", "the tone",
               timeout=30)
    assert api.player()["status"] == "playing" and api.player()["item"]["uri"] == "tonearm:alarm"
    api.call("DELETE", f"/timers/{timers(api)[0]['id']}")
    eventually(lambda: not api.player()["playWhenReady"], "it is silent")
    eventually(lambda: api.uris() == ["http://127.0.0.1:9/gone.mp3"], "the tone is not in the queue any more")
    lost = media.root / "lost.mp3"
    lost.write_bytes(media.path("short-0.mp3").read_bytes())
    alarm(api, items=[{"uri": "lost.mp3"}], fallback="short-0.mp3")
    lost.unlink()
    eventually(lambda: timers(api)[0]["last"] is not None and timers(api)[0]["last"]["result"] == "fallback",
               "the fallback", timeout=30)
    assert api.player()["item"]["uri"] == "short-0.mp3"


def test_timers_survive_a_kill(server, api, media):
    api.load("long.mp3")
    kept = [alarm(api, 3, items=[{"uri": "long.mp3"}], level=0.2), set_timer(api, type="sleep", after=3600),
            set_timer(api, type="alarm", time="07:00", days=["mon", "sun"], timeZone="Europe/Berlin")]
    api = Api(server.restart(kill=True).url)
    # The others may have gone off already.
    assert timers(api)[-1] == kept[-1]
    eventually(lambda: api.player()["status"] == "playing", "the alarm goes off", timeout=15)
    # An alarm cancels the sleep timer.
    assert [timer["type"] for timer in timers(api)] == ["alarm", "alarm"]
    api = Api(server.restart(kill=True).url)
    eventually(lambda: api.player()["status"] == "playing", "it rings again", timeout=15)


def test_each_player_has_its_own(api):
    api.call("POST", "/players", json={"id": "kitchen"})
    timer = api.call("POST", "/players/kitchen/timers", json={"type": "sleep", "after": 60})
    assert timers(api) == [] and api.call("GET", "/players/kitchen/timers")["timers"] == [timer]
    api.call("DELETE", "/players/kitchen")
    api.call("POST", "/players", json={"id": "kitchen"})
    assert api.call("GET", "/players/kitchen/timers")["timers"] == []


def test_invalid_timers_are_refused(api):
    for members, member in [
            ({"type": "sleep"}, "after"), ({"type": "sleep", "after": -1}, "after"), ({"type": "sleep", "after": 1e300}, "after"),
            ({"type": "sleep", "after": 1, "until": "end-of-item"}, "until"), ({"type": "sleep", "until": "now"}, "until"),
            ({"type": "sleep", "after": 9, "fade": -1}, "fade"), ({"type": "nap"}, "type"), ({}, "type"),
            ({"type": "alarm"}, "time"), ({"type": "alarm", "time": "24:00"}, "time"), ({"type": "alarm", "time": "7:00"}, "time"),
            ({"type": "alarm", "time": "07:00", "days": ["monday"]}, "days"),
            ({"type": "alarm", "time": "07:00", "timeZone": "Mars/Base"}, "timeZone"),
            ({"type": "alarm", "time": "07:00", "level": 2}, "level"), ({"type": "alarm", "time": "07:00", "items": [{}]}, "items[0].uri"),
            ({"type": "alarm", "time": "07:00", "after": 1}, "after"),
            ({"type": "alarm", "time": "07:00", "output": 1}, "output"),
    ]:
        assert refused(api, **members) == (422, member)
    assert refused(api, type="alarm", time="07:00", output="nowhere") == (404, "output")
    for members in ({"items": [{"uri": "../x"}]}, {"fallback": "../x"}, {"items": [{"uri": "file:///etc/passwd"}]}, {"fallback": "file:///etc/passwd"}):
        assert refused(api, type="alarm", time="07:00", **members)[0] == 403
    api.load("long.mp3")
    for at in (now() - 1, 0, now() + 400 * 86_400_000, -1, 1e300):
        assert refused(api, "/player/play", at=at) == (422, "at")
    assert timers(api) == []


def test_prime_reports_the_prepared_amount(api, media):
    """Row 64: also where there is less than was asked for."""
    write_wave(media.root / "short.wav", numpy.full((1000, 2), 0.5))
    api.load("short.wav")
    # A busy machine starts a worker in more than the second of an answer.
    api.wait_status("ready", "paused")
    assert api.command("prime", seconds=1)["prepared"] == pytest.approx(1000 / 44100, abs=1e-6)
    api.load("long.mp3")
    api.wait_status("ready", "paused")
    assert 0.9 < api.command("prime", seconds=1)["prepared"] <= 1
    assert api.player()["status"] in ("ready", "paused")
    assert refused(api, "/player/prime", seconds=-1) == (422, "seconds")


def test_a_start_survives_a_kill(server, api):
    api.load("long.mp3")
    at = now() + 5000
    api.play(at=at)
    assert [(timer["type"], timer["at"], timer["next"]) for timer in timers(api)] == [("start", at, at)]
    api = Api(server.restart(kill=True).url)
    eventually(lambda: api.player()["status"] == "playing", "it plays", timeout=20)
    state = api.player()
    assert now() >= at and abs(state["position"] - (state["sampledAt"] - at) / 1000) < 0.05
    eventually(lambda: timers(api) == [], "it is over")


def test_a_start_that_waits_for_the_sound_server_survives_a_kill(server, api, pulse):
    """It is listed until it sounds."""
    api.load("long.mp3")
    pulse.kill()
    api.play(at=now() + 3000)
    eventually(lambda: api.player()["status"] == "interrupted", "it waits")
    assert [timer["type"] for timer in timers(api)] == ["start"]
    api = Api(server.restart(kill=True).url)
    eventually(lambda: api.player()["status"] == "interrupted", "it waits again")
    pulse.start()
    eventually(lambda: api.player()["status"] == "playing", "it plays", timeout=20)
    eventually(lambda: timers(api) == [], "it is over")


def test_a_start_that_waits_for_the_sound_server_can_be_removed(api, pulse):
    api.load("long.mp3")
    pulse.kill()
    at = now() + 3000
    api.play(at=at)
    # Before its time a removed start leaves the player as it was.
    eventually(lambda: now() > at and api.player()["status"] == "interrupted", "it waits")
    [timer] = timers(api)
    api.call("DELETE", f"/timers/{timer['id']}")
    eventually(lambda: api.player()["status"] == "paused", "it no longer waits")
    pulse.start()
    eventually(lambda: any(output["available"] for output in api.call("GET", "/outputs")["outputs"]), "the sound server is back")
    assert api.player()["status"] == "paused" and timers(api) == []


def test_a_follower_sets_and_shows_its_leaders_sleep_timer(server, api, open_events):
    """Ids are unique: its own alarm stands beside it."""
    api.call("POST", "/players", json={"id": "kitchen"})
    main, kitchen = "/timers", "/players/kitchen/timers"

    def listed(path: str) -> list[str]:
        return [timer["id"] for timer in api.call("GET", path)["timers"]]

    at_main = alarm(api, 3600)["id"]
    at_kitchen = api.call("POST", kitchen, json={"type": "alarm", "time": "06:00"})["id"]
    api.call("PATCH", "/players/kitchen", json={"leader": "main"})
    seen = open_events(url=f"ws://127.0.0.1:{server.port}/api/v1/players/kitchen/events")
    answer = api.request("POST", kitchen, json={"type": "sleep", "after": 60})
    sleep = answer.json()["id"]
    assert answer.status_code == 201 and answer.headers["Location"].endswith(f"{kitchen}/{sleep}")
    assert listed(main) == [at_main, sleep] and listed(kitchen) == [at_kitchen, sleep]
    assert len({at_main, at_kitchen, sleep}) == 3
    assert [one["id"] for one in seen.wait_for("timers").data["timers"]] == [at_kitchen, sleep]
    assert api.call("PATCH", f"{kitchen}/{sleep}", json={"after": 90})["after"] == 90
    assert api.call("GET", f"{main}/{sleep}")["after"] == 90
    # Not the leader's alarm.
    assert api.request("DELETE", f"{kitchen}/{at_main}").status_code == 404
    assert api.request("DELETE", f"{kitchen}/{sleep}").status_code == 204
    assert listed(main) == [at_main] and listed(kitchen) == [at_kitchen]
    set_timer(api, type="sleep", after=60)
    api.call("PATCH", "/players/kitchen", json={"leader": None})
    eventually(lambda: listed(kitchen) == [at_kitchen], "it shows its own again")
    api.call("PATCH", "/players/kitchen", json={"leader": "main"})
    api.load("long.mp3", play=True)
    api.wait_status("playing")
    api.call("POST", kitchen, json={"type": "sleep", "after": 0.5, "fade": 0})
    eventually(lambda: api.player()["reason"] == "sleep-timer", "the leader sleeps")
