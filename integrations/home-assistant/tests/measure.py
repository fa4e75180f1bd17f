# SPDX-License-Identifier: Apache-2.0
"""How fast the integration is, with its goals. Not part of the tests, as a busy machine is slower:

TONEARM_BINARY=... python -m pytest -sq tests/measure.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
import os
import statistics
import time

from aiohttp import web
import pytest

from homeassistant.core import HomeAssistant

from custom_components.tonearm.const import BROWSE_LIMIT

from .conftest import call, client_of, entity_of, eventually, set_up
from .server import Server

PLAYERS = 16
TRACKS = 100_000


def report(what: str, seconds: list[float], goal: float) -> None:
    slowest, median = max(seconds) * 1000, statistics.median(seconds) * 1000
    verdict = "reached" if slowest < goal * 1000 else "MISSED"
    print(f"\n{what}: {median:.1f} ms, at most {slowest:.1f} ms of {len(seconds)} (goal {goal * 1000:.0f} ms): {verdict}")
    assert slowest < goal * 1000, what


async def timed(action: Callable[[], Awaitable[object]]) -> float:
    began = time.monotonic()
    await action()
    return time.monotonic() - began


async def test_state_set_up_and_unloading(hass: HomeAssistant, server: Server) -> None:
    """All players play meanwhile."""
    api = client_of(hass, server)
    server.tone("long.wav", seconds=120)
    ids = ["main", *(f"p{number}" for number in range(1, PLAYERS))]
    for id in ids[1:]:
        await api.request("POST", "/players", json={"id": id})
    for id in ids:
        await api.request("PUT", f"/players/{id}/queue", json={"items": [{"uri": "long.wav"}], "play": True})
    entry = await set_up(hass, server)
    entities = {id: entity_of(hass, entry, id) for id in ids}
    await eventually(lambda: all(hass.states.get(one).state == "playing" for one in entities.values()), "all play")
    written: dict[str, list[tuple[float, object]]] = {}
    hass.bus.async_listen(
        "state_changed",
        lambda event: written.setdefault(event.data["entity_id"], []).append((time.monotonic(), event.data["new_state"])),
    )

    async def until(id: str, method: str, path: str, json: dict | None, holds) -> float:
        """From before the request until the state is written: longer than from the change."""
        seen = written[entities[id]] = []
        began = time.monotonic()
        await api.request(method, f"/players/{id}{path}", json=json)
        await eventually(lambda: any(holds(state) for _, state in seen), f"{path} {json}")
        return next(at for at, state in seen if holds(state)) - began

    levels = [await until(id, "PATCH", "", {"level": 0.3}, lambda state: state.attributes["volume_level"] == 0.3)
              for id in ids]
    report("a level is shown, 16 players that play", levels, 0.1)
    seeks = [await until(id, "POST", "/seek", {"position": 60}, lambda state: state.attributes["media_position"] >= 60)
             for id in ids]
    report("a seek is shown", seeks, 0.1)
    pauses = [await until(id, "POST", "/pause", None, lambda state: state.state == "paused") for id in ids]
    report("a pause is shown", pauses, 0.1)

    bus = sum(hass.bus.async_listeners().values())
    unloads, set_ups = [], []
    for _ in range(5):
        unloads.append(await timed(lambda: hass.config_entries.async_unload(entry.entry_id)))
        left = [task for task in asyncio.all_tasks() if "tonearm" in repr(task.get_coro()).lower()]
        assert len(left) <= 1, left  # this one
        assert not [timer for timer in hass.loop._scheduled if not timer.cancelled() and "tonearm" in repr(timer)]
        metrics = await metric(api, "tonearm_event_clients")
        assert metrics == 0, metrics
        set_ups.append(await timed(lambda: hass.config_entries.async_setup(entry.entry_id)))
    assert sum(hass.bus.async_listeners().values()) <= bus
    report("set-up with 16 players", set_ups, 2)
    report("unloading", unloads, 2)
    await hass.config_entries.async_unload(entry.entry_id)


async def metric(api, name: str) -> float:
    """The sum over its labels."""
    response = await api._send("GET", "/metrics")
    async with response:
        lines = (await response.text()).splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name) and " " in line)


async def test_an_announcement_begins(hass: HomeAssistant, server: Server, origin) -> None:
    """The speech comes at once when it has been made, in an answer without a length, as that of a `tts` does."""
    speech = (server.music / server.tone("speech.wav", seconds=1)).read_bytes()
    first: list[float] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "audio/x-wav"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        await asyncio.sleep(0.3)
        first.append(time.monotonic())
        await response.write(speech)
        await response.write_eof()
        return response

    address = await origin(handle)
    entry = await set_up(hass, server)
    entity = entity_of(hass, entry, "main")
    api = client_of(hass, server)
    await call(hass, "play_media", entity, media_content_id="one.wav", media_content_type="music")
    delays = []
    async with api._session.ws_connect(f"{server.url}/api/v1/events?events=announcement") as channel:
        for number in range(10):
            del first[:]
            speaking = asyncio.ensure_future(call(
                hass, "play_media", entity, media_content_id=f"{address}/speech{number}.wav",
                media_content_type="music", announce=True,
            ))
            async with asyncio.timeout(20):
                while (message := await channel.receive_json())["type"] != "announcement" or (
                    message["data"]["type"] != "began"
                ):
                    pass
            delays.append(time.monotonic() - first[0])
            await speaking
    report("an announcement begins after the first bytes of its speech", delays, 0.15)
    await hass.config_entries.async_unload(entry.entry_id)


@pytest.mark.timeout(900)
async def test_a_page_of_100_000_tracks(hass: HomeAssistant, server: Server) -> None:
    def make() -> None:
        (server.music / "many").mkdir()
        # A file has 65,000 names at most.
        names = [server.tone(f"many/{number:06}.wav", seconds=0.02) for number in (0, 1)]
        for number in range(2, TRACKS):
            os.link(server.music / names[number % 2], server.music / f"many/{number:06}.wav")

    await server.stop()
    await asyncio.to_thread(make)
    await server.restart()
    entry = await set_up(hass, server)
    player = hass.data["media_player"].get_entity(entity_of(hass, entry, "main"))
    api = client_of(hass, server)
    began = time.monotonic()
    while (await api.get("/library/tracks", {"limit": 1}))["length"] < TRACKS:
        assert time.monotonic() - began < 800, "the library is read"
        await asyncio.sleep(1)
    print(f"\nread in {time.monotonic() - began:.0f} s")
    for kind, id in (("folder", "many"), ("tracks", "")):
        firsts, lasts = [], []
        for _ in range(5):
            began = time.monotonic()
            page = await player.async_browse_media(kind, id)
            firsts.append(time.monotonic() - began)
            # With the names of the further pages. Of one folder the server lists 10,000 entries.
            assert len(page.children) > BROWSE_LIMIT
            began = time.monotonic()
            last = await player.async_browse_media(page.children[-1].media_content_type, id)
            lasts.append(time.monotonic() - began)
            assert last.children
        report(f"the first page of 100,000 {kind}", firsts, 1)
        report(f"the last page of 100,000 {kind}", lasts, 1)
    await hass.config_entries.async_unload(entry.entry_id)
