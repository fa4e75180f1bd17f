# SPDX-License-Identifier: Apache-2.0
"""The samples that reach the sink."""

import numpy
import pytest

from rig import RATE, Api, Capture, eventually
from rig.signals import distortion_and_noise, largest_difference, level


def play_to_the_end(api, capture, *uris, **settings) -> numpy.ndarray:
    """The capture of the whole queue."""
    if settings:
        api.settings(**settings)
    api.play_through(*uris)
    capture.wait_silence()
    return capture.samples()


@pytest.mark.smoke
def test_the_sink_gets_what_mpg123_decodes(capture, api, media):
    """Rows 1, 60: through PulseAudio, within 1 LSB of `mpg123 -w`; nothing before it, nothing missing, nothing after it."""
    captured = play_to_the_end(api, capture, "noise.mp3")
    reference = media.reference("noise.mp3")
    difference, start = largest_difference(captured, reference)
    assert difference <= 1
    assert not captured[:start].any(), "something sounded before the file"
    assert not captured[start + len(reference) :].any(), "something sounded after the file"


def test_items_join_without_a_gap_and_without_traces_of_each_other(written, api, media):
    """Rows 53, 57, 68, 227: one stream sounds as the decodes laid end to end, in order: layers, rates, with and without Xing, mono."""
    names = ["short-0.mp3", "noise-vbr-noxing.mp3", "short-1.mp3", "noise.mp2", "noise-mono.mp3", "short-2.mp3"]
    captured = play_to_the_end(api, written, *names)
    references = [media.reference(name) for name in names]
    whole = numpy.concatenate([numpy.repeat(each, 3 - each.shape[1], axis=1) for each in references])
    assert captured.shape == whole.shape
    assert numpy.abs(captured.astype(int) - whole).max() <= 1


def test_a_sine_split_over_two_files_stays_continuous(written, api, media):
    """Row 227: the gapless pair has the length of the original and its phase runs through the joint."""
    captured = play_to_the_end(api, written, "gapless-a.mp3", "gapless-b.mp3")[:, 0].astype(int)
    reference = numpy.concatenate([media.reference("gapless-a.mp3"), media.reference("gapless-b.mp3")])[:, 0]
    assert len(captured) == len(reference) == 4 * RATE
    assert numpy.abs(captured - reference).max() <= 1
    assert distortion_and_noise(captured[RATE : 3 * RATE], 441) < -40


def test_an_item_after_a_stop_is_exact_from_its_first_frame(written, api, media):
    """Nothing fades in, and the effects of what was heard before are gone."""
    api.call("PUT", "/effects", json={"enabled": True, "equalizer": {"enabled": True, "bands": [{"type": "lowshelf", "frequency": 100, "gain": 12}]}})
    api.start("long.mp3")
    written.wait_frames(RATE // 2)
    api.call("POST", "/player/stop")
    api.wait_status("stopped")
    api.call("PUT", "/effects", json={"enabled": False})
    play_to_the_end(api, written, "noise.mp3")
    reference = media.reference("noise.mp3")
    assert numpy.abs(written.samples()[-len(reference) :].astype(int) - reference).max() <= 1


@pytest.mark.smoke
def test_loops_are_gapless(written, api):
    """Row 3: loops = 2 sounds three times, exactly one file length apart."""
    captured = play_to_the_end(api, written, {"uri": "click.mp3", "loops": 2})[:, 0].astype(int)
    loud = numpy.flatnonzero(numpy.abs(captured) > 5000)
    first = [int(index) for index, gap in zip(loud, numpy.diff(loud, prepend=-RATE)) if gap > RATE // 2]
    assert numpy.diff(first).tolist() == [RATE, RATE]


def test_other_sample_rates_are_resampled_cleanly(written, api):
    """Row 202: 1 kHz at 8, 22.05 and 48 kHz in an output of 44.1 kHz: distortion and noise below -60 dB, nothing lost."""
    names = ["tone-22050.mp3", "tone-48000.mp3", "tone-8000.mp3"]
    captured = play_to_the_end(api, written, "short-0.mp3", *names)
    start = 0.6
    for name in names:
        begin = round(start * RATE)
        assert distortion_and_noise(captured[begin + RATE // 2 : begin + 5 * RATE // 2, 0], 1000) < -60, name
        start += 3
    assert len(captured) / RATE == pytest.approx(start, abs=0.02)


def test_the_volume_leaves_the_sink_alone(pulse, api):
    """Rows 37, 164."""
    sink_volume = pulse.pactl("get-sink-volume", "spk")
    api.start("low.mp3")
    api.settings(volume=0.5)
    api.settings(muted=True)
    eventually(lambda: api.player()["position"] > 0.5, "it plays on")
    assert pulse.pactl("get-sink-volume", "spk") == sink_volume


def level_from_now(written, seconds: float) -> list[float]:
    """Of both channels, once what was on its way to the ear and the smoothing are over."""
    written.wait_seconds(0.25)
    mark = written.frames
    written.wait_seconds(seconds)
    return [level(channel) for channel in written.samples(mark, mark + round(seconds * RATE)).T]


def test_volume_is_amplitude(written, api):
    """Rows 37, 164: 0.5 is -6.02 dB, 0 and mute are digital silence, the volume survives the mute."""
    api.load("low.mp3", play=True)
    written.wait_sound()
    levels = {}
    for name, change in [("full", {}), ("half", {"volume": 0.5}), ("muted", {"muted": True}),
                         ("back", {"muted": False}), ("zero", {"volume": 0})]:
        if change:
            api.settings(**change)
        levels[name] = level_from_now(written, 0.4)[0]
    assert levels["half"] - levels["full"] == pytest.approx(-6.02, abs=0.1)
    assert levels["muted"] == float("-inf")
    assert levels["back"] == pytest.approx(levels["half"], abs=0.1)
    assert levels["zero"] == float("-inf")


def test_level_is_perceived(written, api):
    """SPEC 267: half is -18 dB within 0.5, as the API sets it; a step reads back as the decimal that it makes."""
    api.load("low.mp3", play=True)
    written.wait_sound()
    heard = {}
    for wanted, change in [(1, {"level": 1}), (0.5, {"level": 0.5}), (0.55, {"levelBy": 0.05}), (0, {"levelBy": -1})]:
        state = api.settings(**change)
        assert state["level"] == wanted and state["volume"] == pytest.approx(wanted**3)
        heard[wanted] = level_from_now(written, 0.4)[0]
    assert heard[0.5] - heard[1] == pytest.approx(-18, abs=0.5)
    assert heard[0.55] - heard[1] == pytest.approx(-15.6, abs=0.5)
    assert heard[0] == float("-inf")


def test_balance_silences_the_other_side(written, api):
    """Row 86: at -1 the right channel is below -90 dB and the left unchanged; at 1 the other way round; between, the
    amplitude of one side is in proportion, as openapi.yaml says."""
    api.load("low.mp3", play=True)
    written.wait_sound()
    found = {}
    for balance in (0, -1, 0.5, 1):
        api.settings(balance=balance)
        found[balance] = level_from_now(written, 0.3)
    assert found[-1][0] == pytest.approx(found[0][0], abs=0.1) and found[-1][1] < -90
    assert found[0.5][0] == pytest.approx(found[0][0] - 6.02, abs=0.1) and found[0.5][1] == pytest.approx(found[0][1], abs=0.1)
    assert found[1][1] == pytest.approx(found[0][1], abs=0.1) and found[1][0] < -90


def envelope(samples: numpy.ndarray, frequency: float) -> numpy.ndarray:
    """Momentary amplitude of a sine, over two of its periods."""
    carrier = numpy.exp(-2j * numpy.pi * frequency * numpy.arange(len(samples)) / RATE)
    window = round(2 * RATE / frequency)
    return 2 * numpy.abs(numpy.convolve(samples * carrier, numpy.ones(window) / window, mode="same"))


def test_a_volume_ramp_is_a_straight_line_and_a_new_one_takes_over(written, api):
    """Row 85: within 0.5 dB of the line in amplitude; the second ramp starts where the first had got to."""
    api.load("low.mp3", play=True)
    written.wait_sound()
    written.wait_seconds(0.3)
    # The second half of it is for a test that is late.
    api.settings(volumeRamp={"to": 0, "seconds": 6})
    written.wait_seconds(2.5)
    api.settings(volumeRamp={"to": 1, "seconds": 1})
    written.wait_seconds(1.6)
    amplitude = envelope(written.samples()[:, 0].astype(float), 220)
    full = numpy.median(amplitude[-RATE // 4 : -RATE // 20])
    relative = amplitude / full
    lowest = int(numpy.argmin(relative[RATE // 10 : -RATE // 20])) + RATE // 10
    assert 0.05 < relative[lowest] < 0.65, "the second ramp took over on the way"
    falling = relative[lowest - int(0.8 * RATE) : lowest - RATE // 50]
    rising = relative[lowest + RATE // 50 : lowest + int(0.4 * RATE)]
    for part in (falling, rising):
        line = numpy.polyval(numpy.polyfit(numpy.arange(len(part)), part, 1), numpy.arange(len(part)))
        assert numpy.abs(20 * numpy.log10(part / line)).max() < 0.5
    slope = numpy.polyfit(numpy.arange(len(falling)) / RATE, falling, 1)[0]
    assert slope == pytest.approx(-1 / 6, rel=0.05)


@pytest.mark.parametrize("count, frames", [(2, 512), (64, 65536)])
def test_the_buffers_change_nothing_of_the_sound(written, start_server, media, origin, count, frames):
    """Rows 58, 76, 80, 93: from the smallest, which no frame fits into, to the largest; from a file and an address, across a
    joint; and changed while it plays."""
    origin.serve("/noise-320.mp3", media.path("noise-320.mp3").read_bytes())
    server = start_server(output=written.output, arguments=("--buffer-count", str(count), "--decode-buffer-frames", str(frames)))
    api = Api(server.url)
    api.load(*("noise-320.mp3", f"{origin.url}/noise-320.mp3") * 2, play=True)
    for seconds in (2, 0.1, 0.5, 0):
        assert api.settings(decodeAhead=seconds)["decodeAhead"] == seconds
        written.wait_frames(written.frames + RATE // 2)
    api.wait_status("completed", timeout=20)
    written.wait_silence()
    captured = written.samples()
    assert largest_difference(captured, numpy.concatenate([media.reference("noise-320.mp3")] * 4))[0] <= 1


@pytest.mark.parametrize("name, channels, channel_map, expected", [
    ("left.mp3", 1, "mono", {0: -6.02}),
    ("left.mp3", 6, "front-left,front-right,rear-left,rear-right,front-center,lfe", {0: 0.0, 1: None}),
])
def test_channels_are_mixed_to_what_the_sink_has(pulse, start_server, media, name, channels, channel_map, expected):
    """Row 78: stereo halved into one, stereo at the front of a wider sink. Mono is in both ears of the joined items."""
    pulse.load(f"module-null-sink sink_name=shape format=s16le rate=44100 channels={channels} "
               f"channel_map={channel_map} norewinds=1")
    pulse.pactl("set-default-sink", "shape")
    recorder = Capture(pulse, "shape", channel_map).start()
    api = Api(start_server(output="pulse", pulse=pulse).url)
    api.load(name, play=True)
    start = recorder.wait_sound(level=1000)
    recorder.wait_frames(start + RATE)
    window = recorder.samples(start + RATE // 4, start + RATE)
    reference = level(media.reference(name)[RATE // 4 : RATE, 0])
    for channel, change in expected.items():
        heard = level(window[:, channel])
        assert heard < -60 if change is None else heard == pytest.approx(reference + change, abs=0.5), channel
