# SPDX-License-Identifier: Apache-2.0
"""The screen's lock and the machine's sleep, as the login manager tells them on the system bus."""

import os
import time

import pytest

from rig import PATIENCE, Api, during, eventually
from rig.logind import LoginManager, Screen
from rig.program import system_bus

STRANGER = os.getuid() + 1


@pytest.fixture
def bus(directory):
    bus = system_bus(directory)
    yield bus
    bus.kill()


@pytest.fixture
def logind(bus):
    manager = LoginManager(bus).start()
    yield manager
    manager.stop()


@pytest.fixture
def launch(start_server, bus, pulse, monkeypatch):
    """Starts a server that sees the private bus as the system's."""
    pulse.environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address

    def start(*arguments: str):
        return start_server(output="pulse", pulse=pulse, arguments=arguments)

    return start


@pytest.fixture
def server(capture, logind, launch):
    """A server that has read the state and delays the sleep."""
    server = launch()
    eventually(logind.is_held, "it listens to logind")
    return server


def change(api, **members) -> dict:
    return api.call("PATCH", "/session", json=members)


def is_locked(api) -> bool:
    return api.call("GET", "/session")["locked"]


def test_the_lock_pauses_what_obeys_it(logind, capture, api, events, playing):
    """Rows 96, 103: the desktop says that its screen is locked."""
    screen = logind.screens[0]
    change(api, category="solo-ambient")
    logind.hint(screen, True)
    told = events.wait_for("interruption", mark=playing)
    assert told["type"] == "began" and told["reason"] == "lock"
    assert api.wait_status("interrupted")["reason"] == "interruption"
    assert is_locked(api)
    capture.wait_silence(0.3)
    silent = capture.frames
    logind.hint(screen, False)
    api.wait_status("playing")
    capture.wait_sound(silent)
    assert not is_locked(api)


def test_playback_goes_on_behind_the_lock(logind, capture, api, events, playing):
    """Row 96."""
    logind.lock(logind.screens[0])
    eventually(lambda: is_locked(api), "the lock is seen")
    during(0.4, lambda: api.player()["status"] in ("playing", "buffering"), "playback does not obey the lock")
    assert not events.since(playing, "interruption")


def test_a_request_to_lock_is_enough(logind, capture, api, playing):
    """Rows 96, 102: not each desktop says afterwards that it was done; one that does has the last word."""
    screen = logind.screens[0]
    change(api, category="ambient")
    logind.lock(screen)
    api.wait_status("interrupted")
    logind.lock(screen, False)
    api.wait_status("playing")
    logind.lock(screen)
    api.wait_status("interrupted")
    logind.hint(screen, True)
    logind.hint(screen, False)
    api.wait_status("playing")


def test_the_users_word_is_above_the_locks(logind, capture, api, playing):
    """Row 130's rule holds here as well."""
    change(api, category="ambient")
    logind.lock(logind.screens[0])
    api.wait_status("interrupted")
    silent = capture.frames
    api.resume()
    capture.wait_sound(silent)


def test_only_the_own_screens_count(bus, capture, launch):
    own, stranger = Screen(1, os.getuid()), Screen(2, STRANGER)
    over_network, greeter = Screen(3, os.getuid(), seat=""), Screen(4, os.getuid(), kind="greeter")
    console = Screen(6, os.getuid(), type="tty")
    logind = LoginManager(bus, [own, stranger, over_network, greeter, console]).start()
    api = Api(launch().url)
    eventually(logind.is_held, "it listens")
    for screen in (stranger, over_network, greeter):
        logind.hint(screen, True)
    during(0.3, lambda: not is_locked(api), "another one's screen was taken for ours")
    logind.hint(own, True)
    eventually(lambda: is_locked(api), "ours counts")
    second = Screen(5, os.getuid())
    logind.add(second)
    eventually(lambda: not is_locked(api), "another screen of ours is open")
    logind.remove(second)
    eventually(lambda: is_locked(api), "it is gone")
    logind.stop()


def test_sleep_pauses_and_waking_goes_on(logind, capture, pulse, api, events, playing):
    """Row 143: silent before the machine sleeps, which waits for that; a new stream afterwards, at the same place."""
    before = [stream[0] for stream in pulse.sink_inputs()]
    began = time.monotonic()
    logind.sleep()
    told = events.wait_for("interruption", mark=playing)
    assert told["type"] == "began" and told["reason"] == "sleep"
    asleep = api.wait_status("interrupted")
    eventually(lambda: not logind.is_held(), "the machine may sleep")
    # logind itself waits for 5 s.
    assert time.monotonic() - began < 1.2 * PATIENCE
    capture.wait_silence(0.3)
    during(0.3, lambda: api.player()["position"] == asleep["position"], "time ran while the machine slept")
    mark, silent = events.mark(), capture.frames
    logind.sleep(False)
    route = events.wait_for("route", lambda event: event["reason"] == "wake-from-sleep", mark=mark)
    assert route["current"]["id"] == "spk"
    events.wait_status("playing", mark=mark)
    capture.wait_sound(silent)
    assert asleep["position"] <= api.player()["position"] < asleep["position"] + 5
    assert [stream[0] for stream in pulse.sink_inputs()] != before, "the stream is of before the sleep"
    eventually(logind.is_held, "the next sleep is waited for as well")


def test_paused_player_stays_paused_after_sleep(logind, capture, api, events, playing):
    """Rows 131 and 143."""
    logind.sleep()
    events.wait_for("interruption", mark=playing)
    api.pause()
    mark = events.mark()
    capture.wait_silence(0.3)
    silent = capture.frames
    logind.sleep(False)
    events.wait_for("route", lambda event: event["reason"] == "wake-from-sleep", mark=mark)
    during(0.5, lambda: api.player()["status"] == "paused", "the machine's waking started what the user had paused")
    assert capture.first_sound(silent) is None
    api.play()
    capture.wait_sound(silent)


def test_the_login_manager_may_go_and_come(logind, capture, api, playing):
    """As when its package is updated: what it says then is asked for anew. Gone in the middle of a sleep, it ends that."""
    change(api, category="ambient")
    logind.sleep()
    api.wait_status("interrupted")
    logind.stop()
    api.wait_status("playing")
    logind.preparing = False
    logind.screens[0].locked = True
    logind.start()
    api.wait_status("interrupted")
    assert is_locked(api)


def test_the_bus_may_go_and_come(bus, logind, capture, api, playing):
    logind.sleep()
    api.wait_status("interrupted")
    bus.kill()
    api.wait_status("playing")
    bus.start()
    logind.stop()
    logind.preparing = True
    logind.start()
    api.wait_status("interrupted", timeout=20)


def test_no_inhibitor_is_no_error(bus, capture, launch):
    """Without permission to delay the sleep, the server still hears of it."""
    logind = LoginManager(bus)
    logind.may_inhibit = False
    logind.start()
    api = Api(launch().url)
    eventually(lambda: logind.asked("Inhibit"), "it has asked")
    api.start("long.mp3")
    logind.sleep()
    api.wait_status("interrupted")
    logind.stop()


def test_without_logind_or_bus_nothing_is_wrong(bus, capture, launch, pulse):
    """A bus without a login manager, then no bus at all: as in a container."""
    server = launch()
    api = Api(server.url)
    api.start("long.mp3")
    assert not is_locked(api)
    bus.kill()
    during(0.3, lambda: api.player()["status"] in ("playing", "buffering"), "the bus took the music with it")
    assert server.stop() == 0
    assert "error" not in server.log() and "warning" not in server.log()


def test_it_can_be_told_not_to_listen(logind, capture, launch):
    server = launch("--logind", "off")
    api = Api(server.url)
    api.start("long.mp3")
    logind.sleep()
    during(0.3, lambda: api.player()["status"] in ("playing", "buffering"), "it listened")
    assert not logind.calls


def test_a_frozen_bus_does_not_hold_up_the_end(bus, logind, server):
    bus.freeze()
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 2 * PATIENCE
    bus.thaw()
