# SPDX-License-Identifier: Apache-2.0
"""Offline rendering beside mpg123 -w, and the cost of effects there and during playback."""

import json
import pathlib
import subprocess
import time

from measure import Row, Usage, at_least_of, below, number, Goal
from peers import require
from rig import Api, PulseDaemon, Server
from rig.events import EventLog
from rig.pulse import SPEAKERS
from rig.server import binary

FREQUENCIES = (31, 62, 125, 250, 500, 1000, 2000, 4000, 8000, 16000)
BANDS = {"enabled": True, "preamp": -6, "bands": [
    {"type": "peak", "frequency": frequency, "gain": 4 if index % 2 else -4, "q": 1.4} for index, frequency in enumerate(FREQUENCIES)]}
EQUALIZED = {"enabled": True, "equalizer": BANDS}
ALL = {**EQUALIZED, "limiter": {"enabled": True, "ceiling": -1}, "crossfeed": {"enabled": True, "level": 4.5},
       "loudness": {"mode": "track", "untaggedPreamp": 3}}


def render(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """A ten-minute MP3 to WAV, as multiples of real time."""
    source = music / "noise-long.mp3"
    speeds: dict[str, list[float]] = {"ours": [], "mpg123 -w": []}
    for _ in range(rounds):
        for name, command in (("ours", [str(binary()), "render", str(source), str(directory / "ours.wav")]),
                              ("mpg123 -w", ["mpg123", "-q", "-w", str(directory / "theirs.wav"), str(source)])):
            began = time.monotonic()
            subprocess.run(command, check=True, capture_output=True)
            speeds[name].append(600 / (time.monotonic() - began))
            for output in directory.glob("*.wav"):
                output.unlink()
    return [Row("render of 10 min MP3 to WAV", "x real time", speeds.pop("ours"), speeds, at_least_of("mpg123 -w", 0.9))]


def above(limit: float, unit: str) -> Goal:
    return Goal(f"> {number(limit)} {unit}", lambda ours, peers: ours > limit)


def effects(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """Ten bands beside the peers' ten bands; then with limiter, crossfeed and loudness; then all effects in the server."""
    require("sox", "ffmpeg", "pulseaudio")
    source, output = str(music / "noise-long.mp3"), str(directory / "rendered.wav")
    gains = [(frequency, 4 if index % 2 else -4) for index, frequency in enumerate(FREQUENCIES)]
    files = {"bands": EQUALIZED, "all": ALL}
    for name, settings in files.items():
        (directory / f"{name}.json").write_text(json.dumps(settings))
    filters = ",".join(["volume=-6dB"] + [f"equalizer=f={frequency}:t=q:w=1.4:g={gain}" for frequency, gain in gains])
    commands = {
        "ours": [str(binary()), "render", "--effects", str(directory / "bands.json"), source, output],
        "sox": ["sox", source, output, "gain", "-6", *(word for frequency, gain in gains for word in
                                                       ("equalizer", str(frequency), "1.4q", str(gain)))],
        "ffmpeg": ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-threads", "1", "-i", source, "-af", filters, output],
        "all": [str(binary()), "render", "--effects", str(directory / "all.json"), source, output],
    }
    speeds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            began = time.monotonic()
            subprocess.run(command, check=True, capture_output=True)
            speeds[name].append(600 / (time.monotonic() - began))
    everything = speeds.pop("all")
    costs, switches = playing_cost(directory, music, rounds)
    not_slower = Goal(">= sox, ffmpeg", lambda ours, peers: all(ours >= peer for peer in peers.values()))
    return [Row("render of 10 min MP3 with ten bands", "x real time", speeds.pop("ours"), speeds, not_slower),
            Row("with limiter, crossfeed and loudness as well", "x real time", everything, {}, above(150, "x real time")),
            Row("the same and meters while music plays at 48 kHz", "% of a core", costs, {},
                below(1, "% of a core"), note="beyond plain playing; 30 level events a second to one client are part of it"),
            Row("context switches while music plays with effects", "/s", switches.pop("ours"), switches,
                Goal("as without", lambda ours, peers: ours <= 1.1 * peers["without effects"]))]


def playing_cost(directory: pathlib.Path, music: pathlib.Path, rounds: int, seconds: float = 6) -> tuple[list[float], dict[str, list[float]]]:
    """Additional percent of a core for all effects and meters, measured alternately; voluntary context switches per second with
    and without effects."""
    pulse = PulseDaemon(directory, (SPEAKERS.replace("rate=44100", "rate=48000"),)).start()
    home = directory / "effects"
    home.mkdir()
    server = Server(home, music, pulse.environment, "pulse", arguments=("--sink", "spk"))
    costs: list[float] = []
    switches: dict[str, list[float]] = {"ours": [], "without effects": []}
    try:
        server.start()
        api = Api(server.url)
        api.load("noise-long.mp3")
        api.play()
        api.wait_status("playing")
        for _ in range(rounds):
            shares, counts = [], []
            for settings, events in (({"enabled": False}, None), (ALL, None), (ALL, "events=levels&levelsInterval=0.034")):
                api.call("PUT", "/effects", json=settings)
                log = EventLog(server.events_url, events) if events else None
                time.sleep(1)
                usage, began = Usage(server.process.pid), time.monotonic()
                time.sleep(seconds)
                (used, count), passed = usage.since(), time.monotonic() - began
                shares.append(used / passed)
                counts.append(count / passed)
                if log:
                    log.close()
            costs.append(100 * (shares[2] - shares[0]))
            switches["ours"].append(counts[1])
            switches["without effects"].append(counts[0])
    finally:
        server.stop()
        pulse.stop()
    return costs, switches
