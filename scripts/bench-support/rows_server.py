# SPDX-License-Identifier: Apache-2.0
"""Start, HTTP, WebSockets, queue: the server's costs for clients."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import time

import httpx

from measure import Goal, Row, Usage, at_least_of, at_most, at_most_of, below, both, cores, proportional_bytes
from peers import Bare, Mpd, compiled, require
from rig import Api, PulseDaemon, Server, eventually
from rig.collection import sound
from rows_library import idle
from rows_sound import Rest


def start(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """From exec to the first answered request, empty library and queue."""
    require("mpd")
    empty = directory / "empty"
    empty.mkdir()
    ours, theirs = [], []
    mpd = Mpd(directory, empty, None)
    for number in range(rounds):
        home = directory / f"start-{number}"
        home.mkdir()
        # Without the search for the backtracer, which only tests enable.
        server = Server(home, empty, os.environ | {"SWIFT_BACKTRACE": "enable=no"}, output="null")
        server.start()
        began_to_port = server.ready_seconds
        began = time.monotonic()
        rest = Rest(server.port)
        rest.timed("GET", "/api/v1/player")
        ours.append((began_to_port + time.monotonic() - began) * 1000)
        rest.close()
        server.stop()
        theirs.append(mpd.start() * 1000)
        mpd.stop()
    return [Row("start to ready, empty library", "ms", ours, {"mpd": theirs}, below(44, "ms"))]


def metric(api: Api, name: str) -> float:
    text = api.request("GET", "//metrics").text
    return sum(float(line.split()[-1]) for line in text.splitlines() if name in line and not line.startswith("#"))


def wrk(port: int, path: str, seconds: int = 4) -> tuple[float, float]:
    """(requests per second, p99 in ms) with 64 kept connections and one generator thread."""
    text = subprocess.run(["wrk", "-t1", "-c64", f"-d{seconds}", "--latency", f"http://127.0.0.1:{port}{path}"],
                          capture_output=True, text=True, check=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
    assert "Non-2xx" not in text, text
    return rate, float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def http(directory: pathlib.Path, music: pathlib.Path, rounds: int) -> list[Row]:
    """GET /api/v1/player while music plays through PulseAudio, against a bare answer of the same size."""
    require("wrk", "gcc")
    program = compiled("bare-http", directory, "libmicrohttpd")
    pulse = PulseDaemon(directory).start()
    home = directory / "http"
    home.mkdir()
    server = Server(home, music, pulse.environment, "pulse").start()
    api = Api(server.url)
    try:
        api.load("noise-long.mp3")
        api.settings(repeat="one")
        api.play()
        api.wait_status("playing")
        size = len(api.request("GET", "/player").content)
        underruns = metric(api, "underruns")
        rates, tails = [], []
        bare: dict[str, list[float]] = {f"bare libmicrohttpd, {n} threads": [] for n in sorted({1, cores()})}
        bare_tails: dict[str, list[float]] = {name: [] for name in bare}
        wrk(server.port, "/api/v1/player", 1)
        for _ in range(rounds):
            rate, tail = wrk(server.port, "/api/v1/player")
            rates.append(rate)
            tails.append(tail)
            for name in bare:
                peer = Bare(program, str(size), name.split(", ")[1].split()[0])
                rate, tail = wrk(peer.port, "/")
                bare[name].append(rate)
                bare_tails[name].append(tail)
                peer.stop()
        underruns = metric(api, "underruns") - underruns
        still = api.player()["status"]
    finally:
        api.close()
        server.stop()
        pulse.stop()
    note = f"{size} bytes; underruns {underruns:.0f}; then {still}"
    return [Row("GET /player, 64 connections, while playing", "requests/s", rates, bare, at_least_of(f"bare libmicrohttpd, {cores()} threads", 0.6), note),
            Row("its p99", "ms", tails, bare_tails, below(5, "ms"))]


def clients(port: int, path: str, program: pathlib.Path, count: int, seconds: float, pid: int) -> tuple[dict, float, float]:
    """(the load program's report, CPU us per event, bytes per client)."""
    before = proportional_bytes(pid)
    load = subprocess.Popen([str(program), str(port), path, str(count), str(seconds)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)
    assert load.stdout.readline().strip() == "open", "the load program could not connect"
    time.sleep(2)
    memory = (proportional_bytes(pid) - before) / count
    usage = Usage(pid)
    began = time.monotonic()
    load.stdin.write("\n")
    load.stdin.flush()
    time.sleep(seconds)
    processor, _ = usage.since()
    elapsed = time.monotonic() - began
    result = json.loads(load.stdout.readline())
    load.wait()
    load.stdin.close()
    load.stdout.close()
    return result, processor / elapsed * seconds / max(1, result["events"]) * 1e6, memory


def ws(directory: pathlib.Path, music: pathlib.Path, rounds: int, count: int = 5000, seconds: float = 6) -> list[Row]:
    """Time events once a second to thousands of clients while music plays; the peer sends texts of the same size."""
    require("gcc")
    program = compiled("ws-load", directory)
    bare = compiled("bare-ws", directory, "libwebsockets")
    pulse = PulseDaemon(directory).start()
    figures: dict[str, dict[str, list[float]]] = {name: {"ours": [], "bare libwebsockets": []} for name in ("p99", "gap", "cpu", "memory")}
    lost = 0
    closed = 0
    underruns = 0.0
    try:
        for number in range(rounds):
            home = directory / f"ws-{number}"
            home.mkdir()
            server = Server(home, music, pulse.environment, "pulse").start()
            api = Api(server.url)
            api.load("noise-long.mp3")
            api.play()
            api.wait_status("playing")
            before = metric(api, "underruns")
            result, processor, memory = clients(server.port, "/api/v1/events?events=time&interval=1", program, count, seconds,
                                                server.process.pid)
            underruns += metric(api, "underruns") - before
            lost += max(0, int(seconds) - 1 - result["least"])
            closed += result["closed"]
            figures["p99"]["ours"].append(result["p99"])
            figures["gap"]["ours"].append(result["gap"])
            figures["cpu"]["ours"].append(processor)
            figures["memory"]["ours"].append(memory / 1000)
            api.close()
            server.stop()
            peer = Bare(bare, "250")
            result, processor, memory = clients(peer.port, "/", program, count, seconds, peer.process.pid)
            figures["p99"]["bare libwebsockets"].append(result["p99"])
            figures["gap"]["bare libwebsockets"].append(result["gap"])
            figures["cpu"]["bare libwebsockets"].append(processor)
            figures["memory"]["bare libwebsockets"].append(memory / 1000)
            peer.stop()
    finally:
        pulse.stop()
    note = f"missed {lost}; closed {closed}; underruns {underruns:.0f}"

    def row(name: str, unit: str, key: str, goal: Goal | None, note: str = "") -> Row:
        found = dict(figures[key])
        return Row(name, unit, found.pop("ours"), found, goal, note)

    return [row(f"{count} WebSocket clients, 1 s time events: p99 lateness", "ms", "p99", both(below(50, "ms"), "nothing lost", lost == 0 and closed == 0), note),
            row("its p99 distance from one second between events", "ms", "gap", None),
            # 10 us where the bare library takes 9. Most of it is the kernel's TCP, whose speed depends on the machine.
            row("CPU per event sent", "us", "cpu", at_most_of("bare libwebsockets", 10 / 9)),
            row("memory per client (PSS)", "kB", "memory", below(8, "kB"))]


def files_and_body(folder: pathlib.Path, count: int) -> tuple[pathlib.Path, bytes]:
    """`count` files of 0.2 s (links to a few), and the request that adds them."""
    folder.mkdir()
    content = sound(folder.parent, 0.2)
    uris = [f"An Artist/Album {n // 12:05}/Track {n:06}.mp3" for n in range(count)]
    for number, uri in enumerate(uris):
        path = folder / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        # A file system may allow no more than 65,000 links to a file.
        if number % 50_000 == 0:
            path.write_bytes(content)
            linked = path
        else:
            path.hardlink_to(linked)
    return folder, json.dumps({"items": [{"uri": uri} for uri in uris]}).encode()


def queue(directory: pathlib.Path, music: pathlib.Path, rounds: int, count: int = 100_000) -> list[Row]:
    """A queue of 100,000 items: add, window, move, clear, restart. A command's time is its round trip minus that of GET /healthz
    on the same connection."""
    require("mpd")
    collection, body = files_and_body(directory / "collection", count)
    names = ("add", "bytes", "one", "window", "move", "clear", "restore")
    ours: dict[str, list[float]] = {name: [] for name in names}
    theirs: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        home = directory / f"queue-{number}"
        home.mkdir()
        server = Server(home, collection, output="null", arguments=("--measure-loudness", "off")).start()
        # The library knows the files, as MPD's database does.
        with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client:
            eventually(lambda: idle(client), "scanned", timeout=120)
        # The server closes a connection that sends no request for 10 s, and a scan may take longer.
        rest = Rest(server.port)
        before = proportional_bytes(server.process.pid)
        ours["add"].append(rest.timed("POST", "/api/v1/queue/items", body))
        time.sleep(1)
        ours["bytes"].append((proportional_bytes(server.process.pid) - before) / count)
        plain = statistics.median(rest.timed("GET", "/healthz") for _ in range(200))
        read = statistics.median(rest.timed("GET", "/api/v1/player") for _ in range(200))
        single = json.dumps({"items": [{"uri": "An Artist/Album 00000/Track 000000.mp3"}]}).encode()
        ours["one"].append(1000 * (statistics.median(
            rest.timed("POST", "/api/v1/queue/items", single) for _ in range(200)) - read))
        ours["window"].append(1000 * (statistics.median(
            rest.timed("GET", "/api/v1/queue?offset=50000&limit=100") for _ in range(50)) - plain))
        rest.send("GET", "/api/v1/queue?offset=0&limit=60")
        ids = [item["id"] for item in json.loads(rest.answer()[1])["items"]]
        ours["move"].append(1000 * (statistics.median(
            rest.timed("POST", "/api/v1/queue/move", json.dumps({"ids": [id], "position": 50_000}).encode()) for id in ids[:50]) - plain))
        rest.close()
        server.stop()
        server.start()
        began = time.monotonic()
        api = Api(server.url)
        eventually(lambda: api.player()["queue"]["length"] >= count, "the queue is restored")
        ours["restore"].append(server.ready_seconds + time.monotonic() - began)
        api.close()
        rest = Rest(server.port)
        # Work after the start (the journal's first write) must not count as the command's.
        time.sleep(1)
        ours["clear"].append(1000 * (rest.timed("DELETE", "/api/v1/queue") - plain))
        rest.close()
        server.stop()
        mpd_queue(directory / f"mpd-{number}", music, count, theirs)

    def row(name: str, unit: str, key: str, goal: Goal) -> Row:
        return Row(name, unit, ours[key], {"mpd": theirs[key]} if theirs[key] else {}, goal)

    return [row(f"{count:,} items added in one request", "s", "add", below(0.3, "s")),
            row("one more, beyond a GET /player", "ms", "one", at_most(0.2, "ms")),
            row("memory per item (PSS)", "bytes", "bytes", at_most(400, "bytes")),
            row("window of 100 out of them", "ms", "window", below(0.5, "ms")),
            row("move", "ms", "move", below(0.3, "ms")),
            row("clear", "ms", "clear", below(10, "ms")),
            row("restart with them", "s", "restore", below(0.5, "s"))]


def undo(directory: pathlib.Path, music: pathlib.Path, rounds: int, count: int = 190_000) -> list[Row]:
    """Memory that undo and redo of a long shuffled queue retain."""
    collection, body = files_and_body(directory / "undo-collection", count)
    server = Server(directory / "undo", collection, output="null", arguments=("--library", "off"))
    server.directory.mkdir(exist_ok=True)
    server.start()
    rest = Rest(server.port)
    rest.timed("POST", "/api/v1/queue/items", body)
    rest.timed("PATCH", "/api/v1/player", b'{"shuffle":true}')

    def both_ways() -> None:
        rest.timed("POST", "/api/v1/queue/undo")
        rest.timed("POST", "/api/v1/queue/redo")

    for _ in range(10):
        both_ways()
    before = proportional_bytes(server.process.pid)
    for _ in range(rounds):
        both_ways()
    time.sleep(1)
    grown = (proportional_bytes(server.process.pid) - before) / (1 << 20)
    rest.close()
    server.stop()
    return [Row(f"memory after {rounds} undo and redo of {count:,} items under shuffle", "MB", [grown], {}, below(20, "MB"))]


def mpd_queue(directory: pathlib.Path, music: pathlib.Path, count: int, figures: dict[str, list[float]]) -> None:
    # MPD asks its database for each path: one file, added again and again.
    directory.mkdir()
    folder = directory / "music" / "An Artist" / "Album 00001"
    folder.mkdir(parents=True)
    (folder / "Track 000001.mp3").hardlink_to(music / "noise-long.mp3")
    mpd = Mpd(directory, directory / "music", None)
    mpd.start()
    mpd.command("update")
    eventually(lambda: "updating_db" not in mpd.command("status"), "MPD has scanned")
    before = proportional_bytes(mpd.process.pid)
    lines = "\n".join(['add "An Artist/Album 00001/Track 000001.mp3"'] * count)

    def timed(command: str) -> float:
        began = time.perf_counter()
        mpd.command(command)
        return time.perf_counter() - began

    figures["add"].append(timed(f"command_list_begin\n{lines}\ncommand_list_end"))
    time.sleep(0.5)
    figures["bytes"].append((proportional_bytes(mpd.process.pid) - before) / count)
    plain = statistics.median(timed("ping") for _ in range(200))
    figures["window"].append(1000 * (statistics.median(timed("playlistinfo 50000:50100") for _ in range(50)) - plain))
    figures["move"].append(1000 * (statistics.median(timed("move 0 50000") for _ in range(50)) - plain))
    mpd.stop()
    figures["restore"].append(mpd.start())
    time.sleep(1)
    figures["clear"].append(1000 * (timed("clear") - plain))
    mpd.stop()
