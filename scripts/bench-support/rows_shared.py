# SPDX-License-Identifier: Apache-2.0
"""A shared sound card: interruptions, lost headphones, the desktop's bus, two players in step."""

import pathlib
import time

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

from measure import Row, below
from rig import Api, Capture, EventLog, PulseDaemon, Server, eventually
from rig.capture import RATE
from rig.dbus import NAME, OBJECT, PLAYER, SessionBus
from rig.pulse import HEADPHONES, SPEAKERS
from rig.signals import align


def start_server(directory: pathlib.Path, music: pathlib.Path, pulse: PulseDaemon, **environment: str) -> Server:
    home = directory / "tonearm"
    home.mkdir()
    return Server(home, music, pulse.environment | environment, "pulse").start()


def interruption(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """From another program's request to our last rendered sample."""
    pulse = PulseDaemon(directory, (SPEAKERS, "module-role-cork")).start()
    capture = Capture(pulse, "spk", latency=2).start()
    server = start_server(directory, music, pulse)
    api = Api(server.url)
    api.load("noise-long.mp3", play=True)
    took = []
    for _ in range(rounds):
        api.wait_status("playing")
        capture.wait_seconds(0.5)
        mark, asked = capture.frames, time.monotonic()
        api.call("POST", "/session/interruptions", json={"type": "began"})
        capture.wait_silence(0.3)
        took.append((capture.arrival(capture.last_sound(mark)) - asked) * 1000)
        api.call("POST", "/session/interruptions", json={"type": "ended", "shouldResume": True})
    api.close()
    server.stop()
    capture.close()
    pulse.stop()
    return [Row("interruption began to silence", "ms", took, goal=below(100, "ms"))]


def unplug(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """From starting `pactl unload-module` for the headphones to the event."""
    pulse = PulseDaemon(directory, (SPEAKERS, HEADPHONES)).start()
    server = start_server(directory, music, pulse)
    api, events = Api(server.url), EventLog(server.events_url)
    api.call("PUT", "/outputs/current", json={"id": "hp"})
    api.load("noise-long.mp3", play=True)
    took = []
    for _ in range(rounds):
        api.wait_status("playing")
        eventually(lambda: pulse.stream_sinks() == ["hp"], "on the headphones")
        module, mark, asked = pulse.module("sink_name=hp "), events.mark(), time.monotonic()
        pulse.unload(module)
        took.append((events.wait_status("paused", mark=mark).moment - asked) * 1000)
        pulse.load(HEADPHONES)
    events.close()
    api.close()
    server.stop()
    pulse.stop()
    return [Row("headphones unplugged to the event paused", "ms", took, goal=below(200, "ms"))]


def mpris(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """All properties of the player, read over the session bus while music plays; a hundred reads a round."""
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    bus = SessionBus(directory).start()
    server = start_server(directory, music, pulse, DBUS_SESSION_BUS_ADDRESS=bus.address)
    api = Api(server.url)
    api.load("noise-long.mp3", play=True)
    api.wait_status("playing")
    bus.wait_owned()
    call = new_method_call(DBusAddress(OBJECT, NAME, "org.freedesktop.DBus.Properties"), "GetAll", "s", (PLAYER,))
    took = []
    with open_dbus_connection(bus.address) as connection:
        for _ in range(rounds * 100):
            began = time.perf_counter()
            connection.send_and_get_reply(call)
            took.append((time.perf_counter() - began) * 1000)
    api.close()
    server.stop()
    bus.kill()
    pulse.stop()
    return [Row("MPRIS, all properties read", "ms", took, goal=below(5, "ms"))]


def in_step(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Two players on the two sides of one output, compared every ten seconds; a round is a minute."""
    pulse = PulseDaemon(directory, (SPEAKERS,)).start()
    for name, side in (("left", "front-left"), ("right", "front-right")):
        pulse.load(f"module-remap-sink sink_name={name} master=spk channels=1 channel_map=mono master_channel_map={side} remix=no")
    capture = Capture(pulse, "spk").start()
    server = start_server(directory, music, pulse)
    api = Api(server.url)
    api.call("PUT", "/outputs/current", json={"id": "left"})
    api.call("POST", "/players", json={"id": "kitchen", "output": "right"})
    api.call("PATCH", "/players/kitchen", json={"leader": "main"})
    api.load("noise-long.mp3", play=True)
    api.settings(repeat="all")

    def offset() -> float | None:
        return next(player["offset"] for player in api.call("GET", "/players")["players"] if player["id"] == "kitchen")

    eventually(lambda: (now := offset()) is not None and abs(now) <= 0.002, "in step", timeout=20)
    apart, dry = [], 0
    for _ in range(rounds * 6):
        start = capture.frames
        capture.wait_seconds(10)
        heard = capture.samples(start, start + RATE // 2)
        middle = heard[RATE // 10 : -RATE // 10]
        apart.append(abs(align(heard[:, 1:], middle[:, :1]) - RATE // 10) / RATE * 1000)
        dry += int((abs(capture.samples(start).astype(int)).max(axis=0) == 0).any())
    api.close()
    server.stop()
    capture.close()
    pulse.stop()
    return [Row(f"two players apart, over {rounds} min", "ms", apart, goal=below(5, "ms"),
                note=f"furthest {max(apart):.2f} ms; {dry} silent pieces of 10 s")]
