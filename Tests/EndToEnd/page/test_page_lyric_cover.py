# SPDX-License-Identifier: Apache-2.0
"""The words that are sung, in the lock screen's picture."""

import shutil

import pytest
from playwright.sync_api import expect

from rig import PATIENCE, eventually

LINES = [(2.0, "One"), (3.0, "Two & three"), (4.5, "Four"), (5.5, "Five " * 40), (7.0, "Six")]

# Keeps the pictures that the lock screen was given, with the moment at which it got them.
RECORD = """
window.__covers = [];
const real = navigator.mediaSession;
Object.defineProperty(navigator, "mediaSession", {value: {
  set playbackState(state) { real.playbackState = state; },
  set metadata(data) { real.metadata = data; __covers.push({src: data?.artwork[0]?.src ?? null, at: Date.now()}); },
  setPositionState: (state) => real.setPositionState(state),
  setActionHandler: (...all) => real.setActionHandler(...all),
}, configurable: true});
"""


@pytest.fixture
def server(start_server, directory, media):
    folder = directory / "music"
    folder.mkdir()
    shutil.copy(media.path("low.mp3"), folder / "song.mp3")
    shutil.copy(media.path("low.mp3"), folder / "silent.mp3")
    (folder / "song.lrc").write_text("".join(f"[00:{time:05.2f}]{text}\n" for time, text in LINES))
    return start_server(music=folder)


def covers(page) -> list[dict]:
    """Without those that came twice in a row."""
    all = [cover for cover in page.evaluate("() => window.__covers") if cover["src"]]
    return [cover for index, cover in enumerate(all) if index == 0 or cover["src"] != all[index - 1]["src"]]


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
    eventually(lambda: len(covers(page)) >= len(LINES), "five pictures", timeout=15, every=0.1)
    told = covers(page)
    assert len(told) == len(LINES) and len({cover["src"] for cover in told}) == len(LINES)
    for (time, text), cover in zip(LINES, told, strict=True):
        assert cover["at"] - began == pytest.approx(time * 1000, abs=200 * PATIENCE), text
    size = page.evaluate("""async (src) => { const image = new Image(); image.src = src; await image.decode();
        return [image.naturalWidth, image.naturalHeight]; }""", told[-1]["src"])
    assert size == [512, 512]
    api.play(index=1)
    eventually(lambda: page.evaluate("() => window.__covers.at(-1).src") is None, "no words outlive their song")


def test_a_jump_shows_the_line_of_its_place(remote):
    """Row 221: the line's index follows from the position alone."""
    indices = remote.page.evaluate("""async () => {
        const { lineAt } = await import("/state/lyric-cover.js");
        const lines = [2, 3, 4.5, 4.5, 7].map((time) => ({time}));
        return [0, 1.99, 2, 2.5, 4.5, 6.99, 7, 1e9].map((position) => lineAt(lines, position)).concat(lineAt([], 3));
    }""")
    assert indices == [-1, -1, 0, 0, 3, 3, 4, 4, -1]
