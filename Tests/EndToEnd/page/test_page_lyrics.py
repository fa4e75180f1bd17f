# SPDX-License-Identifier: Apache-2.0
"""The words that are sung, in the lock screen's picture."""

import shutil

import pytest
from playwright.sync_api import expect

from rig import PATIENCE, eventually

pytestmark = pytest.mark.usefixtures("music")
LINES = [(2.0, "One"), (3.0, "Two & three"), (4.5, "Four"), (5.5, "Five " * 40), (7.0, "Six")]

# Keeps the pictures that the lock screen was given, with the moment at which it got them; and the longest time, in ms, for which
# the browser stood still.
RECORD = """
window.__covers = [];
window.__stood = 0;
let looked = Date.now();
setInterval(() => { const now = Date.now(); __stood = Math.max(__stood, now - looked); looked = now; }, 20);
const real = navigator.mediaSession;
Object.defineProperty(navigator, "mediaSession", {value: {
  set playbackState(state) { real.playbackState = state; },
  set metadata(data) { real.metadata = data; __covers.push({src: data?.artwork[0]?.src ?? null, at: Date.now()}); },
  setPositionState: (state) => real.setPositionState(state),
  setActionHandler: (...all) => real.setActionHandler(...all),
}, configurable: true});
"""


@pytest.fixture
def music(music, media):
    shutil.copy(media.path("low.mp3"), music / "song.mp3")
    shutil.copy(media.path("low.mp3"), music / "silent.mp3")
    (music / "song.lrc").write_text("".join(f"[00:{time:05.2f}]{text}\n" for time, text in LINES))
    return music


def covers(page) -> list[dict]:
    """Without those that came twice in a row."""
    all = [cover for cover in page.evaluate("() => window.__covers") if cover["src"]]
    return [cover for index, cover in enumerate(all) if index == 0 or cover["src"] != all[index - 1]["src"]]


def test_lyrics_areAskedFor_onlyWhereThereAreSome(remote, api):
    asked = []
    remote.page.on("request", lambda request: request.url.endswith("/lyrics") and asked.append(request.url))
    summary = remote.page.get_by_text("Lyrics", exact=True)
    api.load("song.mp3", play=True)
    summary.click()
    expect(remote.page.get_by_role("group", name="Lyrics")).to_contain_text("Two & three")
    api.load("silent.mp3", play=True)
    expect(summary).to_be_hidden()
    assert len(asked) == 1


def test_theCover_shrinksAsTheLinesNeed(remote, api):
    cover = remote.page.locator(".artwork")
    remote.tolerate("status of 404")
    api.load("song.mp3", "silent.mp3", play=True)
    summary = remote.page.get_by_text("Lyrics", exact=True)
    expect(summary).to_be_visible()
    api.pause()
    closed = cover.bounding_box()["width"]
    summary.click()
    expect(remote.page.get_by_role("group", name="Lyrics")).to_contain_text("Two & three")
    assert cover.bounding_box()["width"] < closed - 80
    pane = remote.page.locator(".pane-now").evaluate("(pane) => [pane.scrollHeight, pane.clientHeight]")
    assert pane[0] == pane[1], "all of it is in sight"
    api.play(index=1)
    expect(summary).to_be_hidden()
    eventually(lambda: cover.bounding_box()["width"] == pytest.approx(closed, abs=2), "no lyrics need no room")


def test_each_line_is_a_picture_of_its_own(remote, api):
    """Row 196: five lines, five pictures, when they are sung."""
    remote.tolerate("status of 404")
    page = remote.page
    page.context.add_init_script(RECORD)
    page.reload()
    remote.wait_connected()
    api.load("song.mp3", "silent.mp3")
    page.get_by_role("button", name="Show on lock screen").click()
    expect(page.get_by_role("button", name="Show on lock screen")).to_have_attribute("aria-pressed", "true")
    api.play()
    snapshot = api.wait_status("playing")
    began = snapshot["sampledAt"] - snapshot["position"] * 1000
    eventually(lambda: len(covers(page)) >= len(LINES) and covers(page)[-1]["at"] - began > LINES[-1][0] * 1000 - 200 * PATIENCE,
               "five pictures", timeout=15, every=0.1)
    told = covers(page)
    # A clock that a busy machine sets back at the border of two lines shows one of them again.
    assert len({cover["src"] for cover in told}) == len(told) <= len(LINES) + 2
    late = sorted(min((cover["at"] - began - time * 1000 for cover in told), key=abs) for time, _ in LINES)
    # Never before its time, and each within 200 ms of it; a clock that stood for want of sound moves them all.
    if api.metric("tonearm_underruns_total") == 0:
        assert late[0] > -200 * PATIENCE and late[-1] < 200 * PATIENCE + page.evaluate("() => window.__stood"), late
    size = page.evaluate("""async (src) => { const image = new Image(); image.src = src; await image.decode();
        return [image.naturalWidth, image.naturalHeight]; }""", told[-1]["src"])
    assert size == [512, 512]
    api.play(index=1)
    eventually(lambda: page.evaluate("() => window.__covers.at(-1).src") is None, "no words outlive their song")


def test_the_line_follows_from_the_position_alone(remote):
    indices = remote.page.evaluate("""async () => {
        const { lineAt } = await import("/lib/lyrics.js");
        const lines = [2, 3, 4.5, 4.5, 7].map((time) => ({time}));
        return [0, 1.99, 2, 2.5, 4.5, 6.99, 7, 1e9].map((position) => lineAt(lines, position)).concat(lineAt([], 3));
    }""")
    assert indices == [-1, -1, 0, 0, 3, 3, 4, 4, -1]


def test_the_words_follow_the_music_the_bar_and_the_reader(remote, api):
    """Row 221: the line that is sung is larger and in sight, after a seek, while dragging, and not against the reader."""
    remote.tolerate("status of 404")
    page = remote.page
    first = api.load("song.mp3", "silent.mp3")[0]
    api.play()
    page.get_by_text("Lyrics", exact=True).click()
    current = page.locator("lyrics-view [aria-current]")
    expect(page.locator(".artwork")).to_be_in_viewport(ratio=1)
    # Paused: the line lasts a second.
    api.pause()
    api.seek(position=4.6)
    expect(current).to_have_text("Four")
    size = "element => parseFloat(getComputedStyle(element).fontSize)"
    other = page.locator("lyrics-view button").first
    eventually(lambda: current.evaluate(size) > other.evaluate(size) + 3, "it is larger")
    expect(current).to_be_in_viewport()
    # Dragging, before the server has it.
    remote.position.evaluate("(input) => { input.value = 3.2; input.dispatchEvent(new Event('input', {bubbles: true})); }")
    expect(current).to_have_text("Two & three")
    eventually(lambda: api.player()["position"] == pytest.approx(3.2, abs=0.1), "the server follows")
    page.get_by_role("button", name="Six").click()
    eventually(lambda: api.player()["position"] == pytest.approx(7, abs=0.1), "a line is a place to go to")
    expect(current).to_have_text("Six")
    api.play(index=1)
    expect(page.get_by_text("Lyrics", exact=True)).to_be_hidden()
    api.play(itemId=first)
    expect(page.locator("lyrics-view button")).to_have_count(len(LINES))


def test_the_reader_is_left_where_he_scrolled_to(remote):
    """Row 221: manual scroll; some seconds later the music leads again."""
    places = remote.page.evaluate("""async () => {
        const view = document.createElement("lyrics-view");
        const lines = Array.from({length: 60}, (_, index) => ({time: index * 10, text: `Line ${index}`}));
        const time = (position) => ({rate: 0, duration: 600, at: () => position});
        view.load = async () => ({lines, text: ""});
        document.body.append(view);
        view.refs.details.open = true;
        view.item = {id: "x", lyrics: true};
        await new Promise((resolve) => setTimeout(resolve, 50));
        const settled = () => new Promise((resolve) => setTimeout(resolve, 1500));
        const places = [];
        view.time = time(300);
        await settled();
        places.push(view.refs.box.scrollTop);
        view.refs.box.dispatchEvent(new WheelEvent("wheel", {deltaY: -1}));
        view.refs.box.scrollTo({top: 0, behavior: "instant"});
        view.time = time(400);
        await null;
        places.push(view.refs.box.scrollTop, view.querySelector("[aria-current]").textContent);
        await new Promise((resolve) => setTimeout(resolve, 4500));
        view.time = time(500);
        await settled();
        places.push(view.refs.box.scrollTop);
        view.remove();
        return places;
    }""")
    first, held, line, later = places
    assert first > 200 and held == 0 and line == "Line 40" and later > first
