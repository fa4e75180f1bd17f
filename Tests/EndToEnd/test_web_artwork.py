# SPDX-License-Identifier: Apache-2.0
"""Pictures that an item names by a web address: fetched by the server, bounded, kept; never those of another item."""

import threading
import time

import pytest

from rig import PATIENCE, Origin, during, eventually


def add(api, origin: Origin, path: str, uri: str = "low.mp3", **members) -> str:
    api.add({"uri": uri, "artworkUri": origin.url + path, **members})
    return api.ids()[-1]


def artwork(api, item: str, **parameters):
    return api.request("GET", f"/queue/items/{item}/artwork", params=parameters)


def art_url(bus) -> str | None:
    return bus.metadata().get("mpris:artUrl")


def shown(bus) -> bytes | None:
    address = art_url(bus)
    if address is None:
        return None
    with open(address.removeprefix("file://"), "rb") as file:
        return file.read()


@pytest.fixture
def desktop(bus, api):
    """The client of a server that shows itself on the session bus."""
    bus.wait_owned()
    return api


def test_a_named_picture_is_served_and_kept(api, origin, media):
    """By its bytes, whatever the server calls it; asked for once; smaller on request."""
    origin.serve("/cover", media.cover, content_type="application/octet-stream")
    item = add(api, origin, "/cover")
    answer = artwork(api, item)
    assert answer.status_code == 200 and answer.content == media.cover, answer.text
    assert answer.headers["Content-Type"] == "image/png" and answer.headers["X-Content-Type-Options"] == "nosniff"
    small = artwork(api, item, size=16)
    assert small.status_code == 200 and small.headers["Content-Type"] == "image/jpeg"
    assert artwork(api, item).content == media.cover
    assert api.request("GET", f"/queue/items/{item}/artwork", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    assert len(origin.log("/cover")) == 1


def test_the_item_says_where_its_picture_is(api, origin, media):
    origin.serve("/cover", media.cover)
    item = add(api, origin, "/cover")
    api.play()
    api.wait_status("playing")
    shown = api.player()["item"]
    assert shown["artworkUri"] == origin.url + "/cover"
    assert shown["artwork"] == f"/api/v1/queue/items/{item}/artwork"


def test_a_named_picture_goes_before_the_tags(api, origin, media):
    origin.serve("/cover", media.cover + b"other")
    item = add(api, origin, "/cover", uri="tagged.mp3")
    assert artwork(api, item).content == media.cover + b"other"
    broken = add(api, origin, "/nothing", uri="tagged.mp3")
    assert artwork(api, broken).content == media.cover, "what cannot be had is as if it had not been named"


@pytest.mark.parametrize("name, options, status", [
    ("a page", {"content": b"<html>secret</html>" * 100}, 422),
    ("too large", {"content": b"\x89PNG\r\n\x1a\n" + bytes(9 << 20)}, 422),
    ("too large without end", {"content": b"\x89PNG\r\n\x1a\n" + bytes(9 << 20), "length": None}, 422),
    ("not there", {"status": 404, "content": b"no"}, 404),
    ("nothing", {"content": b""}, 422),
    ("a ring", {"redirect": "/cover"}, 502),
])
def test_other_files_are_refused_as_pictures(api, origin, name, options, status):
    origin.serve("/cover", **options)
    item = add(api, origin, "/cover")
    answer = artwork(api, item)
    assert answer.status_code == status, answer.text
    assert b"secret" not in answer.content
    asked = len(origin.log("/cover"))
    assert artwork(api, item).status_code == status
    assert len(origin.log("/cover")) == asked, "what has failed is not asked for again at once"
    # A try that was too slow is made once more.
    assert origin.sent_bytes("/cover") < max(1, asked) * (10 << 20)


def test_an_origin_that_says_nothing_ends_in_time(api, origin, media):
    origin.serve("/cover", silent=True)
    item = add(api, origin, "/cover")
    began = time.monotonic()
    # Others are served meanwhile.
    waiting = threading.Thread(target=lambda: artwork(api, item))
    waiting.start()
    assert api.request("GET", "/media/artwork", params={"uri": "tagged.mp3"}).content == media.cover
    waiting.join()
    assert time.monotonic() - began < 13 * PATIENCE
    assert artwork(api, item).status_code == 502


@pytest.mark.serve("--network", "off")
def test_nothing_is_fetched_where_the_network_is_off(api, origin, media):
    origin.serve("/cover", media.cover)
    item = add(api, origin, "/cover")
    assert artwork(api, item).status_code == 403
    assert not origin.log()


def test_the_desktop_gets_a_file(bus, desktop, origin, media):
    """Row 194: published when it is here; the desktop asks no stranger."""
    behaviour = origin.serve("/cover", media.cover, hold_at=10)
    behaviour.held.set()
    add(desktop, origin, "/cover")
    desktop.play()
    desktop.wait_status("playing")
    eventually(lambda: origin.log("/cover"), "it is asked for")
    during(0.3, lambda: art_url(bus) is None, "a picture that is not here was published")
    behaviour.held.clear()
    eventually(lambda: shown(bus) == media.cover, "it is shown")
    assert art_url(bus).startswith("file:///")
    assert len(origin.log("/cover")) == 1


def test_an_item_that_opens_does_not_fetch_its_picture_again(bus, desktop, origin, media):
    """Opening the item ended the download of its picture, which began anew."""
    picture = origin.serve("/cover", media.cover, hold_at=10)
    song = origin.serve("/song", media.path("low.mp3").read_bytes(), hold_at=10)
    picture.held.set()
    song.held.set()
    add(desktop, origin, "/cover", uri=origin.url + "/song")
    desktop.play()
    eventually(lambda: origin.log("/cover"), "it is asked for while the item opens")
    assert desktop.player()["status"] != "playing"
    song.held.clear()
    desktop.wait_status("playing")
    picture.held.clear()
    eventually(lambda: shown(bus) == media.cover, "it is shown")
    assert len(origin.log("/cover")) == 1


def test_a_slow_picture_never_shows_with_another_item(bus, desktop, origin, media):
    """Row 194: slow origin and quick next: no stale cover, and the new one does not wait for the old."""
    slow = origin.serve("/slow", media.cover + b"slow", hold_at=10)
    slow.held.set()
    quick = origin.serve("/quick", media.cover + b"quick")
    add(desktop, origin, "/slow")
    second = add(desktop, origin, "/quick", uri="chirp.mp3")
    desktop.play()
    desktop.wait_status("playing")
    eventually(lambda: origin.log("/slow"), "the first one is asked for")
    began = time.monotonic()
    desktop.command("next")
    eventually(lambda: shown(bus) == media.cover + b"quick", "the second one is shown", timeout=5)
    assert time.monotonic() - began < 3 * PATIENCE
    slow.held.clear()
    during(0.5, lambda: shown(bus) == media.cover + b"quick", "the first one's picture came late and was shown")
    assert desktop.player()["item"]["id"] == second
    assert artwork(desktop, second).content == media.cover + b"quick"
    assert quick


def test_another_address_replaces_the_picture(bus, desktop, origin, media):
    origin.serve("/one", media.cover + b"one")
    origin.serve("/two", media.cover + b"two")
    item = add(desktop, origin, "/one")
    desktop.play()
    eventually(lambda: shown(bus) == media.cover + b"one", "the first one is shown")
    desktop.call("PATCH", f"/queue/items/{item}", json={"artworkUri": origin.url + "/two"})
    eventually(lambda: shown(bus) == media.cover + b"two", "the second one is shown")
    assert artwork(desktop, item).content == media.cover + b"two"
