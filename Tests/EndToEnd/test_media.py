# SPDX-License-Identifier: Apache-2.0
"""A file's description: format, tags, picture."""

import json
import os
import shutil
import subprocess
import urllib.parse

import numpy
import pytest

from rig import Api, EventLog, eventually
from rig.signals import align


def loaded_item(api, uri: str) -> dict:
    """The current item as `GET /player` shows it once it is open."""
    api.load(uri, play=True)
    api.wait_status("playing", "completed")
    return eventually(lambda: (item := api.player()["item"]) and item.get("format") and item, f"{uri} is described")


def ffprobe(path) -> dict:
    output = subprocess.run(
        ["ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json", str(path)],
        check=True, capture_output=True).stdout
    streams = json.loads(output)["streams"]
    return next(stream for stream in streams if stream["codec_type"] == "audio")


@pytest.mark.shared
def test_the_format_is_what_ffprobe_says(api, media):
    """Rows 77, 205."""
    for name in ["noise-128.mp3", "noise-160.mp3", "noise-320.mp3", "noise-mono.mp3", "tone-22050.mp3",
                 "tone-48000.mp3", "tone-8000.mp3", "noise.mp2"]:
        item, probe = loaded_item(api, name), ffprobe(media.path(name))
        format = item["format"]
        assert format["codec"] == probe["codec_name"]
        assert format["sampleRate"] == int(probe["sample_rate"])
        assert format["channels"] == probe["channels"]
        assert format["bitrate"] == pytest.approx(int(probe["bit_rate"]), rel=0.03)
        assert format["bitrateMode"] == "constant"
        assert format["layer"] == (2 if name.endswith("mp2") else 3)
        assert item["duration"] == pytest.approx(3 if name.startswith("tone") else 2, abs=0.1)


def test_variable_bit_rate_is_reported(api):
    """Rows 205, 208: with and without a Xing header; the final duration is right within 0.1 s."""
    for name, seconds in (("noise-vbr.mp3", 2), ("vbr-noxing-long.mp3", 40)):
        assert loaded_item(api, name)["format"]["bitrateMode"] in ("variable", "average")
        eventually(lambda: abs((api.player()["duration"] or 0) - seconds) < 0.1, f"the duration of {name}")


def test_tags_and_picture_are_read(api, media):
    """Row 206: ID3v2 text and APIC; the picture arrives byte for byte."""
    item = loaded_item(api, "tagged.mp3")
    assert (item["title"], item["artist"], item["album"]) == ("The Title", "The Artist", "The Album")
    artwork = api.request("GET", f"/queue/items/{item['id']}/artwork")
    assert artwork.status_code == 200 and artwork.headers["Content-Type"] == "image/png"
    assert artwork.content == media.cover
    assert api.request("GET", f"/queue/items/{item['id']}/artwork", headers={"If-None-Match": artwork.headers["ETag"]}).status_code == 304


def test_tags_in_other_codings(api):
    """Row 206: UTF-16, and GB18030 marked as Latin-1."""
    for name, title, artist in [("utf16.mp3", "Ünïcode 標題", "劉若英"), ("gb18030.mp3", "后来", "劉若英")]:
        item = loaded_item(api, name)
        assert (item["title"], item["artist"]) == (title, artist)


def test_an_untagged_file_has_no_tags(api):
    """Row 200: null or absent, never an empty string; no picture is 404."""
    item = loaded_item(api, "untagged.mp3")
    assert item.get("artist") is None and item.get("album") is None
    assert api.request("GET", f"/queue/items/{item['id']}/artwork").status_code == 404


def test_names_are_taken_as_they_are(api):
    """Row 38: spaces, CJK, percent, reserved characters: as a path."""
    for name in ["The New Look.mp3", "劉若英.mp3", "100% of it.mp3", "%20.mp3", "a+b&c=d#e?.mp3",
                 "A Folder/子/deep.mp3"]:
        assert loaded_item(api, name)["uri"] == name


def test_names_in_file_urls_are_decoded_once(api, media):
    """Row 38: `%2520` in a file: URL is the file `%20.mp3`."""
    for name in ("%20.mp3", "劉若英.mp3", "The New Look.mp3"):
        loaded_item(api, "file://" + urllib.parse.quote(str(media.path(name))))


def test_damage_in_the_middle_is_skipped_and_counted(written, api, media):
    """Row 81: 4 KB of garbage: it plays on to the end, and the counter tells."""
    api.play_through("garbage.mp3")
    written.wait_silence()
    captured = written.samples()
    reference = media.reference("noise-128.mp3")
    tail = reference[-22050:-4410]
    where = align(captured, tail)
    assert numpy.abs(captured[where : where + len(tail)].astype(int) - tail).max() <= 1, "the rest is intact"
    assert api.metric("tonearm_decode_errors_total") > 0


@pytest.mark.parametrize("deed", ["truncated", "replaced"])
def test_a_file_that_changes_while_it_plays(music, written, start_server, contract, media, deed):
    """The decoded part is heard, then `completed` with `error`, and the next item plays; a file whose name leads to another one
    by now plays to its end."""
    file = music / "long.mp3"
    for name in ("long.mp3", "noise.mp3"):
        shutil.copy(media.path(name), music)
    server = start_server(output=written.output, music=music)
    api, log = Api(server.url), EventLog(server.events_url, "", contract)
    ids = api.load("long.mp3", "noise.mp3")
    begin = 34 if deed == "replaced" else 0
    api.play(position=begin)
    written.wait_frames(1)
    match deed:
        case "truncated":
            os.truncate(file, 6 * 24_000)
        case "replaced":
            shutil.copy(media.path("chirp.mp3"), music / "new.mp3")
            (music / "new.mp3").rename(file)
    completed = log.wait_for("completed", lambda event: event["itemId"] == ids[0], timeout=20)
    assert completed["reason"] == ("error" if begin == 0 else "finished")
    log.wait_for("completed", lambda event: event["itemId"] == ids[1] and event["reason"] == "finished", timeout=20)
    if begin == 0:
        error = log.wait_for("error", timeout=1)
        assert error["code"] == "unreadable" and error["itemId"] == ids[0]
    log.close()
    assert not log.violations
    heard, start = written.samples(), 0
    long, noise = media.reference("long.mp3"), media.reference("noise.mp3")
    end = align(heard, noise)
    assert numpy.abs(heard[end : end + len(noise)].astype(int) - noise).max() <= 1, "the next item is whole"
    assert (end - start) / 44_100 == pytest.approx(6, abs=0.2), "6 s of it: to the cut, or from 34 s to the end"
    # Without the beginning after a jump, and what a decoder makes of the last frame that is there.
    length = end - start - 4_410
    part = heard[start + 2_205 : start + length]
    where = begin * 44_100 + align(long[begin * 44_100 :], part[:22_050])
    assert numpy.abs(part.astype(int) - long[where : where + len(part)]).max() <= 1, "what was decoded was heard"
