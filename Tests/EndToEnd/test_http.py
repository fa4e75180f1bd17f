# SPDX-License-Identifier: Apache-2.0
"""HTTP as such: methods, types, caching, keep-alive, the page's files."""

import asyncio
import concurrent.futures
import contextlib
import re
import socket
import time

import aiohttp
import httpx
import pytest

from rig import Api
from rig.contract import read_yaml


def test_a_client_that_ends_its_sending_half_is_answered(server):
    """As `nc -N` does it, behind the request and a moment later, also while other connections are kept."""
    asked = ["GET /api/v1/player", "GET /api/v1/browse", "GET /api/v1/media/info?uri=long.mp3",
             "GET /api/v1/library/tracks", "POST /api/v1/player/pause", "PUT /api/v1/queue"]
    with contextlib.ExitStack() as kept:
        for _ in range(5):
            for line in asked:
                body = '{"items":[]}' if line.startswith("PUT") else ""
                head = (f"{line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n")
                for later in (0, 0.01, 0):
                    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
                        connection.sendall((head + body).encode())
                        time.sleep(later)  # the moment is the subject
                        connection.shutdown(socket.SHUT_WR)
                        answer = b""
                        while block := connection.recv(65536):
                            answer += block
                    assert answer.startswith(b"HTTP/1.1 200 "), (line, answer[:300])
            idle = kept.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
            idle.sendall(b"GET /api/v1/player HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert idle.recv(65536)


def test_the_page_refuses_as_the_api_does(api):
    """Problem details outside of /api/v1 as well."""
    missing, written = api.request("GET", "//nothing.html"), api.request("DELETE", "//index.html")
    assert missing.status_code == 404 and written.status_code == 405 and written.headers["Allow"] == "GET, HEAD"
    for response in (missing, written):
        assert response.headers["Content-Type"] == "application/problem+json"
        assert response.json()["status"] == response.status_code and response.json()["code"]


def test_a_session_with_pooled_connections_opens_the_events(server):
    """Row 316: aiohttp sends the handshake on a connection of its pool, as Home Assistant does."""
    async def listen() -> list[str]:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1)) as session:
            async with session.get(f"{server.url}/api/v1/player") as response:
                assert response.status == 200
                await response.read()
            types = []
            async with session.ws_connect(f"{server.url}/api/v1/events") as channel:
                while len(types) < 2:
                    types.append((await channel.receive_json(timeout=20))["type"])
            return types

    # In a thread of its own: the page's tests leave a loop in this one.
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for _ in range(3):
            assert pool.submit(asyncio.run, listen()).result(60) == ["hello", "snapshot"]


@pytest.mark.smoke
def test_health_and_metrics(api):
    """Rows 239: underruns and the rest as Prometheus text."""
    assert api.request("GET", "//healthz").status_code == 200
    assert api.request("GET", "//readyz").status_code == 200
    for path in ("//healthz", "//readyz"):
        head = api.request("HEAD", path)
        assert head.status_code == 200 and not head.content
        assert head.headers["Content-Length"] == api.request("GET", path).headers["Content-Length"]
        assert api.request("OPTIONS", path).headers["Allow"] == "GET, HEAD, OPTIONS"
        assert api.request("POST", path).status_code == 405
    response = api.request("GET", "//metrics")
    assert response.headers["Content-Type"].startswith("text/plain")
    for line in response.text.splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            assert name and float(value) == float(value), line
    assert "underruns" in response.text


@pytest.mark.shared
def test_nothing_but_the_page_is_served(server):
    """No path leads out of the page's directory."""
    for path in ["/../README.md", "/..%2fREADME.md", "/%2e%2e/README.md", "/....//README.md", "/\\..\\README.md",
                 "//etc/passwd", "/%00", "/.git/config", "/styles/..%5c..%5cPackage.swift"]:
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = connection.makefile("rb").read()
        assert answer.split()[1] in (b"400", b"403", b"404"), answer[:200]


def test_many_query_parameters_end_nothing(server):
    """Nor later ones on a connection that is kept. libmicrohttpd 0.9.75 crashes on them."""
    for count in [500, 700, 2000]:
        with httpx.Client(base_url=server.url, trust_env=False) as client:
            query = "&".join(f"a={number % 10}" for number in range(count))
            for _ in range(2):
                assert client.get(f"/api/v1/player?{query}").status_code == 422
                assert client.get("/healthz").status_code == 200


def test_percent_encoding_makes_no_other_address(api, server, open_events):
    """RFC 3986 section 6.2.2.2: letters, digits and -._~ are the same encoded; a slash is not."""
    assert api.request("GET", "/players/%6d%61in").json()["id"] == "main"
    assert api.request("GET", "/pl%61yer").status_code == 200
    for path in ("/players%2Fmain", "/players/%256dain"):
        assert api.request("GET", path).status_code == 404, path
    assert server.events_url.endswith("/events")
    open_events(url=server.events_url.replace("/events", "/%65vents")).wait_for("hello")


def test_lengths_are_counted_as_the_contract_does(api):
    """JSON Schema: maxLength counts code points."""
    for letter in "xé😀":
        item = {"uri": "long.mp3", "title": letter * 1024}
        assert api.request("POST", "/queue/items", json={"items": [item]}).status_code == 201
        item["title"] += letter
        assert api.refusal("POST", "/queue/items", json={"items": [item]}, of="member") == (422, "items[0].title")
        for name, status in ((letter * 100, 201), (letter * 101, 422)):
            assert api.request("POST", "/playlists", json={"name": name, "items": []}).status_code == status
        assert api.request("PATCH", "/player", json={"name": letter * 100}).status_code == 200
        assert api.request("PATCH", "/player", json={"name": letter * 101}).status_code == 422
    # The family is one for the eye, and seven code points.
    assert api.request("PATCH", "/player", json={"name": "👨‍👩‍👧‍👦" * 15}).status_code == 422
    assert api.request("POST", "/queue/items", json={"items": [{"uri": "é" * 4096}]}).status_code != 500


@pytest.mark.shared
def test_names_of_playlists_are_those_of_the_contract(api):
    schema = read_yaml(api.request("GET", "//openapi.yaml").text)["components"]["schemas"]["NewPlaylist"]["properties"]["name"]
    for name in ["a\nb", " \t", "", " ", "a\x85", "x" * 101, "a", " a ", "ü" * 100]:
        fits = schema["minLength"] <= len(name) <= schema["maxLength"] and re.search(schema["pattern"], name)
        assert (api.request("POST", "/playlists", json={"name": name, "items": []}).status_code == 201) == bool(fits)


def test_member_out_of_range_is_named(api):
    """DESIGN section 4: 422 names the member."""
    ids = api.load("long.mp3", "chirp.mp3")
    for path, body, member in (("/player/play", {"index": 9}, "index"), ("/queue/move", {"ids": ids[:1], "position": 9}, "position"),
                               ("/queue/items", {"items": [{"uri": "long.mp3"}], "position": 9}, "position")):
        response = api.request("POST", path, json=body)
        assert response.status_code == 422 and response.json().get("member") == member, response.text
    response = api.request("PATCH", "/player", json={"remoteCommands": {"skip": True}})
    assert response.status_code == 422 and response.json().get("member") == "remoteCommands.skip"
    assert api.refusal("PATCH", "/player", json={"volume": 0.2, "volumeRamp": {"to": 1, "seconds": 0}}, of="member") == (422, "volume")
    assert api.refusal("PATCH", "/player", json={"muted": None}, of="member") == (422, "muted")
    assert api.player()["volume"] == 1 and api.settings(volumeRamp={"to": 0.5, "seconds": 0})["volume"] == 0.5


def test_an_exported_playlist_is_not_sent_twice(api):
    api.load("long.mp3")
    made = api.call("POST", "/playlists", json={"name": "p", "fromQueue": True})["id"]
    tag = api.request("GET", f"/playlists/{made}/m3u8").headers["ETag"]
    again = api.request("GET", f"/playlists/{made}/m3u8", headers={"If-None-Match": tag})
    assert again.status_code == 304 and again.headers["ETag"] == tag and not again.content
    api.call("PATCH", f"/playlists/{made}", json={"name": "q"})
    assert api.request("GET", f"/playlists/{made}/m3u8", headers={"If-None-Match": tag}).status_code == 200


def test_secrets_in_the_address_of_a_picture_are_hidden(server, api, open_events):
    """As those of `uri` are; also after a restart, and a title changed leaves them alone."""
    log = open_events("events=item,queue")
    address = "http://user:PASSWORD@127.0.0.1:1/cover.jpg?token=TOKEN&size=2"
    shown = "http://***@127.0.0.1:1/cover.jpg?token=***&size=2"
    (identifier,) = api.load({"uri": "long.mp3", "artworkUri": address})
    api.play()
    log.wait_for("item")

    def told() -> list[str]:
        return [api.queue()["items"][0]["artworkUri"], api.player()["item"]["artworkUri"],
                api.call("GET", f"/queue/items/{identifier}")["artworkUri"]]

    assert told() == [shown] * 3
    assert "PASSWORD" not in str([event.message for event in log.since()]) + api.request("GET", "/player").text
    changed = api.call("PATCH", f"/queue/items/{identifier}", json={"title": "T"})
    assert (changed["artworkUri"], changed["title"]) == (shown, "T")
    server.stop()
    again = Api(server.start().url)
    assert again.queue()["items"][0]["artworkUri"] == shown
