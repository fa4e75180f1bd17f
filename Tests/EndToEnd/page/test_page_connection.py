# SPDX-License-Identifier: Apache-2.0
"""The page when the server, the sound server or the permission is missing."""

import os
import re
import time
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from rig import Api, during, eventually
from rig.access import ADMIN, READ


def test_killedServer_showsABanner_andThePageRecovers(remote, server, api):
    api.load("long.mp3", "chirp.mp3", play=True)
    expect(remote.status).to_have_text("Playing")
    remote.tolerate("Failed to load resource|WebSocket connection")
    port = server.port
    before = remote.button("Pause").bounding_box()
    server.kill()
    banner = remote.page.get_by_role("alert").filter(has_text="Connection to the server lost")
    expect(banner).to_be_visible()
    expect(remote.status).to_have_text("Not connected")
    assert remote.page.locator(".play-button").bounding_box() == before, "nothing moves under a finger"
    stood = remote.position.input_value()
    during(0.3, lambda: remote.position.input_value() == stood, "the position moves without the server")
    # By now the page takes its time between attempts. From the next one on it would take minutes: only the button explains its return.
    expect(banner.locator(".banner-wait")).to_have_text(re.compile("in [3-9] s"))
    remote.page.evaluate("() => { Math.random = () => 1000; }")
    expect(banner.locator(".banner-wait")).to_have_text(re.compile(r"in \d{3,} s"), timeout=20_000)
    # The same address again: the page knows no other.
    server.arguments += ["--port", str(port)]
    server.start()
    assert server.port == port
    banner.get_by_role("button", name="Reconnect now").click()
    expect(banner).to_be_hidden()
    remote.wait_connected()
    expect(remote.row(1).locator(".row-title")).to_have_text("chirp")
    remote.button(re.compile("^(Play|Pause)$")).click()
    eventually(lambda: api.player()["version"] >= 0, "the restarted server is at hand")


def test_restartAfterKill_keepsQueueAndPosition(remote, server, api):
    ids = api.load("long.mp3", "chirp.mp3", "low.mp3", play=True)
    expect(remote.status).to_have_text("Playing")
    api.seek(position=20)
    eventually(lambda: api.player()["position"] > 20.5, "heard beyond the jump")
    asked, heard = time.monotonic(), api.player()["position"]
    remote.tolerate("Failed to load resource|WebSocket connection")
    server.arguments += ["--port", str(server.port)]
    server.kill()
    most = heard + time.monotonic() - asked
    server.start()
    remote.wait_connected()
    expect(remote.status).to_have_text("Restored after a restart – press play")
    expect(remote.title).to_have_text("long")
    eventually(lambda: remote.shown_ids() == ids, "the queue of before")
    eventually(lambda: 19.5 < float(remote.position.input_value()) < most + 0.5, "where it was")
    remote.button("Play").click()
    expect(remote.status).to_have_text("Playing")
    eventually(lambda: float(remote.position.input_value()) > 20, "from there on")


@pytest.fixture
def quiet(start_server, directory):
    """A server whose sound server is missing."""
    nowhere = dict(os.environ, PULSE_SERVER=f"unix:{directory}/nowhere", HOME=str(directory))
    return start_server(output="auto", pulse=SimpleNamespace(environment=nowhere))


def test_missingSoundServer_isToldInWords(quiet, open_remote):
    remote = open_remote(url=quiet.url)
    remote.tolerate("Failed to load resource")
    expect(remote.status).to_have_text(re.compile("^No sound: .+"))
    expect(remote.page.locator(".status-line")).to_have_attribute("data-tone", "error")
    expect(remote.page.locator(".advice.note")).to_contain_text("Start PulseAudio or PipeWire")
    expect(remote.page.get_by_role("combobox", name="Output")).to_be_disabled()


def test_missingSoundServer_leavesTheButtonsInSight(quiet, open_remote):
    owner = Api(quiet.url)
    owner.load({"uri": "long.mp3", "title": "A title of many words, which needs more than one line " * 3, "artist": "Artist", "album": "Album"})
    remote = open_remote(url=quiet.url)
    expect(remote.page.locator(".advice.note")).to_contain_text("Start PulseAudio or PipeWire")
    expect(remote.title).to_contain_text("A title of many words")
    for width, height in ((1280, 800), (390, 844), (320, 568)):
        remote.page.set_viewport_size({"width": width, "height": height})
        for control in (remote.button("Play"), remote.position, remote.volume, remote.button("Shuffle")):
            expect(control).to_be_in_viewport(ratio=1)
        if width < 1040:
            tabs = remote.page.locator(".bottom-bars").bounding_box()["y"]
            box = remote.volume.bounding_box()
            assert box["y"] + box["height"] <= tabs, "nor behind the tabs"


def test_playWithoutSoundServer_isRefused_andNothingIsLost(quiet, open_remote):
    remote = open_remote(url=quiet.url)
    remote.tolerate("Failed to load resource")
    remote.page.locator('.entry-name[data-path="chirp.mp3"]').click()
    expect(remote.toast).to_contain_text("Added, but not played: ")
    expect(remote.row(0).locator(".row-title")).to_have_text("chirp")
    remote.button("Play").click()
    expect(remote.page.locator(".toast")).to_have_count(2)
    expect(remote.toast).to_have_attribute("data-tone", "error")
    expect(remote.button("Play")).to_be_visible()


def test_output_isChosenFromTheList_andGivenBack(pulse, server, remote, api):
    api.load("long.mp3", play=True)
    picker = remote.page.get_by_role("combobox", name="Output")
    expect(picker).to_be_enabled()
    expect(picker).to_have_value("")
    for sink in ("hp", "spk"):
        picker.select_option(sink)
        eventually(lambda: pulse.stream_sinks() == [sink], f"the sound is on {sink}")
        expect(picker).to_have_value(sink)
    remote.page.reload()
    expect(picker).to_have_value("spk")
    picker.select_option("")
    default = pulse.pactl("get-default-sink").strip()
    eventually(lambda: pulse.stream_sinks() == [default], "the sound is on the default")
    remote.page.reload()
    expect(picker).to_have_value("")


def test_outputsOfOneDescription_areToldApart(remote, api):
    """By the port in use and the id; any other output keeps its description."""
    (known,) = api.call("GET", "/outputs")["outputs"]
    port = {"name": "p", "description": "Headphones", "headphones": True, "available": True}
    outputs = [known | {"id": "usb-1", "description": "USB", "activePort": "p", "ports": [port]},
               known | {"id": "usb-2", "description": "USB", "current": False, "default": False}, known | {"id": "hdmi", "current": False, "default": False}]
    answer = api.call("GET", "/outputs") | {"outputs": outputs}
    remote.page.route("**/api/v1/outputs", lambda route: route.fulfill(json=answer))
    remote.page.reload()
    expect(remote.page.get_by_role("combobox", name="Output").locator("option")).to_have_text(
        ["Default (USB (Headphones, usb-1))", "USB (Headphones, usb-1)", "USB (usb-2)", known["description"]])


def test_theLongNameOfAnOutput_isWhole_onAPhone(open_remote, api):
    answer = api.call("GET", "/outputs")
    answer["outputs"] = [output | {"description": "Analogue stereo speakers"} for output in answer["outputs"]]
    remote = open_remote(viewport={"width": 390, "height": 844})
    remote.page.route("**/api/v1/outputs", lambda route: route.fulfill(json=answer))
    remote.page.reload()
    name = remote.page.locator(".output-name")
    expect(name).to_have_text("Default (Analogue stereo speakers)")
    assert name.evaluate("(name) => name.scrollWidth <= name.clientWidth && name.scrollHeight <= name.clientHeight")
    # The list above it takes the clicks.
    assert remote.page.get_by_role("combobox", name="Output").bounding_box()["height"] >= name.bounding_box()["height"]


def test_soundOnAnotherOutputThanTheDefault_isShown(pulse, remote, api):
    api.load("long.mp3", play=True)
    chosen = remote.page.get_by_role("combobox", name="Output").locator("option:checked")
    expect(chosen).to_have_text(re.compile(r"^Default \(.*spk\)"))
    stream = eventually(pulse.sink_inputs, "a stream")[0][0]
    pulse.pactl("move-sink-input", stream, "hp")
    expect(chosen).to_have_text(re.compile(r"^Now .*hp\) – default \(.*spk\)"))
    pulse.pactl("move-sink-input", stream, "spk")
    expect(chosen).to_have_text(re.compile(r"^Default \(.*spk\)"))


def test_aMissingChosenOutput_isShown_andTheDefaultCanBeChosen(page):
    assert page.evaluate("""async () => {
        const picker = document.createElement("output-picker");
        document.body.append(picker);
        const { list } = picker.refs;
        const speakers = { id: "spk", description: "Speakers", available: true, current: true, default: true };
        const seen = [];
        for (const message of ["The chosen output usb is not there. It is used when it appears.", null]) {
            picker.outputs = { outputs: [speakers], following: "default", message };
            await new Promise((resolve) => setTimeout(resolve));
            const [chosen] = list.selectedOptions;
            seen.push([chosen.text, chosen.disabled, list.title, list.querySelector("option[value='']").disabled]);
        }
        picker.remove();
        return seen;
    }""") == [["The chosen output usb is not there. It is used when it appears.", True,
               "The chosen output usb is not there. It is used when it appears.", False], ["Default (Speakers)", False, "", False]]


def test_outputThatIsGone_isRefused_andTheListGoesBack(pulse, server, remote):
    remote.tolerate("Failed to load resource")
    picker = remote.page.get_by_role("combobox", name="Output")
    expect(picker).to_be_enabled()
    # At once: the next news of the outputs removes it.
    picker.evaluate("""(list) => {
        list.append(new Option("Pulled out", "gone", false, true));
        list.dispatchEvent(new Event("change", { bubbles: true }));
    }""")
    expect(remote.toast).to_contain_text("There is no output gone")
    expect(picker).to_have_value("")


def test_token_isAskedFor_keptAndTakenFromTheAddress(open_to_all, open_remote):
    url, token = open_to_all.url, open_to_all.token
    remote = open_remote(url=url, wait=False)
    remote.tolerate("Failed to load resource|WebSocket connection")
    dialog = remote.page.get_by_role("dialog", name="Access token needed")
    expect(dialog).to_be_visible()
    remote.page.get_by_label("Token", exact=True).fill("wrong")
    remote.page.get_by_role("button", name="Connect").click()
    expect(dialog).to_contain_text("does not accept this token")
    remote.page.get_by_label("Token", exact=True).fill(token)
    remote.page.get_by_role("button", name="Connect").click()
    remote.wait_connected()
    expect(dialog).to_be_hidden()

    # The whole link.
    pasted = open_remote(url=url, wait=False)
    pasted.tolerate("Failed to load resource|WebSocket connection")
    pasted.page.get_by_label("Token", exact=True).fill(f"{url}/#token={token}")
    pasted.page.get_by_role("button", name="Connect").click()
    pasted.wait_connected()

    linked = open_remote(url=url, path=f"/#token={token}")
    assert linked.page.evaluate("() => location.hash") == ""
    linked.page.reload()
    linked.wait_connected()


@pytest.fixture
def reading(guarded, open_remote):
    """A page whose token only reads, and the owner of the server: nothing here is simulated."""
    server = guarded()
    owner = Api(server.url, ADMIN)
    owner.load("long.mp3", "chirp.mp3")
    owner.play(index=0)
    owner.wait_status("playing")
    owner.pause()
    remote = open_remote(url=server.url, path=f"/#token={READ}")
    expect(remote.button("Play")).to_be_visible()
    return SimpleNamespace(remote=remote, owner=owner)


def test_readOnlyToken_disablesWhatNeedsControl_andSaysWhy(reading):
    remote, page = reading.remote, reading.remote.page
    note = page.locator("access-note")
    expect(note).to_contain_text("This link may only look")
    for control in (remote.button("Play"), remote.button("Shuffle"), remote.volume, remote.position,
                    page.get_by_role("combobox", name="Output"), remote.queue.get_by_role("button", name="Clear queue"),
                    remote.queue.get_by_role("button", name="Play chirp"), page.get_by_role("button", name="Add all"),
                    page.locator('.entry-name[data-path="chirp.mp3"]')):
        expect(control).to_be_disabled()
    page.keyboard.press("n")
    expect(remote.toast).to_have_text("Not allowed: this link may only look.")
    page.get_by_role("button", name="A Folder", exact=True).click()
    expect(page.locator(".breadcrumb [aria-current]")).to_have_text("A Folder")

    note.get_by_role("button", name="Use another token").click()
    dialog = page.get_by_role("dialog", name="Access token needed")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    note.get_by_role("button", name="Use another token").click()
    page.get_by_label("Token", exact=True).fill(ADMIN)
    page.get_by_role("button", name="Connect").click()
    expect(note).to_be_hidden()
    remote.wait_connected()
    remote.button("Play").click()
    reading.owner.wait_status("playing")
