# SPDX-License-Identifier: Apache-2.0
"""Setup by address or discovery, and changes of the token or address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import voluptuous as vol
from yarl import URL

from homeassistant import config_entries
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_TOKEN, CONF_URL
from homeassistant.data_entry_flow import FlowResult
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from .client import HostNotAllowed, InvalidAuth, Refused, ServerInfo, TonearmClient, TonearmError, UnsupportedVersion
from .const import DOMAIN

if TYPE_CHECKING:
    # Since 2025.2 in homeassistant.helpers.service_info.zeroconf; newer versions no longer have it here.
    from homeassistant.components.zeroconf import ZeroconfServiceInfo

REQUIRED_FEATURES = {"players"}


def normalized(url: str) -> str | None:
    """`url` without a trailing slash; None if it is not an HTTP address."""
    text = url.strip().rstrip("/")
    try:
        parsed = URL(text)
    except ValueError:
        return None
    return text if parsed.scheme in ("http", "https") and parsed.host else None


class TonearmConfigFlow(config_entries.ConfigFlow, domain=DOMAIN):
    """The entry's unique id is the server's id."""

    VERSION = 1

    def __init__(self) -> None:
        self._url: str | None = None
        self._entry: ConfigEntry | None = None

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> FlowResult:
        return await self._ask_for_server("user", user_input)

    async def async_step_zeroconf(self, discovery_info: ZeroconfServiceInfo) -> FlowResult:
        """The property `id` is the server's id."""
        properties = discovery_info.properties
        if not properties.get("id"):
            return self.async_abort(reason="cannot_connect")
        host = f"[{discovery_info.host}]" if ":" in discovery_info.host else discovery_info.host
        self._url = f"http://{host}:{discovery_info.port}"
        await self.async_set_unique_id(properties["id"])
        for entry in self._async_current_entries():
            if entry.unique_id == properties["id"] and (hub := self.hass.data.get(DOMAIN, {}).get(entry.entry_id)):
                hub.retry_now()
        self._abort_if_unique_id_configured(updates={CONF_URL: self._url})
        self.context["title_placeholders"] = {"name": properties.get("name") or discovery_info.host}
        return await self.async_step_discovery_confirm()

    async def async_step_discovery_confirm(self, user_input: dict[str, Any] | None = None) -> FlowResult:
        if user_input is not None:
            user_input = {CONF_URL: self._url, **user_input}
        return await self._ask_for_server("discovery_confirm", user_input)

    async def async_step_reauth(self, entry_data: Mapping[str, Any]) -> FlowResult:
        self._entry = self.hass.config_entries.async_get_entry(self.context["entry_id"])
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(self, user_input: dict[str, Any] | None = None) -> FlowResult:
        assert self._entry is not None
        if user_input is not None:
            user_input = {CONF_URL: self._entry.data[CONF_URL], **user_input}
        return await self._change_entry("reauth_confirm", "reauth_successful", user_input)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> FlowResult:
        self._entry = self.hass.config_entries.async_get_entry(self.context["entry_id"])
        assert self._entry is not None
        if user_input is not None:
            user_input = {CONF_TOKEN: self._entry.data.get(CONF_TOKEN), **user_input}
        return await self._change_entry("reconfigure", "reconfigure_successful", user_input)

    async def _ask_for_server(self, step: str, user_input: dict[str, Any] | None) -> FlowResult:
        """Creates an entry if the server answers; otherwise asks again and shows the cause."""
        errors: dict[str, str] = {}
        if user_input is not None:
            server, errors, data = await self._look(user_input)
            if server is not None:
                await self.async_set_unique_id(server.id, raise_on_progress=False)
                self._abort_if_unique_id_configured(updates={CONF_URL: data[CONF_URL]})
                return self.async_create_entry(title=server.name, data=data)
        return self._form(step, user_input, errors)

    async def _change_entry(self, step: str, reason: str, user_input: dict[str, Any] | None) -> FlowResult:
        """Changes the entry's token or address if the same server answers."""
        assert self._entry is not None
        errors: dict[str, str] = {}
        if user_input is not None:
            server, errors, data = await self._look(user_input)
            if server is not None:
                if server.id != self._entry.unique_id:
                    return self.async_abort(reason="wrong_server")
                self.hass.config_entries.async_update_entry(self._entry, data=data)
                await self.hass.config_entries.async_reload(self._entry.entry_id)
                return self.async_abort(reason=reason)
        return self._form(step, user_input, errors)

    def _form(self, step: str, user_input: dict[str, Any] | None, errors: dict[str, str]) -> FlowResult:
        given = user_input or {}
        address = self._entry.data[CONF_URL] if self._entry else "http://"
        url = {vol.Required(CONF_URL, default=given.get(CONF_URL) or address): str}
        token = {vol.Optional(CONF_TOKEN, description={"suggested_value": given.get(CONF_TOKEN)}): str}
        schema = {
            "user": url | token,
            "discovery_confirm": token,
            "reauth_confirm": {vol.Required(CONF_TOKEN): str},
            "reconfigure": url,
        }[step]
        place = self._url or address
        return self.async_show_form(
            step_id=step, data_schema=vol.Schema(schema), errors=errors, description_placeholders={"url": place}
        )

    async def _look(
        self, user_input: dict[str, Any]
    ) -> tuple[ServerInfo | None, dict[str, str], dict[str, str | None]]:
        """The server at the address or the error, and the entry's data."""
        # `tonearm link` prints the address followed by the token.
        address, _, token = user_input[CONF_URL].partition("#token=")
        url = normalized(address)
        if url is None:
            return None, {"base": "cannot_connect"}, {}
        data = {CONF_URL: url, CONF_TOKEN: (user_input.get(CONF_TOKEN) or token).strip() or None}
        try:
            server = await TonearmClient(async_get_clientsession(self.hass), url, data[CONF_TOKEN]).server()
            if not server.features >= REQUIRED_FEATURES:
                raise UnsupportedVersion("This Tonearm server is too old.")
        except TonearmError as error:
            return None, {"base": _reason(error)}, data
        return server, {}, data


def _reason(error: TonearmError) -> str:
    match error:
        case InvalidAuth():
            return "invalid_auth"
        case HostNotAllowed():
            return "host_not_allowed"
        case UnsupportedVersion():
            return "unsupported_version"
        case Refused() if error.status == 403:
            return "invalid_auth"
        case _:
            return "cannot_connect"
