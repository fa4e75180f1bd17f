# SPDX-License-Identifier: Apache-2.0
"""The seek bar in the shape of the music, and plain where that is not known."""

import re

import pytest
from playwright.sync_api import expect

from rig import Radio, eventually


def bars(page) -> list[float]:
    """Heights of the bars, of the whole."""
    path = page.locator("#seek-waveform path").get_attribute("d") or ""
    return [float(height) for height in re.findall(r"v([0-9.]+)", path)]


def is_drawn(page) -> bool:
    return page.locator("seek-bar").evaluate("(bar) => bar.classList.contains('has-waveform')")


@pytest.mark.parametrize("scheme, size", [("light", (1280, 800)), ("dark", (390, 844))], ids=["desktop", "phone"])
def test_aFile_hasItsShape_andTheSliderIsTheSame(open_remote, api, scheme, size, screenshots):
    # Its first half is quiet, its second is loud.
    api.load("vbr-noxing-long.mp3")
    api.play()
    api.pause()
    api.seek(position=30.5)
    remote = open_remote(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
    eventually(lambda: is_drawn(remote.page), "the shape is there")
    heights = bars(remote.page)
    half = len(heights) // 2
    assert len(heights) > 60
    assert max(heights[: half - 2]) < 0.5 < min(heights[half + 2 :])
    expect(remote.position).to_be_enabled()
    expect(remote.position).to_have_attribute("aria-valuetext", re.compile("30 seconds of 40 seconds"))
    # The played part ends at the middle of the thumb; the loaded part has another colour than the rest.
    fill, bar = remote.page.locator(".seek-fill").bounding_box(), remote.position.bounding_box()
    thumb = bar["x"] + 8 + float(remote.position.input_value()) / 40 * (bar["width"] - 16)
    assert abs(fill["x"] + fill["width"] - thumb) < 1
    colours = [remote.page.locator(part).first.evaluate("(part) => getComputedStyle(part).backgroundColor")
               for part in (".seek-rail", ".seek-ranges i", ".seek-fill")]
    assert len(set(colours)) == 3
    expect(remote.page.locator(".seek-ranges i")).to_have_count(1)
    if screenshots:
        remote.page.screenshot(path=screenshots / f"waveform-{size[0]}-{scheme}.png")


def test_clickOnTheShape_seeksThere(remote, api):
    api.load("long.mp3", play=True)
    api.pause()
    eventually(lambda: is_drawn(remote.page), "the shape is there")
    box = remote.position.bounding_box()
    # Near the end, where the thumb's middle stays inside.
    remote.page.mouse.move(box["x"] + box["width"] * 0.97, box["y"] + 14)
    expect(remote.page.locator(".seek-bubble")).to_have_text("0:39")
    remote.page.mouse.click(box["x"] + box["width"] * 0.97, box["y"] + 14)
    eventually(lambda: 39 < api.player()["position"] < 40, "what was told")
    expect(remote.page.locator(".seek-position")).to_have_text("0:39")


def test_theBarIsPlain_onTheRadio_andForAnAddress(remote, api, media, origin):
    asked: list[str] = []
    remote.page.on("request", lambda request: "/waveform" in request.url and asked.append(request.url))
    origin.serve("/a.mp3", media.path("long.mp3").read_bytes())
    radio = Radio(media.path("long.mp3").read_bytes(), 24000)
    remote.page.clock.install()

    def later(check) -> bool:
        """After more of the page's time than an item must stay for its shape to be asked for."""
        remote.page.clock.run_for(500)
        return check()

    files = api.load("long.mp3", f"{origin.url}/a.mp3", f"{radio.url}/live", "chirp.mp3")
    api.play(itemId=files[0])
    eventually(lambda: later(lambda: is_drawn(remote.page)), "a file has one")
    api.play(itemId=files[1])
    expect(remote.title).to_have_text("a")
    eventually(lambda: later(lambda: not is_drawn(remote.page)), "an address has none")
    expect(remote.page.locator(".seek-ranges i")).not_to_have_count(0)
    api.play(itemId=files[2])
    expect(remote.page.locator(".seek-duration")).to_have_text("Live", timeout=20_000)
    expect(remote.button("Forward 10 seconds")).to_be_disabled()
    assert later(lambda: not is_drawn(remote.page))
    api.play(itemId=files[3])
    eventually(lambda: later(lambda: is_drawn(remote.page)), "and the next file has one")
    expect(remote.button("Forward 10 seconds")).to_be_enabled()
    assert [url.rpartition("/items/")[2] for url in asked] == [f"{files[0]}/waveform", f"{files[3]}/waveform"]


def test_skipping_asksOnlyForWhatStays(remote, api):
    asked: list[str] = []
    remote.page.on("request", lambda request: "/waveform" in request.url and asked.append(request.url))
    # Before anything plays: what was timed by the real clock could not be cancelled by the installed one.
    remote.page.clock.install()
    files = api.load(*["long.mp3", "chirp.mp3", "low.mp3"] * 4, play=True)
    for _ in range(len(files) - 1):
        api.command("next")
    expect(remote.row(len(files) - 1)).to_have_attribute("aria-current", "true")
    eventually(lambda: remote.page.clock.run_for(100) or is_drawn(remote.page), "the last one's")
    assert len(asked) < 4
    assert asked[-1].endswith(f"{files[-1]}/waveform")


def test_withoutTheShape_theBarServes(remote, api):
    remote.tolerate("Failed to load resource")
    remote.page.route("**/waveform", lambda route: route.fulfill(status=503, json={"code": "busy", "detail": "Busy."}))
    with remote.page.expect_response("**/waveform"):
        api.load("long.mp3", play=True)
    expect(remote.page.locator(".seek-rail")).to_be_visible()
    assert not is_drawn(remote.page)
    assert remote.page.locator(".toast").count() == 0
    box = remote.position.bounding_box()
    remote.position.click(position={"x": box["width"] / 2, "y": 14})
    eventually(lambda: 19 < api.player()["position"] < 23, "the middle")


def test_waveformPath_fillsTheHeight_andLeavesWhatWasNotCounted(page):
    heights, short = page.evaluate("""async () => {
        const { waveformPath } = await import("/lib/waveform.js");
        const heights = (path) => [...path.matchAll(/v([0-9.]+)/g)].map(([, height]) => Number(height));
        return [heights(waveformPath([0, 0.1, 0.2, 0.4], 4)), heights(waveformPath([0.5, 0.5], 4, 0.5))];
    }""")
    assert heights == [0.08, 0.25, 0.5, 1]
    assert short == [1, 1, 0.08, 0.08]
