# SPDX-License-Identifier: Apache-2.0
"""The integration's own services; their targets are its media players."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import voluptuous as vol

from homeassistant.components.media_player import DOMAIN as MEDIA_PLAYER
from homeassistant.const import ATTR_ENTITY_ID, ENTITY_MATCH_ALL
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.service import async_extract_entity_ids

from .const import DOMAIN
from .media_player import TonearmPlayer

FIELDS: dict[str, dict[Any, Any]] = {
    "undo": {},
    "group_volume": {vol.Required("by"): vol.All(vol.Coerce(float), vol.Range(min=-1, max=1))},
    "interrupt": {
        vol.Required("type"): vol.In(["began", "ended"]),
        vol.Optional("resume", default=True): cv.boolean,
    },
    "sleep": {
        vol.Required("duration"): cv.positive_time_period,
        vol.Optional("fade"): vol.All(vol.Coerce(float), vol.Range(min=0, max=3600)),
    },
}


def register_services(hass: HomeAssistant) -> None:
    async def handle(call: ServiceCall) -> None:
        named = call.data.get(ATTR_ENTITY_ID) or []
        component = hass.data.get(MEDIA_PLAYER)
        players: list[TonearmPlayer] = []
        if named == ENTITY_MATCH_ALL and component is not None:
            players = [one for one in component.entities if isinstance(one, TonearmPlayer) and one.available]
        try:
            # Since 2025.10.
            targets = async_extract_entity_ids(call)  # type: ignore[call-arg, arg-type, unused-ignore]
        except TypeError:
            targets = async_extract_entity_ids(hass, call)
        for entity_id in sorted(await targets):
            player = component.get_entity(entity_id) if component is not None else None
            if isinstance(player, TonearmPlayer) and player.available:
                players.append(player)
            elif entity_id in named:
                # Areas, devices and groups may contain other entities too.
                raise ServiceValidationError(
                    f"{entity_id} is no available Tonearm player",
                    translation_domain=DOMAIN,
                    translation_key="not_a_player",
                    translation_placeholders={"entity": entity_id},
                )
        if not players:
            raise ServiceValidationError(
                "There is no available Tonearm player among the targets",
                translation_domain=DOMAIN,
                translation_key="no_player",
            )
        for player in {one.concern(call.service): one for one in players}.values():
            match call.service:
                case "undo":
                    await player.async_undo()
                case "group_volume":
                    await player.async_group_volume(call.data["by"])
                case "interrupt":
                    await player.async_interrupt(call.data["type"], call.data["resume"])
                case _:
                    duration: timedelta = call.data["duration"]
                    await player.async_sleep(duration.total_seconds(), call.data.get("fade"))

    for name, fields in FIELDS.items():
        schema = vol.Schema({**cv.ENTITY_SERVICE_FIELDS, vol.Optional(ATTR_ENTITY_ID): cv.comp_entity_ids, **fields})
        hass.services.async_register(DOMAIN, name, handle, schema=schema)
