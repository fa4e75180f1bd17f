# SPDX-License-Identifier: Apache-2.0
"""The sentences of the integration's contract that no other file tests."""

from __future__ import annotations

import asyncio
import dataclasses
import types

from aiohttp import web
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant.components import media_player
from homeassistant.components.media_player import BrowseError
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import CONF_TOKEN, CONF_URL
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import area_registry as ar, device_registry as dr, entity_registry as er, issue_registry as ir
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from custom_components.tonearm import browse as browsing, client as rest, hub, services
from custom_components.tonearm.client import TonearmClient
from custom_components.tonearm.const import ANNOUNCE_TIMEOUT, DOMAIN, REQUESTS_AT_ONCE
from custom_components.tonearm.diagnostics import async_get_config_entry_diagnostics

from .conftest import TOKEN, add_players, call, entity_of, eventually, set_up
from .server import Server
from .test_media_player import attribute, play, shows, uris


@pytest.fixture
def its(hass: HomeAssistant, entry: MockConfigEntry) -> hub.TonearmHub:
    return hass.data[DOMAIN][entry.entry_id]


@pytest.fixture
def requests(its: hub.TonearmHub) -> list[tuple[str, str, dict | None]]:
    """What the integration asks of the server from now on."""
    sent: list[tuple[str, str, dict | None]] = []
    send = its.client._send

    async def record(method: str, path: str, **options):
        sent.append((method, path, options.get("json")))
        return await send(method, path, **options)

    its.client._send = record
    return sent


# Entities


async def test_names_ids_and_devices(
    hass: HomeAssistant, entry: MockConfigEntry, entity: str, api: TonearmClient
) -> None:
    server = await api.server()
    await api.request("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    await eventually(lambda: hass.states.get("media_player.kitchen"), "the new player", timeout=5)
    entities, devices = er.async_get(hass), dr.async_get(hass)
    hub_device = devices.async_get_device(identifiers={(DOMAIN, server.id)})
    assert (entry.unique_id, entry.title) == (server.id, server.name) and hub_device.name == server.name
    for player, id, name in (("main", entity, server.name), ("kitchen", "media_player.kitchen", "Kitchen")):
        registered = entities.async_get(id)
        device = devices.async_get(registered.device_id)
        assert registered.unique_id == f"{server.id}_{player}"
        assert registered.original_name is None and registered.has_entity_name
        assert device.name == name and device.via_device_id == hub_device.id
        assert hass.states.get(id).attributes["friendly_name"] == name
    assert len(dr.async_entries_for_config_entry(devices, entry.entry_id)) == 3
    await api.request("DELETE", "/players/kitchen")
    await eventually(lambda: entities.async_get("media_player.kitchen") is None, "the registered entity is gone")


async def test_newer_versions_link_devices_by_id(
    hass: HomeAssistant, its: hub.TonearmHub, entity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those since 2026.9 refuse an entity with `via_device`."""
    device = dr.async_get(hass).async_get_device(identifiers={(DOMAIN, its.server.id)})
    assert its.via_server() == {"via_device": (DOMAIN, its.server.id)}
    monkeypatch.setattr(dr, "async_get_device_id_by_identifier", None, raising=False)
    assert its.via_server() == {"via_device_id": device.id}


async def test_an_entity_may_get_another_id(
    hass: HomeAssistant, server: Server, entity: str, api: TonearmClient, caplog
) -> None:
    er.async_get(hass).async_update_entity(entity, new_entity_id="media_player.den")
    await eventually(lambda: hass.states.get("media_player.den"), "the entity with its new id")
    await add_players(hass, api, "a")
    await call(hass, "join", "media_player.den", group_members=["media_player.a"])
    both = ["media_player.den", "media_player.a"]
    await eventually(lambda: attribute(hass, "media_player.a", "group_members") == both, "the group")
    await server.stop()
    await shows(hass, "media_player.den", "unavailable")
    await server.restart()
    await shows(hass, "media_player.den", "idle")
    assert "does not generate unique IDs" not in caplog.text


# State

STATES = [
    ("playing", True, "playing"), ("stopping", True, "playing"), ("paused", False, "paused"), ("ready", False, "paused"),
    ("interrupted", True, "paused"), ("loading", True, "buffering"), ("buffering", True, "buffering"),
    ("seeking", True, "buffering"), ("loading", False, "paused"), ("buffering", False, "paused"),
    ("seeking", False, "paused"), ("idle", False, "idle"), ("stopped", False, "idle"), ("completed", False, "idle"),
    ("failed", False, "idle"),
]


async def test_each_status_has_its_state(hass: HomeAssistant, its: hub.TonearmHub, entity: str) -> None:
    for status, wants, state in STATES:
        error = {"code": "media-not-found", "message": "It is gone.", "itemId": None} if status == "failed" else None
        its._take({"type": "status", "player": "main", "data": {
            "status": status, "previous": "idle", "reason": None, "playWhenReady": wants, "itemId": None, "position": 0,
            "error": error,
        }})
        shown = hass.states.get(entity)
        assert (shown.state, shown.attributes["status"]) == (state, status), (status, wants)
        assert shown.attributes["error_code"] == (error and "media-not-found")
        assert shown.attributes["error_message"] == (error and "It is gone.")


async def test_attributes_are_null_where_there_is_nothing(hass: HomeAssistant, entity: str) -> None:
    shown = hass.states.get(entity).attributes
    for name in ("reason", "error_code", "error_message", "queue_index"):
        assert name in shown and shown[name] is None, name
    assert (shown["status"], shown["queue_length"], shown["can_undo"]) == ("idle", 0, False)
    assert shown["group_members"] == []


async def test_a_corrected_duration_is_shown(hass: HomeAssistant, its: hub.TonearmHub, entity: str) -> None:
    """That of a stream without a length is an estimate at first. Time that passes is no change."""
    await play(hass, entity)
    await eventually(lambda: attribute(hass, entity, "media_duration") == 5, "the duration")
    time = {"itemId": None, "progress": None, "rate": 1, "listenedTime": 0, "discontinuity": 7}
    for position, duration, shown in ((2, 5, 2), (3, 5, 2), (4, 6, 4)):
        its._take({"type": "time", "player": "main", "data": {**time, "position": position, "duration": duration}})
        assert (attribute(hass, entity, "media_duration"), attribute(hass, entity, "media_position")) == (duration, shown)


async def test_a_failed_item_has_the_servers_code(hass: HomeAssistant, server: Server, entity: str) -> None:
    (server.music / "broken.wav").write_bytes(b"RIFF" + bytes(60))
    await play(hass, entity, "broken.wav")
    await eventually(lambda: attribute(hass, entity, "error_code"), "an error code")
    assert hass.states.get(entity).state == "idle" and attribute(hass, entity, "error_message")


async def test_the_default_output_is_the_first_source(hass: HomeAssistant, its: hub.TonearmHub, entity: str, requests) -> None:
    """Row 312: of outputs with one name, the chosen one is asked for by its id."""
    get = its.client.get

    async def outputs(path: str, *arguments, **options):
        answer = await get(path, *arguments, **options)
        if path.endswith("/outputs"):
            one = answer["outputs"][0]
            answer["outputs"] = [
                {**one, "id": "a", "description": "Desk", "default": False},
                {**one, "id": "b", "description": "Hall", "default": True},
                {**one, "id": "c", "description": "Desk", "default": False},
            ]
        return answer

    its.client.get = outputs
    its._take({"type": "route", "player": "main", "data": {}})
    await eventually(lambda: attribute(hass, entity, "source_list") == ["Hall", "Desk (a)", "Desk (c)"], "the sources")
    # The server itself has only the null output.
    with pytest.raises(HomeAssistantError):
        await call(hass, "select_source", entity, source="Desk (c)")
    assert [one for one in requests if one[0] != "GET"] == [("PUT", "/players/main/outputs/current", {"id": "c"})]


async def test_a_preset_that_comes_or_goes_is_shown(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    """Without any other change of the effects."""
    async def listed(name: str, is_there: bool = True) -> None:
        await eventually(lambda: (name in attribute(hass, entity, "sound_mode_list")) is is_there, f"{name}: {is_there}")

    await listed("bass")
    bands = [{"type": "peak", "frequency": 1000, "gain": 2, "q": 1}]
    await api.request("PUT", "/effects/presets/Mine", json={"bands": bands})
    await listed("Mine")
    await api.request("POST", "/effects/presets", json={"name": "Text", "text": "Preamp: -3 dB"})
    await listed("Text")
    await api.request("DELETE", "/effects/presets/Mine")
    await listed("Mine", False)


# Availability


async def test_attempts_are_half_a_second_apart_and_doubled(
    hass: HomeAssistant, server: Server, entity: str, its: hub.TonearmHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    connect, timeout = its._connect, asyncio.timeout

    async def tried():
        return await connect() if len(waits) > 8 else None

    def noted(delay: float):
        waits.append(delay)
        return timeout(0.001)

    its._connect = tried
    monkeypatch.setattr(hub, "asyncio", types.SimpleNamespace(**{**vars(asyncio), "timeout": noted}))
    await server.stop()
    await eventually(lambda: len(waits) > 8, "nine attempts")
    monkeypatch.undo()
    assert waits[:9] == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
    assert hub.PING_INTERVAL * 1.5 == pytest.approx(20, abs=0.1)


async def test_another_version_is_shown_when_the_server_is_back(
    hass: HomeAssistant, server: Server, entry: MockConfigEntry, entity: str, its: hub.TonearmHub
) -> None:
    answer = its.client.server

    async def newer():
        return dataclasses.replace(await answer(), version="99.1")

    its.client.server = newer
    await server.stop()
    await shows(hass, entity, "unavailable")
    await server.restart()
    await shows(hass, entity, "idle")
    devices = dr.async_get(hass)
    for identifier in (entry.unique_id, f"{entry.unique_id}_main"):
        assert devices.async_get_device(identifiers={(DOMAIN, identifier)}).sw_version == "99.1"


async def test_another_server_at_set_up_is_a_repair_issue(hass: HomeAssistant, server: Server) -> None:
    entry = MockConfigEntry(domain=DOMAIN, unique_id="another", data={CONF_URL: server.url, CONF_TOKEN: None})
    entry.add_to_hass(hass)
    await hass.config_entries.async_setup(entry.entry_id)
    # Versions that translate no error show its text.
    assert entry.state is ConfigEntryState.SETUP_RETRY and server.url in entry.reason
    issue = f"wrong_server_{entry.entry_id}"
    assert ir.async_get(hass).async_get_issue(DOMAIN, issue)
    await hass.config_entries.async_remove(entry.entry_id)
    assert ir.async_get(hass).async_get_issue(DOMAIN, issue) is None


async def test_the_issue_of_an_output_goes_by_itself(
    hass: HomeAssistant, entry: MockConfigEntry, its: hub.TonearmHub, entity: str, api: TonearmClient
) -> None:
    def issue():
        return ir.async_get(hass).async_get_issue(DOMAIN, f"sound_server_away_{entry.entry_id}")

    def report(player: str, available: bool) -> None:
        data = {**its.players[player].player["output"], "available": available}
        its._take({"type": "output", "player": player, "data": data})

    report("main", False)
    assert issue()
    report("main", True)
    assert not issue()
    await add_players(hass, api, "a")
    report("a", False)
    assert issue()
    await api.request("DELETE", "/players/a")
    await eventually(lambda: not issue(), "its player is gone")


async def test_a_message_that_is_not_understood_ends_in_a_fresh_state(
    hass: HomeAssistant, its: hub.TonearmHub, entity: str, api: TonearmClient
) -> None:
    take = its._take

    def stumble(message):
        its._take = take
        raise AttributeError("as of a message of another form")

    its._take = stumble
    await api.request("PATCH", "/player", json={"level": 0.25})
    await eventually(lambda: attribute(hass, entity, "volume_level") == 0.25, "the level, of a snapshot")


async def test_a_handshake_that_is_not_answered_fails_soon(
    hass: HomeAssistant, origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest, "REQUEST_TIMEOUT", 0.2)

    async def handle(request: web.Request) -> web.Response:
        await asyncio.sleep(5)
        return web.Response()

    client = TonearmClient(async_get_clientsession(hass), await origin(handle), None)
    async with asyncio.timeout(2):
        with pytest.raises(rest.CannotConnect):
            await client.events(20)


# Commands


async def test_each_enqueue_mode_is_one_request(hass: HomeAssistant, entity: str, requests) -> None:
    items = [{"uri": "one.wav"}]
    for enqueue, method, path, body in (
        (None, "PUT", "/queue", {"play": True}), ("replace", "PUT", "/queue", {"play": True}),
        ("add", "POST", "/queue/items", {"position": "end"}), ("next", "POST", "/queue/items", {"position": "next"}),
        ("play", "POST", "/queue/items", {"position": "next", "play": True}),
    ):
        del requests[:]
        await play(hass, entity, **({"enqueue": enqueue} if enqueue else {}))
        # Besides, the outputs may be read once more.
        assert [one for one in requests if one[0] != "GET"] == [(method, f"/players/main{path}", {"items": items, **body})], enqueue


async def test_paths_of_home_assistant_are_signed_addresses(hass: HomeAssistant, entity: str, requests) -> None:
    hass.config.internal_url = "http://127.0.0.1:1"
    await play(hass, entity, "/local/bell.wav", enqueue="add")
    assert requests[0][2]["items"][0]["uri"].startswith("http://127.0.0.1:1/local/bell.wav?authSig=")


async def test_extra_has_a_picture_too(hass: HomeAssistant, entity: str, api: TonearmClient, requests) -> None:
    await play(hass, entity, extra={"title": "T", "thumb": "http://127.0.0.1:1/a.jpg", "other": 1})
    assert requests[0][2]["items"] == [{"uri": "one.wav", "title": "T", "artworkUri": "http://127.0.0.1:1/a.jpg"}]


async def test_types_of_the_browser_are_played(hass: HomeAssistant, server: Server, entity: str, api: TonearmClient) -> None:
    (server.music / "Set").mkdir()
    server.tone("Set/a.wav")
    made = await api.request("POST", "/playlists", json={"name": "P", "items": [{"uri": "two.wav"}]})
    async with asyncio.timeout(10):
        while not (tracks := (await api.get("/library/tracks"))["items"]):
            await asyncio.sleep(0.05)
    for kind, id, queue in (
        ("folder", "Set", ["Set/a.wav"]), ("playlist", made["id"], ["two.wav"]),
        ("track", tracks[0]["id"], [tracks[0]["uri"]]), ("music", "one.wav", ["one.wav"]), ("url", "two.wav", ["two.wav"]),
    ):
        await call(hass, "play_media", entity, media_content_id=id, media_content_type=kind)
        assert await uris(api) == queue, kind


async def test_an_announcement_has_its_extra(hass: HomeAssistant, server: Server, entity: str, api: TonearmClient) -> None:
    server.tone("chime.wav", seconds=0.3)
    server.tone("bell.wav", seconds=0.5)
    extra = {"volume": 0.5, "chime": "chime.wav", "music": "pause", "priority": "high"}
    await play(hass, entity, "bell.wav", announce=True, extra=extra)
    heard = (await api.get("/announcements"))["ended"][0]
    assert heard["volume"] == pytest.approx(0.125) and heard["reason"] == "finished"
    assert [heard[name] for name in ("uri", "chime", "music", "priority")] == ["bell.wav", "chime.wav", "pause", "high"]
    for wrong in ({"volume": 2}, {"volume": "loud"}, {"music": "louder"}, {"priority": 1}, {"chime": "gopher://x"}):
        with pytest.raises(ServiceValidationError):
            await play(hass, entity, "bell.wav", announce=True, extra=wrong)


async def test_what_the_browser_names_can_be_announced(
    hass: HomeAssistant, server: Server, entity: str, api: TonearmClient, origin
) -> None:
    for name in ("a.wav", "b.wav"):
        server.tone(name, seconds=0.2)
    made = await api.request("POST", "/playlists", json={"name": "P", "items": [{"uri": "a.wav"}, {"uri": "b.wav"}]})
    await call(hass, "play_media", entity, media_content_id=made["id"], media_content_type="playlist", announce=True)
    assert (await api.get("/announcements"))["ended"][0]["parts"] == ["a.wav", "b.wav"]

    async def handle(request: web.Request) -> web.StreamResponse:
        return web.FileResponse(server.music / "a.wav")

    await play(hass, entity, f"{await origin(handle)}/a.wav?token=s3cr3t-of-this-test")
    content = await eventually(lambda: attribute(hass, entity, "media_content_id"), "the reference")
    assert content.startswith("sealed:")
    await play(hass, entity, content, announce=True)
    ended = (await api.get("/announcements"))["ended"][0]
    assert ended["reason"] == "finished" and "s3cr3t" not in str(ended)


async def test_speech_that_never_comes_fails(hass: HomeAssistant, entity: str, api: TonearmClient, origin) -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    address = await origin(handle)
    await play(hass, entity)
    await shows(hass, entity, "playing")
    with pytest.raises(HomeAssistantError):
        await play(hass, entity, f"{address}/speech.mp3", announce=True, extra={"timeout": 1})
    assert (await api.get("/player"))["status"] == "playing"


async def test_a_refusal_has_the_servers_detail(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    async def detail(path: str, body: dict, method: str = "POST") -> str:
        response = await api._send(method, path, json=body)
        return (await response.json())["detail"]

    for id, kind in (("missing.wav", "music"), ("gopher://x", "music"), ("../x.wav", "music"), ("pl_x", "playlist")):
        item = {"playlist": id} if kind == "playlist" else {"uri": id}
        wanted = await detail("/queue/items", {"items": [item]})
        with pytest.raises(ServiceValidationError) as refusal:
            await call(hass, "play_media", entity, media_content_id=id, media_content_type=kind, enqueue="add")
        assert str(refusal.value) == wanted, id
        assert refusal.value.translation_placeholders == {"detail": wanted}
    assert not await uris(api)
    # The server's state is at fault.
    with pytest.raises(HomeAssistantError) as refusal:
        await call(hass, "undo", entity, DOMAIN)
    assert not isinstance(refusal.value, ServiceValidationError)
    assert str(refusal.value) == await detail("/queue/undo", {})


async def test_a_lost_server_fails_calls(hass: HomeAssistant, server: Server, its: hub.TonearmHub, entity: str) -> None:
    player = hass.data["media_player"].get_entity(entity)
    await server.stop()
    with pytest.raises(HomeAssistantError):
        await player.async_media_play()
    with pytest.raises(BrowseError):
        await player.async_browse_media("folder", "")


async def test_a_refused_token_of_a_call_starts_reauthentication(
    hass: HomeAssistant, its: hub.TonearmHub, entity: str, origin
) -> None:
    async def handle(request: web.Request) -> web.Response:
        return web.Response(status=401, text="no")

    its.client.url = await origin(handle)
    player = hass.data["media_player"].get_entity(entity)
    with pytest.raises(BrowseError):
        await player.async_browse_media("folder", "")
    await hass.async_block_till_done()
    flows = hass.config_entries.flow.async_progress()
    assert [flow["step_id"] for flow in flows] == ["reauth_confirm"]
    with pytest.raises(HomeAssistantError):
        await player.async_media_play()


async def test_services_take_areas_and_all(hass: HomeAssistant, entry: MockConfigEntry, entity: str, api: TonearmClient) -> None:
    area = ar.async_get(hass).async_create("Den")
    entities = er.async_get(hass)
    entities.async_update_entity(entity, area_id=area.id)
    lamp = entities.async_get_or_create("light", "other", "lamp")
    entities.async_update_entity(lamp.entity_id, area_id=area.id)
    for target in ({"area_id": area.id}, {"entity_id": "all"}):
        await hass.services.async_call(DOMAIN, "sleep", {**target, "duration": 60}, blocking=True)
        assert len((await api.get("/timers"))["timers"]) == 1
        await hass.services.async_call(DOMAIN, "sleep", {**target, "duration": 0}, blocking=True)
        assert not (await api.get("/timers"))["timers"]
    for target in ({"entity_id": [entity, lamp.entity_id]}, {"entity_id": []}):
        with pytest.raises(ServiceValidationError):
            await hass.services.async_call(DOMAIN, "undo", target, blocking=True)


async def test_targets_are_found_as_newer_versions_do(
    hass: HomeAssistant, entity: str, api: TonearmClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their function takes the call alone."""
    extract = services.async_extract_entity_ids
    monkeypatch.setattr(services, "async_extract_entity_ids", lambda call: extract(hass, call))
    await call(hass, "sleep", entity, DOMAIN, duration=60)
    assert len((await api.get("/timers"))["timers"]) == 1


async def test_sleep_of_a_follower_is_its_leaders(
    hass: HomeAssistant, entry: MockConfigEntry, entity: str, api: TonearmClient, requests
) -> None:
    await add_players(hass, api, "a")
    await call(hass, "join", entity, group_members=["media_player.a"])
    await eventually(lambda: attribute(hass, "media_player.a", "group_members"), "the group")
    await call(hass, "sleep", "media_player.a", DOMAIN, duration={"minutes": 5})
    assert [timer["after"] for timer in (await api.get("/timers"))["timers"]] == [300]
    await call(hass, "sleep", "media_player.a", DOMAIN, duration=0)
    assert not (await api.get("/timers"))["timers"]
    assert all(path.startswith(("/players/a", "/players/main")) for _, path, _ in requests)


async def test_a_group_is_served_once(
    hass: HomeAssistant, entity: str, api: TonearmClient, requests
) -> None:
    """And for an interruption, the server is: began is counted, and would have to end as often."""
    await add_players(hass, api, "a")
    await call(hass, "join", entity, group_members=["media_player.a"])
    await eventually(lambda: attribute(hass, "media_player.a", "group_members"), "the group")
    both = [entity, "media_player.a"]
    for _ in range(2):
        await play(hass, entity, enqueue="add")
    await hass.services.async_call(DOMAIN, "undo", {"entity_id": both}, blocking=True)
    assert len(await uris(api)) == 1
    level = (await api.get("/player"))["level"]
    await hass.services.async_call(DOMAIN, "group_volume", {"entity_id": both, "by": -0.1}, blocking=True)
    assert (await api.get("/player"))["level"] == pytest.approx(level - 0.1)
    await call(hass, "unjoin", "media_player.a")
    del requests[:]
    await hass.services.async_call(DOMAIN, "interrupt", {"entity_id": both, "type": "began"}, blocking=True)
    assert [path for _, path, _ in requests] == ["/session/interruptions"]


async def test_200_calls_of_every_kind_at_once(hass: HomeAssistant, entity: str, api: TonearmClient) -> None:
    """None is refused as too many, and each addition is there."""
    await asyncio.gather(*(
        play(hass, entity, enqueue="add") if n % 2 else call(hass, "volume_up" if n % 4 else "shuffle_set", entity,
                                                            **({} if n % 4 else {"shuffle": bool(n % 8)}))
        for n in range(200)
    ))
    assert len((await api.get("/queue"))["items"]) == 100
    await eventually(lambda: attribute(hass, entity, "queue_length") == 100, "all are shown")


async def test_calls_beyond_16_wait_here(hass: HomeAssistant, origin) -> None:
    """But for those that take long, as an announcement does."""
    held: list[str] = []
    go = asyncio.Event()

    async def handle(request: web.Request) -> web.Response:
        held.append(request.path)
        await go.wait()
        return web.json_response({})

    client = TonearmClient(async_get_clientsession(hass), await origin(handle), None)
    calls = asyncio.gather(
        *(client.get("/short") for _ in range(40)), client.request("POST", "/long", timeout=ANNOUNCE_TIMEOUT)
    )
    await eventually(lambda: len(held) == REQUESTS_AT_ONCE + 1, "the first ones")
    assert "/api/v1/long" in held
    go.set()
    await calls
    assert len(held) == 41


async def test_a_player_that_goes_while_a_call_is_on_its_way(
    hass: HomeAssistant, its: hub.TonearmHub, entity: str, api: TonearmClient
) -> None:
    await add_players(hass, api, "a")
    player = hass.data["media_player"].get_entity("media_player.a")
    await api.request("DELETE", "/players/a")
    with pytest.raises(ServiceValidationError):
        await player.async_media_play()


# Browsing


async def test_long_containers_have_pages(
    hass: HomeAssistant, server: Server, entity: str, its: hub.TonearmHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "BROWSE_LIMIT", 2)
    player = hass.data["media_player"].get_entity(entity)
    first = await player.async_browse_media("folder", "")
    assert [child.title for child in first.children] == ["one.wav", "three.wav", "3 – 3"]
    further = first.children[-1]
    assert further.can_expand and not further.can_play
    second = await player.async_browse_media(further.media_content_type, further.media_content_id)
    assert [child.title for child in second.children] == ["two.wav"] and not second.can_play
    assert (second.media_content_type, second.media_content_id) == (further.media_content_type, "")
    get = its.client.get

    async def truncated(path: str, *arguments):
        return {**await get(path, *arguments), "truncated": True}

    its.client.get = truncated
    assert (await player.async_browse_media("folder", "")).title == "Folders (not all)"


async def test_unknown_things_are_browse_errors(hass: HomeAssistant, entity: str) -> None:
    player = hass.data["media_player"].get_entity(entity)
    for kind, id in (("folder", "missing"), ("album", "nothing"), ("playlist", "x"), ("nonsense", ""), ("folder", "../..")):
        with pytest.raises(BrowseError) as error:
            await player.async_browse_media(kind, id)
        assert error.value.translation_domain == DOMAIN and str(error.value), kind


async def test_search_answers_as_newer_versions_want(
    hass: HomeAssistant, entity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those since 2025.5 have a class for it."""
    newer = type("SearchMedia", (types.SimpleNamespace,), {})
    monkeypatch.setattr(media_player, "SearchMedia", newer, raising=False)
    player = hass.data["media_player"].get_entity(entity)
    found = await player.async_search_media(types.SimpleNamespace(search_query="nothing has this name"))
    assert type(found) is newer and found.result == []


@pytest.mark.parametrize(("uri", "name"), [
    ("Album/1?.mp3", "1?.mp3"), ("http://h/media/a%20b.mp3?authSig=***/x", "a b.mp3"), ("http://h:1/", "h:1"),
    ("file:///music/%C3%B6.mp3", "ö.mp3"),
])
def test_a_medium_without_a_title_has_its_files_name(uri: str, name: str) -> None:
    assert browsing.file_name(uri) == name


# Diagnostics


async def test_diagnostics_show_neither_token_nor_address(hass: HomeAssistant, locked_server: Server) -> None:
    """Row 315: also of an entry that is not loaded."""
    entry = await set_up(hass, locked_server, TOKEN)
    main = entity_of(hass, entry, "main")
    await play(hass, main, f"http://user:{TOKEN}@127.0.0.1:1/{TOKEN}.mp3?key={TOKEN}", extra={
        name: f"private {name}" for name in ("title", "artist", "album", "thumb")})
    await eventually(lambda: attribute(hass, main, "error_code"), "it cannot be loaded", timeout=40)
    loaded = str(await async_get_config_entry_diagnostics(hass, entry))
    assert "'main'" in loaded and "failed" in loaded
    await hass.config_entries.async_unload(entry.entry_id)
    for text in (loaded, str(await async_get_config_entry_diagnostics(hass, entry))):
        assert not [secret for secret in (TOKEN, "private", "127.0.0.1", str(locked_server.port)) if secret in text]
