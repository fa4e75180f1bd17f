# SPDX-License-Identifier: Apache-2.0
"""The commands to a running server: their arguments, and what they tell when something is wrong."""

import contextlib
import functools
import json
import re
import socket
import threading
from collections.abc import Iterator

import pytest

from rig import CommandLine, Radio, eventually, tonearm
from rig.access import CONTROL
from rig.commandline import in_a_terminal


def test_set_changes_any_setting(server, cli, api):
    for key, value, expected in (("previousRestartsAfter", "7.5", 7.5), ("balance", "-0.5", -0.5), ("muted", "on", True), ("repeat", "all", "all"),
                                 ("name", "Küche 2", "Küche 2"), ("remoteCommands.skipInterval", "15", 15), ("remoteCommands.skip", "on", True)):
        result = cli("set", key, value)
        assert result.returncode == 0, result
        found = api.player()
        for name in key.split("."):
            found = found[name]
        assert found == expected, key
    refused = cli("set", "remoteCommands.skipInterval", "none")
    assert refused.returncode == 1 and "remoteCommands.skip needs" in refused.stderr, "the server checks as well"
    assert "crossfade: a number from 0 to 20 (seconds)\n" in tonearm("help", "set").stdout


def test_sleep_is_set_shown_and_taken_back(cli, api):
    def timers() -> list[dict]:
        return api.call("GET", "/timers")["timers"]

    def sleep(*arguments: str):
        result = cli("sleep", *arguments)
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
    wrong = cli("sleep", "soon")
    assert wrong.returncode == 64 and "soon is not a time" in wrong.stderr
    too_long = cli("sleep", "9999h")
    assert too_long.returncode == 1 and "after must be from 0.1 to 604800." in too_long.stderr


def test_status_shows_crossfade_speed_and_pitch_unless_they_are_usual(cli, api):
    assert not re.search("crossfade|speed|pitch", cli("status").stdout)
    api.call("PATCH", "/player", json={"crossfade": 4.5, "playbackRate": 1.25, "pitch": -100})
    assert re.search(r"crossfade +4.5 s\nspeed +1.25\npitch +-100 cents\n", cli("status").stdout)


def test_status_shows_the_leader_the_loop_and_the_sleep_timer_if_there_are_any(cli, api):
    api.start("long.mp3")
    assert not re.search("^(follows|loop|sleep) ", cli("status").stdout, re.M)
    for arguments in (("players", "add", "kitchen"), ("players", "follow", "kitchen"), ("loop", "0:01", "2.5"), ("sleep", "30m")):
        cli.output(*arguments)
    assert re.search(r"^loop +0:01 to 0:02.5\nsleep +at \d\d:\d\d:\d\d\noutput ", cli.output("status"), re.M)
    assert re.search(r"^follows +main$(.|\n)*^sleep +at ", cli.output("status", "--player", "kitchen"), re.M)


def test_an_alarm_is_set_listed_switched_changed_and_removed(cli, api):
    alarm = functools.partial(cli, "alarm")
    added = alarm("add", "7:00", "long.mp3", "--days", "mon,fri", "--volume", "30", "--ramp", "5", "--zone", "Europe/Berlin", "--fallback", "low.mp3")
    assert added.returncode == 0, added
    timer, = api.call("GET", "/timers")["timers"]
    assert added.stdout.startswith(f"{timer['id']} in ")
    wanted = {"type": "alarm", "time": "07:00", "days": ["mon", "fri"], "timeZone": "Europe/Berlin", "level": 0.3, "ramp": 5, "enabled": True, "fallback": "low.mp3"}
    assert {key: timer[key] for key in wanted} == wanted and [item["uri"] for item in timer["items"]] == ["long.mp3"]
    shown = alarm("list").stdout.split()
    assert shown[:5] == [timer["id"], "07:00", "mon,fri", "Europe/Berlin", "waiting"]
    assert " ".join(shown).endswith(" volume 30, ramp 0:05, fallback low.mp3 long.mp3")
    assert json.loads(alarm("--json").stdout) == {"timers": [timer]}
    assert alarm("set", timer["id"], "off").returncode == 0
    assert api.call("GET", "/timers")["timers"][0]["enabled"] is False and " off" in alarm().stdout
    changed = cli.output("alarm", "set", timer["id"], "on", "--time", "8:30", "--days", "once", "--snooze", "300", "--volume", "40", "--ramp", "6",
                         "--play", "short-0.mp3")
    assert changed.startswith(f"{timer['id']} in ")
    new, = api.call("GET", "/timers")["timers"]
    wanted = {"time": "08:30", "days": [], "snooze": 300, "level": 0.4, "ramp": 6, "enabled": True}
    assert {key: new[key] for key in wanted} == wanted and [item["uri"] for item in new["items"]] == ["short-0.mp3"]
    assert alarm("set", timer["id"]).returncode == 64
    assert (alarm("snooze").returncode, alarm("snooze").stderr) == (1, "tonearm: No alarm is ringing.\n")
    assert alarm("remove", timer["id"]).returncode == 0
    for missing in (timer["id"], "Foo", "a b"):
        assert missing in cli.refusal("alarm", "remove", missing)
    assert alarm().stdout == "There are no alarms.\n"


def test_render_jobs_are_started_listed_fetched_and_cancelled(cli, api, directory):
    renders = functools.partial(cli, "renders")
    assert renders().stdout == "There are no render jobs.\n"
    cli.refusal("renders", "start")
    started = cli.output("renders", "start", "short-0.mp3", "--format", "flac", "--duration", "0:01", "--no-effects").strip()
    shown = api.call("GET", f"/renders/{started}")
    assert shown["format"] == "flac" and shown["effects"] is False
    cli.output("renders", "cancel", started)
    job = api.request("POST", "/renders", json={"items": [{"uri": "short-0.mp3"}], "format": "wav"}).json()["id"]
    eventually(lambda: api.call("GET", f"/renders/{job}")["status"] == "completed", "it is rendered", timeout=30)
    assert renders().stdout.split()[:3] == [job, "completed", "wav"] and json.loads(renders("list", "--json").stdout)["renders"][0]["id"] == job
    file = directory / "a.wav"
    assert cli.output("renders", "download", job, str(file)) == f"{file} is written\n"
    assert file.read_bytes() == api.request("GET", f"/renders/{job}/file").content and len(file.read_bytes()) > 40_000
    assert not (directory / "a.wav.partial").exists()
    for target in (str(directory), str(directory / "none" / "a.wav")):
        refused = renders("download", job, target)
        assert refused.returncode in (1, 73) and len(refused.stderr.splitlines()) == 1, refused
    failed = api.request("POST", "/renders", json={"items": [{"uri": "short-0.mp3"}, {"uri": "http://127.0.0.1:9/x.mp3"}]}).json()["id"]
    eventually(lambda: api.call("GET", f"/renders/{failed}")["status"] == "failed", "it has failed", timeout=30)
    assert f"{failed} is failed" in cli.refusal("renders", "download", failed, str(file))
    api.load("short-0.mp3", "text.mp3")
    partly = cli.output("renders", "start").strip()
    eventually(lambda: api.call("GET", f"/renders/{partly}")["status"] == "completed", "it is rendered", timeout=30)
    assert re.search(rf"{partly}  completed .* 1 skipped\n", renders().stdout), renders().stdout
    for gone in (job, failed, partly):
        assert cli.output("renders", "cancel", gone) == f"{gone} is removed\n"
    for missing in (job, "../player", "A b"):
        assert missing in cli.refusal("renders", "cancel", missing)
    assert renders().stdout == "There are no render jobs.\n"


def test_loop_levels_prime_and_a_start_at_a_time(cli, api):
    run = cli.output
    api.load("long.mp3")
    assert cli("levels").returncode == 1, "nothing sounds"
    assert re.fullmatch(r"\d+(\.\d{1,2})? s are ready.\n", run("prime", "--seconds", "0.5"))
    said = run("play", "--at", "1h", "--index", "0")
    start, = api.call("GET", "/timers")["timers"]
    assert start["type"] == "start"
    assert said.startswith("It plays in ") and said.endswith(f" To cancel: tonearm alarm remove {start['id']}\n")
    listed = run("alarm").split()
    assert listed[0] == start["id"] and re.fullmatch(r"\d\d:\d\d:\d\d", listed[1]) and listed[2:4] == ["once", "start"]
    assert listed[-1] == "long.mp3"
    said = run("play", "--at", "2h", "--index", "0")
    start, = api.call("GET", "/timers")["timers"]
    assert said.endswith(f" It replaces the start at {listed[1]}. To cancel: tonearm alarm remove {start['id']}\n")
    assert run("alarm", "remove", start["id"]) == f"{start['id']} is removed\n" and run("alarm") == "There are no alarms.\n"
    api.play()
    assert run("loop", "1s", "2.5") == "From 0:01 to 0:02.5, again and again.\n"
    assert api.player()["abLoop"] == {"begin": 1, "end": 2.5}
    assert run("loop", "off") == "The loop is off.\n"
    assert api.player()["abLoop"] is None
    api.wait_status("playing")
    assert re.fullmatch(r"average( -?[0-9.]+)+  peak( -?[0-9.]+)+  loudness -?[0-9.]+ LUFS\n", run("levels"))
    assert json.loads(run("levels", "--json"))["type"] == "levels"


def test_a_wrong_argument_leads_to_the_help_of_its_command():
    """`PositionTests` and `VolumeTests` have more of them."""
    for arguments in (("volume", "loud"), ("set", "volume", "2"), ("set", "colour", "1"), ("set", "muted", "perhaps"),
                      ("volume", "--", "-5", "-6"), ("seek", "nowhere"), ("seek", "--"), ("interrupt", "began", "--stay-paused")):
        result = tonearm(*arguments)
        assert result.returncode == 64 and f"Usage: tonearm {arguments[0]} " in result.stderr, result


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
        for line in ((*options, *arguments), (*arguments, *options)):
            result = tonearm(*line, timeout=10)
            assert result.returncode == 64 and "--player is for the commands to a running server." in result.stderr, result


def test_ids_for_a_shell_are_ids_only(origin):
    """Completion expands what it is given: a server's `$(command)` must not reach it."""
    answer = json.dumps({"players": [
        {"id": name, "name": "x", "status": "idle", "volume": 1, "level": 1, "muted": False}
        for name in ("kitchen", "$(touch /tmp/x)", "`id`", "a b", "a;b", "../x")]}).encode()

    origin.serve("/api/v1/players", answer, content_type="application/json")
    result = tonearm("players", "--ids", "--server", origin.url)
    assert result.returncode == 0 and result.stdout == "kitchen\n", result.stderr


def test_the_sessions_options_can_be_cleared(cli):
    assert cli("session", "--use", "duck-others").stdout.startswith("playback, duck-others, ")
    refused = cli("session", "--category", "ambient")
    assert refused.returncode == 1 and "duck-others" in refused.stderr
    assert cli("session", "--category", "ambient", "--use", "none").stdout.startswith("ambient, inactive")
    assert cli("session", "--category", "playback", "--use", "duck-others").returncode == 0
    assert cli("session", "--use", "none").stdout.startswith("playback, inactive")
    assert "none clears" in tonearm("help", "session").stdout


@pytest.mark.serve("--recordings", "{directory}/recordings")
def test_a_saved_stream_has_its_limits(cli, api, media):
    radio = Radio(media.path("long.mp3").read_bytes(), 24000)
    api.start(f"{radio.url}/live", timeout=10)
    for wrong in (("--max-duration", "0s"), ("--max-duration", "1000:00:00"), ("--max-size", "0"), ("--max-size", "x")):
        assert cli("record-stream", *wrong).returncode == 64, wrong
    assert cli("record-stream", "--name", "a", "--max-duration", "1h", "--max-size", "2").returncode == 0
    state = api.call("GET", "/player/record-stream")
    assert (state["maxDuration"], state["maxBytes"]) == (3600, 2_000_000)
    told = cli("record-stream", "status").stdout
    assert told.startswith("a.mp3, ") and told.strip().endswith("at most 1:00:00 or 2000000 bytes"), told
    # It is made already: as asked for, or not.
    assert cli("record-stream", "--max-size", "2").returncode == 0
    for options in (("--max-size", "3"), ("--name", "b")):
        assert "a.mp3 is being saved already" in cli.refusal("record-stream", *options)
    assert cli("record-stream", "stop").stdout.startswith("a.mp3, ")


def test_a_token_is_asked_for_taken_and_checked(guarded):
    server = guarded()
    cli = CommandLine(server)
    assert "TONEARM_TOKEN" in cli.refusal("status")
    assert CommandLine(server, TONEARM_TOKEN=CONTROL)("status").returncode == cli("--token", CONTROL, "status").returncode == 0
    refused = cli("--token", CONTROL[1:], "status")
    assert refused.returncode == 1 and "does not accept this token" in refused.stderr


@pytest.mark.smoke
def test_every_change_is_confirmed_in_a_line(cli, api):
    api.load("long.mp3", "chirp.mp3", "low.mp3")
    cli.output("players", "add", "kitchen")
    for arguments, line in ((("mute",), "100 (muted)"), (("unmute",), "100"), (("shuffle", "on"), "shuffle on"), (("repeat", "all"), "repeat all"),
                            (("set", "crossfade", "2"), "crossfade 2"), (("move", "2", "--to", "0"), "1 moved, 3 in the queue"),
                            (("remove", "0", "1", "0"), "2 removed, 1 in the queue"), (("clear",), "cleared, 0 in the queue"),
                            (("players", "follow", "kitchen"), "kitchen follows main"), (("players", "unfollow", "kitchen"), "kitchen plays by itself"),
                            (("players", "remove", "kitchen"), "kitchen is removed"), (("effects", "save", "mine"), "mine is saved"),
                            (("effects", "remove", "mine"), "mine is removed"), (("interrupt", "began"), "An interruption began."),
                            (("interrupt", "ended"), "The end is reported.")):
        assert cli.output(*arguments) == line + "\n"
    assert cli.output("effects", "set", "reverb.enabled", "on").endswith("reverb 25 %\n")
    off = "The compressor is off; to switch it on: tonearm effects set compressor.enabled on\n"
    assert cli.output("effects", "set", "compressor.preset", "night").endswith("\n" + off)
    assert cli.output("effects", "set", "compressor.enabled", "on").endswith("\n") and "is off" not in cli.output("effects", "set", "reverb.mix", "0.3")


def test_an_interruption_ends_with_the_last_one(cli, api):
    api.load("long.mp3")
    api.play()
    for _ in range(2):
        assert cli.output("interrupt", "began") == "An interruption began.\n"
    assert cli.output("interrupt", "ended") == "The end is reported. Another interruption goes on.\n"
    for _ in range(2):
        assert cli.output("interrupt", "ended") == "The end is reported.\n", "also without one"
    api.wait_status("playing")


def test_announcements_are_listed_and_ended(cli, api):
    announcements = functools.partial(cli.output, "announcements")
    assert announcements() == announcements("stop") == "There are no announcements.\n"
    cli.output("announce", "long.mp3")
    second = cli.output("announce", "chirp.mp3", "low.mp3").removesuffix(" waiting\n")
    first = json.loads(announcements("--json"))["announcements"][0]["id"]
    listed = announcements()
    assert re.fullmatch(rf"{first}  (playing|loading) .*  long.mp3\n{second}  waiting .*  chirp.mp3, low.mp3\n", listed), listed
    assert announcements("stop", second) == f"{second} has ended\n"
    third = cli.output("announce", "chirp.mp3").removesuffix(" waiting\n")
    assert announcements("stop") == f"{third} has ended\n{first} has ended\n"
    assert first in cli.refusal("announcements", "stop", first)
    assert announcements() == "There are no announcements.\n"


def test_sound_effects_are_listed_and_ended_with_the_announcements(cli, api):
    announcements = functools.partial(cli.output, "announcements")
    for _ in range(2):
        cli.output("sfx", "long.mp3")
    first, second = (effect["id"] for effect in api.call("GET", "/sfx")["effects"])
    assert re.fullmatch(rf"{first}  \w+ .*  long.mp3\n{second}  \w+ .*  long.mp3\n", announcements()), announcements()
    assert announcements("stop", first) == f"{first} has ended\n"
    cli.output("announce", "chirp.mp3")
    announced = api.call("GET", "/announcements")["announcements"][0]["id"]
    assert announcements("stop") == f"{announced} has ended\n{second} has ended\n"
    assert announcements() == "There are no announcements.\n" and api.call("GET", "/sfx")["effects"] == []
    assert "Foo" in cli.refusal("announcements", "stop", "Foo")


def test_a_silent_output_is_a_failure_of_the_commands_that_start_sound(pulse, cli, api):
    api.load("long.mp3", "chirp.mp3")
    pulse.suspend("spk", True)
    for arguments in (("play",), ("next",), ("play", "low.mp3")):
        assert "No sound: interrupted (output-suspended)" in cli.refusal(*arguments)
    for arguments in (("seek", "1"), ("pause",)):
        cli.output(*arguments)
    pulse.suspend("spk", False)
    eventually(lambda: cli("play").returncode == 0, "the server knows that the output is back")


def test_players_shows_leaders_and_outputs_the_choice(cli):
    assert cli("players", "add", "kitchen").returncode == 0
    assert "follows" not in cli("players").stdout
    assert cli("players", "follow", "kitchen").returncode == 0
    listing = cli("players").stdout.splitlines()
    assert "follows main" in listing[1] and "follows" not in listing[0]
    assert cli("outputs", "null").stdout.split()[-3] == "chosen", "pinned"
    assert "followed" in cli("outputs", "default").stdout


def test_playlists_go_by_their_names(cli, api):
    playlists = functools.partial(cli, "playlists")
    api.load("long.mp3")
    assert playlists("--save", "Abend").returncode == 0
    again = playlists("--save", "Abend")
    assert again.returncode == 1 and "There is a playlist Abend already; --replace replaces it." in again.stderr
    assert playlists("--replace").returncode == 64
    api.load("short-0.mp3", "short-1.mp3")
    assert playlists("--save", "Abend", "--replace").stdout.split() == ["p1", "Abend", "2"]
    api.call("POST", "/playlists", json={"name": "Tag", "items": []})
    api.call("POST", "/playlists", json={"name": "Tag", "items": []})
    api.call("DELETE", "/queue")
    assert re.match(r"playing  \S.* of \d+:\d\d\n", cli.output("playlists", "--play", "Abend")) and api.player()["queue"]["length"] == 2
    for wrong, sentence in (("Tag", "Several playlists are called Tag; give an id: p2, p3."), ("Nacht", "There is no playlist Nacht.")):
        refused = playlists("--play", wrong)
        assert refused.returncode == 1 and sentence in refused.stderr, refused
    assert cli.output("playlists", "--remove", "Abend") == "Abend is removed\n" and playlists("--remove", "p2").returncode == 0
    assert playlists().stdout.split() == ["p3", "Tag", "0"]


MISTAKES = [
    (("set", "bogus", "1"), 64, "bogus is not a setting; tonearm help set lists them."),
    (("effects", "set", "bogus", "1"), 64, "bogus is not known here; known are: enabled, "),
    (("effects", "set", "equalizer.preset", "Nope"), 1, "There is no preset Nope."),
    (("loop", "3", "1"), 64, "The end must be after the start."),
    (("help", "bogus"), 64, "bogus is not a command; tonearm help lists them."),
    (("plya",), 64, "plya is not a command; tonearm help lists them."),
    (("--player", "main", "stauts"), 64, "stauts is not a command; tonearm help lists them."),
    (("alarm", "ad", "7:00"), 64, "ad is not a command; tonearm help alarm lists them."),
    (("play", "--indx", "3"), 64, "Did you mean '--index'?"),
    (("help", "effects", "bogus"), 64, "bogus is not a command; tonearm help effects lists them."),
    (("effects", "import", "x", "/nope"), 1, "cannot read /nope"),
    (("alarm", "add", "08:00", "--days", "mon,foo"), 64, "foo is not a day: give mon,tue,wed,thu,fri,sat,sun, comma-separated, or once."),
    (("alarm", "set", "t1", "--time", "25:00"), 64, "25:00 is not a time of day"),
    (("session", "--category", "foo"), 64, "'foo' is invalid"), (("session", "--mode", "foo"), 64, "'foo' is invalid"),
    (("session", "--use", "foo"), 64, "foo is not an option: give mix-with-others,duck-others,"),
    (("record", "start", "--format", "aac"), 64, "'aac' is invalid"), (("record", "start", "--bits", "12"), 64, "8, 16, 24 or 32"),
    (("record", "start", "--rate", "1"), 64, "must be one of 8000,"),
    (("record", "start", "--name", "My take"), 64, "name may have 1 to 64 of A to Z,"), (("record-stream", "--name", "a b"), 64, "--name may have"),
    (("alarm", "add", "07:00", "--zone", "Mars/X"), 1, "such as Europe/Berlin, not Mars/X."),
    (("alarm", "set", "t1", "off"), 1, "There is no timer or alarm t1."),
    (("status", "--server", "https://127.0.0.1:1"), 78, "http: only"),
    (("status", "--server", "a" * 64), 69, f"the name {'a' * 64} was not found"),
    (("session", "--mode", "voice-chat"), 1, "voice-chat is not possible with playback"),
    *((("status", "--server", address), 78, "is not an address such as http://127.0.0.1:8080")
      for address in ("ftp://127.0.0.1", "", "http://", "http://a b")),
]


def test_a_mistake_is_named(cli):
    for arguments, status, sentence in MISTAKES:
        result = cli(*arguments)
        assert result.returncode == status and sentence in result.stderr, result


@contextlib.contextmanager
def scanning_server(before: dict, *events: dict, is_busy: bool = False) -> Iterator[str]:
    """The address of a server that answers a scan with `before` and these events, then breaks off. `is_busy`: another scan ends first."""
    def library(change: dict) -> dict:
        scan = {"startedAt": 1, "found": 7, "scanned": 3, "added": 0, "changed": 0, "removed": 0, "unplayable": 0}
        return {"state": "scanning", "tracks": 0, "unplayable": 0, "problems": [], "scan": scan} | change

    def event(type: str, data: dict) -> bytes:
        return f"data: {json.dumps({'type': type, 'data': data})}\n\n".encode()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        def answer(method: str, change: dict) -> None:
            asked, _ = listener.accept()
            with asked:
                assert asked.recv(65536).startswith(method.encode())
                body = json.dumps(library(change)).encode()
                asked.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        def serve() -> None:
            stream, _ = listener.accept()
            with stream:
                # A close before everything was read would reset the connection.
                stream.recv(65536)
                stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + event("hello", {}))
                answer("GET", {"state": "scanning" if is_busy else "idle"})
                if is_busy:
                    stream.sendall(event("library", library({"state": "idle"})))
                answer("POST", before)
                for change in events:
                    stream.sendall(event("library", library(change)))

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_an_error_at_a_terminal_begins_a_line_of_its_own():
    """The connection breaks off while a scan counts up."""
    with scanning_server({"scan": None}, {}) as address:
        status, seen = in_a_terminal("scan", "--server", address)
    assert status == 69 and "7 files found, 3 read" in seen
    assert re.search(r"7 files found, 3 read\r\x1b\[Ktonearm: ", seen), seen


def test_a_scan_that_is_not_saved_fails_and_the_scan_before_is_not_its_result():
    failed = {"state": "failed", "problems": ["the music library cannot be written: disk full"]}
    scan = {"startedAt": 2, "found": 7, "scanned": 7, "added": 4, "changed": 0, "removed": 0, "unplayable": 0}
    with scanning_server({}, {"state": "idle"}, failed | {"scan": scan}) as address:
        result = tonearm("scan", "--server", address)
    assert (result.returncode, result.stdout) == (1, "") and "tonearm: the music library cannot be written" in result.stderr, result


def test_a_scan_follows_the_one_under_way():
    scan = {"startedAt": 2, "found": 7, "scanned": 7, "added": 4, "changed": 0, "removed": 0, "unplayable": 0}
    with scanning_server({}, {"state": "idle", "tracks": 7, "scan": scan}, is_busy=True) as address:
        result = tonearm("scan", "--server", address)
    assert (result.returncode, result.stdout) == (0, "7 tracks: 4 new, 0 changed, 0 removed, 0 unplayable\n"), result


def test_a_pause_that_finds_the_recording_ended_fails(origin):
    """The sound before the pause met the end of the room."""
    for reason, message, told in (("disk-full", "The disk is full.", "The disk is full."), ("size-limit", None, "size-limit")):
        last = {"id": "memo.wav", "successfully": message is None, "reason": reason, "duration": 2, "message": message}
        origin.serve("/api/v1/recordings/current/pause", json.dumps({"state": "idle", "id": None, "last": last}).encode())
        result = tonearm("record", "pause", "--server", origin.url)
        assert (result.returncode, result.stdout, result.stderr) == (1, "", f"tonearm: memo.wav, 0:02: {told}\n"), result


def test_a_recording_in_progress_keeps_its_settings(origin):
    """A start with options would be carried out without them."""
    for state in ("recording", "paused"):
        origin.serve("/api/v1/recordings/current", json.dumps({"state": state, "id": "memo.wav", "last": None}).encode())
        for options in (("--format", "flac"), ("--name", "other"), ("--auto-play",)):
            result = tonearm("record", "start", *options, "--server", origin.url)
            assert result.returncode == 1 and result.stderr.startswith("tonearm: memo.wav is in progress and keeps its settings"), result


def test_names_do_not_steer_the_terminal(server, api):
    """On the error stream too: a file may have any name."""
    for arguments in (("add", "x\x1b]0;owned\x07\x1b[2J.mp3"), ("play", "x\x1b[2J.mp3"), ("info", "x\x1b[2J.mp3")):
        result = tonearm(*arguments, "--server", server.url) if arguments[0] != "info" else tonearm(*arguments)
        assert result.returncode == 1 and result.stderr.endswith("\n"), result
        assert not set(result.stderr.rstrip("\n")) & {chr(code) for code in (*range(32), *range(127, 160))}, result
