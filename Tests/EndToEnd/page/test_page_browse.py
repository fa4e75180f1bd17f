# SPDX-License-Identifier: Apache-2.0
"""The music folders, and the way from there into the queue."""

import re

import pytest
from playwright.sync_api import expect

from rig.waiting import eventually


@pytest.fixture
def music(remote):
    expect(remote.page.locator(".entry-name").first).to_be_visible()
    return remote.page.locator("music-browser")


def test_folder_opens_andTheBreadcrumbLeadsBack(music, remote):
    music.get_by_role("button", name="A Folder", exact=True).click()
    crumbs = music.get_by_role("navigation", name="Folder")
    expect(crumbs).to_contain_text("A Folder")
    music.get_by_role("button", name="子", exact=True).click()
    expect(crumbs.locator("[aria-current]")).to_have_text("子")
    expect(music.get_by_role("button", name=re.compile("deep"))).not_to_have_count(0)
    crumbs.get_by_role("button", name="A Folder").click()
    expect(crumbs.locator("[aria-current]")).to_have_text("A Folder")
    crumbs.get_by_role("button", name="All music").click()
    expect(music.get_by_role("button", name="A Folder", exact=True)).to_be_visible()


def test_add_appends(music, remote, api):
    api.load("low.mp3")
    music.get_by_role("button", name="Add chirp.mp3 to the queue").click()
    expect(remote.toast).to_contain_text("Added 1 track to the queue")
    assert api.uris() == ["low.mp3", "chirp.mp3"]
    remote.toast.get_by_role("button", name="Undo").click()
    eventually(lambda: api.uris() == ["low.mp3"], "taken back")


def test_playNext_insertsAfterTheCurrent(music, remote, api):
    api.load("long.mp3", "low.mp3", play=True)
    api.wait_status("playing")
    music.get_by_role("button", name="Play chirp.mp3 next").click()
    eventually(lambda: api.uris() == ["long.mp3", "chirp.mp3", "low.mp3"], "inserted")
    assert api.player()["item"]["uri"] == "long.mp3"


def test_clickOnAFile_playsItNow(music, remote, api):
    music.locator('.entry-name[data-path="long.mp3"]').click()
    api.wait_status("playing")
    assert api.player()["item"]["uri"] == "long.mp3"
    expect(remote.title).to_have_text("long")


def test_addFolder_takesTheFilesInIt(music, remote, api):
    music.get_by_role("button", name="Add A Folder to the queue").click()
    expect(remote.toast).to_contain_text("Added 1 track")
    assert api.uris() == ["A Folder/子/deep.mp3"]


@pytest.mark.parametrize("name", ["劉若英.mp3", "100% of it.mp3", "%20.mp3", "a+b&c=d#e?.mp3"])
def test_oddNames_arriveUnchanged(music, remote, api, name):
    music.get_by_role("button", name=f"Add {name} to the queue", exact=True).click()
    eventually(lambda: api.uris() == [name], name)


def test_filter_narrows(music, remote):
    music.get_by_role("searchbox").fill("GAP less".replace(" ", ""))
    expect(music.locator(".entry")).to_have_count(2)
    music.get_by_role("searchbox").fill("nothing has this name")
    expect(music.get_by_role("heading", name="Nothing matches")).to_be_visible()


def test_lostFolder_isExplained(music, remote, api):
    remote.tolerate("Failed to load resource")
    remote.page.evaluate("""() => dispatchEvent(new CustomEvent("open-folder", { detail: { path: "no such folder" } }))""")
    expect(music.get_by_role("heading", name="This folder cannot be shown")).to_be_visible()
    music.get_by_role("button", name="Back to the start").click()
    expect(music.get_by_role("button", name="A Folder", exact=True)).to_be_visible()


def test_escape_emptiesTheFilter_thenLeavesIt(music, remote):
    remote.page.keyboard.press("/")
    filter = music.get_by_role("searchbox")
    expect(filter).to_be_focused()
    filter.press_sequentially("gapless")
    expect(music.locator(".entry")).to_have_count(2)
    remote.page.keyboard.press("Escape")
    expect(filter).to_have_value("")
    expect(filter).to_be_focused()
    expect(music.get_by_role("button", name="A Folder", exact=True)).to_be_visible()
    remote.page.keyboard.press("Escape")
    expect(filter).not_to_be_focused()


@pytest.fixture
def unplayable(start_server, open_remote, directory):
    """The page of a server whose only folder holds what Tonearm does not play."""
    root = directory / "other"
    (root / "Letters").mkdir(parents=True)
    (root / "Letters" / "letter.txt").write_text("This is a letter, not music.")
    return open_remote(url=start_server(music=root).url)


def test_folderWithoutMusic_saysWhatTonearmPlays(unplayable):
    music = unplayable.page.locator("music-browser")
    empty = music.locator(".empty")
    music.get_by_role("button", name="Letters", exact=True).click()
    expect(empty).to_contain_text("Nothing here that Tonearm plays")
    expect(empty).not_to_contain_text("--music")


@pytest.mark.parametrize("button", ["Add Letters to the queue", "Play Letters next", "Play Letters now"])
def test_folderWithoutMusic_addsNothing_andSaysSo(unplayable, button):
    unplayable.page.get_by_role("button", name=button).click()
    expect(unplayable.toast).to_contain_text("There is nothing in it that can be played")
    expect(unplayable.page.locator(".toast-action")).to_have_count(0)


def test_emptyTop_tellsOfTheOption(start_server, open_remote, directory):
    (directory / "bare").mkdir()
    remote = open_remote(url=start_server(music=directory / "bare").url)
    expect(remote.page.locator("music-browser .empty")).to_contain_text("--music")
