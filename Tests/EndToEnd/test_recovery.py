# SPDX-License-Identifier: Apache-2.0
"""The sound server goes, comes late, or is not there; the server itself goes."""

import time

import pytest

from rig import PATIENCE, RATE, Api, Capture, EventLog, during, eventually
from rig.signals import align


def test_music_resumes_where_the_daemon_died(capture, pulse, api, media, events):
    """Row 147: kill -9; not `playing` meanwhile; the same item within 0.2 s of where it was."""
    ids = api.load("long.mp3", "short-0.mp3", play=True)
    capture.wait_sound()
    capture.wait_seconds(1.0)
    pulse.kill()
    lost = eventually(lambda: (s := api.player())["status"] != "playing" and s, "the loss is noticed", timeout=3)
    assert lost["rate"] == 0 and lost["reason"] == "output-unavailable"
    capture.close()
    heard = (capture.last_sound() - capture.first_sound()) / RATE
    assert lost["position"] == pytest.approx(heard, abs=0.2)
    pulse.start()
    again = Capture(pulse).start(restart_sink=False)
    back = api.wait_status("playing", timeout=10)
    assert back["item"]["id"] == ids[0]
    again.wait_sound(timeout=10)
    again.wait_seconds(0.5)
    start = again.first_sound()
    reference = media.reference("long.mp3")[: 12 * RATE]
    if start > 100:  # otherwise the capture joined in the middle
        # Each by its own samples: between them a late mixer may leave holes.
        assert align(reference, again.samples()[start : start + RATE // 10]) / RATE == pytest.approx(heard, abs=0.25)
    # The position is of a moment between the end of the sample and the last frame.
    end = again.frames
    position, last = api.player()["position"], again.frames
    place = (align(reference, again.samples(end - RATE // 3, end)) + RATE // 3) / RATE
    assert place - 0.25 < position < place + (last - end) / RATE + 0.25


def test_the_loss_is_said_once_and_forgotten_when_it_is_over(server, capture, pulse, api):
    """In the log: one line each. In the state: no error of what is past."""
    api.load("long.mp3", play=True)
    capture.wait_sound()
    pulse.kill()
    capture.close()
    lost = api.wait_status("interrupted")
    assert lost["error"]["code"] == "output-unavailable"
    api.pause()
    # It tries again after 0.1, 0.3 and 0.7 s.
    pulse.refuse(times=3)
    pulse.start()
    eventually(lambda: api.player()["output"]["available"], "the output is back", timeout=10)
    assert api.player()["error"] is None
    lines = server.log().splitlines()
    for words in ("there is no sound output", "the sound output is back"):
        assert len([line for line in lines if words in line]) == 1, lines


def test_a_refused_play_tries_again_at_once(pulse, api):
    """The next attempts are up to 2 s apart; nobody is refused for so long after the sound server's return."""
    api.load("long.mp3")
    pulse.kill()
    pulse.refuse(times=5)

    def refused() -> None:
        assert api.refusal("POST", "/player/play") == (503, "output-unavailable")

    began = time.monotonic()
    pulse.refuse(times=5, cause=refused)
    assert time.monotonic() - began < 5
    pulse.start()
    # The first one may be refused.
    api.request("POST", "/player/play")
    eventually(lambda: api.player()["output"]["available"], "the output is back")
    api.play()


def test_a_paused_player_stays_paused_when_the_daemon_comes_back(capture, pulse, api):
    """Row 147 with row 129's rule: nobody asked for music."""
    api.load("long.mp3", play=True)
    capture.wait_sound()
    api.pause()
    position = api.wait_status("paused")["position"]
    pulse.kill()
    capture.close()
    pulse.start()
    eventually(lambda: api.player()["output"]["available"], "the output is back", timeout=10)
    snapshot = api.player()
    assert snapshot["status"] == "paused" and snapshot["position"] == pytest.approx(position, abs=0.05)
    assert not pulse.sink_inputs() or "Corked: yes" in pulse.pactl("list", "sink-inputs")
    api.play()
    api.wait_status("playing")


def test_without_a_sound_server_it_runs_and_refuses_to_pretend(pulse, start_server, contract):
    """DESIGN section 3: play answers 503 `output-unavailable`; when the daemon starts late, play works."""
    pulse.stop()
    api = Api(start_server(output="auto", pulse=pulse).url)
    api.load("long.mp3")
    assert api.refusal("POST", "/player/play") == (503, "output-unavailable")
    snapshot = api.player()
    assert snapshot["status"] != "playing" and snapshot["rate"] == 0
    assert api.request("GET", "//healthz").status_code == 200
    assert snapshot["output"]["available"] is False and len(snapshot["output"]["message"]) > 20
    pulse.start()
    eventually(lambda: api.request("POST", "/player/play").status_code == 200, "play works", timeout=10, every=0.1)
    api.wait_status("playing")


def test_a_start_without_a_sound_server_waits_for_it(pulse, start_server, contract):
    """Promise 2: when its time has come, as an alarm. The cause is reported meanwhile."""
    pulse.stop()
    server = start_server(output="auto", pulse=pulse)
    api, events = Api(server.url), EventLog(server.events_url, contract=contract)
    events.wait_for("snapshot")
    api.load("long.mp3")
    api.play(at=int(time.time() * 1000) + 2500)
    waiting = api.wait_status("interrupted", timeout=10)
    assert (waiting["reason"], waiting["playWhenReady"]) == ("output-unavailable", True)
    assert waiting["error"]["code"] == "output-unavailable"
    pulse.start()
    assert events.wait_status("playing", timeout=10)["position"] < 1
    eventually(lambda: api.player()["error"] is None, "the error is past")
    assert not events.violations


def test_a_daemon_that_dies_again_and_again_is_survived(pulse, server, api):
    """Row 147, promise 2: five deaths, then music; no leak of threads or sockets."""
    api.load("long.mp3")
    api.settings(repeat="one")
    api.play()
    api.wait_status("playing")
    threads, descriptors = server.threads(), server.descriptors()
    for _ in range(5):
        pulse.kill()
        eventually(lambda: api.player()["status"] != "playing", "the loss is noticed")
        pulse.start()
        api.wait_status("playing", timeout=15)
    # The last connections may still be closing.
    eventually(lambda: server.threads() <= threads + 1 and server.descriptors() <= descriptors + 2, "nothing leaks")


def test_commands_while_the_daemon_is_away_are_answered_and_kept(pulse, api):
    """Promise 2: pause and edits work without sound; what was wished holds when it is back."""
    api.start("long.mp3", "chirp.mp3")
    pulse.kill()
    eventually(lambda: api.player()["status"] != "playing", "the loss is noticed")
    assert api.pause()["playWhenReady"] is False
    assert api.add("short-0.mp3")
    assert api.seek(position=12)["position"] == pytest.approx(12, abs=0.01)
    pulse.start()
    eventually(lambda: api.player()["output"]["available"], "the output is back", timeout=10)
    snapshot = api.player()
    assert snapshot["status"] == "paused" and snapshot["position"] == pytest.approx(12, abs=0.05)


def test_a_frozen_sound_server_is_an_outage_and_leaves_nothing_behind(capture, pulse, api, events):
    """A server that stands answers nobody: never `playing` meanwhile; then the music goes on where it was, in one stream."""
    ids = api.load("long.mp3", play=True)
    capture.wait_sound()
    capture.wait_seconds(1.0)
    pulse.freeze()
    stands = eventually(lambda: (s := api.player())["status"] != "playing" and s, "the standstill is noticed")
    assert (stands["status"], stands["reason"], stands["rate"]) == ("buffering", "output-unavailable", 0)
    mark = events.mark()
    paused = api.pause()
    assert paused["status"] == "paused" and paused["rate"] == 0
    assert paused["position"] == pytest.approx(stands["position"], abs=0.01)
    api.play()
    lost = api.wait_status("interrupted", timeout=15)
    assert lost["reason"] == "output-unavailable" and lost["rate"] == 0
    # Long enough for a stream that is asked for meanwhile to be given up, and for more attempts.
    api.wait_status("interrupted")
    during(3, lambda: api.player()["status"] == "interrupted", "nothing sounds", every=0.1)
    assert api.player()["position"] == pytest.approx(stands["position"], abs=0.01)
    # It leaves a request for a stream unanswered: it is not available, and says so.
    eventually(lambda: not api.player()["output"]["available"], "the output is not available", timeout=15)
    assert api.refusal("POST", "/player/play") == (503, "output-unavailable")
    assert "playing" not in [event["status"] for event in events.since(mark, "status")]
    pulse.thaw()
    back = api.wait_status("playing", timeout=10)
    assert back["item"]["id"] == ids[0]
    assert back["output"]["available"]
    assert stands["position"] <= back["position"] < stands["position"] + 2
    eventually(lambda: len(pulse.sink_inputs()) == 1, "one stream is left", timeout=3)


@pytest.mark.parametrize("moment", [None, 0.0])
def test_term_under_load_closes_every_client_and_saves(server, api, pulse, open_events, moment):
    """DESIGN section 3: 50 event clients, while playing or so many seconds into loading: 1001 for each, status 0, saved."""
    logs = [open_events(url=server.events_url) for _ in range(50)]
    for log in logs:
        log.wait_for("snapshot", timeout=20)
    api.load("vbr-noxing-long.mp3", "long.mp3")
    if moment is None:
        api.play(position=11)
        api.wait_status("playing")
        eventually(lambda: api.player()["position"] > 11.3, "it plays")
    else:
        logs[0].send({"type": "command", "id": 1, "command": "play", "data": {"index": 1, "position": 11}})
        time.sleep(moment)  # the moment is the subject
    position = api.player()["position"]
    assert server.stop(timeout=2) == 0, server.log()[-3000:]
    for log in logs:
        eventually(lambda: log.close_code is not None, "the socket is closed")
    assert {log.close_code for log in logs} == {1001}
    api = Api(server.start().url)
    assert api.uris() == ["vbr-noxing-long.mp3", "long.mp3"]
    if moment is None:
        assert position - 0.1 < api.player()["position"] < position + 2 * PATIENCE
