# SPDX-License-Identifier: Apache-2.0
"""Rows 252, 265, 266: what an address becomes when it is added, and what is refused then."""

import shutil

import pytest

from rig import Radio

pytestmark = pytest.mark.usefixtures("music")


@pytest.fixture
def music(directory, media):
    root = directory / "music"
    (root / "album").mkdir(parents=True)
    for number in range(3):
        shutil.copy(media.path(f"short-{number}.mp3"), root / "album" / f"{number}.mp3")
    (root / "list.m3u").write_text("album/1.mp3\nalbum/2.mp3\n")
    (root / "list.txt").write_text("#EXTM3U\nalbum/2.mp3\nalbum/1.mp3\n")
    (root / "notes.txt").write_text("Nothing to play.\n")
    shutil.copy(media.path("text.mp3"), root / "text.mp3")
    (root / "outside.mp3").symlink_to("/etc/hostname")
    return root


REFUSED = {"../../etc/passwd": 403, "file:///etc/passwd": 403, "/etc/passwd": 403, "outside.mp3": 403, "gopher://x": 422, "ftp://host/a.mp3": 422,
           "missing.mp3": 404, "missing/a.mp3": 404, "album/0.mp3/": 404, "http://": 422, "notes.txt": 422, "missing.m3u": 404}


def test_unplayable_items_are_refused_when_added(api):
    """Row 265: the member is named, nothing is added and nothing is replaced."""
    before = api.load("album/0.mp3")
    revision = api.queue()["revision"]
    for method, path in (("POST", "/queue/items"), ("PUT", "/queue"), ("POST", "/playlists")):
        for uri, status in REFUSED.items():
            body = {"items": [{"uri": "album/1.mp3"}, {"uri": uri}]} | ({"name": "List"} if path == "/playlists" else {"play": True})
            response = api.request(method, path, json=body)
            assert (response.status_code, response.json().get("member")) == (status, "items[1].uri"), (path, uri, response.text)
        assert api.ids() == before and api.queue()["revision"] == revision and api.player()["status"] != "playing"
    assert api.call("GET", "/playlists")["playlists"] == []


def test_lists_name_nothing_outside_the_music(api, music, directory):
    """Row 265: a list's entries elsewhere are left out, also where it names the music folder itself; a list of nothing else is refused."""
    (directory / "other.mp3").write_bytes(b"other")
    inside = (music / "album" / "2.mp3").as_uri()
    entries = ["/etc/passwd", "../../etc/passwd", "album/1.mp3", "file:///etc/shadow", (directory / "other.mp3").as_uri(), inside, "gopher://x"]
    (music / "mixed.m3u").write_text("\n".join(entries) + "\n")
    (music / "outside.m3u").write_text("/etc/passwd\nfile:///etc/shadow\n")
    api.load("mixed.m3u")
    assert api.uris() == ["album/1.mp3", inside]
    assert api.request("POST", "/queue/items", json={"items": [{"uri": "outside.m3u"}]}).status_code == 403


def test_file_named_as_a_list_is_one(api, music):
    """Row 265: UTF-16 is text; a NUL is not. `check` opens what a list or a page turned out to be."""
    (music / "utf16.m3u").write_bytes("album/1.mp3\r\nalbum/2.mp3\r\n".encode("utf-16"))
    (music / "nul.m3u").write_bytes(b"album/1.mp3\0\nalbum/2.mp3\n")
    (music / "picture.m3u").write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(3000))
    (music / "picture.mp3").write_bytes(b"\xff\xd8\xff\x01" + bytes(range(256)) * 40)
    (music / "blob").write_bytes(bytes(range(256)) * 40)
    api.load("utf16.m3u")
    assert api.uris() == ["album/1.mp3", "album/2.mp3"]
    for uri in ("nul.m3u", "picture.m3u"):
        assert api.request("POST", "/queue/items", json={"items": [{"uri": uri}]}).status_code == 422, uri
    for uri in ("picture.mp3", "blob"):
        refused = api.request("POST", "/queue/items", json={"items": [{"uri": uri}], "check": True})
        assert (refused.status_code, refused.json()["member"]) == (422, "items[0].uri"), refused.text
    assert api.uris() == ["album/1.mp3", "album/2.mp3"]


def test_announcements_refuse_as_the_queue_does(api, music):
    """Row 265: the status is the queue's, and the member is named."""
    for uri, status in {"gopher://x": 422, "http://a b/": 422, "album": 422, "../../etc/passwd": 403, "/etc/passwd": 403, "outside.mp3": 403,
                        "missing.mp3": 404, "tonearm:alarm": 404, "list.m3u": 422, "notes.txt": 422}.items():
        for path, body, member in (("/announcements", {"uri": uri}, "uri"), ("/sfx", {"uri": uri}, "uri"),
                                   ("/announcements", {"uri": "album/0.mp3", "chime": uri}, "chime"),
                                   ("/announcements", {"parts": ["album/0.mp3", uri]}, "parts[1]")):
            refused = api.request("POST", path, json=body)
            assert (refused.status_code, refused.json()["member"]) == (status, member), (path, body, refused.text)


def test_the_rest_is_added_and_what_was_left_out_is_listed(api, music):
    """Row 265: `onError: skip`; a queue is not replaced by nothing."""
    items = [{"uri": uri} for uri in (*REFUSED, "album/1.mp3")] + [{"folder": "none"}, {"uri": "album/2.mp3"}]
    answer = api.call("POST", "/queue/items", json={"items": items, "onError": "skip"})
    assert api.uris() == ["album/1.mp3", "album/2.mp3"] and answer["count"] == 2
    assert answer["skippedCount"] == len(answer["skipped"]) == len(REFUSED) + 1
    assert [entry["index"] for entry in answer["skipped"]] == [*range(len(REFUSED)), len(REFUSED) + 1]
    assert answer["skipped"][-1]["member"] == f"items[{len(REFUSED) + 1}].folder" and answer["skipped"][0]["code"] == "forbidden"
    nothing = api.request("PUT", "/queue", json={"items": [{"uri": "missing.mp3"}], "onError": "skip"})
    assert nothing.status_code == 404 and len(api.uris()) == 2
    none = api.call("POST", "/queue/items", json={"items": [{"uri": "missing.mp3"}], "onError": "skip"})
    assert (none["count"], none["skippedCount"]) == (0, 1) and len(api.uris()) == 2


def test_references_that_nothing_has_are_left_out_and_listed(api, music):
    """Issue 3.3: unknown ids of the library, and entries of a list that lie outside the music."""
    (music / "bad.m3u").write_text("album/1.mp3\n../../etc/passwd\n")
    items = [{"album": "zz"}, {"playlist": "zz"}, {"uri": "album/0.mp3"}, {"uri": "bad.m3u"}]
    answer = api.call("POST", "/queue/items", json={"items": items, "onError": "skip"})
    assert api.uris() == ["album/0.mp3", "album/1.mp3"]
    assert [(each["index"], each["code"]) for each in answer["skipped"]] == [(0, "unknown-entry"), (1, "unknown-playlist"), (3, "forbidden")]
    assert "passwd" in answer["skipped"][2]["detail"]
    refused = api.http.post("/api/v1/queue/items", json={"items": items})
    assert refused.status_code == 404 and refused.json()["member"] == "items[0].album"


def test_a_playlist_takes_what_a_queue_takes(api, music):
    """Row 265: `onError: skip`; a list is not replaced by nothing, and one whose files have gone is read and played as it is."""
    items = [{"uri": uri} for uri in (*REFUSED, "album/1.mp3", "album/2.mp3")]
    made = api.call("POST", "/playlists", json={"name": "List", "items": items, "onError": "skip"})
    assert made["length"] == 2 and made["skippedCount"] == len(made["skipped"]) == len(REFUSED)
    path = f"/playlists/{made['id']}"
    for method, to in (("PUT", path), ("POST", path + "/items")):
        refused = api.request(method, to, json={"items": [{"uri": "missing.mp3"}], "onError": "skip"})
        assert (refused.status_code, refused.json()["member"]) == (404, "items[0].uri")
    (music / "album" / "1.mp3").unlink()
    assert [entry["uri"] for entry in api.call("GET", path)["items"]] == ["album/1.mp3", "album/2.mp3"]
    assert api.call("POST", "/queue/items", json={"items": [{"playlist": made["id"]}]})["count"] == 2


def test_the_content_decides(api, origin, media):
    """Row 266: a file, a folder, lists and a feed whatever they are called, a station and an HLS stream."""
    entry = '<item><title>One</title><enclosure url="{}" type="audio/mpeg"/></item>'.format(f"{origin.url}/song")
    origin.serve("/song", media.path("short-0.mp3").read_bytes())
    origin.serve("/feed", f'<rss version="2.0"><channel><title>S</title>{entry}{entry}</channel></rss>'.encode(), content_type="text/xml")
    origin.serve("/listen", b"[playlist]\nFile1=song\n", content_type="audio/x-scpls")
    origin.serve("/live", b"#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n", content_type="application/vnd.apple.mpegurl")
    song, station = f"{origin.url}/song", f"{Radio(media.path('long.mp3').read_bytes(), 24_000).url}/live"
    expected = {"album/1.mp3": ["album/1.mp3"], "album": [f"album/{n}.mp3" for n in range(3)], "album/": [f"album/{n}.mp3" for n in range(3)],
                "list.m3u": ["album/1.mp3", "album/2.mp3"], "list.txt": ["album/2.mp3", "album/1.mp3"], song: [song],
                f"{origin.url}/feed": [song, song], f"{origin.url}/listen": [song], f"{origin.url}/live": [f"{origin.url}/live"],
                station: [station]}
    for uri, uris in expected.items():
        api.load(uri)
        assert api.uris() == uris, uri
        api.call("DELETE", "/queue")
        one = api.request("POST", "/queue/items", json={"items": [{"uri": uri}], "expand": False})
        if len(uris) == 1:
            assert one.status_code == 201 and api.uris() == uris, one.text
        else:
            assert (one.status_code, one.json()["code"], one.json()["member"]) == (422, "several-items", "items[0].uri")
            assert api.queue()["length"] == 0
    assert api.request("POST", "/queue/items", json={"items": [{"uri": "album", "expand": False}]}).status_code == 422


def test_check_does_not_interrupt_the_current_item(api, origin):
    """`check`: a file and an address that cannot be played are refused while the music goes on."""
    origin.serve("/page.mp3", b"<!doctype html><title>No</title>", content_type="text/html")
    api.settings(repeat="one")
    playing = api.load("album/0.mp3", play=True)
    for uri, status in (("text.mp3", 422), (f"{origin.url}/page.mp3", 422), (f"{origin.url}/none.mp3", 404), ("http://127.0.0.1:1/a.mp3", 502)):
        response = api.request("POST", "/queue/items", json={"items": [{"uri": uri}], "position": "next", "play": True, "check": True})
        assert response.status_code == status, response.text
    assert api.ids() == playing and api.wait_status("playing")
    assert api.add("text.mp3")["count"] == 1, "its name is believed"


def test_many_references_to_a_long_playlist(server, api, music):
    """Row 252: what does not fit is refused, and costs no more memory than what fits."""
    items = [{"uri": f"album/{number % 3}.mp3", "title": f"A title of some length {number}"} for number in range(50_000)]
    made = api.call("POST", "/playlists", json={"name": "long", "items": items})
    before = server.peak_bytes()
    assert api.request("POST", "/queue/items", json={"items": [{"playlist": made["id"]}] * 100}).status_code == 413
    assert api.queue()["length"] == 0
    assert server.peak_bytes() - before < 200 << 20
    assert api.call("GET", f"/playlists/{made['id']}?offset=49998&limit=10")["items"][1]["title"] == "A title of some length 49999"
