# SPDX-License-Identifier: Apache-2.0
"""The browser's own view of the page's Media Session: Chromium shows it on the session bus, as it does on a lock screen."""

import shutil
import subprocess

import pytest
from playwright.sync_api import expect

from conftest import WATCH
from rig import during, eventually


def playerctl(bus, *arguments: str) -> str:
    result = subprocess.run(["playerctl", "--player=chromium", *arguments], env=bus.environment, capture_output=True, text=True,
                            timeout=40)
    return result.stdout.strip()


@pytest.fixture
def page(bus, server, playwright):
    """A Chromium of its own, on the private bus, with the page on it."""
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("needs the chromium of the distribution")
    browser = playwright.chromium.launch(
        executable_path=executable, env=bus.environment, args=["--no-sandbox", "--no-proxy-server", "--disable-dev-shm-usage"])
    page = browser.new_page()
    page.add_init_script(WATCH)
    page.goto(server.url)
    expect(page.locator("body")).to_have_attribute("data-connection", "open")
    yield page
    violations = page.evaluate("() => window.__violations")
    browser.close()
    assert violations == []


def test_media_keys_of_the_device_drive_the_server(page, bus, api):
    """Row 197: what a phone's lock screen does, through a real browser."""
    api.start({"uri": "long.mp3", "title": "First", "artist": "Somebody"}, "chirp.mp3")
    # The page alone is no player for the browser: it must play something, after a press.
    during(0.5, lambda: playerctl(bus, "status") == "", "the browser shows a player")
    page.get_by_role("button", name="Show on lock screen").click()
    eventually(lambda: playerctl(bus, "metadata", "xesam:title") == "First", "the browser shows the title", timeout=10, every=0.2)
    assert playerctl(bus, "metadata", "xesam:artist") == "Somebody"
    eventually(lambda: playerctl(bus, "status") == "Playing", "and that it plays", every=0.2)
    eventually(lambda: playerctl(bus, "metadata", "mpris:length") == str(int(api.player()["duration"] * 1e6)), "the server's length",
               every=0.2)
    api.play(index=1)
    eventually(lambda: playerctl(bus, "metadata", "xesam:title") == "chirp", "the next title", every=0.2)
    eventually(lambda: playerctl(bus, "status") == "Playing", "it plays", every=0.2)
    playerctl(bus, "pause")
    api.wait_status("paused")
    eventually(lambda: playerctl(bus, "status") == "Paused", "the browser shows the pause", every=0.2)
    playerctl(bus, "play")
    api.wait_status("playing")
    eventually(lambda: playerctl(bus, "status") == "Playing", "and the sound", every=0.2)
    playerctl(bus, "position", "15")
    eventually(lambda: 15 <= api.player()["position"] < 25, "scrubbing moves the server", every=0.2)
    playerctl(bus, "previous")
    eventually(lambda: api.player()["queueIndex"] == 0 or api.player()["position"] < 3, "back to the beginning", every=0.2)
