# SPDX-License-Identifier: Apache-2.0
"""Which of several players the page steers."""

from playwright.sync_api import expect

from rig import eventually


def picker(remote):
    return remote.page.get_by_role("combobox", name="Player", exact=True)


def test_onePlayer_needsNoChoice(remote):
    expect(remote.page.get_by_role("combobox", name="Output")).to_be_visible()
    expect(picker(remote)).to_be_hidden()


def test_thePageSteersTheChosenPlayer_andRemembersIt(remote, api):
    ids = api.load("low.mp3")
    api.call("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    expect(picker(remote)).to_be_visible()
    api.call("POST", "/players/kitchen/queue/items", json={"items": [{"uri": "long.mp3"}, {"uri": "chirp.mp3"}]})
    assert api.call("GET", "/players/kitchen/queue")["items"][0]["id"] == ids[0], "ids are each player's own"
    picker(remote).select_option("Kitchen")
    expect(remote.row(0).locator(".row-title")).to_have_text("long")
    expect(remote.row(1).locator(".row-title")).to_have_text("chirp")
    remote.button("Play").click()
    eventually(lambda: api.call("GET", "/players/kitchen")["status"] == "playing", "the kitchen plays")
    expect(remote.status).to_have_text("Playing")
    remote.page.get_by_role("button", name="Add low.mp3 to the queue").click()
    eventually(lambda: api.call("GET", "/players/kitchen/queue")["length"] == 3, "into its queue")
    assert api.player()["status"] != "playing" and api.uris() == ["low.mp3"]
    remote.page.reload()
    remote.wait_connected()
    expect(picker(remote)).to_have_value("kitchen")
    expect(remote.title).to_have_text("long")
    picker(remote).select_option("main")
    expect(remote.row(0).locator(".row-title")).to_have_text("low")
    expect(remote.row(1)).to_have_count(0)
    api.call("PATCH", "/players/kitchen", json={"name": "Cellar"})
    expect(picker(remote).locator("option", has_text="Cellar")).to_have_count(1)


def test_aSelection_endsWithItsPlayer(remote, api):
    """Other items have the same ids there."""
    api.load("low.mp3", "chirp.mp3")
    api.call("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    api.call("POST", "/players/kitchen/queue/items", json={"items": [{"uri": "long.mp3"}]})
    remove = remote.queue.get_by_role("button", name="Remove selected")
    expect(remote.row(0).locator(".row-title")).to_have_text("low")
    remote.row(0).click(modifiers=["Control"])
    expect(remove).to_be_visible()
    picker(remote).select_option("Kitchen")
    expect(remote.row(0).locator(".row-title")).to_have_text("long")
    expect(remove).to_be_hidden()


def test_aSavedPlaylist_holdsTheQueueOfTheChosenPlayer(remote, api):
    api.load("low.mp3", "low.mp3", "low.mp3")
    api.call("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    api.call("PUT", "/players/kitchen/queue", json={"items": [{"uri": "long.mp3"}, {"uri": "chirp.mp3"}]})
    picker(remote).select_option("Kitchen")
    expect(remote.row(1).locator(".row-title")).to_have_text("chirp")
    remote.page.get_by_role("tab", name="Playlists").click()
    view = remote.page.locator("playlist-browser")
    name, save = view.get_by_role("textbox", name="Name of the new playlist"), view.get_by_role("button", name="Save queue")
    name.fill("Mine")
    save.click()
    expect(view.locator(".entry")).to_contain_text("2 tracks")
    api.call("PUT", "/players/kitchen/queue", json={"items": [{"uri": "long.mp3"}]})
    name.fill("Mine")
    save.click()
    remote.page.get_by_role("dialog", name="Replace Mine?").get_by_role("button", name="Replace").click()
    expect(view.locator(".entry")).to_contain_text("1 track")


def test_whenTheChosenPlayerIsRemoved_thePageSaysSo_andSteersMain(remote, api):
    remote.tolerate("Failed to load resource|WebSocket connection")
    api.load("low.mp3")
    api.call("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    picker(remote).select_option("Kitchen")
    expect(remote.row(0)).to_have_count(0)
    api.call("DELETE", "/players/kitchen")
    expect(remote.toast).to_contain_text("Kitchen was removed")
    expect(remote.row(0).locator(".row-title")).to_have_text("low")
    expect(picker(remote)).to_be_hidden()
    # Nor does it matter that it was not there to see it.
    api.call("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    picker(remote).select_option("Kitchen")
    expect(remote.row(0)).to_have_count(0)
    remote.page.goto("about:blank")
    api.call("DELETE", "/players/kitchen")
    remote.page.go_back()
    expect(remote.row(0).locator(".row-title")).to_have_text("low")


def test_aFollower_namesItsLeader(remote, api):
    api.load("long.mp3", play=True)
    api.call("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    picker(remote).select_option("Kitchen")
    expect(remote.status).not_to_contain_text("follows")
    api.call("PATCH", "/players/kitchen", json={"leader": "main"})
    expect(remote.status).to_have_text("Playing · follows main")
    api.call("PATCH", "/players/kitchen", json={"leader": None})
    expect(remote.status).not_to_contain_text("follows")


def test_onAPhone_theNamesAreAsFarFromBothSides(open_remote, api):
    api.call("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    remote = open_remote(viewport={"width": 390, "height": 844})
    box = picker(remote).bounding_box()
    assert box["x"] == 390 - box["x"] - box["width"]
