# SPDX-License-Identifier: Apache-2.0
"""What is shown of a player, and what its services do (SPEC rows 302-314)."""

from __future__ import annotations

import asyncio
import datetime
import signal
import subprocess
import types

from aiohttp import web
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr, issue_registry as ir
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from custom_components.tonearm import hub
from custom_components.tonearm.client import TonearmClient
from custom_components.tonearm.const import DOMAIN

from .conftest import TOKEN, add_players, call, client_of, entity_of, eventually, set_up
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


async def test_sleep(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    async def timers() -> list[dict]:
        return (await api.get("/timers"))["timers"]

    await play(hass, entity)
    await shows(hass, entity, "playing")
    await call(hass, "sleep", entity, DOMAIN, duration={"minutes": 30}, fade=5)
    await call(hass, "sleep", entity, DOMAIN, duration={"minutes": 45}, fade=5)
    assert [(timer["type"], timer["after"], timer["fade"]) for timer in await timers()] == [("sleep", 2700, 5)]
    await call(hass, "sleep", entity, DOMAIN, duration=0)
    assert await timers() == []
    await call(hass, "sleep", entity, DOMAIN, duration={"seconds": 1}, fade=0.5)
    state = await shows(hass, entity, "paused")
    assert state.attributes["reason"] == "sleep-timer"
    with pytest.raises(ServiceValidationError):
        await call(hass, "sleep", entity, DOMAIN, duration={"days": 8})


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


async def test_a_state_is_written_for_changes_only(hass: HomeAssistant, entity: str) -> None:
    await play(hass, entity)
    await shows(hass, entity, "playing")
    await asyncio.sleep(0.5)
    written = []
    hass.bus.async_listen("state_changed", lambda event: written.append(event.data["new_state"]))
    await asyncio.sleep(2)
    assert not written


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
    # Lists that are read beside the channel are not empty for a moment.
    assert state.attributes["source_list"] == ["No sound"] and "bass" in state.attributes["sound_mode_list"]
    assert state.attributes["media_content_id"] == "one.wav" and state.attributes["reason"] == "restored"
    # At the level of Home Assistant's log.
    lines = [line.getMessage() for line in caplog.records if line.name == hub.LOGGER.name and line.levelname == "WARNING"]
    assert len(lines) == 2 and lines[0].endswith(" is lost") and lines[1].endswith(" is back")


async def test_a_silent_server_is_unavailable(
    hass: HomeAssistant, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not closed, but frozen: the ping has no answer. The intervals are shorter than in use."""
    monkeypatch.setattr(hub, "PING_INTERVAL", 0.6)
    entry = await set_up(hass, server)
    main = entity_of(hass, entry, "main")
    server.process.send_signal(signal.SIGSTOP)
    try:
        await shows(hass, main, "unavailable")
    finally:
        server.process.send_signal(signal.SIGCONT)
    await shows(hass, main, "idle")


async def test_a_server_with_another_name(hass: HomeAssistant, server: Server, entry: MockConfigEntry, entity: str) -> None:
    """Also that of the player that was never renamed."""
    server.arguments += ["--name", "Den"]
    await server.stop()
    await shows(hass, entity, "unavailable")
    await server.restart()
    await shows(hass, entity, "idle")
    registry = dr.async_get(hass)
    for identifier in (entry.unique_id, f"{entry.unique_id}_main"):
        assert registry.async_get_device(identifiers={(DOMAIN, identifier)}).name == "Den"


async def test_what_became_of_players_while_the_server_was_away(
    hass: HomeAssistant, server: Server, entry: MockConfigEntry, entity: str, api: TonearmClient
) -> None:
    await add_players(hass, api, "a", "b")
    hass.data[DOMAIN][entry.entry_id].client.url = "http://127.0.0.1:1"
    await server.stop()
    await shows(hass, entity, "unavailable")
    await server.restart()
    await api.request("DELETE", "/players/a")
    await api.request("PATCH", "/players/b", json={"name": "Attic"})
    hass.data[DOMAIN][entry.entry_id].client.url = server.url
    await shows(hass, "media_player.b", "idle")
    await eventually(lambda: hass.states.get("media_player.a") is None, "the removed one is gone")
    device = dr.async_get(hass).async_get_device(identifiers={(DOMAIN, f"{entry.unique_id}_b")})
    assert device.name == "Attic"


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
    """Row 310: every ordered pair of three players, `main` too."""
    await add_players(hass, api, "a", "b")
    entities = [entity, "media_player.a", "media_player.b"]
    for head in entities:
        for other in entities:
            if other == head:
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
    for service, data, holds in (
        ("media_seek", {"seek_position": 2.5}, lambda player: player["position"] == 2.5),
        ("shuffle_set", {"shuffle": True}, lambda player: player["shuffle"]),
        ("repeat_set", {"repeat": "all"}, lambda player: player["repeat"] == "all"),
        ("clear_playlist", {}, lambda player: player["queue"]["length"] == 0),
    ):
        await call(hass, service, last, **data)
        assert holds(await api.get("/player")), service
    await call(hass, "undo", last, DOMAIN)
    assert (await api.get("/player"))["queue"]["length"] == 1
    await call(hass, "volume_set", last, volume_level=0.2)
    assert (await api.get("/player"))["level"] != 0.2
    for player in (entity, "media_player.a"):
        await call(hass, "volume_set", player, volume_level=0.5)
    await call(hass, "group_volume", last, DOMAIN, by=0.1)
    levels = [(await api.get(path))["level"] for path in ("/player", "/players/b")]
    assert levels == [pytest.approx(0.6), pytest.approx(0.3)]
    await call(hass, "media_play", last)
    await shows(hass, entity, "playing")
    await call(hass, "sleep", last, DOMAIN, duration=1, fade=0)
    await shows(hass, entity, "paused")
    with pytest.raises(ServiceValidationError):
        await call(hass, "join", entity, group_members=["media_player.nobody"])


async def test_outputs_are_sources(hass: HomeAssistant, entity: str) -> None:
    assert attribute(hass, entity, "source_list") == ["No sound"]
    await call(hass, "select_source", entity, source="No sound")
    with pytest.raises(ServiceValidationError):
        await call(hass, "select_source", entity, source="Elsewhere")


async def test_slow_outputs_hold_up_no_event(
    hass: HomeAssistant, entry: MockConfigEntry, entity: str, api: TonearmClient
) -> None:
    """What is read over REST is read beside the channel, and once more when it changed meanwhile."""
    its = hass.data[DOMAIN][entry.entry_id]
    get, go, asked = its.client.get, asyncio.Event(), []

    async def slow(path: str, *arguments, **options):
        if path.endswith("/outputs"):
            asked.append(path)
            await go.wait()
        return await get(path, *arguments, **options)

    its.client.get = slow
    its.players["main"].outputs = []
    its._take({"type": "route", "player": "main", "data": {}})
    await eventually(lambda: len(asked) == 1, "the outputs are asked for")
    for _ in range(3):
        its._take({"type": "route", "player": "main", "data": {}})
    await api.request("PATCH", "/player", json={"muted": True})
    await eventually(lambda: attribute(hass, entity, "is_volume_muted") is True, "the event is shown")
    go.set()
    await eventually(lambda: attribute(hass, entity, "source_list") == ["No sound"], "the outputs are shown")
    await eventually(lambda: len(asked) == 2 and not its._readings, "they are read once more, and no more")


async def test_sound_modes_are_presets(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    await eventually(lambda: "bass" in (attribute(hass, entity, "sound_mode_list") or []), "the presets")
    assert attribute(hass, entity, "sound_mode") == "flat"
    await call(hass, "select_sound_mode", entity, sound_mode="bass")
    await eventually(lambda: attribute(hass, entity, "sound_mode") == "bass", "the new mode")
    effects = await api.get("/effects")
    assert effects["enabled"] and effects["equalizer"]["enabled"] and effects["equalizer"]["preset"] == "bass"
    await api.request("PATCH", "/effects", json={"equalizer": {"preamp": -1}})
    await eventually(lambda: attribute(hass, entity, "sound_mode") is None, "a curve without a name")
    await call(hass, "select_sound_mode", entity, sound_mode="flat")
    await eventually(lambda: attribute(hass, entity, "sound_mode") == "flat", "the equaliser is off")
    with pytest.raises(ServiceValidationError):
        await call(hass, "select_sound_mode", entity, sound_mode="no such")
    bands = [{"type": "peak", "frequency": 1000, "gain": 2, "q": 1}]
    await api.request("PUT", "/effects/presets/Mine", json={"bands": bands})
    await call(hass, "select_sound_mode", entity, sound_mode="Mine")
    await eventually(lambda: attribute(hass, entity, "sound_mode") == "Mine", "a preset of the user's")
    await eventually(lambda: "Mine" in attribute(hass, entity, "sound_mode_list"), "it is listed")


async def test_a_scene_restores_an_address_with_a_secret(
    hass: HomeAssistant, server: Server, entity: str, origin
) -> None:
    """Row 311: also after other music, and a restart of the server."""
    secret = "s3cr3t-of-this-test"
    asked: list[str] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        asked.append(str(request.rel_url))
        if request.query.get("token") != secret:
            raise web.HTTPForbidden
        return web.FileResponse(server.music / "one.wav")

    await play(hass, entity, f"{await origin(handle)}/radio.wav?token={secret}")
    await shows(hass, entity, "playing")
    content = attribute(hass, entity, "media_content_id")
    assert secret not in str(hass.states.get(entity).as_dict()) and content.startswith("sealed:")
    assert await async_setup_component(hass, "scene", {})
    await hass.services.async_call(
        "scene", "create", {"scene_id": "before", "snapshot_entities": [entity]}, blocking=True
    )
    await play(hass, entity)
    await eventually(lambda: attribute(hass, entity, "media_content_id") == "one.wav", "other music")
    await server.stop(signal.SIGKILL)
    await shows(hass, entity, "unavailable")
    await server.restart()
    await shows(hass, entity, "paused")
    del asked[:]
    await hass.services.async_call("scene", "turn_on", {"entity_id": "scene.before"}, blocking=True)
    await shows(hass, entity, "playing")
    assert attribute(hass, entity, "media_content_id") == content and any(secret in one for one in asked)


async def test_the_source_of_the_queue_is_named(hass: HomeAssistant, server: Server, entity: str, api: TonearmClient) -> None:
    made = await api.request("POST", "/playlists", json={"name": "Evening", "items": [{"uri": "one.wav"}]})
    await call(hass, "play_media", entity, media_content_id=made["id"], media_content_type="playlist")
    await eventually(lambda: attribute(hass, entity, "media_playlist") == "Evening", "the playlist's name")
    await play(hass, entity)
    await eventually(lambda: attribute(hass, entity, "media_playlist") is None, "no source")


async def test_interruptions(hass: HomeAssistant, entity: str) -> None:
    """Rows 313, 314: the reason is an attribute; for an automation on it see test_recipes.py."""
    await play(hass, entity)
    await shows(hass, entity, "playing")
    await call(hass, "interrupt", entity, DOMAIN, type="began")
    state = await shows(hass, entity, "paused")
    assert (state.attributes["status"], state.attributes["reason"]) == ("interrupted", "interruption")
    await call(hass, "interrupt", entity, DOMAIN, type="ended")
    await shows(hass, entity, "playing")
    await call(hass, "interrupt", entity, DOMAIN, type="began")
    await shows(hass, entity, "paused")
    await call(hass, "interrupt", entity, DOMAIN, type="ended", resume=False)
    await eventually(lambda: attribute(hass, entity, "status") == "paused", "it stays paused")


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


async def test_browsing_and_search(
    hass: HomeAssistant, server: Server, entity: str, api: TonearmClient, hass_ws_client
) -> None:
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
        media_filter_classes: list[str] | None = None

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
    (server.music / "Ebene Eins").mkdir()
    server.tone("Ebene Eins/four.wav")
    await api.request("POST", "/playlists", json={"name": "Eins und zwei", "items": [{"uri": "one.wav"}]})
    Query.search_query = "eins"
    deadline = asyncio.get_running_loop().time() + 10
    while len(result := await found()) < 3:
        assert asyncio.get_running_loop().time() < deadline, result
        await asyncio.sleep(0.1)
    assert [one.media_content_type for one in result] == ["track", "playlist", "folder"]
    Query.media_filter_classes = ["playlist"]
    assert [one.title for one in await found()] == ["Eins und zwei"]
    for one in result[1:]:
        await call(
            hass, "play_media", entity, media_content_id=one.media_content_id, media_content_type=one.media_content_type
        )
        await eventually(lambda: attribute(hass, entity, "media_playlist") == one.title, one.title)


async def test_pictures_come_through_home_assistant(
    hass: HomeAssistant, locked_server: Server, tmp_path, hass_client, hass_client_no_auth
) -> None:
    """Row 308: of artists, albums, tracks and what plays; the server's token and address stay with the integration."""
    server = locked_server

    def tagged() -> None:
        picture = tmp_path / "cover.jpg"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1", picture], check=True)
        subprocess.run(["lame", "--quiet", "--tt", "Song", "--ta", "Band", "--tl", "Record", "--tg", "Jazz",
                        "--ti", picture,
                        server.music / "one.wav", server.music / "song.mp3"], check=True)

    await asyncio.to_thread(tagged)
    entry = await set_up(hass, server, TOKEN)
    entity = entity_of(hass, entry, "main")
    api = client_of(hass, server, TOKEN)
    async with asyncio.timeout(10):
        while not (await api.get("/library/artists"))["items"]:
            await asyncio.sleep(0.05)
    player = hass.data["media_player"].get_entity(entity)
    client = await hass_client()
    stranger = await hass_client_no_auth()
    for kind, title in (("artists", "Band"), ("albums", "Record (Band)"), ("tracks", "Song")):
        page = await player.async_browse_media(kind, "")
        address = next(child.thumbnail for child in page.children if child.title == title)
        assert address.startswith("/api/media_player_proxy/") and TOKEN not in address, kind
        answer = await client.get(address)
        assert answer.status == 200 and answer.content_type.startswith("image/") and await answer.read(), kind
        assert (await stranger.get(address.split("?")[0])).status in (401, 403)
    # And what they belong to is found, and played.
    for kind, title in (("genre", "Jazz"), ("artist", "Band"), ("album", "Record (Band)")):
        page = await player.async_browse_media(f"{kind}s", "")
        node = next(child for child in page.children if child.title == title)
        found = (await player.async_search_media(types.SimpleNamespace(search_query=title.split(" ")[0]))).result
        assert (kind, node.media_content_id) in [(one.media_content_type, one.media_content_id) for one in found], kind
        await call(hass, "clear_playlist", entity)
        await call(
            hass, "play_media", entity, media_content_id=node.media_content_id, media_content_type=node.media_content_type
        )
        await eventually(lambda: attribute(hass, entity, "media_content_id") == "song.mp3", kind)
    picture = await eventually(lambda: attribute(hass, entity, "entity_picture"), "the picture of what plays")
    assert " " not in picture and "://" not in picture
    answer = await client.get(picture)
    assert answer.status == 200 and answer.content_type.startswith("image/")


async def test_sound_server_away_is_a_repair_issue(hass: HomeAssistant, start_server, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/nobody")
    server = await start_server(output="pulse")
    entry = await set_up(hass, server)
    issue = f"sound_server_away_{entry.entry_id}"
    await eventually(lambda: ir.async_get(hass).async_get_issue(DOMAIN, issue), "a repair issue")
    await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_block_till_done()
    assert ir.async_get(hass).async_get_issue(DOMAIN, issue) is None


async def test_unload_and_reload_leave_nothing_behind(
    hass: HomeAssistant, server: Server, monkeypatch: pytest.MonkeyPatch, caplog
) -> None:
    """And are no loss of the server."""
    sockets = []
    connect = TonearmClient.events

    async def events(self, heartbeat):
        sockets.append(await connect(self, heartbeat))
        return sockets[-1]

    monkeypatch.setattr(TonearmClient, "events", events)
    entry = await set_up(hass, server)
    main = entity_of(hass, entry, "main")
    for count in range(1, 4):
        assert len(sockets) == count and not sockets[-1].closed
        assert await hass.config_entries.async_unload(entry.entry_id)
        assert hass.states.get(main).state == "unavailable" and not hass.data[DOMAIN]
        assert not [task for task in asyncio.all_tasks() if "tonearm" in task.get_name().lower() and not task.done()]
        assert sockets[-1].closed and "is lost" not in caplog.text
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        await shows(hass, main, "idle")


async def test_any_title_is_shown(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    title = "\u202e\U0001f3b5 <b>&amp;\"'\\ {{ 1/0 }} \u0007\n" + "x" * 900
    await play(hass, entity, extra={"title": title})
    await eventually(lambda: attribute(hass, entity, "media_title") == title, "the title")


ANY = "\u202e\U0001f3b5 <b>&amp;\"'{{ 1+0 }}%2F\\?#ö"


async def test_any_name_is_shown_browsed_and_played(
    hass: HomeAssistant, server: Server, entry: MockConfigEntry, entity: str, api: TonearmClient
) -> None:
    """Of players, folders, files and playlists."""
    folder = server.music / ANY
    folder.mkdir()
    server.tone(f"{ANY}/{ANY}.wav")
    made = await api.request("POST", "/playlists", json={"name": ANY, "items": [{"uri": f"{ANY}/{ANY}.wav"}]})
    await api.request("POST", "/players", json={"id": "a", "name": ANY})
    device = await eventually(
        lambda: dr.async_get(hass).async_get_device(identifiers={(DOMAIN, f"{entry.unique_id}_a")}), "the player's device"
    )
    assert device.name == ANY
    other = entity_of(hass, entry, "a")
    player = hass.data["media_player"].get_entity(entity)
    root = await player.async_browse_media("folder", "")
    found = next(child for child in root.children if child.title == ANY)
    inside = await player.async_browse_media(found.media_content_type, found.media_content_id)
    lists = await player.async_browse_media("playlists", "")
    for node in (found, inside.children[0], lists.children[0]):
        await call(hass, "clear_playlist", other)
        await call(
            hass, "play_media", other, media_content_id=node.media_content_id, media_content_type=node.media_content_type
        )
        await eventually(lambda: attribute(hass, other, "media_content_id") == f"{ANY}/{ANY}.wav", node.media_content_type)
    assert made["name"] == ANY and attribute(hass, other, "media_title") == f"{ANY}.wav"


async def test_players_renamed_and_removed_under_an_automation(
    hass: HomeAssistant, entry: MockConfigEntry, entity: str, api: TonearmClient, caplog
) -> None:
    """It goes on with the renamed one, and with what comes behind a player that is gone."""
    await add_players(hass, api, "a")
    assert await async_setup_component(hass, "automation", {"automation": {
        "trigger": {"platform": "event", "event_type": "ring"},
        "action": [
            {"service": "media_player.volume_set", "target": {"entity_id": "media_player.a"}, "data": {"volume_level": 0.2}},
            {"service": "media_player.volume_set", "target": {"entity_id": entity}, "data": {"volume_level": 0.3}},
        ],
    }})
    await api.request("PATCH", "/players/a", json={"name": "Galley"})
    await eventually(lambda: attribute(hass, "media_player.a", "friendly_name") == "Galley", "the new name")
    hass.bus.async_fire("ring")
    await eventually(lambda: attribute(hass, entity, "volume_level") == 0.3, "both are set")
    assert (await api.get("/players/a"))["level"] == 0.2
    await api.request("DELETE", "/players/a")
    await call(hass, "volume_set", entity, volume_level=0.5)
    await eventually(lambda: hass.states.get("media_player.a") is None, "the player is gone")
    hass.bus.async_fire("ring")
    await eventually(lambda: attribute(hass, entity, "volume_level") == 0.3, "the other one is set")
    assert "Traceback" not in caplog.text


async def test_two_servers_of_one_name(hass: HomeAssistant, server: Server, entity: str, start_server) -> None:
    other = await start_server()
    entry = await set_up(hass, other)
    second = entity_of(hass, entry, "main")
    assert second != entity
    await play(hass, second)
    await shows(hass, second, "playing")
    assert hass.states.get(entity).state == "idle"
    with pytest.raises(ServiceValidationError):
        await call(hass, "join", entity, group_members=[second])


async def test_clocks_an_hour_apart(
    hass: HomeAssistant, entry: MockConfigEntry, entity: str, api: TonearmClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The position's time is Home Assistant's: an event that is stamped an hour ago, or ahead, holds now."""
    its = hass.data[DOMAIN][entry.entry_id]
    await play(hass, entity)
    await shows(hass, entity, "playing")
    player, now = await api.get("/player"), dt_util.utcnow()
    monkeypatch.setattr(dt_util, "utcnow", lambda: now)
    for hours in (-1, 1):
        shift = hours * 3_600_000
        snapshot = {**player, "position": 2.0, "sampledAt": player["sampledAt"] + shift - 30}
        its._take({"type": "snapshot", "player": "main", "at": player["sampledAt"] + shift, "data": {"player": snapshot}})
        state = hass.states.get(entity)
        assert now - state.attributes["media_position_updated_at"] == datetime.timedelta(milliseconds=30)
        assert state.attributes["media_position"] == 2.0


@pytest.mark.parametrize("hours", [-1, 0, 1])
async def test_the_position_is_by_the_servers_clock(
    hass: HomeAssistant, entity: str, api: TonearmClient, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """Row 305: extrapolated, it is within 50 ms of what the server says, also when clocks are an hour apart."""
    utcnow = dt_util.utcnow
    monkeypatch.setattr(dt_util, "utcnow", lambda: utcnow() + datetime.timedelta(hours=hours))
    await play(hass, entity)
    await shows(hass, entity, "playing")

    async def error(start: float) -> float:
        await call(hass, "media_seek", entity, seek_position=start)
        await eventually(lambda: start <= attribute(hass, entity, "media_position") < start + 0.5, "the new position")
        await asyncio.sleep(0.3)
        player, now = await api.get("/player"), dt_util.utcnow()
        held = hass.states.get(entity).attributes
        return abs(held["media_position"] + (now - held["media_position_updated_at"]).total_seconds() - player["position"])

    # One of them, as a busy machine delivers an event late.
    assert min([await error(start) for start in (1, 2, 3, 4)]) < 0.05


async def test_a_revoked_token_starts_reauthentication(hass: HomeAssistant, locked_server: Server, token_file) -> None:
    entry = await set_up(hass, locked_server, TOKEN)
    main = entity_of(hass, entry, "main")
    token_file.write_text("the-second-token-of-this-test-012")
    await locked_server.stop()
    await shows(hass, main, "unavailable")
    await locked_server.restart()
    await eventually(lambda: hass.config_entries.flow.async_progress(), "a flow for the new token")
    assert hass.config_entries.flow.async_progress()[0]["step_id"] == "reauth_confirm"
