# SPDX-License-Identifier: Apache-2.0
"""Row 311: an item whose address is shown with `***` has a reference that plays it again and shows no secret."""

import pytest

from rig import Api, Media

SECRET = "s3cr3t-of-this-test"


@pytest.fixture
def address(origin, media: Media) -> str:
    origin.serve(f"/a.mp3?token={SECRET}&x=1", media.path("short-0.mp3").read_bytes())
    return f"{origin.url}/a.mp3?token={SECRET}&x=1"


def reference(api: Api) -> str:
    item = api.queue()["items"][0]
    assert item["uri"].endswith("?token=***&x=1") and SECRET not in item["reference"]
    assert api.call("GET", f"/queue/items/{item['id']}")["reference"] == item["reference"]
    return item["reference"]


def test_a_reference_plays_again_whatever_became_of_the_item(server, api, origin, address, events):
    api.load(address)
    given = reference(api)
    events.wait_for("item")
    assert api.call("GET", "/player")["item"]["reference"] == given
    # Neither the queue nor its history has the item any more.
    api.load("short-1.mp3")
    seen = str([event.data for event in events.since()])
    api = Api(server.restart(kill=True).url)
    before = len(origin.log(f"/a.mp3?token={SECRET}&x=1"))
    api.call("PUT", "/queue", json={"items": [{"uri": given, "title": "Again"}], "play": True})
    api.wait_status("playing", "completed")
    assert len(origin.log(f"/a.mp3?token={SECRET}&x=1")) > before
    assert reference(api) == given and api.queue()["items"][0]["title"] == "Again"
    assert "reference" not in api.call("POST", "/queue/items", json={"items": [{"uri": "short-1.mp3"}]})
    assert "reference" not in api.queue()["items"][1]
    assert given in seen and SECRET not in seen


def test_a_reference_keeps_request_headers(api, origin, media):
    origin.serve("/h.mp3", media.path("short-0.mp3").read_bytes())
    api.load({"uri": f"{origin.url}/h.mp3", "headers": {"X-Key": SECRET}})
    given = api.queue()["items"][0]["reference"]
    assert SECRET not in given
    api.load("short-1.mp3")
    api.call("PUT", "/queue", json={"items": [{"uri": given}], "play": True})
    api.wait_status("playing", "completed")
    assert origin.log("/h.mp3")[-1].headers["x-key"] == SECRET


def test_a_playlist_entry_has_a_reference(api, address):
    made = api.call("POST", "/playlists", json={"name": "Secret", "items": [{"uri": address}]})
    entry = api.call("GET", f"/playlists/{made['id']}")["items"][0]
    assert SECRET not in str(entry)
    api.load(entry["reference"])
    assert reference(api) == entry["reference"]


def test_a_made_up_reference_is_unknown(api):
    api.load("short-1.mp3")
    for text in ("sealed:", "sealed:AAAA", "sealed:" + "A" * 4_000, "sealed:é"):
        answer = api.request("POST", "/queue/items", json={"items": [{"uri": "short-1.mp3"}, {"uri": text}]})
        assert answer.status_code == 404 and answer.json()["code"] == "unknown-reference", text
        assert answer.json()["member"] == "items[1].uri"
        assert api.uris() == ["short-1.mp3"]


def test_another_server_opens_no_reference(start_server, api, address):
    api.load(address)
    other = Api(start_server().url)
    assert other.request("PUT", "/queue", json={"items": [{"uri": reference(api)}]}).status_code == 404


def test_announcements_and_effects_take_references(api, origin, address, media):
    api.load(address)
    given = reference(api)
    log = f"/a.mp3?token={SECRET}&x=1"
    for body in ({"uri": given}, {"parts": [given, "short-1.mp3"]}, {"items": [{"uri": given}]},
                 {"uri": "short-1.mp3", "chime": given}):
        before = len(origin.log(log))
        ended = api.call("POST", "/announcements", json={**body, "wait": True})
        assert ended["reason"] == "finished" and SECRET not in str(ended), body
        assert len(origin.log(log)) > before, body
    before = len(origin.log(log))
    assert SECRET not in str(api.call("POST", "/sfx", json={"uri": given})) and len(origin.log(log)) > before
    assert api.request("POST", "/announcements", json={"uri": "sealed:nonsense"}).json()["code"] == "unknown-reference"


def test_an_announcement_sends_the_headers_of_a_reference_to_its_server_only(api, origin, media):
    for path in ("/h.mp3", "/other.mp3"):
        origin.serve(path, media.path("short-0.mp3").read_bytes())
    api.load({"uri": f"{origin.url}/h.mp3", "headers": {"X-Key": SECRET}})
    given = api.queue()["items"][0]["reference"]
    api.call("POST", "/announcements", json={"uri": given, "chime": "short-1.mp3", "wait": True})
    assert origin.log("/h.mp3")[-1].headers["x-key"] == SECRET
    answer = api.request("POST", "/announcements", json={"parts": [given, f"{origin.url}/other.mp3"]})
    assert (answer.status_code, answer.json()["code"]) == (422, "mixed-parts")
    assert not origin.log("/other.mp3")


def test_an_announcement_takes_items_as_a_queue_does(api):
    made = api.call("POST", "/playlists", json={"name": "Chimes", "items": [{"uri": "short-0.mp3"}, {"uri": "short-1.mp3"}]})
    ended = api.call("POST", "/announcements", json={"items": [{"playlist": made["id"]}], "wait": True})
    assert ended["reason"] == "finished" and ended["parts"] == ["short-0.mp3", "short-1.mp3"]
    many = api.call("POST", "/playlists", json={"name": "Many", "items": [{"uri": "short-0.mp3"}] * 9})
    empty = api.call("POST", "/playlists", json={"name": "Empty", "items": []})
    for body, code in (
        ({"items": [{"playlist": many["id"]}]}, "too-many-parts"), ({"items": [{"playlist": empty["id"]}]}, "nothing-to-play"),
        ({"items": []}, "invalid"), ({"items": [{"uri": "short-0.mp3"}], "uri": "short-0.mp3"}, "invalid"),
        ({"items": [{"album": "nothing"}]}, "unknown-entry"),
    ):
        assert api.request("POST", "/announcements", json=body).json()["code"] == code, body


def test_an_alarm_takes_references(api, origin, address):
    import datetime
    import time

    api.load(address)
    given = reference(api)
    api.load("short-1.mp3")
    # In whole seconds; one that has begun is tomorrow's.
    at = datetime.datetime.fromtimestamp(time.time() + 4, datetime.timezone.utc).strftime("%H:%M:%S")
    timer = api.call("POST", "/timers", json={
        "type": "alarm", "time": at, "timeZone": "UTC", "ramp": 0, "items": [{"uri": given}], "fallback": given})
    assert SECRET not in str(timer) and timer["items"] == [{"uri": given}]
    api.wait_status("playing", "completed")
    assert reference(api) == given
    wrong = api.request("POST", "/timers", json={"type": "alarm", "time": at, "items": [{"uri": "sealed:nonsense"}]})
    assert (wrong.json()["code"], wrong.json()["member"]) == ("unknown-reference", "items[0].uri")
