# SPDX-License-Identifier: Apache-2.0
"""Outputs, routes, interruptions and the session, shown and set on the page."""

import re

import pytest
from playwright.sync_api import expect

from rig import eventually
from rig.pulse import HEADPHONES


@pytest.fixture
def dialog(pulse, remote):
    remote.page.get_by_role("button", name="Sound and timers").click()
    dialog = remote.page.get_by_role("dialog", name="Sound and timers")
    expect(dialog).to_be_visible()
    return dialog


def test_anInterruption_isShown_andPlayEndsIt(pulse, remote, api):
    api.start("long.mp3")
    api.call("POST", "/session/interruptions", json={"type": "began"})
    expect(remote.status).to_have_text("Interrupted")
    expect(remote.page.get_by_text("Press play to hear it now")).to_be_visible()
    remote.button("Play").click()
    api.wait_status("playing")
    expect(remote.status).to_have_text("Playing")


def test_theButton_sendsTheVerbThatItShows_whileTheOutputIsLost(pulse, remote, api):
    """The player waits for the output already: pausing is of use, playing is not."""
    verbs = []
    remote.page.on("request", lambda request: request.method == "POST" and verbs.append(request.url.rpartition("/")[2]))
    api.start("long.mp3")
    pulse.suspend("spk", True)
    expect(remote.status).to_have_text("Interrupted – the sound device is suspended")
    remote.button("Pause").click()
    api.wait_status("paused")
    remote.button("Play").click()
    expect(remote.button("Pause")).to_be_visible()
    remote.page.keyboard.press("k")
    expect(remote.button("Play")).to_be_visible()
    assert verbs == ["pause", "play", "pause"]


def test_aSoundServerLostDuringPlayback_isReported(pulse, remote, api):
    api.start("long.mp3")
    pulse.kill()
    expect(remote.status).to_have_text(re.compile("^No sound: .+"))
    expect(remote.button("Pause")).to_be_visible()


@pytest.mark.headphones
def test_pulledHeadphones_areReported(pulse, remote, api):
    eventually(lambda: len(api.outputs()) == 2, "both outputs")
    api.call("PUT", "/outputs/current", json={"id": "hp"})
    api.start("long.mp3")
    pulse.unplug("hp")
    expect(remote.status).to_have_text("Paused – the headphones were unplugged")
    expect(remote.toast).to_contain_text("HP unplugged")
    pulse.load(HEADPHONES)
    expect(remote.status).to_have_text("Playing")


def test_aMachineWithoutAnInput_givesTheReason(dialog):
    """A disabled choice shows its reason."""
    expect(dialog.get_by_label("This machine is for").locator("option[value=record]")).to_be_disabled()
    expect(dialog.get_by_text("this machine needs a microphone or line input, and a server that runs with --recordings")).to_be_visible()


@pytest.mark.serve("--recordings", "{directory}/recordings")
def test_aServerThatRecords_isNotAskedFor(dialog):
    note = dialog.locator("p").filter(has_text="To record")
    expect(note).to_have_text("To record, this machine needs a microphone or line input.", use_inner_text=True)


@pytest.mark.parametrize("category", ["record", "audio-processing"])
def test_aMachineThatDoesNotPlay_givesTheReason(microphone, remote, api, category):
    api.start("long.mp3")
    api.call("PATCH", "/session", json={"category": category})
    expect(remote.status).to_have_text("Paused – this machine is set not to play")
    expect(remote.page.get_by_text("choose another use under “This machine is for” in Sound and timers")).to_be_visible()


def test_checkBoxes_areLargeEnoughForFingers(pulse, open_remote):
    remote = open_remote(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    remote.page.get_by_role("button", name="Sound and timers").click()
    box = remote.page.get_by_role("dialog", name="Sound and timers").get_by_label("Resume afterwards").bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24, box


def test_theSession_isSetAndShown(dialog, remote, api):
    expect(dialog.get_by_label("This machine is for")).to_have_value("playback")
    dialog.get_by_label("Lower other programs").check()
    eventually(lambda: api.call("GET", "/session")["options"] == ["duck-others"], "set")
    expect(dialog.get_by_text("Other programs are lowered")).to_be_visible()
    dialog.get_by_label("Mode").select_option("movie-playback")
    eventually(lambda: api.call("GET", "/session")["mode"] == "movie-playback", "set")
    # Another client.
    api.call("PUT", "/session", json={"category": "ambient"})
    expect(dialog.get_by_label("This machine is for")).to_have_value("ambient")
    expect(dialog.get_by_label("Lower other programs")).to_have_count(0)
    expect(dialog.get_by_text("The silent switch silences it")).to_be_visible()


def test_fallingAsleep_isSetAndShown(dialog, remote, api):
    def timers() -> list[dict]:
        return api.call("GET", "/timers")["timers"]

    sleep = dialog.get_by_label("Sleep timer")
    expect(sleep).to_have_value("")
    sleep.select_option("In 30 minutes")
    eventually(lambda: [timer.get("after") for timer in timers()] == [1800], "set")
    sleep.select_option("At the end of the track")
    eventually(lambda: [timer.get("until") for timer in timers()] == ["end-of-item"], "set")
    # Another client.
    api.call("POST", "/timers", json={"type": "sleep", "after": 1200})
    expect(sleep).to_have_value("1200")
    sleep.select_option("Off")
    eventually(lambda: timers() == [], "taken back")
    expect(sleep).to_have_value("")


def test_policies_areSet(dialog, remote, api):
    dialog.get_by_label("When headphones are unplugged").select_option("hold")
    eventually(lambda: api.call("GET", "/outputs")["policy"] == "hold", "set")
    dialog.get_by_label("Resume afterwards").uncheck()
    eventually(lambda: api.player()["autoResume"] is False, "set")
    dialog.get_by_label(re.compile("Fall silent")).uncheck()
    eventually(lambda: api.player()["interruptionPolicy"] == "notify-only", "set")
    expect(dialog.get_by_label("Resume afterwards")).to_be_disabled()


def test_theDialog_fitsAPhone(pulse, open_remote):
    remote = open_remote(viewport={"width": 360, "height": 640})
    remote.page.get_by_role("button", name="Sound and timers").click()
    box = remote.page.get_by_role("dialog", name="Sound and timers").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 360
    assert remote.page.evaluate("document.documentElement.scrollWidth") <= 360
