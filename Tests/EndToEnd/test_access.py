# SPDX-License-Identifier: Apache-2.0
"""Who may do what (DESIGN section 6)."""

import socket

import httpx
import pytest
import websockets

from rig import EventLog
from rig.access import own_address
from rig.raw import exchange


def test_strangers_need_the_token(open_to_all):
    """401 without, 401 with a wrong one, 200 with it; the token file is private; the printed link carries it."""
    url, token = open_to_all.url, open_to_all.token
    assert open_to_all.token_file.stat().st_mode & 0o077 == 0
    assert token in open_to_all.server.log()
    for headers, status in (({}, 401), ({"Authorization": "Bearer wrong"}, 401), ({"Authorization": f"Basic {token}"}, 401),
                            ({"Authorization": f"Bearer {token[:-1]}"}, 401), ({"Authorization": f"Bearer {token}"}, 200)):
        response = httpx.get(f"{url}/api/v1/player", headers=headers, trust_env=False)
        assert response.status_code == status, headers
        if status == 401:
            assert "Bearer" in response.headers["WWW-Authenticate"]
            assert response.headers["Content-Type"] == "application/problem+json"
    assert httpx.post(f"{url}/api/v1/player/pause", trust_env=False).status_code == 401


def test_events_need_the_token_too(open_to_all):
    """By header, or by subprotocol for browsers; the protocol echoed is tonearm.v1, never the token."""
    token = open_to_all.token
    events = open_to_all.url.replace("http:", "ws:") + "/api/v1/events"
    with pytest.raises(websockets.InvalidStatus) as refused:
        EventLog(events)
    assert refused.value.response.status_code == 401
    log = EventLog(events, additional_headers={"Authorization": f"Bearer {token}"})
    log.wait_for("snapshot")
    log.close()
    log = EventLog(events, subprotocols=["tonearm.v1", f"bearer.{token}"])
    log.wait_for("snapshot")
    assert log.socket.subprotocol == "tonearm.v1"
    log.close()


def test_the_page_itself_is_open_so_that_it_can_ask_for_the_token(open_to_all):
    """A phone opens the link first; what the page shows needs the token."""
    url = open_to_all.url
    assert httpx.get(url + "/", trust_env=False).status_code == 200
    assert httpx.get(url + "/healthz", trust_env=False).status_code == 200


def test_anonymous_is_a_choice(start_server):
    """`--anonymous` opens it, said plainly by whoever starts it."""
    address = own_address()
    if address is None:
        pytest.skip("this machine has only loopback")
    server = start_server(host="0.0.0.0", arguments=("--anonymous",))
    assert httpx.get(f"http://{address}:{server.port}/api/v1/player", trust_env=False).status_code == 200


@pytest.mark.parametrize("host,allowed", [
    ("127.0.0.1", True), ("localhost", True), ("[::1]", True), ("192.168.1.20:8080", True), (socket.gethostname(), True),
    ("radio.example", True), ("evil.example", False), ("evil.example:8080", False), ("127.0.0.1.evil.example", False),
    ("localhost.evil.example", False), ("", False), ("127.0.0.1@evil.example", False)])
def test_the_host_header_must_name_this_server(start_server, host, allowed):
    """DNS rebinding: only IP literals, localhost, the machine's name and allowed names."""
    server = start_server(arguments=("--allow-host", "radio.example"))
    response = httpx.get(f"{server.url}/api/v1/player", headers={"Host": host}, trust_env=False)
    assert (response.status_code == 200) == allowed, response.text
    if not allowed:
        assert response.status_code in (400, 403, 421)


@pytest.mark.parametrize("origin,allowed", [("http://evil.example", False), ("null", False), ("https://friend.example", True)])
def test_foreign_pages_cannot_write_or_listen(start_server, origin, allowed):
    """A foreign Origin is refused on writes and on events; an allowed one is not."""
    server = start_server(arguments=("--allow-origin", "https://friend.example"))
    response = httpx.post(f"{server.url}/api/v1/player/pause", headers={"Origin": origin}, trust_env=False)
    assert (response.status_code != 403) == allowed
    try:
        EventLog(server.events_url, origin=origin).close()
        assert allowed
    except websockets.InvalidStatus as refused:
        assert not allowed and refused.response.status_code == 403


@pytest.mark.parametrize("first, second", [("https://friend.example", "http://evil.example"), ("http://evil.example", "https://friend.example")])
def test_two_origins_are_refused(start_server, first, second):
    """Whoever passes the request on may believe the other one."""
    server = start_server(arguments=("--allow-origin", "https://friend.example"))
    origins = f"Origin: {first}\r\nOrigin: {second}\r\n"
    write = exchange(server.port, f"POST /api/v1/player/pause HTTP/1.1\r\nHost: localhost\r\n{origins}Connection: close\r\n\r\n".encode())
    assert write.startswith(b"HTTP/1.1 403") and b"origin-not-allowed" in write
    channel = exchange(server.port, (
        f"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n{origins}Upgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
    assert channel.startswith(b"HTTP/1.1 403")


def test_the_own_origin_may_do_all(server, api):
    """The page itself."""
    own = server.url
    assert api.request("PATCH", "/player", json={"volume": 0.5}, headers={"Origin": own}).status_code == 200
    EventLog(server.events_url, origin=own).close()


def test_cross_site_forms_cannot_write(api):
    """A body needs a JSON type: what a form can send is 415; without a body none is needed."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None):
        headers = {"Content-Type": kind} if kind else {}
        response = api.request("PATCH", "/player", content=b'{"volume":0.1}', headers=headers)
        assert response.status_code == 415, kind
    assert api.player()["volume"] == 1
    assert api.request("POST", "/player/pause").status_code in (200, 409)


def test_no_get_changes_anything(api):
    """Every writing path refuses GET with 405 and Allow, or only reads."""
    api.load("long.mp3")
    api.wait_status("ready")
    before = api.player()["version"]
    for path in ("play", "pause", "toggle", "stop", "next", "previous", "seek"):
        response = api.request("GET", f"/player/{path}")
        assert response.status_code == 405 and "POST" in response.headers["Allow"]
    for path in ("/queue/move", "/queue/remove", "/queue/undo", "/queue/shuffle", "/queue/redo"):
        assert api.request("GET", path).status_code == 405
    assert api.player()["version"] == before


def test_a_list_of_the_web_is_fetched_for_who_may_add_it(start_server, directory):
    """Not for a token that only reads, nor for a picture's address in a page from elsewhere; the origin hears nothing of it."""
    from rig import Origin

    tokens = directory / "tokens"
    tokens.write_text("reading-reading-reading read\ncontrol-control-control control\n")
    tokens.chmod(0o600)
    server = start_server(arguments=("--token-file", str(tokens)))
    origin = Origin()
    origin.serve("/a.m3u", f"#EXTM3U\n{origin.url}/a.mp3\n".encode())
    try:
        def ask(secret: str, **headers: str) -> int:
            return httpx.get(f"{server.url}/api/v1/media/list", params={"uri": f"{origin.url}/a.m3u"}, trust_env=False,
                             headers={"Authorization": f"Bearer {secret}"} | headers).status_code

        assert ask("reading-reading-reading") == 403
        for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert ask("control-control-control", **headers) == 403, headers
        assert origin.requests == []
        assert ask("control-control-control", **{"Sec-Fetch-Site": "same-origin"}) == 200
    finally:
        origin.close()
