# SPDX-License-Identifier: Apache-2.0
"""Tonearm, a headless playback server: a config entry for each server, a media player for each of its players."""

from __future__ import annotations

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_TOKEN, CONF_URL, Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady
from homeassistant.helpers import config_validation as cv, device_registry as dr, issue_registry as ir
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.typing import ConfigType

from .client import InvalidAuth, TonearmClient, TonearmError
from .const import DOMAIN, REQUEST_TIMEOUT
from .hub import ISSUES, WRONG_SERVER, TonearmHub, issue_id
from .services import register_services

PLATFORMS = [Platform.MEDIA_PLAYER]
CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Registers the services, also without a server."""
    hass.data.setdefault(DOMAIN, {})
    register_services(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: ConfigEntry) -> bool:
    client = TonearmClient(async_get_clientsession(hass), entry.data[CONF_URL], entry.data.get(CONF_TOKEN))
    try:
        server = await client.server()
        hub = TonearmHub(hass, entry, client, server)
        if server.id != entry.unique_id:
            hub.report(WRONG_SERVER)
            raise ConfigEntryNotReady(
                f"Another Tonearm server answers at {client.url}",
                translation_domain=DOMAIN, translation_key="wrong_server", translation_placeholders={"url": client.url},
            )
        await hub.start(REQUEST_TIMEOUT)
    except InvalidAuth as error:
        raise ConfigEntryAuthFailed(
            str(error), translation_domain=DOMAIN, translation_key="invalid_auth"
        ) from error
    except TonearmError as error:
        raise ConfigEntryNotReady(
            str(error),
            translation_domain=DOMAIN,
            translation_key="cannot_connect",
            translation_placeholders={"error": str(error)},
        ) from error
    hass.data[DOMAIN][entry.entry_id] = hub
    hub.describe_server()
    hub.remove_stale_devices()
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    return True


async def async_unload_entry(hass: HomeAssistant, entry: ConfigEntry) -> bool:
    if not await hass.config_entries.async_unload_platforms(entry, PLATFORMS):
        return False
    hub: TonearmHub = hass.data[DOMAIN].pop(entry.entry_id)
    await hub.stop()
    return True


async def async_remove_entry(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Deletes repair issues: an entry that was never set up may have left one."""
    for issue in ISSUES:
        ir.async_delete_issue(hass, DOMAIN, issue_id(issue, entry))


async def async_remove_config_entry_device(
    hass: HomeAssistant, entry: ConfigEntry, device: dr.DeviceEntry
) -> bool:
    """Allows deleting a device by hand when its player no longer exists."""
    hub: TonearmHub | None = hass.data[DOMAIN].get(entry.entry_id)
    if hub is None:
        return True
    kept = {hub.identifier(player) for player in hub.players} | {(DOMAIN, hub.server.id)}
    return not device.identifiers & kept
