# SPDX-License-Identifier: Apache-2.0
"""Addresses from the page into the queue, and what the server keeps of them."""

import re
import socket

import pytest
from playwright.sync_api import expect

from rig import Api, eventually
from rig.access import ADMIN, READ


@pytest.fixture
def server(request, start_server):
    """Keeps what it loads, unless a test says otherwise."""
    return start_server(arguments=getattr(request, "param", ("--cache", "on")))


@pytest.fixture
def web(remote):
    remote.page.get_by_role("tab", name="Web").click()
    panel = remote.page.locator("web-panel")
    expect(panel).to_be_visible()
    return panel


def fill(panel, address: str, button: str = "Play") -> None:
    panel.get_by_role("textbox", name=re.compile("^Address")).fill(address)
    panel.get_by_role("button", name=button, exact=True).click()


def load_whole(api, origin, media, *names: str) -> None:
    """Plays each, so that all of it is kept; the last one stays in use."""
    for name in names:
        origin.serve(f"/{name}.mp3", media.path("short-0.mp3").read_bytes())
    api.settings(repeat="one")
    for name in names:
        api.load(f"{origin.url}/{name}.mp3", play=True)
        eventually(lambda name=name: any(f"/{name}.mp3" in entry["uri"] and entry["complete"] for entry in
                                         api.call("GET", "/cache")["entries"]), f"{name} is kept", 20)


def test_address_playsNow_orIsAdded(web, remote, api, origin, media):
    origin.serve("/one.mp3", media.path("long.mp3").read_bytes())
    origin.serve("/two.mp3", media.path("low.mp3").read_bytes())
    fill(web, f"{origin.url}/one.mp3")
    api.wait_status("playing", timeout=15)
    expect(web.get_by_role("textbox")).to_have_value("")
    fill(web, f"{origin.url}/two.mp3", "Add")
    expect(remote.toast).to_contain_text("Added 1 track to the queue")
    assert api.uris() == [f"{origin.url}/one.mp3", f"{origin.url}/two.mp3"]
    expect(remote.row(1).locator(".row-detail")).to_have_text(origin.url.removeprefix("http://"))


def test_podcast_standsForItsEpisodes(web, remote, api, origin, media):
    episodes = "".join(f'<item><title>Episode {n}</title><enclosure url="{origin.url}/{n}.mp3" type="audio/mpeg"/></item>' for n in (1, 2))
    origin.serve("/feed", f"<rss><channel>{episodes}</channel></rss>".encode(), content_type="application/rss+xml")
    for number in (1, 2):
        origin.serve(f"/{number}.mp3", media.path("long.mp3").read_bytes())
    fill(web, f"{origin.url}/feed", "Add")
    eventually(lambda: [item["title"] for item in api.queue()["items"]] == ["Episode 1", "Episode 2"], "both")
    expect(remote.toast).to_contain_text("Added 2 tracks to the queue")
    fill(web, f"{origin.url}/feed")
    eventually(lambda: api.player()["status"] == "playing" and api.player()["item"]["title"] == "Episode 1", "the first of them", 15)
    assert len(api.ids()) == 4


@pytest.fixture
def unplayable(request, origin):
    """An address, and what is said of it."""
    match request.param:
        case "nothing": return f"{origin.url}/gone.mp3", "does not have it (status 404)"
        case "refused":
            with socket.create_server(("127.0.0.1", 0)) as closed:
                return f"http://127.0.0.1:{closed.getsockname()[1]}/a.mp3", "cannot be reached"
    origin.serve("/a", b"<!doctype html><title>No music</title>", content_type="text/html; charset=utf-8")
    return f"{origin.url}/a", "it is an HTML page"


@pytest.mark.parametrize("unplayable, button", [("nothing", "Play"), ("refused", "Add"), ("page", "Play")], indirect=["unplayable"])
def test_unplayableAddress_isReported_andTheMusicContinues(web, remote, api, unplayable, button):
    """Nor is anything an error of the browser's console: `remote` tolerates none."""
    address, reason = unplayable
    playing = api.start("long.mp3")
    before = api.player()["position"]
    fill(web, address, button)
    expect(remote.toast).to_have_attribute("data-tone", "error", timeout=20_000)
    expect(remote.toast).to_contain_text(reason)
    now = api.player()
    assert (now["status"], now["item"]["id"], now["error"]) == ("playing", playing[0], None)
    eventually(lambda: api.player()["position"] > before, "it is heard")
    assert api.ids() == playing
    expect(web.get_by_role("textbox")).to_have_value(address)


def test_whileAnAddressIsLookedAt_itIsSaid_andTheMusicGoesOn(web, remote, api, origin, media):
    api.start("long.mp3")
    behaviour = origin.serve("/slow.mp3", media.path("low.mp3").read_bytes(), hold_at=0)
    behaviour.held.set()
    address = f"{origin.url}/slow.mp3"
    below = web.locator("cache-list").bounding_box()
    fill(web, address)
    note = web.get_by_role("status").filter(has_text="Checking")
    expect(note).to_have_text(f"Checking {origin.url.removeprefix('http://')}, for 20 s at most…")
    assert web.locator("cache-list").bounding_box() == below, "nothing jumps"
    web.get_by_role("button", name="Play", exact=True).click()
    assert api.player()["status"] == "playing" and api.uris() == ["long.mp3"]
    behaviour.held.clear()
    eventually(lambda: api.player()["item"]["uri"] == address, "then it plays", 15)
    expect(note).to_have_count(0)
    assert api.uris() == ["long.mp3", address], "once"


def test_aLookThatTheConnectionDoesNotOutlive_isOver(web, remote, api, server, origin):
    remote.tolerate("Failed to load resource|WebSocket connection")
    origin.serve("/silent", silent=True)
    fill(web, f"{origin.url}/silent")
    note = web.get_by_role("status").filter(has_text="Checking")
    expect(note).to_be_visible()
    server.kill()
    expect(remote.toast).to_contain_text("The server cannot be reached.")
    expect(note).to_have_count(0)


def test_invalidAddress_isNotSent(web, api):
    for address in ("", "radio", "ftp://127.0.0.1/a.mp3"):
        fill(web, address)
        assert web.get_by_role("textbox").evaluate("(input) => input.matches(':invalid')"), address
        assert api.ids() == []


def test_keptMedia_growWhileTheyLoad_andShowNoSecret(web, api, origin, media):
    content = media.path("long.mp3").read_bytes()
    behaviour = origin.serve("/song.mp3", content, hold_at=len(content) // 2)
    behaviour.held.set()
    expect(web.get_by_text("Nothing yet.")).to_be_visible()
    address = f"{origin.url.replace('//', '//joe:passw0rd@')}/song.mp3?token=abc123"
    fill(web, address)
    entry = web.locator(".cache-entry")
    expect(entry.locator(".cache-state")).to_contain_text(re.compile(r" of 962 kB, \d+ % · in use"), timeout=30_000)
    expect(entry.locator(".entry-text")).to_have_text("song")
    expect(entry.locator(".cache-ranges i")).to_have_count(1)
    half = entry.locator(".cache-ranges i").evaluate("(part) => parseFloat(part.style.width)")
    assert half < 60
    expect(entry.get_by_role("button")).to_be_disabled()
    assert not re.search("joe|passw0rd|abc123|\\*", web.inner_html())
    row = entry.element_handle()
    behaviour.held.clear()
    expect(entry.locator(".cache-state")).to_contain_text("962 kB, complete", timeout=30_000)
    assert row.evaluate("(row) => row.isConnected"), "the same row, with the focus that it may have"
    expect(web.get_by_role("meter", name="Space used")).to_have_attribute("aria-valuenow", str(len(content)))
    expect(web.locator(".cache-summary")).to_have_text("1 address, 962 kB of 256 MB")
    api.call("DELETE", "/queue")
    expect(entry.get_by_role("button", name="Remove song from the kept media")).to_be_enabled()


def test_one_isRemoved_andTheRestAfterAQuestion(web, remote, api, origin, media):
    load_whole(api, origin, media, "one", "two", "three")
    entries = web.locator(".cache-entry")
    expect(entries).to_have_count(3)
    expect(entries.first.locator(".entry-text")).to_have_text("three")
    web.get_by_role("button", name="Remove one from the kept media").click()
    expect(entries).to_have_count(2)
    assert api.call("GET", "/cache")["count"] == 2
    web.get_by_role("button", name="Clear").click()
    question = remote.page.get_by_role("dialog", name="Clear the kept media?")
    expect(question).to_contain_text("2 addresses, 31 kB")
    expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    remote.page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    expect(entries).to_have_count(2)
    web.get_by_role("button", name="Clear").click()
    question.get_by_role("button", name="Clear").click()
    expect(remote.toast).to_contain_text("Cleared: 1 in use stayed")
    expect(entries).to_have_count(1)
    expect(entries.locator(".cache-state")).to_contain_text("in use")
    assert api.call("GET", "/cache")["count"] == 1


def test_itemRemovedByAnotherClient_disappears(web, api, origin, media):
    load_whole(api, origin, media, "one", "two")
    expect(web.locator(".cache-entry")).to_have_count(2)
    api.call("DELETE", "/queue")
    eventually(lambda: api.call("DELETE", "/cache")["kept"] == 0, "nothing is in use")
    expect(web.locator(".cache-entry")).to_have_count(0)
    expect(web.get_by_text("Nothing yet.")).to_be_visible()
    expect(web.get_by_role("button", name="Clear")).to_be_hidden()


@pytest.mark.parametrize("server", [()], indirect=True, ids=["off"])
def test_off_saysSo_andHowToTurnItOn(web):
    expect(web.locator(".cache-note")).to_contain_text("Nothing is kept: media from the web are loaded anew each time.")
    expect(web.locator(".cache-note")).to_contain_text("--cache on")
    expect(web.get_by_role("button", name="Clear")).to_be_hidden()
    expect(web.get_by_role("meter")).to_be_hidden()


def test_aTokenThatOnlyReads_clearsNothing(guarded, open_remote, origin, media):
    server = guarded("--cache", "on")
    owner = Api(server.url, ADMIN)
    load_whole(owner, origin, media, "one")
    owner.call("DELETE", "/queue")
    remote = open_remote(url=server.url, path=f"/#token={READ}")
    remote.page.get_by_role("tab", name="Web").click()
    panel = remote.page.locator("web-panel")
    expect(panel.get_by_role("button", name="Remove one from the kept media")).to_be_disabled()
    expect(panel.get_by_role("button", name="Clear")).to_be_disabled()
    expect(panel.get_by_role("textbox")).to_be_disabled()
    assert owner.call("GET", "/cache")["count"] == 1


def test_longAddress_andManyEntries_fitAPhone(open_remote, api):
    remote = open_remote(viewport={"width": 320, "height": 640})
    name = "averylongnamewithoutasinglebreakinit" * 4
    entries = [{"key": f"c{n}", "uri": f"http://***@music.example/{name}/{n}.mp3", "size": None if n % 2 else 5_000_000, "bytes": 1_234_567,
                "progress": None, "complete": False, "inUse": False, "bytesPerSecond": 0, "used": n, "ranges": []} for n in range(250)]
    status = {"enabled": True, "limit": 268_435_456, "bytes": 250 * 1_234_567, "count": 250, "problem": "The disk is full.", "entries": entries}
    remote.page.route("**/api/v1/cache", lambda route: route.fulfill(json=status))
    remote.tab("Music")
    remote.page.get_by_role("tab", name="Web").click()
    panel = remote.page.locator("web-panel")
    expect(panel.get_by_text("The cache stores nothing more: The disk is full.")).to_be_visible()
    expect(panel.locator(".cache-entry")).to_have_count(100)
    # By key: a list that still settles moves the button away from the pointer.
    panel.get_by_role("button", name="Show more").press("Enter")
    expect(panel.locator(".cache-entry")).to_have_count(200)
    expect(panel.locator(".cache-state").first).to_have_text("1.2 MB of 5.0 MB, 24 %")
    expect(panel.locator(".cache-state").nth(1)).to_have_text("1.2 MB so far")
    assert remote.page.evaluate("document.documentElement.scrollWidth") <= 320
    assert remote.page.locator("browse-switch").evaluate("(box) => box.scrollWidth <= box.clientWidth"), "nothing is cut off"
    for button in (panel.get_by_role("button", name="Add", exact=True), panel.locator(".cache-entry button").first):
        box = button.bounding_box()
        assert box["x"] + box["width"] <= 320
