# SPDX-License-Identifier: Apache-2.0
"""Row 311: an item whose address is shown with `***` has a reference that plays it again and shows no secret."""

import pytest

from rig import Api
from rig.media import Media

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


@pytest.mark.parametrize("text", ["sealed:", "sealed:AAAA", "sealed:" + "A" * 4_000, "sealed:é"])
def test_a_made_up_reference_is_unknown(api, text):
    api.load("short-1.mp3")
    answer = api.request("POST", "/queue/items", json={"items": [{"uri": "short-1.mp3"}, {"uri": text}]})
    assert answer.status_code == 404 and answer.json()["code"] == "unknown-reference"
    assert answer.json()["member"] == "items[1].uri"
    assert api.uris() == ["short-1.mp3"]


def test_another_server_opens_no_reference(start_server, api, address):
    api.load(address)
    other = Api(start_server().url)
    assert other.request("PUT", "/queue", json={"items": [{"uri": reference(api)}]}).status_code == 404
