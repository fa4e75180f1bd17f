# SPDX-License-Identifier: Apache-2.0
"""The command line (DESIGN section 3)."""

import contextlib
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import threading
import urllib.request
from types import SimpleNamespace

import numpy
import pytest

from rig import REPOSITORY, Api, CommandLine, PulseDaemon, Radio, binary, eventually, tonearm
from rig.access import ADMIN
from rig.collection import make_collection
from rig.commandline import in_a_terminal
from rig.signals import read_wave


def test_every_command_is_named_in_the_help_and_in_the_completions():
    assert tonearm("--version").stdout.strip()
    texts = [tonearm("--help").stdout, *(tonearm("--generate-completion-script", shell).stdout for shell in ("bash", "zsh", "fish"))]
    for name in ("serve", "render", "info", "doctor", "play", "pause", "next", "status"):
        assert all(name in text for text in texts), name
    serve, players = tonearm("serve", "--help").stdout, tonearm("help", "players").stdout
    assert re.search("MUSIC AND SOUND OPTIONS.*NETWORK AND ACCESS OPTIONS.*FILE AND LOG OPTIONS", serve, re.DOTALL)
    assert all(word in players for word in ("follow", "unfollow", "add", "remove"))


def test_commands_drive_a_running_server(cli, api):
    """play, pause, next, status: as REST does."""
    api.load("long.mp3", "chirp.mp3")
    cli.output("play")
    api.wait_status("playing")
    assert "playing" in cli.output("status").lower()
    cli.output("next")
    assert api.player()["queueIndex"] == 1
    cli.output("pause")
    api.wait_status("paused")
    cli.refusal("next")
    cli.output("play")
    cli.output("interrupt", "began")
    api.wait_status("interrupted")
    cli.output("interrupt", "ended", "--stay-paused")
    api.wait_status("paused")


def test_a_client_without_a_server_says_so():
    result = tonearm("status", environment=os.environ | {"TONEARM_SERVER": "http://127.0.0.1:1"})
    assert result.returncode == 69
    assert "http://127.0.0.1:1" in result.stderr and "tonearm serve" in result.stderr


def test_info_tells_what_a_file_is(media, formats, directory):
    result = tonearm("info", str(media.path("tagged.mp3")))
    assert result.returncode == 0
    for text in ("The Title", "The Artist", "44100", "mp3"):
        assert text in result.stdout, result.stdout
    (directory / "mix.m3u").write_text("#EXTM3U\na.mp3\n")
    mix = tonearm("info", str(directory / "mix.m3u"))
    assert mix.returncode == 1 and "mix.m3u is a playlist or feed, not a single file: add it to the queue" in mix.stderr, mix
    missing = tonearm("info", str(media.path("missing.mp3")))
    assert missing.returncode == 1 and "files of this machine, not of a server" in missing.stderr, missing
    cut = json.loads(tonearm("info", "--json", str(formats.path("cut.flac"))).stdout)
    assert 0.3 < cut["duration"] < 2 and cut["decodeErrors"] > 0


def test_info_tells_what_an_address_is(media, origin):
    origin.serve("/tagged.mp3", media.path("tagged.mp3").read_bytes())
    result = tonearm("info", f"{origin.url}/tagged.mp3")
    assert result.returncode == 0 and "The Title" in result.stdout and "44100" in result.stdout, result
    missing = tonearm("info", f"{origin.url}/missing.mp3")
    assert missing.returncode == 1 and "missing.mp3" in missing.stderr, missing


def test_render_equals_mpg123(media, directory):
    """Row 89's first half: a WAV within 1 LSB of the reference, same length."""
    output = directory / "out.wav"
    result = tonearm("render", str(media.path("noise.mp3")), str(output))
    assert result.returncode == 0, result.stderr
    probe = json.loads(subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-of", "json", str(output)],
                                      capture_output=True, check=True).stdout)["streams"][0]
    assert probe["sample_rate"] == "44100" and probe["channels"] == 2
    converted = directory / "converted.wav"
    subprocess.run(["ffmpeg", "-loglevel", "error", "-i", str(output), "-c:a", "pcm_s16le", str(converted)], check=True)
    rendered, reference = read_wave(converted), media.reference("noise.mp3")
    assert len(rendered) == len(reference)
    assert numpy.abs(rendered.astype(int) - reference).max() <= 1


def test_queue_commands_edit_the_queue(cli, api):
    """browse, add, queue, move, remove, clear; indices as the queue lists them."""
    run = cli.output
    assert "chirp.mp3" in run("browse").splitlines()
    run("add", "chirp.mp3", "long.mp3")
    run("add", "noise.mp3", "--index", "0")
    assert api.uris() == ["noise.mp3", "chirp.mp3", "long.mp3"]
    listing = run("queue").splitlines()
    assert len(listing) == 3 and "chirp.mp3" in listing[1]
    run("move", "2", "--to", "0")
    assert api.uris() == ["long.mp3", "noise.mp3", "chirp.mp3"]
    run("remove", "0", "1")
    assert api.uris() == ["chirp.mp3"]
    assert "7" in cli.refusal("remove", "7")
    run("clear")
    assert "empty" in run("queue")


def test_play_adds_what_it_is_given(cli, api, media):
    """play URI...: at the end, and the first of them plays; a path of this machine is found in the music root."""
    cli.output("add", "chirp.mp3")
    cli.output("play", str(media.path("long.mp3")))
    assert api.wait_status("playing")["queueIndex"] == 1


def test_settings_commands(cli, api):
    for change, volume in [(("40",), 40), (("-15",), 25), (("--", "-5"), 20), (("+5",), 25), (("--", "+5"), 30), (("--", "25"), 25)]:
        assert cli("volume", *change).stdout.strip() == str(volume)
    for command in ("volume", "seek"):
        assert "--" in tonearm("help", command).stdout.split("USAGE")[0]
    for command in (("mute",), ("shuffle", "on"), ("repeat", "all")):
        cli.output(*command)
    state = api.player()
    assert (state["level"], state["muted"], state["shuffle"], state["repeat"]) == (0.25, True, True, "all")
    assert cli("repeat", "some").returncode == 64


def test_seek_forms(cli, api):
    api.start("long.mp3")
    cli("pause")
    for target, expected in (("12.5", 12.5), ("+2", 14.5), ("-4.5", 10), ("-- -2", 8), ("0:05", 5), ("50%", api.player()["duration"] / 2)):
        cli.output("seek", *target.split())
        assert abs(api.player()["position"] - expected) < 0.05, target


def test_status_follows_events(cli, api):
    """status --follow --json: an event on each line, as it happens."""
    process = subprocess.Popen([str(binary()), "status", "--follow", "--json"], env=cli.environment, stdout=subprocess.PIPE,
                               text=True)
    try:
        assert json.loads(process.stdout.readline())["type"] == "hello"
        api.load("long.mp3", play=True)
        seen = set()
        while "playing" not in seen:
            event = json.loads(process.stdout.readline())
            if event["type"] == "status":
                seen.add(event["data"]["status"])
    finally:
        process.terminate()
        process.wait(5)
        process.stdout.close()


def test_status_follows_each_change_in_a_line(cli, api):
    """A change that the line does not show prints none."""
    api.load("long.mp3")
    api.wait_status("ready")
    process = subprocess.Popen([str(binary()), "status", "--follow"], env=cli.environment, stdout=subprocess.PIPE, text=True)
    try:
        first = process.stdout.readline()
        assert first == "ready  long.mp3  0:00 of 0:40  volume 100 %\n"
        api.settings(crossfade=2)
        api.settings(level=0.4)
        assert process.stdout.readline() == first.replace("100 %", "40 %")
        api.call("POST", "/timers", json={"type": "sleep", "until": "end-of-queue"})
        assert process.stdout.readline() == first.replace("100 %", "40 %  sleep at the end of the queue")
    finally:
        process.terminate()
        process.wait(5)
        process.stdout.close()


def test_playing_what_cannot_be_played_fails(cli, api):
    """Status 1 and one sentence on the error stream, nothing on the other one."""
    for name in ["missing.mp3", "text.mp3", "noise.mp3/", "missing-folder/"]:
        cli.refusal("play", name)
        assert api.player()["status"] in ("failed", "idle")


@pytest.fixture
def gone(media):
    """Loads these files into the queue, of which the last one is removed then."""
    def load(api, *names: str, index: int) -> None:
        shutil.copy(media.path("noise.mp3"), media.path("gone.mp3"))
        api.load(*names[:index], "gone.mp3", *names[index:])
        media.path("gone.mp3").unlink()

    return load


def test_every_command_that_ends_in_a_failure_says_so(cli, api, gone):
    """A failed item: by play, by toggle, by its index, by going to it; silence and settings succeed all the same."""
    gone(api, "noise.mp3", index=1)
    assert "5" in cli.refusal("play", "--index", "5"), "the server's message"
    for arguments in (("play", "--index", "1"), ("play",), ("toggle",), ("seek", "3")):
        cli.refusal(*arguments)
        assert api.player()["status"] == "failed"
    for arguments in (("pause",), ("stop",), ("volume", "50"), ("mute",), ("status",), ("queue",), ("play", "--index", "0")):
        cli.output(*arguments)
    assert cli("next").returncode == 1
    for arguments in (("play", "--item", "nothing"), ("remove", "nothing"), ("move", "nothing", "--to", "0"), ("outputs", "no-such"),
                      ("browse", "no-such")):
        cli.refusal(*arguments)
    cli.output("remove", "0")
    cli.output("playlists", "--save", "Gone")
    assert "gone.mp3" in cli.refusal("playlists", "--play", "Gone")


def test_another_item_in_place_of_the_one_asked_for_is_a_failure(cli, api, gone):
    """The queue goes on with what can be played; a command for another item fails."""
    gone(api, "long.mp3", index=0)
    named = cli("play", "--index", "0")
    assert named.returncode == 1 and "gone.mp3" in named.stderr
    assert api.wait_status("playing")["queueIndex"] == 1
    several = cli("play", "gone.mp3", "chirp.mp3")
    assert several.returncode == 1 and "gone.mp3" in several.stderr and len(api.uris()) == 2


def test_the_link_of_a_server_open_to_all_works_from_the_network(start_server):
    """By an address instead of a name that a phone may not resolve."""
    server = start_server(host="0.0.0.0")
    link = eventually(lambda: re.search(r"Tonearm is ready at (http://([^/]+)/)#token=\w+", server.log()), "the link is printed")
    addresses = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
    if any("." in address and not address.startswith("172.") for address in addresses):
        assert re.fullmatch(r"[0-9.]+:\d+", link[2]), link[0]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    assert opener.open(link[1], timeout=5).status == 200


def test_the_hint_at_a_needed_token_prints_the_link_of_this_server(start_server, directory):
    """Its settings come from flags and from a file, and are quoted for a shell."""
    tokens = directory / "it's a token"
    tokens.write_text(f"{ADMIN}\n")
    tokens.chmod(0o600)
    config = directory / "config.json"
    config.write_text(json.dumps({"token-file": str(tokens)}))
    server = start_server(arguments=("--config", str(config)))
    hint = eventually(lambda: re.search("This prints the link with it: (.*)\n", server.log()), "the hint is printed")
    link = subprocess.run(["bash", "-c", hint[1]], capture_output=True, text=True, timeout=10)
    assert link.stdout == f"{server.url}/#token={ADMIN}\n", (hint[0], link)


def test_a_port_in_use_by_a_tonearm_is_reported_as_such(server, directory):
    with socket.create_server(("127.0.0.1", 0)) as other:
        for port, words in ((server.port, "by another process, a Tonearm server;"), (other.getsockname()[1], "by another process;")):
            result = tonearm("serve", "--port", str(port), "--output", "null", "--data", str(directory / "d"), timeout=10)
            assert result.returncode == 69 and words in result.stderr, result


def test_serve_fails_with_one_sentence(directory):
    """`ServerConfigurationTests` has more wrong values."""
    for arguments, status, text in [
            (("--port-file", "/nowhere/at/all/port"), 73, "port-file"), (("--data", "/proc/none"), 73, "data"),
            (("--output", "file:/nowhere/at/all.wav"), 73, "output: cannot write /nowhere/at/all.wav"),
            (("--token-file", "/nowhere/at/all/token"), 73, "token-file"), (("--config", "/nowhere/at/all"), 78, "config"),
            (("--log-level", "loud"), 78, "--log-level"), (("--socket", "/nowhere/at/all/socket"), 73, "No such file"),
            (("--port", "x"), 78, "port")]:
        result = tonearm("serve", "--port", "0", "--output", "null", "--data", str(directory / "d"), *arguments, timeout=10)
        assert result.returncode == status, result
        lines = result.stderr.splitlines()
        assert lines[-1].startswith("tonearm: ") and text in lines[-1]
        assert all(" warning tonearm: " in line for line in lines[:-1]), "nothing but the log's warnings beside it"
    for wrong in (("serve", "--nonsense"), ("nonsense",)):
        assert tonearm(*wrong, timeout=10).returncode == 64


def test_render_replaces_the_output_only_when_complete(media, directory):
    output = directory / "out.wav"
    output.write_text("precious")
    assert tonearm("render", str(media.path("text.mp3")), str(output)).returncode == 1
    assert output.read_text() == "precious"
    source = directory / "in.mp3"
    source.write_bytes(media.path("noise.mp3").read_bytes())
    refused = tonearm("render", str(source), str(source))
    assert refused.returncode == 1 and "input itself" in refused.stderr
    assert tonearm("render", str(source), str(output)).returncode == 0
    assert sorted(path.name for path in directory.iterdir()) == ["in.mp3", "out.wav"]


def test_render_writes_the_format_of_the_ending(media, directory):
    for ending, magic in (("wav", b"RIFF"), ("flac", b"fLaC"), ("opus", b"OggS"), ("FLAC", b"fLaC")):
        output = directory / f"out.{ending}"
        assert tonearm("render", str(media.path("long.mp3")), str(output), "--duration", "1").returncode == 0
        assert output.read_bytes()[:4] == magic
        assert json.loads(tonearm("info", str(output), "--json").stdout)["duration"] == pytest.approx(1, abs=0.01)
        output.unlink()
    for name in ("out.ogg", "out", ".wav/out"):
        refused = tonearm("render", str(media.path("noise.mp3")), str(directory / name))
        assert refused.returncode == 1 and ".wav, .flac, .opus" in refused.stderr and not list(directory.iterdir())
    refused = tonearm("render", str(media.path("noise.mp3")), str(directory / "missing" / "out.wav"))
    assert refused.returncode == 73 and "cannot write" in refused.stderr


def test_render_checks_all_before_it_measures_the_loudness(directory):
    """A whole file is decoded for its loudness: not for a start behind its end, nor for a file that cannot be made."""
    source, effects = directory / "hour.mp3", directory / "effects.json"
    subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=r=8000:d=3600", "-b:a", "8k", str(source)], check=True)
    effects.write_text(json.dumps({"enabled": True, "loudness": {"mode": "track"}}))

    def took(expected: int, output: str, *arguments: str) -> float:
        """Seconds of processor time, which other programs do not change as they do the clock's."""
        began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        result = tonearm("render", "--effects", str(effects), str(source), str(directory / output), *arguments)
        assert result.returncode == expected, result.stderr
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began

    measured = took(0, "out.wav", "--duration", "0.1")
    assert took(1, "out.wav", "--start", "1:00:01") < measured / 3
    assert took(73, "missing/out.wav") < measured / 3


def test_a_pipe_in_place_of_a_file_is_refused(directory, media, cli):
    """A pipe without a writer would block for good, and SIGTERM with it."""
    pipe = directory / "pipe"
    os.mkfifo(pipe, 0o600)
    serve = ("serve", "--port", "0", "--output", "null", "--data", str(directory / "other"))
    for arguments in (
            (*serve, "--config", str(pipe)), (*serve, "--token-file", str(pipe)), ("link", "--token-file", str(pipe)),
            ("render", str(media.path("noise.mp3")), str(directory / "out.wav"), "--effects", str(pipe)),
            ("effects", "import", "x", str(pipe))):
        result = cli(*arguments, timeout=5)
        assert result.returncode != 0 and f"{pipe} is not a regular file" in result.stderr, result
    result = cli("doctor", "--token-file", str(pipe), timeout=10)
    assert f"{pipe} is not a regular file" in result.stdout + result.stderr


def test_serve_names_the_reason_against_a_music_directory(start_server, media):
    """Without any it serves all the same."""
    server = start_server(music=media.path("noise.mp3"))
    eventually(lambda: "Not a directory" in server.log(), "the reason is logged")
    api = Api(start_server(music=None).url)
    assert api.player()["status"] == "idle" and api.refusal("PUT", "/queue", json={"items": [{"uri": "x.mp3"}]}) == (404, "media-not-found")


def test_a_setting_that_may_be_unset_names_the_word_for_it(cli):
    refused = tonearm("set", "remoteCommands.skipInterval", "null")
    assert refused.returncode == 64 and "or none" in refused.stderr
    assert cli("set", "remoteCommands.skipInterval", "none").returncode == 0


def test_doctor_reports_a_good_a_suspended_and_an_unreachable_sound_server(pulse):
    """With the socket that it has tried, and advice."""
    def doctor() -> tuple[bool, str]:
        result = tonearm("doctor", "--port", "0", environment=pulse.environment)
        return result.returncode == 0, result.stdout + result.stderr

    playing_works, text = doctor()
    assert playing_works and "spk" in text and "its sandbox works" in text, text
    pulse.suspend("spk", True)
    playing_works, text = doctor()
    assert not playing_works and "suspended" in text and "pactl suspend-sink spk 0" in text, text
    pulse.stop()
    playing_works, text = doctor()
    assert not playing_works and str(pulse.socket) in text, text


def test_doctor_expects_of_an_output_what_serve_does(pulse, directory):
    """A sink that is not there may appear later; a file that cannot be written ends serve."""
    result = tonearm("doctor", "--port", "0", "--sink", "desk", environment=pulse.environment)
    assert result.returncode == 0 and "note     sink: desk is not there: " in result.stdout, result.stdout
    (directory / "dangling").symlink_to("nowhere/heard.wav")
    os.mkfifo(directory / "pipe")
    for name in ("nowhere/heard.wav", "dangling", "pipe", "."):
        arguments = ("--port", "0", "--output", f"file:{directory}/{name}")
        for result in (tonearm("doctor", *arguments), tonearm("serve", "--data", str(directory / "data"), *arguments)):
            assert result.returncode != 0 and f"cannot write {directory}/{name}: " in result.stdout + result.stderr, result
    result = tonearm("doctor", "--port", "0", "--output", f"file:{directory}/heard.wav")
    assert result.returncode == 0 and not (directory / "heard.wav").exists(), result.stdout


def test_doctor_asks_the_server_that_runs(server, directory):
    """It may use a sound server that the terminal does not know."""
    environment = os.environ | {"PULSE_SERVER": f"unix:{directory}/nowhere"}
    result = tonearm("doctor", "--port", str(server.port), "--data", str(server.data), environment=environment)
    assert result.returncode == 0, result.stdout
    assert re.search(r"^ok       data directory: .*\nok       port: ", result.stdout, re.M), "its own directory and port are in order"
    assert f"ok       output: the server at {server.url} plays on “No sound” (id null)" in result.stdout and "music:" not in result.stdout


def test_doctor_knows_that_the_server_writes_a_file(start_server, directory):
    server = start_server(output=f"file:{directory}/heard.wav")
    shown = tonearm("doctor", "--port", str(server.port)).stdout
    assert "note     output: the sound is written to the file; nobody hears it\n" in shown and "null sink" not in shown, shown


def test_doctor_names_the_sound_server_that_it_checks(pulse, start_server, directory):
    """The server has none: the check of this terminal's is no answer for it."""
    server = start_server(output="auto", pulse=SimpleNamespace(environment=os.environ | {"PULSE_SERVER": f"unix:{directory}/nowhere"}))
    shown = tonearm("doctor", "--port", str(server.port), environment=pulse.environment).stdout
    assert f"note     output: the server at {server.url} reports no output; the sound server of this terminal is checked instead" in shown


def test_doctor_notes_why_nobody_hears_the_music(pulse, start_server):
    """Notes: playing works. Without a running server, and asking one."""
    shown = tonearm("doctor", "--port", "0", environment=pulse.environment).stdout
    assert "note     sound card: no output is a sound card: " in shown and shown.endswith("\nPlaying works here; see the notes.\n")
    server = start_server(output="pulse", pulse=pulse)
    api = Api(server.url)

    def notes() -> set[str]:
        result = tonearm("doctor", "--json", "--port", str(server.port), environment=pulse.environment)
        assert result.returncode == 0, result.stdout
        findings = json.loads(result.stdout)["findings"]
        return {finding["detail"] for finding in findings if finding["state"] == "note" and finding["check"] in ("volume", "sound card")}

    assert [note.partition(":")[0] for note in notes()] == ["no output is a sound card"]
    api.settings(muted=True)
    assert "the player is muted" in notes()
    api.settings(muted=False, level=0)
    assert "the volume is 0" in notes() and "the player is muted" not in notes()


def test_doctor_notes_a_session_that_refuses_or_silences_the_music(server, api):
    def doctor() -> tuple[int, str]:
        result = tonearm("doctor", "--port", str(server.port), "--data", str(server.data))
        return result.returncode, result.stdout

    def session(**members) -> None:
        api.call("PATCH", "/session", json=members)

    session(category="audio-processing")
    status, shown = doctor()
    assert status == 1 and "problem  session: its category audio-processing plays nothing\n" in shown, shown
    session(category="ambient", silentSwitch=True)
    status, shown = doctor()
    assert status == 0 and "note     session: the silent switch is on, and silences ambient\n" in shown, shown
    session(category="playback")
    api.start("long.mp3")
    api.call("POST", "/session/interruptions", json={"type": "began"})
    api.wait_status("interrupted")
    status, shown = doctor()
    assert status == 0 and "note     player: the music is interrupted\n" in shown and "silent switch" not in shown, shown


def test_doctor_uses_the_servers_token(guarded, directory):
    server = guarded()
    Api(server.url, token=ADMIN).settings(muted=True)
    arguments = ("doctor", "--port", str(server.port), "--data", str(server.data))
    shown = tonearm(*arguments, "--token-file", str(directory / "tokens")).stdout
    assert f"the server at {server.url} plays on “No sound” (id null)\n" in shown and "note     volume: the player is muted\n" in shown, shown
    assert f"note     player: the server at {server.url} does not show its state\n" in tonearm(*arguments).stdout


def test_doctor_notices_that_there_is_no_output(directory):
    """The server answers, so the advice is about sound cards and not about sockets."""
    home = directory / "pulse"
    home.mkdir()
    daemon = PulseDaemon(home, modules=()).start()
    try:
        result = tonearm("doctor", "--port", "0", "--json", environment=daemon.environment)
    finally:
        daemon.stop()
    assert result.returncode == 1
    problems = [finding for finding in json.loads(result.stdout)["findings"] if finding["state"] == "problem"]
    assert [problem["check"] for problem in problems] == ["outputs"]
    assert "/proc/asound/cards" in str(problems[0]["advice"])


def completed(directory, words: list[str], **environment: str) -> list[str]:
    """As bash itself does it at a press of the tab key."""
    script = directory / "completion.bash"
    script.write_text(tonearm("--generate-completion-script", "bash").stdout)
    line = " ".join(words)
    probe = f"""
        source {script}
        COMP_LINE={line!r}; COMP_POINT={len(line)}; COMP_WORDS=({" ".join(map(repr, words))}); COMP_CWORD={len(words) - 1}
        _tonearm tonearm {words[-1]!r} {words[-2]!r}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    path = f"{binary().parent}:{os.environ['PATH']}"
    result = subprocess.run(["bash", "-c", probe], capture_output=True, text=True, env=os.environ | {"PATH": path} | environment, cwd=directory)
    return result.stdout.splitlines()


def test_completion_in_bash(directory):
    for line, expected in [
            ("tonearm se", {"serve", "seek", "search", "session", "set"}), ("tonearm serve --log-l", {"--log-level"}),
            ("tonearm serve --log-level w", {"warning"}), ("tonearm repeat o", {"off", "one"}), ("tonearm shuffle ", {"on", "off"}),
            ("tonearm previ", {"previous"})]:
        assert set(completed(directory, line.split(" "))) == expected, line


def test_completion_knows_the_servers_names_and_runs_none(directory, server, api):
    """A server's bytes must not reach the shell: bash expands the words that it completes."""
    api.call("POST", "/players", json={"id": "kitchen"})
    for name in ("Evening one", "Küche", "$(touch ran)", "`touch ran`", "a;b", "a:b"):
        api.call("POST", "/playlists", json={"name": name, "items": [{"uri": "long.mp3"}]})
    alarm = api.call("POST", "/timers", json={"type": "alarm", "time": "07:00"})["id"]
    api.call("POST", "/timers", json={"type": "sleep", "after": 900})
    output = api.call("GET", "/outputs")["outputs"][0]["id"]
    names = {list["id"] for list in api.call("GET", "/playlists")["playlists"] if not list["name"][0].isalpha() or list["name"][1] in ";:"}
    for words, expected in [
            (["players", "follow", ""], {"main", "kitchen"}), (["--player", "k"], {"kitchen"}), (["outputs", ""], {output, "default"}),
            (["playlists", "--play", ""], {"Evening one", "Küche"} | names), (["alarm", "set", ""], {alarm}), (["effects", "preset", "sp"], {"speech"})]:
        assert set(completed(directory, ["tonearm", *words], TONEARM_SERVER=server.url)) == expected, words
    assert len(names) == 4 and not (directory / "ran").exists()
    server.stop()
    assert completed(directory, ["tonearm", "players", "remove", ""], TONEARM_SERVER=server.url) in ([], [""])


def test_truncated_addition_is_reported(directory, start_server, media):
    """Folders nested deeper than 64 are left out: the API says so, and the command on its error stream."""
    deep = directory / "music" / "top" / "/".join(["d"] * 70)
    deep.mkdir(parents=True)
    shutil.copy(media.path("short-0.mp3"), directory / "music" / "top" / "first.mp3")
    shutil.copy(media.path("short-0.mp3"), deep / "last.mp3")
    server = start_server(music=directory / "music")
    cli = CommandLine(server)
    api = Api(server.url)
    answer = api.call("POST", "/queue/items", json={"items": [{"folder": "top"}]})
    assert answer["truncated"] is True and answer["count"] == 1
    assert api.call("POST", "/queue/items", json={"items": [{"uri": "top/first.mp3"}]})["truncated"] is False
    result = cli("add", "top/")
    assert result.returncode == 0 and "more than was added" in result.stderr
    assert api.uris() == ["top/first.mp3"] * 3


def test_add_knows_a_folder_and_refuses_what_is_no_music(cli, api):
    """A folder without a slash is one; a file that is not there, or is no music, is refused before it is added."""
    assert cli("add", "A Folder").returncode == 0
    assert all(uri.startswith("A Folder/") for uri in api.uris()) and api.uris()
    count = len(api.uris())
    for name, word in (("missing.mp3", "missing.mp3"), ("text.mp3", "text"), ("/etc/passwd", "outside")):
        assert word in cli.refusal("add", "long.mp3", name)
    assert len(api.uris()) == count
    assert cli.output("undo") == f"undone, 0 in the queue ({count} before)\n"
    assert api.uris() == []
    assert cli.output("redo") == f"redone, {count} in the queue (0 before)\n"
    assert len(api.uris()) == count


def test_an_endless_answer_is_ended():
    """A server that is none: the command neither grows nor waits for ever."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve() -> None:
            connection, _ = listener.accept()
            with connection, contextlib.suppress(OSError):
                connection.sendall(b"HTTP/1.1 500 Odd\r\nContent-Type: application/json\r\n\r\n")
                while True:
                    connection.sendall(b"x" * 65536)

        threading.Thread(target=serve, daemon=True).start()
        environment = os.environ | {"TONEARM_SERVER": f"http://127.0.0.1:{listener.getsockname()[1]}"}
        result = tonearm("status", "--follow", environment=environment, timeout=80)
    assert result.returncode == 1 and result.stderr


def test_long_work_shows_how_far_it_is(start_server, directory, media):
    """Issue 3, point 8: on a terminal a scan and a render count up in one line; elsewhere they are silent."""
    root = directory / "many"
    make_collection(root, 4_000, media.path("short-0.mp3").read_bytes())
    server = start_server(music=root)
    cli = CommandLine(server)
    api = Api(server.url)
    eventually(lambda: api.call("GET", "/library")["state"] == "idle", "the first scan is over", 60)
    status, seen = in_a_terminal("scan", "--reread", environment=cli.environment)
    counts = [int(count) for count in re.findall(r"\r\x1b\[K(\d+) files found, \d+ read", seen)]
    assert status == 0 and len(counts) >= 2 and counts == sorted(counts) and counts[-1] <= 4_000, seen
    status, seen = in_a_terminal("render", str(media.path("long.mp3")), str(directory / "out.wav"))
    assert status == 0 and re.search(r"\r\x1b\[K0:(39|40), \d+ times faster than it plays", seen), seen
    # Long enough that there is something to show.
    long = directory / "long.mp3"
    long.write_bytes(media.path("long.mp3").read_bytes() * 60)
    status, seen = in_a_terminal("info", str(long))
    assert status == 0 and re.search(r"\r\x1b\[K\d+:\d\d of 40:", seen) and seen.endswith("\r\x1b[K"), seen
    for arguments in (("scan", "--reread"), ("info", str(long)), ("render", str(media.path("long.mp3")), str(directory / "again.wav"))):
        quiet = cli(*arguments, timeout=60)
        assert quiet.returncode == 0 and quiet.stderr == ""


def test_status_tells_the_station_and_its_song(cli, api, media):
    radio = Radio(media.path("long.mp3").read_bytes(), 24000)
    radio.titles = [(0, "Somebody - A song")]
    api.load(f"{radio.url}/live", play=True)
    eventually(lambda: ((api.player()["item"] or {}).get("live") or {}).get("title"), "the song is known", 20)
    status = cli("status").stdout
    assert re.search("^station +Test FM$", status, re.M) and re.search("^title +Somebody - A song$", status, re.M), status


def test_add_play_and_browse_take_a_playlist(cli, api, music, media, origin):
    """A playlist file or feed is its entries, relative or as a path of this machine; a folder of such a name stays a folder."""
    (music / "lists" / "folder.m3u").mkdir(parents=True)
    for name in ("chirp.mp3", "low.mp3", "lists/folder.m3u/chirp.mp3"):
        shutil.copy(media.path(name.rpartition("/")[2]), music / name)
    (music / "lists" / "a.m3u").write_text("#EXTM3U\n../chirp.mp3\n../low.mp3\n")
    (music / "lists" / "web.m3u").write_text("#EXTM3U\n../low.mp3\nhttp://127.0.0.1:1/live\n")
    (music / "feed.xml").write_text('<rss version="2.0"><channel><title>S</title><item><title>One</title>'
                                    '<enclosure url="chirp.mp3" type="audio/mpeg"/></item></channel></rss>')
    (music / "empty.m3u").write_text("#EXTM3U\n")

    def lines(*arguments: str) -> list[str]:
        return cli.output("browse", *arguments).splitlines()

    for given, added in (("lists/a.m3u", 2), (str(music / "lists" / "a.m3u"), 2), ("feed.xml", 1), (lines(str(music / "lists" / "web.m3u"))[0], 1)):
        assert cli.output("add", given).startswith(f"{added} added")
    assert [uri.rsplit("/", 1)[-1] for uri in api.uris()] == ["chirp.mp3", "low.mp3"] * 2 + ["chirp.mp3", "low.mp3"]
    for index in range(6):
        api.play(index=index)
        api.wait_status("playing")
    assert lines("lists/web.m3u") == ["low.mp3", "http://127.0.0.1:1/live"] and lines("feed.xml") == ["chirp.mp3"]
    assert lines("lists/folder.m3u") == lines("lists/folder.m3u/") == ["lists/folder.m3u/chirp.mp3"]
    assert json.loads(lines("lists/a.m3u", "--json")[0])["items"][0]["uri"] == "chirp.mp3"
    origin.serve("/feed", f'<rss version="2.0"><channel><title>S</title><item><enclosure url="{origin.url}/song" type="audio/mpeg"/></item>'
                          "</channel></rss>".encode())
    assert lines(f"{origin.url}/feed") == [f"{origin.url}/song"]
    assert in_a_terminal("browse", "feed.xml", environment=cli.environment, stream="stdout") == (0, "chirp.mp3  One\r\n")
    for name, word in (("empty.m3u", "without entries"), ("gone.m3u", "gone.m3u"), ("low.mp3", "not a folder"), ("gone", "gone")):
        assert word in cli.refusal("browse", name)
    assert "without entries" in cli.refusal("add", "empty.m3u")
    (music / "nothing").mkdir()
    assert "no music" in cli.refusal("play", "nothing")


def test_the_contracts_may_lie_beside_the_page(directory, media):
    """Away from its source tree the program finds them with the page, and says where they belong when they are not there."""
    program = directory / "bin" / "tonearm"
    program.parent.mkdir()
    shutil.copy(binary(), program)
    (directory / "site").mkdir()
    shutil.copytree(REPOSITORY / "public", directory / "site" / "public")

    def serve() -> subprocess.CompletedProcess:
        return subprocess.run(
            ["timeout", "-s", "TERM", "3", str(program), "serve", "--output", "null", "--port", "0", "--data", str(directory / "data"),
             "--music", str(media.root), "--public", str(directory / "site" / "public")],
            cwd=directory, capture_output=True, text=True, timeout=30)

    missing = serve()
    assert missing.returncode == 78 and "openapi.yaml" in missing.stderr and "--public" in missing.stderr, missing
    for name in ("openapi.yaml", "asyncapi.yaml"):
        shutil.copy(REPOSITORY / name, directory / "site" / name)
    found = serve()
    assert "openapi.yaml" not in found.stderr and found.returncode in (0, 124), found
