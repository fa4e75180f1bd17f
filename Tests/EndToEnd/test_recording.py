# SPDX-License-Identifier: Apache-2.0
"""Recording from a PulseAudio source: files, levels, and what goes wrong."""

import contextlib
import io
import os
import pathlib
import resource
import subprocess
import time
import wave

import numpy
import pytest

from rig import ENDURANCE, Api, eventually, kept_waiting
from rig.access import ADMIN, CONTROL
from rig.microphone import energy, loudest
from rig.signals import level


pytestmark = [pytest.mark.serve("--recordings", "{directory}/recordings"), pytest.mark.usefixtures("pulse")]


@pytest.fixture
def folder(directory) -> pathlib.Path:
    return directory / "recordings"


@pytest.fixture
def api(server, microphone):
    client = Api(server.url)
    allow_recording(client)
    return client


def allow_recording(api: Api) -> None:
    """Where there is a source: the session's category must record."""
    def has_input() -> bool:
        return "play-and-record" in api.call("GET", "/session")["available"]["categories"]

    if any(not source["monitor"] for source in api.call("GET", "/recordings/sources")["sources"]):
        eventually(has_input, "the session knows the input")
        api.call("PATCH", "/session", json={"category": "play-and-record"})


def start(api: Api, **settings) -> str:
    return api.call("POST", "/recordings", json=settings)["id"]


def stop(api: Api) -> dict:
    return api.call("POST", "/recordings/current/stop")["last"]


def record(api: Api, seconds: float, **settings) -> str:
    """Until that much is in the file."""
    identifier = start(api, **settings)
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] >= seconds, f"{seconds} s", timeout=seconds + 5)
    assert stop(api)["successfully"]
    return identifier


def samples(api: Api, identifier: str) -> tuple[numpy.ndarray, int]:
    """The first channel of a 16-bit WAV recording as floats, and its rate."""
    with wave.open(io.BytesIO(api.request("GET", f"/recordings/{identifier}/file").content)) as file:
        data = numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2").reshape(-1, file.getnchannels())
        return data[:, 0] / 32768, file.getframerate()


def soxi(folder: pathlib.Path, identifier: str, option: str) -> str:
    return subprocess.run(["soxi", option, str(folder / identifier)], capture_output=True, text=True, check=True).stdout.strip()


def test_the_file_is_what_was_asked_for(api, microphone, folder, directory):
    """Row 18."""
    microphone.tone(440, directory)
    for settings, bits, encoding in [
            ({"bits": 8}, "8", "Unsigned"), ({"bits": 16}, "16", "Signed"), ({"bits": 24}, "24", "Signed"), ({"bits": 32}, "32", "Signed"),
            ({"bits": 32, "float": True}, "2", "Floating"),
            ({"format": "flac", "bits": 24, "sampleRate": 48000, "channels": 2}, "24", "FLAC")]:
        identifier = record(api, 0.5, **settings)
        assert encoding in soxi(folder, identifier, "-e"), settings
        if encoding != "Floating":
            assert soxi(folder, identifier, "-b") == bits
        assert soxi(folder, identifier, "-r") == str(settings.get("sampleRate", 8000))
        assert soxi(folder, identifier, "-c") == str(settings.get("channels", 1))
        shown = api.call("GET", f"/recordings/{identifier}")
        assert shown["float"] == settings.get("float", False) and shown["bits"] == settings.get("bits"), settings


def test_recordings_can_be_decoded_and_are_true_to_the_tone(api, microphone, folder, directory):
    """Row 19: the default is 8 kHz mono."""
    microphone.tone(440, directory)
    for settings in ({}, {"format": "opus", "sampleRate": 48000}, {"format": "mp3", "sampleRate": 44100, "channels": 2}):
        identifier = record(api, 1.5, **settings)
        decoded = subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(folder / identifier), "-f", "f32le", "-ac", "1", "-ar", "8000", "-"],
            capture_output=True, check=True).stdout
        heard = numpy.frombuffer(decoded, dtype="<f4")[4000:]
        assert loudest(heard, 8000) == pytest.approx(440, abs=4 if settings else 2), settings
        if not settings:
            assert samples(api, identifier)[1] == 8000


WRONG = [
    ({"float": True, "bits": 8}, "bits"), ({"float": True, "format": "flac"}, "float"), ({"bits": 12}, "bits"),
    ({"format": "opus", "sampleRate": 44100}, "sampleRate"), ({"channels": 9}, "channels"), ({"sampleRate": 12345}, "sampleRate"),
    ({"name": "../../x"}, "name"), ({"name": ""}, "name"), ({"volume": 1}, "volume"), ({"format": "aiff"}, "format"),
]


def test_settings_that_do_not_go_together_are_named(api, microphone):
    """Rows 17, 18: 8-bit float is 422, a traversal is no name."""
    for settings, member in WRONG:
        assert api.refusal("POST", "/recordings", json=settings, of="member") == (422, member)
    assert api.call("GET", "/recordings/current")["state"] == "idle"


def test_levels_are_reported_ten_times_a_second_and_are_right(api, microphone, directory, open_events):
    """Rows 21, 23: a sine with peaks at -20 dBFS has -23 on average."""
    microphone.tone(440, directory, amplitude=0.1)
    log = open_events("events=record-level,recording")
    record(api, 3)
    eventually(lambda: log.since(0, "recording") and log.since(0, "recording")[-1].data["state"] == "idle", "the end is reported")
    levels = [event.data["channels"][0] for event in log.since(0, "record-level")]
    steady = levels[8:-1]
    assert len(steady) >= 10
    for reading in steady:
        is_right = reading["average"] == pytest.approx(-23, abs=0.5) and reading["peak"] == pytest.approx(-20, abs=0.5)
        assert is_right or microphone.stumbles, reading
        assert reading["averageNormalized"] == pytest.approx((reading["average"] + 160) / 160, abs=1e-5)
    # Row 28: the meter falls to 0 at the end.
    silence = {"average": -160, "peak": -160, "averageNormalized": 0, "peakNormalized": 0}
    # A level may come behind what is recorded in the journal.
    eventually(lambda: log.since(0, "record-level")[-1].data["channels"][0] == silence, "the meter falls")


def test_silence_is_the_floor_of_the_scale(api, microphone, directory, open_events):
    """Row 22: digital silence is -160 exactly, full scale not above 0."""
    log = open_events("events=record-level")
    start(api, sampleRate=48000)
    eventually(lambda: len(log.since(0, "record-level")) >= 5, "levels")
    assert all(event.data["channels"][0] == {"average": -160, "peak": -160, "averageNormalized": 0, "peakNormalized": 0}
               for event in log.since(0, "record-level")[2:])
    microphone.tone(1000, directory, amplitude=1.0)
    eventually(lambda: log.since(0, "record-level")[-1].data["channels"][0]["peak"] > -0.1, "full scale")
    assert all(event.data["channels"][0]["peak"] <= 0 for event in log.since(0, "record-level"))
    stop(api)


def test_no_levels_are_sent_without_metering(api, microphone, directory, open_events):
    """Row 20."""
    microphone.tone(440, directory)
    log = open_events("events=record-level,recording")
    record(api, 1, metering=False)
    eventually(lambda: log.since(0, "recording") and log.since(0, "recording")[-1].data["state"] == "idle", "the end is reported")
    assert log.since(0, "record-level") == []
    start(api, metering=False)
    api.call("PATCH", "/recordings/current", json={"metering": True})
    eventually(lambda: log.since(0, "record-level"), "levels once they are wanted")
    stop(api)


def test_sound_during_a_pause_is_not_in_the_file(api, server, pulse, microphone, directory, open_events):
    """Rows 26, 27: A, pause with C, B: one file of A and B, as long as both."""
    log = open_events("events=record-level")
    microphone.tone(400, directory)
    # A recording begins and ends between a request and its answer, however busy the machine is.
    moments, waited = [time.monotonic()], kept_waiting(server.process, pulse.process)
    identifier = start(api)
    moments.append(time.monotonic())
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] >= 1, "1 s of A")
    moments.append(time.monotonic())
    assert api.call("POST", "/recordings/current/pause")["state"] == "paused"
    moments.append(time.monotonic())
    before = api.call("GET", "/recordings/current")["duration"]
    microphone.tone(1500, directory)
    quiet = len(log.since(0, "record-level"))
    time.sleep(1)  # the absence of levels is the subject
    assert len(log.since(0, "record-level")) <= quiet + 1
    assert api.call("GET", "/recordings/current")["duration"] == before
    microphone.tone(700, directory)
    time.sleep(1)  # this tone would be in the file
    moments.append(time.monotonic())
    assert start(api) == identifier
    moments.append(time.monotonic())
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] >= before + 1, "1 s of B")
    moments.append(time.monotonic())
    last = stop(api)
    moments.append(time.monotonic())
    heard, rate = samples(api, identifier)
    assert len(heard) / rate == pytest.approx(last["duration"], abs=0.001)
    shortest = moments[2] - moments[1] + moments[6] - moments[5]
    longest = moments[3] - moments[0] + moments[7] - moments[4]
    # The microphone delivers blocks of some 25 ms: each of the two takes may lack the block in which it ends, and what comes late.
    late = kept_waiting(server.process, pulse.process) - waited
    assert shortest - 2 * 0.05 - late <= len(heard) / rate <= longest + 0.05
    border = round(before * rate)
    assert energy(heard[rate // 4:border - rate // 10], rate, 400) > 0.4
    assert energy(heard[border + rate // 10:], rate, 700) > 0.4
    for part in (heard[:border], heard[border:]):
        pieces = [energy(part[at:at + 400], rate, 1500) for at in range(0, len(part) - 400, 400)]
        assert max(pieces) < 0.1


def test_session_decides_if_recording_is_allowed(api):
    """Row 16: a category that does not record refuses, and ends what is being recorded."""
    start(api)
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] > 0, "the first sound")
    api.call("PATCH", "/session", json={"category": "playback"})
    last = eventually(lambda: api.call("GET", "/recordings/current")["last"], "the recording ends")
    assert last["reason"] == "session" and last["successfully"] and "playback" in last["message"]
    refused = api.request("POST", "/recordings", json={})
    assert refused.status_code == 409 and "playback" in refused.json()["detail"], refused.text
    api.call("PATCH", "/session", json={"category": "record"})
    assert api.request("POST", "/recordings", json={}).status_code == 201
    assert stop(api)["successfully"]


def test_it_is_off_until_it_is_enabled_and_for_admins_only(start_server, guarded, pulse, microphone, folder):
    """Row 25."""
    plain = start_server(output="pulse", pulse=pulse)
    api = Api(plain.url)
    for method, path in (("POST", "/recordings"), ("GET", "/recordings"), ("POST", "/recordings/current/stop"), ("GET", "/recordings/a.wav/file")):
        assert api.refusal(method, path) == (403, "recording-disabled")
    assert api.call("GET", "/recordings/current")["state"] == "disabled"
    server = guarded("--recordings", str(folder), output="pulse", pulse=pulse)
    guest, owner = Api(server.url, CONTROL), Api(server.url, ADMIN)
    assert guest.player()["status"] == "idle"
    for method, path in (("POST", "/recordings"), ("GET", "/recordings"), ("POST", "/recordings/current/stop"),
                         ("POST", "/player/record-stream"), ("DELETE", "/player/record-stream")):
        assert guest.refusal(method, path) == (403, "scope-missing")
    assert guest.call("GET", "/player/record-stream")["state"] == "idle"
    allow_recording(owner)
    start(owner)
    assert stop(owner)["successfully"]


def test_without_a_source_there_is_nothing_to_record(api, pulse, microphone, folder):
    """Row 25: a monitor is no microphone, but can be named."""
    microphone.unplug()
    assert api.refusal("POST", "/recordings") == (503, "no-source")
    assert api.refusal("POST", "/recordings", json={"source": "nonsense"}) == (404, "unknown-source")
    assert list(folder.iterdir()) == []
    assert {source["id"] for source in api.call("GET", "/recordings/sources")["sources"]} >= {"spk.monitor", "hp.monitor"}
    record(api, 0.2, source="spk.monitor")
    pulse.kill()
    assert api.refusal("POST", "/recordings") == (503, "no-source")


def is_open(server, name: str) -> bool:
    files = pathlib.Path(f"/proc/{server.process.pid}/fd")
    for descriptor in files.iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            if os.readlink(descriptor).endswith(name):
                return True
    return False


@pytest.mark.smoke
def test_recordings_are_listed_downloaded_and_deleted(server, api, microphone, folder, directory):
    """Row 17: two recordings are two files, whatever they are called."""
    microphone.tone(440, directory)
    ids = [record(api, 0.3, name="memo"), record(api, 0.3, name="memo"), record(api, 0.3)]
    assert ids[:2] == ["memo.wav", "memo-2.wav"] and len(set(ids)) == 3
    listed = api.call("GET", "/recordings")["recordings"]
    assert {entry["id"] for entry in listed} == set(ids)
    assert all(entry["duration"] >= 0.3 and entry["sampleRate"] == 8000 for entry in listed)
    whole = api.request("GET", "/recordings/memo.wav/file")
    assert whole.content == (folder / "memo.wav").read_bytes() and whole.headers["Content-Type"] == "audio/wav"
    part = api.request("GET", "/recordings/memo.wav/file", headers={"Range": "bytes=10-19"})
    assert part.status_code == 206 and part.content == whole.content[10:20]
    outside = api.request("GET", "/recordings/memo.wav/file", headers={"Range": "bytes=99999999-"})
    assert outside.status_code == 416 and outside.headers["Content-Range"] == f"bytes */{len(whole.content)}"
    assert outside.headers["Content-Type"] == "application/problem+json" and outside.json()["code"] == "range-not-satisfiable"
    for fields in ({}, {"Range": "bytes=10-19"}):
        same = api.request("GET", "/recordings/memo.wav/file", headers={"If-None-Match": whole.headers["ETag"]} | fields)
        assert same.status_code == 304 and not same.content and same.headers["ETag"] == whole.headers["ETag"]
    eventually(lambda: not is_open(server, "memo.wav"), "the file is closed")
    assert api.request("DELETE", "/recordings/memo.wav").status_code == 204
    assert api.request("GET", "/recordings/memo.wav").status_code == 404
    assert (folder / "memo-2.wav").exists()


def test_nothing_but_recordings_is_reached(api, folder):
    """Row 17."""
    (folder / "link.wav").symlink_to("/etc/passwd")
    for identifier in ("..%2f..%2fetc%2fpasswd", "..", "%2e%2e", "server.log", "memo.wav%00.txt", "link.wav"):
        for path in ("", "/file"):
            response = api.http.request("GET", f"/api/v1/recordings/{identifier}{path}")
            assert response.status_code in (400, 404), response.text
            assert b"root:" not in response.content


@pytest.mark.parametrize("settings", [{}, {"format": "opus", "sampleRate": 48000}])
def test_a_killed_process_leaves_what_was_heard(server, api, microphone, folder, directory, settings):
    """Row 28: readable up to the kill; the next start finds it. `RecordingDirectoryTests` has every format."""
    microphone.tone(440, directory)
    start(api, name="memo", **settings)
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] >= 5, "5 s", timeout=10)
    server.kill()
    left = next(folder.iterdir())
    if not settings:
        with wave.open(str(left)) as file:
            assert file.getnframes() >= 4.9 * 8000, "the header is behind the samples"
    form = settings.get("format", "wav")
    decoded = subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "quiet", "-f", {"opus": "ogg"}.get(form, form), "-i", str(left), "-f", "f32le",
         "-ac", "1", "-ar", "8000", "-"], capture_output=True).stdout
    heard = numpy.frombuffer(decoded, dtype="<f4")
    assert len(heard) > (2 if settings else 4.9) * 8000
    assert loudest(heard[4000:], 8000) == pytest.approx(440, abs=4)
    again = Api(server.start().url)
    (entry,) = again.call("GET", "/recordings")["recordings"]
    # The decodable part, give or take a packet and the encoder's delay.
    assert entry["id"] == f"memo-recovered.{form}" and entry["recovered"] and entry["duration"] == pytest.approx(len(heard) / 8000, abs=0.15)
    if not settings:
        recovered, rate = samples(again, entry["id"])
        assert loudest(recovered[rate // 2:], rate) == pytest.approx(440, abs=2)


def test_the_end_of_the_server_completes_the_file(server, api, microphone, folder, directory):
    """Row 24: a second start meanwhile changes nothing."""
    microphone.tone(440, directory)
    first = api.request("POST", "/recordings", json={"name": "memo"})
    again = api.request("POST", "/recordings", json={"sampleRate": 48000})
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"] and again.json()["settings"]["sampleRate"] == 8000
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] >= 0.5, "0.5 s")
    assert server.stop() == 0
    assert [path.name for path in folder.iterdir()] == ["memo.wav"]
    assert float(soxi(folder, "memo.wav", "-D")) >= 0.5


def test_a_full_disk_ends_it_and_is_reported(server, api, microphone, folder, directory, open_events):
    """Row 29: not successful, with the reason; what there was room for can be heard."""
    microphone.tone(440, directory)
    log = open_events("events=recording")
    start(api, name="memo", sampleRate=48000, channels=2, bits=32)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    event = eventually(lambda: next((e for e in log.since(0, "recording") if e.data["last"]), None), "the end is reported", timeout=20)
    last = event.data["last"]
    assert not last["successfully"] and last["reason"] == "disk-full" and last["message"]
    assert api.call("GET", "/recordings/current")["state"] == "idle"
    assert 1 < float(soxi(folder, "memo.wav", "-D")) < 4


def test_a_sound_server_that_stands_still_interrupts_it(api, pulse, microphone, directory, open_events):
    """Promise 1: neither `recording` without sound nor an end; what is missing is reported."""
    microphone.tone(440, directory)
    log = open_events("events=recording")
    # It begins and ends between a request and its answer.
    moments = [time.monotonic()]
    start(api, sampleRate=48000)
    moments.append(time.monotonic())
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] >= 0.5, "0.5 s")
    pulse.freeze()
    try:
        eventually(lambda: api.call("GET", "/recordings/current")["state"] == "interrupted", "it is interrupted", timeout=10)
    finally:
        pulse.thaw()
    eventually(lambda: api.call("GET", "/recordings/current")["state"] == "recording", "it goes on", timeout=10)
    eventually(lambda: [event.data["state"] for event in log.since(0, "recording")][-2:] == ["interrupted", "recording"], "both")
    reached = api.call("GET", "/recordings/current")["duration"]
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] >= reached + 0.5, "there is more sound")
    moments.append(time.monotonic())
    last = stop(api)
    moments.append(time.monotonic())
    lost = int((last["message"] or "0 frames").split()[0])
    assert last["reason"] == "user" and last["successfully"] is (lost == 0), last
    assert moments[2] - moments[1] - 0.5 < last["duration"] + lost / 48000 < moments[3] - moments[0] + 0.5


def test_a_film_is_recorded_as_one(api, microphone, directory):
    """Row 124: in the mode video-recording 48 kHz stereo is the default, which the settings tell; what is asked for goes first."""
    microphone.tone(440, directory)

    def settings(**asked) -> tuple[int, int]:
        status = api.call("POST", "/recordings", json=asked)
        stop(api)
        return status["settings"]["sampleRate"], status["settings"]["channels"]

    assert settings() == (8000, 1)
    api.call("PATCH", "/session", json={"mode": "video-recording"})
    assert settings() == (48000, 2)
    assert settings(sampleRate=16000, channels=1) == (16000, 1)
    api.call("PATCH", "/session", json={"mode": "default"})
    assert settings() == (8000, 1)


def test_a_chat_listens_to_the_headset(api, pulse, microphone, directory):
    """Row 121: the best input is the microphone of a headset; not so in other modes, and not when another one is named."""
    pulse.load("module-remap-source master=mic_in.monitor source_name=ear source_properties=device.form_factor=headset")
    pulse.pactl("set-default-source", "mic")
    microphone.tone(440, directory)

    def source(**asked) -> str:
        used = api.call("POST", "/recordings", json=asked)["source"]
        stop(api)
        return used

    assert source() == "mic"
    for mode in ("voice-chat", "video-chat", "game-chat"):
        api.call("PATCH", "/session", json={"mode": mode})
        assert source() == "ear", mode
    assert source(source="mic") == "mic"
    api.call("PATCH", "/session", json={"mode": "measurement"})
    assert source() == "mic"


def test_lost_source_ends_it_and_is_reported(api, microphone, folder, directory, open_events):
    """Row 31: unplugged: a valid file, and the reason."""
    microphone.tone(440, directory)
    log = open_events("events=recording")
    identifier = start(api)
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] >= 1, "1 s")
    microphone.unplug()
    event = eventually(lambda: next((e for e in log.since(0, "recording") if e.data["last"]), None), "the end is reported")
    assert event.data["last"]["reason"] == "route-change"
    assert float(soxi(folder, identifier, "-D")) >= 1


def test_it_is_played_afterwards_when_asked(microphone, capture, api, directory):
    """Row 30: the recorded tone is heard."""
    microphone.tone(440, directory)
    before = capture.frames
    record(api, 3, format="mp3", sampleRate=44100, autoPlay=True)
    microphone.hush()
    onset = capture.wait_sound(before)
    eventually(lambda: capture.frames > onset + 2 * 44100, "2 s were heard", timeout=10)
    heard = capture.samples()[onset + 22050:onset + 66150, 0] / 32768
    assert loudest(heard, 44100) == pytest.approx(440, abs=2)


def test_the_command_line_records(cli, api, directory, microphone):
    assert cli.output("record").startswith("There are no ")
    microphone.tone(440, directory)
    assert "memo.flac" in cli.output("record", "start", "--format", "flac", "--rate", "48000", "--channels", "2", "--name", "memo")
    assert "recording" in cli.output("record", "list")
    assert cli.output("record", "pause") == "memo.flac is paused.\n"
    assert "paused" in cli.output("record")
    cli.output("record", "start")
    assert cli.output("record", "stop").startswith("memo.flac, 0:0")
    assert cli.output("record", "list").startswith("memo.flac")
    assert "Nothing is being recorded" in cli.refusal("record", "stop")
    cli.output("session", "--category", "playback")
    assert "To allow it: tonearm session --category play-and-record" in cli.refusal("record", "start")


def test_a_recording_without_sound_leaves_no_file(cli, api, folder, pulse, microphone):
    pulse.pactl("suspend-source", microphone.source, "1")
    for kind in ("wav", "flac", "opus", "mp3"):
        cli.output("record", "start", "--format", kind, "--rate", "48000", "--channels", "2", "--name", "take")
        assert f"take.{kind}, 0:00: There is no file: the source delivered no sound." in cli.refusal("record", "stop")
        assert list(folder.iterdir()) == [] and cli.output("record", "list").startswith("There are no ")


@pytest.mark.endurance
def test_recording_and_playing_go_together(microphone, capture, server, api, events, directory):
    """Row 32: neither has a gap."""
    microphone.tone(440, directory)
    api.load("long.mp3", "long.mp3", play=True)
    api.settings(repeat="all")
    capture.wait_sound()
    api.wait_status("playing")
    mark, waited = events.mark(), kept_waiting(server.process)
    identifier = start(api, sampleRate=48000)
    eventually(lambda: api.call("GET", "/recordings/current")["duration"] >= ENDURANCE, f"{ENDURANCE:g} s", timeout=ENDURANCE + 20)
    assert stop(api) | {"duration": 0, "id": ""} == {"id": "", "successfully": True, "reason": "user", "duration": 0, "message": None}
    api.wait_status("playing")
    # PulseAudio holds 0.3 s: a server that waits for a processor longer than that runs dry, whatever it does.
    assert not events.ran_dry(mark) or kept_waiting(server.process) - waited > 0.3
    heard, rate = samples(api, identifier)
    silent = [level(heard[at:at + 480] * 32768) <= -12 for at in range(rate // 2, len(heard) - 480, 480)]
    gaps = sum(now and not before for before, now in zip([False] + silent, silent))
    assert gaps <= microphone.stumbles, "a gap in the recording"
