# SPDX-License-Identifier: Apache-2.0
"""What is shown of a player, and what its services do (SPEC rows 302-314)."""

from __future__ import annotations

import asyncio
import datetime
import signal

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr, issue_registry as ir
from homeassistant.util import dt as dt_util

from custom_components.tonearm.client import TonearmClient
from custom_components.tonearm.const import DOMAIN
from custom_components.tonearm.diagnostics import async_get_config_entry_diagnostics

from .conftest import call, entity_of, eventually, set_up
from .server import Server


async def play(hass: HomeAssistant, entity: str, uri: str = "one.wav", **data) -> None:
    await call(hass, "play_media", entity, media_content_id=uri, media_content_type="music", **data)


async def shows(hass: HomeAssistant, entity: str, state: str):
    await eventually(lambda: hass.states.get(entity).state == state, f"{entity} is {state}")
    return hass.states.get(entity)


def attribute(hass: HomeAssistant, entity: str, name: str):
    return hass.states.get(entity).attributes.get(name)


async def uris(api: TonearmClient) -> list[str]:
    return [item["uri"] for item in (await api.get("/queue"))["items"]]


async def test_transport(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    await play(hass, entity)
    state = await shows(hass, entity, "playing")
    assert state.attributes["media_content_id"] == "one.wav" and state.attributes["media_duration"] == 5
    assert state.attributes["status"] == "playing" and state.attributes["reason"] is None
    await call(hass, "media_pause", entity)
    assert (await shows(hass, entity, "paused")).attributes["reason"] == "user"
    assert (await api.get("/player"))["status"] == "paused"
    await call(hass, "media_seek", entity, seek_position=3.5)
    await eventually(lambda: attribute(hass, entity, "media_position") == 3.5, "the position is shown")
    assert (await api.get("/player"))["position"] == 3.5
    await call(hass, "media_play_pause", entity)
    await shows(hass, entity, "playing")
    await call(hass, "media_stop", entity)
    await shows(hass, entity, "idle")
    assert (await api.get("/player"))["status"] == "stopped"


async def test_next_previous_and_the_end_of_the_queue(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    await play(hass, entity)
    await play(hass, entity, "two.wav", enqueue="add")
    await shows(hass, entity, "playing")
    await call(hass, "media_next_track", entity)
    await eventually(lambda: attribute(hass, entity, "media_content_id") == "two.wav", "the second item")
    await call(hass, "media_previous_track", entity)
    await eventually(lambda: attribute(hass, entity, "media_content_id") == "one.wav", "the first item")
    await call(hass, "clear_playlist", entity)
    await eventually(lambda: attribute(hass, entity, "queue_length") == 0, "an empty queue")
    assert attribute(hass, entity, "can_undo")
    await call(hass, "undo", entity, DOMAIN)
    await eventually(lambda: attribute(hass, entity, "queue_length") == 2, "the queue is back")


async def test_volume_mute_shuffle_repeat(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    await call(hass, "volume_set", entity, volume_level=0.5)
    player = await api.get("/player")
    assert player["level"] == 0.5 and player["volume"] == pytest.approx(0.125)
    await eventually(lambda: attribute(hass, entity, "volume_level") == 0.5, "the level")
    await asyncio.gather(*(call(hass, "volume_up", entity) for _ in range(4)))
    assert (await api.get("/player"))["level"] == pytest.approx(0.7)
    await call(hass, "volume_down", entity)
    await eventually(lambda: attribute(hass, entity, "volume_level") == pytest.approx(0.65), "a step down")
    await call(hass, "volume_mute", entity, is_volume_muted=True)
    await call(hass, "shuffle_set", entity, shuffle=True)
    await call(hass, "repeat_set", entity, repeat="one")
    player = await api.get("/player")
    assert (player["muted"], player["shuffle"], player["repeat"]) == (True, True, "one")
    await eventually(lambda: attribute(hass, entity, "repeat") == "one", "repeat is shown")
    assert attribute(hass, entity, "is_volume_muted") and attribute(hass, entity, "shuffle")


async def test_the_four_ways_to_enqueue(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    """Row 306: each is one request and one revision."""
    await play(hass, entity, "one.wav", enqueue="replace")
    await shows(hass, entity, "playing")
    for enqueue, queue in (
        ("add", ["one.wav", "two.wav"]),
        ("next", ["one.wav", "three.wav", "two.wav"]),
        ("play", ["one.wav", "two.wav", "three.wav", "two.wav"]),
    ):
        revision = (await api.get("/queue"))["revision"]
        await play(hass, entity, "three.wav" if enqueue == "next" else "two.wav", enqueue=enqueue)
        assert await uris(api) == queue, enqueue
        assert (await api.get("/queue"))["revision"] == revision + 1
    assert (await api.get("/player"))["queueIndex"] == 1


async def test_extra_fills_the_item(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    extra = {"title": "A title", "artist": "An artist", "album": "An album"}
    await play(hass, entity, extra=extra)
    await shows(hass, entity, "playing")
    assert attribute(hass, entity, "media_title") == "A title"
    assert attribute(hass, entity, "media_artist") == "An artist"
    item = (await api.get("/queue"))["items"][0]
    assert (item["title"], item["album"]) == ("A title", "An album")


async def test_a_refusal_is_the_servers_sentence(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    await play(hass, entity)
    with pytest.raises(ServiceValidationError):
        await play(hass, entity, "gopher://nowhere")
    with pytest.raises(ServiceValidationError):
        await play(hass, entity, "missing.wav", enqueue="add")
    assert await uris(api) == ["one.wav"]


async def test_a_state_is_written_for_changes_only(hass: HomeAssistant, entity: str) -> None:
    await play(hass, entity)
    await shows(hass, entity, "playing")
    await asyncio.sleep(0.5)
    written = []
    hass.bus.async_listen("state_changed", lambda event: written.append(event.data["new_state"]))
    await asyncio.sleep(2)
    assert not written


async def test_the_position_is_by_the_servers_clock(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    """Row 305: extrapolated, it is within 50 ms of what the server says."""
    await play(hass, entity)
    state = await shows(hass, entity, "playing")
    await asyncio.sleep(0.7)
    player, now = await api.get("/player"), dt_util.utcnow()
    held = hass.states.get(entity).attributes
    shown = held["media_position"] + (now - held["media_position_updated_at"]).total_seconds()
    assert shown == pytest.approx(player["position"], abs=0.05)
    assert isinstance(state.attributes["media_position_updated_at"], datetime.datetime)


async def test_players_come_are_renamed_and_go(
    hass: HomeAssistant, entry: MockConfigEntry, entity: str, api: TonearmClient
) -> None:
    await api.request("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    await eventually(lambda: hass.states.get("media_player.kitchen"), "the new player")
    unique = entity_of(hass, entry, "kitchen")
    assert unique == "media_player.kitchen"
    await api.request("PATCH", "/players/kitchen", json={"name": "Galley"})
    registry = dr.async_get(hass)
    identifier = (DOMAIN, f"{entry.unique_id}_kitchen")
    await eventually(
        lambda: registry.async_get_device(identifiers={identifier}).name == "Galley", "the device's new name"
    )
    assert entity_of(hass, entry, "kitchen") == "media_player.kitchen"
    await api.request("DELETE", "/players/kitchen")
    await eventually(lambda: registry.async_get_device(identifiers={identifier}) is None, "the device is gone")
    await eventually(lambda: hass.states.get("media_player.kitchen") is None, "the entity is gone")
    await api.request("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    await eventually(lambda: hass.states.get("media_player.kitchen"), "it is back")


async def test_a_lost_server_is_unavailable_and_never_stale(
    hass: HomeAssistant, server: Server, entity: str, caplog
) -> None:
    """Row 304."""
    await play(hass, entity)
    await shows(hass, entity, "playing")
    await server.stop(signal.SIGKILL)
    await shows(hass, entity, "unavailable")
    await server.restart()
    state = await shows(hass, entity, "paused")
    assert state.attributes["media_content_id"] == "one.wav" and state.attributes["reason"] == "restored"
    assert caplog.text.count("is lost") == 1 and caplog.text.count("is back") == 1


async def test_another_server_at_the_address_is_not_this_one(
    hass: HomeAssistant, start_server, server: Server, entry: MockConfigEntry, entity: str
) -> None:
    import shutil

    await server.stop()
    shutil.rmtree(server.home / "data")
    await server.restart()
    issue = f"wrong_server_{entry.entry_id}"
    await eventually(lambda: ir.async_get(hass).async_get_issue(DOMAIN, issue), "a repair issue")
    assert hass.states.get(entity).state == "unavailable"


async def test_groups(hass: HomeAssistant, entry: MockConfigEntry, entity: str, api: TonearmClient) -> None:
    """Row 310, but that `main` cannot follow yet: its refusal is the server's sentence."""
    for player in ("a", "b"):
        await api.request("POST", "/players", json={"id": player})
    await eventually(lambda: hass.states.get("media_player.a") and hass.states.get("media_player.b"), "both")
    entities = [entity, "media_player.a", "media_player.b"]
    for head in entities:
        for other in entities:
            if other == head:
                continue
            if other == entity:
                with pytest.raises(HomeAssistantError):
                    await call(hass, "join", head, group_members=[other])
                continue
            await call(hass, "join", head, group_members=[other])
            await eventually(lambda: attribute(hass, head, "group_members") == [head, other], f"{head}, {other}")
            assert attribute(hass, other, "group_members") == [head, other]
    last = entities[-1]
    await call(hass, "unjoin", last)
    await eventually(lambda: not any(attribute(hass, one, "group_members") for one in entities), "all alone")
    await call(hass, "join", entity, group_members=entities[1:])
    await eventually(lambda: len(attribute(hass, last, "group_members")) == 3, "three together")
    await play(hass, last)
    await shows(hass, entity, "playing")
    await call(hass, "media_pause", last)
    await shows(hass, entity, "paused")
    await call(hass, "volume_set", last, volume_level=0.2)
    assert (await api.get("/player"))["level"] != 0.2
    with pytest.raises(ServiceValidationError):
        await call(hass, "join", entity, group_members=["media_player.nobody"])


async def test_outputs_are_sources(hass: HomeAssistant, entity: str) -> None:
    assert attribute(hass, entity, "source_list") == ["No sound"]
    await call(hass, "select_source", entity, source="No sound")
    with pytest.raises(ServiceValidationError):
        await call(hass, "select_source", entity, source="Elsewhere")


async def test_interruptions(hass: HomeAssistant, entity: str) -> None:
    """Row 313: an automation on the reason fires."""
    await play(hass, entity)
    await shows(hass, entity, "playing")
    await call(hass, "interrupt", entity, DOMAIN, type="began")
    state = await shows(hass, entity, "paused")
    assert (state.attributes["status"], state.attributes["reason"]) == ("interrupted", "interruption")
    await call(hass, "interrupt", entity, DOMAIN, type="ended")
    await shows(hass, entity, "playing")


async def test_announcements_return_when_they_were_heard(
    hass: HomeAssistant, server: Server, entity: str, api: TonearmClient
) -> None:
    server.tone("bell.wav", seconds=0.8)
    began = asyncio.get_running_loop().time()
    await play(hass, entity, "bell.wav", announce=True, extra={"volume": 0.5})
    assert asyncio.get_running_loop().time() - began >= 0.7
    assert not (await api.get("/announcements"))["announcements"]
    with pytest.raises(HomeAssistantError):
        await play(hass, entity, "missing.wav", announce=True)


async def test_browsing_and_search(hass: HomeAssistant, entity: str, hass_ws_client) -> None:
    client = await hass_ws_client(hass)

    async def browse(**what):
        await client.send_json_auto_id({"type": "media_player/browse_media", "entity_id": entity, **what})
        answer = await client.receive_json()
        return answer["result"] if answer["success"] else answer["error"]

    root = await browse()
    titles = {child["title"]: child for child in root["children"]}
    assert {"Folders", "Artists", "Albums", "Genres", "Playlists"} <= set(titles)
    for child in list(titles.values())[:5]:
        page = await browse(media_content_id=child["media_content_id"], media_content_type=child["media_content_type"])
        assert page["children"] is not None, child
    folder = await browse(media_content_id="", media_content_type="folder")
    assert [child["title"] for child in folder["children"]] == ["one.wav", "three.wav", "two.wav"]
    wrong = await browse(media_content_id="nothing", media_content_type="album")
    assert wrong["message"]
    player = hass.data["media_player"].get_entity(entity)

    class Query:
        search_query = "one"

    async def found():
        return (await player.async_search_media(Query())).result

    deadline = asyncio.get_running_loop().time() + 10
    while not (result := await found()):
        assert asyncio.get_running_loop().time() < deadline, "the track is found"
        await asyncio.sleep(0.1)
    track = result[0]
    await call(
        hass, "play_media", entity, media_content_id=track.media_content_id, media_content_type=track.media_content_type
    )
    await shows(hass, entity, "playing")


async def test_sound_server_away_is_a_repair_issue(hass: HomeAssistant, start_server, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/nobody")
    server = await start_server(output="pulse")
    entry = await set_up(hass, server)
    issue = f"sound_server_away_{entry.entry_id}"
    await eventually(lambda: ir.async_get(hass).async_get_issue(DOMAIN, issue), "a repair issue")
    await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_block_till_done()
    assert ir.async_get(hass).async_get_issue(DOMAIN, issue) is None


async def test_diagnostics_show_no_secret(hass: HomeAssistant, entry: MockConfigEntry, entity: str) -> None:
    """Row 315."""
    await play(hass, entity, extra={"title": "A private title"})
    await shows(hass, entity, "playing")
    text = str(await async_get_config_entry_diagnostics(hass, entry))
    assert "one.wav" not in text and "private" not in text and entry.data["url"] not in text
    assert "'main'" in text and "playing" in text


async def test_unload_and_reload_leave_nothing_behind(hass: HomeAssistant, entry: MockConfigEntry, entity: str) -> None:
    for _ in range(3):
        assert await hass.config_entries.async_unload(entry.entry_id)
        assert hass.states.get(entity).state == "unavailable"
        assert not [task for task in asyncio.all_tasks() if "tonearm" in task.get_name().lower() and not task.done()]
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        await shows(hass, entity, "idle")


async def test_200_calls_at_once(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    await asyncio.gather(*(call(hass, "volume_set", entity, volume_level=n / 200) for n in range(200)))
    await call(hass, "volume_set", entity, volume_level=0.4)
    await eventually(lambda: attribute(hass, entity, "volume_level") == 0.4, "the last one counts")
    assert (await api.get("/player"))["level"] == 0.4
