# SPDX-License-Identifier: Apache-2.0
"""Position: where the music is, and getting elsewhere."""

import shutil
import subprocess
import time

import pytest

from rig import PATIENCE, RATE, Api, eventually, kept_waiting
from rig.signals import align


def place(media, name: str, heard, around: float | None = None) -> float:
    """The position (s) in the file at which `heard` begins, by correlation with its decode."""
    reference = media.reference(name)
    first = 0 if around is None else max(0, int((around - 2) * RATE))
    last = len(reference) if around is None else int((around + 4) * RATE)
    return (first + align(reference[first:last], heard)) / RATE


@pytest.mark.parametrize("name, server_name", [("long.mp3", ""), ("vbr-noxing-long.mp3", "http")])
def test_seek_is_exact(written, api, media, origin, name, server_name):
    """Rows 49, 208, 272: the sound after a seek comes from that position to 5 ms, without a table of contents too."""
    position = 32.345
    origin.serve(f"/{name}", media.path(name).read_bytes())
    api.load(f"{origin.url}/{name}" if server_name else name, play=True)
    written.wait_sound()
    api.pause()
    api.wait_status("paused")
    assert api.seek(position=position)["position"] == pytest.approx(position, abs=0.001)
    mark = written.frames
    api.play()
    written.wait_frames(mark + RATE // 2)
    heard = written.samples(mark + RATE // 20, mark + RATE // 2)
    assert place(media, name, heard, position) == pytest.approx(position + 0.05, abs=0.005)


def test_nothing_old_is_heard_after_a_seek(capture, api, media):
    """Row 69: while playing; from 100 ms after the answer on, only the new place sounds, and without a gap."""
    api.load("long.mp3", play=True)
    capture.wait_sound()
    capture.wait_seconds(0.5)
    began, asked = time.monotonic(), capture.frames
    api.seek(position=25)
    # An answer that is late comes before the sound.
    if time.monotonic() - began > 0.5:
        api.wait_status("playing")
    answered = time.monotonic()
    capture.wait_seconds(0.6)
    begin = capture.frame_at(answered) + RATE // 10
    heard = capture.samples(begin, begin + RATE // 3)
    # The new place began behind the request.
    assert 25 <= place(media, "long.mp3", heard, 25) <= 25 + (begin - asked) / RATE
    late = begin + RATE // 3 - capture.frame_at(answered)
    reference = media.reference("long.mp3")
    first = round(place(media, "long.mp3", heard, 25) * RATE)
    assert abs(heard.astype(int) - reference[first : first + len(heard)]).max() <= 1, late


def test_fifty_seeks_a_second_end_at_the_last_one(capture, api, events, media):
    """Row 50: latest wins; the server stays responsive and plays from there."""
    api.load("long.mp3", play=True)
    capture.wait_sound()
    target = 0.0
    for step in range(75):
        began, asked = time.monotonic(), capture.frames
        target = 5 + 0.3 * step
        api.seek(position=target)
        time.sleep(max(0, 0.02 - (time.monotonic() - began)))  # the rate is the subject
    events.wait_for("time", lambda event: abs(event["position"] - target) < 1.2)
    api.wait_status("playing")
    capture.wait_seconds(0.6)
    begin = capture.frames - RATE // 3
    heard = capture.samples(begin, begin + RATE // 3)
    assert target < place(media, "long.mp3", heard) <= target + (begin - asked) / RATE


def test_events_show_no_place_between_old_and_new(api, open_events):
    """Rows 46, 51, 88: the first time after a seek is the target, with another discontinuity; at once for a client that asked for
    one a minute, too."""
    log, rare = open_events("events=time,status&interval=0.05"), open_events("events=time&interval=60")
    api.load("long.mp3", play=True)
    log.wait_for("time", lambda event: event["position"] > 0.3)
    before = log.since(0, "time")[-1]
    mark, rare_mark = log.mark(), rare.mark()
    api.seek(position=30)
    log.wait_for("time", lambda event: event["position"] > 30.3, mark=mark)
    positions = [event["position"] for event in log.since(mark, "time")]
    assert not [position for position in positions if 2 < position < 29.99], positions
    after = [event for event in log.since(mark, "time") if event["position"] >= 29.99][0]
    assert after["discontinuity"] == before["discontinuity"] + 1
    jump = rare.wait_for("time", lambda event: event["position"] >= 29.99, mark=rare_mark)
    assert jump["discontinuity"] == after["discontinuity"]


FAILING_CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned asked, failed, state = 71;

static int fails(void) {
    state = state * 1664525u + 1013904223u;
    asked++;
    if ((state >> 16) % 10 != 0) return 0;
    failed++;
    return 1;
}

const void *pa_stream_get_timing_info(void *stream) {
    const void *(*real)(void *) = dlsym(RTLD_NEXT, "pa_stream_get_timing_info");
    return fails() ? NULL : real(stream);
}

void *pa_stream_update_timing_info(void *stream, void *callback, void *data) {
    void *(*real)(void *, void *, void *) = dlsym(RTLD_NEXT, "pa_stream_update_timing_info");
    return fails() ? NULL : real(stream, callback, data);
}

__attribute__((destructor)) static void tell(void) {
    FILE *file = fopen(getenv("FAILING_CLOCK_REPORT"), "w");
    if (file) fprintf(file, "%u %u", asked, failed), fclose(file);
}
"""


def test_a_clock_that_fails_now_and_then_is_not_noticed(directory, pulse, start_server, open_events):
    """Row 71: every tenth word of libpulse about time fails; the position never is 0, nothing, or falls back."""
    source, library, report = directory / "clock.c", directory / "clock.so", directory / "report"
    source.write_text(FAILING_CLOCK)
    compiler = shutil.which("cc") or shutil.which("clang")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    pulse.environment |= {"LD_PRELOAD": str(library), "FAILING_CLOCK_REPORT": str(report)}
    server = start_server(output="pulse", pulse=pulse)
    del pulse.environment["LD_PRELOAD"]
    api = Api(server.url)
    log = open_events("events=time&interval=0.05", url=server.events_url)
    api.load("long.mp3", play=True)
    for begin in (0, 20, 5):
        if begin:
            api.seek(position=begin)
        api.wait_status("playing")
        last, waited = begin + 1e-9, kept_waiting(server.process, pulse.process)
        underruns = api.metric("tonearm_underruns_total")
        while last < begin + 1.5:
            snapshot = api.player()
            if snapshot["position"] < last:
                # A sink that runs dry because its server waits for a processor makes the position jump.
                assert kept_waiting(server.process, pulse.process) - waited > 0.05, "it fell back"
                eventually(lambda before=underruns: api.metric("tonearm_underruns_total") > before, "an underrun is counted")
                underruns += 1
            # A sound server that waits for a processor stands still.
            assert snapshot["status"] == "playing" or snapshot["position"] < begin + 0.3 or (
                snapshot["reason"] == "output-unavailable" and kept_waiting(server.process, pulse.process) - waited > 0.25)
            last = snapshot["position"]
    # Sound takes time to begin, the clock none to be late: it is right again by now.
    waited = kept_waiting(server.process, pulse.process)
    before = api.player()
    after = eventually(lambda: (now := api.player())["position"] > before["position"] + 2 and now, "two seconds")
    seconds = (after["sampledAt"] - before["sampledAt"]) / 1000
    late = kept_waiting(server.process, pulse.process) - waited
    assert seconds - 0.3 - late < after["position"] - before["position"] < seconds + 0.3
    ticks = [event for event in log.since(0, "time") if event["rate"] == 1]
    for earlier, later in zip(ticks, ticks[1:]):
        if earlier["discontinuity"] == later["discontinuity"]:
            assert later["position"] >= earlier["position"]
    server.stop()
    asked, failed = map(int, report.read_text().split())
    assert asked > 40 and failed >= asked // 20, "the clock did not fail"


def test_seek_into_the_last_moment_plays_to_the_end_once(capture, api, events):
    """Rows 246, 247: about 0.2 s sound, one `completed`; the last time is the duration and progress 1."""
    api.load("chirp.mp3", play=True)
    capture.wait_sound()
    duration = api.player()["duration"]
    api.pause()
    capture.wait_silence(0.1)
    api.seek(position=duration - 0.2)
    mark, event_mark = capture.frames, events.mark()
    api.play()
    events.wait_status("completed", mark=event_mark)
    events.wait_for("queue-ended", mark=event_mark)
    capture.wait_silence(0.3)
    length = (capture.last_sound(mark) - capture.first_sound(mark)) / RATE
    assert length == pytest.approx(0.2, abs=0.02)
    assert len(events.since(event_mark, "completed")) == 1
    last = events.since(event_mark, "time")[-1]
    assert last["position"] == pytest.approx(duration, abs=1e-6) and last["progress"] == 1
    snapshot = api.player()
    assert snapshot["progress"] == 1 and snapshot["position"] == pytest.approx(duration, abs=1e-6)


def test_skips_are_clamped_and_past_the_end_completes_once(api, events):
    """Row 158."""
    api.load("long.mp3")
    api.play(position=3)
    api.wait_status("playing")
    assert api.seek(offset=-10)["position"] < 0.5
    mark = events.mark()
    api.seek(offset=999)
    events.wait_for("completed", mark=mark)
    events.wait_for("queue-ended", mark=mark)
    assert len(events.since(mark, "completed")) == 1


@pytest.mark.smoke
def test_seeks_take_seconds_and_progress(api):
    """Rows 159, 160: fractions count; what is out of range or no number is refused and changes nothing."""
    api.start("long.mp3")
    api.pause()
    assert api.seek(position=0.5)["position"] == pytest.approx(0.5, abs=1e-3)
    assert api.seek(position=12.3456)["position"] == pytest.approx(12.3456, abs=1e-3)
    assert api.seek(progress=0.5)["position"] == pytest.approx(20, abs=0.05)
    before = api.player()["position"]
    for members in ({"progress": -0.1}, {"progress": 1.1}):
        assert api.request("POST", "/player/seek", json=members).status_code == 422
    for body in ('{"position": NaN}', '{"progress": Infinity}', '{"position": 1e999}', '{"position": "3"}', "{}",
                 '{"position": 1, "progress": 0.5}'):
        response = api.request("POST", "/player/seek", content=body, headers={"Content-Type": "application/json"})
        assert response.status_code in (400, 422), (body, response.status_code)
    assert api.player()["position"] == before


def test_begin_time_is_sought_before_the_first_sample(capture, api, events, media):
    """Rows 149, 151: not a blip of the beginning; `ready` and `playing` carry the position."""
    mark = events.mark()
    api.load({"uri": "long.mp3", "beginTime": 30})
    assert events.wait_status("ready", mark=mark)["position"] == 30 and api.player()["position"] == 30
    api.play()
    playing = events.wait_status("playing", mark=mark)
    assert 30 <= playing["position"] < 30 + 0.2 * PATIENCE
    start = capture.wait_sound()
    capture.wait_frames(start + RATE // 2)
    heard = capture.samples(start, start + RATE // 2)
    assert place(media, "long.mp3", heard, 30) == pytest.approx(30, abs=0.003)


def test_a_jump_to_another_item_resets_time_at_once(api, open_events):
    """Row 242: no event or snapshot of the new item has the old one's time or duration."""
    log = open_events("interval=0.05")
    ids = api.load("long.mp3", "chirp.mp3")
    api.play(position=30)
    log.wait_for("time", lambda event: event["position"] > 30.1)
    mark = log.mark()
    snapshot = api.command("next")
    assert snapshot["item"]["id"] == ids[1] and snapshot["position"] < 1
    assert snapshot["duration"] in (None, pytest.approx(30, abs=0.1))
    log.wait_for("time", lambda event: event["itemId"] == ids[1] and event["position"] > 0.2, mark=mark)
    stale = [event.data for event in log.since(mark, "time") if event["itemId"] == ids[1] and event["position"] > 5]
    assert not stale


def test_scanning_moves_at_its_rate_and_restores_what_was(api):
    """Rows 161-163: 2 s/s forwards and backwards; stops at 0; afterwards paused again if it was paused."""
    api.load("long.mp3")
    api.play(position=10)
    api.wait_status("playing")
    api.pause()
    for rate in (2.0, -2.0):
        answer = api.command("scan", rate=rate)
        start = eventually(lambda: ((s := api.player())["position"] - answer["position"]) * rate > 0.2 and s, "the scan begins")
        eventually(lambda: abs(api.player()["position"] - start["position"]) > 2, "the scan moves")
        now = api.player()
        seconds = (now["sampledAt"] - start["sampledAt"]) / 1000
        assert (now["position"] - start["position"]) / seconds == pytest.approx(rate, rel=0.1)
    assert api.call("DELETE", "/player/scan")["status"] == "paused"
    api.play(position=1)
    api.command("scan", rate=-8)
    eventually(lambda: api.player()["position"] == 0, "it stops at the beginning")
    assert api.call("DELETE", "/player/scan")["playWhenReady"]
    api.wait_status("playing")
