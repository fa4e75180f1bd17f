# SPDX-License-Identifier: Apache-2.0
"""The music folders, and the way from there into the queue."""

import re

import pytest
from playwright.sync_api import expect

from rig import Api, eventually


@pytest.fixture
def folders(remote):
    expect(remote.page.locator(".entry-name").first).to_be_visible()
    return remote.page.locator("music-browser")


def test_folder_opens_andTheBreadcrumbLeadsBack(folders, remote):
    folders.get_by_role("button", name="A Folder", exact=True).click()
    crumbs = folders.get_by_role("navigation", name="Folder")
    expect(crumbs).to_contain_text("A Folder")
    folders.get_by_role("button", name="子", exact=True).click()
    expect(crumbs.locator("[aria-current]")).to_have_text("子")
    expect(folders.get_by_role("button", name=re.compile("deep"))).not_to_have_count(0)
    crumbs.get_by_role("button", name="A Folder").click()
    expect(crumbs.locator("[aria-current]")).to_have_text("A Folder")
    crumbs.get_by_role("button", name="All music").click()
    expect(folders.get_by_role("button", name="A Folder", exact=True)).to_be_visible()


def test_back_leavesTheDialog_thenTheFolders_thenThePage(open_remote, server):
    remote = open_remote(viewport={"width": 390, "height": 844})
    page = remote.page
    page.goto("about:blank")
    page.goto(server.url)
    remote.wait_connected()
    remote.tab("Music")
    folders = page.locator("music-browser")
    place = folders.locator(".breadcrumb [aria-current]")
    for steps, name in enumerate(("A Folder", "子"), 1):
        folders.get_by_role("button", name=name, exact=True).click()
        expect(place).to_have_text(name)
        remote.wait_depth(steps)
    page.get_by_role("button", name="Sound and timers").click()
    remote.wait_depth(3)
    page.go_back()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(place).to_have_text("子")
    page.go_back()
    expect(place).to_have_text("A Folder")
    # Left by the page's own ways, out of sight and back.
    remote.tab("Now")
    remote.wait_depth(0)
    # A wide window shows the folders beside the player.
    for width, steps in ((1280, 1), (390, 0)):
        page.set_viewport_size({"width": width, "height": 844})
        remote.wait_depth(steps)
    remote.tab("Music")
    remote.wait_depth(1)
    folders.get_by_role("button", name="All music").click()
    remote.wait_depth(0)
    page.go_back()
    expect(page).to_have_url("about:blank")


def test_add_appends(folders, remote, api):
    api.load("low.mp3")
    folders.get_by_role("button", name="Add chirp.mp3 to the queue").click()
    expect(remote.toast).to_contain_text("Added 1 track to the queue")
    assert api.uris() == ["low.mp3", "chirp.mp3"]
    remote.toast.get_by_role("button", name="Undo").click()
    eventually(lambda: api.uris() == ["low.mp3"], "taken back")


def test_playNext_insertsAfterTheCurrent(folders, remote, api):
    api.start("long.mp3", "low.mp3")
    folders.get_by_role("button", name="Play chirp.mp3 next").click()
    eventually(lambda: api.uris() == ["long.mp3", "chirp.mp3", "low.mp3"], "inserted")
    assert api.player()["item"]["uri"] == "long.mp3"


def test_everyEntry_hasAButtonThatPlaysIt(folders, remote, api):
    row = folders.locator(".entry", has_text="chirp.mp3")
    expect(row.get_by_role("button")).to_have_count(4)
    expect(row.locator(".entry-size")).to_be_empty()
    row.locator("[data-action=play].icon-button").click()
    api.wait_status("playing")
    assert api.player()["item"]["uri"] == "chirp.mp3"


def test_addFolder_takesTheFilesInIt(folders, remote, api):
    folders.get_by_role("button", name="Add A Folder to the queue").click()
    expect(remote.toast).to_contain_text("Added 1 track")
    assert api.uris() == ["A Folder/子/deep.mp3"]


def test_oddNames_arriveUnchanged(folders, remote, api):
    for name in ("劉若英.mp3", "100% of it.mp3", "%20.mp3", "a+b&c=d#e?.mp3"):
        folders.get_by_role("button", name=f"Add {name} to the queue", exact=True).click()
        eventually(lambda: api.uris()[-1:] == [name], name)


def test_filter_narrows(folders, remote):
    folders.get_by_role("searchbox").fill("GAP less".replace(" ", ""))
    expect(folders.locator(".entry")).to_have_count(2)
    folders.get_by_role("searchbox").fill("nothing has this name")
    expect(folders.get_by_role("heading", name="Nothing matches")).to_be_visible()


def test_addAll_addsWhatTheFilterShows(folders, remote, api):
    folders.get_by_role("searchbox").fill("gapless")
    expect(folders.locator(".entry")).to_have_count(2)
    folders.get_by_role("button", name="Add all").click()
    expect(remote.toast).to_contain_text("Added 2 tracks to the queue")
    assert api.uris() == ["gapless-a.mp3", "gapless-b.mp3"]
    folders.get_by_role("searchbox").fill("nothing has this name")
    expect(folders.get_by_role("button", name="Add all")).to_be_disabled()


def test_lostFolder_isExplained(folders, remote, api):
    remote.tolerate("Failed to load resource")
    remote.page.evaluate("""() => dispatchEvent(new CustomEvent("open-folder", { detail: { path: "no such folder" } }))""")
    expect(folders.get_by_role("heading", name="This folder cannot be shown")).to_be_visible()
    folders.get_by_role("button", name="Back to the start").click()
    expect(folders.get_by_role("button", name="A Folder", exact=True)).to_be_visible()


def test_escape_emptiesTheFilter_thenLeavesIt(folders, remote):
    remote.page.keyboard.press("/")
    filter = folders.get_by_role("searchbox")
    expect(filter).to_be_focused()
    filter.press_sequentially("gapless")
    expect(folders.locator(".entry")).to_have_count(2)
    remote.page.keyboard.press("Escape")
    expect(filter).to_have_value("")
    expect(filter).to_be_focused()
    expect(folders.get_by_role("button", name="A Folder", exact=True)).to_be_visible()
    remote.page.keyboard.press("Escape")
    expect(filter).not_to_be_focused()


@pytest.fixture
def unplayable(start_server, open_remote, directory):
    """The page of a server whose only folder holds what Tonearm does not play."""
    root = directory / "other"
    (root / "Letters").mkdir(parents=True)
    (root / "Letters" / "letter.txt").write_text("This is a letter, not music.")
    return open_remote(url=start_server(music=root).url)


def test_folderWithoutMusic_addsNothing_andSaysWhatTonearmPlays(unplayable):
    music = unplayable.page.locator("music-browser")
    for button in ("Add Letters to the queue", "Play Letters next", "Play Letters now"):
        music.get_by_role("button", name=button).click()
        expect(unplayable.toast).to_contain_text("Nothing in it can be played")
        expect(unplayable.page.locator(".toast-action")).to_have_count(0)
        unplayable.toast.get_by_role("button", name="Dismiss").click()
    music.get_by_role("button", name="Letters", exact=True).click()
    empty = music.locator(".empty")
    expect(empty).to_contain_text("Nothing here that Tonearm plays")
    expect(empty).not_to_contain_text("--music")


def test_emptyTop_tellsOfTheOption(start_server, open_remote, directory):
    (directory / "bare").mkdir()
    remote = open_remote(url=start_server(music=directory / "bare").url)
    expect(remote.page.locator("music-browser .empty")).to_contain_text("--music")


def test_theOpenFolder_followsChangesOnTheDisk(start_server, open_remote, directory, media):
    root = directory / "changing"
    (root / "Old").mkdir(parents=True)
    (root / "Old" / "low.mp3").write_bytes(media.path("low.mp3").read_bytes())
    remote = open_remote(url=start_server(music=root).url)
    folders = remote.page.locator("music-browser")
    old = folders.get_by_role("button", name="Old", exact=True)
    old.focus()
    (root / "New").mkdir()
    (root / "New" / "chirp.mp3").write_bytes(media.path("chirp.mp3").read_bytes())
    new = folders.get_by_role("button", name="New", exact=True)
    expect(new).to_be_visible(timeout=20_000)
    expect(old).to_be_focused()
    new.click()
    (root / "New" / "chirp.mp3").rename(root / "New" / "other.mp3")
    expect(folders.locator(".entry-name")).to_have_text([re.compile("other.mp3")], timeout=20_000)


@pytest.fixture
def broken(start_server, open_remote, directory, media):
    """Music, a file that only has its name, and a playlist; and a way to ask the server."""
    root = directory / "mixed"
    (root / "lists").mkdir(parents=True)
    for name in ("long.mp3", "chirp.mp3"):
        (root / name).write_bytes(media.path(name).read_bytes())
    (root / "broken.mp3").write_text("This is a letter, not music.")
    (root / "lists" / "evening.m3u").write_text(
        "#EXTM3U\n#EXTINF:10,Somebody - The first\n../chirp.mp3\n../long.mp3\nhttps://me:secret@127.0.0.1:9/a.mp3\n")
    server = start_server(music=root)
    return open_remote(url=server.url), Api(server.url)


def test_anUnplayableFile_isRefusedWithTheReason_andTheMusicGoesOn(broken):
    remote, api = broken
    remote.tolerate("Failed to load resource")
    ids = api.start("long.mp3", "broken.mp3")
    remote.page.locator('.entry-name[data-path="broken.mp3"]').click()
    expect(remote.toast).to_contain_text("broken.mp3 cannot be played: it is a text file")
    remote.toast.get_by_role("button", name="Dismiss").click()
    remote.page.get_by_role("button", name="Add broken.mp3 to the queue").click()
    expect(remote.toast).to_contain_text("broken.mp3 cannot be played: it is a text file")
    remote.toast.get_by_role("button", name="Dismiss").click()
    # From the queue as well, where it stands already.
    expect(remote.row(1).locator(".row-title")).to_have_text("broken")
    remote.row(1).dblclick()
    expect(remote.toast).to_contain_text("broken.mp3 cannot be played: it is a text file")
    player = api.wait_status("playing")
    assert (player["item"]["id"], player["queue"]["length"]) == (ids[0], 2)


def test_aPlaylist_isLookedInto_andItsEntriesAddedOneByOneOrTogether(broken):
    remote, api = broken
    music = remote.page.locator("music-browser")
    music.get_by_role("button", name="lists", exact=True).click()
    music.locator(".entry-name", has_text="evening.m3u").click()
    expect(music.get_by_role("navigation", name="Folder").locator("[aria-current]")).to_have_text("evening.m3u")
    expect(music.locator(".entry-text")).to_have_text(["The first", "long", "a"])
    expect(music.locator(".entry-size").first).to_have_text("Somebody")
    music.get_by_role("button", name="Add The first to the queue").click()
    eventually(lambda: api.uris() == ["chirp.mp3"], "one of them")
    assert api.queue()["items"][0]["title"] == "The first"
    # The page cannot add an entry whose address it does not know.
    expect(music.get_by_role("button", name="Add a to the queue")).to_be_disabled()
    music.get_by_role("button", name="Add all").click()
    eventually(lambda: api.queue()["length"] == 4, "all of them")
    music.locator(".entry-name", has_text="long").click()
    eventually(lambda: (api.player()["item"] or {}).get("uri") == "long.mp3", "it plays")
    music.get_by_role("navigation", name="Folder").get_by_role("button", name="lists").click()
    expect(music.locator(".entry-name", has_text="evening.m3u")).to_be_visible()


def test_addressWithoutAPlaylist_isNotOpened_andTheWebTabStays(broken, origin):
    remote, api = broken
    remote.tolerate("Failed to load resource")
    origin.serve("/page", b"<!doctype html><title>No list</title>", content_type="text/html")
    page = remote.page
    page.get_by_role("tab", name="Web").click()
    page.get_by_role("textbox", name="Address of a station, file, playlist or podcast").fill(f"{origin.url}/page")
    page.get_by_role("button", name="Look inside").click()
    expect(remote.toast).to_have_attribute("data-tone", "error")
    expect(page.get_by_role("tab", name="Web")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="Folders").click()
    music = page.locator("music-browser")
    expect(music.locator(".entry-text").first).to_have_text("lists")
    music.get_by_role("button", name="Add all").click()
    eventually(lambda: api.queue()["length"] > 0, "the folder that is still there")


def test_aFolderThatCannotBeShown_offersNothingToAdd(page):
    assert page.evaluate("""async () => {
        const browser = document.querySelector("music-browser");
        browser.folder = { content: { path: "a", parent: "", length: 1, entries: [{ type: "file", name: "b", path: "a/b.mp3", size: 1 }] }, problem: null };
        await null;
        const all = browser.querySelector("[data-action=addAll]");
        const before = all.disabled;
        browser.folder = { content: null, problem: "It is gone." };
        await null;
        return [before, all.disabled, browser.querySelectorAll(".entry").length, browser.querySelector(".pane-count").textContent,
                browser.querySelector(".empty p").textContent];
    }""") == [False, True, 0, "", "It is gone."]


def test_thePlaylistOfAnAddress_isLookedInto(broken, origin):
    remote, api = broken
    origin.serve("/show.m3u", f"#EXTM3U\n#EXTINF:-1,Only one\n{origin.url}/a.mp3\n".encode())
    remote.page.get_by_role("tab", name="Web").click()
    remote.page.get_by_role("textbox", name="Address of a station, file, playlist or podcast").fill(f"{origin.url}/show.m3u")
    remote.page.get_by_role("button", name="Look inside").click()
    expect(remote.page.get_by_role("tab", name="Folders")).to_have_attribute("aria-selected", "true")
    remote.page.get_by_role("button", name="Add Only one to the queue").click()
    eventually(lambda: api.uris() == [f"{origin.url}/a.mp3"], "queued")
