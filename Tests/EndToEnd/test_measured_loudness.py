# SPDX-License-Identifier: Apache-2.0
"""Loudness of library tracks without tags, measured in the background (row 277)."""

import contextlib
import json
import sqlite3
import subprocess

import numpy
import pytest

from rig import RATE, Api, eventually, tonearm
from rig.kept import copy_kept
from rig.signals import write_wave

NAMES = ["a.wav", "b.flac", "c.mp3", "d.mp3", "e.ogg", "f.opus", "g.m4a", "h.flac", "i.wav", "j.mp3"]


def make(path, level: float, seed: int) -> None:
    """Noise that swells and falls, so that the gates matter."""
    noise = numpy.random.default_rng(seed).uniform(-1, 1, (5 * RATE, 2))
    swell = 10 ** (-2 * numpy.abs(numpy.sin(numpy.arange(5 * RATE) / RATE * (1 + seed / 10)))[:, None])
    source = write_wave(path.with_suffix(".source"), level * noise * swell)
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", str(source), str(path)], check=True)
    source.unlink()


def judged(path) -> float:
    """Integrated loudness by ffmpeg's own measure."""
    result = subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(path), "-af", "ebur128=metadata=1,ametadata=print:key=lavfi.r128.I:file=-",
         "-f", "null", "-"], check=True, capture_output=True, text=True)
    return float(result.stdout.rsplit("lavfi.r128.I=", 1)[1].split()[0])


def gain(written, path) -> float:
    """Decibels by which the output is louder than the file."""
    plain = subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(path), "-f", "s16le", "-"], check=True, capture_output=True)
    power = numpy.mean(numpy.frombuffer(plain.stdout, "<i2").astype(float) ** 2)
    return 10 * numpy.log10(numpy.mean(written.samples().astype(float) ** 2) / power)


def measured(server) -> dict:
    path = next(server.data.rglob("library.sqlite"))
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return {uri: (state, loudness) for uri, state, loudness in connection.execute("SELECT uri, measured, loudness FROM track")}


def scan(api) -> None:
    """Waiting tracks are measured after it."""
    eventually(lambda: api.request("POST", "/library/scan").is_success, "a scan begins", 30)


def wait_measured(api, count: int) -> None:
    def done() -> bool:
        library = api.call("GET", "/library")
        return library["state"] == "idle" and (library["loudness"]["measured"], library["loudness"]["remaining"]) == (count, 0)

    eventually(done, f"{count} tracks measured", 60)


def make_music(music) -> None:
    for number, name in enumerate(NAMES):
        make(music / name, 0.05 + 0.09 * number, number)
    tagged = music / "tagged.flac"
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(music / "b.flac"), "-metadata", "REPLAYGAIN_TRACK_GAIN=-3 dB",
                    str(tagged)], check=True)
    write_wave(music / "silence.wav", numpy.zeros((RATE, 2)))


@pytest.fixture
def music(directory):
    return copy_kept("measured", directory / "measured", make_music)


def test_ten_files_agree_with_ffmpeg_survive_a_restart_and_are_measured_again_when_they_change(server, api, written, music):
    eventually(lambda: api.call("GET", "/library")["state"] == "idle", "scanned", 30)
    loudness = api.call("GET", "/library")["loudness"]
    assert loudness["enabled"] and loudness["problem"] is None
    scan(api)
    wait_measured(api, 10)
    first = measured(server)
    for name in NAMES:
        assert first[name] == (1, pytest.approx(judged(music / name), abs=0.1)), name
    assert first["tagged.flac"][0] == 2 and first["silence.wav"][0] == 3

    server.restart(kill=True)
    api = Api(server.url)
    wait_measured(api, 10)
    assert measured(server) == first
    make(music / "a.wav", 0.5, 0)
    changed = judged(music / "a.wav")
    eventually(lambda: api.call("GET", "/library")["loudness"]["remaining"] == 1, "the changed file waits", 30)
    scan(api)
    wait_measured(api, 10)
    after = measured(server)
    assert after["a.wav"] == (1, pytest.approx(changed, abs=0.1)) and abs(changed - first["a.wav"][1]) > 10
    assert {name: value for name, value in after.items() if name != "a.wav"} == {
        name: value for name, value in first.items() if name != "a.wav"}

    api.call("PUT", "/effects", json={"enabled": True, "loudness": {"mode": "track"}})
    api.play_through("b.flac")
    assert gain(written, music / "b.flac") == pytest.approx(-18 - first["b.flac"][1], abs=0.1)


def test_an_album_is_as_loud_as_its_tracks_in_a_row(start_server, written, directory):
    music = directory / "albums"
    music.mkdir()
    for name, level, seed in (("a.flac", 0.5, 1), ("b.flac", 0.02, 9)):
        make(music / f"plain-{name}", level, seed)
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(music / f"plain-{name}"), "-metadata", "album=A",
                        "-metadata", "artist=B", str(music / name)], check=True)
        (music / f"plain-{name}").unlink()
    row = directory / "row.flac"
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(music / "a.flac"), "-i", str(music / "b.flac"),
                    "-filter_complex", "concat=n=2:v=0:a=1", str(row)], check=True)
    server = start_server(output=written.output, music=music)
    api = Api(server.url)
    eventually(lambda: api.call("GET", "/library")["state"] == "idle", "scanned", 30)
    scan(api)
    wait_measured(api, 2)
    api.call("PUT", "/effects", json={"enabled": True, "loudness": {"mode": "album"}})
    api.play_through("a.flac")
    assert gain(written, music / "a.flac") == pytest.approx(-18 - judged(row), abs=0.5)


def test_a_render_measures_what_no_tag_says(directory):
    """Row 250: two files become equally loud, within 1 LU, also the one whose tags say something else."""
    make(directory / "quiet.flac", 0.02, 3)
    make(directory / "loud.wav", 0.4, 4)
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(directory / "quiet.flac"), "-metadata", "REPLAYGAIN_TRACK_GAIN=-3 dB",
                    str(directory / "tagged.flac")], check=True)
    effects = directory / "effects.json"
    loudness = {"mode": "auto", "preamp": 0, "untaggedPreamp": 0, "preventClipping": False}
    before, after = {}, {}
    for name in ("quiet.flac", "loud.wav", "tagged.flac"):
        effects.write_text(json.dumps({"enabled": True, "loudness": loudness}))
        result = tonearm("render", str(directory / name), str(directory / "out.wav"), "--effects", str(effects))
        assert result.returncode == 0 and not result.stderr, result.stderr
        before[name], after[name] = judged(directory / name), judged(directory / "out.wav")
    assert before["loud.wav"] - before["quiet.flac"] > 20
    # Of 3 s of noise, ffmpeg judges the same sound a little apart in FLAC and in WAV.
    assert after["loud.wav"] == pytest.approx(-18, abs=0.5) and after["quiet.flac"] == pytest.approx(-18, abs=0.5)
    assert after["tagged.flac"] == pytest.approx(before["tagged.flac"] - 3, abs=0.5)


@pytest.mark.serve("--measure-loudness", "off")
def test_nothing_is_measured_when_it_is_off(music, api):
    eventually(lambda: api.call("GET", "/library")["state"] == "idle", "scanned", 30)
    assert api.call("GET", "/library")["loudness"] == {"enabled": False, "measured": 0, "remaining": 0, "problem": None}
