# SPDX-License-Identifier: Apache-2.0
"""Measures Tonearm beside its peers; see scripts/bench --help."""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Tests" / "EndToEnd"))

import numpy  # noqa: E402

import measure  # noqa: E402
import rows_library  # noqa: E402
import rows_network  # noqa: E402
import rows_page  # noqa: E402
import rows_promises  # noqa: E402
import rows_render  # noqa: E402
import rows_routes  # noqa: E402
import rows_server  # noqa: E402
import rows_shared  # noqa: E402
import rows_sound  # noqa: E402
import rows_time  # noqa: E402
from rig.signals import write_wave  # noqa: E402

ROWS = {
    "latency": (rows_sound.latency, 15),
    "cpu": (rows_sound.cpu, 5),
    "memory": (rows_sound.memory, 5),
    "start": (rows_server.start, 11),
    "http": (rows_server.http, 5),
    "ws": (rows_server.ws, 5),
    "queue": (rows_server.queue, 5),
    "undo": (rows_server.undo, 1000),
    "wakeups": (rows_sound.wakeups, 5),
    "render": (rows_render.render, 5),
    "effects": (rows_render.effects, 5),
    "scan": (rows_library.scan, 3),
    "rescan": (rows_library.rescan, 7),
    "watch": (rows_library.watch, 10),
    "search": (rows_library.search, 5),
    "network": (rows_network.network, 7),
    "station": (rows_network.station, 10),
    "lyrics": (rows_page.lyrics, 3),
    "worker": (rows_sound.worker, 5),
    "interruption": (rows_shared.interruption, 15),
    "unplug": (rows_shared.unplug, 15),
    "neighbours": (rows_routes.neighbours, 10),
    "routes": (rows_routes.routes, 7),
    "switching": (rows_routes.switching, 10),
    "commands": (rows_promises.commands, 7),
    "default-output": (rows_promises.default_output, 10),
    "sound-server": (rows_promises.sound_server, 5),
    "ticks": (rows_promises.ticks, 3),
    "slow-link": (rows_promises.slow_link, 5),
    "page": (rows_page.page, 10),
    "ending": (rows_promises.ending, 7),
    "mpris": (rows_shared.mpris, 5),
    "timers": (rows_time.timers, 7),
    "effect-change": (rows_time.effects, 10),
    "levels": (rows_time.levels, 7),
    "in-step": (rows_shared.in_step, 10),
}

# Groups of rows.
GROUPS = {
    # Compared with MPD or another peer.
    "ratios": ["latency", "cpu", "memory", "start", "http", "ws", "queue", "wakeups", "render", "effects", "scan"],
    # The other times that SPEC promises.
    "promises": ["network", "station", "lyrics", "worker", "interruption", "unplug", "neighbours", "routes", "switching", "watch", "search",
                 "commands", "default-output", "sound-server", "ticks", "slow-link", "page", "ending", "mpris", "timers", "effect-change", "levels", "undo", "in-step"],
}


def make_music(directory: pathlib.Path) -> pathlib.Path:
    """Ten minutes of noise and tones at 192 kbit/s."""
    music = directory / "music"
    music.mkdir()
    random = numpy.random.default_rng(1)
    time = numpy.arange(20 * 44100) / 44100
    piece = 0.2 * numpy.sin(2 * numpy.pi * 220 * time)[:, None] + 0.1 * random.standard_normal((len(time), 2))
    wave = write_wave(directory / "piece.wav", numpy.tile(piece, (30, 1)))
    subprocess.run(["lame", "--quiet", "-b", "192", str(wave), str(music / "noise-long.mp3")], check=True)
    wave.unlink()
    return music


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=(
        "Measures Tonearm beside its peers (MPD, mpg123, bare libmicrohttpd and libwebsockets) in the same run and prints "
        "medians, the peers' and their ratio, the goal and whether it was reached. Rows during which other programs kept the "
        "processors busy say so. The exit status is 0 unless measuring itself failed."))
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"any of: {' '.join([*GROUPS, *ROWS])} (default: all)")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--rounds", type=int, help="rounds per row (default: 5 or more, by row)")
    arguments = parser.parse_args()
    # Each row once, even if several groups contain it.
    names = list(dict.fromkeys(name for row in arguments.rows for name in GROUPS.get(row, [row]))) or list(ROWS)
    for name in names:
        if name not in ROWS:
            parser.error(f"no row {name!r}; there are {' '.join([*GROUPS, *ROWS])}")
    measure.raise_descriptor_limit()
    results, failed = [], []
    with tempfile.TemporaryDirectory(prefix="tonearm-bench-") as base:
        music = make_music(pathlib.Path(base))
        for name in names:
            run, rounds = ROWS[name]
            directory = pathlib.Path(base) / name
            directory.mkdir()
            print(f"{name} ...", file=sys.stderr, flush=True)
            others = measure.Others()
            try:
                rows = run(directory, music, arguments.rounds or rounds)
            except Exception:
                traceback.print_exc()
                failed.append(name)
                continue
            note = others.note()
            for row in rows:
                row.busy = note
            results += rows
    print(measure.markdown(results) if arguments.markdown else measure.table(results))
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
