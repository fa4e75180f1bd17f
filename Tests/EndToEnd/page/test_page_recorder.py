# SPDX-License-Identifier: Apache-2.0
"""The recorder on the page: buttons, meter, list."""

import re

import pytest
from playwright.sync_api import expect

from rig import Api, Radio, eventually


pytestmark = [pytest.mark.serve("--recordings", "{directory}/recordings"), pytest.mark.usefixtures("pulse")]


def test_a_recording_is_made_paused_saved_queued_played_and_deleted(microphone, directory, api, remote):
    """Issue 4, point 7: recorder view with meter."""
    microphone.tone(440, directory)
    page = remote.page
    page.get_by_role("tab", name="Recordings").click()
    panel = page.locator("recorder-panel")
    expect(panel.get_by_text("No recordings yet")).to_be_visible()
    panel.get_by_label("Format").select_option("mp3")
    panel.get_by_role("button", name="Record").click()
    meter = panel.get_by_role("meter", name="Level")
    eventually(lambda: -8 < int(meter.get_attribute("aria-valuenow")) < -4, "the meter shows the tone")
    expect(panel.locator(".recorder-time")).to_have_text(re.compile(r"^0:(0[2-9]|[1-5]\d)$"), timeout=20_000)
    panel.get_by_role("button", name="Pause").click()
    expect(panel.get_by_role("button", name="Resume")).to_be_enabled()
    expect(meter).to_have_attribute("aria-valuenow", "-160")
    assert api.call("GET", "/recordings/current")["state"] == "paused"
    panel.get_by_role("button", name="Resume").click()
    expect(panel.get_by_role("button", name="Record")).to_be_disabled()
    panel.get_by_role("button", name="Stop").click()
    (entry,) = eventually(lambda: api.call("GET", "/recordings")["recordings"], "it is listed")
    row = panel.locator(".entry")
    expect(row).to_contain_text(entry["id"])
    with page.expect_download() as download:
        row.locator(".entry-name").click()
    assert download.value.path().read_bytes() == (directory / "recordings" / entry["id"]).read_bytes()
    with page.expect_response(re.compile("/waveform$")) as waveform:
        row.get_by_role("button", name="Add").click()
    eventually(lambda: api.uris() == [entry["uri"]], "it is in the queue")
    assert waveform.value.status == 200, "what was recorded is as any other item"
    # It lasts two seconds.
    api.settings(repeat="one")
    # Read before the file is deleted.
    with page.expect_response(re.compile("/waveform$")):
        row.get_by_role("button", name=f"Play {entry['id']} now").click()
    eventually(lambda: api.uris() == [entry["uri"]] * 2 and api.player()["playWhenReady"], "it plays")
    api.command("stop")
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete this recording?").get_by_role("button", name="Delete").click()
    expect(panel.get_by_text("No recordings yet")).to_be_visible()
    assert api.call("GET", "/recordings")["recordings"] == []


def test_the_session_is_as_before_when_the_recording_has_ended(microphone, api, remote):
    assert api.call("GET", "/session")["category"] == "playback"
    panel = remote.page.locator("recorder-panel")
    remote.page.get_by_role("tab", name="Recordings").click()
    for name, ready in (("Record", "Pause"), ("Pause", "Resume"), ("Resume", "Pause")):
        panel.get_by_role("button", name=name).click()
        expect(panel.get_by_role("button", name=ready)).to_be_enabled()
        assert api.call("GET", "/session")["category"] == "play-and-record"
    panel.get_by_role("button", name="Stop").click()
    eventually(lambda: api.call("GET", "/session")["category"] == "playback", "it only plays again")


def test_lost_source_is_reported(microphone, directory, api, remote):
    page = remote.page
    page.get_by_role("tab", name="Recordings").click()
    panel = page.locator("recorder-panel")
    panel.get_by_role("button", name="Record").click()
    expect(panel.get_by_role("button", name="Stop")).to_be_enabled()
    microphone.unplug()
    expect(panel.locator(".recorder-note")).to_contain_text("microphone is no longer available")
    expect(panel.get_by_role("button", name="Record")).to_be_disabled()
    eventually(lambda: api.call("GET", "/session")["category"] == "playback", "it only plays again")


def test_without_a_source_the_button_is_disabled_and_says_why(microphone, remote):
    panel = remote.page.locator("recorder-panel")
    remote.page.get_by_role("tab", name="Recordings").click()
    expect(panel.get_by_role("button", name="Record")).to_be_enabled()
    microphone.unplug()
    expect(panel.get_by_role("button", name="Record")).to_be_disabled()
    expect(panel.locator(".recorder-note")).to_have_text("This machine has no microphone or line input.")


def test_a_recording_without_sound_is_reported(microphone, pulse, remote):
    pulse.pactl("suspend-source", microphone.source, "1")
    panel = remote.page.locator("recorder-panel")
    remote.page.get_by_role("tab", name="Recordings").click()
    panel.get_by_role("button", name="Record").click()
    panel.get_by_role("button", name="Stop").click()
    expect(panel.locator(".recorder-note")).to_have_text("There is no file: the source delivered no sound.")
    expect(panel.get_by_text("No recordings yet")).to_be_visible()


def test_hanging_sound_server_is_reported(microphone, pulse, remote):
    panel = remote.page.locator("recorder-panel")
    remote.page.get_by_role("tab", name="Recordings").click()
    panel.get_by_role("button", name="Record").click()
    expect(panel.get_by_role("button", name="Stop")).to_be_enabled()
    pulse.freeze()
    try:
        expect(panel.locator(".recorder-note")).to_contain_text("The sound server delivers nothing", timeout=10_000)
        expect(panel.get_by_role("button", name="Stop")).to_be_enabled()
    finally:
        pulse.thaw()
    expect(panel.locator(".recorder-note")).to_be_empty()
    panel.get_by_role("button", name="Stop").click()


@pytest.fixture
def radio(media):
    return Radio(media.path("long.mp3").read_bytes(), 24_000)


def save_stream(api, radio, name: str, player: str = "/player") -> None:
    api.start(f"{radio.url}/radio", timeout=15)
    api.call("POST", f"{player}/record-stream", json={"name": name})


def test_a_stream_that_is_saved_is_shown_stopped_and_listed(radio, api, remote):
    page = remote.page
    page.get_by_role("tab", name="Recordings").click()
    panel = page.locator("recorder-panel")
    expect(panel.get_by_text("No recordings yet")).to_be_visible()
    expect(panel.locator(".recorder-stream")).to_be_hidden()
    save_stream(api, radio, "evening")
    line = panel.locator(".recorder-stream")
    expect(line).to_contain_text(re.compile(r"Saving a stream: evening\.mp3, [1-9][0-9.]* [kM]B"), timeout=20_000)
    before = line.inner_text()
    expect(line).not_to_have_text(before, timeout=20_000)
    # A page opened later shows it as well.
    page.reload()
    remote.wait_connected()
    page.get_by_role("tab", name="Recordings").click()
    line.get_by_role("button", name="Stop saving the stream").click()
    expect(line).to_be_hidden()
    expect(panel.locator(".entry")).to_contain_text("evening.mp3")
    assert api.call("GET", "/player/record-stream")["last"]["reason"] == "user"


def test_a_stream_that_ends_while_the_list_loads_is_listed(radio, api, remote):
    page, held = remote.page, []

    def hold_the_first(route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    page.route("**/api/v1/recordings", hold_the_first)
    save_stream(api, radio, "night")
    page.get_by_role("tab", name="Recordings").click()
    panel = page.locator("recorder-panel")
    expect(panel.locator(".recorder-stream")).to_be_visible()
    eventually(lambda: held or page.wait_for_timeout(10), "the list is asked for")
    api.call("DELETE", "/player/record-stream")
    expect(panel.locator(".recorder-stream")).to_be_hidden()
    route, answer = held[0]
    route.fulfill(response=answer)
    expect(panel.locator(".entry")).to_contain_text("night.mp3")


def test_a_stream_that_ends_by_itself_is_listed_and_its_reason_told(radio, api, remote):
    page = remote.page
    page.get_by_role("tab", name="Recordings").click()
    panel = page.locator("recorder-panel")
    save_stream(api, radio, "night")
    expect(panel.locator(".recorder-stream")).to_be_visible()
    api.command("stop")
    expect(panel.locator(".entry")).to_contain_text("night.mp3")
    expect(panel.locator(".recorder-stream")).to_be_hidden()
    reason = "Saving night.mp3 ended: the station was paused or stopped."
    expect(panel.locator(".recorder-end")).to_have_text(reason)
    expect(remote.toast).to_contain_text(reason)
    expect(remote.page.locator(".toast")).to_have_count(1)
    page.get_by_role("tab", name="Folders").click()
    page.get_by_role("tab", name="Recordings").click()
    expect(panel.locator(".entry")).to_be_visible()
    expect(panel.locator(".recorder-end")).to_be_empty()


def test_web_stream_is_saved_from_the_page(radio, api, remote):
    page = remote.page
    page.get_by_role("tab", name="Recordings").click()
    panel = page.locator("recorder-panel")
    save = panel.get_by_role("button", name="Save the stream", exact=True)
    api.start("long.mp3")
    expect(remote.title).to_have_text("long")
    expect(save).to_be_hidden()
    api.start(f"{radio.url}/radio", timeout=15)
    expect(panel.locator(".recorder-offer")).to_contain_text("From the web: Test FM")
    save.press("Enter")
    stop = panel.get_by_role("button", name="Stop saving the stream")
    expect(stop).to_be_focused()
    expect(panel.locator(".recorder-stream")).to_contain_text(re.compile(r"[1-9][0-9.]* [kM]B"), timeout=20_000)
    expect(save).to_be_hidden()
    assert api.call("GET", "/player/record-stream")["state"] == "recording"
    stop.press("Enter")
    expect(save).to_be_focused()
    expect(panel.locator(".entry")).to_have_count(1)
    expect(panel.locator(".recorder-end")).to_be_empty()
    expect(page.locator(".toast")).to_have_count(0)
    save.focus()
    api.load("long.mp3", play=True)
    expect(save).to_be_hidden()
    expect(panel.get_by_label("Format")).to_be_focused()


def test_the_stream_of_the_chosen_player_is_saved(radio, api, open_remote):
    api.call("POST", "/players", json={"id": "kitchen", "name": "Kitchen"})
    kitchen = Api(str(api.http.base_url), player="kitchen")
    kitchen.start(f"{radio.url}/radio", timeout=15)
    remote = open_remote()
    page = remote.page
    page.get_by_role("tab", name="Recordings").click()
    save = page.locator("recorder-panel").get_by_role("button", name="Save the stream", exact=True)
    expect(save).to_be_hidden()
    page.get_by_role("combobox", name="Player").select_option("kitchen")
    save.click()
    eventually(lambda: kitchen.call("GET", "/player/record-stream")["state"] == "recording", "it is saved")
    assert api.call("GET", "/player/record-stream")["state"] == "idle"
    kitchen.command("stop")
    expect(remote.toast).to_contain_text("the station was paused or stopped")


ENDS = [
    (None, ""),
    ({"reason": "user", "bytes": 9}, ""),
    ({"reason": "end", "bytes": 9}, "Saved completely: a.mp3."),
    ({"reason": "item", "bytes": 9, "message": "Half of it."}, "Saving a.mp3 ended: another item started. Half of it."),
    ({"reason": "seek", "bytes": 9, "message": "The player has jumped."}, "Saving a.mp3 ended. The player has jumped."),
    ({"reason": "left", "bytes": 0}, "Nothing was saved: the station was paused or stopped."),
    ({"reason": "disk-full", "bytes": 9, "message": "No room."}, "Saving a.mp3 ended: the disk is full. No room."),
]


def test_the_end_of_saving_is_a_sentence(page):
    for last, shown in ENDS:
        given = last and {"id": "a.mp3", "message": None} | last
        assert page.evaluate("async (last) => (await import('/lib/saved-stream.js')).describeStreamEnd(last)", given) == shown


def test_a_long_name_is_read_to_its_end(open_remote, server, directory):
    names = [f"The_evening_programme_of_a_station_with_a_long_name-2026-11-{day}-200000{rest}" for day in (21, 22) for rest in (".mp3", "-recovered.flac")]
    entries = [{"id": name, "uri": name, "duration": 3600, "size": 86_400_000, "recovered": "recovered" in name} for name in names]
    remote = open_remote(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    status = remote.page.evaluate("async () => (await fetch('/api/v1/recordings/current')).json()")
    remote.page.route("**/api/v1/recordings", lambda route: route.fulfill(json={"status": status, "recordings": entries}))
    remote.tab("Music")
    remote.page.get_by_role("tab", name="Recordings").click()
    texts = remote.page.locator("recorder-panel .entry-text")
    expect(texts).to_have_text(names)
    expect(remote.page.locator("recorder-panel .entry-size").first).to_have_text("1:00:00 · 86 MB")
    for width in (390, 320):
        remote.page.set_viewport_size({"width": width, "height": 844})
        for text in texts.all():
            assert text.evaluate("(text) => text.scrollWidth <= text.clientWidth && text.scrollHeight <= text.clientHeight"), "nothing is cut"
            assert text.bounding_box()["x"] + text.bounding_box()["width"] <= width
        assert remote.page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_a_recorder_there_is_no_view_of_it(start_server, open_remote):
    remote = open_remote(url=start_server().url)
    expect(remote.page.get_by_role("tab", name="Playlists")).to_be_visible()
    expect(remote.page.get_by_role("tab", name="Recordings")).to_have_count(0)


def test_everyTab_isInSight_onAPhone(open_remote):
    remote = open_remote(viewport={"width": 390, "height": 740})
    remote.tab("Music")
    switch = remote.page.locator("browse-switch")
    tabs = switch.get_by_role("tab")
    expect(tabs).to_have_count(5)
    for width in (390, 360, 320):
        remote.page.set_viewport_size({"width": width, "height": 740})
        for tab in tabs.all():
            expect(tab).to_be_in_viewport(ratio=1)
            assert tab.evaluate("(tab) => tab.scrollWidth <= tab.clientWidth"), "its name fits"
            box = tab.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert switch.evaluate("(box) => box.scrollWidth <= box.clientWidth"), "nothing is cut off"
    tabs.last.click()
    expect(remote.page.locator("recorder-panel")).to_be_visible()
