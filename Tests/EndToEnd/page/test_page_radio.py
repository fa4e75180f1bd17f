# SPDX-License-Identifier: Apache-2.0
"""A radio station on the page: its song and its name, and a song that follows."""

from playwright.sync_api import expect

from rig import Radio


def test_the_song_and_the_station_are_shown(remote, api, media):
    radio = Radio(media.path("long.mp3").read_bytes(), 24000)
    radio.titles = [(0, "Somebody - A song")]
    api.load(f"{radio.url}/live")
    api.play()
    expect(remote.title).to_have_text("Somebody - A song", timeout=20_000)
    expect(remote.page.locator(".track-artist")).to_have_text("Test FM")
    radio.titles.append((radio.edge(), "Somebody - Another song"))
    expect(remote.title).to_have_text("Somebody - Another song", timeout=30_000)
