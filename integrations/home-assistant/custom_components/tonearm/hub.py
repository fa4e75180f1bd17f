# SPDX-License-Identifier: Apache-2.0
"""The event channel of one server: keeps the state of every player current and reports problems."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import aiohttp

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import device_registry as dr, issue_registry as ir
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.dispatcher import async_dispatcher_send
from homeassistant.util import dt as dt_util

from .client import CannotConnect, InvalidAuth, Refused, ServerInfo, TonearmClient, TonearmError
from .const import DOMAIN, LOGGER, PING_INTERVAL, RETRY_FIRST, RETRY_LAST
from .state import Json, PlayerState

SOUND_SERVER_AWAY = "sound_server_away"
WRONG_SERVER = "wrong_server"
ISSUES = (SOUND_SERVER_AWAY, WRONG_SERVER)


def issue_id(issue: str, entry: ConfigEntry) -> str:
    return f"{issue}_{entry.entry_id}"


def service_error(error: TonearmError, kind: type[HomeAssistantError] | None = None) -> HomeAssistantError:
    """The server's message as one of Home Assistant's errors."""
    is_callers_fault = isinstance(error, Refused) and error.is_callers_fault
    return (kind or (ServiceValidationError if is_callers_fault else HomeAssistantError))(
        str(error),
        translation_domain=DOMAIN,
        translation_key="no_answer" if isinstance(error, CannotConnect) else "refused",
        translation_placeholders={"detail": str(error)},
    )


class TonearmHub:
    """Owned by the config entry; everything runs on the event loop.

    One task holds the channel. `players` has the players with a snapshot since the channel was opened; all others are
    unavailable.
    """

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry, client: TonearmClient, server: ServerInfo
    ) -> None:
        self.hass = hass
        self.entry = entry
        self.client = client
        self.server = server
        self.players: dict[str, PlayerState] = {}
        # The players' last state before the channel was lost.
        self._before: dict[str, PlayerState] = {}
        # Player ids by entity id.
        self.members: dict[str, str] = {}
        self._ready = asyncio.Event()
        self._wake = asyncio.Event()
        self._is_lost = False
        self._task: asyncio.Task[None] | None = None
        # Players whose sources and sound modes are being read; True if they have changed meanwhile.
        self._readings: dict[str, bool] = {}

    # Signals for entities.

    @property
    def signal_players(self) -> str:
        """Sent with a player's id when the player is new."""
        return f"{DOMAIN}_players_{self.entry.entry_id}"

    def signal_state(self, player: str) -> str:
        """Sent when that player's state or availability has changed."""
        return f"{DOMAIN}_state_{self.entry.entry_id}_{player}"

    # Start and stop.

    async def start(self, timeout: float) -> None:
        """Returns after the first snapshots. Raises CannotConnect or InvalidAuth."""
        self._set_issue(WRONG_SERVER, False)
        socket = await self.client.events(PING_INTERVAL)
        self._task = self.entry.async_create_background_task(
            self.hass, self._run(socket), f"{DOMAIN} events of {self.server.name}"
        )
        try:
            async with asyncio.timeout(timeout):
                await self._ready.wait()
        except TimeoutError as error:
            await self.stop()
            raise CannotConnect("The event channel sends no snapshot.") from error

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        for issue in ISSUES:
            self._set_issue(issue, False)

    @callback
    def retry_now(self) -> None:
        """Discovery has found the server: connects now."""
        if self._is_lost:
            self._wake.set()

    # Groups.

    def followers(self, player: str) -> list[str]:
        return sorted(one.id for one in self.players.values() if one.leader == player)

    # The channel.

    async def _run(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        delay = RETRY_FIRST
        current: aiohttp.ClientWebSocketResponse | None = socket
        while True:
            if current is not None:
                try:
                    delay = RETRY_FIRST
                    await self._listen(current)
                    self._lose()
                finally:
                    await current.close()
            try:
                async with asyncio.timeout(delay):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            delay = min(RETRY_LAST, delay * 2)
            current = await self._connect()

    async def _connect(self) -> aiohttp.ClientWebSocketResponse | None:
        """A channel to the same server, or None."""
        try:
            server = await self.client.server()
            if server.id != self.server.id:
                self._set_issue(WRONG_SERVER, True)
                return None
            self._set_issue(WRONG_SERVER, False)
            self.server = server
            self.describe_server()
            return await self.client.events(PING_INTERVAL)
        except InvalidAuth:
            self.entry.async_start_reauth(self.hass)
        except TonearmError as error:
            LOGGER.debug("%s does not answer: %s", self.server.name, error)
        return None

    async def _listen(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Runs until the channel closes or a message is invalid: the next channel begins with snapshots."""
        async for message in socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            try:
                self._take(message.json())
            except Exception:  # An ended task would leave a stale state.
                LOGGER.exception("A message from %s is invalid", self.server.name)
                return
        if socket.close_code == 1008:
            LOGGER.debug("%s closed the channel by its policy", self.server.name)

    @callback
    def _take(self, message: dict[str, Any]) -> None:
        kind, data, now = message["type"], message.get("data", {}), dt_util.utcnow()
        player = str(message.get("player"))
        if kind == "snapshot":
            self._take_snapshot(PlayerState.from_snapshot(data["player"], message["at"], now))
        elif kind == "players":
            self._take_change(data)
        elif (state := self.players.get(player)) is not None:
            leader, name = state.leader, state.name
            if kind in ("output", "route", "effects"):
                self._wish_details(player)
            if state.apply(kind, data, now):
                self._notify_group(state, leader)
            if kind == "output":
                self._judge_output()
            if state.name != name:
                self._name_device(state)

    @callback
    def _take_snapshot(self, state: PlayerState) -> None:
        known = self.players.get(state.id)
        if (last := known or self._before.get(state.id)) is not None:
            # Valid until they are read again.
            state.outputs, state.effects, state.presets = last.outputs, last.effects, last.presets
        leader = known.leader if known is not None else None
        self.players[state.id] = state
        if self._is_lost:
            self._is_lost = False
            # The same level as for the loss: Home Assistant's log shows no lower one.
            LOGGER.warning("%s is back", self.server.name)
        if known is None:
            self._wish_details(state.id)
        self._name_device(state)
        self._judge_output()
        if known is None:
            async_dispatcher_send(self.hass, self.signal_players, state.id)
        self._notify_group(state, leader)

    @callback
    def _take_change(self, data: Json) -> None:
        """A player was added (its snapshot follows), removed, or renamed (its settings event has the name)."""
        if data["change"] == "removed" and self.players.pop(data["id"], None) is not None:
            self.remove_device(data["id"])
            self._judge_output()
            self._notify_all()

    # Requests beside the channel: a slow response must not delay events.

    @callback
    def _wish_details(self, player: str) -> None:
        if player in self._readings:
            self._readings[player] = True
            return
        self._readings[player] = False
        self.entry.async_create_background_task(
            self.hass, self._read_details(player), f"{DOMAIN} details of {player}"
        )

    async def _read_details(self, player: str) -> None:
        """One reading at a time, repeated after a change meanwhile."""
        try:
            while True:
                self._readings[player] = False
                await self._read_details_once(player)
                if not self._readings[player]:
                    break
        finally:
            self._readings.pop(player, None)
        await self._judge_ready()

    async def _read_details_once(self, player: str) -> None:
        path = f"/players/{player}"
        try:
            outputs, effects, presets = await asyncio.gather(
                self.client.get(f"{path}/outputs"),
                self.client.get(f"{path}/effects"),
                self.client.get(f"{path}/effects/presets"),
            )
        except TonearmError as error:
            LOGGER.debug("The outputs and effects of %s cannot be read: %s", player, error)
            return
        if (state := self.players.get(player)) is not None:
            state.outputs = sorted(outputs["outputs"], key=lambda output: not output["default"])
            state.effects = effects
            state.presets = [preset["name"] for preset in presets["presets"]]
            async_dispatcher_send(self.hass, self.signal_state(player))

    async def _judge_ready(self) -> None:
        """Ready when every player has its snapshot and outputs."""
        if self._ready.is_set():
            return
        try:
            listed = await self.client.get("/players")
        except TonearmError as error:
            LOGGER.debug("The players of %s cannot be read: %s", self.server.name, error)
            return
        known = self.players.keys() - self._readings.keys()
        if all(one["id"] in known for one in listed["players"]):
            self._ready.set()
            if self._before:
                self._before = {}
                self.remove_stale_devices()

    # Notifications and repair issues.

    def _notify_group(self, state: PlayerState, previous_leader: str | None) -> None:
        """Notifies the player's entity and those of the group that it left or joined."""
        changed = {state.id}
        if state.leader != previous_leader:
            for leader in (state.leader, previous_leader):
                if leader is not None:
                    changed.update([leader, *self.followers(leader)])
        for player in changed:
            async_dispatcher_send(self.hass, self.signal_state(player))

    def _notify_all(self) -> None:
        for player in list(self.players):
            async_dispatcher_send(self.hass, self.signal_state(player))

    def _lose(self) -> None:
        if not self._is_lost:
            self._is_lost = True
            self._ready.clear()
            LOGGER.warning("The connection to %s is lost", self.server.name)
        self._before, self.players = self._before | self.players, {}
        for player in self._before:
            async_dispatcher_send(self.hass, self.signal_state(player))

    def _judge_output(self) -> None:
        states = self.players.values()
        self._set_issue(SOUND_SERVER_AWAY, any(not one.is_output_available for one in states))

    def report(self, issue: str) -> None:
        """Raises a repair issue."""
        self._set_issue(issue, True)

    def _set_issue(self, issue: str, is_there: bool) -> None:
        name = issue_id(issue, self.entry)
        if not is_there:
            ir.async_delete_issue(self.hass, DOMAIN, name)
            return
        ir.async_create_issue(
            self.hass,
            DOMAIN,
            name,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key=issue,
            translation_placeholders={"name": self.server.name, "url": self.client.url},
        )

    # Devices.

    def device_name(self, state: PlayerState) -> str:
        """The player's name; the server's for `main` unless it was renamed."""
        return self.server.name if state.id == state.name == "main" else state.name

    def describe_server(self) -> None:
        """Updates the server's device: name and version may have changed while it was away."""
        dr.async_get(self.hass).async_get_or_create(
            config_entry_id=self.entry.entry_id,
            identifiers={(DOMAIN, self.server.id)},
            name=self.server.name,
            manufacturer="Tonearm",
            sw_version=self.server.version,
            configuration_url=self.client.url,
            entry_type=dr.DeviceEntryType.SERVICE,
        )

    def identifier(self, player: str) -> tuple[str, str]:
        return (DOMAIN, f"{self.server.id}_{player}")

    def via_server(self) -> DeviceInfo:
        """Links a player's device to the server's: by id, or before 2026.8 by identifier."""
        identifier = (DOMAIN, self.server.id)
        if not hasattr(dr, "async_get_device_id_by_identifier"):
            return DeviceInfo(via_device=identifier)
        device = self._device(identifier)
        return cast(DeviceInfo, {} if device is None else {"via_device_id": device.id})

    def _device(self, identifier: tuple[str, str]) -> dr.DeviceEntry | None:
        """Searches this entry only: since 2026.8 identifiers are unique within an entry."""
        devices = dr.async_entries_for_config_entry(dr.async_get(self.hass), self.entry.entry_id)
        return next((device for device in devices if identifier in device.identifiers), None)

    def _name_device(self, state: PlayerState) -> None:
        if (device := self._device(self.identifier(state.id))) is not None:
            dr.async_get(self.hass).async_update_device(
                device.id, name=self.device_name(state), sw_version=self.server.version
            )

    @callback
    def remove_device(self, player: str) -> None:
        """Removes the device and its entity: the player no longer exists."""
        if (device := self._device(self.identifier(player))) is not None:
            dr.async_get(self.hass).async_remove_device(device.id)

    @callback
    def remove_stale_devices(self) -> None:
        """Removes players that were deleted while Home Assistant was not connected."""
        registry = dr.async_get(self.hass)
        kept = {self.identifier(player) for player in self.players} | {(DOMAIN, self.server.id)}
        for device in dr.async_entries_for_config_entry(registry, self.entry.entry_id):
            if not device.identifiers & kept:
                registry.async_remove_device(device.id)
