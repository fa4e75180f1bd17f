# SPDX-License-Identifier: Apache-2.0
"""The music library (row 224), search, playlists (their part of rows 240 and 249), pictures and lyrics."""

import pathlib
import shutil
import time
from urllib.parse import quote, urlencode

import pytest

from rig import Api, EventLog, eventually, within
from rig.collection import frame, make_collection, picture, sound, tag, text

pytestmark = pytest.mark.usefixtures("music")

PNG = b"\x89PNG\r\n\x1a\n" + bytes(2_000)


@pytest.fixture(scope="module")
def audio(tmp_path_factory) -> bytes:
    return sound(tmp_path_factory.mktemp("sound"))


@pytest.fixture
def music(directory, audio) -> pathlib.Path:
    root = directory / "collection"
    files = {
        "Björk/Homogenic/01 Hunter.mp3": tag(text("TIT2", "Hunter"), text("TPE1", "Björk"), text("TALB", "Homogenic"),
                                             text("TRCK", "1/10"), text("TYER", "1997"), text("TCON", "Electronic")),
        "Björk/Homogenic/02 Jóga.mp3": tag(text("TIT2", "Jóga"), text("TPE1", "Björk"), text("TALB", "Homogenic"),
                                           text("TRCK", "2/10"), text("TYER", "1997"), picture(PNG)),
        "周杰倫/十一月的蕭邦/夜曲.mp3": tag(text("TIT2", "夜曲"), text("TPE1", "周杰倫"), text("TALB", "十一月的蕭邦"),
                                     text("TRCK", "1"), frame("USLT", b"\x01eng" + "\0".encode("utf-16") + "一群\r\n嗜血".encode("utf-16"))),
        "untagged.mp3": b"",
    }
    for name, head in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(head + audio)
    (root / "周杰倫/十一月的蕭邦/cover.png").write_bytes(PNG)
    (root / "Björk/Homogenic/01 Hunter.lrc").write_text("[ar:Björk]\n[00:01.50]If travel\n[00:03.00]Is searching\n")
    return root


def idle(api: Api) -> dict | None:
    status = api.call("GET", "/library")
    return status if status["state"] == "idle" and status["scan"]["endedAt"] else None


@pytest.fixture
def library(api) -> Api:
    eventually(lambda: idle(api), "the first scan has ended", 20)
    return api


def tracks(api: Api, **parameters) -> list[dict]:
    return api.call("GET", "/library/tracks", params={"limit": 1000, **parameters})["items"]


def uris(api: Api) -> set[str]:
    return {track["uri"] for track in tracks(api)}


def search(api: Api, words: str, **params: str) -> dict:
    return api.call("GET", "/library/search", params={"q": words, **params})


def titles(api: Api, words: str) -> list[str]:
    return [track["title"] for track in search(api, words)["tracks"]]


def test_scan_listsArtistsAlbumsTracksAndGenres(library):
    # The first scan is over a moment before the server says that it watches all folders.
    eventually(lambda: library.call("GET", "/library")["watch"] == "full", "all folders are watched")
    status = library.call("GET", "/library")
    assert (status["artists"], status["albums"], status["tracks"]) == (2, 2, 4), status
    artists = library.call("GET", "/library/artists")
    assert [artist["name"] for artist in artists["items"]] == ["Björk", "周杰倫"] and artists["length"] == 2
    albums = library.call("GET", "/library/albums", params={"artist": artists["items"][0]["id"]})["items"]
    assert [(album["title"], album["year"], album["tracks"]) for album in albums] == [("Homogenic", 1997, 2)]
    album = library.call("GET", f"/library/albums/{albums[0]['id']}")
    assert [track["title"] for track in album["items"]] == ["Hunter", "Jóga"]
    hunter = album["items"][0]
    assert hunter["genres"] == ["Electronic"] and hunter["codec"] == "mp3" and 0.9 < hunter["duration"] < 1.2
    assert library.call("GET", f"/library/tracks/{hunter['id']}") == hunter
    assert [track["title"] for track in tracks(library, year=1997)] == ["Hunter", "Jóga"]
    assert {track["title"] for track in tracks(library)} == {"Hunter", "Jóga", "夜曲", "untagged"}


def test_newFile_isListedWithinTwoSeconds(library, music, audio):
    """Row 224: each of five is listed, and at least one within the two seconds; a busy machine may take longer now and then."""
    taken = []
    for number in range(5):
        began = time.monotonic()
        (music / f"new-{number}.mp3").write_bytes(tag(text("TIT2", f"Neu {number}")) + audio)
        eventually(lambda: f"new-{number}.mp3" in uris(library), "listed", 10, every=0.02)
        taken.append(time.monotonic() - began)
        if taken[-1] < 2:
            break
    assert min(taken) < 2, taken
    assert titles(library, f"neu {number}") == [f"Neu {number}"]


def test_scan_whileScanning_isRefused(start_server, directory, audio):
    root = directory / "many"
    make_collection(root, 3_000, audio)
    api = Api(start_server(music=root).url)
    response = api.request("POST", "/library/scan")
    if response.status_code != 202:
        assert response.status_code == 409 and response.json()["code"] == "scan-running"
    assert eventually(lambda: idle(api), "scanned", 60)["tracks"] == 3_000


def test_killDuringTheScan_losesNothing(start_server, directory, audio):
    root = directory / "many"
    make_collection(root, 4_000, audio)
    server = start_server(music=root)
    api = Api(server.url)
    eventually(lambda: (api.call("GET", "/library")["scan"] or {}).get("scanned", 0) > 200, "the scan is under way", 30, every=0.001)
    api = Api(server.restart(kill=True).url)
    status = eventually(lambda: idle(api), "scanned", 60)
    assert status["tracks"] == 4_000 and status["albums"] == 400, status
    assert len(search(api, "song 3999")["tracks"]) == 1
    api = Api(server.restart().url)
    status = eventually(lambda: idle(api), "compared", 60)
    assert status["scan"]["scanned"] == 0 and status["scan"]["found"] == 4_000


def test_unchangedLibrary_answers304(library):
    response = library.request("GET", "/library/albums")
    again = library.request("GET", "/library/albums", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304 and not again.content


def test_badQuery_namesTheParameter_andUnknownEntriesAre404(library):
    for path in ["/library/tracks?limit=1001", "/library/tracks?sort=size", "/library/albums?artist=x", "/library/search",
                 "/library/tracks?unknown=1", "/library/artists?year=-1"]:
        response = library.request("GET", path)
        assert response.status_code == 422 and response.json()["member"]
    for path in ["/library/tracks/t1", "/library/albums/b1/artwork", "/library/artists/zz", "/library/tracks/b1/lyrics"]:
        assert library.request("GET", path).status_code == 404


# Pictures and lyrics


def test_artwork_comesFromTagsAndFolder(library, music):
    for album in library.call("GET", "/library/albums")["items"]:
        response = library.request("GET", album["artwork"].removeprefix("/api/v1"))
        assert response.status_code == 200 and response.headers["Content-Type"] == "image/png" and response.content == PNG
        again = library.request("GET", album["artwork"].removeprefix("/api/v1"), headers={"If-None-Match": response.headers["ETag"]})
        assert again.status_code == 304
    for artist in library.call("GET", "/library/artists")["items"]:
        assert library.request("GET", artist["artwork"].removeprefix("/api/v1")).content == PNG
    lone = next(track for track in tracks(library) if track["title"] == "untagged")
    assert library.refusal("GET", f"/library/tracks/{lone['id']}/artwork") == (404, "no-artwork")
    folder = music / "Björk/Homogenic"
    album = lambda: next(album for album in library.call("GET", "/library/albums")["items"] if album["title"] == "Homogenic")
    (folder / "02 Jóga.mp3").unlink()
    eventually(lambda: album()["artwork"] is None, "its only picture is gone")
    assert library.refusal("GET", f"/library/albums/{album()['id']}/artwork") == (404, "no-artwork")
    (folder / "folder.png").write_bytes(PNG)
    address = eventually(lambda: album()["artwork"], "its new picture is found")
    assert library.request("GET", address.removeprefix("/api/v1")).content == PNG


def test_lyrics_that_unfold_to_much_cost_little(server, api, music):
    """Row 252: 180 kB of one line with 12,000 times is 720 MB when each time has its line."""
    (music / "untagged.lrc").write_text("[00:01.00]" * 12_000 + "la " * 20_000)
    (item,) = api.load("untagged.mp3")
    before = server.resident_bytes()
    with within(2, "lyrics"):
        lyrics = api.call("GET", f"/queue/items/{item}/lyrics")
    assert 0 < len(lyrics["lines"]) <= 20_000 and len(lyrics["text"]) <= 1 << 20
    assert server.resident_bytes() - before < 32 << 20


def test_lyrics_comeFromFileAndTag(library):
    byTitle = {track["title"]: track for track in tracks(library)}
    synced = library.call("GET", f"/library/tracks/{byTitle['Hunter']['id']}/lyrics")
    assert synced["source"] == "file" and synced["synced"]
    assert synced["lines"] == [{"time": 1.5, "text": "If travel"}, {"time": 3, "text": "Is searching"}]
    [item] = library.load(byTitle["夜曲"]["uri"])
    plain = library.call("GET", f"/queue/items/{item}/lyrics")
    assert plain == {"source": "tag", "synced": False, "text": "一群\n嗜血", "lines": []}
    assert library.request("GET", f"/library/tracks/{byTitle['Jóga']['id']}/lyrics").json()["code"] == "no-lyrics"


def test_theItemTells_whetherThereIsAPictureAndLyrics(library):
    """Without being asked for them: from its tags, from its folder, or none."""
    for uri, picture_of, lyrics in (
            ("Björk/Homogenic/01 Hunter.mp3", None, True), ("Björk/Homogenic/02 Jóga.mp3", "tags", False),
            ("周杰倫/十一月的蕭邦/夜曲.mp3", "folder", True), ("untagged.mp3", None, False)):
        [id] = library.load(uri)
        library.play()
        item = eventually(lambda: (library.player()["item"] or {}).get("status") == "ready" and library.player()["item"], uri)
        assert item["id"] == id and item["lyrics"] is lyrics, uri
        assert library.request("GET", f"/queue/items/{id}/lyrics").status_code == (200 if lyrics else 404)
        assert item["artwork"] == (f"/api/v1/queue/items/{id}/artwork" if picture_of else None), uri
        assert library.request("GET", f"/queue/items/{id}/artwork").status_code == (200 if picture_of else 404)
        assert library.call("GET", "/media/info?" + urlencode({"uri": uri}))["lyrics"] is lyrics


# Into the queue


def test_albumAndArtist_areQueuedWhole(library):
    albums = {album["title"]: album for album in library.call("GET", "/library/albums")["items"]}
    answer = library.call("POST", "/queue/items", json={"items": [{"album": albums["Homogenic"]["id"]}, {"uri": "untagged.mp3"}]})
    assert answer["count"] == 3
    assert library.uris() == ["Björk/Homogenic/01 Hunter.mp3", "Björk/Homogenic/02 Jóga.mp3", "untagged.mp3"]
    artist = search(library, "周")["artists"][0]
    library.call("PUT", "/queue", json={"items": [{"artist": artist["id"]}]})
    assert library.uris() == ["周杰倫/十一月的蕭邦/夜曲.mp3"]


def test_itemsName_whereTheyCameFrom(library, server):
    """Each item names its list, album or folder, also after a restart and an undo."""
    album = library.call("GET", "/library/albums")["items"][0]
    artist, genre = search(library, "bjork")["artists"][0], search(library, "electro", types="genres")["genres"][0]
    made = library.call("POST", "/playlists", json={"name": "Mine", "items": [{"uri": "untagged.mp3"}]})
    items = [{"album": album["id"]}, {"artist": artist["id"]}, {"genre": genre["id"]}, {"playlist": made["id"]},
             {"folder": "Björk"}, {"uri": "周杰倫"}, {"uri": "untagged.mp3"}]
    library.call("PUT", "/queue", json={"items": items, "index": 6})
    expected = [("album", album["id"], "Homogenic")] * 2 + [("artist", artist["id"], "Björk")] * 2 + [
        ("genre", genre["id"], "Electronic"), ("playlist", made["id"], "Mine"), ("folder", "Björk", "Björk"),
        ("folder", "Björk", "Björk"), ("folder", "周杰倫", "周杰倫"), None]

    def sources(items: list[dict]) -> list[tuple | None]:
        return [tuple(item["source"][key] for key in ("type", "id", "name")) if "source" in item else None for item in items]

    assert sources(library.queue()["items"]) == expected
    assert library.call("GET", "/player")["item"]["source"]["name"] == "Björk"
    library.call("DELETE", "/queue")
    library.call("POST", "/queue/undo")
    server.restart()
    assert sources(Api(server.url).queue()["items"]) == expected


def test_search_findsGenresFoldersAndPlaylists(library):
    made = library.call("POST", "/playlists", json={"name": "Évening jazz", "items": [{"uri": "untagged.mp3"}]})
    found = search(library, "even", types="playlists,folders,genres")
    assert [one["id"] for one in found["playlists"]] == [made["id"]] and not found["folders"] and not found["tracks"]
    found = search(library, "bjork", types="folders,artists")
    assert found["folders"] == [{"path": "Björk", "name": "Björk"}] and len(found["artists"]) == 1 and "genres" not in found
    genre = search(library, "electronic", types="genres")["genres"][0]
    assert library.call("GET", f"/library/genres/{genre['id']}") == genre
    assert "playlists" not in search(library, "even")
    # Playlists are another part of the server's state than the library's revision.
    assert "ETag" not in library.request("GET", "/library/search?q=even&types=playlists").headers


def test_unknownAlbum_changesNothing(library):
    library.load("untagged.mp3")
    for item in ({"album": "b1"}, {"album": "Homogenic"}, {"genre": "g1"}, {"playlist": "p99"}):
        assert library.request("POST", "/queue/items", json={"items": [{"uri": "untagged.mp3"}, item]}).status_code == 404
    assert library.request("POST", "/queue/items", json={"items": [{"album": "b1", "title": "x"}]}).status_code == 422
    assert library.uris() == ["untagged.mp3"]
    # With a uri they are texts to show, as ever.
    library.add({"uri": "untagged.mp3", "album": "Some album", "artist": "Someone"})
    assert library.queue()["items"][1]["album"] == "Some album"


@pytest.mark.smoke
def test_itemsOfTheQueue_carryWhatTheLibraryKnows(library, music, origin):
    """Row 268: a window brings duration and tags with it; the client's words go first; what is no track has none."""
    hunter = "Björk/Homogenic/01 Hunter.mp3"
    track = next(track for track in library.call("GET", "/library/tracks")["items"] if track["uri"] == hunter)
    library.load(hunter, {"uri": hunter, "title": "Given"}, "untagged.mp3", f"{origin.url}/a.mp3")
    first, given, untagged, web = library.queue()["items"]
    assert first["duration"] == pytest.approx(track["duration"]) and first["title"] == first["tags"]["title"] == "Hunter"
    assert (first["artist"], first["album"], first["tags"]["trackNumber"]) == ("Björk", "Homogenic", 1)
    assert (given["title"], given["tags"]["title"], given["duration"]) == ("Given", "Hunter", first["duration"])
    assert untagged["duration"] > 0 and untagged["title"] is untagged["tags"]["title"] is None
    assert (web["duration"], web["tags"]) == (None, None)
    assert library.call("GET", f"/queue/items/{first['id']}")["tags"] == first["tags"]
    # A title like the file's name is a title.
    library.load("周杰倫/十一月的蕭邦/夜曲.mp3")
    assert library.queue()["items"][0]["title"] == "夜曲"
    # Another form of the same address.
    library.load(f"file://{quote(str(music))}/{quote(hunter)}")
    assert library.queue()["items"][0]["tags"] == first["tags"]


def test_theFirstSnapshot_carriesWhatTheLibraryKnows(library, server):
    """No client has read the queue before."""
    hunter = "Björk/Homogenic/01 Hunter.mp3"
    library.call("PUT", "/queue", json={"items": [{"uri": hunter}, {"uri": "untagged.mp3"}]})
    for _ in range(2):
        log = EventLog(server.events_url)
        first, second = log.wait_for("snapshot")["queue"]["items"]
        log.close()
        assert (first["title"], first["artist"], first["tags"]["trackNumber"]) == ("Hunter", "Björk", 1)
        assert second["duration"] > 0


def test_aWindow_isAnotherOne_whenTheLibraryLearnsMore(library, music):
    """Its entity tag follows the library."""
    shutil.copy(music / "untagged.mp3", music / "late.mp3")
    library.load("late.mp3")
    tag = library.request("GET", "/queue").headers["ETag"]
    eventually(lambda: library.queue()["items"][0]["duration"], "the new file is in the library")
    (music / "untagged.mp3").unlink()
    eventually(lambda: library.request("GET", "/queue", headers={"If-None-Match": tag}).status_code == 200, "another window")
    assert library.request("DELETE", "/queue", headers={"If-Match": tag}).status_code == 200, "the queue is the same"


# Playlists


def test_playlist_survivesKillAndPlays(library, server):
    library.load("Björk/Homogenic/01 Hunter.mp3", {"uri": "untagged.mp3", "title": "Named"})
    made = library.request("POST", "/playlists", json={"name": "Abend 夜", "fromQueue": True})
    assert made.status_code == 201
    id = made.json()["id"]
    assert made.headers["Location"] == f"/api/v1/playlists/{id}"
    api = Api(server.restart(kill=True).url)
    assert [(entry["id"], entry["name"], entry["length"]) for entry in api.call("GET", "/playlists")["playlists"]] == [(id, "Abend 夜", 2)]
    shown = lambda: [entry["title"] for entry in api.call("GET", f"/playlists/{id}")["items"]]
    eventually(lambda: shown() == ["Hunter", "Named"], "the library's texts where there are no others")
    api.call("DELETE", "/queue")
    snapshot = api.call("POST", f"/playlists/{id}/play", json={"index": 1})
    assert snapshot["queueIndex"] == 1 and len(api.uris()) == 2
    api.call("PUT", "/queue", json={"items": [{"playlist": id}, {"playlist": id}]})
    assert len(api.uris()) == 4


def test_playlist_changesHonourIfMatch(library):
    made = library.request("POST", "/playlists", json={"name": "x", "items": [{"uri": "untagged.mp3"}]})
    path, stale = f"/playlists/{made.json()['id']}", made.headers["ETag"]
    album = library.call("GET", "/library/albums")["items"][0]
    appended = library.request("POST", path + "/items", json={"items": [{"album": album["id"]}]}, headers={"If-Match": stale})
    assert appended.status_code == 200 and appended.json()["length"] == 1 + album["tracks"]
    assert library.refusal("PATCH", path, json={"name": "y"}, headers={"If-Match": stale}) == (412, "revision-mismatch")
    assert library.request("PATCH", path, json={"name": "y"}, headers={"If-Match": appended.headers["ETag"]}).json()["name"] == "y"
    assert library.call("PUT", path, json={"items": []})["length"] == 0
    assert library.request("POST", path + "/play").json()["code"] == "playlist-empty"
    for body in ({"name": " "}, {"name": "x", "items": 3}, {"items": []}, {"name": "a\nb", "items": []}, {"name": "x", "other": 1}):
        assert library.request("POST", "/playlists", json=body).status_code == 422, body
    assert library.request("DELETE", path).status_code == 204
    assert library.request("GET", path).json()["code"] == "unknown-playlist"


def test_playlist_takesLongListsAndHidesSecretsOfAddresses(library):
    address = "https://user:pw@music.example/a.mp3?token=abc&x=1"
    entries = [{"uri": "untagged.mp3", "title": "long " * 20}] * 2_000 + [{"uri": address}]
    made = library.request("POST", "/playlists", json={"name": "long", "items": entries})
    assert made.status_code == 201 and made.json()["length"] == 2_001, made.text
    path = f"/playlists/{made.json()['id']}"
    shown = library.call("GET", path + "?offset=2000")["items"]
    assert [entry["uri"] for entry in shown] == ["https://***@music.example/a.mp3?token=***&x=1"]
    library.call("POST", path + "/items", json={"items": [{"playlist": made.json()["id"]}]})
    assert library.call("GET", path)["length"] == 4_002
    for unknown in (path + "?other=1", "/library?other=1", "/playlists?other=1", "/library/artists?other=1"):
        assert library.request("GET", unknown).status_code == 422, unknown


# Cost


def test_idleLibrary_neverWakesUp(library, server):
    def scanner() -> tuple[int, int]:
        for task in pathlib.Path(f"/proc/{server.process.pid}/task").iterdir():
            if (task / "comm").read_text().strip() == "library-scan":
                lines = (task / "status").read_text().splitlines()
                return tuple(int(line.split()[1]) for line in lines if "voluntary_ctxt_switches" in line)
        raise AssertionError("no thread library-scan")

    before = eventually(lambda: (first := scanner()) == (time.sleep(0.5), scanner())[1] and first, "it comes to rest", 20)
    time.sleep(3)  # the absence of wake-ups is the subject
    assert scanner() == before


# The command line


def test_commands_searchScanAndKeepPlaylists(library, cli):
    assert "Björk/Homogenic/02 Jóga.mp3" in cli.output("search", "joga")
    assert cli.output("scan").startswith("4 tracks: 0 new, 0 changed, 0 removed")
    library.load("untagged.mp3")
    saved = cli.output("playlists", "--save", "Abend")
    assert saved == cli.output("playlists")
    id = saved.split()[0]
    cli.output("playlists", "--play", id)
    cli.output("playlists", "--remove", id)
    assert cli.output("playlists").strip() == "There are no playlists."
