# SPDX-License-Identifier: Apache-2.0
"""Each control does what it says, and shows what the server says."""

import json
import re
import statistics

import pytest
from playwright.sync_api import expect

from rig import PATIENCE, during, eventually


@pytest.fixture
def playing(api):
    ids = api.load("long.mp3", "chirp.mp3", "low.mp3")
    api.play(index=0)
    api.wait_status("playing")
    return ids


@pytest.mark.smoke
def test_play_thenPauseAndStop_followTheServer(remote, api):
    api.load("long.mp3")
    remote.button("Play").click()
    api.wait_status("playing")
    expect(remote.button("Pause")).to_be_visible()
    expect(remote.status).to_have_text("Playing")
    expect(remote.page).to_have_title(re.compile("^▶ long"))
    remote.button("Pause").click()
    api.wait_status("paused")
    remote.button("Play").click()
    api.wait_status("playing")
    expect(remote.button("Pause")).to_be_visible()
    remote.button("Stop").click()
    api.wait_status("stopped")
    expect(remote.button("Play")).to_be_visible()


def test_nextAndPrevious_changeTheItem_andTenSecondButtonsSeek(playing, remote, api):
    # However long the next item was heard.
    api.settings(previousRestartsAfter=0)
    remote.button("Next").click()
    expect(remote.title).to_have_text("chirp")
    assert api.player()["queueIndex"] == 1
    remote.button("Previous").click()
    expect(remote.title).to_have_text("long")
    assert api.player()["queueIndex"] == 0
    api.pause()
    before = api.player()["position"]
    for button, places in (("Forward 10 seconds", 10), ("Back 10 seconds", 0)):
        remote.button(button).click()
        eventually(lambda: abs(api.player()["position"] - before - places) < 0.5, button)
    # Quick steps add up.
    for _ in range(3):
        remote.page.keyboard.press("l")
    eventually(lambda: abs(api.player()["position"] - before - 30) < 0.5, "30 s further")


def test_modes_goRound(playing, remote, api):
    remote.button("Shuffle").click()
    expect(remote.button("Shuffle")).to_have_attribute("aria-pressed", "true")
    assert api.player()["shuffle"] is True
    for mode, name in (("all", "Repeat: all"), ("one", "Repeat: one track"), ("off", "Repeat: off")):
        remote.button(re.compile("^Repeat")).click()
        expect(remote.button(name)).to_be_visible()
        assert api.player()["repeat"] == mode


def test_muteAndVolume_areSeparate(playing, remote, api):
    remote.button("Mute").click()
    eventually(lambda: api.player()["muted"], "muted")
    expect(remote.button("Mute")).to_have_attribute("aria-pressed", "true")
    assert api.player()["volume"] == 1
    remote.button("Mute").click()
    eventually(lambda: not api.player()["muted"], "not muted")
    box = remote.volume.bounding_box()
    remote.volume.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    eventually(lambda: abs(api.player()["level"] - 0.5) < 0.03, "half the volume")


def test_holdingNext_scansUntilReleased(playing, remote, api):
    # A slow browser may let go behind the end.
    api.settings(repeat="one")
    box = remote.button("Next").bounding_box()
    remote.page.mouse.move(box["x"] + 20, box["y"] + 20)
    remote.page.mouse.down()
    eventually(lambda: api.player()["position"] > 4, "faster than real time", timeout=4)
    remote.page.mouse.up()
    eventually(lambda: api.player()["rate"] == 1, "normal speed again")
    assert api.player()["queueIndex"] == 0, "a long press is no click"


def test_seekBar_moves_whilePlaying_andStandsStillWhilePaused(playing, remote, api):
    first = float(remote.position.input_value())
    eventually(lambda: float(remote.position.input_value()) > first + 0.5, "the bar moves on")
    expect(remote.page.locator(".seek-duration")).to_have_text("0:40")
    api.pause()
    expect(remote.status).to_have_text("Paused")
    first = remote.position.input_value()
    during(0.6, lambda: remote.position.input_value() == first, "the bar moves")


def test_click_onTheBar_seeks(playing, remote, api):
    api.pause()
    box = remote.position.bounding_box()
    remote.position.click(position={"x": box["width"] * 0.5, "y": box["height"] / 2})
    eventually(lambda: abs(api.player()["position"] - 20) < 1, "the middle")
    assert abs(float(remote.position.input_value()) - 20) < 1


def test_theKeyEnd_leadsToTheEndOfTheItem_andKeepsTheFocus(playing, remote, api):
    api.pause()
    expect(remote.status).to_have_text("Paused")
    remote.position.press("End")
    player = eventually(lambda: (player := api.player())["position"] > 30 and player, "the end")
    assert (player["item"]["id"], player["position"]) == (playing[0], pytest.approx(player["duration"] - 1, abs=0.1))
    expect(remote.position).to_be_focused()


@pytest.mark.smoke
def test_twoPages_seeEachOther(playing, open_remote):
    one, two = open_remote(), open_remote()
    flag = """(name) => new Promise((resolve) => {
        const button = document.querySelector("[data-action=toggle]");
        const done = () => button.getAttribute("aria-label") === name && resolve(Date.now());
        new MutationObserver(done).observe(button, { attributes: true });
        done();
    })"""
    expect(two.button("Pause")).to_be_visible()
    taken = []
    for name in ("Play", "Pause") * 3:
        two.page.evaluate(f"() => {{ window.flipped = ({flag})('{name}'); }}")
        clicked = one.page.evaluate("() => { document.querySelector('[data-action=toggle]').click(); return Date.now(); }")
        taken.append(two.page.evaluate("() => window.flipped") - clicked)
        expect(one.button(name)).to_be_visible()
    # Row 7.
    assert statistics.median(taken) < 250 * PATIENCE, taken


def test_refusedCommand_reverts_andSaysWhy(playing, remote, api):
    api.pause()
    api.seek(position=1)
    expect(remote.button("Play")).to_be_visible()
    remote.tolerate("Failed to load resource")
    problem = {"type": "about:blank", "title": "Conflict", "status": 409, "code": "invalid-state", "detail": "Not in this state."}
    remote.page.route("**/api/v1/player**", lambda route: route.fulfill(
        status=409, content_type="application/problem+json", json=problem))
    remote.button("Play").click()
    expect(remote.toast).to_contain_text("Not in this state.")
    expect(remote.button("Play")).to_be_visible()
    remote.button("Shuffle").click()
    expect(remote.button("Shuffle")).to_have_attribute("aria-pressed", "false")
    box = remote.volume.bounding_box()
    remote.volume.click(position={"x": box["width"] * 0.2, "y": box["height"] / 2})
    expect(remote.page.locator(".volume-value")).to_have_text("100 %")
    remote.position.click(position={"x": 200, "y": 14})
    eventually(lambda: float(remote.position.input_value()) < 5, "the bar goes back")


def test_keys_actFromAnywhere(playing, remote, api):
    api.pause()
    api.seek(position=1)
    expect(remote.button("Play")).to_be_visible()
    for key, check in [
        ("l", lambda player: player["position"] > 10), ("ArrowRight", lambda player: player["position"] > 15),
        (" ", lambda player: player["status"] == "playing"), ("m", lambda player: player["muted"]),
        ("r", lambda player: player["repeat"] == "all"), ("n", lambda player: player["queueIndex"] == 1),
        ("s", lambda player: player["shuffle"]),
        ("ArrowDown", lambda player: abs(player["level"] - 0.95) < 0.001),
    ]:
        assert not check(api.player()), key
        remote.page.keyboard.press(key)
        eventually(lambda: check(api.player()), f"key {key}")
    # It sends the verb that the page shows.
    expect(remote.button("Pause")).to_be_visible()
    remote.page.keyboard.press("k")
    api.wait_status("paused")
    for key, place in (("2", '.queue-row[aria-current="true"]'), ("3", ".entry-name >> nth=0"), ("1", "#pane-now")):
        remote.page.keyboard.press(key)
        expect(remote.page.locator(place)).to_be_focused()


def test_timeEvents_comeTwiceASecond(playing, open_remote):
    stamps: list[int] = []

    def received(text: str) -> None:
        event = json.loads(text)
        if event["type"] == "time":
            stamps.append(event["at"])

    remote = open_remote(wait=False)
    remote.page.on("websocket", lambda socket: socket.on("framereceived", received))
    remote.page.reload()
    remote.wait_connected()
    stamps.clear()
    eventually(lambda: remote.page.evaluate("8") <= len(stamps), "some time", timeout=20)
    # Row 8. `test_time_comes_at_each_clients_interval` counts them for 10 s.
    assert statistics.median(later - earlier for earlier, later in zip(stamps, stamps[1:])) == pytest.approx(500, rel=0.1)


@pytest.mark.parametrize("size, tab, scroll", [((1280, 800), None, ".browser-scroll"), ((390, 844), "Music", ".browser-scroll"), ((390, 844), "Queue", ".queue-scroll")])
def test_messages_leaveTheListFree(playing, open_remote, size, tab, scroll):
    remote = open_remote(viewport={"width": size[0], "height": size[1]})
    if tab:
        remote.tab(tab)
    shown = remote.page.locator(scroll).filter(visible=True)
    before = shown.bounding_box()
    remote.page.evaluate("""() => { for (const word of ["one ", "two "]) dispatchEvent(new CustomEvent("notify", { detail: { message: word.repeat(20), tone: "error" } })); }""")
    expect(remote.page.locator(".toast")).to_have_count(2)
    top = remote.page.locator(".toast").first.bounding_box()["y"]
    eventually(lambda: (box := shown.bounding_box())["y"] == before["y"] and box["y"] + box["height"] <= top, "the list ends above them")
    remote.page.locator(".toast").first.get_by_role("button", name="Dismiss").click()
    remote.page.locator(".toast").first.get_by_role("button", name="Dismiss").click()
    eventually(lambda: shown.bounding_box() == before, "as before")


@pytest.mark.parametrize("size, number, words", [((1280, 800), 3, 40), ((320, 640), 1, 15), ((844, 390), 1, 15)])
def test_messages_leaveThePlayersButtonsFree(playing, open_remote, size, number, words):
    remote = open_remote(viewport={"width": size[0], "height": size[1]})
    remote.page.evaluate("""([number, words]) => { for (const word of ["one", "two", "three"].slice(0, number))
        dispatchEvent(new CustomEvent("notify", { detail: { message: `${word} `.repeat(words), tone: "error" } })); }""", [number, words])
    expect(remote.page.locator(".toast")).to_have_count(number)
    covered = remote.page.evaluate("""() => [...document.querySelectorAll(".player button, .player input")].filter((control) => {
        const { x, y, width, height } = control.getBoundingClientRect();
        return document.elementFromPoint(x + width / 2, y + height / 2)?.closest("toast-stack");
    }).map((control) => control.outerHTML)""")
    assert covered == []


def test_draggedBar_staysUnderThePointer_whileTimePasses(playing, remote):
    """Events keep coming during a drag; the bar belongs to the hand until it lets go."""
    box = remote.position.bounding_box()
    middle = box["y"] + box["height"] / 2
    remote.page.mouse.move(box["x"] + 10, middle)
    remote.page.mouse.down()
    remote.page.mouse.move(box["x"] + box["width"] * 0.5, middle, steps=5)
    held = remote.position.input_value()
    seen = remote.page.evaluate("""async () => {
        const bar = document.querySelector(".seek-track input");
        const values = new Set();
        for (const end = performance.now() + 1600; performance.now() < end;) {
            values.add(bar.value);
            await new Promise(requestAnimationFrame);
        }
        return [...values];
    }""")
    assert seen == [held]
    remote.page.mouse.up()
    eventually(lambda: float(remote.position.input_value()) > float(held) + 0.3, "it moves again")


def test_fiftySeeksASecond_endWhereTheHandStopped(playing, remote, api):
    network = remote.page.context.new_cdp_session(remote.page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 120, "downloadThroughput": -1, "uploadThroughput": -1})
    asked: list[str] = []
    remote.page.on("request", lambda request: request.url.endswith("/seek") and asked.append(request.url))
    took = remote.page.evaluate("""async () => {
        const bar = document.querySelector(".seek-track input");
        const began = performance.now();
        for (let step = 0; step < 150; step += 1) {
            bar.value = 2 + (step * 17) % 36;
            if (step === 149) bar.value = 31;
            bar.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        bar.dispatchEvent(new Event("change", { bubbles: true }));
        return performance.now() - began;
    }""")
    eventually(lambda: 31 <= api.player()["position"] < 34, "the last one counts")
    assert len(asked) < took / 50, "what the network could not carry was left out"
    api.wait_status("playing")


def test_progress_reachesTheEnd(remote, api):
    api.play_through("short-0.mp3")
    player = api.player()
    assert player["position"] == player["duration"]
    expect(remote.status).to_have_text("Finished – end of the queue")
    assert float(remote.position.input_value()) == pytest.approx(player["duration"], abs=0.011)
    expect(remote.page.locator(".seek-fill")).to_have_attribute("style", re.compile(r"--progress: 1\b"))


def test_jumpToAnotherItem_showsNoOldTime(playing, remote, api):
    api.seek(position=30)
    eventually(lambda: float(remote.position.input_value()) > 30, "far into the first")
    stale = remote.page.evaluate("""() => new Promise((resolve) => {
        const title = document.querySelector(".track-title");
        new MutationObserver(() => requestAnimationFrame(() =>
            resolve(Number(document.querySelector(".seek-track input").value)))).observe(title, { childList: true, characterData: true, subtree: true });
        document.querySelector("[data-action=next]").click();
    })""")
    assert stale < 2
    expect(remote.page.locator(".seek-duration")).to_have_text("0:30")


def test_brokenFile_isNamedWithItsReason(remote, api):
    remote.tolerate("Failed to load resource")
    # Not by a click: the page looks first.
    api.load("text.mp3", play=True)
    reason = api.wait_status("failed")["error"]["message"]
    assert "text.mp3" in reason
    expect(remote.status).to_have_text(f"Failed: {reason}")
    expect(remote.page.locator(".status-line")).to_have_attribute("data-tone", "error")


def test_theBufferBar_showsWhatIsLoaded(remote, api, media, origin):
    """Row 15: one part that grows, then two with a gap after a jump, each where it lies."""
    file = media.path("chirp.mp3").read_bytes()
    origin.serve("/chirp.mp3", file, rate=len(file) / 30)
    api.load(f"{origin.url}/chirp.mp3")
    api.play()
    drawn = """() => [...document.querySelectorAll(".seek-ranges i")].map(({ style }) => [parseFloat(style.left), parseFloat(style.width)])"""

    def agrees(count: int) -> bool:
        """As the server has it, within the 2 % that are loaded in between."""
        parts, player = remote.page.evaluate(drawn), api.player()
        wanted = [(100 * part["start"] / player["duration"], 100 * part["duration"] / player["duration"])
                  for part in player["loadedRanges"]]
        return len(parts) == len(wanted) == count and all(
            value == pytest.approx(other, abs=2) for part, want in zip(parts, wanted) for value, other in zip(part, want))

    eventually(lambda: api.player()["loadedTime"] and agrees(1), "one part")
    first = remote.page.evaluate(drawn)[0][1]
    assert first < 90
    eventually(lambda: remote.page.evaluate(drawn)[0][1] > first + 3, "it grows")
    api.seek(position=24)
    eventually(lambda: agrees(2), "two parts")
    assert remote.page.evaluate(drawn)[1][0] == pytest.approx(80, abs=5)
