# SPDX-License-Identifier: Apache-2.0
"""Radio: titles when they are heard, no end, and always what is on the air."""

import random
import time

import numpy
import pytest

from rig import PATIENCE, RATE, Api, Icecast, Radio, during, eventually, within
from rig.signals import dominant_frequency, second_of_chirp

KBPS_192 = 24000


def tune_in(api, station, **item) -> dict:
    api.load({"uri": f"{station.url}/live", **item})
    api.play()
    return api.wait_status("playing", timeout=10)


def live(api) -> dict | None:
    return (api.player()["item"] or {}).get("live")


def assert_on_the_air(station, capture, start: int) -> None:
    """The sound soon after `start` is what the station sends then, apart from its burst. On a busy machine a tenth of a second may
    have a hole, and then no frequency."""
    length = RATE // 10

    def sounding() -> int | None:
        places = range(start + length, capture.frames - length, length)
        return next((at for at in places if capture.samples(at, at + length).reshape(90, -1).any(axis=1).all()), None)

    at = eventually(sounding, "a tenth of a second without a hole", 10)
    edge = station.edge(capture.arrival(at + length)) / KBPS_192
    behind = (edge - second_of_chirp(capture.samples(at, at + length))) % 30
    assert behind < station.burst / KBPS_192 + 3 * PATIENCE / 2, behind


@pytest.mark.smoke
def test_the_station_and_its_title(api, media, events):
    """Rows 234, 10: the station's fields are the item's, there is no length, and each new title is an `item` event."""
    radio = Radio(media.path("long.mp3").read_bytes(), KBPS_192)
    player = tune_in(api, radio)
    assert player["duration"] is None and player["progress"] is None
    assert player["item"]["seekable"] is False
    eventually(lambda: live(api)["title"], "the first title")
    assert live(api) == {"station": "Test FM", "genre": "Noise", "description": None, "homepage": None, "bitrate": 192000,
                         "title": "The first one", "titleUrl": None}
    mark = events.mark()
    radio.titles.append((radio.edge(), "Rock 'n' Roll; Part 2 – 劉若英"))
    item = events.wait_for("item", lambda event: event["item"]["live"]["title"] != "The first one", timeout=15, mark=mark)
    assert item["item"]["live"]["title"] == "Rock 'n' Roll; Part 2 – 劉若英"
    assert api.request("POST", "/player/seek", json={"position": 3}).json()["code"] == "not-seekable"
    # The queue keeps its name.
    api.add("low.mp3", play=True)
    eventually(lambda: api.player()["item"]["uri"] == "low.mp3", "the next item")
    station, _ = api.queue()["items"]
    assert (station["title"], station["artist"], station["duration"]) == ("Test FM", None, None)


def test_a_title_changes_when_it_is_heard(capture, api, media, events):
    """Row 234: seconds of sound are buffered; the title comes within 0.2 s of the sound that it belongs to."""
    low, noise = media.path("low.mp3").read_bytes(), media.path("long.mp3").read_bytes()
    radio = Radio(low[: 10 * 24000] + noise, KBPS_192, interval=1024)
    tune_in(api, radio)
    mark = events.mark()
    capture.wait_sound()
    radio.titles.append((10 * 24000, "The second one"))
    told = events.wait_for("item", lambda event: event["item"]["live"]["title"] == "The second one", timeout=25, mark=mark)
    capture.wait_seconds(1)
    # When it was told, not when it came.
    at = capture.frame_at(told.message["at"] / 1000 - time.time() + time.monotonic())
    samples = capture.samples(0, at + RATE)[:, 0].astype(float)
    window = RATE // 25
    sounding = capture.first_sound() // window * window
    starts = list(range(sounding, len(samples) - window, window // 4))
    # Silence, where the station was gathered once more, has no frequency.
    heard = [(start, samples[start : start + window]) for start in starts if samples[start : start + window].any()]
    frequencies = [(start, dominant_frequency(part)) for start, part in heard]
    middle = len(frequencies) // 2
    steady = numpy.median([frequency for _, frequency in frequencies[middle : middle + 20]])
    # The last window of the tone: a late mixer leaves a hole in it, which is no change of the sound.
    changed = max(start for start, frequency in frequencies if abs(frequency - steady) <= 60) + window // 4
    assert changed < frequencies[-1][0], "the sound has changed"
    # The capture lags behind by up to 40 ms, and the window is 40 ms wide.
    assert abs(at - changed) / RATE < 0.2 + 0.08


def test_an_interruption_ends_with_what_is_on_the_air(capture, api, media):
    """Rows 133, 36: the station goes on without us; what was buffered is not played. For a pause see the plain stream."""
    radio = Radio(media.path("chirp.mp3").read_bytes(), KBPS_192)
    tune_in(api, radio)
    capture.wait_sound()
    api.call("POST", "/session/interruptions", json={"type": "began"})
    api.wait_status("interrupted")
    connections = len(radio.log())
    capture.wait_silence()
    # The station is ten seconds further on.
    radio.began -= 10
    capture.wait_seconds(0.5)
    assert len(radio.log()) == connections, "nobody listens while it is silent"
    mark = capture.frames
    api.call("POST", "/session/interruptions", json={"type": "ended"})
    api.wait_status("playing", timeout=10)
    assert_on_the_air(radio, capture, capture.wait_sound(mark))
    assert api.player()["item"]["live"]["station"] == "Test FM"


def test_it_is_joined_anywhere(capture, api, media):
    """Row 207: at ten random bytes of the stream, sound within 0.5 s."""
    content = media.path("long.mp3").read_bytes()
    dice = random.Random(207)
    for cut in [1, *(dice.randrange(2_000, len(content) // 2) for _ in range(9))]:
        radio = Radio(content[cut:], KBPS_192)
        api.load(f"{radio.url}/live")
        mark = capture.frames
        with within(0.5, "sound"):
            api.play()
            capture.wait_sound(mark)


def test_a_live_stream_has_no_end(api, media, events):
    """Rows 36, 228: the server hangs up: it is reconnected, and goes on; it is never completed."""
    radio = Radio(media.path("long.mp3").read_bytes(), KBPS_192)
    tune_in(api, radio)
    radio.cut()
    eventually(lambda: len(radio.log()) >= 2, "a second connection", 10)
    during(1, lambda: api.player()["status"] in ("playing", "buffering"), "it goes on")
    api.wait_status("playing", timeout=20)
    assert not events.since(0, "completed")
    # Its source restarts: the server has no such thing, for 15 s.
    radio.refusing.set()
    radio.cut()
    seen = len(radio.log())
    eventually(lambda: len(radio.log()) >= seen + 4, "four refusals", 30)
    radio.refusing.clear()
    eventually(lambda: len(radio.log()) > seen + 4, "another connection", 20)
    api.wait_status("playing", timeout=30)
    assert not events.since(0, "completed", "error")
    radio.close()
    error = events.wait_for("error", timeout=60)
    assert error["code"] == "network"
    eventually(lambda: [event["reason"] for event in events.since(0, "completed")] == ["error"], "its end")


def test_a_restart_joins_again_when_it_is_played(server, api, media):
    """Row 240: a station that was playing is there after a restart, paused, and plays what is then on the air."""
    radio = Radio(media.path("long.mp3").read_bytes(), KBPS_192)
    tune_in(api, radio)
    eventually(lambda: api.player()["position"] > 1.5, "it has played a while", 10)
    api = Api(server.restart(kill=True).url)
    assert api.player()["status"] == "paused"
    api.play()
    assert api.wait_status("playing", timeout=10)["item"]["live"]["station"] == "Test FM"


def test_memory_stays_flat(server, api, media):
    """A stream that never ends, as fast as it is taken, with a new title at every turn."""
    radio = Radio(media.path("long.mp3").read_bytes(), KBPS_192, interval=256)
    radio.endless = True
    radio.titles = [(place, f"Title {place}") for place in range(0, 1 << 20, 512)]
    tune_in(api, radio)
    eventually(lambda: api.player()["position"] > 3, "it plays", 15)
    eventually(lambda: api.player()["loadedTime"] > 200, "the window is full", 20)
    before = server.resident_bytes()
    position = api.player()["position"]
    for _ in range(2):
        # Leaves and joins: each time another window is filled.
        api.pause()
        api.wait_status("paused")
        api.play()
        api.wait_status("playing", timeout=10)
        eventually(lambda: api.player()["loadedTime"] > 200, "the window is full", 20)
    assert position > 0
    assert server.resident_bytes() - before < 6_000_000


@pytest.fixture
def plain(media):
    """A station without a station's fields, as a plain web server sends it."""
    radio = Radio(media.path("chirp.mp3").read_bytes(), KBPS_192)
    radio.status_line = "HTTP/1.1 200 OK"
    radio.fields = [("Content-Type", "audio/mpeg"), ("Cache-Control", "no-cache")]
    radio.interval = 0
    # A burst that ends could be a file.
    radio.began = time.monotonic()
    return radio


def test_a_plain_stream_is_a_station(capture, api, events, plain):
    """No length, no parts, nothing to know it again by: it has no end, and after a pause it is what is on the air."""
    player = tune_in(api, plain)
    assert player["item"]["live"] is not None and player["duration"] is None
    capture.wait_sound()
    # So long that its end can be no file's.
    eventually(lambda: api.player()["position"] > 11, "it has played a while", 10)
    plain.cut()
    eventually(lambda: len(plain.log()) >= 2, "a second connection", 10)
    api.wait_status("playing", timeout=20)
    assert not events.since(0, "completed", "error")
    api.pause()
    api.wait_status("paused")
    capture.wait_silence()
    # The station is ten seconds further on.
    plain.began -= 10
    mark = capture.frames
    api.play()
    api.wait_status("playing")
    assert_on_the_air(plain, capture, capture.wait_sound(mark))


def test_a_station_that_follows_a_song_is_on_the_air_at_once(capture, api, media):
    """It is opened early, so that a slow one leaves no gap; but what sounds is what is on the air when its turn comes."""
    radio = Radio(media.path("chirp.mp3").read_bytes(), KBPS_192)
    api.load("low.mp3", f"{radio.url}/live")
    # When it was added, to see what it is.
    looks = len(radio.log())
    api.play()
    api.wait_status("playing")
    api.seek(position=7.5)
    eventually(lambda: len(radio.log()) == looks + 1, "it is opened", 10)
    player = eventually(lambda: (api.player()["item"] or {}).get("live") and api.player(), "its turn", 20)
    assert player["status"] in ("playing", "buffering")
    capture.wait_seconds(1)
    # Not what it has sent ten seconds ago.
    assert_on_the_air(radio, capture, capture.frames)
    assert len(radio.log()) == looks + 2


def test_icecast(capture, api, media, directory):
    """The real server: the station's name, no end; its source goes and comes back."""
    icecast = Icecast(directory / "icecast")
    icecast.feed(media.path("long.mp3"))
    api.start(icecast.url, timeout=10)
    capture.wait_sound()
    player = api.player()
    assert player["item"]["live"]["station"] == "Real Radio" and player["duration"] is None
    assert player["item"]["live"]["genre"] == "Tests"
    icecast.starve()
    time.sleep(1)  # the gap is the subject
    icecast.feed(media.path("long.mp3"))
    api.wait_status("buffering", "playing", timeout=10)
    api.wait_status("playing", timeout=30)
