# SPDX-License-Identifier: Apache-2.0
"""One media player entity for each player of the server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import Any

from homeassistant.components import media_source
from homeassistant.components.media_player import (
    ATTR_MEDIA_ANNOUNCE,
    ATTR_MEDIA_ENQUEUE,
    ATTR_MEDIA_EXTRA,
    BrowseError,
    BrowseMedia,
    MediaPlayerDeviceClass,
    MediaPlayerEnqueue,
    MediaPlayerEntity,
    MediaPlayerEntityFeature,
    MediaPlayerState,
    MediaType,
    RepeatMode,
    async_process_play_media_url,
)
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.entity_platform import AddEntitiesCallback

from . import browse
from .client import InvalidAuth, TonearmError
from .const import ANNOUNCE_TIMEOUT, DOMAIN, REQUEST_TIMEOUT
from .hub import TonearmHub, service_error
from .state import Json, PlayerState

# The server orders commands; none has to wait for another here.
PARALLEL_UPDATES = 0

FEATURES = (
    MediaPlayerEntityFeature.PLAY
    | MediaPlayerEntityFeature.PAUSE
    | MediaPlayerEntityFeature.STOP
    | MediaPlayerEntityFeature.NEXT_TRACK
    | MediaPlayerEntityFeature.PREVIOUS_TRACK
    | MediaPlayerEntityFeature.SEEK
    | MediaPlayerEntityFeature.VOLUME_SET
    | MediaPlayerEntityFeature.VOLUME_STEP
    | MediaPlayerEntityFeature.VOLUME_MUTE
    | MediaPlayerEntityFeature.SHUFFLE_SET
    | MediaPlayerEntityFeature.REPEAT_SET
    | MediaPlayerEntityFeature.CLEAR_PLAYLIST
    | MediaPlayerEntityFeature.PLAY_MEDIA
    | MediaPlayerEntityFeature.MEDIA_ENQUEUE
    | MediaPlayerEntityFeature.MEDIA_ANNOUNCE
    | MediaPlayerEntityFeature.BROWSE_MEDIA
    | MediaPlayerEntityFeature.GROUPING
    | MediaPlayerEntityFeature.SELECT_SOURCE
    | MediaPlayerEntityFeature.SELECT_SOUND_MODE
)
# Since 2025.5.
if (search := getattr(MediaPlayerEntityFeature, "SEARCH_MEDIA", None)) is not None:
    FEATURES |= search

STATES = {
    "playing": MediaPlayerState.PLAYING,
    "stopping": MediaPlayerState.PLAYING,
    "paused": MediaPlayerState.PAUSED,
    "ready": MediaPlayerState.PAUSED,
    "interrupted": MediaPlayerState.PAUSED,
}
# Buffering if playback is requested, otherwise paused.
ON_THE_WAY = {"loading", "buffering", "seeking"}
VOLUME_STEP = 0.05
# The preset without bands: the equaliser is off.
FLAT = "flat"
# Types whose ids come from the server; anything else is an address.
ITEM_MEMBERS = {"folder", "album", "artist", "genre", "playlist", "track"}
# Paths on Home Assistant's own web server. The Tonearm server accepts no path that begins with a slash.
HOME_ASSISTANT = ("/api/", "/local/", "/media/")
# Keys of `extra` of play_media, and the members of an item that they set.
METADATA = {"title": "title", "artist": "artist", "album": "album", "thumb": "artworkUri"}
# Keys of `extra` of an announcement that go to the server unchanged.
ANNOUNCEMENT = ("chime", "music", "priority", "timeout")


async def async_setup_entry(
    hass: HomeAssistant, entry: ConfigEntry, async_add_entities: AddEntitiesCallback
) -> None:
    hub: TonearmHub = hass.data[DOMAIN][entry.entry_id]
    # An entity stays while the connection is lost. A removed player may come back.
    added: dict[str, TonearmPlayer] = {}

    @callback
    def add(player: str) -> None:
        if player in added and added[player].is_alive:
            return
        added[player] = TonearmPlayer(hub, hub.players[player])
        async_add_entities([added[player]])

    entry.async_on_unload(async_dispatcher_connect(hass, hub.signal_players, add))
    for player in list(hub.players):
        add(player)


class TonearmPlayer(MediaPlayerEntity):
    """A player. The hub has its state; commands wait for the server's response and change nothing here."""

    _attr_has_entity_name = True
    _attr_name = None
    _attr_should_poll = False
    _attr_device_class = MediaPlayerDeviceClass.SPEAKER
    _attr_supported_features = FEATURES
    _attr_media_content_type = MediaType.MUSIC
    _attr_translation_key = "player"

    def __init__(self, hub: TonearmHub, state: PlayerState) -> None:
        self._hub = hub
        self._id = state.id
        # The last known state, for the attributes of an unavailable player.
        self._last = state
        self.is_alive = True
        self._attr_unique_id = f"{hub.server.id}_{state.id}"
        self._attr_device_info = DeviceInfo(
            identifiers={hub.identifier(state.id)},
            name=hub.device_name(state),
            manufacturer="Tonearm",
            model="Player",
            sw_version=hub.server.version,
            **hub.via_server(),
        )

    async def async_added_to_hass(self) -> None:
        # Also called again after the user has changed the entity's id.
        self.is_alive = True
        self._hub.members[self.entity_id] = self._id
        signal = self._hub.signal_state(self._id)
        self.async_on_remove(async_dispatcher_connect(self.hass, signal, self._take_state))

    async def async_will_remove_from_hass(self) -> None:
        self.is_alive = False
        self._hub.members.pop(self.entity_id, None)

    @callback
    def _take_state(self) -> None:
        self._last = self._hub.players.get(self._id, self._last)
        self.async_write_ha_state()

    # State.

    @property
    def _player(self) -> Json:
        return self._last.player

    @property
    def _item(self) -> Json:
        return self._player["item"] or {}

    @property
    def player_name(self) -> str:
        return self._hub.device_name(self._last)

    @property
    def available(self) -> bool:
        return self._id in self._hub.players

    @property
    def state(self) -> MediaPlayerState:
        status = self._player["status"]
        if status in ON_THE_WAY:
            return MediaPlayerState.BUFFERING if self._player["playWhenReady"] else MediaPlayerState.PAUSED
        return STATES.get(status, MediaPlayerState.IDLE)

    @property
    def extra_state_attributes(self) -> Json:
        error = self._player["error"] or {}
        queue = self._player["queue"]
        return {
            "status": self._player["status"],
            "reason": self._player["reason"],
            "error_code": error.get("code"),
            "error_message": error.get("message"),
            "queue_length": queue["length"],
            "queue_index": self._player["queueIndex"],
            "can_undo": queue["canUndo"],
        }

    @property
    def volume_level(self) -> float:
        return float(self._player["level"])

    @property
    def is_volume_muted(self) -> bool:
        return bool(self._player["muted"])

    @property
    def shuffle(self) -> bool:
        return bool(self._player["shuffle"])

    @property
    def repeat(self) -> RepeatMode:
        return RepeatMode(self._player["repeat"])

    @property
    def media_content_id(self) -> str | None:
        """The address, or the server's reference if the address has secrets. Both can be played again."""
        text = self._item.get("reference") or self._item.get("uri")
        return None if text is None else str(text)

    @property
    def media_title(self) -> str | None:
        return self._text("title") or (browse.file_name(self._item["uri"]) if self._item else None)

    @property
    def media_artist(self) -> str | None:
        return self._text("artist")

    @property
    def media_album_name(self) -> str | None:
        return self._text("album")

    @property
    def media_playlist(self) -> str | None:
        """The list, folder or album from which the item was queued."""
        source = self._item.get("source")
        return None if source is None else str(source["name"])

    @property
    def media_duration(self) -> float | None:  # type: ignore[override]  # whole seconds would be too coarse
        duration = self._player["duration"]
        return None if duration is None else float(duration)

    @property
    def media_position(self) -> float | None:  # type: ignore[override]
        return float(self._player["position"]) if self._item else None

    @property
    def media_position_updated_at(self) -> datetime | None:
        return self._last.position_at if self._item else None

    @property
    def media_image_hash(self) -> str | None:
        """Changes with the picture; None without one. Home Assistant uses it in the picture's address."""
        artwork = self._item.get("artwork")
        return None if artwork is None else sha256(f"{self._item['id']} {artwork}".encode()).hexdigest()[:16]

    async def async_get_media_image(self) -> tuple[bytes | None, str | None]:
        """Fetched by Home Assistant, because the server may need the token."""
        artwork = self._item.get("artwork")
        return (None, None) if artwork is None else await self._picture(artwork)

    async def async_get_browse_image(
        self, media_content_type: MediaType | str, media_content_id: str, media_image_id: str | None = None
    ) -> tuple[bytes | None, str | None]:
        path = browse.picture_path(media_content_type, media_content_id)
        return (None, None) if path is None else await self._picture(path)

    @property
    def group_members(self) -> list[str]:
        head = self._last.leader or self._id
        group = [head, *self._hub.followers(head)]
        if len(group) == 1:
            return []
        entities = {player: entity for entity, player in self._hub.members.items()}
        return [entities[player] for player in group if player in entities]

    @property
    def source_list(self) -> list[str]:
        return list(self._sources())

    @property
    def source(self) -> str | None:
        current = self._player["output"]["id"]
        return next((name for name, id in self._sources().items() if id == current), None)

    def _sources(self) -> dict[str, str]:
        """Ids by name. Outputs with the same name also show their id."""
        outputs = self._last.outputs
        names = [output["description"] for output in outputs]
        return {
            name if names.count(name) == 1 else f"{name} ({output['id']})": output["id"]
            for name, output in zip(names, outputs, strict=True)
        }

    @property
    def sound_mode_list(self) -> list[str]:
        return self._last.presets

    @property
    def sound_mode(self) -> str | None:
        """The equaliser's preset; None for a curve without a name."""
        effects = self._last.effects
        if effects is None:
            return None
        equalizer = effects["equalizer"]
        return equalizer["preset"] if effects["enabled"] and equalizer["enabled"] else FLAT

    def _text(self, member: str) -> str | None:
        """A station's current title, else the queue's text, else the file's tags."""
        live = (self._item.get("live") or {}) if member == "title" else {}
        tags = self._item.get("tags") or {}
        text = live.get("title") or self._item.get(member) or tags.get(member)
        return None if text is None else str(text)

    # Commands. The server forwards a follower's transport and queue commands to its leader. Each player has its own volume and output.

    async def _ask(
        self, method: str, path: str, json: Json | None = None, timeout: float = REQUEST_TIMEOUT
    ) -> Json:
        return await self._request(method, f"/players/{self._id}{path}", json, timeout)

    async def _request(
        self, method: str, path: str, json: Json | None = None, timeout: float = REQUEST_TIMEOUT
    ) -> Json:
        """Waits for the server's response and converts refusals to Home Assistant's errors."""
        try:
            return await self._hub.client.request(method, path, json=json, timeout=timeout)
        except InvalidAuth as error:
            self._hub.entry.async_start_reauth(self.hass)
            raise service_error(error) from error
        except TonearmError as error:
            raise service_error(error) from error

    async def async_media_play(self) -> None:
        await self._ask("POST", "/play")

    async def async_media_pause(self) -> None:
        await self._ask("POST", "/pause")

    async def async_media_play_pause(self) -> None:
        await self._ask("POST", "/toggle")

    async def async_media_stop(self) -> None:
        await self._ask("POST", "/stop")

    async def async_media_next_track(self) -> None:
        await self._ask("POST", "/next")

    async def async_media_previous_track(self) -> None:
        await self._ask("POST", "/previous")

    async def async_media_seek(self, position: float) -> None:
        await self._ask("POST", "/seek", {"position": position})

    async def async_set_volume_level(self, volume: float) -> None:
        await self._ask("PATCH", "", {"level": volume})

    async def async_volume_up(self) -> None:
        await self._ask("PATCH", "", {"levelBy": VOLUME_STEP})

    async def async_volume_down(self) -> None:
        await self._ask("PATCH", "", {"levelBy": -VOLUME_STEP})

    async def async_mute_volume(self, mute: bool) -> None:
        await self._ask("PATCH", "", {"muted": mute})

    async def async_set_shuffle(self, shuffle: bool) -> None:
        await self._ask("PATCH", "", {"shuffle": shuffle})

    async def async_set_repeat(self, repeat: RepeatMode) -> None:
        await self._ask("PATCH", "", {"repeat": repeat})

    async def async_clear_playlist(self) -> None:
        await self._ask("DELETE", "/queue")

    async def async_select_source(self, source: str) -> None:
        output = self._sources().get(source)
        if output is None:
            raise ServiceValidationError(
                f"There is no output {source}",
                translation_domain=DOMAIN,
                translation_key="unknown_source",
                translation_placeholders={"source": source},
            )
        await self._ask("PUT", "/outputs/current", {"id": output})

    async def async_select_sound_mode(self, sound_mode: str) -> None:
        is_flat = sound_mode == FLAT
        patch: Json = {"equalizer": {"enabled": not is_flat, "preset": sound_mode}}
        await self._ask("PATCH", "/effects", patch if is_flat else {"enabled": True, **patch})

    async def async_play_media(self, media_type: MediaType | str, media_id: str, **kwargs: Any) -> None:
        extra: Json = kwargs.get(ATTR_MEDIA_EXTRA) or {}
        if media_source.is_media_source_id(media_id):
            resolved = await media_source.async_resolve_media(self.hass, media_id, self.entity_id)
            media_type, media_id = MediaType.MUSIC, async_process_play_media_url(self.hass, resolved.url)
        elif media_id.startswith(HOME_ASSISTANT):
            media_id = async_process_play_media_url(self.hass, media_id)
        if media_type in ITEM_MEMBERS and not browse.is_address(media_id):
            item: Json = {str(media_type): media_id}
        else:
            item = {"uri": media_id}
        if kwargs.get(ATTR_MEDIA_ANNOUNCE):
            await self._announce(item, extra)
            return
        if "uri" in item:
            item.update({member: extra[key] for key, member in METADATA.items() if extra.get(key)})
        match kwargs.get(ATTR_MEDIA_ENQUEUE):
            case MediaPlayerEnqueue.ADD:
                await self._ask("POST", "/queue/items", {"items": [item], "position": "end"})
            case MediaPlayerEnqueue.NEXT:
                await self._ask("POST", "/queue/items", {"items": [item], "position": "next"})
            case MediaPlayerEnqueue.PLAY:
                await self._ask("POST", "/queue/items", {"items": [item], "position": "next", "play": True})
            case _:
                await self._ask("PUT", "/queue", {"items": [item], "play": True})

    async def _announce(self, item: Json, extra: Json) -> None:
        """Returns when the announcement has been heard to its end."""
        body: Json = {**(item if "uri" in item else {"items": [item]}), "wait": True}
        body.update({key: extra[key] for key in ANNOUNCEMENT if extra.get(key) is not None})
        if (level := extra.get("volume")) is not None:
            try:
                # The announcement's volume is an amplitude.
                body["volume"] = float(level) ** 3
            except (TypeError, ValueError, OverflowError) as error:
                raise ServiceValidationError(
                    "The volume of an announcement must be a number",
                    translation_domain=DOMAIN,
                    translation_key="announce_extra",
                    translation_placeholders={"member": "volume"},
                ) from error
        ended = await self._ask("POST", "/announcements", body, timeout=ANNOUNCE_TIMEOUT)
        if ended.get("reason") != "finished":
            detail = (ended.get("error") or {}).get("message") or f"it was {ended.get('reason')}"
            raise HomeAssistantError(
                f"The announcement did not play to its end: {detail}",
                translation_domain=DOMAIN,
                translation_key="announcement_failed",
                translation_placeholders={"detail": str(detail)},
            )

    # Groups. `_follow` with None leaves the group.

    async def _follow(self, player: str, leader: str | None) -> None:
        await self._request("PATCH", f"/players/{player}", {"leader": leader})

    async def async_join_players(self, group_members: list[str]) -> None:
        """This player becomes the leader; members that are not named leave the group."""
        members = [self._member(entity) for entity in group_members]
        wanted = [player for player in dict.fromkeys(members) if player != self._id]
        head = self._last.leader
        followers = self._hub.followers(head or self._id)
        if head is not None:
            # Swap the leaders: the group keeps its queue and position.
            await self._follow(head, self._id)
            followers = [head, *(player for player in followers if player != self._id)]
        for player in followers:
            if player not in wanted:
                await self._follow(player, None)
        for player in wanted:
            if player in followers:
                continue
            # Followers would come along with their leader.
            for follower in self._hub.followers(player):
                if follower not in wanted:
                    await self._follow(follower, None)
            await self._follow(player, self._id)

    async def async_unjoin_player(self) -> None:
        """A follower leaves the group; a leader dissolves it."""
        if self._last.leader is not None:
            await self._follow(self._id, None)
        for player in self._hub.followers(self._id):
            await self._follow(player, None)

    def _member(self, entity_id: str) -> str:
        """The id of an entity's player on the same server."""
        player = self._hub.members.get(entity_id)
        if player is not None and player in self._hub.players:
            return player
        raise ServiceValidationError(
            f"{entity_id} is no player of {self._hub.server.name}",
            translation_domain=DOMAIN,
            translation_key="not_a_member",
            translation_placeholders={"entity": entity_id, "server": self._hub.server.name},
        )

    # Browsing and search.

    async def async_browse_media(
        self, media_content_type: MediaType | str | None = None, media_content_id: str | None = None
    ) -> BrowseMedia:
        with self._renewing_token():
            return await browse.browse(self, self._hub.client, media_content_type, media_content_id)

    async def async_search_media(self, query: Any) -> Any:
        """Searches tracks, albums, artists, playlists and genres for `query.search_query`."""
        with self._renewing_token():
            return await browse.search(self, self._hub.client, query)

    @contextmanager
    def _renewing_token(self) -> Iterator[None]:
        """Starts reauthentication after a browse error caused by a refused token."""
        try:
            yield
        except BrowseError as error:
            if isinstance(error.__cause__, InvalidAuth):
                self._hub.entry.async_start_reauth(self.hass)
            raise

    # Services of this integration.

    def concern(self, service: str) -> tuple[str, ...]:
        """The target of a service call, so that it runs once for a server or group, however many of its players are named."""
        server = self._hub.server.id
        return (server,) if service == "interrupt" else (server, self._last.leader or self._id)

    async def async_undo(self) -> None:
        await self._ask("POST", "/queue/undo")

    async def async_group_volume(self, by: float) -> None:
        """Changes the level of all members by one step; the server keeps their differences."""
        await self._ask("PATCH", "", {"groupLevelBy": by})

    async def async_interrupt(self, type: str, resume: bool = True) -> None:
        body: Json = {"type": type}
        if type == "ended":
            body["shouldResume"] = resume
        await self._request("POST", "/session/interruptions", body)

    async def async_sleep(self, seconds: float, fade: float | None) -> None:
        """Pauses the music after `seconds`; 0 cancels. A follower's timer is its leader's."""
        timers = f"/players/{self._last.leader or self._id}/timers"
        if seconds > 0:
            body: Json = {"type": "sleep", "after": seconds}
            if fade is not None:
                body["fade"] = fade
            # Replaces an earlier one.
            await self._request("POST", timers, body)
            return
        for timer in (await self._request("GET", timers))["timers"]:
            if timer["type"] == "sleep":
                await self._request("DELETE", f"{timers}/{timer['id']}")

    async def _picture(self, path: str) -> tuple[bytes | None, str | None]:
        try:
            return await self._hub.client.picture(path)
        except TonearmError:
            return None, None
