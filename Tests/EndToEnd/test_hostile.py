# SPDX-License-Identifier: Apache-2.0
"""Clients and servers that mean harm: what one of them takes is not missed by the others."""

import contextlib
import json
import socket
import time

import httpx
import pytest

from rig import Origin, eventually, within
from rig.access import CONTROL
from rig.hls import AAC, cut
from rig.raw import exchange

MEGABYTE = 1 << 20


def post(server, path: str, body: bytes, *headers: str, method: str = "POST") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    lines = [f"{method} /api/v1{path} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
             f"Content-Length: {len(body)}", *headers]
    connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    return connection


def add_list(server, url: str) -> socket.socket:
    return post(server, "/queue/items", json.dumps({"items": [{"list": url}]}).encode())


@pytest.fixture
def slow_servers():
    servers = [Origin(host=f"127.0.0.{number}") for number in range(2, 6)]
    for one in servers:
        one.serve("/slow.m3u", b"#EXTM3U\na.mp3\n", silent=True)
    return servers


def test_four_slow_list_servers_keep_nobody_waiting(server, api, origin, slow_servers):
    """Each has its share of the threads, and no more, whoever asks how often."""
    origin.serve("/quick.m3u", b"#EXTM3U\na.mp3\n", content_type="audio/x-mpegurl")
    with contextlib.ExitStack() as stack:
        for one in slow_servers * 4:
            stack.enter_context(add_list(server, f"{one.url}/slow.m3u"))
        for one in slow_servers:
            eventually(lambda one=one: len(one.requests) == 1, "it is asked")
        for _ in range(3):
            # The others take 20 s.
            with within(3, "a quick list"):
                assert api.add({"list": f"{origin.url}/quick.m3u"})["count"] == 1
        assert [len(one.requests) for one in slow_servers] == [1] * 4


def test_many_references_keep_nobody_waiting(server, api, music, media):
    """Five requests of 3,000 lists: each has an end that says why, and who adds one file or one list does not wait for them."""
    (music / "a.mp3").write_bytes(media.path("short-0.mp3").read_bytes())
    (music / "one.m3u").write_text("a.mp3\n")
    (music / "long.m3u").write_text("".join(f"missing-{number}.mp3\n" for number in range(300)))
    skipping = json.dumps({"items": [{"uri": "long.m3u"}] * 3000, "onError": "skip"}).encode()
    failing = json.dumps({"items": [{"list": "gone.m3u"}] * 3000, "onError": "skip"}).encode()
    with contextlib.ExitStack() as stack:
        requests = [stack.enter_context(post(server, "/queue/items", skipping)) for _ in range(5)]
        for uri in ("a.mp3", "one.m3u"):
            with within(3, uri):
                assert api.add(uri)["count"] == 1
        for request in requests:
            answer = request.recv(65_536)
            assert b" 422 " in answer[:20] and b"too-many-references" in answer or b"lookup-timeout" in answer, answer
        assert b" 422 " in stack.enter_context(post(server, "/queue/items", failing)).recv(65_536)


def test_requests_of_disconnected_clients_are_dropped(server, api, slow_servers):
    """The running one is cancelled, those that wait never begin, and nothing of it is added."""
    slow = slow_servers[0]
    with contextlib.ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(add_list(server, f"{slow.url}/slow.m3u"))
        eventually(lambda: len(slow.requests) == 1, "the first is asked for")
    slow.serve("/quick.m3u", b"#EXTM3U\na.mp3\n", content_type="audio/x-mpegurl")
    began = time.monotonic()
    assert api.add({"list": f"{slow.url}/quick.m3u"})["count"] == 1
    assert time.monotonic() - began < 8
    # Beside the media, which is looked at.
    assert [request.path for request in slow.requests if request.path.endswith(".m3u")] == ["/slow.m3u", "/quick.m3u"]
    assert len(api.uris()) == 1


def large(element: bytes, last: bytes) -> bytes:
    count = (32 * MEGABYTE - 100 - len(last)) // (len(element) + 1)
    return b'{"items":[' + (element + b",") * min(count, 990_000) + last + b"]}"


BODIES = {
    "numbers": b'{"items":[' + b"1," * (16 * MEGABYTE - 20) + b"1]}",
    "the last is wrong": large(b'{"uri":"folder/some track.mp3"}', b'{"uri":7}'),
    "titles": large(b'{"uri":"folder/some track.mp3","title":"a title that is not short","artist":"and who made it"}', b"7"),
    "deep": large(b"[[[[[[[[]]]]]]]]", b"7"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_large_body_that_is_refused_leaves_nothing_behind(server, api, name):
    """32 MB of it: neither a tree of it meanwhile, nor its memory afterwards."""
    with post(server, "/queue", b'{"items":[]}', method="PUT") as connection:
        connection.recv(4096)
    before = server.resident_bytes()
    with post(server, "/queue", BODIES[name], method="PUT") as connection:
        status = connection.recv(4096).split()[1]
    assert status in (b"422", b"413")
    assert server.peak_bytes() - before < 200 * MEGABYTE
    eventually(lambda: server.resident_bytes() - before < 40 * MEGABYTE, "the memory is given back")


def test_a_large_body_is_refused_by_its_head(guarded):
    """A revision that is gone, no token, another type: nothing of the body is asked for."""
    server = guarded()

    def refused(*headers: str) -> bytes:
        return exchange(
            server.port, "\r\n".join(
                ["PUT /api/v1/queue HTTP/1.1", "Host: localhost", f"Content-Length: {20 * MEGABYTE}", "Expect: 100-continue",
                 *headers]).encode() + b"\r\n\r\n", whole=False)

    token = "Authorization: Bearer " + CONTROL
    for expected, headers in {
        b"412": (token, "Content-Type: application/json", 'If-Match: "x.1.none"'),
        b"401": ("Content-Type: application/json",),
        b"415": (token, "Content-Type: text/plain"),
        b"100": (token, "Content-Type: application/json"),
    }.items():
        assert refused(*headers).split()[1] == expected


def test_control_characters_in_fields_are_refused(server):
    for field in [b"Host: localhost\0.evil.example", b"Host: localhost\r\nOrigin: http://localhost\0x", b"Host: localhost\r\nX: \x01"]:
        request = b"GET /api/v1/player HTTP/1.1\r\n" + field + b"\r\nConnection: close\r\n\r\n"
        assert exchange(server.port, request).split()[1] == b"400"


def test_half_a_request_keeps_nobody_out(server, api):
    """Hundreds that send a head, or a body, byte by byte: others are served at once."""
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=20)) for _ in range(300)]
        for number, connection in enumerate(slow):
            if number % 2:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: loc")
            else:
                connection.sendall(
                    b"PUT /api/v1/queue HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n\r\n{")
        before = server.resident_bytes()
        with httpx.Client(trust_env=False, timeout=5) as fresh:
            for _ in range(20):
                assert fresh.get(f"{server.url}/api/v1/player").status_code == 200
        assert server.resident_bytes() - before < 20 * MEGABYTE


class LongList(Origin):
    """A stream of so many segments of 2 s, all of which sound alike: on demand, or live with a segment more every 2 s."""

    def __init__(self, segment: bytes, count: int, name: bytes):
        self.segment, self.count = segment, count
        lines = [b"#EXTINF:2,\n%06d%b.ts\n" % (number, name) for number in range(count + 1_000)]
        self.width, self.lines = len(lines[0]), b"".join(lines)
        self.began = time.monotonic()
        super().__init__()

    def text(self, count: int, first: int = 0, ending: bytes = b"") -> bytes:
        head = b"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:%d\n" % first
        return head + self.lines[first * self.width : (first + count) * self.width] + ending

    def _answer(self, connection, request) -> bool:
        body = {
            "/short.m3u8": lambda: self.text(20, ending=b"#EXT-X-ENDLIST\n"),
            "/whole.m3u8": lambda: self.text(self.count, ending=b"#EXT-X-ENDLIST\n"),
            "/live.m3u8": lambda: self.text(self.count, int((time.monotonic() - self.began) / 2)),
        }.get(request.path, lambda: self.segment)()
        kind = "video/mp2t" if body is self.segment else "application/vnd.apple.mpegurl"
        self._head(connection, 200, [("Content-Type", kind), ("Content-Length", str(len(body)))])
        connection.sendall(body)
        return True


@pytest.fixture
def long_list(media, directory):
    cut(media.chirp_wave, directory / "segments", *AAC)
    web = LongList((directory / "segments" / "list0.ts").read_bytes(), 49_000, b"x" * 60)
    assert 3.5 * MEGABYTE < len(web.text(web.count)) < 4 * MEGABYTE
    return web


@pytest.mark.parametrize("kind", ["whole", "live"])
def test_a_long_list_of_segments_takes_little(server, api, long_list, kind):
    """49,000 segments in 4 MB of text, just below what is refused."""
    api.start(f"{long_list.url}/short.m3u8", timeout=10)
    before = server.resident_bytes()
    api.start(f"{long_list.url}/{kind}.m3u8", timeout=20)
    if kind == "whole":
        assert api.player()["duration"] == 98_000
        for place in (86_399.5, 10.25, 97_990):
            api.call("POST", "/player/seek", json={"position": place})
            eventually(lambda place=place: place < api.player()["position"] < place + 5, "it plays there", timeout=10)
    else:
        eventually(lambda: len(long_list.log("/live.m3u8")) >= 6, "it is read again and again", timeout=40)
    assert server.resident_bytes() - before < 20 * MEGABYTE, "what stays"
    assert server.peak_bytes() - before < 30 * MEGABYTE, "the most"
