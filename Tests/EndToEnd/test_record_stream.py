# SPDX-License-Identifier: Apache-2.0
"""Saving a player's web stream as it arrives."""

import hashlib
import pathlib
import threading
import time
import urllib.request

import pytest

from rig import Api, EventLog, Icecast, Origin, Radio, eventually

pytestmark = pytest.mark.serve("--recordings", "{directory}/recordings")
KBPS_192 = 24000
PATH = "/player/record-stream"


@pytest.fixture
def folder(directory) -> pathlib.Path:
    return directory / "recordings"


@pytest.fixture
def radio(media) -> Radio:
    return Radio(media.path("long.mp3").read_bytes(), KBPS_192)


def tune_in(api, address: str) -> None:
    api.start(address, timeout=10)


def status(api) -> dict:
    return api.call("GET", PATH)


def start(api, **settings) -> str:
    return api.call("POST", PATH, json=settings)["id"]


def recorded(api, size: int) -> dict:
    """Until that many bytes are in the file."""
    return eventually(lambda: (state := status(api)) and (state["bytes"] or 0) >= size and state, f"{size} bytes", timeout=20)


def ended(api) -> dict:
    return eventually(lambda: (state := status(api))["state"] == "idle" and state["last"], "it has ended", timeout=20)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def assert_sent(part: bytes, content: bytes) -> None:
    """These bytes in a row are what the station sends, over and over."""
    whole = content * (len(part) // len(content) + 2)
    at = whole.find(part[:4096])
    assert at >= 0, "it begins with something that was never sent"
    assert digest(part) == digest(whole[at : at + len(part)])


def test_a_station_is_saved_without_its_titles(api, folder, radio, open_events):
    """Row 238: the bytes that it sent, minus ICY; listed, downloaded and deleted as any recording."""
    log = open_events("events=recording")
    tune_in(api, f"{radio.url}/live")
    identifier = start(api, name="radio")
    assert identifier == "radio.mp3" and start(api) == identifier
    recorded(api, 5 * KBPS_192)
    radio.titles.append((0, "Another one"))
    recorded(api, 8 * KBPS_192)
    assert api.request("DELETE", f"/recordings/{identifier}").status_code in (404, 409)
    last = api.call("DELETE", PATH)["last"]
    assert last["successfully"] and last["reason"] == "user" and last["gaps"] == 0 and last["message"] is None
    content = (folder / identifier).read_bytes()
    assert len(content) == last["bytes"] >= 8 * KBPS_192
    assert_sent(content, radio.content)
    assert api.player()["status"] == "playing"
    (entry,) = api.call("GET", "/recordings")["recordings"]
    assert entry["id"] == identifier and entry["format"] == "mp3" and entry["size"] == len(content)
    assert api.request("GET", f"/recordings/{identifier}/file").content == content
    told = eventually(lambda: [event.data["stream"] for event in log.since(0, "recording") if event.data["stream"]["last"]], "told")
    assert told[-1]["last"]["id"] == identifier and told[-1]["state"] == "idle"
    assert api.request("DELETE", f"/recordings/{identifier}").status_code == 204
    assert api.request("DELETE", PATH).json()["code"] == "not-recording"


def test_icecast_is_saved(api, media, directory, folder):
    """The real server, and another listener to compare with."""
    station = Icecast(directory / "icecast")
    station.feed(media.path("long.mp3"))

    heard, over = bytearray(), threading.Event()

    def follow() -> None:
        with urllib.request.urlopen(station.url, timeout=5) as answer:
            while not over.is_set():
                heard.extend(answer.read(1024))

    other = threading.Thread(target=follow)
    other.start()
    try:
        eventually(lambda: len(heard) > 1024, "the other one hears it", 10)
        tune_in(api, station.url)
        identifier = start(api)
        recorded(api, 100_000)
        last = api.call("DELETE", PATH)["last"]
        assert last["successfully"]
        content = (folder / identifier).read_bytes()
        eventually(lambda: content[-1024:] in bytes(heard), "the other one is as far", 15)
    finally:
        over.set()
        other.join()
    at = bytes(heard).find(content[:4096])
    assert at >= 0 and digest(content) == digest(bytes(heard[at : at + len(content)]))


def test_leaving_the_station_ends_it(api, folder, radio, media):
    """A pause leaves it; another item, an empty queue, and a session that plays nothing (row 146), too."""
    for leave, reason in (
        (lambda: api.pause(), "left"), (lambda: api.load("long.mp3", play=True), "item"), (lambda: api.call("DELETE", "/queue"), "item"),
        (lambda: api.call("PATCH", "/session", json={"category": "audio-processing"}), "left"),
    ):
        tune_in(api, f"{radio.url}/live")
        identifier = start(api)
        recorded(api, KBPS_192)
        leave()
        last = ended(api)
        assert last["reason"] == reason and last["successfully"], last
        content = (folder / identifier).read_bytes()
        assert len(content) == last["bytes"]
        assert_sent(content, radio.content)


@pytest.mark.headphones
def test_a_station_that_is_joined_anew_goes_on_in_the_same_file(pulse, api, folder, radio):
    """Another output, or an announcement that pauses the music: the same item, one file, each time a gap."""
    tune_in(api, f"{radio.url}/live")
    identifier = start(api)
    recorded(api, KBPS_192)
    api.call("PUT", "/outputs/current", json={"id": "hp"})
    first = eventually(lambda: (state := status(api))["gaps"] == 1 and state, "the gap of the other output", timeout=20)
    recorded(api, first["bytes"] + KBPS_192)
    api.wait_status("playing", timeout=10)
    connections = len(radio.log())
    api.call("POST", "/announcements", json={"uri": "short-0.mp3"})
    eventually(lambda: not api.call("GET", "/announcements")["announcements"], "the announcement is over")
    assert len(radio.log()) == connections, "a ducked station keeps its connection"
    api.call("POST", "/announcements", json={"uri": "short-0.mp3", "music": "pause"})
    second = eventually(lambda: (state := status(api))["gaps"] == 2 and state, "the gap of the announcement", timeout=30)
    recorded(api, second["bytes"] + KBPS_192)
    assert status(api)["id"] == identifier and api.wait_status("playing", timeout=10)
    last = api.call("DELETE", PATH)["last"]
    assert last["gaps"] == 2 and last["reason"] == "user" and not last["successfully"] and "2 times" in last["message"]
    content = (folder / identifier).read_bytes()
    assert len(content) == last["bytes"]
    assert_sent(content[: KBPS_192], radio.content)
    assert_sent(content[-KBPS_192:], radio.content)


@pytest.mark.headphones
def test_a_file_that_is_asked_for_once_more_is_saved_whole(pulse, api, folder, media):
    """A server without ranges, and another output: from the byte on that was the last one."""
    origin = Origin()
    content = media.path("long.mp3").read_bytes()[:1_200_000]
    origin.serve("/a.mp3", content, content_type="audio/mpeg", ranges=False, rate=100_000)
    tune_in(api, f"{origin.url}/a.mp3")
    identifier = start(api)
    recorded(api, 300_000)
    api.call("PUT", "/outputs/current", json={"id": "hp"})
    eventually(lambda: len(origin.requests) >= 2, "it is asked for once more", timeout=20)
    origin.paths["/a.mp3"].rate = 0
    last = ended(api)
    assert last["reason"] == "end" and last["successfully"] and last["gaps"] == 0, last
    assert digest((folder / identifier).read_bytes()) == digest(content)


def test_a_file_is_saved_whole(api, folder, media):
    """While it is loaded: the SHA-256 of the origin's, from its first byte, and over a seek within what is there."""
    origin = Origin()
    content = media.path("long.mp3").read_bytes()[:1_500_000]
    origin.serve("/a.mp3", content, content_type="audio/mpeg", rate=60_000)
    api.start(f"{origin.url}/a.mp3", timeout=20)
    identifier = start(api)
    assert status(api)["size"] == len(content)
    api.seek(position=1)
    origin.paths["/a.mp3"].rate = 0
    origin.cut()
    last = ended(api)
    assert last["reason"] == "end" and last["successfully"] and last["gaps"] == 0
    assert digest((folder / identifier).read_bytes()) == digest(content)


def test_a_killed_process_leaves_what_was_saved(server, api, folder, radio):
    tune_in(api, f"{radio.url}/live")
    start(api, name="radio")
    size = recorded(api, 3 * KBPS_192)["bytes"]
    server.kill()
    again = Api(server.start().url)
    (entry,) = again.call("GET", "/recordings")["recordings"]
    assert entry["id"] == "radio-recovered.mp3" and entry["recovered"] and entry["size"] >= size
    assert_sent((folder / entry["id"]).read_bytes(), radio.content)


def test_the_end_of_the_server_completes_the_file(server, api, folder, radio):
    tune_in(api, f"{radio.url}/live")
    start(api, name="radio")
    recorded(api, KBPS_192)
    assert server.stop() == 0
    assert [path.name for path in folder.iterdir()] == ["radio.mp3"]
    assert_sent((folder / "radio.mp3").read_bytes(), radio.content)


def test_a_full_disk_ends_it_and_the_music_goes_on(start_server, small_disk, radio, contract):
    """A file system of 1 MB: told, with what there was room for; nothing is missing in what is heard."""
    folder = small_disk("1m")
    server = start_server(arguments=("--recordings", str(folder)))
    api = Api(server.url)
    # As much as 40 s in advance.
    radio.burst = 40 * KBPS_192
    radio.began = time.monotonic() - 60
    tune_in(api, f"{radio.url}/live")
    log = EventLog(server.events_url, "events=status", contract)
    log.wait_for("snapshot")
    identifier = start(api)
    last = eventually(lambda: status(api)["last"], "it has ended", timeout=60)
    assert last["reason"] == "disk-full" and not last["successfully"] and last["message"]
    content = (folder / identifier).read_bytes()
    assert len(content) == last["bytes"] > 900_000
    assert_sent(content, radio.content)
    assert api.player()["status"] == "playing"
    assert not log.ran_dry()
    server.stop()


def test_limits_end_it(api, folder, radio, open_events):
    """Exactly so many bytes, or as soon as the time is over; the state tells the limits, the event which one it was."""
    log = open_events("events=recording")
    tune_in(api, f"{radio.url}/live")
    for wrong in ({"maxBytes": 0}, {"maxBytes": 1.5}, {"maxBytes": 10**12 + 1}, {"maxDuration": 0.5}, {"maxDuration": 604_801}):
        assert api.request("POST", PATH, json=wrong).status_code == 422, wrong
    start(api, name="large", maxBytes=100_001, maxDuration=600)
    state = status(api)
    assert (state["maxBytes"], state["maxDuration"]) == (100_001, 600)
    last = ended(api)
    assert last["reason"] == "size-limit" and last["successfully"] and last["bytes"] == 100_001 and last["message"] is None
    content = (folder / "large.mp3").read_bytes()
    assert len(content) == 100_001
    assert_sent(content, radio.content)
    begun = time.monotonic()
    start(api, name="long", maxDuration=1)
    last = ended(api)
    assert last["reason"] == "time-limit" and last["successfully"] and time.monotonic() - begun >= 1
    assert status(api)["maxDuration"] is None
    told = eventually(lambda: [event.data["stream"]["last"]["reason"] for event in log.since(0, "recording")
                               if event.data["stream"]["state"] == "idle" and event.data["stream"]["last"]][1:], "both ends are reported")
    assert told == ["time-limit"]
    assert api.player()["status"] == "playing"


def test_change_that_cannot_be_saved_is_refused(api, radio, start_server, media):
    def refused(code: str) -> None:
        assert api.refusal("POST", PATH) == (409, code)

    refused("nothing-to-save")
    api.start("long.mp3")
    refused("nothing-to-save")
    # It has not been played: nothing of it is there.
    assert status(api)["state"] == "idle" and status(api)["last"] is None
    assert api.request("POST", PATH, json={"name": "../x"}).status_code == 422
    plain = Api(start_server().url)
    assert plain.call("GET", PATH)["state"] == "disabled"
    assert plain.request("POST", PATH).json()["code"] == "recording-disabled"


def test_each_player_has_its_own(server, api, folder, radio, open_events):
    """And the end of a removed one is reported in its own channel."""
    api.call("POST", "/players", json={"id": "kitchen"})
    log = open_events("events=recording", url=server.events_url.replace("/events", "/players/kitchen/events"))
    api.call("PUT", "/players/kitchen/queue", json={"items": [{"uri": f"{radio.url}/live"}], "play": True})
    eventually(lambda: api.call("GET", "/players/kitchen")["status"] == "playing", "it plays", 10)
    identifier = api.call("POST", "/players/kitchen/record-stream")["id"]
    assert status(api)["state"] == "idle"
    eventually(lambda: api.call("GET", "/players/kitchen/record-stream")["bytes"] > KBPS_192, "some of it", 10)
    assert api.request("DELETE", "/players/kitchen").status_code == 204
    assert_sent((folder / identifier).read_bytes(), radio.content)
    last = eventually(lambda: [event.data["stream"]["last"] for event in log.since(0, "recording") if event.data["stream"]["last"]], "told")[-1]
    assert last["reason"] == "player" and last["successfully"] and last["id"] == identifier
