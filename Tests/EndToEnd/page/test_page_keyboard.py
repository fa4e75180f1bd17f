# SPDX-License-Identifier: Apache-2.0
"""Everything by keyboard alone, and the focus where it was."""

import re

import pytest
from playwright.sync_api import expect

from rig import eventually

FOCUS = """() => { const { activeElement: at } = document; return at.closest("music-browser li, .queue-row")?.innerText.trim() ?? at.localName; }"""


def names_by_tab(page, stops: int) -> list[str]:
    names = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        names.append(page.evaluate("""() => { const { activeElement: at } = document;
            return (at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent ?? "").trim().replace(/\\s+/g, " "); }"""))
    return names


def test_tab_reachesEveryPart_inFewSteps(remote, api):
    api.load("long.mp3", "chirp.mp3", play=True)
    expect(remote.row(0)).to_have_attribute("aria-current", "true")
    expect(remote.page.locator(".entry").nth(20)).to_be_attached()
    for control in (remote.page.get_by_role("combobox", name="Output"), remote.position):
        expect(control).to_be_enabled()
    names = names_by_tab(remote.page, 40)
    places = [next(at for at, name in enumerate(names) if re.match(wanted, name)) for wanted in
              ("Output", "Folders", "Filter this folder", "A Folder", "Add A Folder", "Position", "Pause", "Volume", "Clear queue")]
    assert places == sorted(places)
    assert all(names), "no control without a name"


def test_arrows_goThroughTheFolder_andEnterKeepsThePlace(remote, api):
    page = remote.page
    expect(page.locator(".entry-name").first).to_be_visible()
    page.keyboard.press("3")
    page.get_by_role("searchbox").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUS) == "A Folder"
    page.keyboard.press("Enter")
    expect(page.locator(".breadcrumb [aria-current]")).to_have_text("A Folder")
    eventually(lambda: page.evaluate(FOCUS) == "子", "in the folder that was opened")
    page.keyboard.press("Backspace")
    eventually(lambda: page.evaluate(FOCUS) == "A Folder", "and back")
    # From the last button of a folder, which has more of them than a file.
    for _ in range(3):
        page.keyboard.press("Tab")
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(remote.toast).to_contain_text("Added 1 track to the queue")
    assert api.player()["volume"] == 1, "the arrows are the list's"


def test_aListThatIsDrawnAnew_keepsTheFocus(remote, api):
    for name in ("One", "Two", "Three"):
        api.call("POST", "/playlists", json={"name": name, "items": [{"uri": "low.mp3"}]})
    page = remote.page
    page.get_by_role("tab", name="Playlists").click()
    page.get_by_role("button", name="Remove the playlist Three").focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Remove").press("Enter")
    expect(page.get_by_role("button", name="Remove the playlist Two")).to_be_focused()


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, {"width": 390, "height": 844}], ids=["desktop", "phone"])
def test_theKeyOfTheQueue_leadsToTheCurrentItem_andTheArrowsGoOn(open_remote, api, viewport):
    api.call("PUT", "/queue", json={"items": [{"uri": "long.mp3", "title": f"Track {n}"} for n in range(1000)], "index": 500})
    remote = open_remote(viewport=viewport)
    remote.page.locator("[data-icon=queue]:visible, .queue-row[data-index='500']:visible").first.wait_for()
    remote.page.keyboard.press("2")
    expect(remote.row(500)).to_be_focused()
    expect(remote.row(500)).to_be_in_viewport(ratio=1)
    remote.page.keyboard.press("ArrowDown")
    expect(remote.row(501)).to_be_focused()
    remote.wait_rows()
    remote.page.keyboard.press("Delete")
    expect(remote.toast).to_contain_text("Removed 1 track")
    expect(remote.row(501)).to_contain_text("Track 502")
    assert api.player()["volume"] == 1, "the arrows are the queue's"


def test_theKeyOfTheQueue_leadsToItsPane_whileItIsEmpty(page):
    page.keyboard.press("2")
    expect(page.locator("#pane-queue")).to_be_focused()


@pytest.mark.parametrize("key", ["ArrowDown", "Enter"])
@pytest.mark.parametrize("tab, row", [("Folders", "chirp.mp3"), ("Library", "chirp")])
def test_fromTheSearchField_oneKeyLeadsToTheFirstResult(remote, api, tab, row, key):
    page = remote.page
    page.get_by_role("tab", name=tab).click()
    page.locator(".entry-name:visible, .album-open:visible").last.focus()
    page.keyboard.press("/")
    page.keyboard.type("chirp")
    expect(page.locator(".entry-name:visible")).to_have_count(1)
    page.keyboard.press(key)
    expect(page.locator(".entry-name:visible")).to_contain_text(row)
    expect(page.locator(".entry-name:visible")).to_be_focused()
    assert api.ids() == [] and api.player()["volume"] == 1


def test_sideways_theArrowsSeek_alsoFromTheSliderAndTheRows(remote, api):
    api.start("long.mp3")
    api.pause()
    remote.wait_rows()
    for place in (remote.position, remote.row(0), remote.page.locator(".entry-name").first):
        before = api.player()["position"]
        place.focus()
        remote.page.keyboard.press("ArrowRight")
        eventually(lambda: api.player()["position"] == pytest.approx(before + 5, abs=0.1), f"five seconds from {place}")
    remote.position.focus()
    remote.page.keyboard.press("ArrowDown")
    eventually(lambda: api.player()["level"] == pytest.approx(0.95), "the volume")


def test_escape_emptiesTheSearchOfTheLibrary_thenLeavesIt(page):
    page.get_by_role("tab", name="Library").click()
    page.locator(".entry-name:visible, .album-open:visible").last.focus()
    page.keyboard.press("/")
    page.keyboard.type("chirp")
    field = page.get_by_role("searchbox")
    expect(field).to_have_value("chirp")
    page.keyboard.press("Escape")
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()


@pytest.mark.parametrize("tab", ["now", "queue"])
def test_skipLinks_leadToTheirPane_alsoOnAPhone(open_remote, tab):
    remote = open_remote(viewport={"width": 390, "height": 844})
    remote.tab("Music")
    remote.page.locator(f'.skip-link[data-tab="{tab}"]').press("Enter")
    expect(remote.page.locator(f"#pane-{tab}")).to_be_visible()
    expect(remote.page.locator(f"#pane-{tab}")).to_be_focused()


def test_theQueueHasOneStop_whereverItIsScrolledTo(remote, api):
    api.call("PUT", "/queue", json={"items": [{"uri": "long.mp3", "title": f"Track {n}"} for n in range(1000)]})
    expect(remote.row(0)).to_be_visible()
    remote.page.locator(".queue-scroll").evaluate("(list) => list.scrollTo(0, 60 * 500)")
    expect(remote.row(500)).to_have_attribute("tabindex", "0")
    remote.queue.get_by_role("button", name="Clear queue").focus()
    remote.page.keyboard.press("Tab")
    expect(remote.row(500)).to_be_focused()


def test_currentItem_isInView_inALongQueue(open_remote, api):
    api.call("PUT", "/queue", json={"items": [{"uri": "long.mp3", "title": f"Track {n}"} for n in range(10_000)], "index": 5000})
    api.play(index=5000)
    desktop = open_remote()
    expect(desktop.row(5000)).to_be_in_viewport(ratio=1)
    phone = open_remote(viewport={"width": 390, "height": 844})
    phone.tab("Queue")
    expect(phone.row(5000)).to_be_in_viewport(ratio=1)
    # The list follows the current item only while that is in view.
    phone.page.locator(".queue-scroll").evaluate("(list) => list.scrollTo(0, 0)")
    expect(phone.row(0)).to_be_visible()
    api.play(index=7000)
    expect(desktop.row(7000)).to_be_in_viewport(ratio=1)
    expect(phone.page.locator(".mini-title")).to_have_text("Track 7000")
    expect(phone.row(0)).to_be_in_viewport()
