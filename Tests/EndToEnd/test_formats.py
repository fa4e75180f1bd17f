# SPDX-License-Identifier: Apache-2.0
"""Every format that the media worker plays: its sound, its description, and seeks."""

import random
import subprocess

import numpy
import pytest

from rig import RATE, binary, eventually, within
from rig.formats import FORMATS, Format
from rig.signals import distortion_and_noise, read_wave
from test_media import ffprobe

SAME_RATE = [format for format in FORMATS if format.rate == RATE]

# `WorkerDecodingTests` compares these with ffmpeg's decode, whole and from eleven places.
COMPARED = {"a.flac", "b-alac.m4a", "d.aiff", "e.caf", "f.wv", "g.w64", "h.tta", "i.oga", "j.mkv", "l.m4a", "n.mov", "q.aac", "r.mkv",
            "s.ogg", "t.webm", "w.opus", "x.webm"}


def play_to_the_end(api, capture, *uris) -> numpy.ndarray:
    api.load(*uris, play=True)
    api.wait_status("completed", timeout=20 + 3 * len(uris))
    capture.wait_silence()
    return capture.samples()


def root_mean_square(samples: numpy.ndarray) -> float:
    """Against full scale, in dB."""
    return 10 * numpy.log10(max(1e-30, float(numpy.mean(numpy.square(samples / 32768)))))


def assert_equal(heard: numpy.ndarray, reference: numpy.ndarray, format: Format) -> None:
    """Lossless ones within half a step of 16 bits, lossy ones within -80 dB."""
    assert heard.shape == reference.shape, format
    difference = heard - numpy.clip(reference, -32768, 32767)
    if format.is_lossless:
        assert numpy.abs(difference).max() <= 0.51, format
    else:
        assert root_mean_square(difference) < -80, format


def reference(formats, format: Format) -> numpy.ndarray:
    has_padding = format.name.endswith(("m4a", "mp4", "mov", "3gp", "m4v")) and "ac3" not in format.name
    return formats.reference(format.name, 2.0 if has_padding else None)


def test_a_queue_of_formats_sounds_as_ffmpeg_decodes_it(written, api, formats):
    """Rows 1, 75, 203, 204: nothing missing, nothing between them. Every format by itself: `test_any_place_is_found_exactly`."""
    queue = [format for format in SAME_RATE if format.name in ("a.flac", "l.m4a", "s.ogg", "b-alac.m4a", "aa.ac3")]
    captured = play_to_the_end(api, written, *[formats.uri(format.name) for format in queue]).astype(float)
    start = 0
    for format in queue:
        expected = reference(formats, format)
        assert_equal(captured[start : start + len(expected)], expected, format)
        start += len(expected)
    assert len(captured) == start, "something sounded after the last file"


def test_other_sample_rates_are_resampled_and_keep_their_length(written, api, formats):
    """Rows 202, 204: Opus at 48 kHz, whose pre-skip is not heard, and 1 kHz at 96 and 192 kHz in an output of 44.1 kHz:
    distortion and noise below -60 dB, nothing lost."""
    for rate in (96_000, 192_000):
        wave = formats.media._wave(f"tone-{rate}", formats.media._stereo(formats.media._sine(1000, 3, rate=rate)), rate)
        formats.make(f"tone-{rate}.flac", "-i", str(wave))
    captured = play_to_the_end(api, written, "short-0.mp3", "formats/tone-96000.flac", "formats/tone-192000.flac",
                               "formats/w.opus", "formats/x.webm")
    assert len(captured) / RATE == pytest.approx(0.6 + 3 + 3 + 2 + 2, abs=0.03)
    for start in (0.6, 3.6):
        begin = round(start * RATE)
        assert distortion_and_noise(captured[begin + RATE // 2 : begin + 5 * RATE // 2, 0], 1000) < -60


@pytest.mark.serve("--buffer-count", "2", "--decode-buffer-frames", "512")
def test_blocks_that_are_larger_than_a_buffer_are_played(api, written, formats):
    """Row 76: FLAC with 32,768 frames a block, into buffers of 512."""
    formats.make("large-blocks.flac", "-i", str(formats.media.noise_wave), "-frame_size", "32768")
    captured = play_to_the_end(api, written, "formats/large-blocks.flac")
    assert_equal(captured, formats.reference("large-blocks.flac"), Format("large-blocks.flac", is_lossless=True))


def test_damaged_files_of_every_format_leave_the_server_standing(server, api, music, formats):
    """“Bad input”: cut at random places and with random bytes; each is described or refused in time. Thousands of them are
    decoded by the unit tests (`WorkerMutationTests`, `MutationTests`)."""
    dice = random.Random(4)
    names = []
    for format in [*FORMATS, Format("y.dsf"), Format("z.dff")]:
        whole = formats.path(format.name).read_bytes()
        for number in range(2):
            data = bytearray(whole)
            if number % 2:
                del data[dice.randrange(16, len(data)):]
            for _ in range(dice.randrange(1, 12)):
                data[dice.randrange(min(len(data), 600) if dice.random() < 0.5 else len(data))] = dice.randrange(256)
            names.append(f"{number}-{format.name}")
            (music / names[-1]).write_bytes(data)
    (music / "good.flac").write_bytes(formats.path("a.flac").read_bytes())
    answers = {}
    for name in names:
        with within(10, name):
            answers[name] = api.request("GET", "/media/info", params={"uri": name})
    assert {answer.status_code for answer in answers.values()} <= {200, 422}
    refused = [answer.json()["code"] for answer in answers.values() if answer.status_code == 422]
    assert set(refused) <= {"unsupported", "empty", "decoder-failed"} and len(refused) < len(names) / 2
    before = server.resident_bytes()
    # A handful of them to the end; the good one plays behind them.
    for name in dice.sample(names, 20):
        api.load(name)
        api.request("POST", "/player/play", json={"position": 0})
        api.command("stop")
    api.load(*dice.sample(names, 3), "good.flac")
    api.request("POST", "/player/play")
    eventually(lambda: (api.player()["item"] or {}).get("uri") == "good.flac" or api.player()["status"] == "failed", "the last one's turn", 30)
    api.wait_status("completed", timeout=10)
    assert server.is_running and server.resident_bytes() - before < 64 << 20


def test_dsd_becomes_sound(written, api, formats):
    """1 kHz in DSD64: it is there, clean, for one second."""
    captured = play_to_the_end(api, written, formats.uri("y.dsf"), formats.uri("z.dff"))
    assert len(captured) / RATE == pytest.approx(2.0, abs=0.04)
    for begin in (RATE // 4, 5 * RATE // 4):
        assert distortion_and_noise(captured[begin : begin + RATE // 2, 0], 1000) < -40


def test_a_sine_split_over_two_flacs_stays_continuous(written, api, formats):
    """Row 227: the joint is not there."""
    captured = play_to_the_end(api, written, "formats/gapless-a.flac", "formats/gapless-b.flac")[:, 0]
    sound = numpy.flatnonzero(captured)
    whole = captured[sound[0] : sound[-1] + 1]
    assert len(whole) == pytest.approx(4 * RATE, abs=50)
    assert distortion_and_noise(whole[RATE : 3 * RATE].astype(int), 441) < -80


@pytest.mark.shared
@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_the_format_is_what_ffprobe_says(api, formats, format):
    """Rows 77, 205, 220: before playing."""
    info, probe = api.call("GET", "/media/info", params={"uri": formats.uri(format.name)}), ffprobe(formats.path(format.name))
    told = info["format"]
    assert told["codec"] == probe["codec_name"]
    assert (told["sampleRate"], told["channels"]) == (int(probe["sample_rate"]), probe["channels"])
    # Of Speex FFmpeg tells what the encoder meant to reach.
    if "bit_rate" in probe and told["codec"] != "speex":
        assert told["bitrate"] == pytest.approx(int(probe["bit_rate"]), rel=0.03)
    if format.is_lossless:
        assert told["bitsPerSample"] == 16
    assert info["duration"] == pytest.approx(2.0, abs=format.length_error)
    assert info["seekable"] is True and info["decodeErrors"] == 0


@pytest.mark.parametrize("format", [format for format in FORMATS if format.name not in COMPARED], ids=str)
def test_any_place_is_found_exactly(formats, format, tmp_path):
    """Rows 1, 75, 203, 204, 270: the render sounds as ffmpeg decodes it; from any place on it equals the whole one from there on."""
    rate = format.rate

    def render(*arguments: str) -> numpy.ndarray:
        output = tmp_path / "out.wav"
        subprocess.run([str(binary()), "render", str(formats.path(format.name)), str(output), *arguments], check=True,
                       capture_output=True, timeout=60)
        return read_wave(output).astype(int)

    whole = render()
    assert len(whole) == pytest.approx(2 * rate, abs=2100)
    if rate == RATE:
        assert_equal(whole.astype(float), reference(formats, format), format)
    for frame in (1, rate // 3, 70_001 * rate // RATE):
        part = render("--start", f"{frame / rate:.9f}", "--duration", "0.2")
        expected = whole[frame : frame + len(part)]
        assert len(part) == round(0.2 * rate)
        if format.is_lossless:
            assert numpy.array_equal(part, expected), f"frame {frame}"
        else:
            assert root_mean_square((part - expected).astype(float)) < format.seek_noise, f"frame {frame}"


def test_tags_chapters_and_picture_are_reported(api, formats):
    """Rows 181, 220: of an M4A and a FLAC."""
    cover = formats.media.scratch / "cover.png"
    meta = formats.media.scratch / "chapters.txt"
    meta.write_text(";FFMETADATA1\ntitle=Träumerei\nartist=劉若英\nalbum=Album\ntrack=3/12\nREPLAYGAIN_TRACK_GAIN=-6.50 dB\n"
                    "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=900\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=900\nEND=2000\ntitle=Two\n")
    wave = str(formats.media.noise_wave)
    formats.make("tagged.m4a", "-i", wave, "-i", str(cover), "-i", str(meta), "-map", "0:a", "-map", "1:v", "-c:v", "copy",
                 "-disposition:v", "attached_pic", "-map_metadata", "2", "-c:a", "aac")
    formats.make("tagged.flac", "-i", wave, "-i", str(cover), "-i", str(meta), "-map", "0:a", "-map", "1:v", "-c:v", "copy",
                 "-disposition:v", "attached_pic", "-map_metadata", "2")
    for name in ("tagged.m4a", "tagged.flac"):
        info = api.call("GET", "/media/info", params={"uri": formats.uri(name)})
        tags = info["tags"]
        assert (tags["title"], tags["artist"], tags["album"]) == ("Träumerei", "劉若英", "Album")
        assert (tags["trackNumber"], tags["trackTotal"]) == (3, 12)
        picture = api.request("GET", "/media/artwork", params={"uri": formats.uri(name)})
        assert picture.content == formats.media.cover and picture.headers["Content-Type"] == "image/png"
    assert tags["replayGainTrack"] == -6.5
    chapters = api.call("GET", "/media/info", params={"uri": "formats/tagged.m4a"})["chapters"]
    assert [(chapter["title"], chapter["start"]) for chapter in chapters] == [("One", 0), ("Two", 0.9)]


def test_the_library_lists_every_format(formats, api):
    """Issue 3, point 7: the scanner catalogues them through workers. The odd and broken files beside them do no harm."""
    def scanned() -> dict | None:
        library = api.call("GET", "/library")
        return library if library["state"] == "idle" and library["tracks"] > len(FORMATS) else None

    assert eventually(scanned, "the scan ends", timeout=30)["unplayable"] > 0
    found = api.call("GET", "/library/tracks", params={"limit": 1000})["items"]
    uris = {track["uri"] for track in found}
    assert {formats.uri(format.name) for format in FORMATS} <= uris
    listed = {entry["path"] for entry in api.call("GET", "/browse", params={"path": "formats", "limit": 1000})["entries"]}
    assert {formats.uri(format.name) for format in FORMATS} <= listed
