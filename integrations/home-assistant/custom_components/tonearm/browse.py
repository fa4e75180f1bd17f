# SPDX-License-Identifier: Apache-2.0
"""Home Assistant's media tree of the server's folders, library and playlists, and the search."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from homeassistant.components import media_player, media_source
from homeassistant.components.media_player import BrowseError, BrowseMedia, MediaClass, MediaType

from .client import TonearmClient, TonearmError
from .const import BROWSE_LIMIT, DOMAIN, SEARCH_LIMIT
from .hub import service_error
from .state import Json

if TYPE_CHECKING:
    from .media_player import TonearmPlayer

# Types of containers that only this integration has. Their ids are empty.
ROOT = "root"
# Separates a container's type from the index of a further page's first entry.
PAGE = "@"
FOLDER = "folder"
SEARCH_TYPES = "tracks,albums,artists,playlists,genres,folders"


def is_address(text: str) -> bool:
    return text.startswith(("http://", "https://", "file:"))


def file_name(uri: str) -> str:
    """The last part of the path, decoded for an address."""
    path = unquote(uri.partition("?")[0]) if is_address(uri) else uri
    return path.rstrip("/").rsplit("/", 1)[-1]


def picture_path(media_type: str, media_id: str) -> str | None:
    """The server's path of the picture of an album, artist or track."""
    if media_type not in (MediaType.ALBUM, MediaType.ARTIST, MediaType.TRACK):
        return None
    return f"/library/{media_type}s/{quote(media_id, safe='')}/artwork?size=300"


async def browse(
    player: TonearmPlayer, client: TonearmClient, media_type: str | None, media_id: str | None
) -> BrowseMedia:
    """One page of BROWSE_LIMIT entries. The first page also lists the others. Raises BrowseError with the server's message."""
    if media_id is not None and media_source.is_media_source_id(media_id):
        return await media_source.async_browse_media(
            player.hass, media_id, content_filter=lambda item: item.media_content_type.startswith("audio/")
        )
    try:
        return await _Page(player, client).read(media_type or ROOT, media_id or "")
    except TonearmError as error:
        raise service_error(error, BrowseError) from error


async def search(player: TonearmPlayer, client: TonearmClient, query: Any) -> Any:
    """`query` has `search_query`, and since 2025.5 `media_filter_classes`. The answer has `result`, a list of BrowseMedia."""
    page = _Page(player, client)
    try:
        found = await client.get(
            "/library/search", {"q": query.search_query, "limit": SEARCH_LIMIT, "types": SEARCH_TYPES}
        )
    except TonearmError as error:
        raise service_error(error, BrowseError) from error
    result = [make(one) for kind, make in page.makers.items() for one in found[f"{kind}s"]]
    if classes := getattr(query, "media_filter_classes", None):
        result = [one for one in result if one.media_class in classes]
    return getattr(media_player, "SearchMedia", SimpleNamespace)(result=result)


class _Page:
    """Makes the nodes of one answer."""

    def __init__(self, player: TonearmPlayer, client: TonearmClient) -> None:
        self._player = player
        self._client = client
        self._offset = 0
        # Of all pages.
        self._length = 0
        # By the singular of the library's lists; in the order of search results.
        self.makers = {
            "track": self.track, "album": self.album, "artist": self.artist,
            "playlist": self.playlist, "genre": self.genre, "folder": self.folder,
        }

    async def read(self, media_type: str, id: str) -> BrowseMedia:
        media_type, _, offset = media_type.partition(PAGE)
        self._offset = int(offset) if offset.isdecimal() else 0
        page = await self._read(media_type, id)
        if self._offset:
            page.media_content_type += f"{PAGE}{self._offset}"
            page.title = f"{page.title}, {self._range(self._offset)}"
            page.can_play = False
        else:
            page.children = [
                *(page.children or []),
                *(
                    self._node(self._range(first), f"{media_type}{PAGE}{first}", id, MediaClass.DIRECTORY)
                    for first in range(BROWSE_LIMIT, self._length, BROWSE_LIMIT)
                ),
            ]
        return page

    def _range(self, offset: int) -> str:
        return f"{offset + 1} – {min(offset + BROWSE_LIMIT, self._length)}"

    async def _read(self, media_type: str, id: str) -> BrowseMedia:
        match media_type:
            case "root" | "library":
                return await self._root()
            case "folder":
                return await self._folder(id)
            case "artists" | "albums" | "tracks" | "genres":
                found = await self._list(f"/library/{media_type}")
                kind = media_type.removesuffix("s")
                return self._container(media_type.title(), media_type, "", MediaClass(kind), map(self.makers[kind], found["items"]))
            case "playlists":
                found = await self._client.get("/playlists")
                lists = map(self.playlist, found["playlists"])
                return self._container("Playlists", media_type, "", MediaClass.PLAYLIST, lists)
            case "artist":
                found = await self._list("/library/albums", artist=id)
                named = await self._client.get(f"/library/artists/{quote(id, safe='')}")
                return self._of(self.artist(named), map(self.album, found["items"]), MediaClass.ALBUM)
            case "album":
                named = await self._client.get(f"/library/albums/{quote(id, safe='')}")
                return self._of(self.album(named), map(self.track, named["items"]), MediaClass.TRACK)
            case "genre":
                found = await self._list("/library/albums", genre=id)
                named = await self._client.get(f"/library/genres/{quote(id, safe='')}")
                return self._of(self.genre(named), map(self.album, found["items"]), MediaClass.ALBUM)
            case "playlist":
                named = await self._list(f"/playlists/{quote(id, safe='')}")
                return self._of(self.playlist(named), map(self._entry, named["items"]), MediaClass.TRACK)
            case _:
                raise BrowseError(
                    f"A {media_type} cannot be browsed",
                    translation_domain=DOMAIN,
                    translation_key="not_browsable",
                    translation_placeholders={"type": media_type},
                )

    async def _list(self, path: str, /, **params: str) -> Json:
        page = await self._client.get(path, {"limit": BROWSE_LIMIT, "offset": self._offset, **params})
        self._length = int(page["length"])
        return page

    async def _root(self) -> BrowseMedia:
        children = [
            self._node("Folders", FOLDER, "", MediaClass.DIRECTORY, can_play=True),
            *(
                self._node(kind.title(), kind, "", MediaClass.DIRECTORY)
                for kind in ("artists", "albums", "tracks", "genres", "playlists")
            ),
        ]
        try:
            source = await media_source.async_browse_media(
                self._player.hass, None, content_filter=lambda item: item.media_content_type.startswith("audio/")
            )
        except BrowseError:
            pass
        else:
            children.append(source)
        return self._container(self._player.player_name, ROOT, "", MediaClass.DIRECTORY, children)

    async def _folder(self, path: str) -> BrowseMedia:
        found = await self._list("/browse", path=path)
        page = self._container(
            path.rsplit("/", 1)[-1] or "Folders", FOLDER, path, MediaClass.DIRECTORY, map(self._file, found["entries"])
        )
        page.can_play = True
        if found["truncated"]:
            # The server lists at most 10,000 entries of a folder. The list of tracks has all.
            page.title += " (not all)"
        return page

    def _file(self, entry: Json) -> BrowseMedia:
        if entry["type"] == "folder":
            return self.folder(entry)
        kind = MediaClass.PLAYLIST if entry["type"] == "list" else MediaClass.TRACK
        return self._node(entry["name"], MediaType.MUSIC, entry["path"], kind, can_play=True, can_expand=False)

    def folder(self, entry: Json) -> BrowseMedia:
        return self._node(entry["name"], FOLDER, entry["path"], MediaClass.DIRECTORY, can_play=True)

    def _entry(self, entry: Json) -> BrowseMedia:
        title = entry.get("title") or file_name(entry["uri"])
        address = entry.get("reference") or entry["uri"]
        return self._node(title, MediaType.MUSIC, address, MediaClass.TRACK, can_play=True, can_expand=False)

    def track(self, track: Json) -> BrowseMedia:
        picture = self._picture(MediaType.TRACK, track["id"]) if track.get("picture") else None
        return self._node(
            track["title"], MediaType.TRACK, track["id"], MediaClass.TRACK, can_play=True, can_expand=False, picture=picture
        )

    def album(self, album: Json) -> BrowseMedia:
        artist = (album.get("artist") or {}).get("name")
        title = f"{album['title']} ({artist})" if artist else album["title"]
        picture = self._picture(MediaType.ALBUM, album["id"]) if album.get("artwork") else None
        return self._node(title, MediaType.ALBUM, album["id"], MediaClass.ALBUM, can_play=True, picture=picture)

    def artist(self, artist: Json) -> BrowseMedia:
        picture = self._picture(MediaType.ARTIST, artist["id"]) if artist.get("artwork") else None
        return self._node(
            artist["name"], MediaType.ARTIST, artist["id"], MediaClass.ARTIST, can_play=True, picture=picture
        )

    def genre(self, genre: Json) -> BrowseMedia:
        return self._node(genre["name"], MediaType.GENRE, genre["id"], MediaClass.GENRE, can_play=True)

    def playlist(self, playlist: Json) -> BrowseMedia:
        return self._node(playlist["name"], MediaType.PLAYLIST, playlist["id"], MediaClass.PLAYLIST, can_play=True)

    def _picture(self, media_type: str, id: str) -> str:
        return self._player.get_browse_image_url(media_type, id)

    def _container(
        self, title: str, media_type: str, id: str, children_class: MediaClass, children: Any
    ) -> BrowseMedia:
        return self._of(self._node(title, media_type, id, MediaClass.DIRECTORY), children, children_class)

    def _of(self, node: BrowseMedia, children: Any, children_class: MediaClass) -> BrowseMedia:
        node.children = list(children)
        node.children_media_class = children_class
        return node

    def _node(
        self,
        title: str,
        media_type: str,
        id: str,
        media_class: MediaClass,
        *,
        can_play: bool = False,
        can_expand: bool = True,
        picture: str | None = None,
    ) -> BrowseMedia:
        return BrowseMedia(
            title=title,
            media_class=media_class,
            media_content_type=media_type,
            media_content_id=id,
            can_play=can_play,
            can_expand=can_expand,
            thumbnail=picture,
        )
