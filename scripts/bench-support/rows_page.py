# SPDX-License-Identifier: Apache-2.0
"""The page: how far behind its time a line of the lyrics becomes the lock screen's picture."""

import os
import pathlib
import shutil
import sys

from playwright.sync_api import sync_playwright

from measure import Row, below
from rig import Api, Server, eventually

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "EndToEnd" / "page"))

from remote import Remote  # noqa: E402
from test_page_lyrics import LINES, RECORD, covers  # noqa: E402


def lyrics(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Five lines a round, as the page's test has them."""
    folder = directory / "songs"
    folder.mkdir()
    shutil.copy(music / "noise-long.mp3", folder / "song.mp3")
    (folder / "song.lrc").write_text("".join(f"[00:{time:05.2f}]{text}\n" for time, text in LINES))
    late: list[float] = []
    server = Server(directory, folder).start()
    api = Api(server.url)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome"),
            args=["--no-sandbox", "--no-proxy-server", "--disable-dev-shm-usage"])
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
        browser.close()
    api.close()
    server.stop()
    return [Row("a line of lyrics to the picture of the lock screen", "ms", late, goal=below(200, "ms"), note=f"the latest: {max(late):.0f} ms")]
