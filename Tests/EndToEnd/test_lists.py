# SPDX-License-Identifier: Apache-2.0
"""Row 235: playlist files and feeds, from the music folders and from the web, into the queue and the saved playlists."""

import shutil

import pytest

pytestmark = pytest.mark.usefixtures("music")


@pytest.fixture
def music(directory, media):
    root = directory / "music"
    (root / "lists").mkdir(parents=True)
    for number in range(3):
        shutil.copy(media.path(f"short-{number}.mp3"), root / f"short-{number}.mp3")
    return root


def refusal(api, item) -> tuple[int, str]:
    response = api.request("POST", "/queue/items", json={"items": [item]})
    return response.status_code, response.json()["code"]


def titles(api) -> list:
    return [(item["title"], item["artist"]) for item in api.queue()["items"]]


def test_a_list_stands_for_its_entries(api, music):
    """In place: between what was there; its entries, relative to where it lies, are played."""
    (music / "lists" / "a.m3u").write_text(
        "#EXTM3U\n#EXTINF:1,Me - First\n../short-0.mp3\n#EXTINF:1,Second\n../short-1.mp3\n../../outside.mp3\n")
    api.load("short-2.mp3", "lists/a.m3u", "short-2.mp3")
    assert api.uris() == ["short-2.mp3", "short-0.mp3", "short-1.mp3", "short-2.mp3"]
    assert titles(api)[1:3] == [("First", "Me"), ("Second", None)]
    api.play(index=1)
    api.wait_status("completed", timeout=15)


FORMATS = {
    "pls": ("[playlist]\nFile1={a}\nTitle1=One\nFile2={b}\nTitle2=Two\n", "audio/x-scpls"),
    "m3u8": ("#EXTM3U\n#EXTINF:-1,One\n{a}\n#EXTINF:-1,Two\n{b}\n", "application/x-mpegurl"),
    "xspf": ('<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track><location>{a}</location>'
             "<title>One</title></track><track><location>{b}</location><title>Two</title></track></trackList></playlist>",
             "application/xspf+xml"),
    "asx": ('<ASX version="3.0"><Entry><Title>One</Title><Ref href="{a}"/></Entry><entry><Title>Two</title><ref href="{b}"/></Entry></ASX>',
            "video/x-ms-asf"),
    "rss": ('<?xml version="1.0"?><rss version="2.0"><channel><title>Show</title><item><title>One</title>'
            '<enclosure url="{a}" type="audio/mpeg"/></item><item><title>Two</title><enclosure url="{b}" type="audio/mpeg"/></item>'
            "</channel></rss>", "application/rss+xml"),
    "atom": ('<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Show</title><entry><title>One</title>'
             '<link rel="enclosure" type="audio/mpeg" href="{a}"/></entry><entry><title>Two</title>'
             '<link rel="enclosure" type="audio/mpeg" href="{b}"/></entry></feed>', "application/atom+xml"),
}


def test_every_format_from_the_web(api, origin, media):
    """By its address alone where its name tells, and by `list` whatever it is called; after a redirect, from there."""
    for name in FORMATS:
        text, content_type = FORMATS[name]
        origin.serve(f"/deep/list.{name}", text.format(a="../a.mp3", b=f"{origin.url}/b.mp3").encode(), content_type=content_type)
        origin.serve(f"/moved.{name}", redirect=f"/deep/list.{name}")
        for path in ("/a.mp3", "/b.mp3"):
            origin.serve(path, media.path("short-0.mp3").read_bytes())
        api.load({"list": f"{origin.url}/moved.{name}"})
        assert api.uris() == [f"{origin.url}/a.mp3", f"{origin.url}/b.mp3"]
        assert [title for title, _ in titles(api)] == ["One", "Two"]
        if name not in ("rss", "atom"):
            api.load(f"{origin.url}/deep/list.{name}")
            assert len(api.uris()) == 2
        api.play()
        api.wait_status("completed", timeout=15)


def test_lists_within_lists(api, music, origin):
    """Entries of a list within a list stand in its place; a circle and a tower are refused, and nothing is added."""
    (music / "outer.m3u").write_text(f"short-0.mp3\nlists/inner.pls\n{origin.url}/far.m3u\nshort-2.mp3\n")
    (music / "lists" / "inner.pls").write_text("[playlist]\nFile1=../short-1.mp3\n")
    origin.serve("/far.m3u", b"x.mp3\n", content_type="audio/x-mpegurl")
    api.load("outer.m3u")
    assert api.uris() == ["short-0.mp3", "short-1.mp3", f"{origin.url}/x.mp3", "short-2.mp3"]
    (music / "a.m3u").write_text("b.m3u\n")
    (music / "b.m3u").write_text("short-0.mp3\na.m3u\n")
    assert refusal(api, {"uri": "a.m3u"}) == (422, "unsupported")
    for number in range(8):
        (music / f"tower-{number}.m3u").write_text(f"tower-{number + 1}.m3u\n")
    (music / "tower-8.m3u").write_text("short-0.mp3\n")
    assert refusal(api, {"uri": "tower-3.m3u"}) == (422, "unsupported")
    assert api.add({"list": "tower-4.m3u"})["count"] == 1
    (music / "wide.m3u").write_text("".join(f"w-{number}.m3u\n" for number in range(150)))
    for number in range(150):
        (music / f"w-{number}.m3u").write_text("short-0.mp3\n")
    assert refusal(api, {"uri": "wide.m3u"}) == (422, "unsupported")
    assert len(api.uris()) == 5


def test_refused_lists(api, music, origin):
    (music / "empty.m3u").write_text("#EXTM3U\n")
    (music / "outside.m3u").write_text("../../etc/passwd\nC:\\a.mp3\n")
    (music / "bomb.xspf").write_text(
        '<?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><playlist><title>&b;</title></playlist>')
    (music / "huge.m3u").write_bytes(b"#EXTM3U\n" + b"a" * (5 << 20))
    origin.serve("/local.m3u", b"#EXTM3U\nfile:///etc/passwd\n")
    origin.serve("/slow.m3u", b"#EXTM3U\na.mp3\n", silent=True)
    assert refusal(api, {"uri": "empty.m3u"}) == (422, "empty")
    assert refusal(api, {"uri": "outside.m3u"}) == (403, "forbidden")
    assert refusal(api, {"uri": "bomb.xspf"}) == (422, "unsupported")
    assert refusal(api, {"uri": "huge.m3u"}) == (422, "unsupported")
    assert refusal(api, {"uri": "none.m3u"}) == (404, "media-not-found")
    assert refusal(api, {"list": "short-0.mp3"}) == (422, "unsupported")
    assert refusal(api, {"list": f"{origin.url}/local.m3u"}) == (403, "forbidden")
    assert refusal(api, {"list": f"{origin.url}/none"}) == (404, "media-not-found")
    assert api.request("POST", "/queue/items", json={"items": [{"list": "a.m3u", "title": "x"}]}).json()["member"] == "items[0].title"


def test_many_entries_are_cut_off(api, music):
    (music / "long.m3u").write_text("".join(f"{number}.mp3\n" for number in range(10_500)))
    answer = api.call("PUT", "/queue", json={"items": [{"list": "long.m3u"}]})
    assert answer["count"] == 10_000 and answer["truncated"] is True


def test_the_title_and_the_headers_that_were_given(api, origin):
    """The client's title goes before the list's where it lists one stream; fields go to the list's own host only."""
    origin.serve("/radio.pls", b"[playlist]\nFile1=stream\nTitle1=Its name\n")
    api.load({"uri": f"{origin.url}/radio.pls", "title": "My radio", "headers": {"X-Key": "1"}})
    assert titles(api) == [("My radio", None)]
    assert origin.log("/radio.pls")[-1].headers["x-key"] == "1"


def test_lists_are_saved_and_given_back(api, music, origin):
    """Import into the saved playlists, export as M3U8, and that imported again is the same."""
    origin.serve("/feed", FORMATS["rss"][0].format(a="/a.mp3", b="/b.mp3").encode(), content_type="text/xml")
    made = api.call("POST", "/playlists", json={"name": "Podcast", "items": [{"list": f"{origin.url}/feed"}, {"uri": "short-0.mp3"}]})
    assert made["length"] == 3
    answer = api.request("GET", f"/playlists/{made['id']}/m3u8")
    assert answer.headers["content-type"].startswith("audio/x-mpegurl")
    assert answer.text.startswith("#EXTM3U\n#PLAYLIST:Podcast\n#EXTINF:0,One\n#EXTALB:Show\n")
    (music / "back.m3u8").write_text(answer.text)
    api.load("back.m3u8")
    before = api.call("GET", f"/playlists/{made['id']}")["items"]
    after = api.queue()["items"]
    assert [(item["uri"], item["title"], item["album"]) for item in after] == [(item["uri"], item["title"], item["album"]) for item in before]


# Looking into a list without adding it


def test_a_folder_shows_its_lists(api, music):
    (music / "lists" / "a.m3u").write_text("../short-0.mp3\n")
    (music / "lists" / "notes.txt").write_text("no list")
    entries = api.call("GET", "/browse?path=lists")["entries"]
    assert [(entry["type"], entry["path"]) for entry in entries] == [("list", "lists/a.m3u")]


def test_a_list_is_looked_into_without_being_added(api, music):
    (music / "lists" / "inner.pls").write_text("[playlist]\nFile1=../short-2.mp3\nTitle1=Third\n")
    (music / "lists" / "a.m3u").write_text(
        "#EXTM3U\n#EXTINF:1,Me - First\n../short-0.mp3\ninner.pls\nhttps://me:secret@host.example/a.mp3?token=abc\n")
    found = api.call("GET", "/media/list?uri=lists/a.m3u")
    assert (found["uri"], found["length"], found["truncated"]) == ("lists/a.m3u", 3, False)
    assert [(item["uri"], item["title"], item["artist"]) for item in found["items"]] == [
        ("short-0.mp3", "First", "Me"), ("short-2.mp3", "Third", None), ("https://***@host.example/a.mp3?token=***", None, None)]
    assert api.queue()["length"] == 0


def test_other_files_are_refused_as_lists(api, music):
    (music.parent / "outside.m3u").write_text("a.mp3")
    for uri, status in [("short-0.mp3", 422), ("missing.m3u", 404), ("../outside.m3u", 403), ("", 422)]:
        assert api.request("GET", "/media/list", params={"uri": uri}).status_code == status
