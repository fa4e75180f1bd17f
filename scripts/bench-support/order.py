# SPDX-License-Identifier: Apache-2.0
"""Writes the functions that a server runs, in the order of their first call; see scripts/order-functions."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Tests" / "EndToEnd"))

import numpy  # noqa: E402
import websockets.sync.client  # noqa: E402

from rig import Api, PulseDaemon, Server, eventually  # noqa: E402
from rig.server import binary  # noqa: E402
from rig.signals import write_wave  # noqa: E402


def make_music(directory: pathlib.Path) -> pathlib.Path:
    music = directory / "music"
    music.mkdir()
    tone = 0.3 * numpy.sin(2 * numpy.pi * 440 * numpy.arange(20 * 44100) / 44100)
    wave = write_wave(directory / "a.wav", numpy.stack([tone, tone], axis=1))
    for number in (1, 2):
        subprocess.run(["lame", "--quiet", "-b", "192", "--tt", f"Title {number}", "--ta", "Artist", "--tl", "Album", str(wave),
                        str(music / f"{number}.mp3")], check=True)
    return music


def tour(server: Server) -> None:
    """What a user does in an hour, in a minute: valgrind makes everything slow."""
    api = Api(server.url)
    with websockets.sync.client.connect(server.events_url + "?interval=0.25") as socket:
        reader = threading.Thread(target=lambda: [json.loads(frame) for frame in socket], daemon=True)
        reader.start()
        api.call("POST", "/queue/items", json={"items": [{"folder": ""}], "play": True})
        api.wait_status("playing", timeout=60)
        eventually(lambda: api.player()["position"] > 2, "it plays on", 60)
        for path in ("/queue", "/outputs", "/library", "/library/search?q=title", "/library/albums", "/browse?path=", "//",
                     "//app.js", "//healthz", "//metrics"):
            api.request("GET", path).raise_for_status()
        api.pause()
        api.play()
        api.seek(position=15)
        api.command("next")
        api.command("previous")
        api.settings(volume=0.5, shuffle=True)
        api.wait_status("playing", timeout=60)
        api.command("stop")


def again(server: Server) -> None:
    """The next day: what was there is restored, and goes on."""
    api = Api(server.url)
    with websockets.sync.client.connect(server.events_url) as socket:
        json.loads(socket.recv())
    api.play()
    api.wait_status("playing", timeout=60)
    eventually(lambda: api.player()["position"] > 1, "it plays on", 60)
    api.close()


def called(traces: list[pathlib.Path]) -> list[str]:
    """The names in callgrind files, each once, in their order; recursion levels ('2) left out."""
    names = (name for trace in traces
             for name in re.findall(r"^c?fn=\(\d+\) (.+?)(?:'\d+)?$", trace.read_text(), re.MULTILINE))
    return list(dict.fromkeys(names))


def defined(program: pathlib.Path) -> set[str]:
    lines = subprocess.run(["nm", str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[2] for line in lines if line.split()[1] in "tTwW"}


def main() -> None:
    target = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="tonearm-order-") as base:
        directory = pathlib.Path(base)
        traces = []
        pulse = PulseDaemon(directory).start()
        try:
            server = Server(directory, make_music(directory), pulse.environment, "pulse")
            server.environment.pop("SWIFT_BACKTRACE", None)
            for visit in (tour, again):
                traces.append(directory / f"{visit.__name__}.out")
                server.wrapper = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={traces[-1]}"]
                server.start(timeout=120)
                try:
                    visit(server)
                finally:
                    server.stop(timeout=60)
        finally:
            pulse.stop()
        own = defined(binary())
        target.write_text("".join(name + "\n" for name in called(traces) if name in own))


main()
