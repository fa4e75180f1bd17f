# SPDX-License-Identifier: Apache-2.0
"""The lock screen of the device that shows the page: Media Session, in a real browser and against a recording stand-in."""

import pytest
from playwright.sync_api import expect

from rig import during, eventually

# Stands in for navigator.mediaSession and keeps what it was told; the real one is used as well, so that it may refuse.
RECORD = """
window.__session = {states: [], metadata: [], positions: [], handlers: {}};
const real = navigator.mediaSession;
const spy = {
  set playbackState(state) { if (real.playbackState !== state) __session.states.push(state); real.playbackState = state; },
  get playbackState() { return real.playbackState; },
  set metadata(data) {
    __session.metadata.push(data && {title: data.title, artist: data.artist, album: data.album, artwork: data.artwork.length});
    real.metadata = data;
  },
  get metadata() { return real.metadata; },
  setPositionState(state) { __session.positions.push(state ? {...state} : null); real.setPositionState(state); },
  setActionHandler(name, handler) {
    if (handler) __session.handlers[name] = handler; else delete __session.handlers[name];
    real.setActionHandler(name, handler);
  },
};
Object.defineProperty(navigator, "mediaSession", {value: spy, configurable: true});
"""


@pytest.fixture
def session(remote):
    """The page with lock screen on, and what it told the browser."""
    # Music without words is no fault of the page.
    remote.tolerate("status of 404")
    remote.page.context.add_init_script(RECORD)
    remote.page.reload()
    remote.wait_connected()
    remote.page.get_by_role("button", name="Show on lock screen").click()
    expect(remote.page.get_by_role("button", name="Show on lock screen")).to_have_attribute("aria-pressed", "true")

    def told(part: str):
        return remote.page.evaluate(f"() => {{ const s = window.__session; return {part}; }}")

    return told


def silence_runs(remote) -> bool:
    return remote.page.evaluate("() => !document.querySelector('#silence').paused")


def press(remote, action: str, **details) -> None:
    """As the lock screen does."""
    remote.page.evaluate("([name, details]) => window.__session.handlers[name](details)", [action, details])


def test_it_is_shown_only_once_it_was_asked_for(remote, api):
    remote.tolerate("status of 404")
    api.load("long.mp3", play=True)
    button = remote.page.get_by_role("button", name="Show on lock screen")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert remote.page.evaluate("() => navigator.mediaSession.metadata") is None and not silence_runs(remote)
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    eventually(lambda: not silence_runs(remote), "the silence has ended")
    assert remote.page.evaluate("() => [navigator.mediaSession.metadata, navigator.mediaSession.playbackState]") == [None, "none"]


def test_current_item_is_shown(session, remote, api):
    """Row 191: title, artist, album, picture, length, position."""
    # It is short, and must still play when all of this has been looked at.
    api.settings(repeat="one")
    api.load("tagged.mp3", play=True)
    tags = eventually(lambda: (api.player()["item"] or {}).get("tags"), "tags")
    wanted = {"title": tags["title"], "artist": tags["artist"], "album": tags["album"], "artwork": 1}
    eventually(lambda: session("s.metadata.at(-1)") == wanted, "metadata with a picture", timeout=10)
    eventually(lambda: session("s.states.at(-1)") == "playing", "it plays")
    duration = api.player()["duration"]
    eventually(lambda: session("s.positions.at(-1)?.duration") == pytest.approx(duration, abs=0.001), "the length")
    assert silence_runs(remote)


def test_pause_freezes_it_and_play_lets_it_run(session, remote, api):
    """Rows 192, 193, 198: told when something changes, not all the time."""
    api.load("long.mp3", play=True)
    eventually(lambda: session("s.states.at(-1)") == "playing", "it plays")
    remote.page.wait_for_timeout(1500)
    count = session("s.positions.length")
    # Eight times come. A late one moves the clock there and back.
    during(4, lambda: session("s.positions.length") <= count + 3, "the position is set all the time")
    press(remote, "pause")
    api.wait_status("paused")
    eventually(lambda: session("s.states.at(-1)") == "paused" and not silence_runs(remote), "it is shown as paused")
    press(remote, "pause")
    assert api.player()["status"] == "paused"
    at = session("s.positions.at(-1).position")
    assert at == pytest.approx(api.player()["position"], abs=0.5)
    press(remote, "play")
    api.wait_status("playing")
    eventually(lambda: silence_runs(remote), "the silence runs again")
    press(remote, "seekto", seekTime=20)
    eventually(lambda: 20 <= session("s.positions.at(-1).position") < 25, "the jump is reported")


def test_the_buttons_are_those_that_are_allowed(session, remote, api):
    """Rows 184, 186, 187."""
    # However long the next item was heard.
    api.settings(previousRestartsAfter=0)
    api.load("long.mp3", "low.mp3", play=True)
    eventually(lambda: "seekto" in session("Object.keys(s.handlers)"), "handlers")
    press(remote, "nexttrack")
    eventually(lambda: api.player()["queueIndex"] == 1, "the next item")
    press(remote, "previoustrack")
    eventually(lambda: api.player()["queueIndex"] == 0, "the item before")
    remote.page.evaluate("() => { window.__next = window.__session.handlers.nexttrack; }")
    api.settings(remoteCommands={"skip": True, "skipInterval": 15})
    eventually(lambda: session("s.handlers.nexttrack !== window.__next"), "the page knows of it")
    before = api.player()["position"]
    press(remote, "nexttrack")
    eventually(lambda: api.player()["position"] > before + 10, "next skips within the item")
    assert api.player()["queueIndex"] == 0
    api.settings(remoteCommands={"next": False, "seek": False})
    eventually(lambda: not {"nexttrack", "seekto", "seekforward"} & set(session("Object.keys(s.handlers)")), "they are gone")
    api.settings(remoteCommands={"enabled": False})
    eventually(lambda: session("Object.keys(s.handlers)") == [], "none is left")


def test_nothing_is_shown_when_that_is_switched_off(session, api):
    """Row 179."""
    api.load("tagged.mp3", play=True)
    eventually(lambda: session("s.metadata.at(-1)?.title"), "metadata")
    api.settings(nowPlaying={"enabled": False})
    eventually(lambda: session("s.metadata.at(-1)") is None, "no metadata")


def test_no_state_of_the_player_makes_the_browser_refuse(remote):
    """Row 199: 1,000 random states, odd ones among them, into the real Media Session."""
    refused = remote.page.evaluate("""async () => {
        const { positionState } = await import("/lib/media-session.js");
        const odd = [0, -1, NaN, Infinity, -Infinity, null, undefined, 1e-9, 1e12];
        const any = (most) => Math.random() < 0.3 ? odd[Math.floor(Math.random() * odd.length)] : Math.random() * most;
        const refused = [];
        for (let round = 0; round < 1000; round += 1) {
          const position = any(300);
          const time = {duration: Math.random() < 0.2 ? null : any(300), rate: Math.random() < 0.3 ? 0 : any(32) , at: () => position};
          try {
            const state = positionState(time, 0);
            if (state) navigator.mediaSession.setPositionState(state);
            else navigator.mediaSession.setPositionState();
          } catch (error) {
            refused.push(`${JSON.stringify(time)} ${position}: ${error}`);
          }
        }
        return refused;
    }""")
    assert refused == []


def test_the_next_item_is_no_pause(session, remote, api):
    """Rows 193, 197: what loads for a moment does not flicker."""
    api.load("long.mp3", "low.mp3", "chirp.mp3", play=True)
    eventually(lambda: session("s.states.at(-1)") == "playing", "it plays")
    before = session("s.states.length")
    for index, title in ((1, "low"), (2, "chirp"), (0, "long")):
        api.play(index=index)
        eventually(lambda: session("s.metadata.at(-1)?.title") == title, f"{title} is shown")
    assert session("s.states").count("none") == session(f"s.states.slice(0, {before})").count("none")
