# SPDX-License-Identifier: Apache-2.0
"""Row 252: little input, much memory. Whatever a client sends, the server stays below 200 MB, refuses clearly and loses nothing."""

import contextlib
import json
import socket
import time

import pytest

from rig import PATIENCE, Api, binary, eventually

# A debug build takes more for the same.
MEMORY = (240 if "debug" in binary().parts else 200) << 20
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def api(server):
    """A client that waits: tens of megabytes take a while in a debug build."""
    client = Api(server.url)
    client.http.timeout = 120
    return client


def fat_items(count: int) -> bytes:
    """Each of 20 kB, which is about what one may have."""
    text = "\U0001F3B5" * 1000
    item = {"uri": "http://example.invalid/" + "u" * 4000, "title": text, "artist": text, "album": text,
            "artworkUri": "http://example.invalid/" + "a" * 4000}
    return b'{"items":[' + b",".join([json.dumps(item, ensure_ascii=False).encode()] * count) + b"]}"


def problem(response, status: int, code: str) -> dict:
    assert response.status_code == status and response.json()["code"] == code, response.text[:300]
    assert response.headers["Content-Type"] == "application/problem+json"
    return response.json()


def test_one_element_is_bounded(server, api):
    """256 KB, 4,096 names and values; refused with its place, before anything is made of it."""
    ids = api.load("long.mp3")
    elements = {
        "long text": b'{"uri":"' + b"a" * (30 << 20) + b'"}',
        "list": b"[" + b"0," * (15 << 20) + b"0]",
        "objects": b'{"uri":[' + b"{}," * (8 << 20) + b"{}]}",
        "names": b"{" + b",".join(b'"%d":0' % number for number in range(1_000_000)) + b"}",
    }
    for name, element in elements.items():
        for method, path in (("PUT", "/queue"), ("POST", "/queue/items"), ("POST", "/playlists")):
            body = b'{"name":"x","items":[{"uri":"long.mp3"},' if path == "/playlists" else b'{"items":[{"uri":"long.mp3"},'
            refused = api.request(method, path, content=body + element + b"]}", headers=JSON)
            assert problem(refused, 413, "too-large")["member"] == "items[1]", name
    assert server.peak_bytes() < MEMORY
    assert [item["id"] for item in api.queue()["items"]] == ids


@pytest.mark.timeout(900)
def test_queue_and_undo_are_bounded_in_bytes(server, api):
    """Four replacements of 20 MB; then more than a queue takes: what was there stays, also through a restart."""
    for number in range(4):
        assert api.request("PUT", "/queue", content=fat_items(1000 + number), headers=JSON).status_code == 200
    assert server.peak_bytes() < MEMORY, "undo"
    for _ in range(2):
        assert api.request("POST", "/queue/items", content=fat_items(1000), headers=JSON).status_code == 201
    refused = problem(api.request("POST", "/queue/items", content=fat_items(1000), headers=JSON), 413, "queue-full")
    assert "64 MB" in refused["detail"]
    assert server.peak_bytes() < MEMORY, "queue"
    assert api.queue()["length"] == 3003
    again = Api(server.restart().url)
    assert again.queue()["length"] == 3003
    assert server.peak_bytes() < MEMORY, "start"


def test_undo_at_a_long_queue_takes_no_memory(server, api):
    """Row 253: under shuffle, at 190,000 items."""
    items = b",".join(b'{"uri":"http://h/%d.mp3"}' % number for number in range(190_000))
    assert api.request("PUT", "/queue", content=b'{"items":[' + items + b"]}", headers=JSON).status_code == 200
    api.settings(shuffle=True)
    api.add("long.mp3")

    def rounds(count: int) -> None:
        for _ in range(count):
            for step in ("undo", "redo"):
                assert api.request("POST", f"/queue/{step}").status_code == 200

    rounds(10)
    server.forget_peak()
    before = server.peak_bytes()
    rounds(60)
    assert server.peak_bytes() - before < 16 << 20
    assert api.queue()["length"] == 190_001


def test_a_playlist_is_bounded_in_bytes(api):
    """16 MB each, however it grows."""
    made = api.request("POST", "/playlists", content=b'{"name":"fat",' + fat_items(600)[1:], headers=JSON)
    assert made.status_code == 201, made.text[:300]
    path = f"/playlists/{made.json()['id']}"
    refused = problem(api.request("POST", path + "/items", content=fat_items(600), headers=JSON), 413, "playlist-full")
    assert "16 MB" in refused["detail"]
    assert api.request("GET", path + "?limit=1").json()["length"] == 600
    assert api.request("DELETE", path).status_code == 204


def test_a_million_ids_take_no_more_than_ten_times_their_bytes(server, api):
    """The limit is the body's bytes: read to its end, answered, and what is not in the queue changes nothing."""
    assert api.request("PUT", "/queue", content=b'{"items":[{"uri":"http://h/a.mp3"}]}', headers=JSON).status_code == 200
    # Once before, so that no thread that begins counts.
    assert api.request("POST", "/queue/remove", content=b'{"ids":["i2"]}', headers=JSON).status_code == 404
    known = api.ids()[0]
    for name, ids, status in (("others", [f"i{number:x}" for number in range(0x1000000, 0x1000000 + 1_000_000)], 404),
                              ("too many", [known] * 1_000_001, 422), ("one", [known] * 1_000_000, 200)):
        body = json.dumps({"ids": ids}, separators=(",", ":")).encode()
        server.forget_peak()
        before = server.peak_bytes()
        began = time.monotonic()
        answer = api.request("POST", "/queue/remove", content=body, headers=JSON)
        assert answer.status_code == status, (name, answer.text[:300])
        assert time.monotonic() - began < 10 * PATIENCE, name
        assert server.peak_bytes() - before < 10 * len(body), name
        assert api.queue()["length"] == (0 if name == "one" else 1), name


def test_slow_readers_do_not_fill_the_server(server, api):
    """Answers of 5 MB that nobody reads: 128 MB of them at most, then 503; small ones are still given, and the others whole."""
    assert api.request("PUT", "/queue", content=fat_items(250), headers=JSON).status_code == 200
    request = b"GET /api/v1/queue?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with contextlib.ExitStack() as stack:
        slow = []
        for _ in range(60):
            client = socket.socket()
            # Little is taken by the machine for it.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(20)
            client.connect(("127.0.0.1", server.port))
            stack.enter_context(client)
            client.sendall(request)
            slow.append(client)
        heads = [client.recv(12) for client in slow]
        assert heads.count(b"HTTP/1.1 200") >= 20 and heads.count(b"HTTP/1.1 503") >= 5, heads
        assert api.player()["queue"]["length"] == 250
        assert server.peak_bytes() < MEMORY, server.peak_bytes() >> 20
        refused = api.request("GET", "/queue?limit=1000")
        assert problem(refused, 503, "busy") and refused.headers["Retry-After"]
        # One of them reads after all.
        patient = slow[heads.index(b"HTTP/1.1 200")]
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += patient.recv(65536)
        head, _, body = answer.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split()[0])
        parts = [body]
        while sum(map(len, parts)) < length:
            parts.append(patient.recv(65536))
        assert json.loads(b"".join(parts))["length"] == 250
    eventually(lambda: api.request("GET", "/queue?limit=1000").status_code == 200, "there is room again")
