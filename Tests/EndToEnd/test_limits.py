# SPDX-License-Identifier: Apache-2.0
"""Many of everything: connections, descriptors, guesses, clients that do not read."""

import contextlib
import pathlib
import re
import resource
import socket
import subprocess
import time

import httpx
import pytest

from rig import REPOSITORY, Api, binary, eventually, within
from rig.access import own_address
from rig.raw import upgrade

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def open_many(stack, port: int, count: int, data: bytes = b"", host: str = "127.0.0.1") -> list[socket.socket]:
    connections = []
    for _ in range(count):
        connection = stack.enter_context(socket.create_connection((host, port), timeout=20))
        if data:
            connection.sendall(data)
        connections.append(connection)
    return connections


@pytest.mark.parametrize("kind", ["silent", "kept alive"])
def test_ten_thousand_idle_connections_do_not_keep_others_out(server, api, kind, record_property):
    """DESIGN section 6: they cost a place each, nobody else's time, and they end."""
    # As many as this process may hold; the server has its own limit of the same size.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 10_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, wanted + 500) if hard != resource.RLIM_INFINITY else wanted + 500, hard))
    count = min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 300, resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)[0] - 100)
    record_property("connections", count)
    assert count >= 500, "the limit of descriptors leaves nothing to test"
    before = server.resident_bytes()
    try:
        with contextlib.ExitStack() as stack:
            connections = open_many(stack, server.port, count, REQUEST if kind == "kept alive" else b"")
            if kind == "kept alive":
                for connection in connections:
                    assert connection.recv(4096).startswith(b"HTTP/1.1 200")
            with httpx.Client(trust_env=False, timeout=5) as fresh:
                began = time.monotonic()
                for _ in range(20):
                    assert fresh.get(f"{server.url}/api/v1/player").status_code == 200
                assert time.monotonic() - began < 5
            assert (server.resident_bytes() - before) / count < 40_000, "bytes for each connection"
        eventually(lambda: server.descriptors() < 200, "the places are given back", timeout=60, every=0.2)
        assert api.player()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_without_descriptors_it_refuses_and_recovers(directory, start_server):
    """`prlimit --nofile=64`: those who are in are served, those who come are refused, nothing spins, and it recovers; the
    music keeps enough of them to go on."""
    server = start_server(wrapper=("prlimit", "--nofile=64"))
    api = Api(server.url)
    ids = api.start("long.mp3", "chirp.mp3")
    with contextlib.ExitStack() as stack:
        connections = open_many(stack, server.port, 150)
        # Each gets an answer or an end, or waits; the one who is in goes on. Of eight places it has one.
        eventually(lambda: server.connections() >= 7, "the places are taken", timeout=20)
        api.wait_status("playing")
        api.command("next")
        assert api.wait_status("playing")["item"]["id"] == ids[1]
        api.pause()
        api.wait_status("paused")
        cpu = server.cpu_seconds()
        time.sleep(1)  # the cost per time is the subject
        assert server.cpu_seconds() - cpu < 0.5, "it spins"
        assert len(connections) == 150
    eventually(lambda: server.connections() <= 1, "the places are given back", timeout=40, every=0.1)
    with httpx.Client(trust_env=False, timeout=5) as fresh:
        assert fresh.get(f"{server.url}/api/v1/player").json()["status"] == "paused"
    api.play()
    api.wait_status("playing")


def test_the_log_is_not_flooded_when_descriptors_run_out(server):
    """Ten connections a second are refused; that is reported once in a while."""
    highest = max(int(entry.name) for entry in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir())
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (highest + 1, highest + 1))
    with contextlib.ExitStack() as stack:
        open_many(stack, server.port, 60)
        eventually(lambda: "out of file descriptors" in server.log(), "it is reported")
        time.sleep(2)  # the number per time is the subject
        assert server.log().count("out of file descriptors") <= 1


def test_one_address_cannot_take_all_places(start_server):
    """256 connections for an address that is not loopback; others, and loopback, are served."""
    address = own_address()
    if address is None:
        pytest.skip("this machine has only loopback; ConnectionCountTests has the rule")
    server = start_server(host="0.0.0.0", arguments=("--anonymous",))
    with contextlib.ExitStack() as stack:
        open_many(stack, server.port, 256, host=address)
        refused = stack.enter_context(socket.create_connection((address, server.port), timeout=10))
        answer = eventually(lambda: refused.recv(4096) or b"closed", "an answer")
        assert answer == b"closed" or (answer.startswith(b"HTTP/1.1 503") and b"too-many-connections" in answer)
        assert httpx.get(f"{server.url}/healthz", trust_env=False).status_code == 200

    def admitted() -> bool:
        try:
            return httpx.get(f"http://{address}:{server.port}/healthz", trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False

    eventually(admitted, "the places are given back", timeout=20, every=0.1)


def test_slow_later_heads_delay_nobody(server, api):
    """A head that comes byte by byte on a connection that was used before: it is understood, and others are answered."""
    with contextlib.ExitStack() as stack:
        connections = open_many(stack, server.port, 50, REQUEST)
        for connection in connections:
            assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        for byte in REQUEST:
            for connection in connections:
                connection.sendall(bytes([byte]))
            with within(2, "another one's answer"):
                assert api.request("GET", "//healthz").status_code == 200
        for connection in connections:
            assert connection.recv(4096).startswith(b"HTTP/1.1 200")


def test_guessing_tokens_is_slowed_down_and_locks_nobody_else_out(start_server, directory):
    """Row 258: hundreds of wrong ones: the same answer to each, then 429 for that address; the right token works from elsewhere.
    The log says so once, without a token."""
    address = own_address()
    token_file = directory / "token"
    server = start_server(host="0.0.0.0", arguments=("--token-file", str(token_file)))
    token = re.search(r"[A-Za-z0-9_\-]{20,}", token_file.read_text()).group()
    answers = set()
    with httpx.Client(base_url=server.url, trust_env=False) as guesser:
        for number in range(300):
            wrong = token[: number % len(token)] + "x" * (1 + number % 50)
            response = guesser.get("/api/v1/player", headers={"Authorization": f"Bearer {wrong}"})
            if number < 10:
                answers.add((response.status_code, response.text))
            else:
                assert response.status_code == 429 and int(response.headers["Retry-After"]) <= 60, number
        assert len(answers) == 1 and next(iter(answers))[0] == 401
        assert guesser.get("/").status_code == 200 and guesser.get("/healthz").status_code == 200
    eventually(lambda: "tokens are guessed" in server.log(), "it is logged")
    log = server.log()
    assert (log.count("a wrong token was sent"), log.count("tokens are guessed")) == (1, 1)
    # The link of the first start is the only place of the token; none of the guesses is there.
    assert log.count(token) <= 1 and "xxxx" not in log
    if address is None:
        pytest.skip("this machine has only loopback: there is nobody else")
    response = httpx.get(f"http://{address}:{server.port}/api/v1/player", headers={"Authorization": f"Bearer {token}"}, trust_env=False)
    assert response.status_code == 200


@pytest.mark.parametrize("descriptors", [10, 18, 26])
def test_a_limit_that_is_too_low_ends_the_start_with_a_sentence(directory, descriptors):
    """No trap: a supervisor sees a status of sysexits.h, a user what is missing."""
    port_file = directory / "port"
    process = subprocess.Popen(
        ["prlimit", f"--nofile={descriptors}", str(binary()), "serve", "--port", "0", "--output", "null", "--mpris", "off",
         "--logind", "off", "--data", str(directory / "data"), "--port-file", str(port_file)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY)
    try:
        eventually(lambda: process.poll() is not None or port_file.exists(), "it ends or serves", timeout=20)
        if process.poll() is not None:
            complaint = process.stderr.read()
            assert process.returncode in (69, 71, 73, 78, 127), (process.returncode, complaint)
            assert complaint and "Fatal" not in complaint
    finally:
        process.terminate()
        process.wait(20)


def test_clients_that_do_not_read_cost_a_bounded_amount(server, api, events):
    """200 WebSockets that take nothing while a thousand events come: memory is bounded, others get every event."""
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            connection = stack.enter_context(upgrade(server.port, "?interval=0.02"))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        titles = ["t" * 900, "u" * 900]
        item = api.load({"uri": "long.mp3", "title": titles[0]})[0]

        def edits(count: int) -> None:
            for number in range(count):
                api.call("PATCH", f"/queue/items/{item}", json={"title": titles[number % 2] + str(number)})

        edits(500)
        before = server.resident_bytes()
        mark, first = events.mark(), api.player()["queue"]["revision"]
        # In steps that fit an outbox: on a busy machine this reader is late itself.
        for last in range(first + 50, first + 701, 50):
            edits(50)
            # Events of earlier edits may still come after the mark.
            expected = set(range(first + 1, last + 1))
            eventually(lambda: expected <= {event["revision"] for event in events.since(mark, "queue")}, "the one who reads gets all",
                       timeout=20)
        # 256 KB for each at most, and they were full before.
        grown = server.resident_bytes() - before
        assert grown < 60 << 20, f"{grown >> 20} MB"
        assert not events.since(mark, "resync")
    eventually(lambda: server.descriptors() < 60, "they are gone", timeout=60, every=0.2)
    assert api.player()


def test_every_type_of_event_is_seen_and_keeps_to_the_contract(server, api, open_events, contract):
    """asyncapi.yaml is complete: what is sent is described, what is described is sent."""
    log = open_events("interval=0.1")
    api.load("short-0.mp3", "text.mp3", play=True)
    log.wait_for("error", timeout=20)
    log.wait_for("queue-ended", timeout=20)
    api.settings(volume=0.5)
    log.send({"type": "command", "id": 1, "command": "queue.undo"})
    log.wait_for("reply", timeout=10)
    # 409 while the first scan still goes on, which tells as well.
    assert api.request("POST", "/library/scan").status_code in (202, 409)
    log.wait_for("library", timeout=20)
    for kind in ("began", "ended"):
        api.call("POST", "/session/interruptions", json={"type": kind, "source": "sleep"})
    log.wait_for("interruption")
    log.wait_for("route")
    api.call("PATCH", "/session", json={"silentSwitch": True})
    log.wait_for("session")
    api.call("PATCH", "/effects", json={"mono": True})
    log.wait_for("effects")
    timer = api.call("POST", "/timers", json={"type": "sleep", "after": 3600})["id"]
    log.wait_for("timers", lambda event: [entry["id"] for entry in event["timers"]] == [timer])
    api.call("DELETE", f"/timers/{timer}")
    late = open_events("since=other-run:1")
    late.wait_for("resync")
    seen = {event.type for event in log.since()} | {event.type for event in late.since()}
    # `test_network.py` sees the end of a queue come near. The null output never changes, and this server neither records, nor announces, nor keeps what it fetched, nor has other
    # players: `test_outputs.py`, `test_recording.py`, `test_announcements.py`, `test_cache.py` and `test_players.py` see those, and `test_meters.py` and `test_renders.py` theirs.
    elsewhere = {"levels", "spectrum", "renders", "queue-low", "output", "recording", "record-level", "cache", "announcement", "players"}
    assert seen >= contract.types - elsewhere - {"subscribe", "command"}, contract.types - seen
    undone = log.wait_for("queue", lambda event: event["canRedo"])
    assert undone["canUndo"] is api.player()["queue"]["canUndo"]
    assert api.player()["playWhenReady"] is False
    wanted = eventually(lambda: not (found := [event["playWhenReady"] for event in log.since(0, "status")])[-1] and found, "the last one")
    assert True in wanted
