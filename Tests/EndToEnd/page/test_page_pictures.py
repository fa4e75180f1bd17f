# SPDX-License-Identifier: Apache-2.0
"""Pictures come in the size in which they are shown."""

import re
import subprocess

import pytest
from playwright.sync_api import expect

from rig import during, eventually
from rig.collection import picture, sound, tag, text


@pytest.fixture
def server(start_server, directory):
    root = directory / "collection"
    root.mkdir()
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=1800x1800", "-frames:v", "1",
                    str(directory / "cover.png")], check=True)
    audio, cover = sound(directory), picture((directory / "cover.png").read_bytes())
    for number in (1, 2):
        (root / f"{number}.mp3").write_bytes(
            tag(text("TIT2", f"Song {number}"), text("TPE1", "Artist"), text("TALB", f"Album {number}"), cover) + audio)
    return start_server(music=root)


def sizes(urls: list[str]) -> list[int]:
    return [int(re.search(r"[?&]size=(\d+)", url).group(1)) for url in urls]


@pytest.fixture
def asked(open_remote, server):
    """Opens a page and gives it with the addresses of the pictures it asks for."""

    def open(**options):
        urls: list[str] = []
        remote = open_remote(**options)
        remote.page.goto("about:blank")
        remote.page.on("request", lambda request: "/artwork" in request.url and urls.append(request.url))
        remote.page.goto(server.url)
        remote.wait_connected()
        return remote, urls

    return open


@pytest.mark.parametrize(("viewport", "ratio"), [((1280, 800), 1), ((390, 844), 3)], ids=["desktop", "phone"])
def test_theCover_isAsLargeAsItsBox_onThisScreen(asked, api, viewport, ratio):
    api.load("1.mp3")
    api.settings(repeat="one")
    api.play()
    remote, urls = asked(viewport={"width": viewport[0], "height": viewport[1]}, device_scale_factor=ratio)
    cover = remote.page.locator(".artwork-picture")
    expect(cover).to_be_visible()
    needed = remote.page.locator(".artwork").bounding_box()["width"] * ratio
    assert needed <= cover.evaluate("(image) => image.naturalWidth") < needed + 64
    assert len(urls) == 1, "one picture for all places"


def test_aLargerWindow_getsALargerPicture(asked, api):
    api.load("1.mp3")
    api.settings(repeat="one")
    api.play()
    remote, urls = asked(viewport={"width": 1280, "height": 700})
    cover = remote.page.locator(".artwork-picture")
    expect(cover).to_be_visible()
    first = cover.evaluate("(image) => image.naturalWidth")
    remote.page.set_viewport_size({"width": 1280, "height": 1000})
    needed = remote.page.locator(".artwork").bounding_box()["width"]
    assert needed > first
    eventually(lambda: cover.evaluate("(image) => image.naturalWidth") >= needed, "it is sharp again")
    remote.page.set_viewport_size({"width": 1280, "height": 600})
    during(0.6, lambda: remote.page.evaluate("2") == len(urls), "a larger picture than needed is replaced")
    assert sizes(urls) == sorted(sizes(urls))


def test_theLibrarysPictures_areSmall(asked, api):
    eventually(lambda: api.call("GET", "/library")["tracks"] == 2, "scanned", 20)
    remote, urls = asked(device_scale_factor=2)
    remote.page.get_by_role("tab", name="Library").click()
    images = remote.page.locator(".album-tile img")
    expect(images).to_have_count(2)
    expect(images.first).to_be_visible()
    expect(images.last).to_be_visible()
    needed = remote.page.locator(".album-picture").first.bounding_box()["width"] * 2
    assert all(needed <= size < needed + 64 for size in sizes(urls))


def test_theNextItemsPicture_replacesTheFirst_andNoneIsLeft(asked, api):
    api.load("1.mp3", "2.mp3")
    api.settings(repeat="one")
    api.play()
    remote, _ = asked()
    cover = remote.page.locator(".artwork-picture")
    expect(cover).to_be_visible()
    first = cover.get_attribute("src")
    api.play(index=1)
    expect(cover).not_to_have_attribute("src", first)
    # Else the picture of an item that is gone would be asked for, which browsers report as an error.
    eventually(lambda: cover.evaluate("(image) => image.complete && image.naturalWidth > 0"), "the second picture is here")
    api.call("DELETE", "/queue")
    expect(cover).to_be_hidden()
