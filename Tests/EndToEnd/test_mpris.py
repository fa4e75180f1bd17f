# SPDX-License-Identifier: Apache-2.0
"""The player on the desktop's session bus: names, properties, commands."""

import urllib.parse
import urllib.request

import pytest

from rig import Api, during, eventually
from rig.dbus import NAME, PLAYER, SessionBus

NO_TRACK = "/org/mpris/MediaPlayer2/TrackList/NoTrack"


@pytest.fixture
def server(bus, start_server):
    server = start_server()
    bus.wait_owned()
    return server


def status(bus: SessionBus, wanted: str) -> None:
    eventually(lambda: bus.get("PlaybackStatus") == wanted, f"PlaybackStatus {wanted}", every=0.05)


def test_the_name_is_taken_and_given_back_while_it_runs(bus, api, server, start_server):
    """Row 14: by the API, and kept over a restart; the configuration keeps it off the bus."""
    api.settings(mpris=False)
    bus.wait_owned(False)
    assert api.player()["mpris"] is False
    again = Api(server.restart().url)
    assert again.player()["mpris"] is False and not bus.owned()
    again.settings(mpris=True)
    bus.wait_owned(True)
    server.stop()
    assert not bus.owned()
    start_server(arguments=("--mpris", "off"))
    during(1, lambda: not bus.owned(), "the name was taken")


def test_the_formats_that_are_played_are_named(bus, api):
    """Row 178: a desktop offers the player for these files."""
    types = bus.get("SupportedMimeTypes", "org.mpris.MediaPlayer2")
    assert {"audio/mpeg", "audio/flac", "audio/ogg", "audio/mp4", "audio/x-wav", "audio/x-matroska"} <= set(types)


def test_a_second_server_takes_a_name_of_its_own(bus, server, start_server):
    second = start_server()
    eventually(lambda: bus.owned(f"{NAME}.instance{second.process.pid}"), "the second name is owned", timeout=10)


def test_no_bus_is_no_error_and_one_that_comes_is_found(bus, server, api):
    """Issue 4, bad input: a bus that disconnects."""
    bus.kill()
    api.start("long.mp3")
    bus.start()
    bus.wait_owned()
    status(bus, "Playing")
    assert server.is_running


def test_a_bus_that_hangs_holds_up_nothing(bus, server, api):
    """Playing, the API and the end go on beside it."""
    bus.freeze()
    try:
        api.start("low.mp3")
        for _ in range(20):
            api.seek(offset=0.1)
        assert server.stop() == 0
    finally:
        bus.thaw()


def test_metadata_has_every_known_key_and_no_other(bus, api, media):
    """Row 191: xesam names and types, microseconds, a picture that can be loaded."""
    identifier = api.load("tagged.mp3")[0]
    api.play()
    picture = eventually(lambda: bus.metadata().get("mpris:artUrl"), "the picture is there")
    metadata = bus.metadata()
    item = api.player()["item"]
    tags = item["tags"]
    assert metadata["mpris:trackid"] == f"/org/tonearm/track/{identifier}"
    assert abs(metadata["mpris:length"] - item["duration"] * 1e6) <= 1
    for key, tag in (("xesam:title", "title"), ("xesam:album", "album")):
        assert metadata[key] == tags[tag]
    assert metadata["xesam:artist"] == [tags["artist"]]
    known = {"xesam:albumArtist": "albumArtist", "xesam:genre": "genre", "xesam:comment": "comment",
             "xesam:trackNumber": "trackNumber", "xesam:discNumber": "discNumber", "xesam:contentCreated": "date"}
    for key, tag in known.items():
        assert (key in metadata) == (tags[tag] is not None), key
    with urllib.request.urlopen(picture) as file:
        assert file.read() == api.request("GET", f"/queue/items/{identifier}/artwork").content
    assert picture.startswith("file:///")

    api.load("noise-mono.mp3")
    eventually(lambda: bus.metadata().get("xesam:title") == "noise-mono", "the next item is shown")
    assert set(bus.metadata()) <= {"mpris:trackid", "mpris:length", "xesam:title"}


def test_given_texts_or_tags_are_shown(bus, api):
    """Rows 180, 181."""
    api.load({"uri": "tagged.mp3", "title": "Given", "artworkUri": "http://127.0.0.1:9/cover.png"}, play=True)
    eventually(lambda: bus.metadata().get("xesam:title") == "Given", "the given title")
    # No server answers there: the tags' picture is shown, and no desktop is sent to other servers.
    picture = eventually(lambda: bus.metadata().get("mpris:artUrl"), "the picture is there")
    assert picture.startswith("file:///")
    api.settings(nowPlaying={"preferTags": True})
    assert bus.metadata()["xesam:title"] == api.player()["item"]["tags"]["title"]


def test_a_title_that_no_bus_carries_is_shown_without_what_it_may_not_hold(bus, api):
    """Noncharacters: sd-bus refuses the message, and the player kept leaving the bus and coming back."""
    api.load({"uri": "tagged.mp3", "title": "a\ufffeb\ufdd0c\U0001ffffd"})
    owner = bus.owner()
    eventually(lambda: bus.metadata().get("xesam:title") == "a\ufffdb\ufffdc\ufffdd", "the title")
    api.load({"uri": "tagged.mp3", "title": "Next"})
    eventually(lambda: bus.metadata().get("xesam:title") == "Next", "the next title")
    assert bus.owner() == owner


def test_nothing_is_shown_when_that_is_switched_off(bus, api):
    """Row 179."""
    api.settings(repeat="one")
    api.load("tagged.mp3", play=True)
    eventually(lambda: bus.metadata().get("xesam:artist"), "metadata")
    api.settings(nowPlaying={"enabled": False})
    assert bus.metadata() == {}
    status(bus, "Playing")
    api.settings(nowPlaying={"enabled": True})
    assert bus.metadata()["xesam:artist"]


@pytest.mark.smoke
def test_playerctl_drives_the_player(bus, api):
    """Rows 197, 198: play and pause are distinct, play-pause toggles."""
    api.load("low.mp3", "noise.mp3", "long.mp3")
    assert bus.playerctl("play").returncode == 0
    api.wait_status("playing")
    assert bus.playerctl("status").stdout.strip() == "Playing"
    assert bus.playerctl("play").returncode == 0 and api.player()["status"] == "playing"
    bus.playerctl("pause")
    api.wait_status("paused")
    bus.playerctl("pause")
    assert api.player()["status"] == "paused"
    bus.playerctl("play-pause")
    api.wait_status("playing")
    bus.playerctl("next")
    eventually(lambda: api.player()["queueIndex"] == 1, "the second item")
    bus.playerctl("previous")
    eventually(lambda: api.player()["queueIndex"] == 0, "the first item")
    bus.playerctl("volume", "0.25")
    bus.playerctl("shuffle", "On")
    bus.playerctl("loop", "Playlist")
    snapshot = api.player()
    assert (snapshot["level"], snapshot["shuffle"], snapshot["repeat"]) == (0.25, True, "all")
    assert bus.playerctl("metadata", "xesam:title").stdout.strip() == "low"
    bus.playerctl("stop")
    api.wait_status("stopped")
    status(bus, "Stopped")


def test_each_command_can_be_switched_off(bus, api):
    """Rows 184, 187: no effect, and its property false."""
    api.load("long.mp3", "noise.mp3", play=True)
    eventually(lambda: bus.get("CanSeek"), "seekable")
    for flag, name in (("play", "CanPlay"), ("pause", "CanPause"), ("next", "CanGoNext"), ("previous", "CanGoPrevious"),
                       ("seek", "CanSeek")):
        assert bus.get(name) is True
        api.settings(remoteCommands={flag: False})
        assert bus.get(name) is False
    before = api.player()
    for method, *arguments in (("Pause",), ("PlayPause",), ("Next",), ("Previous",), ("Seek", "30000000")):
        bus.player(method, *arguments)
    after = api.player()
    assert (after["status"], after["queueIndex"]) == ("playing", before["queueIndex"])
    assert after["position"] < before["position"] + 29
    api.settings(remoteCommands={flag: True for flag in ("play", "pause", "next", "previous", "seek")} | {"enabled": False})
    assert not any(bus.get(name) for name in ("CanPlay", "CanPause", "CanGoNext", "CanGoPrevious", "CanSeek", "CanControl"))
    bus.player("Stop")
    assert api.player()["status"] == "playing"
    assert "PropertyReadOnly" in bus.fails("org.freedesktop.DBus.Properties.Set", PLAYER, "Volume", "<0.1>")


def test_skip_mode_moves_within_the_item(bus, api):
    """Row 186: the interval must be set; then next is +15 s."""
    api.load("long.mp3", "low.mp3")
    api.play()
    assert api.request("PATCH", "/player", json={"remoteCommands": {"skip": True}}).status_code == 422
    for wrong in (0, -1, 0.05, 4000, "x"):
        assert api.request("PATCH", "/player", json={"remoteCommands": {"skip": True, "skipInterval": wrong}}).status_code == 422, wrong
    api.settings(remoteCommands={"skip": True, "skipInterval": 15})
    before = api.player()["position"]
    bus.player("Next")
    after = api.player()
    assert after["queueIndex"] == 0 and before + 14.9 < after["position"] < before + 20
    bus.player("Previous")
    assert api.player()["position"] < after["position"] - 10


def test_an_address_opened_over_the_bus_adds_what_the_api_adds(bus, api, server, media):
    """A file, a folder and a list stand for the same items through both doors, and are refused for the same reasons."""
    listed = media.root / "both-doors.m3u"
    listed.write_text("#EXTM3U\nlow.mp3\nnoise.mp3\n")
    try:
        for uri in ("noise.mp3", "A Folder", listed.name):
            api.load("low.mp3")
            api.add(uri, position="next", play=True)
            wanted = api.uris()
            api.load("low.mp3")
            bus.player("OpenUri", uri)
            assert len(wanted) > 1 and api.uris() == wanted, uri
            eventually(lambda: api.player()["item"]["uri"] == wanted[1], "the first of them plays")
    finally:
        listed.unlink()
    for wrong in ("../../etc/passwd", "missing.mp3", "gopher://x"):
        code = api.request("POST", "/queue/items", json={"items": [{"uri": wrong}]}).json()["code"]
        name = "".join(word.capitalize() for word in code.split("-"))
        assert f"org.tonearm.Error.{name}:" in bus.fails(f"{PLAYER}.OpenUri", wrong), wrong
    assert api.uris() == wanted and "InvalidArgs" in bus.fails(f"{PLAYER}.OpenUri", "")


def test_the_track_list_is_the_queue(bus, api):
    ids = api.load("low.mp3", {"uri": "noise.mp3", "title": "Second"}, "long.mp3")
    paths = [f"/org/tonearm/track/{identifier}" for identifier in ids]
    interface = "org.mpris.MediaPlayer2.TrackList"
    assert eventually(lambda: bus.get("Tracks", interface), "tracks") == paths
    texts = bus.call(f"{interface}.GetTracksMetadata", f"[objectpath '{paths[1]}', '{paths[0]}', '/unknown']")
    assert texts.index("Second") < texts.index("'low'")
    bus.call(f"{interface}.GoTo", paths[2])
    eventually(lambda: api.player()["queueIndex"] == 2, "the third item")
    bus.call(f"{interface}.RemoveTrack", paths[0])
    bus.call(f"{interface}.AddTrack", "chirp.mp3", paths[1], "false")
    bus.call(f"{interface}.AddTrack", "noise-128.mp3", NO_TRACK, "false")
    assert api.uris() == ["noise-128.mp3", "noise.mp3", "chirp.mp3", "long.mp3"]


def test_failed_calls_have_named_errors(bus, api):
    for method, arguments, error in (
        (f"{PLAYER}.Fly", (), "UnknownMethod"),
        ("org.example.Nothing.Call", (), "UnknownInterface"),
        (f"{PLAYER}.Seek", (), "InvalidArgs"),
        ("org.freedesktop.DBus.Properties.Get", (PLAYER, "Nothing"), "UnknownProperty"),
        ("org.freedesktop.DBus.Properties.Set", (PLAYER, "LoopStatus", "<'Sometimes'>"), "InvalidArgs"),
        ("org.freedesktop.DBus.Properties.Set", (PLAYER, "Volume", "<[1,2]>"), "InvalidArgs"),
        ("org.freedesktop.DBus.Properties.Set", (PLAYER, "Rate", "<9.0>"), "InvalidArgs"),
    ):
        assert error in bus.fails(method, *arguments), method
    assert "SetPosition" in bus.call("org.freedesktop.DBus.Introspectable.Introspect")
