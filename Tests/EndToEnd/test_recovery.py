# SPDX-License-Identifier: Apache-2.0
"""The sound server goes, comes late, or is not there."""

import pytest

from rig import Api, Capture, eventually
from rig.signals import align

RATE = 44100


def test_music_resumes_where_the_daemon_died(capture, pulse, api, media, events):
    """Row 147: kill -9; not `playing` meanwhile; the same item within 0.2 s of where it was."""
    ids = api.load("long.mp3", "short-0.mp3")
    api.play()
    capture.wait_sound()
    capture.wait_seconds(1.0)
    pulse.kill()
    lost = eventually(lambda: (s := api.player())["status"] != "playing" and s, "the loss is noticed", timeout=3)
    assert lost["rate"] == 0 and lost["reason"] == "output-unavailable"
    capture.stop()
    heard = (capture.last_sound() - capture.first_sound()) / RATE
    assert lost["position"] == pytest.approx(heard, abs=0.2)
    pulse.start()
    again = Capture(pulse).start(restart_sink=False)
    try:
        back = api.wait_status("playing", timeout=10)
        assert back["item"]["id"] == ids[0]
        again.wait_sound(timeout=10)
        again.wait_seconds(0.5)
        start = again.first_sound()
        sample = again.samples()[-RATE // 3 :]
        where = align(media.reference("long.mp3")[: 12 * RATE], sample)
        began = where - (again.frames - len(sample) - start)
        if start > 100:  # otherwise the capture joined in the middle
            assert began / RATE == pytest.approx(heard, abs=0.25)
        assert api.player()["position"] == pytest.approx((where + len(sample)) / RATE, abs=0.25)
    finally:
        again.stop()


def test_a_paused_player_stays_paused_when_the_daemon_comes_back(capture, pulse, api):
    """Row 147 with row 129's rule: nobody asked for music."""
    api.load("long.mp3")
    api.play()
    capture.wait_sound()
    position = api.pause()["position"]
    pulse.kill()
    capture.stop()
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
    server = start_server(output="auto", pulse=pulse)
    api = Api(server.url)
    api.load("long.mp3")
    response = api.request("POST", "/player/play")
    assert response.status_code == 503 and response.json()["code"] == "output-unavailable", response.text
    snapshot = api.player()
    assert snapshot["status"] != "playing" and snapshot["rate"] == 0
    assert api.request("GET", "//healthz").status_code == 200
    assert snapshot["output"]["available"] is False and len(snapshot["output"]["message"]) > 20
    pulse.start()
    eventually(lambda: api.request("POST", "/player/play").status_code == 200, "play works", timeout=10, every=0.1)
    api.wait_status("playing")
    api.close()


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
    assert server.threads() <= threads + 1
    assert server.descriptors() <= descriptors + 2


def test_commands_while_the_daemon_is_away_are_answered_and_kept(pulse, api):
    """Promise 2: pause and edits work without sound; what was wished holds when it is back."""
    api.load("long.mp3", "chirp.mp3")
    api.play()
    api.wait_status("playing")
    pulse.kill()
    eventually(lambda: api.player()["status"] != "playing", "the loss is noticed")
    assert api.pause()["playWhenReady"] is False
    assert api.add("short-0.mp3")
    assert api.seek(position=12)["position"] == pytest.approx(12, abs=0.01)
    pulse.start()
    eventually(lambda: api.player()["output"]["available"], "the output is back", timeout=10)
    snapshot = api.player()
    assert snapshot["status"] == "paused" and snapshot["position"] == pytest.approx(12, abs=0.05)
