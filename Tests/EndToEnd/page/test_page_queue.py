# SPDX-License-Identifier: Apache-2.0
"""The queue's list: windows, order, selection, undo."""

import re

import pytest
from playwright.sync_api import expect

from rig import eventually

# Waits until the last move of the pointer is drawn.
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture
def loaded(api):
    return api.load("long.mp3", "chirp.mp3", "low.mp3", "noise.mp3", "left.mp3")


def test_emptyQueue_saysWhatToDo(remote):
    expect(remote.queue.get_by_role("heading", name="The queue is empty")).to_be_visible()
    remote.queue.get_by_role("button", name="Browse music").click()
    expect(remote.page.locator(".entry-name").first).to_be_focused()


def test_playButton_playsTheItem(loaded, remote, api):
    remote.row(2).hover()
    remote.queue.get_by_role("button", name="Play low", exact=True).click()
    eventually(lambda: api.player()["item"]["id"] == loaded[2], "the third item")
    expect(remote.row(2)).to_have_attribute("aria-current", "true")


def test_enter_playsTheFocusedItem(loaded, remote, api):
    remote.row(0).focus()
    remote.page.keyboard.press("ArrowDown")
    expect(remote.row(1)).to_be_focused()
    remote.page.keyboard.press("Enter")
    eventually(lambda: (api.player()["item"] or {}).get("id") == loaded[1], "the second item")


@pytest.mark.smoke
def test_remove_canBeUndone(loaded, remote, api):
    remote.queue.get_by_role("button", name="Remove chirp").click()
    expect(remote.toast).to_contain_text("Removed 1 track")
    assert api.ids() == loaded[:1] + loaded[2:]
    expect(remote.row(1).locator(".row-title")).to_have_text("low")
    remote.toast.get_by_role("button", name="Undo").click()
    eventually(lambda: api.ids() == loaded, "as before")
    expect(remote.row(1).locator(".row-title")).to_have_text("chirp")


def test_undoInAToast_belongsToItsEdit(loaded, remote, api):
    undo = remote.page.locator(".toast").get_by_role("button", name="Undo")
    remote.queue.get_by_role("button", name="Remove chirp").click()
    expect(undo).to_have_count(1)
    older = undo.get_attribute("data-revision")
    remote.queue.get_by_role("button", name="Remove low").click()
    expect(remote.toast.locator(".toast-action")).not_to_have_attribute("data-revision", older)
    expect(remote.page.locator(".toast")).to_have_count(1)
    undo.click()
    eventually(lambda: api.ids() == [loaded[0], *loaded[2:]], "the newer edit is taken back")
    expect(undo).to_have_count(0)


def test_undoInAToast_goesWithTheNextEdit(loaded, remote, api):
    removed = remote.page.locator(".toast").filter(has_text="Removed")
    remote.queue.get_by_role("button", name="Remove chirp").click()
    expect(removed.locator(".toast-action")).to_be_visible()
    remote.queue.get_by_role("button", name="Clear queue").click()
    expect(remote.toast).to_contain_text("Queue cleared")
    expect(removed.locator(".toast-action")).to_have_count(0)
    expect(remote.toast.locator(".toast-action")).to_be_visible()
    # Under the pointer it does not expire.
    remote.toast.hover()
    remote.page.keyboard.press("Control+z")
    expect(remote.page.locator(".toast-action")).to_have_count(0)
    expect(remote.page.locator(".toast").filter(has_text="Queue cleared")).to_have_count(0)
    assert api.ids() == [loaded[0], *loaded[2:]]


def test_undoInAToast_goesWithAnEditOfAnotherClient(loaded, remote, api):
    remote.queue.get_by_role("button", name="Remove chirp").click()
    expect(remote.toast.locator(".toast-action")).to_be_visible()
    api.call("POST", "/queue/items", json={"items": [{"uri": "noise.mp3"}]})
    expect(remote.page.locator(".toast-action")).to_have_count(0)


def test_messageOfASkippedItem_expires_andIsNotRepeatedForTheNext(open_remote, api):
    remote = open_remote(viewport={"width": 390, "height": 844})
    remote.tolerate("Failed to load resource")
    api.load("text.mp3", "long.mp3", play=True)
    told = remote.page.locator(".toast").filter(has_text="text.mp3 cannot be played: ")
    expect(told).to_have_count(1)
    error = api.wait_status("playing")["error"]
    assert error["itemId"] == api.ids()[0], "the server still tells it"
    expect(remote.title).to_have_text("long")
    remote.tab("Queue")
    reason = remote.row(0).locator(".row-detail")
    expect(reason).to_have_text(error["message"])
    assert reason.evaluate("(line) => line.scrollHeight <= line.clientHeight && line.scrollWidth <= line.clientWidth"), "whole"
    box, row = reason.bounding_box(), remote.row(0).bounding_box()
    assert row["y"] <= box["y"] and box["y"] + box["height"] <= row["y"] + row["height"], "within its row"
    expect(remote.row(1).locator(".row-detail")).to_have_text("")
    expect(told).to_have_count(0, timeout=15_000)
    expect(remote.status).to_have_text("Playing")
    remote.page.reload()
    remote.wait_connected()
    expect(remote.status).to_have_text("Playing")
    expect(remote.page.locator(".toast")).to_have_count(0)


def test_fileThatCannotBePlayed_isToldAndMarked(remote, api):
    """Another client chose it. The queue goes on without it: only the page's words tell that it is not what is heard. Chosen here,
    it is refused before anything is lost."""
    api.start("long.mp3", "chirp.mp3")
    remote.tolerate("Failed to load resource")
    api.add("text.mp3", position="next", play=True)
    told = remote.page.locator(".toast").filter(has_text="text.mp3 cannot be played: ")
    expect(told).to_have_count(1)
    expect(told).to_have_attribute("data-tone", "error")
    # Before it expires.
    told.get_by_role("button", name="Dismiss").click()
    expect(remote.status).to_have_text("Playing")
    expect(remote.title).to_have_text("chirp")
    failed = remote.page.locator(".queue-row.failed")
    expect(failed).to_have_count(1)
    expect(failed).to_contain_text("text.mp3 cannot be played: ")
    expect(failed.locator(".row-warning")).to_be_visible()
    failed.hover()
    failed.get_by_role("button", name="Play text", exact=True).click()
    expect(told).to_have_count(1)
    expect(failed).to_have_count(1)
    failed.hover()
    failed.get_by_role("button", name="Remove text", exact=True).click()
    expect(failed).to_have_count(0)


def test_severalItems_areRemovedTogether(loaded, remote, api):
    remote.row(0).locator(".row-text").click()
    remote.row(2).locator(".row-text").click(modifiers=["Shift"])
    expect(remote.page.locator('.queue-row[aria-selected="true"]')).to_have_count(3)
    remote.page.keyboard.press("Delete")
    expect(remote.toast).to_contain_text("Removed 3 tracks")
    assert api.ids() == loaded[3:]
    remote.queue.get_by_role("button", name="Undo").click()
    eventually(lambda: api.ids() == loaded, "as before")
    remote.queue.get_by_role("button", name="Redo").click()
    eventually(lambda: api.ids() == loaded[3:], "and gone again")


@pytest.fixture
def eight(api):
    return api.load(*({"uri": "long.mp3", "title": f"Track {n}"} for n in range(8)))


def test_shift_selectsFromTheFocus_afterDelete_escape_andAnArrow(eight, remote, api):
    chosen = remote.page.locator('.queue-row[aria-selected="true"] .row-title')
    press = remote.page.keyboard.press
    remote.row(2).focus()
    press("Shift+ArrowDown")
    expect(chosen).to_have_text(["Track 2", "Track 3"])
    press("Delete")
    expect(remote.row(2)).to_be_focused()
    expect(remote.row(2).locator(".row-title")).to_have_text("Track 4")
    press("Control+z")
    expect(remote.row(3).locator(".row-title")).to_have_text("Track 3")
    assert api.ids() == eight
    press("Home")
    for _ in range(5):
        press("ArrowDown")
    expect(remote.row(5)).to_be_focused()
    remote.wait_rows()
    press("Shift+ArrowUp")
    expect(chosen).to_have_text(["Track 4", "Track 5"])
    press("Escape")
    expect(chosen).to_have_count(0)
    press("Shift+ArrowUp")
    expect(chosen).to_have_text(["Track 3", "Track 4"])
    press("ArrowUp")
    press("Shift+ArrowUp")
    expect(chosen).to_have_text(["Track 1", "Track 2"])


def test_theFocus_isOnTheTrackAfterThoseThatWereRemoved(eight, remote):
    press = remote.page.keyboard.press

    def remove(number: int, row: int, title: str) -> None:
        press("Delete")
        expect(remote.page.locator(".queue-row")).to_have_count(number)
        expect(remote.row(row)).to_be_focused()
        expect(remote.row(row).locator(".row-title")).to_have_text(title)

    remote.row(1).focus()
    press("Shift+ArrowDown")
    press("Shift+ArrowDown")
    remove(5, 1, "Track 4")
    # Further ones that are not neighbours.
    for index in (0, 2):
        remote.row(index).locator(".row-text").click(modifiers=["Control"])
    remove(3, 1, "Track 6")
    press("End")
    press("Shift+ArrowUp")
    remove(1, 0, "Track 4")


def test_clear_canBeUndone(loaded, remote, api):
    remote.queue.get_by_role("button", name="Clear queue").click()
    expect(remote.queue.get_by_role("heading", name="The queue is empty")).to_be_visible()
    assert api.ids() == []
    remote.page.keyboard.press("Control+z")
    eventually(lambda: api.ids() == loaded, "as before")
    expect(remote.row(4)).to_be_visible()


@pytest.mark.parametrize("start, end, order", [(4, 0, [4, 0, 1, 2, 3]), (1, 5, [0, 2, 3, 4, 1])])
def test_drag_reorders(loaded, remote, api, start, end, order):
    handle = remote.row(start).locator(".row-handle").bounding_box()
    top = remote.row(0).bounding_box()["y"]
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    remote.page.mouse.move(x, y)
    remote.page.mouse.down()
    target = top + end * 60
    for step in range(1, 9):
        remote.page.mouse.move(x, y + (target - y) * step / 8)
    expect(remote.page.locator(".queue-gap")).to_be_visible()
    remote.page.evaluate(NEXT_FRAME)
    remote.page.mouse.up()
    wanted = [loaded[index] for index in order]
    eventually(lambda: api.ids() == wanted, "the new order")
    eventually(lambda: remote.shown_ids() == wanted, "the list shows it")


def test_escape_endsADrag_withoutChange(loaded, remote, api):
    handle = remote.row(0).locator(".row-handle").bounding_box()
    remote.page.mouse.move(handle["x"] + 10, handle["y"] + 20)
    remote.page.mouse.down()
    remote.page.mouse.move(handle["x"] + 10, handle["y"] + 200)
    remote.page.keyboard.press("Escape")
    remote.page.mouse.up()
    assert api.ids() == loaded
    expect(remote.page.locator(".queue-gap")).to_be_hidden()


def test_drag_worksByTouch(loaded, open_remote, api):
    remote = open_remote(viewport={"width": 390, "height": 844}, has_touch=True)
    remote.tab("Queue")
    handle = remote.row(0).locator(".row-handle").bounding_box()
    x, y = handle["x"] + 10, handle["y"] + 30
    touch = remote.page.context.new_cdp_session(remote.page)

    def send(kind: str, at: float | None = None) -> None:
        points = [] if at is None else [{"x": x, "y": at}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", y)
    for step in range(1, 7):
        send("touchMove", y + step * 20)
    remote.page.evaluate(NEXT_FRAME)
    send("touchEnd")
    eventually(lambda: api.ids() == [loaded[index] for index in (1, 2, 0, 3, 4)], "moved by two")


@pytest.fixture
def phone(loaded, open_remote):
    remote = open_remote(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    remote.tab("Queue")
    return remote


def test_tap_plays(loaded, phone, api):
    phone.row(1).locator(".row-title").tap()
    eventually(lambda: (api.player()["item"] or {}).get("id") == loaded[1], "the second item")
    api.wait_status("playing")
    assert phone.page.locator('.queue-row[aria-selected="true"]').count() == 0


def test_longPress_selects_andTapsAddToIt(loaded, phone, api):
    box = phone.row(2).locator(".row-title").bounding_box()
    touch = phone.page.context.new_cdp_session(phone.page)
    at = [{"x": box["x"] + 10, "y": box["y"] + 5}]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at})
    expect(phone.row(2)).to_have_attribute("aria-selected", "true")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    phone.row(3).locator(".row-title").tap()
    expect(phone.row(3)).to_have_attribute("aria-selected", "true")
    expect(phone.row(2)).to_have_attribute("aria-selected", "true")
    assert api.player()["status"] not in ("playing", "loading"), "selecting plays nothing"
    phone.queue.get_by_role("button", name="Remove selected").tap()
    eventually(lambda: api.ids() == [*loaded[:2], loaded[4]], "both are gone")


def test_altArrows_reorder_andKeepTheFocus(loaded, remote, api):
    remote.row(0).focus()
    for _ in range(2):
        remote.page.keyboard.press("Alt+ArrowDown")
    wanted = [loaded[index] for index in (1, 2, 0, 3, 4)]
    eventually(lambda: api.ids() == wanted, "two down")
    expect(remote.row(2)).to_be_focused()
    remote.page.keyboard.press("Alt+ArrowUp")
    eventually(lambda: api.ids() == [loaded[index] for index in (1, 0, 2, 3, 4)], "one up")


def test_changesOfOthers_areShown(loaded, remote, api):
    expect(remote.row(4)).to_be_visible()
    api.call("POST", "/queue/move", json={"ids": [loaded[4]], "position": 0})
    eventually(lambda: remote.shown_ids() == [loaded[4], *loaded[:4]], "the new order")
    api.call("DELETE", "/queue")
    expect(remote.queue.get_by_role("heading", name="The queue is empty")).to_be_visible()


def test_longQueue_isShownThroughAWindow(remote, api):
    api.call("PUT", "/queue", json={"items": [{"uri": "long.mp3", "title": f"Track {n}"} for n in range(20_000)]})
    expect(remote.queue.locator(".pane-count")).to_have_text("20,000 tracks")
    expect(remote.row(0).locator(".row-title")).to_have_text("Track 0")
    assert remote.page.locator(".queue-row").count() < 60
    remote.page.locator(".queue-scroll").evaluate("(list) => list.scrollTo(0, 60 * 12345)")
    expect(remote.row(12_345).locator(".row-title")).to_have_text("Track 12345")
    assert remote.page.locator(".queue-row").count() < 60
    remote.row(12_345).focus()
    remote.page.keyboard.press("End")
    expect(remote.row(19_999)).to_be_focused()
    expect(remote.row(19_999).locator(".row-title")).to_have_text("Track 19999")
    remote.page.set_viewport_size({"width": 320, "height": 640})
    remote.tab("Queue")
    assert remote.page.locator("#queue-heading").evaluate("(name) => name.scrollWidth <= name.clientWidth"), "it is not cut"


def test_grid_tellsItsSize(loaded, remote):
    grid = remote.page.get_by_role("grid", name="Queue")
    expect(grid).to_have_attribute("aria-rowcount", "5")
    expect(remote.row(3)).to_have_attribute("aria-rowindex", "4")
    assert remote.page.locator('.queue-row[tabindex="0"]').count() == 1, "one stop for the Tab key"
    expect(remote.row(0).get_by_role("button", name=re.compile("Remove"))).to_have_attribute("tabindex", "-1")


def test_selectAll_takesWhatWasNeverLoaded(remote, api):
    api.call("PUT", "/queue", json={"items": [{"uri": "long.mp3", "title": f"Track {n}"} for n in range(2000)]})
    expect(remote.row(0).locator(".row-title")).to_have_text("Track 0")
    remote.row(0).focus()
    remote.page.keyboard.press("Control+a")
    expect(remote.row(3)).to_have_attribute("aria-selected", "true")
    remote.page.keyboard.press("Delete")
    expect(remote.queue.get_by_role("heading", name="The queue is empty")).to_be_visible()
    remote.page.keyboard.press("Control+z")
    expect(remote.queue.locator(".pane-count")).to_have_text("2,000 tracks")


def test_rows_showTagsAndDurations_ofWhatWasNeverPlayed(remote, api):
    api.load("low.mp3", "tagged.mp3", {"uri": "chirp.mp3", "title": "Given"}, "text.mp3")
    expect(remote.row(1).locator(".row-title")).to_have_text("The Title")
    expect(remote.row(1).locator(".row-detail")).to_have_text("The Artist – The Album")
    expect(remote.row(2).locator(".row-title")).to_have_text("Given")
    expect(remote.row(2).locator(".row-duration")).to_have_text("0:30")
    remote.tolerate("Failed to load resource")
    expect(remote.row(3).locator(".row-title")).to_have_text("text")
    expect(remote.row(3).locator(".row-duration")).to_have_text("")
