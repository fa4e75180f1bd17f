# SPDX-License-Identifier: Apache-2.0
"""The page: time to show a change, and to draw a line of lyrics as the lock screen's picture."""

import contextlib
import os
import pathlib
import shutil
import sys
import time
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from measure import Row, below
from rig import Api, Server, eventually

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "EndToEnd" / "page"))

from remote import Remote  # noqa: E402
from test_page_lyrics import LINES, RECORD, covers  # noqa: E402


@contextlib.contextmanager
def open_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome"),
            args=["--no-sandbox", "--no-proxy-server", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


def page(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Row 7: from a press of pause on one page until another page shows it."""
    server = Server(directory, music).start()
    took: list[float] = []
    with open_browser() as browser, contextlib.closing(Api(server.url)) as api:
        api.load("noise-long.mp3", play=True)
        api.wait_status("playing")
        first, second = (Remote(browser.new_context().new_page()) for _ in range(2))
        for remote in (first, second):
            remote.page.goto(server.url)
            remote.wait_connected()
        for number in range(rounds):
            press, shown = ("Pause", "Play") if number % 2 == 0 else ("Play", "Pause")
            button = first.button(press)
            button.wait_for()
            asked = time.monotonic()
            button.click()
            second.button(shown).wait_for()
            took.append((time.monotonic() - asked) * 1000)
    server.stop()
    return [Row("pause on one page to its change on another", "ms", took, goal=below(250, "ms"))]


def lyrics(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Five lines a round, those of the page's test."""
    folder = directory / "songs"
    folder.mkdir()
    shutil.copy(music / "noise-long.mp3", folder / "song.mp3")
    (folder / "song.lrc").write_text("".join(f"[00:{time:05.2f}]{text}\n" for time, text in LINES))
    late: list[float] = []
    server = Server(directory, folder).start()
    api = Api(server.url)
    with open_browser() as browser:
        page = browser.new_page()
        page.add_init_script(RECORD)
        page.goto(server.url)
        remote = Remote(page)
        remote.wait_connected()
        page.get_by_role("button", name="Show on lock screen").click()
        for _ in range(rounds):
            api.load("song.mp3")
            page.evaluate("() => { window.__covers.length = 0; }")
            api.play()
            snapshot = api.wait_status("playing")
            began = snapshot["sampledAt"] - snapshot["position"] * 1000
            eventually(lambda: page.wait_for_timeout(100) or len(covers(page)) >= len(LINES), "five pictures", timeout=15)
            late += [cover["at"] - began - time * 1000 for (time, _), cover in zip(LINES, covers(page), strict=True)]
            api.command("stop")
    api.close()
    server.stop()
    return [Row("a line of lyrics to the picture of the lock screen", "ms", late, goal=below(200, "ms"), note=f"the latest: {max(late):.0f} ms")]
