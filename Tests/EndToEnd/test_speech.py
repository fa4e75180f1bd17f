# SPDX-License-Identifier: Apache-2.0
"""Speech that a server makes while it sends it, chimes and parts: heard once and whole, over music that stays down."""

import concurrent.futures
import subprocess
import time

import numpy
import pytest

from rig import PATIENCE, RATE, eventually
from rig.sounds import BELL, LEVEL, MUSIC, TEXT, TICK, amplitude, first_heard, level_now, near, tone

pytestmark = pytest.mark.usefixtures("capture", "sounds")

STEP = RATE // 50
LATE = 0.1 * PATIENCE
# As speech is sent: without a length, and with nothing to recognise it by.
MADE = {"chunked": True, "length": None, "etag": None, "ranges": False}


@pytest.fixture
def speech(directory):
    """An MP3 without a header that tells its length."""
    def make(frequency: float, seconds: float, rate: int = RATE) -> bytes:
        wave = tone(directory / "speech.wav", frequency, seconds, rate=rate)
        subprocess.run(["lame", "--quiet", "-t", "-b", "64", str(wave), str(directory / "speech.mp3")], check=True)
        return (directory / "speech.mp3").read_bytes()

    return make


def say(api, wait: float = 20, **members) -> dict:
    """Answered at its end."""
    response = api.request("POST", "/announcements", json={"wait": True, **members}, timeout=wait * PATIENCE)
    assert response.status_code == 200, response.text
    return response.json()


def spans(capture, frequency: float, start: int) -> list[tuple[float, float]]:
    """From when to when the pitch was heard, in seconds from `start` on, to 20 ms. Gaps of a busy machine, which are heard
    later then, is not the end."""
    samples = capture.samples(start)
    loud = [amplitude(samples[at:at + 2 * STEP], frequency) > 0.04 for at in range(0, len(samples) - 2 * STEP, STEP)]
    found: list[tuple[float, float]] = []
    edges = numpy.flatnonzero(numpy.diff([0, *loud, 0])) * STEP / RATE
    for begin, end in zip(edges[::2], edges[1::2]):
        if found and begin - found[-1][1] < LATE:
            begin = found.pop()[0]
        found.append((float(begin), float(end)))
    return found


def assert_music_was_down(capture, start: int, begin: float, end: float) -> None:
    """From 0.3 s after the beginning to the end, and back after it."""
    samples = capture.samples(start)[int((begin + 0.3) * RATE):int(end * RATE)]
    course = [amplitude(samples[at:at + 4 * STEP], MUSIC) for at in range(0, len(samples) - 4 * STEP, 4 * STEP)]
    assert max(course) < LEVEL * 0.15, [f"{level:.3f}" for level in course]
    eventually(lambda: near(level_now(capture, MUSIC), LEVEL, 0.5), "the music is back", timeout=8, every=0.05)


def test_slow_speech_is_heard_whole(capture, api, origin, speech, playing):
    """12 s that take 15 s to come; beside it, on another output, speech whose answer begins after 20 s (row 261)."""
    slow = speech(TEXT, 12)
    origin.serve("/slow.mp3", slow, rate=len(slow) / 15, **MADE)
    origin.serve("/late.mp3", speech(BELL, 1.5), delay=20, **MADE)
    mark = capture.frames
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        late = pool.submit(say, api, 60, uri=f"{origin.url}/late.mp3", output="hp")
        assert say(api, 60, uri=f"{origin.url}/slow.mp3", timeout=60)["reason"] == "finished"
        assert late.result()["reason"] == "finished"
    capture.wait_seconds(0.3)
    heard = spans(capture, TEXT, mark)
    assert len(heard) == 1, f"once, and without a gap: {heard}"
    begin, end = heard[0]
    assert -0.2 < end - begin - 12 < LATE
    assert_music_was_down(capture, mark, begin, end)
    assert [len(origin.log(path)) for path in ("/slow.mp3", "/late.mp3")] == [1, 1]


def test_a_chime_and_parts_are_heard_without_a_gap(capture, api, origin, speech, playing):
    """Also when the server of the second begins after 8 s, and another sends its sound in another rate (rows 261, 262)."""
    origin.serve("/one.mp3", speech(TEXT, 1), delay=8, **MADE)
    origin.serve("/two.mp3", speech(TICK, 1, 48000), **MADE)
    mark, asked = capture.frames, time.monotonic()
    ended = say(api, 40, parts=[f"{origin.url}/one.mp3", f"{origin.url}/two.mp3"], chime="bell.wav")
    assert time.monotonic() - asked > 8 + 3.5
    assert ended["reason"] == "finished" and ended["chime"] == "bell.wav" and ended["timeout"] == 30
    assert ended["parts"] == [f"{origin.url}/one.mp3", f"{origin.url}/two.mp3"] and ended["uri"] == ended["parts"][0]
    capture.wait_seconds(0.3)
    [chime], [one], [two] = (spans(capture, pitch, mark) for pitch in (BELL, TEXT, TICK))
    for (begin, end), length in zip((chime, one, two), (1.5, 1, 1)):
        assert -0.1 < end - begin - length < LATE, (chime, one, two)
    # An MP3 without a header keeps some 50 ms of its encoder's silence at each end.
    assert 0 <= one[0] - chime[1] < LATE and 0 <= two[0] - one[1] < LATE, (chime, one, two)
    assert_music_was_down(capture, mark, chime[0], two[1])


def test_endless_speech_is_not_a_station(capture, api, origin, speech, playing):
    """With the fields of a radio station: its end is its end. Announcements and effects alike."""
    origin.serve("/station.mp3", speech(TEXT, 1), headers=[("icy-name", "Speech"), ("icy-metaint", "1000")], **MADE)
    for path in ("/announcements", "/sfx"):
        mark = capture.frames
        made = api.call("POST", path, json={"uri": f"{origin.url}/station.mp3"})
        eventually(lambda: api.call("GET", path)["ended"][:1] != [] and api.call("GET", path)["ended"][0]["id"] == made["id"],
                   "it has ended", timeout=10)
        ended = api.call("GET", path)["ended"][0]
        assert ended["reason"] == "finished", ended
        capture.wait_seconds(0.2)
        [(begin, end)] = spans(capture, TEXT, mark)
        assert -0.15 < end - begin - 1 < LATE
    assert len(origin.log("/station.mp3")) == 2
    assert not [request for request in origin.log() if "icy-metadata" in request.headers]


def test_the_timeout_is_the_request_s(capture, api, origin, speech, playing):
    origin.serve("/never.mp3", silent=True)
    for path in ("/announcements", "/sfx"):
        asked = time.monotonic()
        made = api.call("POST", path, json={"uri": f"{origin.url}/never.mp3", "timeout": 2})
        assert made["timeout"] == 2 and made["state"] == "loading"
        eventually(lambda: api.call("GET", path)["ended"], "it has failed", timeout=10)
        assert time.monotonic() - asked > 1.9
        ended = api.call("GET", path)["ended"][0]
        assert (ended["reason"], ended["error"]["code"]) == ("failed", "timed-out")
    late = api.request("POST", "/announcements", json={"uri": f"{origin.url}/never.mp3", "timeout": 1, "wait": True})
    assert (late.status_code, late.json()["code"]) == (504, "timed-out"), late.text
    api.wait_status("playing")
    for body in ({"timeout": 0.5}, {"timeout": 601}, {"parts": []}, {"parts": ["a"] * 9}, {"parts": [""]}, {"chime": ""},
                 {"parts": ["bell.mp3"]}, {"wait": 1}):
        answer = api.request("POST", "/announcements", json={"uri": "bell.mp3", **body})
        assert answer.status_code == 422, (body, answer.text)


# Waiting for the end

def test_a_request_may_wait_for_the_end(capture, api, playing):
    mark = capture.frames
    ended = say(api, uri="bell.mp3")
    assert ended["reason"] == "finished" and ended["error"] is None and "state" not in ended
    assert first_heard(capture, BELL, mark) is not None and not api.call("GET", "/announcements")["announcements"]
    assert api.refusal("POST", "/announcements", json={"uri": "nothing.mp3", "wait": True}) == (404, "media-not-found")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        answer = pool.submit(say, api, uri="text.mp3")
        eventually(lambda: api.call("GET", "/announcements")["announcements"], "it has begun")
        [announcement] = api.call("GET", "/announcements")["announcements"]
        api.call("DELETE", f"/announcements/{announcement['id']}")
        assert answer.result()["reason"] == "cancelled"


def test_the_channel_announces(capture, api, events, playing):
    """Others of its commands do not wait for the one that waits."""
    events.send({"type": "command", "id": "a", "command": "announce", "data": {"uri": "bell.mp3", "wait": True}})
    events.send({"type": "command", "id": "b", "command": "settings", "data": {"volume": 0.5}})

    def reply(id: str):
        return eventually(
            lambda: next((event for event in events.since(playing, "reply") if event.message["id"] == id), None), f"a reply to {id}", 10)

    waited, other = reply("a"), reply("b")
    assert waited.message["status"] == 200 and waited.message["result"]["reason"] == "finished"
    assert other.message["status"] == 200 and other.moment < waited.moment
    events.send({"type": "command", "id": "c", "command": "announce", "data": {"uri": "bell.mp3"}})
    assert reply("c").message["status"] == 201 and reply("c").message["result"]["state"] == "playing"
