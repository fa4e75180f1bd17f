# SPDX-License-Identifier: Apache-2.0
"""Saved playlists from within, and playlist files among the music."""

import shutil

import pytest
from playwright.sync_api import expect

from rig import eventually


@pytest.fixture
def playlists(remote, api):
    items = [{"uri": "long.mp3", "title": f"Track <{n}>", "artist": "Somebody"} for n in range(250)]
    api.call("POST", "/playlists", json={"name": "Long & <bold>", "items": items})
    api.call("POST", "/playlists", json={"name": "Short", "items": [{"uri": "low.mp3"}, {"uri": "chirp.mp3"}]})
    remote.page.get_by_role("tab", name="Playlists").click()
    view = remote.page.locator("playlist-browser")
    expect(view.locator(".entry")).to_have_count(2)
    return view


def test_aPlaylist_isOpened_andPlayedFromATrackOn(playlists, remote, api):
    playlists.get_by_role("button", name="Long & <bold> 250 tracks").click()
    expect(playlists.get_by_role("heading", name="Long & <bold>")).to_be_visible()
    expect(playlists.locator(".entry")).to_have_count(200)
    expect(playlists.locator(".entry").nth(7)).to_contain_text("Track <7>")
    playlists.get_by_role("button", name="Show more").click()
    expect(playlists.locator(".entry")).to_have_count(250)
    expect(playlists.get_by_role("button", name="Show more")).to_be_hidden()
    playlists.locator(".entry-name").nth(7).click()
    eventually(lambda: (api.player()["item"] or {}).get("title") == "Track <7>", "from there")
    assert api.player()["queue"]["length"] == 250
    playlists.get_by_role("button", name="All playlists").click()
    expect(playlists.get_by_role("button", name="Short 2 tracks")).to_be_visible()
    playlists.get_by_role("button", name="Play Short in place of the queue").click()
    eventually(lambda: api.uris() == ["low.mp3", "chirp.mp3"], "the other one")
    api.wait_status("playing")


def test_byKeyboard_inAndOut(playlists, remote):
    playlists.get_by_role("button", name="Short 2 tracks").focus()
    remote.page.keyboard.press("Enter")
    expect(playlists.locator(".entry-name").first).to_be_focused()
    expect(playlists.locator(".entry-name").first).to_contain_text("low")
    playlists.get_by_role("button", name="All playlists").press("Enter")
    expect(playlists.get_by_role("button", name="Long & <bold> 250 tracks")).to_be_focused()


def test_aPlaylist_isRenamed_alsoByAnother(playlists, api):
    playlists.get_by_role("button", name="Short 2 tracks").click()
    name = playlists.get_by_role("textbox", name="Name of this playlist")
    expect(name).to_have_value("Short")
    name.fill("Brief")
    playlists.get_by_role("button", name="Rename").click()
    expect(playlists.get_by_role("heading", name="Brief")).to_be_visible()
    (brief,) = [each for each in api.call("GET", "/playlists")["playlists"] if each["name"] == "Brief"]
    assert brief["length"] == 2
    api.call("PATCH", f"/playlists/{brief['id']}", json={"name": "Terse"})
    playlists.page.get_by_role("tab", name="Playlists").click()
    expect(name).to_have_value("Terse")
    playlists.get_by_role("button", name="All playlists").click()
    expect(playlists.get_by_role("button", name="Terse 2 tracks")).to_be_visible()
    expect(playlists.get_by_role("textbox", name="Name of the new playlist")).to_have_value("")


def test_theNumberOfTracks_makesRoomForALongName(open_remote, api):
    for name in ("Short", "A name that needs all the room there is and more"):
        api.call("POST", "/playlists", json={"name": name, "items": [{"uri": "low.mp3"}]})
    page = open_remote().page
    page.get_by_role("tab", name="Playlists").click()
    notes = page.locator("playlist-browser .entry-size")
    expect(notes).to_have_count(2)
    cut = notes.evaluate_all("(notes) => notes.map((note) => note.clientWidth < note.scrollWidth)")
    names = page.locator("playlist-browser .entry-text").all_inner_texts()
    assert dict(zip(names, cut)) == {"Short": False, "A name that needs all the room there is and more": True}


def test_aPlaylistThatAnotherRemoved_isLeft(playlists, remote, api):
    remote.tolerate("Failed to load resource")
    playlists.get_by_role("button", name="Short 2 tracks").click()
    expect(playlists.get_by_role("heading", name="Short")).to_be_visible()
    (short,) = [each["id"] for each in api.call("GET", "/playlists")["playlists"] if each["name"] == "Short"]
    api.call("DELETE", f"/playlists/{short}")
    remote.page.get_by_role("tab", name="Playlists").click()
    expect(playlists.get_by_role("heading", name="Playlists")).to_be_visible()
    expect(playlists.locator(".entry")).to_have_count(1)


def test_aPlaylistFile_standsForItsTracks(media, music, open_remote, api):
    for name in ("long.mp3", "low.mp3", "chirp.mp3"):
        shutil.copy(media.path(name), music)
    (music / "evening.m3u8").write_text("#EXTM3U\n#EXTINF:20,Somebody - Low tide\nlow.mp3\nchirp.mp3\n")
    remote = open_remote()
    folders = remote.page.locator("music-browser")
    row = folders.locator(".entry", has_text="evening.m3u8")
    expect(row).to_contain_text("Playlist")
    folders.get_by_role("button", name="Add evening.m3u8 to the queue").click()
    expect(remote.toast).to_contain_text("Added 2 tracks to the queue")
    expect(remote.row(0).locator(".row-title")).to_have_text("Low tide")
    folders.get_by_role("button", name="Play evening.m3u8 now").click()
    api.wait_status("playing")
    assert api.player()["item"]["title"] == "Low tide"
    assert len(api.uris()) == 4
