# SPDX-License-Identifier: Apache-2.0
"""The worker process: its sandbox, its crash, its hanging, its absence, its end."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

from rig import Api, Origin, binary, eventually, within


# Without a library every worker is an item's.
NO_LIBRARY = pytest.mark.serve("--library", "off")


def worker_binary() -> pathlib.Path:
    return binary().with_name("tonearm-media-worker")


@pytest.mark.smoke
def test_the_sandbox_lets_nothing_through():
    """No file, no socket, no process, no signal, no executable or unbounded memory: tried from inside."""
    trial = subprocess.run([str(worker_binary()), "--sandbox-trial"], capture_output=True, text=True, timeout=30)
    assert trial.returncode == 0, trial.stderr


@NO_LIBRARY
def test_workers_are_confined(server, api, formats):
    """The kernel's view of one that plays: filter, no new privileges, no descriptor but its own, limits, no environment."""
    api.start("formats/long.flac")
    process = eventually(lambda: server.workers(), "a worker runs")[0]
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    assert "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status and "Threads:\t1\n" in status
    limits = pathlib.Path(f"/proc/{process}/limits").read_text()
    for name, value in (("Max processes", "0"), ("Max open files", "5"), ("Max file size", "0")):
        line = next(line for line in limits.splitlines() if line.startswith(name))
        assert line[len(name):].split()[0] == value, line
    if os.geteuid() == 0:
        links = {entry.name: os.readlink(entry) for entry in pathlib.Path(f"/proc/{process}/fd").iterdir()}
        assert set(links) == {"0", "1", "2", "3"}, links
        assert {links[name] for name in "012"} == {"/dev/null"} and links["3"].startswith("socket:")
        assert pathlib.Path(f"/proc/{process}/environ").read_bytes() == b""
    # A spare one waits with its sandbox closed, and without the processor.
    spare = eventually(lambda: next((each for each in server.workers() if each != process), None), "a spare one is started", timeout=10)
    status = pathlib.Path(f"/proc/{spare}/status")
    eventually(lambda: "Seccomp:\t2" in status.read_text(), "its sandbox is closed")
    assert "NoNewPrivs:\t1" in status.read_text()


@NO_LIBRARY
def test_a_lost_worker_fails_its_item_and_the_next_one_plays(server, api, events, formats):
    """Issue 3, point 6: in the middle of playing. `WorkerFailureTests` has one that hangs."""
    first, second = api.start("formats/long.flac", "formats/long.m4a")
    process = server.workers()[0]
    os.kill(process, signal.SIGKILL)
    with within(20, "a lost worker"):
        completed = events.wait_for("completed", lambda event: event["itemId"] == first, timeout=30)
    assert completed.data["reason"] == "error"
    error = events.wait_for("error").data
    assert (error["code"], error["itemId"]) == ("decoder-failed", first) and "signal 9" in error["message"]
    eventually(lambda: api.player()["item"]["id"] == second and api.player()["status"] == "playing", "the next item plays")
    assert process not in server.workers() and server.is_running


@pytest.mark.serve("--library", "off", "--buffer-count", "5")
def test_an_underrun_is_counted_told_and_over(server, api, open_events, formats):
    """Rows 88, 239: a decoder that stands still for a second: `buffering`, the counter rises, time jumps, it plays on; how
    long decoding takes is counted."""
    events = open_events("interval=0.1")

    api.start("formats/long.flac")
    # A spare one may be there already.
    process = server.workers()[0]
    # A busy machine may have made one by now.
    underruns = api.metric("tonearm_underruns_total")
    before = events.wait_for("time", lambda event: event["rate"] == 1, mark=events.mark())["discontinuity"]
    decoding = api.metric("tonearm_decode_seconds_total")
    assert 0 < decoding < 10
    mark = events.mark()
    os.kill(process, signal.SIGSTOP)
    dry = events.wait_status("buffering", mark=mark, timeout=8)
    assert dry["reason"] == "underrun"
    assert api.metric("tonearm_underruns_total") == underruns + 1
    os.kill(process, signal.SIGCONT)
    events.wait_status("playing", mark=mark)
    after = events.wait_for("time", lambda event: event["rate"] == 1, mark=events.mark())
    # At least as long as the buffered sound lasted, which is 0.5 s.
    eventually(lambda: api.metric("tonearm_decode_seconds_total") > decoding + 0.25, "the time of decoding")
    assert after["discontinuity"] == before + 1 and after["position"] >= dry["position"] - 0.01
    assert api.metric("tonearm_underruns_total") == underruns + 1


@NO_LIBRARY
def test_workers_come_with_need_and_go_with_it(server, api, formats):
    """None before, one while an item is loaded and a spare one, only that after; none survives the server."""
    assert server.workers() == []
    api.start("long.mp3")
    assert server.workers() == [], "MPEG audio takes none"
    api.start("formats/long.flac")
    process = server.workers()[0]
    api.call("DELETE", "/queue")
    eventually(lambda: process not in server.workers(), "the worker ends", timeout=10)
    (spare,) = eventually(lambda: server.workers(), "a spare one is ready", timeout=10)
    api.start("formats/long.flac")
    assert server.workers()[0] == spare, "the spare one is the next item's"
    running = eventually(lambda: len(found := server.workers()) == 2 and found, "another one is ready")
    server.kill()
    for process in running:
        eventually(lambda: not pathlib.Path(f"/proc/{process}").exists(), "no worker survives the server")


@pytest.mark.serve("--media-worker", "/nowhere/tonearm-media-worker", "--library", "off")
def test_without_a_worker_mpeg_audio_plays_and_the_rest_says_why(server, api, formats):
    answer = api.request("GET", "/media/info", params={"uri": "formats/a.flac"})
    assert answer.status_code == 422 and answer.json()["code"] == "unsupported"
    assert "tonearm-media-worker" in answer.json()["detail"]
    api.load("noise.mp3", play=True)
    api.wait_status("playing", "completed")
    doctor = subprocess.run([str(binary()), "doctor", "--output", "null", "--data", str(server.directory / "other"), "--port", "0",
                             "--media-worker", "/nowhere/tonearm-media-worker"], capture_output=True, text=True, timeout=60)
    assert "media worker: missing" in doctor.stdout and doctor.returncode == 0


@NO_LIBRARY
@pytest.mark.smoke
def test_a_network_item_plays_through_the_worker(server, api, formats, tmp_path):
    """Row 215: 10 MB with moov at the end, over HTTP: by ranges, so that most of it is not loaded before it sounds. And a FLAC."""
    film = tmp_path / "film.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=d=360:a=0.3", "-c:a", "aac", "-b:a", "256k", str(film)], check=True)
    content = film.read_bytes()
    assert content.rindex(b"moov") > len(content) * 0.9 and len(content) > 8 << 20
    origin = Origin()
    for name, data, kind in (("film.mp4", content, "video/mp4"), ("long.flac", formats.path("long.flac").read_bytes(), "audio/flac")):
        origin.serve(f"/{name}", data, content_type=kind)
        api.load(f"{origin.url}/{name}")
        api.play()
        playing = api.wait_status("playing", timeout=10)
        assert playing["item"]["format"]["codec"] in ("aac", "flac")
        if name == "film.mp4":
            starts = [int(request.headers["range"].removeprefix("bytes=").split("-")[0]) for request in origin.log("/film.mp4") if "range" in request.headers]
            assert max(starts, default=0) > len(data) * 0.9, starts
            assert playing["duration"] == pytest.approx(360, abs=0.1)
        api.command("stop")


def test_a_film_with_its_index_last_plays_without_ranges(start_server, tmp_path):
    """Row 215: a server that sends it in one go only. All of it is loaded first: in memory, or in the cache when it is longer."""
    films = {}
    lengths = {"short": 6, "long": 60}
    for name, seconds in lengths.items():
        film = tmp_path / f"{name}.mov"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"sine=440:r=48000:d={seconds}", "-c:a", "pcm_s16le",
                        "-ac", "2", str(film)], check=True)
        films[name] = film.read_bytes()
    assert films["short"].rindex(b"moov") > films["short"].index(b"mdat") and len(films["long"]) > 10 << 20
    origin = Origin()
    for name, content in films.items():
        origin.serve(f"/{name}.mov", content, content_type="video/quicktime", ranges=False)
    for arguments, played in (((), ["short"]), (("--cache", "on"), ["short", "long"])):
        api = Api(start_server(arguments=arguments).url)
        for name in films:
            api.load(f"{origin.url}/{name}.mov")
            api.request("POST", "/player/play")
            now = api.wait_status("playing", "failed", timeout=10)
            assert now["status"] == ("playing" if name in played else "failed"), now
            if name in played:
                assert now["duration"] == pytest.approx(lengths[name], abs=0.05)
            else:
                assert now["error"]["code"] == "unsupported" and "its index is at its end" in now["error"]["message"]
            api.command("stop")


def test_a_worker_that_was_taken_over_hurts_its_item_only(start_server, formats, tmp_path):
    """Row 254: random answers instead of the worker's, until each kind of them was met: the item fails, the next one plays, the server lives."""
    worker = tmp_path / "hostile"
    worker.write_text(f"""#!{sys.executable}
import os, random, struct
for _ in range(200):
    size = random.choice([0, 1, 4, 17, 300, 65536])
    body = os.urandom(size)
    for data in (body, struct.pack("<I", size) + body, struct.pack(">I", size) + body, struct.pack("<IB", size + 1, random.randrange(12)) + body):
        for descriptor in range(3, 8):
            try:
                os.write(descriptor, data)
            except OSError:
                pass
""")
    worker.chmod(0o755)
    server = start_server(arguments=("--media-worker", str(worker), "--library", "off"))
    api = Api(server.url)
    for _ in range(4):
        api.load("formats/a.flac", "long.mp3", play=True)
        eventually(lambda: api.player()["item"]["uri"] == "long.mp3" and api.player()["status"] == "playing", "the next one plays", 25)
        refused = api.request("GET", "/media/info", params={"uri": "formats/a.flac"})
        assert refused.status_code == 422 and refused.json()["code"] in ("decoder-failed", "unsupported"), refused.text
    assert server.is_running


def test_many_files_are_added_without_a_process_for_each(start_server, formats, directory, media):
    """Eight are opened to be looked at; the others are only sorted into folders and files."""
    count = directory / "started"
    count.touch()
    wrapper = directory / "worker"
    wrapper.write_text(f"#!/bin/sh\necho >> {count}\nexec {worker_binary()} \"$@\"\n")
    wrapper.chmod(0o755)
    server = start_server(arguments=("--media-worker", str(wrapper), "--library", "off"))

    def add(*uris: str) -> int:
        """How many workers it took."""
        before = count.read_text().count("\n")
        result = subprocess.run([str(binary()), "add", *uris], env=os.environ | {"TONEARM_SERVER": server.url},
                                capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        return count.read_text().count("\n") - before

    # The first item is made ready to play.
    add(formats.uri("a.flac"))
    # One may have been ready, and one is made ready again.
    assert add(*[formats.uri("a.flac")] * 3) >= 2
    # The first eight, and those of before.
    assert add(*[formats.uri("a.flac")] * 40, "formats") <= 8 + 3
    api = Api(server.url)
    assert api.queue(limit=1)["length"] > 44, "a folder is a folder without its slash"
