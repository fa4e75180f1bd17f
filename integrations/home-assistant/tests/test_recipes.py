# SPDX-License-Identifier: Apache-2.0
"""The recipes of README.md run as they stand there."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pathlib
import re
import socket
import wave

import pytest
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry, MockModule, MockPlatform, async_mock_service, mock_integration, mock_platform,
)
import yaml

from homeassistant.components import tts
from homeassistant.config_entries import ConfigFlow
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import loader

from custom_components.tonearm.client import TonearmClient
from custom_components.tonearm.const import DOMAIN

from .conftest import TOKEN, call, client_of, entity_of, eventually, set_up
from .server import Server

PLACE = pathlib.Path(__file__).parents[1]
ROOM = "media_player.living_room"
README = (PLACE / "README.md").read_text()


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", README, re.M | re.S)


async def load(hass: HomeAssistant, name: str, server: Server) -> None:
    """Sets up the block of that alias or key, with the server's address in place of the one in the text."""
    text = next(block for block in blocks("yaml") if name in block).replace("http://192.168.1.20:8080", server.url)
    folder = server.home / "config"
    folder.mkdir(exist_ok=True)
    (folder / "secrets.yaml").write_text(f"tonearm_authorization: Bearer {TOKEN}\n")
    (folder / "recipe.yaml").write_text(text)
    config = await hass.async_add_executor_job(
        loader.load_yaml, str(folder / "recipe.yaml"), loader.Secrets(folder)
    )
    for domain in config:
        assert await async_setup_component(hass, domain, config), domain
    await hass.async_block_till_done()


@pytest.fixture
def server(locked_server: Server) -> Server:
    return locked_server


@pytest.fixture
def api(hass: HomeAssistant, server: Server) -> TonearmClient:
    return client_of(hass, server, TOKEN)


@pytest.fixture
async def room(hass: HomeAssistant, server: Server, api: TonearmClient) -> MockConfigEntry:
    server.tone("doorbell.wav", seconds=0.5)
    (server.music / "Morning").mkdir()
    server.tone("Morning/first.wav", seconds=3)
    await api.request("PATCH", "/player", json={"name": "Living room"})
    entry = await set_up(hass, server, TOKEN)
    assert entity_of(hass, entry, "main") == ROOM
    # It plays on, however busy the machine is.
    server.tone("long.wav", seconds=60)
    await call(hass, "play_media", ROOM, media_content_id="long.wav", media_content_type="music")
    await eventually(lambda: hass.states.get(ROOM).state == "playing", "the music plays")
    return entry


async def test_doorbell(hass: HomeAssistant, server: Server, room: MockConfigEntry, api: TonearmClient) -> None:
    hass.states.async_set("binary_sensor.doorbell", "off")
    await load(hass, "Doorbell", server)
    seen: list[tuple[str, str | None]] = []
    hass.bus.async_listen(
        "state_changed",
        lambda event: seen.append((event.data["new_state"].state, event.data["new_state"].attributes.get("reason")))
        if event.data["entity_id"] == ROOM else None,
    )
    hass.states.async_set("binary_sensor.doorbell", "on")
    await eventually(lambda: ("paused", "interruption") in seen, "the music pauses")
    await eventually(lambda: seen[-1][0] == "playing", "the music is back")
    assert not (await api.get("/announcements"))["announcements"]


async def test_wake_up(hass: HomeAssistant, server: Server, room: MockConfigEntry, api: TonearmClient) -> None:
    await load(hass, "wake_up", server)
    lamp = async_mock_service(hass, "light", "turn_on")
    await hass.services.async_call("script", "wake_up", {"time": "06:45", "days": ["mon", "fri"]}, blocking=True)
    timer = (await api.get("/timers"))["timers"][0]
    assert (timer["type"], timer["time"], timer["days"]) == ("alarm", "06:45", ["mon", "fri"])
    assert (timer["level"], timer["ramp"]) == (0.4, 60) and timer["next"]
    # As the alarm plays it when its time has come.
    await api.request("PUT", "/queue", json={"items": timer["items"], "play": True})
    await eventually(lambda: lamp, "the lamp goes on")
    assert lamp[0].data["entity_id"] == ["light.bedroom"]


async def test_phone(hass: HomeAssistant, server: Server, room: MockConfigEntry) -> None:
    hass.states.async_set("binary_sensor.phone", "off")
    await load(hass, "Phone", server)
    hass.states.async_set("binary_sensor.phone", "on")
    await eventually(lambda: hass.states.get(ROOM).attributes["reason"] == "interruption", "silence")
    hass.states.async_set("binary_sensor.phone", "off")
    await eventually(lambda: hass.states.get(ROOM).state == "playing", "the music is back")


async def test_headphones(hass: HomeAssistant, server: Server, room: MockConfigEntry, api: TonearmClient) -> None:
    """Row 313: an automation on the reason fires. The null output loses no device: the event is made up, in the form in which
    the server sends it."""
    await load(hass, "Headphones", server)
    sent = async_mock_service(hass, "notify", "notify")
    position = (await api.get("/player"))["position"]
    hass.data[DOMAIN][room.entry_id]._take({
        "type": "status", "player": "main",
        "data": {"status": "paused", "previous": "playing", "reason": "route-lost", "playWhenReady": False,
                 "itemId": None, "position": position, "error": None},
    })
    await eventually(lambda: sent, "the message")


class Speech(tts.TextToSpeechEntity):
    """Says everything as one second of silence."""

    _attr_name = "Piper"
    supported_languages = ["en"]
    default_language = "en"
    spoken: list[str] = []
    audio: bytes | None = None

    async def async_get_tts_audio(self, message, language, options):
        self.spoken.append(message.strip())
        if self.audio is not None:
            return "wav", self.audio
        file = io.BytesIO()
        with wave.open(file, "wb") as sound:
            sound.setparams((1, 2, 8000, 0, "NONE", ""))
            sound.writeframes(bytes(16000))
        return "wav", file.getvalue()


class VoiceFlow(ConfigFlow, domain="voice"):
    """Home Assistant wants one for every entry."""


@pytest.fixture
async def speech(hass: HomeAssistant, hass_client, tmp_path, mock_tts_cache: None) -> Speech:
    """Home Assistant's own web server, by its address, and a voice."""
    entity = Speech()
    entity.spoken = []

    async def set_up_voice(hass, entry):
        await hass.config_entries.async_forward_entry_setup(entry, Platform.TTS)
        return True

    async def add(hass, entry, async_add_entities):
        async_add_entities([entity])

    mock_integration(hass, MockModule("voice", async_setup_entry=set_up_voice))
    mock_platform(hass, "voice.config_flow")
    mock_platform(hass, "voice.tts", MockPlatform(async_setup_entry=add))
    # Views cannot be added once the web server runs.
    for component in ("media_player", "media_source"):
        assert await async_setup_component(hass, component, {})
    assert await async_setup_component(hass, "tts", {})
    client = await hass_client()
    hass.config.internal_url = f"http://127.0.0.1:{client.server.port}"
    entry = MockConfigEntry(domain="voice")
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    return entity


@pytest.fixture
def mock_tts_cache(hass: HomeAssistant, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tts, "_init_tts_cache_dir", lambda hass, folder: str(tmp_path))


async def test_weather(
    hass: HomeAssistant, server: Server, room: MockConfigEntry, speech: Speech, api: TonearmClient
) -> None:
    """Row 307: `tts.speak` returns when the speech was heard."""
    await load(hass, "speak_weather", server)
    hass.states.async_set("weather.home", "sunny", {"temperature": 21})
    began = asyncio.get_running_loop().time()
    await hass.services.async_call("script", "speak_weather", {}, blocking=True)
    assert asyncio.get_running_loop().time() - began >= 0.9
    assert speech.spoken == ["It is 21 degrees, sunny."]
    player = await api.get("/player")
    assert player["level"] == pytest.approx(0.3) and player["status"] == "playing"


@pytest.mark.parametrize("audio", [b"", b"<html>no speech</html>"], ids=["0 bytes", "HTML"])
async def test_speech_that_is_none_fails(
    hass: HomeAssistant, room: MockConfigEntry, speech: Speech, api: TonearmClient, audio: bytes
) -> None:
    speech.audio = audio
    with pytest.raises(HomeAssistantError) as error:
        await hass.services.async_call(
            "tts", "speak", {"entity_id": "tts.piper", "media_player_entity_id": ROOM, "message": "x"}, blocking=True
        )
    assert speech.spoken == ["x"] and "Media Source" not in str(error.value)
    assert (await api.get("/player"))["status"] == "playing"


async def test_node_red(hass: HomeAssistant, server: Server, room: MockConfigEntry, api: TonearmClient) -> None:
    """The flow is whole, and its messages do their work over a WebSocket with its address and protocols."""
    nodes = {node["id"]: node for node in json.loads(blocks("json")[0])}
    for node in nodes.values():
        assert all(target in nodes for wire in node.get("wires", []) for target in wire)
        assert len(node.get("wires", [])) == node.get("outputs", len(node.get("wires", [])))
    client = nodes["tonearm"]
    assert nodes["events"]["client"] == nodes["commands"]["client"] == "tonearm"
    path = client["path"].removeprefix("ws://tonearm:8080")
    session = api._session
    shown: list[dict] = []
    async with session.ws_connect(server.url + path, protocols=client["subprotocol"].replace("TOKEN", TOKEN).split(",")) as socket:
        assert socket.protocol == "tonearm.v1"
        for name in ("pause", "ring"):
            assert nodes[name]["wires"] == [["commands"]]
            await socket.send_str(nodes[name]["payload"])
        rules = [rule["v"] for rule in nodes["choose"]["rules"]]
        async with asyncio.timeout(60):
            while not {1, 2} <= {message.get("id") for message in shown} or not any(
                message["type"] == "status" and message["data"]["status"] == "paused" for message in shown
            ):
                message = await socket.receive_json()
                if message["type"] in rules:
                    shown.append(message)
    replies = [message for message in shown if message["type"] == "reply"]
    assert not [reply for reply in replies if "error" in reply or "problem" in reply], replies


@pytest.mark.skipif(os.geteuid() != 0, reason="machine names are changed in namespaces, as root")
async def test_both_reach_each_other_by_name(
    hass: HomeAssistant, server: Server, speech: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in Compose: `tonearm` is the name of the server's machine, and `homeassistant` resolves there."""
    hosts = server.home / "hosts"
    hosts.write_text("127.0.0.1 localhost tonearm homeassistant\n")
    script = f'hostname tonearm && mount --bind {hosts} /etc/hosts && exec "$0" "$@"'
    await server.stop()
    server.wrapper = ["unshare", "--uts", "--mount", "--propagation", "private", "sh", "-c", script]
    await server.restart()
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *rest, **more: resolve(
            "127.0.0.1" if host == "tonearm" else host, *rest, **more)
    )
    form = await hass.config_entries.flow.async_init(DOMAIN, context={"source": "user"})
    result = await hass.config_entries.flow.async_configure(
        form["flow_id"], {"url": f"http://tonearm:{server.port}", "token": TOKEN}
    )
    assert result["type"] == "create_entry", result
    await hass.async_block_till_done()
    hass.config.internal_url = hass.config.internal_url.replace("127.0.0.1", "homeassistant")
    main = entity_of(hass, result["result"], "main")
    await hass.services.async_call(
        "tts", "speak", {"entity_id": "tts.piper", "media_player_entity_id": main, "message": "x"}, blocking=True
    )
    assert speech.spoken == ["x"]


def test_compose_names_both() -> None:
    """Home Assistant's part fits that of Tonearm: names, address and folders are those of the text."""
    root = PLACE.parents[1]
    tonearm = yaml.safe_load((root / "compose.yaml").read_text())["services"]["tonearm"]
    other = yaml.safe_load((PLACE / "compose.yaml").read_text())["services"]["homeassistant"]
    port = (root / "Dockerfile").read_text().split("TONEARM_PORT=")[1].split()[0]
    # A server answers under its machine's name.
    assert tonearm["hostname"] == "tonearm" and f"http://tonearm:{port}" in README
    assert other["hostname"] == "homeassistant" and "http://homeassistant:8123" in README
    mount = next(volume for volume in other["volumes"] if isinstance(volume, dict))
    assert (root / mount["source"] / "manifest.json").exists()
    assert mount["target"].endswith("custom_components/tonearm")
