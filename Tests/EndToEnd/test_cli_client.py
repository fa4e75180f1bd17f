# SPDX-License-Identifier: Apache-2.0
"""The commands to a running server: their arguments, and what they tell when something is wrong."""

import http.server
import json
import re
import socket
import threading

import pytest

from rig import Api, Origin, eventually
from rig.commandline import client, in_a_terminal, tonearm
from rig.radio import Radio


def test_volume_goes_up_and_down_with_and_without_dashes(server):
    environment = client(server)
    for change, volume in [(("-5",), 35), (("--", "-5"), 35), (("+5",), 45), (("--", "+5"), 45), (("--", "30"), 30)]:
        assert tonearm("volume", "40", environment=environment).returncode == 0
        result = tonearm("volume", *change, environment=environment)
        assert result.returncode == 0 and result.stdout.strip() == str(volume), result
    assert "--" in tonearm("help", "volume").stdout.split("USAGE")[0]


def test_set_changes_any_setting(server, api):
    environment = client(server)
    for key, value, expected in (("previousRestartsAfter", "7.5", 7.5), ("balance", "-0.5", -0.5), ("muted", "on", True), ("repeat", "all", "all"),
                                 ("name", "Küche 2", "Küche 2"), ("remoteCommands.skipInterval", "15", 15), ("remoteCommands.skip", "on", True)):
        result = tonearm("set", key, value, environment=environment)
        assert result.returncode == 0, result
        found = api.player()
        for name in key.split("."):
            found = found[name]
        assert found == expected, key
    refused = tonearm("set", "remoteCommands.skipInterval", "none", environment=environment)
    assert refused.returncode == 1 and "remoteCommands.skip needs" in refused.stderr, "the server checks as well"
    assert "previousRestartsAfter: a number from 0 to 3600" in tonearm("help", "set").stdout


def test_sleep_is_set_shown_and_taken_back(server, api):
    environment = client(server)

    def timers() -> list[dict]:
        return api.call("GET", "/timers")["timers"]

    def sleep(*arguments: str):
        result = tonearm("sleep", *arguments, environment=environment)
        assert result.returncode == 0 and result.stderr == "", result
        return result.stdout.strip()

    api.load("long.mp3", play=True)
    assert sleep() == sleep("off") == "No sleep timer is set."
    assert sleep("30m", "--fade", "20").startswith("The music pauses in ")
    timer, = timers()
    assert timer["type"] == "sleep" and timer["fade"] == 20
    assert re.fullmatch(r"The music pauses in (29:5\d|30:00)\.", sleep())
    assert sleep("item") == sleep() == "The music pauses at the end of the item." and timers()[0]["until"] == "end-of-item"
    assert sleep("off") == "The sleep timer is off." and timers() == []
    wrong = tonearm("sleep", "soon", environment=environment)
    assert wrong.returncode == 64 and "soon is no time" in wrong.stderr
    too_long = tonearm("sleep", "9999h", environment=environment)
    assert too_long.returncode == 1 and "after must be from 0.1 to 604800." in too_long.stderr


def test_status_shows_crossfade_and_speed_unless_they_are_usual(server, api):
    environment = client(server)
    assert not re.search("crossfade|speed", tonearm("status", environment=environment).stdout)
    api.call("PATCH", "/player", json={"crossfade": 4.5, "playbackRate": 1.25})
    assert re.search(r"crossfade +4.5 s\nspeed +1.25\n", tonearm("status", environment=environment).stdout)


def test_an_alarm_is_set_listed_switched_and_removed(server, api):
    environment = client(server)

    def alarm(*arguments: str):
        return tonearm("alarm", *arguments, environment=environment)

    added = alarm("add", "7:00", "long.mp3", "--days", "mon,fri", "--volume", "30", "--ramp", "5", "--zone", "Europe/Berlin", "--fallback", "low.mp3")
    assert added.returncode == 0, added
    timer, = api.call("GET", "/timers")["timers"]
    assert added.stdout.startswith(f"{timer['id']} in ")
    wanted = {"type": "alarm", "time": "07:00", "days": ["mon", "fri"], "timeZone": "Europe/Berlin", "level": 0.3, "ramp": 5, "enabled": True, "fallback": "low.mp3"}
    assert {key: timer[key] for key in wanted} == wanted and [item["uri"] for item in timer["items"]] == ["long.mp3"]
    shown = alarm("list").stdout.split()
    assert shown[:5] == [timer["id"], "07:00", "mon,fri", "Europe/Berlin", "waiting"] and shown[-1] == "long.mp3"
    assert json.loads(alarm("--json").stdout) == {"timers": [timer]}
    assert alarm("set", timer["id"], "off").returncode == 0
    assert api.call("GET", "/timers")["timers"][0]["enabled"] is False and " off" in alarm().stdout
    assert (alarm("snooze").returncode, alarm("snooze").stderr) == (1, "tonearm: No alarm is ringing.\n")
    assert alarm("remove", timer["id"]).returncode == 0
    again = alarm("remove", timer["id"])
    assert again.returncode == 1 and len(again.stderr.splitlines()) == 1 and alarm().stdout == "There are no alarms.\n"


def test_render_jobs_are_listed_fetched_and_cancelled(server, api, directory):
    environment = client(server)

    def renders(*arguments: str):
        return tonearm("renders", *arguments, environment=environment)

    assert renders().stdout == "There are no render jobs.\n"
    job = api.request("POST", "/renders", json={"items": [{"uri": "short-0.mp3"}], "format": "wav"}).json()["id"]
    eventually(lambda: api.call("GET", f"/renders/{job}")["status"] == "completed", "it is rendered", timeout=30)
    assert renders().stdout.split()[:3] == [job, "completed", "wav"] and json.loads(renders("list", "--json").stdout)["renders"][0]["id"] == job
    file = directory / "a.wav"
    fetched = renders("download", job, str(file))
    assert fetched.returncode == 0, fetched
    assert file.read_bytes() == api.request("GET", f"/renders/{job}/file").content and len(file.read_bytes()) > 40_000
    assert not (directory / "a.wav.partial").exists()
    for target in (str(directory), str(directory / "none" / "a.wav")):
        refused = renders("download", job, target)
        assert refused.returncode in (1, 73) and len(refused.stderr.splitlines()) == 1, refused
    failed = api.request("POST", "/renders", json={"items": [{"uri": "short-0.mp3"}, {"uri": "http://127.0.0.1:9/x.mp3"}]}).json()["id"]
    eventually(lambda: api.call("GET", f"/renders/{failed}")["status"] == "failed", "it has failed", timeout=30)
    refused = renders("download", failed, str(file))
    assert refused.returncode == 1 and f"{failed} is failed" in refused.stderr
    for gone in (job, failed):
        assert renders("cancel", gone).returncode == 0
    for missing in (job, "../player", "A b"):
        refused = renders("cancel", missing)
        assert refused.returncode == 1 and len(refused.stderr.splitlines()) == 1, refused
    assert renders().stdout == "There are no render jobs.\n"


def test_an_alarm_is_changed(server, api):
    environment = client(server)
    timer = api.call("POST", "/timers", json={"type": "alarm", "time": "07:00", "items": [{"uri": "long.mp3"}], "days": ["mon"]})
    changed = tonearm("alarm", "set", timer["id"], "--time", "8:30", "--days", "once", "--snooze", "300", "--volume", "30", "--ramp", "5", "--play", "short-0.mp3", environment=environment)
    assert changed.returncode == 0 and changed.stdout.startswith(f"{timer['id']} in "), changed
    new, = api.call("GET", "/timers")["timers"]
    wanted = {"time": "08:30", "days": [], "snooze": 300, "level": 0.3, "ramp": 5, "enabled": True}
    assert {key: new[key] for key in wanted} == wanted and [item["uri"] for item in new["items"]] == ["short-0.mp3"]
    assert tonearm("alarm", "set", timer["id"], environment=environment).returncode == 64


def test_loop_levels_prime_and_a_start_at_a_time(server, api):
    environment = client(server)

    def run(*arguments: str) -> str:
        result = tonearm(*arguments, environment=environment)
        assert result.returncode == 0, result
        return result.stdout

    api.load("long.mp3")
    assert tonearm("levels", environment=environment).returncode == 1, "nothing sounds"
    assert re.fullmatch(r"[0-9.]+ s are ready.\n", run("prime", "--seconds", "0.5"))
    assert run("play", "--at", "1h").startswith("It plays in ")
    start, = api.call("GET", "/timers")["timers"]
    assert start["type"] == "start"
    api.play()
    run("loop", "0:01", "2.5")
    assert api.player()["abLoop"] == {"begin": 1, "end": 2.5}
    run("loop", "off")
    assert api.player()["abLoop"] is None
    api.wait_status("playing")
    assert re.fullmatch(r"average( -?[0-9.]+)+  peak( -?[0-9.]+)+  loudness -?[0-9.]+ LUFS\n", run("levels"))
    assert json.loads(run("levels", "--json"))["type"] == "levels"


def test_a_render_job_is_started(server, api):
    environment = client(server)
    job = tonearm("renders", "start", "short-0.mp3", "--format", "flac", "--duration", "0:01", "--no-effects", environment=environment)
    assert job.returncode == 0, job
    shown = api.call("GET", f"/renders/{job.stdout.strip()}")
    assert shown["format"] == "flac" and shown["effects"] is False
    empty = tonearm("renders", "start", environment=environment)
    assert empty.returncode == 1 and len(empty.stderr.splitlines()) == 1, empty


@pytest.mark.parametrize("arguments", [("volume", "loud"), ("set", "volume", "2"), ("set", "colour", "1"), ("set", "muted", "perhaps"), ("volume", "101"), ("volume", "--", "-5", "-6"), ("seek", "nowhere"), ("seek", "--"),
                                       ("interrupt", "began", "--stay-paused")])
def test_a_wrong_argument_leads_to_the_help_of_its_command(arguments):
    result = tonearm(*arguments)
    assert result.returncode == 64 and f"Usage: tonearm {arguments[0]} " in result.stderr, result


def test_browse_looks_into_a_playlist(start_server, directory, media):
    """A playlist file or feed is its entries, each of which can be added; a folder of such a name stays a folder."""
    music = directory / "music"
    (music / "lists" / "folder.m3u").mkdir(parents=True)
    (music / "low.mp3").write_bytes(media.path("low.mp3").read_bytes())
    (music / "lists" / "folder.m3u" / "chirp.mp3").write_bytes(media.path("chirp.mp3").read_bytes())
    (music / "lists" / "a.m3u").write_text("#EXTM3U\n../low.mp3\nhttp://127.0.0.1:1/live\n")
    (music / "feed.xml").write_text('<rss version="2.0"><channel><title>S</title><item><title>One</title>'
                                    '<enclosure url="low.mp3" type="audio/mpeg"/></item></channel></rss>')
    (music / "empty.m3u").write_text("#EXTM3U\n")
    environment = client(start_server(music=music))

    def lines(*arguments: str) -> list[str]:
        result = tonearm("browse", *arguments, environment=environment)
        assert result.returncode == 0, result
        return result.stdout.splitlines()

    assert lines("lists/a.m3u") == ["low.mp3", "http://127.0.0.1:1/live"]
    assert lines("feed.xml") == ["low.mp3"]
    (local, _) = lines(str(music / "lists" / "a.m3u"))
    for name in ("low.mp3", local):
        assert tonearm("add", name, environment=environment).returncode == 0, name
    assert lines("lists/folder.m3u") == lines("lists/folder.m3u/") == ["lists/folder.m3u/chirp.mp3"]
    assert json.loads(lines("lists/a.m3u", "--json")[0])["items"][0]["uri"] == "low.mp3"
    origin = Origin()
    origin.serve("/feed", f'<rss version="2.0"><channel><title>S</title><item><enclosure url="{origin.url}/song" type="audio/mpeg"/></item>'
                          "</channel></rss>".encode())
    assert lines(f"{origin.url}/feed") == [f"{origin.url}/song"]
    origin.close()
    for name, word in (("empty.m3u", "without entries"), ("gone.m3u", "gone.m3u"), ("low.mp3", "not a folder"), ("gone", "gone")):
        result = tonearm("browse", name, environment=environment)
        assert result.returncode == 1 and word in result.stderr and len(result.stderr.splitlines()) == 1, result


@pytest.mark.parametrize("options", [("--player", "kitchen"), ("--player=kitchen",)])
def test_options_may_stand_before_the_command(server, api, options):
    """Also before a command of commands; what is nearer to the command does not count less. The commands without a server refuse them."""
    address = ("--server", server.url)
    nowhere = ("--server", "http://127.0.0.1:1")
    assert tonearm(*address, "players", "add", "kitchen").returncode == 0
    assert tonearm("players", *address, "--ids").stdout.split() == ["main", "kitchen"]
    assert tonearm(*address, *options, "volume", "--", "-5").stdout.strip() == "95"
    assert tonearm(*nowhere, "volume", "-5", *options, *address).stdout.strip() == "90"
    assert tonearm(*address, "volume").stdout.strip() == "100"
    assert tonearm("status", *nowhere).returncode == 69
    for arguments in (("info", "x"), ("render", "x", "y"), ("doctor",), ("serve", "--port", "x")):
        result = tonearm(*options, *arguments, timeout=10)
        assert result.returncode == 64 and "--player" in result.stderr, result


def test_ids_for_a_shell_are_ids_only(directory):
    """Completion expands what it is given: a server's `$(command)` must not reach it."""
    answer = json.dumps({"players": [
        {"id": name, "name": "x", "status": "idle", "volume": 1, "level": 1, "muted": False}
        for name in ("kitchen", "$(touch /tmp/x)", "`id`", "a b", "a;b", "../x")]}).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *arguments):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as other:
        thread = threading.Thread(target=other.serve_forever, daemon=True)
        thread.start()
        result = tonearm("players", "--ids", "--server", f"http://127.0.0.1:{other.server_port}")
        other.shutdown()
    assert result.returncode == 0 and result.stdout == "kitchen\n", result.stderr


def test_a_token_may_stand_before_the_command(directory, start_server):
    token = "0123456789abcdef0123"
    (directory / "token").write_text(token + "\n")
    (directory / "token").chmod(0o600)
    server = start_server(arguments=("--token-file", str(directory / "token")))
    assert tonearm("--token", token, "status", environment=client(server)).returncode == 0
    refused = tonearm("--token", token[::-1], "status", environment=client(server))
    assert refused.returncode == 1 and "does not accept this token" in refused.stderr


def test_the_sessions_options_can_be_cleared(server):
    environment = client(server)
    assert tonearm("session", "--use", "duck-others", environment=environment).stdout.startswith("playback, duck-others, ")
    refused = tonearm("session", "--category", "ambient", environment=environment)
    assert refused.returncode == 1 and "duck-others" in refused.stderr
    assert tonearm("session", "--category", "ambient", "--use", "none", environment=environment).stdout.startswith("ambient, inactive")
    assert tonearm("session", "--category", "playback", "--use", "duck-others", environment=environment).returncode == 0
    assert tonearm("session", "--use", "none", environment=environment).stdout.startswith("playback, inactive")
    assert "none clears" in tonearm("help", "session").stdout


def test_a_saved_stream_has_its_limits(start_server, directory, media):
    radio = Radio(media.path("long.mp3").read_bytes(), 24000)
    server = start_server(arguments=("--recordings", str(directory / "recordings")))
    environment, api = client(server), Api(server.url)
    try:
        api.start(f"{radio.url}/live", timeout=10)
        for wrong in (("--max-duration", "0"), ("--max-duration", "1000:00:00"), ("--max-size", "0"), ("--max-size", "x")):
            assert tonearm("record-stream", *wrong, environment=environment).returncode == 64, wrong
        assert tonearm("record-stream", "--name", "a", "--max-duration", "1:00:00", "--max-size", "2", environment=environment).returncode == 0
        state = api.call("GET", "/player/record-stream")
        assert (state["maxDuration"], state["maxBytes"]) == (3600, 2 << 20)
        told = tonearm("record-stream", "status", environment=environment).stdout
        assert told.startswith("a.mp3, ") and told.strip().endswith("at most 1:00:00 or 2097152 bytes"), told
        # It is made already: as asked for, or not.
        assert tonearm("record-stream", "--max-size", "2", environment=environment).returncode == 0
        other = tonearm("record-stream", "--max-size", "3", environment=environment)
        assert other.returncode == 1 and "a.mp3" in other.stderr, other
        assert tonearm("record-stream", "stop", environment=environment).stdout.startswith("a.mp3, ")
    finally:
        radio.close()
        api.close()


@pytest.mark.smoke
def test_players_tells_who_follows_whom(server):
    environment = client(server)
    assert tonearm("players", "add", "kitchen", environment=environment).returncode == 0
    assert "follows" not in tonearm("players", environment=environment).stdout
    assert tonearm("players", "follow", "kitchen", environment=environment).returncode == 0
    listing = tonearm("players", environment=environment).stdout.splitlines()
    assert "follows main" in listing[1] and "follows" not in listing[0]


@pytest.mark.parametrize("address", ["ftp://127.0.0.1", "", "http://", "http://a b"])
def test_what_is_no_address_is_called_so(address):
    result = tonearm("status", "--server", address)
    assert result.returncode == 78 and "is not an address such as http://127.0.0.1:8080" in result.stderr


def test_an_error_at_a_terminal_begins_a_line_of_its_own(directory):
    """The connection breaks off while a scan counts up."""
    started = b'data: {"type":"hello"}\n\n'
    counting = b'data: {"type":"library","data":{"state":"scanning","tracks":0,"unplayable":0,"problems":[],"scan":{"found":7,"scanned":3,"added":0,"changed":0,"removed":0,"unplayable":0}}}\n\n'
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve() -> None:
            events, _ = listener.accept()
            with events:
                events.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + started)
                asked, _ = listener.accept()
                with asked:
                    asked.recv(65536)
                    asked.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}")
                events.sendall(counting)

        threading.Thread(target=serve, daemon=True).start()
        status, seen = in_a_terminal("scan", "--server", f"http://127.0.0.1:{listener.getsockname()[1]}")
    assert status == 69 and "7 files found, 3 read" in seen
    assert re.search(r"7 files found, 3 read\r\x1b\[Ktonearm: ", seen), seen


def test_names_do_not_steer_the_terminal(server, api):
    """Also in what is told on the error's side: a file may be called anything."""
    for arguments in (("add", "x\x1b]0;owned\x07\x1b[2J.mp3"), ("play", "x\x1b[2J.mp3"), ("info", "x\x1b[2J.mp3")):
        result = tonearm(*arguments, "--server", server.url) if arguments[0] != "info" else tonearm(*arguments)
        assert result.returncode == 1 and result.stderr.endswith("\n"), result
        assert not set(result.stderr.rstrip("\n")) & {chr(code) for code in (*range(32), *range(127, 160))}, result
