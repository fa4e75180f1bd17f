# SPDX-License-Identifier: Apache-2.0
"""Row 256: what a server names may not be more private than the server itself; what a user names may."""

import pytest

from rig import Api, Origin
from rig.networks import Elsewhere

REASON = Elsewhere.reason_against()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))


class Places:
    """A server of each kind, and one on this machine."""

    def __init__(self, elsewhere: Elsewhere):
        self.public = elsewhere.origin(elsewhere.public)
        self.private = elsewhere.origin(elsewhere.private)
        self.link_local = elsewhere.origin(elsewhere.link_local)
        self.loopback = Origin()
        self.all = {"public": self.public, "private": self.private, "link_local": self.link_local, "loopback": self.loopback}


@pytest.fixture(scope="module")
def network():
    elsewhere = Elsewhere()
    yield elsewhere
    elsewhere.close()


@pytest.fixture
def places(network):
    places = Places(network)
    yield places
    for origin in places.all.values():
        origin.close()


def refusal(api, item: str | dict) -> str | None:
    """The code of the problem with which an address is not added, or not played; None when it is played."""
    answer = api.request("PUT", "/queue", json={"items": [{"uri": item} if isinstance(item, str) else item]})
    if answer.status_code == 403:
        assert "may not lead there" in answer.json()["detail"]
        return answer.json()["code"]
    assert answer.status_code == 200, answer.text
    answer = api.request("POST", "/player/play")
    if answer.status_code == 409:
        assert "may not lead there" in answer.json()["detail"]
        return answer.json()["code"]
    player = api.wait_status("playing", "completed", "failed", timeout=15)
    return player["error"]["code"] if player["status"] == "failed" else None


LEADS = [
    ("public", "private", False), ("public", "link_local", False), ("public", "loopback", False), ("public", "public", True),
    ("private", "private", True), ("private", "public", True), ("private", "loopback", False), ("private", "link_local", False),
    ("loopback", "loopback", True), ("loopback", "public", True), ("loopback", "link_local", False),
    ("link_local", "link_local", True), ("link_local", "loopback", False),
]


@pytest.mark.parametrize("way", ["redirect", "list", "segments"])
def test_a_server_leads_nowhere_more_private(api, places, media, way):
    """By redirects, entries of a list, and segments of a stream: the one that is meant never gets a request."""
    song = media.path("short-0.mp3").read_bytes()
    for start, goal, is_allowed in LEADS:
        path = f"/{start}-{goal}"
        first, last = places.all[start], places.all[goal]
        last.serve(f"{path}.mp3", song)
        match way:
            case "redirect": first.serve(path, redirect=f"{last.url}{path}.mp3")
            case "list":
                path += ".m3u"
                first.serve(path, f"#EXTM3U\n{last.url}{path.removesuffix('.m3u')}.mp3\n".encode(), content_type="audio/x-mpegurl")
            case "segments":
                segments = "".join(f"#EXTINF:1,\n{last.url}{path}.mp3\n" for _ in range(6))
                text = f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:0\n{segments}#EXT-X-ENDLIST\n"
                first.serve(path, text.encode(), content_type="application/vnd.apple.mpegurl")
        found = refusal(api, first.url + path)
        assert found == (None if is_allowed else "private-address"), (start, goal)
        assert bool(last.log(path.removesuffix(".m3u") + ".mp3")) == is_allowed, (start, goal)


def test_keys_and_maps_lead_nowhere_more_private(api, places, media):
    """Of an HLS stream whose segments themselves may be had."""
    places.public.serve("/a.mp3", media.path("short-0.mp3").read_bytes())
    places.loopback.serve("/secret", b"0123456789abcdef")
    for tag in (f'#EXT-X-KEY:METHOD=AES-128,URI="{places.loopback.url}/secret"', f'#EXT-X-MAP:URI="{places.loopback.url}/secret"'):
        segments = "#EXTINF:1,\na.mp3\n" * 6
        places.public.serve("/list", f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:0\n{tag}\n{segments}#EXT-X-ENDLIST\n".encode())
        assert refusal(api, places.public.url + "/list") == "private-address"
    assert places.loopback.log() == []


def test_pictures_lead_nowhere_more_private(api, places, media):
    """Addresses from a list; an address from a user may lead to this machine."""
    places.loopback.serve("/cover.png", media.cover, content_type="image/png")
    places.public.serve("/a.mp3", media.path("short-0.mp3").read_bytes())
    track = f"<track><location>{places.public.url}/a.mp3</location><image>{places.loopback.url}/cover.png</image></track>"
    places.public.serve(
        "/list.xspf", f'<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>{track * 2}</trackList></playlist>'.encode())
    for listed in api.load(places.public.url + "/list.xspf"):  # the second one is not open
        answer = api.request("GET", f"/queue/items/{listed}/artwork")
        assert answer.status_code in (403, 404), answer.text
    assert places.loopback.log() == []
    named, = api.load({"uri": places.public.url + "/a.mp3", "artworkUri": places.loopback.url + "/cover.png"})
    assert api.request("GET", f"/queue/items/{named}/artwork").content == media.cover


@pytest.mark.parametrize("name", ["a.mp3", "a"])
def test_an_entry_stays_what_it_was(server, api, places, media, name):
    """In the queue over a restart, in a saved playlist, and passed on by a client that has read the list, whether or not it is looked up then."""
    places.public.serve("/list.m3u", f"#EXTM3U\n{places.loopback.url}/{name}\n".encode())
    places.loopback.serve(f"/{name}", media.path("short-0.mp3").read_bytes())
    address = places.public.url + "/list.m3u"
    api.load(address)
    assert api.queue()["items"][0]["reach"] == "public"
    saved = api.call("POST", "/playlists", json={"name": "a", "fromQueue": True})["id"]
    api = Api(server.restart(kill=True).url)
    assert api.request("POST", "/player/play").json()["code"] == "private-address"
    assert refusal(api, {"playlist": saved}) == "private-address"
    entry, = api.call("GET", "/media/list", params={"uri": address})["items"]
    assert refusal(api, {name: value for name, value in entry.items() if value is not None}) == "private-address"
    assert places.loopback.log() == []
    # The same address, named by a user.
    assert refusal(api, f"{places.loopback.url}/{name}") is None


def test_a_list_may_not_be_behind_a_list(api, places, media):
    """The request that adds it says why."""
    places.public.serve("/list.m3u", f"#EXTM3U\n{places.loopback.url}/inner.m3u\n".encode())
    places.loopback.serve("/inner.m3u", b"#EXTM3U\nshort-0.mp3\n")
    assert api.refusal("POST", "/queue/items", json={"items": [{"uri": places.public.url + "/list.m3u"}]}) == (403, "private-address")
    assert places.loopback.log() == []
