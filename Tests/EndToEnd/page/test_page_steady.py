# SPDX-License-Identifier: Apache-2.0
"""A page that is left open for days: what it holds does not grow with what it hears."""

import json

from playwright.sync_api import expect

from rig import eventually

# Timers that were set and neither fired nor were cleared; listeners on what outlives a component.
COUNT = """
window.__timers = new Set();
for (const [set, clear, ends] of [["setTimeout", "clearTimeout", true], ["setInterval", "clearInterval", false]]) {
  const [begin, end] = [window[set], window[clear]];
  window[set] = (call, ...rest) => {
    const id = begin(() => { if (ends) __timers.delete(id); call(); }, ...rest);
    __timers.add(id);
    return id;
  };
  window[clear] = (id) => { __timers.delete(id); end(id); };
}
"""


def measures(page) -> dict[str, int]:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    found = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return {name: int(found[name]) for name in ("Nodes", "JSEventListeners", "JSHeapUsedSize")} | {
        "timers": page.evaluate("() => __timers.size")}


# Of each kind of event, in an hour.
EACH = 120


def frames(snapshot: dict, hour: int):
    """An hour of a busy server, shortened: each kind that there is, in hundreds."""
    player = snapshot["data"]["player"]
    version, item = player["version"] + 1_000_000 * hour, player["item"]

    def frame(kind: str, data: dict) -> str:
        nonlocal version
        version += 1
        return json.dumps({"type": kind, "seq": version, "at": 0, "version": version, "player": "main", "data": data})

    for number in range(EACH):
        current = item | {"id": f"x{hour}-{number}", "index": number % 5, "title": f"Song {hour}-{number}"}
        yield frame("item", {"item": current})
        yield frame("status", {"status": "playing", "previous": "loading", "reason": None, "playWhenReady": True,
                               "itemId": current["id"], "position": 0, "error": None})
        for second in range(5):
            yield frame("time", {"itemId": current["id"], "position": second, "duration": 40, "progress": second / 40, "rate": 1,
                                 "listenedTime": second, "discontinuity": 0})
            yield frame("buffer", {"itemId": current["id"], "loadedRanges": [{"start": second, "duration": 2}] * (1 + second % 3),
                                   "loadedTime": 2, "bufferProgress": 0.5, "bufferedAhead": 1, "bytesPerSecond": 1, "stalled": False})
        yield frame("settings", {"level": number % 100 / 100, "muted": number % 2 == 0})
        yield frame("error", {"code": "unreadable", "message": f"Song {hour}-{number} is a letter.", "itemId": current["id"]})
        yield frame("cache", {"enabled": True, "limit": 1, "bytes": 1, "count": 1, "problem": None, "entries": [
            {"key": f"c{hour}-{number}", "uri": f"http://music.example/{hour}-{number}.mp3", "size": 100, "bytes": 50, "progress": 0.5, "complete": False,
             "inUse": True, "bytesPerSecond": 1, "used": 1, "ranges": [{"start": 0, "length": 50}]}]})
        yield frame("interruption", {"type": "ended"})
    yield frame("status", {"status": "playing", "previous": "playing", "reason": None, "playWhenReady": True, "itemId": item["id"],
                           "position": 1, "error": None})
    yield frame("item", {"item": item})


def test_hoursOfEvents_leaveNothingBehind(open_remote, server, api):
    api.load("long.mp3", "chirp.mp3", "low.mp3", "noise.mp3", "left.mp3")
    api.settings(repeat="one")
    api.play()
    snapshots: list[dict] = []
    remote = open_remote(wait=False, reduced_motion="no-preference")
    remote.tolerate("Failed to load resource")
    page = remote.page
    page.context.add_init_script(COUNT)

    def keep(events, message: str) -> None:
        frame = json.loads(message)
        if frame["type"] == "snapshot":
            snapshots.append(frame)
        if frame["type"] in ("hello", "snapshot"):
            events.send(message)

    events = remote.intercept(from_server=keep)
    page.get_by_role("tab", name="Web").click()
    page.clock.install()

    def hear(hour: int) -> None:
        for frame in frames(snapshots[-1], hour):
            events.send(frame)
        last = f"Song {hour}-{EACH - 1} is a letter."
        eventually(lambda: last in page.locator("toast-stack").inner_text() or None, "all are heard", 30)
        # Longer than any message, wait or retry takes.
        page.clock.run_for(60_000)
        expect(remote.title).to_have_text("long")

    hear(1)
    first = measures(page)
    hear(2)
    most = {"Nodes": 200, "JSEventListeners": 50, "timers": 4, "JSHeapUsedSize": 600_000}
    # A busy browser frees nodes some frames after they have left the page; what leaks stays.
    eventually(lambda: all(value < first[name] + most[name] for name, value in measures(page).items()), f"as little as {first}", 30)
    assert page.locator("*").count() < 1700
