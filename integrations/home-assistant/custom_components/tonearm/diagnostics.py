# SPDX-License-Identifier: Apache-2.0
"""Diagnostics without secrets."""

from __future__ import annotations

from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_TOKEN, CONF_URL
from homeassistant.core import HomeAssistant

from .const import DOMAIN
from .hub import TonearmHub

# Addresses may contain credentials, and all of these show what a user listens to.
REDACTED = {
    CONF_TOKEN, CONF_URL, "uri", "reference", "source", "artworkUri", "artwork", "title", "artist", "album", "tags", "live",
    "chapters", "message",
}


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: ConfigEntry) -> dict[str, Any]:
    hub: TonearmHub | None = hass.data[DOMAIN].get(entry.entry_id)
    data = {"entry": async_redact_data(dict(entry.data), REDACTED)}
    if hub is None:  # The entry is not loaded: the server does not answer.
        return data
    return {
        **data,
        "server": {"version": hub.server.version, "features": sorted(hub.server.features)},
        "players": {
            player: {
                "state": async_redact_data(state.player, REDACTED),
                "outputs": len(state.outputs),
                "position_at": state.position_at.isoformat(),
            }
            for player, state in hub.players.items()
        },
    }
