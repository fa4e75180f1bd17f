# SPDX-License-Identifier: Apache-2.0
"""Row 213: a browser's audio element plays what the server is still loading."""

import pytest

from rig import eventually

KBPS_192 = 24000


@pytest.mark.serve("--cache", "on")
def test_audioElement_playsWhatIsStillLoading(browser, server, api, media, origin):
    # Three times as fast as it is played, so that the browser wants more than is there, over and over.
    content = media.path("long.mp3").read_bytes()
    behaviour = origin.serve("/a.mp3", content, content_type="audio/mpeg", rate=3 * KBPS_192, hold_at=len(content) // 2)
    # The rest comes after the first look, however late that is.
    behaviour.held.set()
    api.start(f"{origin.url}/a.mp3", timeout=15)

    def entry() -> dict | None:
        return next(iter(api.call("GET", "/cache")["entries"]), None)

    found = eventually(lambda: (entry() or {}).get("bytes", 0) > 0 and entry(), "something is kept", 10)
    page = browser.new_page()
    page.goto(server.url + "/healthz")
    page.evaluate("""(address) => {
        const audio = window.audio = new Audio(address);
        audio.muted = true;
        window.failures = [];
        audio.addEventListener("error", () => window.failures.push(audio.error.message));
        audio.play().catch((error) => window.failures.push(String(error)));
    }""", f"{server.url}/api/v1/cache/{found['key']}/content")
    eventually(lambda: page.evaluate("audio.currentTime") > 2, "it plays", 15)
    assert not entry()["complete"], "it is still being loaded"
    behaviour.held.clear()
    # To its end, through all that was not there when it began.
    page.evaluate("audio.playbackRate = 4")
    eventually(lambda: page.evaluate("audio.ended"), "it has played to its end", 40)
    assert page.evaluate("window.failures") == []
    assert page.evaluate("audio.currentTime") > 39
    page.close()
