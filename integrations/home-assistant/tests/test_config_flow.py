# SPDX-License-Identifier: Apache-2.0
"""Set-up, discovery, a new token, another address (SPEC row 301)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
import json
import pathlib

from aiohttp import web
import pytest

from homeassistant import config_entries
from homeassistant.components.zeroconf import ZeroconfServiceInfo
from homeassistant.const import CONF_TOKEN, CONF_URL
from homeassistant.core import HomeAssistant

from custom_components.tonearm import hub
from custom_components.tonearm.const import DOMAIN

from .conftest import TOKEN, client_of, entity_of, eventually, set_up
from .server import Server

USER = {"source": config_entries.SOURCE_USER}


async def give(hass: HomeAssistant, **data: str):
    form = await hass.config_entries.flow.async_init(DOMAIN, context=USER)
    assert form["type"] == "form" and form["step_id"] == "user" and not form["errors"]
    return await hass.config_entries.flow.async_configure(form["flow_id"], data)


async def test_a_server_is_set_up_by_its_address(hass: HomeAssistant, server: Server) -> None:
    info = await client_of(hass, server).server()
    result = await give(hass, url=f"{server.url}/")
    assert result["type"] == "create_entry" and result["title"] == info.name
    assert result["data"] == {CONF_URL: server.url, CONF_TOKEN: None}
    assert result["result"].unique_id == info.id
    await hass.async_block_till_done()
    assert hass.states.async_entity_ids("media_player")

    again = await give(hass, url=server.url)
    assert again["type"] == "abort" and again["reason"] == "already_configured"


@pytest.mark.parametrize("url", ["", "no address", "ftp://127.0.0.1", "http://127.0.0.1:1", "http://[::1", "http://"])
async def test_nobody_there_is_an_error(hass: HomeAssistant, url: str) -> None:
    result = await give(hass, url=url)
    assert result["type"] == "form" and result["errors"] == {"base": "cannot_connect"}


@pytest.mark.parametrize("behind", [True, False])
async def test_a_wrong_token_is_an_error_and_the_right_one_is_taken(
    hass: HomeAssistant, locked_server: Server, behind: bool
) -> None:
    """Also behind the address, as `tonearm link` prints it."""
    url = locked_server.url
    wrong = await give(hass, url=url, token="not this one")
    assert wrong["errors"] == {"base": "invalid_auth"}
    right = await hass.config_entries.flow.async_configure(
        wrong["flow_id"], {CONF_URL: f"{url}/#token={TOKEN}"} if behind else {CONF_URL: url, CONF_TOKEN: TOKEN}
    )
    assert right["type"] == "create_entry" and right["data"] == {CONF_URL: url, CONF_TOKEN: TOKEN}


@pytest.mark.parametrize(
    ("status", "answer", "error"),
    [
        (200, web.json_response({"hello": "world"}), "cannot_connect"),
        (200, web.Response(text="<html>"), "cannot_connect"),
        (404, web.json_response({"code": "not-found", "detail": "?"}, status=404), "unsupported_version"),
        (403, web.json_response({"code": "host-not-allowed", "detail": "?"}, status=403), "host_not_allowed"),
        (200, web.json_response({"id": "1", "name": "x", "version": "0", "features": []}), "unsupported_version"),
        (401, web.json_response({"code": "unauthorized", "detail": "?"}, status=401), "invalid_auth"),
        (401, web.Response(text="<html>no", status=401), "invalid_auth"),
        (404, web.Response(text="<html>none", status=404), "cannot_connect"),
        (404, web.json_response({"message": "none"}, status=404), "cannot_connect"),
        (302, web.Response(status=302), "cannot_connect"),
        (200, web.json_response([1]), "cannot_connect"),
        (500, web.Response(text="broken", status=500), "cannot_connect"),
    ],
    ids=["other JSON", "HTML", "an old server", "host", "no features", "401", "401 of a proxy", "404 of others",
         "404 of other JSON", "redirect", "a list", "500"],
)
async def test_other_answers_are_named(hass: HomeAssistant, origin, status, answer, error) -> None:
    async def handle(request: web.Request) -> web.Response:
        return web.Response(status=answer.status, body=answer.body, content_type=answer.content_type)

    result = await give(hass, url=await origin(handle))
    assert result["errors"] == {"base": error}


def discovered(server: Server, id: str, port: int | None = None) -> ZeroconfServiceInfo:
    return ZeroconfServiceInfo(
        ip_address=ip_address("127.0.0.1"), ip_addresses=[ip_address("127.0.0.1")], port=port or server.port,
        hostname="tonearm.local.", type="_tonearm._tcp.local.", name="Tonearm._tonearm._tcp.local.",
        properties={"id": id, "name": "Tonearm"},
    )


async def test_a_discovered_server_is_confirmed(hass: HomeAssistant, server: Server) -> None:
    info = await client_of(hass, server).server()
    form = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": config_entries.SOURCE_ZEROCONF}, data=discovered(server, info.id)
    )
    assert form["step_id"] == "discovery_confirm"
    result = await hass.config_entries.flow.async_configure(form["flow_id"], {})
    assert result["type"] == "create_entry" and result["result"].unique_id == info.id


async def test_a_discovered_address_replaces_the_old_one(hass: HomeAssistant, server: Server) -> None:
    entry = await set_up(hass, server)
    hass.config_entries.async_update_entry(entry, data={CONF_URL: "http://127.0.0.1:1", CONF_TOKEN: None})
    result = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": config_entries.SOURCE_ZEROCONF}, data=discovered(server, entry.unique_id)
    )
    assert result["reason"] == "already_configured" and entry.data[CONF_URL] == server.url
    await hass.async_block_till_done()


@pytest.mark.parametrize("during", [False, True])
async def test_discovery_ends_the_wait_for_the_next_attempt(
    hass: HomeAssistant, server: Server, monkeypatch: pytest.MonkeyPatch, during: bool
) -> None:
    """The same address: nothing is changed, but the server is asked at once. Also during an attempt that comes too early."""
    monkeypatch.setattr(hub, "RETRY_FIRST", 60)
    monkeypatch.setattr(hub, "RETRY_LAST", 60)
    entry = await set_up(hass, server)
    its, main = hass.data[DOMAIN][entry.entry_id], entity_of(hass, entry, "main")
    await server.stop()
    await eventually(lambda: hass.states.get(main).state == "unavailable", "the server is gone")
    await server.restart()

    async def discover() -> None:
        result = await hass.config_entries.flow.async_init(
            DOMAIN, context={"source": config_entries.SOURCE_ZEROCONF}, data=discovered(server, entry.unique_id)
        )
        assert result["reason"] == "already_configured"

    connect = its._connect

    async def too_early() -> None:
        its._connect = connect
        await discover()

    if during:
        its._connect = too_early
        its.retry_now()
    else:
        await discover()
    await eventually(lambda: hass.states.get(main).state == "idle", "it is back")


async def test_a_server_that_comes_back_elsewhere_is_found(hass: HomeAssistant, server: Server) -> None:
    entry = await set_up(hass, server)
    main = entity_of(hass, entry, "main")
    await server.stop()
    await eventually(lambda: hass.states.get(main).state == "unavailable", "the server is gone")
    server.port = 0
    await server.restart()
    result = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": config_entries.SOURCE_ZEROCONF}, data=discovered(server, entry.unique_id)
    )
    assert result["reason"] == "already_configured" and entry.data[CONF_URL] == server.url
    await hass.async_block_till_done()
    await eventually(lambda: hass.states.get(main).state == "idle", "it is back")


async def test_a_discovered_server_that_wants_a_token(hass: HomeAssistant, locked_server: Server) -> None:
    info = await client_of(hass, locked_server, TOKEN).server()
    form = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": config_entries.SOURCE_ZEROCONF}, data=discovered(locked_server, info.id)
    )
    assert form["description_placeholders"]["url"] == locked_server.url
    wrong = await hass.config_entries.flow.async_configure(form["flow_id"], {})
    assert wrong["step_id"] == "discovery_confirm" and wrong["errors"] == {"base": "invalid_auth"}
    right = await hass.config_entries.flow.async_configure(form["flow_id"], {CONF_TOKEN: TOKEN})
    assert right["type"] == "create_entry" and right["data"][CONF_TOKEN] == TOKEN


async def test_a_discovery_without_an_id_is_dropped(hass: HomeAssistant, server: Server) -> None:
    result = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": config_entries.SOURCE_ZEROCONF}, data=discovered(server, "")
    )
    assert result["type"] == "abort" and result["reason"] == "cannot_connect"


async def test_another_address_of_the_same_server(hass: HomeAssistant, server: Server) -> None:
    entry = await set_up(hass, server)
    flow = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": "reconfigure", "entry_id": entry.entry_id}
    )
    nobody = await hass.config_entries.flow.async_configure(flow["flow_id"], {CONF_URL: "http://127.0.0.1:1"})
    assert nobody["errors"] == {"base": "cannot_connect"}
    address = f"http://localhost:{server.port}"
    result = await hass.config_entries.flow.async_configure(flow["flow_id"], {CONF_URL: address + "/"})
    assert result["reason"] == "reconfigure_successful" and entry.data[CONF_URL] == address
    await hass.async_block_till_done()


async def test_a_new_token_is_asked_for(hass: HomeAssistant, locked_server: Server, token_file: pathlib.Path) -> None:
    """Revoked while the server was away: reauthentication, and the entry works again."""
    entry = await set_up(hass, locked_server, TOKEN)
    assert entry.state is config_entries.ConfigEntryState.LOADED
    await locked_server.stop()
    token_file.write_text("the-second-token-of-this-test-0123\n")
    await locked_server.restart()
    await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert entry.state is config_entries.ConfigEntryState.SETUP_ERROR
    flows = hass.config_entries.flow.async_progress()
    assert [flow["step_id"] for flow in flows] == ["reauth_confirm"]
    wrong = await hass.config_entries.flow.async_configure(flows[0]["flow_id"], {CONF_TOKEN: "no"})
    assert wrong["errors"] == {"base": "invalid_auth"}
    done = await hass.config_entries.flow.async_configure(
        flows[0]["flow_id"], {CONF_TOKEN: token_file.read_text().strip()}
    )
    assert done["reason"] == "reauth_successful"
    await hass.async_block_till_done()
    assert entry.state is config_entries.ConfigEntryState.LOADED


async def test_another_server_is_no_new_address(hass: HomeAssistant, start_server: Callable[..., Awaitable[Server]]) -> None:
    first, second = await start_server(), await start_server()
    entry = await set_up(hass, first)
    flow = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": "reconfigure", "entry_id": entry.entry_id}
    )
    assert flow["step_id"] == "reconfigure"
    result = await hass.config_entries.flow.async_configure(flow["flow_id"], {CONF_URL: second.url})
    assert result["reason"] == "wrong_server" and entry.data[CONF_URL] == first.url


async def test_a_new_token_is_for_the_same_server_only(
    hass: HomeAssistant, start_server: Callable[..., Awaitable[Server]]
) -> None:
    first, second = await start_server(), await start_server()
    entry = await set_up(hass, first)
    hass.config_entries.async_update_entry(entry, data={CONF_URL: second.url, CONF_TOKEN: None})
    flow = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": "reauth", "entry_id": entry.entry_id}, data=entry.data
    )
    assert flow["step_id"] == "reauth_confirm"
    # None at all: both are open on this machine.
    result = await hass.config_entries.flow.async_configure(flow["flow_id"], {CONF_TOKEN: " "})
    assert result["reason"] == "wrong_server" and entry.data[CONF_TOKEN] is None


async def test_a_server_that_goes_before_it_is_confirmed(hass: HomeAssistant, server: Server) -> None:
    info = await client_of(hass, server).server()
    form = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": config_entries.SOURCE_ZEROCONF}, data=discovered(server, info.id)
    )
    await server.stop()
    result = await hass.config_entries.flow.async_configure(form["flow_id"], {})
    assert result["step_id"] == "discovery_confirm" and result["errors"] == {"base": "cannot_connect"}


def test_the_text_on_hosts_names_the_option() -> None:
    texts = json.loads((pathlib.Path(hub.__file__).parent / "translations/en.json").read_text())
    assert "--allow-host" in texts["config"]["error"]["host_not_allowed"]
