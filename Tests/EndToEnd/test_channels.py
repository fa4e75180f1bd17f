# SPDX-License-Identifier: Apache-2.0
"""Rows 78 and 260: surround at a sink that has the channels, and folded where it has two."""

import pathlib
import subprocess

import numpy
import pytest

from rig import PATIENCE, RATE, Api, Capture, eventually
from rig.signals import align, largest_difference, write_wave

MAP = "front-left,front-right,front-center,lfe,rear-left,rear-right"
SURROUND = f"module-null-sink sink_name=surround format=s16le rate=44100 channels=6 channel_map={MAP} norewinds=1"
# As ChannelMapper folds it: centre and rear at -3 dB, no LFE, scaled so that it cannot clip.
FOLD = numpy.array([[1, 0], [0, 1], [0.5 ** 0.5] * 2, [0, 0], [0.5 ** 0.5, 0], [0, 0.5 ** 0.5]]) / (1 + 2 * 0.5 ** 0.5)


@pytest.fixture(scope="module")
def music(tmp_path_factory) -> dict:
    """Every channel has a noise of its own; `samples` by name."""
    root = tmp_path_factory.mktemp("channels") / "music"
    root.mkdir()
    random = numpy.random.default_rng(78)
    samples = {name: 0.25 * random.standard_normal((round(seconds * RATE), channels)).clip(-3, 3) / 3
               for name, seconds, channels in (("stereo", 1.2, 2), ("after", 1.2, 2), ("six", 1.2, 6), ("side", 1.2, 6), ("long", 12, 6), ("song", 12, 2))}
    for name, frames in samples.items():
        wave = write_wave(root.parent / f"{name}.wav", frames)
        options = ["-channel_layout", {2: "stereo", 6: "5.1(side)" if name == "side" else "5.1"}[frames.shape[1]]]
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", *options, "-i", str(wave), str(root / f"{name}.{'wav' if name == 'side' else 'flac'}")],
                       check=True)
    return {"root": root, "samples": {name: numpy.round(frames * 32767) for name, frames in samples.items()}}


@pytest.fixture
def surround(pulse):
    # Before any other recorder: one of what was the default follows the default.
    pulse.load(SURROUND)
    pulse.pactl("set-default-sink", "surround")
    return Capture(pulse, "surround", MAP).start()


@pytest.fixture
def api(pulse, surround, start_server, music):
    return Api(start_server(output="pulse", pulse=pulse, music=music["root"]).url)


def played(api, recorder, *uris: str) -> numpy.ndarray:
    mark = recorder.frames
    api.play_through(*uris)
    recorder.wait_silence()
    return recorder.samples(mark)


@pytest.mark.parametrize("uri", ["six.flac", "side.wav"])
def test_six_channels_are_six_at_once(surround, api, music, uri):
    """Row 260: nothing was open before; rear and side stand for each other."""
    captured = played(api, surround, uri)
    assert largest_difference(captured, music["samples"][pathlib.Path(uri).stem])[0] <= 1
    assert api.player()["output"]["channels"] in (6, None)


def test_six_channels_after_stereo_and_stereo_after_six(surround, api, music):
    """Row 260: a stream for each, and not a frame lost between them."""
    captured = played(api, surround, "stereo.flac", "six.flac", "after.flac")
    starts = []
    for name in ("stereo", "six", "after"):
        reference = music["samples"][name]
        start = align(captured, reference)
        channels = reference.shape[1]
        window = captured[start:start + len(reference), :channels].astype(int)
        assert len(window) == len(reference) and numpy.abs(window - reference).max() <= 1, name
        starts.append(start)
    for (start, name), after in zip(zip(starts, ("stereo", "six")), starts[1:]):
        gap = after - start - len(music["samples"][name])
        assert 0 <= gap < RATE * PATIENCE, f"{gap / RATE:.3f} s between the items"
        print(f"gap behind {name}: {gap / RATE * 1000:.0f} ms")


def test_six_channels_at_the_end_of_next(surround, api, music):
    """Row 260: by next, and while a stereo item plays."""
    api.load("song.flac", "long.flac", play=True)
    surround.wait_sound()
    mark = surround.frames
    api.command("next")
    api.wait_status("playing")
    eventually(lambda: surround.samples(mark)[:, 3].any(), "the LFE sounds")
    surround.wait_seconds(0.5)
    captured = surround.samples(mark)
    reference = music["samples"]["long"][:RATE // 2]
    start = align(captured[:, 3:4], reference[:, 3:4])
    # Behind the fade-in.
    window = captured[start + 500:start + len(reference)].astype(int)
    assert numpy.abs(window - reference[500:]).max() <= 1


def test_an_output_of_two_channels_keeps_the_centre_and_the_stream(written, start_server, music):
    """Row 260: folded by the decoder, so that stereo and surround join without a gap."""
    samples = music["samples"]
    heard = played(Api(start_server(output=written.output, music=music["root"]).url), written, "stereo.flac", "six.flac", "after.flac")
    reference = numpy.concatenate([samples["stereo"], numpy.round(samples["six"] @ FOLD), samples["after"]])
    assert len(heard) == len(reference) and numpy.abs(heard - reference).max() <= 1


def test_a_wider_sink_gets_its_channels_while_it_plays(surround, capture, pulse, api):
    """Row 260: the stream is opened for the device that it goes to."""
    api.choose("spk")
    api.load("long.flac", play=True)
    capture.wait_sound()
    mark = surround.frames
    api.choose("surround")
    eventually(lambda: surround.samples(mark)[:, 3].any(), "the LFE sounds")
    assert api.wait_status("playing")["output"]["channels"] == 6
    api.choose("spk")
    eventually(lambda: api.player()["output"]["channels"] == 2, "stereo again")
    api.wait_status("playing")


@pytest.mark.parametrize("layout, channels, fold", [
    # FL FR FC LFE BL BR SL SR: the sides join the rear ones at -3 dB.
    ("7.1", 8, {4: (4, 6), 5: (5, 7)}),
    # FL FR FC LFE BC SL SR: the sides are the rear ones; a rear centre joins both at -3 dB.
    ("6.1", 7, {4: (5, 4), 5: (6, 4)}),
])
def test_surround_stays_behind_the_listener(start_server, directory, layout, channels, fold):
    """The channels that a smaller layout lacks are folded into a pair that it has, and nothing clips."""
    music = directory / "music"
    music.mkdir()
    noise = 0.9 * numpy.random.default_rng(260).uniform(-1, 1, (4410, channels))
    for name, names, samples in (("six", "5.1", numpy.zeros((441, 6))), ("more", layout, noise)):
        wave = write_wave(directory / f"{name}.wav", samples)
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-channel_layout", names, "-i", str(wave), "-c:a", "pcm_s16le",
                        str(music / f"{name}.mka")], check=True)
    api = Api(start_server(music=music).url)
    job = api.call("POST", "/renders", json={"items": [{"uri": "six.mka"}, {"uri": "more.mka"}], "effects": False})
    eventually(lambda: api.call("GET", f"/renders/{job['id']}")["status"] == "completed", "it is rendered", timeout=20)
    path = directory / "folded.wav"
    path.write_bytes(api.request("GET", f"/renders/{job['id']}/file").content)
    raw = subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(path), "-f", "s16le", "-"], check=True, capture_output=True)
    folded = numpy.frombuffer(raw.stdout, dtype="<i2").reshape(-1, 6)[441:] / 32768
    scale = 1 / (1 + 0.5 ** 0.5)
    for target in range(6):
        first, second = fold.get(target, (target, None))
        expected = noise[:, first] + (0.5 ** 0.5 * noise[:, second] if second is not None else 0)
        assert numpy.abs(folded[:, target] - scale * expected).max() < 1e-3, target
