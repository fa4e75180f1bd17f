# SPDX-License-Identifier: Apache-2.0
"""Signals of the player on the session bus, and their absence."""

import time

import jeepney
import pytest
from jeepney.io.blocking import open_dbus_connection

from rig import ENDURANCE, PATIENCE, RATE, Api, Capture, Radio, during, eventually
from rig.dbus import NAME, OBJECT, PLAYER, BusSignals
from rig.signals import dominant_frequency
from test_mpris import server, status  # noqa: F401  (a fixture)


@pytest.fixture
def signals(bus, server):
    monitor = BusSignals(bus)
    yield monitor
    monitor.close()


def wait_started(bus, signals: BusSignals) -> None:
    """On a busy machine, the signals of the start come later than the state."""
    status(bus, "Playing")
    eventually(lambda: "mpris:length" in bus.metadata(), "the item is open")
    eventually(lambda: any(change.get("PlaybackStatus") == "Playing" for change in signals.changed()), "the start is reported")


GET_POSITION = jeepney.new_method_call(
    jeepney.DBusAddress(OBJECT, NAME, "org.freedesktop.DBus.Properties"), "Get", "ss", (PLAYER, "Position"))


def reading(connection) -> tuple[float, float]:
    """The best of five: when it was asked for, and the position in seconds."""
    readings = []
    for _ in range(5):
        asked = time.monotonic()
        position = connection.send_and_get_reply(GET_POSITION).body[0][1] / 1e6
        readings.append((time.monotonic() - asked, asked, position))
    return min(readings)[1:]


@pytest.mark.endurance
def test_steady_playing_sends_nothing_and_a_client_that_draws_on_is_right(bus, api, signals, media):
    """Rows 192, 193: no signals; position + time * rate is off by less than 0.1 s at their end."""
    media.path("two-rounds.mp3").write_bytes(media.path("long.mp3").read_bytes() * 2)
    api.load("two-rounds.mp3", play=True)
    wait_started(bus, signals)
    time.sleep(1)  # the signals of the start are allowed
    before = len(signals.lines)
    with open_dbus_connection(bus.address) as connection:
        began, start = reading(connection)
        time.sleep(ENDURANCE)  # the absence of signals is the subject
        ended, position = reading(connection)
    assert signals.lines[before:] == []
    assert abs(position - (start + ended - began)) < 0.1


def test_rate_and_position_change_together(bus, api, signals):
    """Rows 182, 185: while it is wound, the rate is the winding's and the position follows it; afterwards it is as before."""
    api.load("long.mp3", play=True)
    wait_started(bus, signals)
    api.call("POST", "/player/scan", json={"rate": 4})
    eventually(lambda: bus.get("Rate") == 4, "the rate is reported")
    with open_dbus_connection(bus.address) as connection:
        began, start = reading(connection)
        time.sleep(2)  # the rate is the subject
        ended, position = reading(connection)
    assert 3 < (position - start) / (ended - began) < 5
    api.call("DELETE", "/player/scan")
    eventually(lambda: bus.get("Rate") == 1, "the rate is as before")
    assert bus.get("PlaybackStatus") == "Playing"
    eventually(lambda: [change["Rate"] for change in signals.changed() if "Rate" in change][-2:] == [4, 1], "both are reported")
    before, told, after = api.player(), bus.get("Position") / 1e6, api.player()
    # The bus tells the position at the time of its answer.
    most = after["position"] + time.time() - after["sampledAt"] / 1000
    assert before["position"] - 0.05 <= told <= most + 0.05


def test_the_rate_can_be_set(bus, api, signals):
    """Row 285: within MinimumRate and MaximumRate, as `playbackRate`."""
    api.load("long.mp3", play=True)
    status(bus, "Playing")
    assert (bus.get("MinimumRate"), bus.get("MaximumRate")) == (0.25, 4)
    bus.call("org.freedesktop.DBus.Properties.Set", PLAYER, "Rate", "<1.5>")
    eventually(lambda: api.player()["rate"] == 1.5 and bus.get("Rate") == 1.5, "the rate is set and told")
    assert "InvalidArgs" in bus.fails("org.freedesktop.DBus.Properties.Set", PLAYER, "Rate", "<5.0>")
    api.pause()
    status(bus, "Paused")
    assert bus.get("Rate") == 1.5


def test_jumps_are_reported_and_nothing_else_is_one(bus, api, signals):
    """Rows 182, 183, 192, 193: Seeked on a jump; pause and resume change the status alone."""
    first = api.load("long.mp3")[0]
    api.play()
    wait_started(bus, signals)
    time.sleep(1)  # the absence of a jump is the subject
    assert signals.of("Seeked") == []
    bus.player("SetPosition", f"/org/tonearm/track/{first}", "20000000")
    eventually(lambda: len(signals.of("Seeked")) == 1, "the jump is reported")
    assert 19_900_000 <= int(signals.of("Seeked")[0].split("(")[1].rstrip(",)").split(" ")[-1].rstrip(",")) < 22_000_000

    api.pause()
    eventually(lambda: {"PlaybackStatus": "Paused"} in signals.changed(), "paused")
    position = bus.get("Position")
    time.sleep(1)  # that time passes is the subject
    assert bus.get("Position") == position
    api.play()
    eventually(lambda: signals.changed()[-1] == {"PlaybackStatus": "Playing"}, "playing again")
    time.sleep(0.5)  # the absence of another jump is the subject
    assert len(signals.of("Seeked")) == 1
    assert all("Position" not in change for change in signals.changed())


def test_only_changes_are_reported(bus, api, signals):
    """Row 193."""
    api.load("low.mp3", "noise.mp3")
    api.play()
    wait_started(bus, signals)

    def changes(name: str) -> list[dict]:
        return [change for change in signals.changed() if name in change]

    api.settings(level=0.5)
    eventually(lambda: changes("Volume") == [{"Volume": 0.5}], "a change of one property")
    api.settings(level=0.5)
    api.settings(repeat="one", shuffle=True)
    eventually(lambda: changes("LoopStatus"), "a change of several")
    assert changes("LoopStatus")[0].items() >= {"LoopStatus": "Track", "Shuffle": True}.items()
    count = len(signals.lines)
    api.settings(balance=0.5)
    during(0.5, lambda: len(signals.lines) == count, "a change of what MPRIS does not have")
    assert len(changes("Volume")) == len(changes("LoopStatus")) == 1


def test_a_changed_title_keeps_the_position(bus, api, signals):
    """Row 195: the position is not sent with metadata, so nothing resets it."""
    first = api.load("long.mp3")[0]
    api.play()
    api.seek(position=10)
    eventually(lambda: len(signals.of("Seeked")) == 1, "the jump")
    api.call("PATCH", f"/queue/items/{first}", json={"title": "Another"})
    eventually(lambda: any(change.get("Metadata", {}).get("xesam:title") == "Another" for change in signals.changed()),
               "the title is reported")
    assert bus.get("Position") > 9_900_000
    assert len(signals.of("Seeked")) == 1


def test_a_stations_song_and_name_are_reported(bus, api, signals, media):
    """Rows 191, 234: the song is the title and the station the artist, as on the page; each new song is reported."""
    radio = Radio(media.path("long.mp3").read_bytes(), 24000)
    api.load(f"{radio.url}/live", play=True)
    eventually(lambda: bus.metadata().get("xesam:title") == "The first one", "the first song", timeout=10)
    assert bus.metadata()["xesam:artist"] == ["Test FM"]
    radio.titles.append((radio.edge(), "The second one"))
    eventually(lambda: any(change.get("Metadata", {}).get("xesam:title") == "The second one" for change in signals.changed()),
               "the second song is reported", timeout=15)
    assert bus.metadata()["xesam:artist"] == ["Test FM"]


def test_properties_are_read_at_once(bus, api):
    """Issue 4: under 5 ms; a hundred on one connection."""
    api.load("long.mp3", play=True)
    status(bus, "Playing")
    call = jeepney.new_method_call(
        jeepney.DBusAddress(OBJECT, NAME, "org.freedesktop.DBus.Properties"), "GetAll", "s", (PLAYER,))
    took = []
    with open_dbus_connection(bus.address) as connection:
        for _ in range(100):
            began = time.perf_counter()
            answer = connection.send_and_get_reply(call)
            took.append(time.perf_counter() - began)
            assert answer.body[0]["PlaybackStatus"] == ("s", "Playing")
    print(f"GetAll: median {sorted(took)[50] * 1000:.2f} ms, slowest {max(took) * 1000:.2f} ms")
    assert sorted(took)[50] < 0.005 * PATIENCE


def test_the_sound_follows_the_desktop(directory, pulse, start_server, bus):
    """Row 183: SetPosition moves what is heard."""
    capture = Capture(pulse).start()
    pulse.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
    api = Api(start_server(output="pulse", pulse=pulse).url)
    bus.wait_owned()
    first = api.load("chirp.mp3")[0]
    bus.player("Play")
    capture.wait_sound()
    capture.wait_seconds(0.3)
    earlier = dominant_frequency(capture.samples(capture.frames - RATE // 5)[:, 0])
    # Another track's position changes nothing; the current one's is heard at its place in the chirp.
    bus.player("SetPosition", "/org/tonearm/track/i999", "25000000")
    bus.player("SetPosition", f"/org/tonearm/track/{first}", "15000000")
    eventually(lambda: 15 <= api.player()["position"] < 20, "it moved")
    capture.wait_seconds(0.5)

    def agreed() -> float | None:
        """A first try may be late between the two readings."""
        heard = dominant_frequency(capture.samples(capture.frames - RATE // 5)[:, 0])
        return heard if heard == pytest.approx(200 + 200 * api.player()["position"], rel=0.04) else None

    assert eventually(agreed, "the position is what is heard", timeout=0.5) > 2 * earlier
    bus.player("Pause")
    capture.wait_silence(0.2, timeout=5)
