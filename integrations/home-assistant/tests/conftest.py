# SPDX-License-Identifier: Apache-2.0
"""What every test has at hand: a server, and Home Assistant with the integration set up for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
import pathlib
import shutil
import tempfile
import time
from typing import Any

from aiohttp import web
import pytest
import pytest_socket
from pytest_homeassistant_custom_component.common import MockConfigEntry

from homeassistant import block_async_io
from homeassistant.const import CONF_TOKEN, CONF_URL
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er

from custom_components.tonearm.client import TonearmClient
from custom_components.tonearm.const import DOMAIN
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from .server import Server


# As in use: a call that blocks the event loop is an error.
block_async_io.enable()


@pytest.fixture(autouse=True)
def integrations(enable_custom_integrations: None) -> None:
    """The integration is found."""


@pytest.fixture(autouse=True)
def loopback(socket_enabled: None) -> None:
    """The tests speak with a real server; no other address is allowed."""
    pytest_socket.socket_allow_hosts(["127.0.0.1", "localhost", "::1"], allow_unix_socket=True)


@pytest.fixture
def launch() -> Iterator[Callable[..., Server]]:
    """Starts servers that end with the test. Blocks."""
    servers: list[Server] = []
    homes: list[pathlib.Path] = []

    def start(*arguments: str, output: str = "null") -> Server:
        homes.append(pathlib.Path(tempfile.mkdtemp(prefix="tonearm-")))
        servers.append(Server(homes[-1], *arguments, output=output))
        servers[-1].tone("one.wav")
        servers[-1].tone("two.wav", frequency=660)
        servers[-1].tone("three.wav", frequency=880)
        return servers[-1].start()

    yield start
    for server in servers:
        server.end()
    for home in homes:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def start_server(launch: Callable[..., Server]) -> Callable[..., Awaitable[Server]]:
    """As `launch`, from the event loop."""

    async def start(*arguments: str, **options: str) -> Server:
        return await asyncio.to_thread(launch, *arguments, **options)

    return start


@pytest.fixture
def server(launch: Callable[..., Server]) -> Server:
    return launch()


TOKEN = "a-secret-of-this-test-0123456789"


@pytest.fixture
def token_file(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o600)
    return file


@pytest.fixture
def locked_server(launch: Callable[..., Server], token_file: pathlib.Path) -> Server:
    """One that wants TOKEN, from this machine too."""
    return launch("--token-file", str(token_file), "--allow-host", "tonearm.test")


async def set_up(hass: HomeAssistant, server: Server, token: str | None = None) -> MockConfigEntry:
    info = await client_of(hass, server, token).server()
    entry = MockConfigEntry(
        domain=DOMAIN, unique_id=info.id, title=info.name, data={CONF_URL: server.url, CONF_TOKEN: token}
    )
    entry.add_to_hass(hass)
    await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    return entry


def client_of(hass: HomeAssistant, server: Server, token: str | None = None) -> TonearmClient:
    return TonearmClient(async_get_clientsession(hass), server.url, token)


@pytest.fixture
async def entry(hass: HomeAssistant, server: Server) -> MockConfigEntry:
    return await set_up(hass, server)


@pytest.fixture
def api(hass: HomeAssistant, server: Server) -> TonearmClient:
    """The server, asked beside the integration."""
    return client_of(hass, server)


@pytest.fixture
def entity(hass: HomeAssistant, entry: MockConfigEntry) -> str:
    """The entity of the player main."""
    return entity_of(hass, entry, "main")


def entity_of(hass: HomeAssistant, entry: MockConfigEntry, player: str) -> str:
    found = er.async_get(hass).async_get_entity_id("media_player", DOMAIN, f"{entry.unique_id}_{player}")
    assert found is not None
    return found


@pytest.fixture
def origin(aiohttp_server) -> Callable[..., Awaitable[str]]:
    """Starts a web server on which `handle` answers each request; gives its address."""

    async def start(handle: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> str:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handle)
        return str((await aiohttp_server(app)).make_url("")).rstrip("/")

    return start


async def add_players(hass: HomeAssistant, api: TonearmClient, *ids: str) -> None:
    for id in ids:
        await api.request("POST", "/players", json={"id": id})
    await eventually(lambda: all(hass.states.get(f"media_player.{id}") for id in ids), f"players {ids}")


async def eventually(condition: Callable[[], Any], what: str, timeout: float = 10) -> Any:
    """Waits until `condition` holds, and gives its value."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not in {timeout} s: {what}"
        await asyncio.sleep(0.01)
    return value


async def call(hass: HomeAssistant, service: str, entity: str, domain: str = "media_player", **data: Any) -> None:
    await hass.services.async_call(domain, service, {"entity_id": entity, **data}, blocking=True)
