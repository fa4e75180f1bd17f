# SPDX-License-Identifier: Apache-2.0
"""Rights of clients (DESIGN section 6)."""

import socket

import httpx
import pytest
import websockets

from rig import Api, EventLog, eventually, tonearm
from rig.access import ADMIN, CONTROL, READ, own_address


def test_strangers_need_the_token(open_to_all):
    """401 without, 401 with a wrong one, 200 with it; the token file is private; the printed link carries it."""
    url, token = open_to_all.url, open_to_all.token
    assert open_to_all.token_file.stat().st_mode & 0o077 == 0
    # The requests are answered before the link is printed.
    eventually(lambda: token in open_to_all.server.log(), "the link is printed")
    for headers, status in (({}, 401), ({"Authorization": "Bearer wrong"}, 401), ({"Authorization": f"Basic {token}"}, 401),
                            ({"Authorization": f"Bearer {token[:-1]}"}, 401), ({"Authorization": f"Bearer {token}"}, 200)):
        response = httpx.get(f"{url}/api/v1/player", headers=headers, trust_env=False)
        assert response.status_code == status, headers
        if status == 401:
            assert "Bearer" in response.headers["WWW-Authenticate"]
            assert response.headers["Content-Type"] == "application/problem+json"
    assert httpx.post(f"{url}/api/v1/player/pause", trust_env=False).status_code == 401
    # The page, which asks for the token, needs none.
    assert {httpx.get(url + path, trust_env=False).status_code for path in ("/", "/healthz")} == {200}


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


def own_token(server) -> dict[str, str]:
    """The token that the server made at its first start."""
    return {"Authorization": "Bearer " + (server.data / "tokens").read_text().strip()}


def test_a_proxy_on_this_machine_makes_nobody_admin(start_server, directory):
    """Row 257: what a proxy adds takes the openness of loopback away, for REST and events; a Unix socket works."""
    path = directory / "socket"
    server = start_server(arguments=("--socket", str(path)))
    token = own_token(server)
    for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"):
        header = {name: "for=192.0.2.1" if name == "Forwarded" else "192.0.2.1"}
        for method, resource in (("GET", "player"), ("POST", "player/pause"), ("GET", "queue"), ("GET", "events")):
            response = httpx.request(method, f"{server.url}/api/v1/{resource}", headers=header, trust_env=False)
            assert response.status_code == 401, (name, resource)
            assert response.headers["Content-Type"] == "application/problem+json"
        with pytest.raises(websockets.InvalidStatus) as refused:
            EventLog(server.events_url, additional_headers=header)
        assert refused.value.response.status_code == 401
        assert httpx.get(f"{server.url}/api/v1/player", headers=header | token, trust_env=False).status_code == 200
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://localhost") as client:
        assert client.get("/api/v1/player").status_code == 200
        assert client.get("/api/v1/player", headers={"X-Forwarded-For": "192.0.2.1"}).status_code == 401
        assert client.get("/api/v1/player", headers={"X-Forwarded-For": "192.0.2.1"} | token).status_code == 200
    server.stop()
    assert not path.exists()


@pytest.mark.parametrize("arguments", [("--allow-host", "radio.example"), ("--allow-origin", "https://friend.example")])
def test_names_and_origins_of_others_need_a_token_on_loopback_too(start_server, arguments):
    """A server for others than this machine's users: nothing is open."""
    server = start_server(arguments=arguments)
    assert httpx.get(f"{server.url}/api/v1/player", trust_env=False).status_code == 401
    assert httpx.get(f"{server.url}/api/v1/player", headers=own_token(server), trust_env=False).status_code == 200


def test_the_token_is_shown_when_made_and_by_the_link_command(start_server, directory):
    """Row 258: later starts, and a journal, hold no token; `tonearm link` prints it."""
    server = start_server(arguments=("--allow-host", "radio.example"))
    token = (server.data / "tokens").read_text().strip()
    eventually(lambda: server.log().count(token) == 1, "the link is printed")
    server.restart()
    eventually(lambda: "tonearm link" in server.log(), "the start is logged")
    assert server.log().count(token) == 1
    link = tonearm("link", "--data", str(server.data), "--port", str(server.port))
    assert link.returncode == 0 and link.stdout.strip() == f"http://127.0.0.1:{server.port}/#token={token}"
    by_file = tonearm("link", "--data", str(server.data), "--port", "0", "--port-file", str(server.port_file))
    assert by_file.stdout == link.stdout and by_file.stderr == ""
    missing = tonearm("link", "--data", str(directory / "nothing"))
    assert missing.returncode != 0 and "tokens does not exist" in missing.stderr and not (directory / "nothing").exists()
    server.stop()
    early = tonearm("link", "--data", str(server.data), "--port", str(server.port))
    assert early.returncode == 0 and early.stdout == link.stdout and f"found no server of this user on port {server.port}" in early.stderr


def test_the_link_leads_to_the_network_where_the_server_listens_there(open_to_all):
    """The command gets neither --host nor TONEARM_HOST."""
    server = open_to_all.server
    link = tonearm("link", "--data", str(server.data), "--port", str(server.port), "--token-file", str(open_to_all.token_file))
    assert link.stdout.strip() == f"{open_to_all.url}/#token={open_to_all.token}", link


def test_the_server_names_the_scope_of_the_token(guarded):
    server = guarded()
    for scope, token in (("read", READ), ("control", CONTROL), ("admin", ADMIN)):
        assert Api(server.url, token).call("GET", "/server")["scope"] == scope
        assert tonearm("status", "--server", f"{server.url}/#token={token}").returncode == 0, "the link carries it"


def test_the_journal_holds_no_token(start_server):
    """Row 258: not even the first start writes it there."""
    server = start_server(launch_only=True, arguments=("--allow-host", "radio.example"))
    server.stop()
    (server.data / "tokens").unlink(missing_ok=True)
    status = server.log_path.stat()
    server.environment["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino}"
    before = len(server.log())
    server.start()
    # The requests are answered before it is written.
    eventually(lambda: "tonearm link" in server.log()[before:], "the way to the link is reported")
    assert "#token=" not in server.log()[before:]


def test_a_token_file_that_others_may_read_is_refused(start_server, directory):
    """Row 258: as ssh does; the message names the file and what to do."""
    file = directory / "tokens"
    file.write_text("0123456789abcdef0123\n")
    for mode in (0o644, 0o640, 0o604, 0o660):
        file.chmod(mode)
        refused = tonearm("serve", "--port", "0", "--output", "null", "--data", str(directory / "data"), "--token-file", str(file))
        assert refused.returncode == 78 and f"chmod 600 {file}" in refused.stderr, (oct(mode), refused.stderr)
    for mode in (0o600, 0o400):
        file.chmod(mode)
        start_server(arguments=("--token-file", str(file))).stop()


def test_anonymous_is_a_choice(start_server):
    """`--anonymous` opens it, said plainly by whoever starts it."""
    address = own_address()
    if address is None:
        pytest.skip("this machine has only loopback")
    server = start_server(host="0.0.0.0", arguments=("--anonymous",))
    assert httpx.get(f"http://{address}:{server.port}/api/v1/player", trust_env=False).status_code == 200


def test_the_host_header_must_name_this_server(start_server):
    """DNS rebinding: only IP literals, localhost, the machine's name and allowed names."""
    server = start_server(arguments=("--allow-host", "radio.example"))
    for host, allowed in [
        ("127.0.0.1", True), ("localhost", True), ("[::1]", True), ("192.168.1.20:8080", True), (socket.gethostname(), True),
        ("radio.example", True), ("evil.example", False), ("evil.example:8080", False), ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False), ("", False), ("127.0.0.1@evil.example", False)]:
        headers = {"Host": host} | own_token(server)
        response = httpx.get(f"{server.url}/api/v1/player", headers=headers, trust_env=False)
        assert (response.status_code == 200) == allowed, response.text
        if not allowed:
            assert response.status_code in (400, 403, 421)


def test_foreign_pages_cannot_write_or_listen(start_server):
    """A foreign Origin is refused on writes and on events; an allowed one is not."""
    server = start_server(arguments=("--allow-origin", "https://friend.example"))
    token = own_token(server)
    for origin, allowed in [("http://evil.example", False), ("null", False), ("https://friend.example", True), (server.url, True)]:
        response = httpx.post(f"{server.url}/api/v1/player/pause", headers={"Origin": origin} | token, trust_env=False)
        assert (response.status_code != 403) == allowed
        try:
            EventLog(server.events_url, origin=origin, additional_headers=token).close()
            assert allowed
        except websockets.InvalidStatus as refused:
            assert not allowed and refused.response.status_code == 403


@pytest.mark.smoke
def test_cross_site_forms_cannot_write(api):
    """A body needs a JSON type: what a form can send is 415; without a body none is needed."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None):
        headers = {"Content-Type": kind} if kind else {}
        assert api.request("PATCH", "/player", content=b'{"volume":0.1}', headers=headers).status_code == 415, kind
    assert api.player()["volume"] == 1
    assert api.request("POST", "/player/pause").status_code in (200, 409)


def test_a_list_of_the_web_is_fetched_for_who_may_add_it(guarded, origin):
    """Not for a token that only reads, nor for a picture's address in a page from elsewhere; the origin hears nothing of it."""
    server = guarded()
    origin.serve("/a.m3u", f"#EXTM3U\n{origin.url}/a.mp3\n".encode())

    def ask(secret: str, **headers: str) -> int:
        return httpx.get(f"{server.url}/api/v1/media/list", params={"uri": f"{origin.url}/a.m3u"}, trust_env=False,
                         headers={"Authorization": f"Bearer {secret}"} | headers).status_code

    assert ask(READ) == 403
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert ask(CONTROL, **headers) == 403, headers
    assert origin.requests == []
    assert ask(CONTROL, **{"Sec-Fetch-Site": "same-origin"}) == 200
