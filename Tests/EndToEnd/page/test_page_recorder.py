# SPDX-License-Identifier: Apache-2.0
"""The recorder on the page: buttons, meter, list."""

import pytest
from playwright.sync_api import expect

from rig import eventually
from rig.microphone import Microphone


@pytest.fixture
def microphone(pulse):
    device = Microphone(pulse)
    yield device
    device.hush()


@pytest.fixture
def server(start_server, pulse, directory):
    return start_server(output="pulse", pulse=pulse, arguments=("--recordings", str(directory / "recordings")))


def test_a_recording_is_made_paused_saved_queued_and_deleted(microphone, directory, api, remote):
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
    expect(panel.locator(".recorder-time")).to_have_text("0:02", timeout=20_000)
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
    row.get_by_role("button", name="Add").click()
    eventually(lambda: api.uris() == [entry["uri"]], "it is in the queue")
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete this recording?").get_by_role("button", name="Delete").click()
    expect(panel.get_by_text("No recordings yet")).to_be_visible()
    assert api.call("GET", "/recordings")["recordings"] == []


def test_a_source_that_goes_is_told(microphone, directory, api, remote):
    page = remote.page
    page.get_by_role("tab", name="Recordings").click()
    panel = page.locator("recorder-panel")
    panel.get_by_role("button", name="Record").click()
    expect(panel.get_by_role("button", name="Stop")).to_be_enabled()
    microphone.unplug()
    expect(panel.locator(".recorder-note")).to_contain_text("microphone went away")
    expect(panel.get_by_role("button", name="Record")).to_be_enabled()


def test_without_a_recorder_there_is_no_view_of_it(start_server, open_remote):
    remote = open_remote(url=start_server().url)
    expect(remote.page.get_by_role("tab", name="Playlists")).to_be_visible()
    expect(remote.page.get_by_role("tab", name="Recordings")).to_have_count(0)
