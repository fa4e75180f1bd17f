# SPDX-License-Identifier: Apache-2.0
"""/effects: what is set, what is heard of it, what lasts."""

import cmath
import math
import subprocess
import threading

import numpy
import pytest

from rig import RATE, Api, eventually, tonearm
from rig.signals import read_wave, write_wave

TEXT = "Preamp: -6 dB\nFilter 1: ON LSC Fc 105 Hz Gain 5.5 dB Q 0.7\nFilter 2: ON PK Fc 2000 Hz Gain -3 dB Q 1.41\n"
BANDS = [
    {"type": "lowshelf", "frequency": 120, "gain": 5, "q": 0.7},
    {"type": "peak", "frequency": 1000, "gain": -8, "q": 2},
    {"type": "peak", "frequency": 4000, "gain": 6, "q": 4},
    {"type": "highshelf", "frequency": 9000, "gain": -4, "q": 0.7},
]


def decibels(band: dict, frequency: float) -> float:
    """R. Bristow-Johnson, Cookbook formulae for audio EQ biquad filter coefficients."""
    angle = 2 * math.pi * band["frequency"] / RATE
    a, cosine, alpha = 10 ** (band["gain"] / 40), math.cos(angle), math.sin(angle) / (2 * band["q"])
    slope, sign = 2 * math.sqrt(a) * alpha, -1 if band["type"] == "highshelf" else 1
    if band["type"] == "peak":
        above, below = (1 + alpha * a, -2 * cosine, 1 - alpha * a), (1 + alpha / a, -2 * cosine, 1 - alpha / a)
    else:
        above = (a * (a + 1 - sign * (a - 1) * cosine + slope), sign * 2 * a * (a - 1 - sign * (a + 1) * cosine),
                 a * (a + 1 - sign * (a - 1) * cosine - slope))
        below = (a + 1 + sign * (a - 1) * cosine + slope, -sign * 2 * (a - 1 + sign * (a + 1) * cosine),
                 a + 1 + sign * (a - 1) * cosine - slope)
    turn = cmath.exp(-2j * math.pi * frequency / RATE)
    response = [sum(c * turn**n for n, c in enumerate(side)) for side in (above, below)]
    return 20 * math.log10(abs(response[0] / response[1]))


@pytest.fixture
def play_samples(api, written, music):
    """Plays a wave with these effects into the file and gives what was heard."""

    def play(samples: numpy.ndarray, **effects):
        write_wave(music / "wave.wav", samples)
        api.call("PATCH", "/effects", json=effects)
        api.play_through("wave.wav")
        return written.samples()

    return play


def test_the_equaliser_is_its_formula_within_a_tenth_of_a_decibel(play_samples):
    """Row 284: the response of the running server by a swept sine, from 20 Hz to 20 kHz."""
    seconds, length = 6, 2**19
    turns = 20 * seconds / math.log(1100) * (1100 ** (numpy.arange(seconds * RATE) / (seconds * RATE)) - 1)
    sweep = 0.3 * numpy.sin(2 * math.pi * turns)
    # Its ends are cut smoothly, below 20 Hz and above 20 kHz, and the filters sound on behind it.
    sweep[: RATE // 100] *= numpy.linspace(0, 1, RATE // 100)
    sweep = numpy.concatenate([numpy.zeros(RATE // 4), sweep, numpy.zeros(RATE // 2)])
    source = numpy.round(numpy.stack([sweep, sweep], axis=1) * 32767) / 32768
    heard = play_samples(source * 32768 / 32767, enabled=True, equalizer={"enabled": True, "bands": BANDS, "preamp": -3}) / 32768
    assert len(heard) == len(source)
    for channel in (0, 1):
        response = numpy.fft.rfft(heard[:, channel], length) / numpy.fft.rfft(source[:, channel], length)
        for frequency in numpy.geomspace(20.5, 20000, 200):
            place = round(frequency * length / RATE)
            expected = sum(decibels(band, place * RATE / length) for band in BANDS) - 3
            assert abs(20 * math.log10(abs(response[place])) - expected) < 0.1, frequency


def test_the_limiter_keeps_its_ceiling_and_nothing_is_shifted(play_samples):
    noise = 0.9 * numpy.random.default_rng(7).uniform(-1, 1, (RATE, 2))
    heard = play_samples(noise, enabled=True, limiter={"enabled": True, "ceiling": -6})
    assert len(heard) == RATE
    assert numpy.abs(heard).max() <= 32768 * 10 ** (-6 / 20) + 1
    # Output index is input index: no other shift correlates better.
    product = [float((heard[64:-64, 0] * noise[64 + n : RATE - 64 + n, 0]).sum()) for n in (-2, -1, 0, 1, 2)]
    assert product[2] == max(product)


def test_neutral_effects_are_bit_exact(written, api, media):
    """To the bit: `mpg123`'s decode in 32-bit float, rounded to 16 bits."""
    api.call("PATCH", "/effects", json={"enabled": True, "equalizer": {"enabled": True, "preset": "flat"}})
    api.play_through("noise.mp3")
    decoded = subprocess.run(["mpg123", "-q", "-e", "f32", "-s", str(media.path("noise.mp3"))], check=True, capture_output=True).stdout
    expected = numpy.clip(numpy.rint(numpy.frombuffer(decoded, "<f4") * 32768), -32768, 32767).reshape(-1, 2)
    assert numpy.array_equal(written.samples(), expected)


def test_effects_and_presets_last(server, api, open_events):
    """Promise 3. Each player has its own."""
    log = open_events("events=effects")
    changed = api.call("PATCH", "/effects", json={"enabled": True, "crossfeed": {"enabled": True}, "width": 1.25})
    assert log.wait_for("effects").data == changed == api.call("GET", "/effects")
    assert api.call("POST", "/effects/presets", json={"name": "HD 600", "text": TEXT})["preamp"] == -6
    api.call("PATCH", "/effects", json={"equalizer": {"enabled": True, "preset": "HD 600"}})
    api.call("POST", "/players", json={"id": "kitchen"})
    assert api.call("GET", "/players/kitchen/effects")["enabled"] is False
    api = Api(server.restart(kill=True).url)
    effects = api.call("GET", "/effects")
    assert effects["width"] == 1.25 and effects["crossfeed"]["enabled"]
    assert effects["equalizer"]["preset"] == "HD 600" and [band["gain"] for band in effects["equalizer"]["bands"]] == [5.5, -3]
    assert api.request("DELETE", "/effects/presets/HD%20600").status_code == 204
    assert api.call("GET", "/effects")["equalizer"]["preset"] is None
    assert [p["name"] for p in api.call("GET", "/effects/presets")["presets"]] == ["flat", "bass", "treble", "speech", "loudness", "graphic"]


def test_effects_can_be_written_back_after_their_preset_was_deleted(api):
    """Another server, or one without the preset, takes the curve itself."""
    api.call("POST", "/effects/presets", json={"name": "Own", "text": "Filter 1: ON PK Fc 105 Hz Gain 5.5 dB Q 0.7"})
    document = api.call("PATCH", "/effects", json={"equalizer": {"preset": "Own"}})
    assert document["equalizer"]["preset"] == "Own"
    api.call("DELETE", "/effects/presets/Own")
    written = api.call("PUT", "/effects", json=document)
    assert written["equalizer"] == document["equalizer"] | {"preset": None}


def test_the_command_line_sets_effects_and_renders_with_them(cli, api, directory):
    assert cli("effects").stdout == "off\n"
    assert cli("effects", "preset", "bass").stdout == "on, equalizer bass\n"
    assert "limiter at -1.0 dB" in cli("effects", "set", "limiter.enabled", "on").stdout
    assert cli("effects", "set", "limiter.ceiling", "-3").returncode == 0
    assert api.call("GET", "/effects")["limiter"] == {"enabled": True, "ceiling": -3}
    (directory / "eq.txt").write_text(TEXT)
    assert cli.output("effects", "import", "HD 600", str(directory / "eq.txt")) == "HD 600 is saved\n"
    assert "HD 600" in cli("effects", "presets").stdout
    refused = cli("effects", "set", "width", "3")
    assert refused.returncode == 64 and "width must be from 0.0 to 2.0" in refused.stderr

    source = write_wave(directory / "source.wav", numpy.random.default_rng(3).uniform(-0.9, 0.9, (RATE, 2)))
    (directory / "effects.json").write_text(cli("effects", "show", "--json").stdout)
    done = tonearm("render", str(source), str(directory / "out.wav"), "--effects", str(directory / "effects.json"))
    assert done.returncode == 0, done.stderr
    rendered = read_wave(directory / "out.wav")
    assert len(rendered) == RATE and 15000 < numpy.abs(rendered).max() <= 32768 * 10 ** (-3 / 20) + 1
    cli("effects", "set", "reverb.enabled", "on")
    assert "reverb 25 %, delay 20.0 ms" in cli("effects", "set", "delay", "20").stdout


def test_changes_while_it_plays_leave_no_step(api, written, music):
    """A sine whose channels are its real and imaginary part: without the turning only the changes of level and phase are left."""
    turning = numpy.exp(2j * math.pi * 1000 / RATE * numpy.arange(9 * RATE))
    source = 0.2 * numpy.stack([turning.real, turning.imag], axis=1)
    write_wave(music / "sine.wav", source)
    api.load("sine.wav", play=True)
    eventually(lambda: api.player()["position"] > 0.3, "it plays")
    equalizer = {"enabled": True, "bands": [{"type": "peak", "frequency": 1000, "gain": 9, "q": 1}]}
    changes = [{"enabled": True, "equalizer": equalizer}, {"compressor": {"enabled": True, "preset": "light"}}, {"limiter": {"enabled": True, "ceiling": -9}}]
    changes += [{"equalizer": {"preamp": gain / 5}} for gain in range(-30, 30)]
    changes += [{"equalizer": {"bands": [{"type": "peak", "frequency": 900, "gain": -9, "q": 3}]}}, {"enabled": False}]
    for number, change in enumerate(changes):
        api.call("PATCH", "/effects", json=change)
        if number < 3 or number > 62:
            place = api.player()["position"]
            eventually(lambda: api.player()["position"] > place + 0.25, "it goes on")
    api.wait_status("completed", timeout=20)
    heard = written.samples().astype(float)
    assert len(heard) == len(source)
    envelope = (heard[:, 0] + 1j * heard[:, 1]) * turning.conj()
    # Without the fade at the beginning.
    envelope = envelope[RATE // 10 :]
    assert numpy.abs(envelope).max() > 1.5 * numpy.abs(envelope).min() > 0, "nothing has changed"
    assert 20 * math.log10(numpy.abs(numpy.diff(envelope)).max() / numpy.abs(envelope).max()) < -60
    assert numpy.array_equal(heard[-RATE // 2 :], numpy.round(source[-RATE // 2 :] * 32767))


def test_changes_in_joins_crossfades_seeks_and_pauses(server, api, written, music, open_events):
    """One sine in five items, effects switched about a hundred times a second: no step at a joint, nothing lost; then all else at once."""
    turning = numpy.exp(2j * math.pi * 1000 / RATE * numpy.arange(5 * RATE))
    source = 0.2 * numpy.stack([turning.real, turning.imag], axis=1)
    for part in range(5):
        write_wave(music / f"part{part}.wav", source[part * RATE : (part + 1) * RATE])
    log = open_events("events=error,completed")
    stopped, made = threading.Event(), []
    equalizer = {"enabled": True, "bands": [{"type": "peak", "frequency": 1000, "gain": 6, "q": 1}]}

    def change() -> None:
        other = Api(server.url)
        while not stopped.wait(0.008):
            number = len(made)
            other.call("PUT", "/effects", json=[
                {"enabled": True, "equalizer": equalizer}, {"enabled": True, "limiter": {"enabled": True, "ceiling": -18}},
                {"enabled": True, "compressor": {"enabled": True}}, {"enabled": False}][number % 4])
            made.append(number)

    changer = threading.Thread(target=change)
    changer.start()
    try:
        api.play_through(*(f"part{part}.wav" for part in range(5)), timeout=30)
        heard = written.samples().astype(float)
        assert len(heard) == len(source) and len(made) > 50
        envelope = ((heard[:, 0] + 1j * heard[:, 1]) * turning.conj())[RATE // 10 :]
        assert 20 * math.log10(numpy.abs(numpy.diff(envelope)).max() / numpy.abs(envelope).max()) < -60

        api.settings(crossfade=0.4)
        api.load(*(f"part{part}.wav" for part in range(5)), play=True)
        for place in (0.7, 0.1, 0.55):
            eventually(lambda: api.player()["status"] == "playing", "it plays")
            api.seek(position=place)
            api.pause()
            api.play()
        api.wait_status("completed", timeout=30)
    finally:
        stopped.set()
        changer.join()
    assert not log.since(0, "error")
    eventually(lambda: [event["reason"] for event in log.since(0, "completed")] == ["finished"] * 10, "each item finished")
