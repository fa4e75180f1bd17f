# SPDX-License-Identifier: Apache-2.0
"""One renderer for outputs and `tonearm render` (decision 0053), and loudness by tags."""

import json
import subprocess

import numpy
import pytest

from rig import RATE, Api, tonearm
from rig.signals import read_wave, write_wave

EFFECTS = {
    "enabled": True,
    "equalizer": {"enabled": True, "preamp": 3, "bands": [
        {"type": "lowshelf", "frequency": 100, "gain": 9, "q": 0.7},
        {"type": "peak", "frequency": 3000, "gain": -6, "q": 2}]},
    "compressor": {"enabled": True, "preset": "night"},
    "crossfeed": {"enabled": True, "level": 6},
    "limiter": {"enabled": True, "ceiling": -1},
}


# Frames of a track: 2 s, so long may the next one take to open on a busy machine.
LENGTH = 2 * RATE


def play_to_the_end(api, written, *uris) -> numpy.ndarray:
    api.play_through(*uris)
    return written.samples()


def test_live_sound_equals_render_bit_for_bit(written, api, media, directory):
    """Rows 89, 290, 294: the running server and the command, with everything on."""
    (directory / "effects.json").write_text(json.dumps(EFFECTS))
    rendered = directory / "rendered.wav"
    result = tonearm("render", str(media.path("noise.mp3")), str(rendered), "--effects", str(directory / "effects.json"))
    assert result.returncode == 0, result.stderr
    api.call("PUT", "/effects", json=EFFECTS)
    heard, expected = play_to_the_end(api, written, "noise.mp3"), read_wave(rendered)
    assert numpy.array_equal(heard, expected)
    assert not numpy.array_equal(expected, media.reference("noise.mp3"))


@pytest.fixture
def loudness_music(directory, music):
    """The same noise, quiet and loud, with the gain that brings each to one level."""
    noise = numpy.random.default_rng(276).uniform(-1, 1, (LENGTH, 2))
    for name, level, tags in (("quiet", 0.05, {"REPLAYGAIN_TRACK_GAIN": "+12.04 dB"}),
                              ("loud", 0.4, {"REPLAYGAIN_TRACK_GAIN": "-6.02 dB", "REPLAYGAIN_TRACK_PEAK": "0.4"}),
                              ("clipping", 0.5, {"REPLAYGAIN_TRACK_GAIN": "+12.00 dB", "REPLAYGAIN_TRACK_PEAK": "0.5"}),
                              ("untagged", 0.2, {})):
        wave = write_wave(directory / f"{name}.wav", level * noise)
        arguments = [part for key, value in tags.items() for part in ("-metadata", f"{key}={value}")]
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(wave), *arguments, str(music / f"{name}.flac")],
                       check=True)
    return music


def test_tracks_of_different_loudness_are_heard_at_one_level(start_server, written, loudness_music):
    """Row 276: within 1 LU of each other from the first frame on, nothing is clipped, what is unknown as it is set."""
    api = Api(start_server(output=written.output, music=loudness_music).url)
    api.call("PUT", "/effects", json={"enabled": True, "loudness": {"mode": "track", "untaggedPreamp": -6}})
    heard = play_to_the_end(api, written, "quiet.flac", "loud.flac", "clipping.flac", "untagged.flac").astype(float) / 32768
    assert len(heard) == 4 * LENGTH
    parts = heard.reshape(4, LENGTH, 2)
    levels = [20 * numpy.log10(numpy.sqrt((part**2).mean())) for part in parts]
    assert abs(levels[0] - levels[1]) < 0.1
    for part in parts[:2]:
        assert abs(20 * numpy.log10(numpy.sqrt((part[:2000] ** 2).mean())) - levels[0]) < 0.3
    # Of the tag's 12 dB, its peak admits 6.02; clipped noise would be louder than that.
    assert levels[2] == pytest.approx(20 * numpy.log10(1 / numpy.sqrt(3)), abs=0.1) and numpy.abs(parts[2]).max() > 0.99
    uniform = 20 * numpy.log10(0.2 / numpy.sqrt(3))
    assert levels[3] == pytest.approx(uniform - 6, abs=0.1)
