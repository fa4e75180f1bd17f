# SPDX-License-Identifier: Apache-2.0
"""Jobs that render into files (decision 0069)."""

import resource
import subprocess

import numpy
import pytest

from rig import Api, eventually
from rig.signals import read_wave, write_wave

EFFECTS = {
    "enabled": True,
    "equalizer": {"enabled": True, "preamp": -3, "bands": [{"type": "lowshelf", "frequency": 100, "gain": 6, "q": 0.7}]},
    "crossfeed": {"enabled": True, "level": 6},
    "reverb": {"enabled": True, "decay": 0.7},
}


def order(api, **members) -> dict:
    response = api.request("POST", "/renders", json=members)
    assert response.status_code == 202, response.text
    job = response.json()
    assert response.headers["Location"].endswith(job["id"]) and 0 <= job["progress"] <= 1
    return job


def finish(api, job: dict) -> dict:
    def over():
        now = api.call("GET", f"/renders/{job['id']}")
        return now if now["status"] in ("completed", "failed") else None

    return eventually(over, f"{job['id']} is over", timeout=60)


def download(api, job: dict, path, **headers):
    response = api.request("GET", f"/renders/{job['id']}/file", headers=headers)
    assert response.is_success, response.text
    path.write_bytes(response.content)
    return path


def rendered(api, directory, **members) -> numpy.ndarray:
    job = finish(api, order(api, **members))
    assert job["status"] == "completed" and job["progress"] == 1 and job["error"] is None, job
    wave = download(api, job, directory / "rendered.wav")
    samples = read_wave(wave)
    assert job["size"] == wave.stat().st_size and job["duration"] == pytest.approx(len(samples) / 44100, abs=1e-3)
    api.call("DELETE", f"/renders/{job['id']}")
    return samples


def test_the_queue_is_rendered_as_it_is_heard(api, written, directory, media):
    """Rows 89, 290, 294: two items without a gap, with and without effects, equal to the output's file to the bit; a playlist alike."""
    api.call("PUT", "/effects", json=EFFECTS)
    api.load("noise.mp3", "noise.mp3")
    files = [rendered(api, directory, queue=True, effects=with_effects) for with_effects in (True, False)]
    playlist = api.call("POST", "/playlists", json={"name": "Twice", "items": [{"uri": "noise.mp3"}] * 2})
    assert numpy.array_equal(rendered(api, directory, items=[{"playlist": playlist["id"]}]), files[0])
    api.play()
    api.wait_status("completed", timeout=30)
    assert numpy.array_equal(written.samples(), files[0])
    assert numpy.array_equal(files[1], numpy.concatenate([media.reference("noise.mp3")] * 2))
    assert not numpy.array_equal(files[0], files[1])


def test_speed_pitch_and_crossfade_are_the_players(api, written, directory, music):
    """Row 89: what sounds together, faster and higher, is as it is heard, of the queue as of other items; not without effects."""
    noise = numpy.random.default_rng(89).uniform(-0.5, 0.5, (2, 4 * 44100, 2))
    for name, samples in zip(("one.wav", "other.wav"), noise):
        write_wave(music / name, samples)
    api.call("PUT", "/effects", json=EFFECTS)
    api.settings(crossfade=1, playbackRate=1.3, pitch=200)
    api.load("one.wav", "other.wav")
    queue = rendered(api, directory, queue=True)
    items = rendered(api, directory, items=[{"uri": "one.wav"}, {"uri": "other.wav"}])
    api.play()
    api.wait_status("completed", timeout=30)
    assert numpy.array_equal(written.samples(), queue) and numpy.array_equal(items, queue)
    assert len(queue) == pytest.approx((8 / 1.3 - 1 + 0.7) * 44100, abs=3)
    api.settings(crossfade=0)
    plain = rendered(api, directory, items=[{"uri": "one.wav"}], effects=False)
    assert numpy.array_equal(plain, read_wave(music / "one.wav"))


def test_a_part_is_rendered(api, directory, media):
    reference = media.reference("noise.mp3")
    length = len(reference) / 44100
    items = [{"uri": "noise.mp3"}, {"uri": "noise.mp3", "loops": 2}]
    part = rendered(api, directory, items=items, start=2.5 * length, duration=length)
    expected = numpy.concatenate([reference, reference])[round(0.5 * len(reference)):][:len(reference)]
    assert len(part) == len(reference)
    assert numpy.abs(part.astype(int) - expected).max() <= 1


def test_unplayable_items_of_the_queue_are_left_out(api, directory, media):
    """As the player leaves it out; the job lists it."""
    api.load("noise.mp3", "text.mp3", "noise.mp3")
    job = finish(api, order(api, queue=True, effects=False))
    assert job["status"] == "completed" and job["skippedCount"] == 1 and job["error"] is None, job
    [skipped] = job["skipped"]
    assert skipped["index"] == 1 and skipped["code"] == "unsupported" and skipped["message"]
    samples = read_wave(download(api, job, directory / "rendered.wav"))
    assert numpy.array_equal(samples, numpy.concatenate([media.reference("noise.mp3")] * 2))
    items = finish(api, order(api, items=[{"uri": "noise.mp3"}, {"uri": "text.mp3"}]))
    assert items["status"] == "failed" and items["error"]["code"] == skipped["code"]
    api.load("text.mp3")
    nothing = finish(api, order(api, queue=True))
    assert nothing["status"] == "failed" and nothing["error"]["code"] == skipped["code"]
    beyond = finish(api, order(api, items=[{"uri": "noise.mp3"}], start=1000))
    assert beyond["status"] == "failed" and beyond["error"]["code"] == "empty" and beyond["file"] is None
    for members, member in (({"items": [{"uri": "missing.mp3"}]}, "items[0].uri"), ({"mix": [{"uri": "noise.mp3"}, {"uri": "missing.mp3"}]}, "mix[1].uri")):
        assert api.refusal("POST", "/renders", json=members, of="member") == (404, member)


def test_a_mix_is_the_sum_of_its_inputs(api, directory, music):
    """Row 223: the sum's level within 0.5 dB, of inputs of different lengths and rates."""
    noise = numpy.random.default_rng(223)
    one, other = 0.2 * noise.standard_normal((88200, 2)), 0.1 * noise.standard_normal((44100, 2))
    write_wave(music / "one.wav", one)
    write_wave(music / "other.wav", other)
    mix = rendered(api, directory, mix=[{"uri": "one.wav", "gain": -6}, {"uri": "other.wav", "gain": 3}]) / 32768
    expected = 10 ** (-6 / 20) * one
    expected[:44100] += 10 ** (3 / 20) * other
    assert len(mix) == 88200 and numpy.abs(mix - expected).max() < 1e-3
    for part in (slice(44100), slice(44100, None)):
        assert abs(10 * numpy.log10((mix[part] ** 2).mean() / (expected[part] ** 2).mean())) < 0.5


def test_other_formats_can_be_decoded(api, directory, media):
    for format in ["flac", "opus"]:
        job = finish(api, order(api, items=[{"uri": "noise.mp3"}], format=format, effects=False))
        assert job["status"] == "completed", job
        path = download(api, job, directory / f"file.{format}")
        wave = directory / "decoded.wav"
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", str(path), str(wave)], check=True)
        samples, reference = read_wave(wave), media.reference("noise.mp3")
        if format == "flac":
            assert numpy.array_equal(samples, reference)
        else:
            assert len(samples) / 48000 == pytest.approx(len(reference) / 44100, abs=0.1)
        api.call("DELETE", f"/renders/{job['id']}")


def test_a_file_is_sent_in_ranges_and_deleted(api, server, directory):
    job = finish(api, order(api, items=[{"uri": "noise.mp3"}]))
    whole = download(api, job, directory / "whole").read_bytes()
    part = api.request("GET", f"/renders/{job['id']}/file", headers={"Range": "bytes=100-199"})
    assert part.status_code == 206 and part.content == whole[100:200]
    api.call("DELETE", f"/renders/{job['id']}")
    for method, path in (("GET", ""), ("GET", "/file"), ("DELETE", "")):
        assert api.refusal(method, f"/renders/{job['id']}{path}") == (404, "unknown-render")


def test_it_needs_no_sound_server_and_tells_its_progress(start_server, music, pulse):
    """Row 108: no output can be reached; nothing of it is asked for. A job is cancelled while it runs; others follow."""
    write_wave(music / "long.wav", numpy.zeros((44100 * 600, 2)))
    write_wave(music / "short.wav", numpy.zeros((4410, 2)))
    server = start_server(output="pulse", music=music)
    api = Api(server.url)
    long = order(api, items=[{"uri": "long.wav"}] * 50, format="flac")
    waiting = order(api, items=[{"uri": "short.wav"}])
    assert api.refusal("GET", f"/renders/{waiting['id']}/file") == (409, "render-not-ready")
    first = eventually(lambda: next((p for p in [api.call("GET", f"/renders/{long['id']}")["progress"]] if p > 0), None), "it begins")
    eventually(lambda: api.call("GET", f"/renders/{long['id']}")["progress"] > first, "it goes on", timeout=20)
    assert [job["status"] for job in api.call("GET", "/renders")["renders"]] == ["running", "queued"]
    api.call("DELETE", f"/renders/{long['id']}")
    assert finish(api, waiting)["status"] == "completed"
    folder = server.data / "renders"
    assert [path.name for path in folder.iterdir()] == [f"{waiting['id']}.wav"]
    order(api, items=[{"uri": "long.wav"}] * 50, format="flac")
    eventually(lambda: len(list(folder.iterdir())) == 2, "another one is being written")
    # Killed while it renders, it leaves nothing, and takes jobs again.
    api = Api(server.restart(kill=True).url)
    assert list(folder.iterdir()) == [] and api.call("GET", "/renders")["renders"] == []
    assert finish(api, order(api, items=[{"uri": "short.wav"}]))["status"] == "completed"


def test_progress_never_goes_back(api, music):
    """Rounds and items follow each other in one measure."""
    write_wave(music / "round.wav", numpy.zeros((44100 * 60, 2)))
    job = order(api, items=[{"uri": "round.wav", "loops": 6}] * 2, format="flac")
    seen = [0.0]
    while job["status"] in ("queued", "running"):
        job = api.call("GET", f"/renders/{job['id']}")
        seen.append(job["progress"])
    assert job["status"] == "completed" and seen == sorted(seen) and len(set(seen)) > 5, seen


def test_events_name_every_step(api, events):
    mark = events.mark()
    job = order(api, items=[{"uri": "noise.mp3"}])
    events.wait_for("renders", lambda e: [j["status"] for j in e["renders"] if j["id"] == job["id"]] == ["completed"], timeout=20)
    statuses = [j["status"] for e in events.since(mark, "renders") for j in e["renders"] if j["id"] == job["id"]]
    assert statuses[0] == "queued" and "running" in statuses and statuses[-1] == "completed"
    mark = events.mark()
    api.call("DELETE", f"/renders/{job['id']}")
    events.wait_for("renders", lambda e: all(j["id"] != job["id"] for j in e["renders"]))


def test_a_full_disk_fails_the_job(server, api, music):
    """Row 290: nothing of the file is left."""
    write_wave(music / "minute.wav", 0.1 * numpy.random.default_rng(290).standard_normal((44100 * 60, 2)))
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))
    job = finish(api, order(api, items=[{"uri": "minute.wav"}]))
    assert job["status"] == "failed" and job["error"]["code"] == "disk-full" and job["error"]["message"]
    assert list((server.data / "renders").iterdir()) == []


def test_ambiguous_requests_are_refused(api):
    for body, member in [
            ({}, "items"), ({"items": []}, "items"), ({"queue": True, "items": [{"uri": "noise.mp3"}]}, "queue"),
            ({"queue": False}, "queue"), ({"mix": []}, "mix"), ({"mix": [{"uri": "noise.mp3", "gain": 25}]}, "mix[0].gain"),
            ({"items": [{"uri": "noise.mp3"}], "format": "mp3"}, "format"),
            ({"items": [{"uri": "noise.mp3"}], "start": -1}, "start"),
            ({"items": [{"uri": "noise.mp3"}], "duration": 0}, "duration"),
            ({"items": [{"uri": "noise.mp3", "loops": -1}]}, "duration"),
    ]:
        assert api.refusal("POST", "/renders", json=body, of="member") == (422, member)


def test_there_are_at_most_sixteen(api):
    jobs = [order(api, items=[{"uri": "noise.mp3"}], duration=0.1) for _ in range(16)]
    assert api.refusal("POST", "/renders", json={"items": [{"uri": "noise.mp3"}]}) == (429, "too-many-renders")
    for job in jobs:
        api.call("DELETE", f"/renders/{job['id']}")
    assert api.call("GET", "/renders")["renders"] == []
