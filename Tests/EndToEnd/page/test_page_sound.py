# SPDX-License-Identifier: Apache-2.0
"""The sound as it is shaped on the page: equaliser, effects, speed, levels; and the alarms."""

import cmath
import datetime
import json
import math
import re

import pytest
from playwright.sync_api import expect
from test_page_loading import LOW_CONTRAST, NAMELESS

from rig import eventually


def open_section(remote, name: str):
    page = remote.page
    if not page.get_by_role("dialog", name="Sound and timers", exact=True).is_visible():
        page.get_by_role("button", name="Sound and timers").click()
    section = page.get_by_role("dialog", name="Sound and timers", exact=True).locator("details").filter(has=page.locator("summary", has_text=name)).first
    section.locator("summary").first.click()
    return section


def reached(page, holds, what: str) -> None:
    """Waits for what the browser sends: its messages come only while something is asked of it."""
    eventually(lambda: page.evaluate("0") == 0 and holds(), what)


def soon() -> str:
    """A time of day in UTC for an alarm: late enough for a busy machine to set it before."""
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=5)).strftime("%H:%M:%S")


def effects(api) -> dict:
    return api.call("GET", "/effects")


def test_bands_areAdded_setAndRemoved_andTheCurveFollows(remote, api):
    panel = open_section(remote, "Equaliser")
    curve = panel.get_by_role("img")
    expect(curve).to_have_attribute("aria-label", "Flat curve at 0 dB")
    panel.get_by_role("button", name="Add band").click()
    gain = panel.get_by_role("slider", name="Gain at 1 kHz")
    expect(gain).to_have_value("0")
    gain.fill("6")
    eventually(lambda: [band["gain"] for band in effects(api)["equalizer"]["bands"]] == [6], "set")
    assert effects(api)["enabled"] and effects(api)["equalizer"]["enabled"], "it is heard"
    expect(curve).to_have_attribute("aria-label", re.compile(r"to \+6 dB at 1 kHz$"))
    for unit in ("Hz", "Q"):
        expect(panel.locator(".equalizer-bands").get_by_text(unit, exact=True)).to_be_visible()
    frequency = panel.get_by_role("spinbutton", name="Frequency of band 1")
    frequency.fill("100")
    frequency.press("Tab")
    panel.get_by_label("Type of band 1").select_option("Low shelf")
    eventually(lambda: effects(api)["equalizer"]["bands"] == [{"type": "lowshelf", "frequency": 100, "gain": 6, "q": 1}], "changed")
    panel.get_by_role("slider", name="Preamp").fill("-6")
    eventually(lambda: effects(api)["equalizer"]["preamp"] == -6, "lowered")
    # Another client.
    api.call("PATCH", "/effects", json={"equalizer": {"bands": [{"type": "peak", "frequency": 2000, "gain": -3, "q": 2}]}})
    expect(panel.get_by_role("slider", name="Gain at 2 kHz")).to_have_value("-3")
    panel.get_by_role("button", name="Remove band 1").click()
    eventually(lambda: effects(api)["equalizer"]["bands"] == [], "removed")
    panel.get_by_role("button", name="Ten bands").click()
    expect(panel.get_by_role("slider", name="Gain at")).to_have_count(10)
    assert effects(api)["equalizer"]["preamp"] == 0, "another curve"
    panel.get_by_label("Equaliser", exact=True).uncheck()
    eventually(lambda: not effects(api)["equalizer"]["enabled"], "off")


def test_aBand_keepsItsValue_whileEventsComeLate(remote, api):
    """Its own older events are not shown after a newer answer: the next step begins at the last one."""
    api.call("PATCH", "/effects", json={"equalizer": {"enabled": True, "bands": [{"type": "peak", "frequency": 1000, "gain": 0, "q": 1}]}})
    page, held = remote.page, None

    def deliver(events, text: str) -> None:
        events.send(text) if held is None else held.append(text)

    events = remote.intercept(from_server=deliver)
    gain = open_section(remote, "Equaliser").get_by_role("slider", name="Gain at 1 kHz")
    gain.focus()
    held = []
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        reached(page, lambda: effects(api)["equalizer"]["bands"][0]["gain"] == 0.5 or len(held) > 1, "the server has it")
    reached(page, lambda: any('"effects"' in text for text in held), "the first event")
    end = 1 + next(index for index, text in enumerate(held) if '"effects"' in text)
    for text in held[:end]:
        events.send(text)
    page.keyboard.press("ArrowRight")
    late, held = held[end:], None
    for text in late:
        events.send(text)
    reached(page, lambda: effects(api)["equalizer"]["bands"][0]["gain"] == 1.5, "three steps")
    expect(gain).to_have_value("1.5")


def test_q_isShownWithTwoDecimals_andKeptWhole(remote, api):
    panel = open_section(remote, "Equaliser")
    panel.get_by_role("button", name="Ten bands").click()
    q = panel.get_by_role("spinbutton", name="Q of band 1", exact=True)
    expect(q).to_have_value("1.41")
    panel.get_by_role("slider", name="Gain at 31 Hz").fill("3")
    eventually(lambda: effects(api)["equalizer"]["bands"][:1] == [{"type": "peak", "frequency": 31.25, "gain": 3, "q": 1.414}], "unchanged")


def test_ownCurve_isNoPreset(remote, api):
    """It stands in the list while a chosen preset is on its way."""
    sent = []

    def keep(events, text: str) -> None:
        sent.append(text)
        events.send_to_server(text)

    remote.intercept(from_page=keep)
    panel = open_section(remote, "Equaliser")
    panel.get_by_role("button", name="Add band").click()
    presets = panel.get_by_role("combobox", name="Preset")
    expect(presets).to_have_value("")
    presets.evaluate("(list) => list.dispatchEvent(new Event('change', {bubbles: true}))")
    panel.get_by_role("slider", name="Preamp").fill("-6")
    reached(remote.page, lambda: effects(api)["equalizer"]["preamp"] == -6, "later than the preset would be")
    assert any('"preamp":-6' in text for text in sent) and not any('"preset":""' in text for text in sent), sent


def test_presets_areChosen_savedImportedAndDeleted(remote, api):
    panel = open_section(remote, "Equaliser")
    presets = panel.get_by_role("combobox", name="Preset")
    presets.select_option("bass (built in)")
    eventually(lambda: effects(api)["equalizer"]["preset"] == "bass", "chosen")
    expect(panel.get_by_role("slider", name="Gain at 90 Hz")).to_have_value("6")
    expect(panel.get_by_role("button", name="Delete the preset")).to_be_disabled()
    panel.get_by_role("slider", name="Gain at 90 Hz").fill("3")
    expect(presets).to_have_value("")
    panel.get_by_label("Name of the preset").fill("Evening")
    panel.get_by_role("button", name="Save preset").click()
    expect(presets).to_have_value("Evening")
    panel.get_by_text("Import a text").click()
    panel.get_by_label("Name of the preset").fill("Phones")
    # A text that is no preset is refused and stays.
    remote.tolerate("status of 4")
    panel.get_by_label("Text of the preset").fill("Dear Sir or Madam")
    panel.get_by_role("button", name="Import", exact=True).click()
    expect(remote.page.locator(".toast")).to_have_attribute("data-tone", "error")
    expect(panel.get_by_label("Text of the preset")).to_have_value("Dear Sir or Madam")
    panel.get_by_label("Text of the preset").fill("Preamp: -4 dB\nFilter 1: ON PK Fc 100 Hz Gain 3 dB Q 1.41")
    panel.get_by_role("button", name="Import", exact=True).click()
    expect(presets).to_have_value("Phones")
    assert effects(api)["equalizer"]["preamp"] == -4
    panel.get_by_role("button", name="Delete the preset").click()
    remote.page.get_by_role("dialog", name="Delete Phones?").get_by_role("button", name="Delete").click()
    eventually(lambda: [preset["name"] for preset in api.call("GET", "/effects/presets")["presets"] if not preset["shipped"]] == ["Evening"], "deleted")
    expect(presets.locator("option", has_text="Phones")).to_have_count(0)


def test_effects_areSetAndShown(remote, api):
    panel = open_section(remote, "Effects")
    master = panel.get_by_label("Effects (off")
    expect(master).not_to_be_checked()
    panel.get_by_label("Equal loudness").check()
    eventually(lambda: effects(api)["loudness"]["mode"] == "auto" and effects(api)["enabled"], "loudness")
    expect(master).to_be_checked()
    panel.get_by_label("Compressor").select_option("night")
    panel.get_by_label("Limiter", exact=True).check()
    panel.get_by_role("slider", name="Limiter’s ceiling").fill("-3")
    panel.get_by_label("Crossfeed for").check()
    panel.get_by_role("slider", name="Separation").fill("6")
    panel.get_by_role("slider", name="Stereo width").fill("150")
    panel.get_by_label("Mono").check()
    eventually(lambda: effects(api)["mono"], "all are sent")
    found = effects(api)
    assert found["compressor"] == {"enabled": True, "preset": "night"}
    assert found["limiter"] == {"enabled": True, "ceiling": -3}
    assert found["crossfeed"] == {"enabled": True, "level": 6}
    assert found["width"] == 1.5
    expect(panel.get_by_role("slider", name="Stereo width")).to_be_disabled()
    panel.get_by_label("Compressor").select_option("")
    master.uncheck()
    eventually(lambda: not effects(api)["enabled"] and not effects(api)["compressor"]["enabled"], "off")
    # Another client.
    api.call("PATCH", "/effects", json={"mono": False, "width": 0.5})
    expect(panel.get_by_role("slider", name="Stereo width")).to_have_value("50")
    expect(panel.get_by_label("Mono")).not_to_be_checked()


def test_theEqualiser_namesTheEffectsThatSoundWithIt(remote, api):
    api.call("PATCH", "/effects", json={"enabled": True, "delay": 40, "reverb": {"enabled": True}})
    panel = open_section(remote, "Equaliser")
    switch, others = panel.get_by_label("Equaliser", exact=True), panel.get_by_role("status")
    expect(others).to_contain_text("Also on: delay, reverb.")
    switch.check()
    eventually(lambda: effects(api)["equalizer"]["enabled"], "on")
    switch.uncheck()
    eventually(lambda: not effects(api)["equalizer"]["enabled"], "off")
    assert effects(api)["enabled"], "the others sound on"
    expect(others).to_contain_text("Also on: delay, reverb.")
    section = open_section(remote, "Effects")
    section.get_by_label("Reverb").uncheck()
    section.get_by_role("slider", name="Delay").fill("0")
    expect(others).to_be_hidden()
    found = effects(api)
    assert (found["delay"], found["reverb"]["enabled"]) == (0, False)
    switch.check()
    eventually(lambda: effects(api)["equalizer"]["enabled"], "on")
    switch.uncheck()
    eventually(lambda: not effects(api)["enabled"], "the last effect")


def test_anEffect_switchedOnWhileAllAreOff_changesNoOther(remote, api):
    """The controls show what is set, also while all effects are off."""
    api.call("PATCH", "/effects", json={
        "width": 0.5, "delay": 40, "loudness": {"mode": "album"}, "crossfeed": {"enabled": True}, "reverb": {"enabled": True}})
    stored = effects(api)
    section, panel = open_section(remote, "Effects"), open_section(remote, "Equaliser")
    switch, note = section.get_by_label("Effects (off"), panel.get_by_role("status")
    expect(switch).not_to_be_checked()
    for name in ("Equal loudness", "Crossfeed for", "Reverb"):
        expect(section.get_by_label(name)).to_be_checked()
    for name, value in (("Stereo width", "50"), ("Delay", "40")):
        expect(section.get_by_role("slider", name=name)).to_have_value(value)
    others = "equal loudness, crossfeed, stereo width, delay, reverb"
    expect(note).to_have_text(f"All effects are off. A change of the equaliser also switches on: {others}.")
    # Neither does one that is moved to where it does nothing.
    section.get_by_role("slider", name="Stereo width").fill("100")
    eventually(lambda: effects(api) == stored | {"width": 1}, "the width")
    api.call("PATCH", "/effects", json={"width": 0.5, "enabled": False})
    expect(section.get_by_role("slider", name="Stereo width")).to_have_value("50")
    section.get_by_label("Limiter", exact=True).check()
    expect(switch).to_be_checked()
    assert effects(api) == stored | {"enabled": True, "limiter": stored["limiter"] | {"enabled": True}}
    switch.uncheck()
    eventually(lambda: not effects(api)["enabled"], "off")
    expect(section.get_by_label("Limiter", exact=True)).to_be_checked()
    panel.get_by_role("combobox", name="Preset").select_option("bass (built in)")
    expect(switch).to_be_checked()
    expect(note).to_contain_text("Also on: equal loudness, limiter, crossfeed, stereo width, delay, reverb.")
    found = effects(api)
    assert found["equalizer"]["preset"] == "bass"
    assert all(found[name] == stored[name] for name in ("width", "delay", "loudness", "crossfeed", "reverb"))


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desktop", "phone"])
def test_aRefusal_isShownAboveTheDialog(open_remote, api, size, screenshots):
    api.call("POST", "/timers", json={"type": "alarm", "time": "07:00"})
    remote = open_remote(viewport={"width": size[0], "height": size[1]})
    remote.tolerate("status of 4")
    section = open_section(remote, "Alarms")
    section.get_by_role("button", name="Add alarm").click()
    section.get_by_label("Plays").select_option("An address or file")
    section.get_by_role("textbox", name="Address or file").fill("missing.mp3")
    section.get_by_role("button", name="Save alarm").click()
    expect(remote.toast).to_have_attribute("data-tone", "error")
    expect(remote.toast).to_be_in_viewport(ratio=1)
    if screenshots:
        remote.page.screenshot(path=screenshots / f"refusal-{size[0]}.png")
    # Over another dialog, and as each of them closes.
    section.get_by_role("button", name="Delete the alarm at 07:00").click()
    remote.toast.locator(".toast-text").click(trial=True)
    remote.page.keyboard.press("Escape")
    remote.toast.locator(".toast-text").click(trial=True)
    remote.page.keyboard.press("Escape")
    expect(remote.page.get_by_role("dialog")).to_have_count(0)
    remote.toast.get_by_role("button", name="Dismiss").click()
    expect(remote.page.locator(".toast")).to_have_count(0)


def test_aRefusal_goesWithALaterSuccess(remote):
    remote.tolerate("status of 4")
    section = open_section(remote, "Alarms")
    section.get_by_role("button", name="Add alarm").click()
    section.get_by_label("Plays").select_option("An address or file")
    music = section.get_by_role("textbox", name="Address or file")
    music.fill("missing.mp3")
    section.get_by_role("button", name="Save alarm").click()
    expect(remote.toast).to_have_attribute("data-tone", "error")
    # Under the pointer it does not expire.
    remote.toast.hover()
    music.fill("low.mp3")
    music.press("Enter")
    expect(section.get_by_role("checkbox", name="Alarm at 07:00")).to_be_checked()
    expect(remote.page.locator(".toast")).to_have_count(0)


def contract(**ranges: tuple[float, float]) -> str:
    """A part of openapi.yaml."""
    return "    PlayerSettings:\n      type: object\n      properties:\n" + "".join(
        f"        {name}: {{type: number, minimum: {least}, maximum: {most}, default: 0}}\n" for name, (least, most) in ranges.items()) + "    Other:\n      type: object\n"


def test_speedAndCrossfade_areShownAsFarAsTheServerAcceptsThem(open_remote, server):
    sent: list[dict] = []
    remote = open_remote()
    page = remote.page

    def keep(route) -> None:
        if route.request.method != "PATCH":
            return route.continue_()
        sent.append(json.loads(route.request.post_data))
        return route.fulfill(json={})

    page.route("**/openapi.yaml", lambda route: route.fulfill(body=contract(crossfade=(0, 12), playbackRate=(0.5, 2), pitch=(0, 0))))
    page.route("**/api/v1/player", keep)
    section = open_section(remote, "Crossfade and speed")
    speed = section.get_by_role("slider", name="Speed")
    expect(speed).to_have_attribute("max", "2")
    expect(section.get_by_role("slider", name="Pitch")).to_have_count(0)
    speed.fill("1.5")
    expect(section.get_by_text("1.5 ×").or_(section.get_by_text("1 ×"))).to_be_visible()
    section.get_by_role("slider", name="Crossfade").fill("8")
    reached(page, lambda: sent == [{"playbackRate": 1.5}, {"crossfade": 8}], "sent")


def test_settingRanges_areThoseOfTheContract(remote, api):
    ranges = remote.page.evaluate("""async () => {
        const { settingRanges } = await import("/lib/setting-ranges.js");
        return settingRanges(await (await fetch("/openapi.yaml")).text());
    }""")
    assert {"volume", "crossfade", "playbackRate", "pitch", "shuffle"} <= set(ranges)
    for name in ("crossfade", "playbackRate", "pitch"):
        assert float(ranges[name]["min"]) <= api.player()[name] <= float(ranges[name]["max"])


def test_levels_areWatchedOnlyWhileTheyAreShown(open_remote):
    remote = open_remote(wait=False)
    page = remote.page
    subscribed: list[list[str]] = []

    def from_page(events, text: str) -> None:
        frame = json.loads(text)
        if frame["type"] != "subscribe":
            return events.send_to_server(text)
        subscribed.append(frame["events"])
        return events.send(json.dumps({"type": "reply", "id": frame["id"], "status": 200, "result": {}}))

    events = remote.intercept(from_page=from_page)
    section = open_section(remote, "Levels")
    reached(page, lambda: subscribed and subscribed[-1][-1] == "levels", "watched")
    assert "status" in subscribed[-1], "beside the others"
    events.send(json.dumps({"type": "levels", "at": 0, "version": 1, "player": "main", "data": {
        "position": 1, "channels": [{"average": -12, "peak": -6, "truePeak": -5.8}] * 2, "loudness": -14.25}}))
    meter = section.get_by_role("meter", name="Level")
    expect(meter).to_have_attribute("aria-valuetext", "-6 dB")
    expect(section.get_by_text("Loudness: -14.3 LUFS").or_(section.get_by_text("Loudness: -14.2 LUFS"))).to_be_visible()
    page.keyboard.press("Escape")
    reached(page, lambda: "levels" not in subscribed[-1], "no longer")
    page.get_by_role("button", name="Sound and timers").click()
    reached(page, lambda: "levels" in subscribed[-1], "again")
    section.locator("summary").click()
    reached(page, lambda: "levels" not in subscribed[-1], "it is closed")


def test_alarms_areAdded_changedAndDeleted(remote, api):
    section = open_section(remote, "Alarms")

    def alarms() -> list[dict]:
        return [timer for timer in api.call("GET", "/timers")["timers"] if timer["type"] == "alarm"]

    section.get_by_role("button", name="Add alarm").click()
    section.get_by_label("Time").fill("06:45")
    section.get_by_label("Mon").check()
    section.get_by_label("Fri").check()
    section.get_by_role("slider", name="Volume").fill("25")
    section.get_by_label("Reaches this volume").select_option("In 2 minutes")
    section.get_by_role("button", name="Save alarm").click()
    switch = section.get_by_role("checkbox", name="Alarm at 06:45")
    expect(switch).to_be_checked()
    expect(section.get_by_text("Mon, Fri · next:")).to_be_visible()
    expect(section.locator(".alarm-plays")).to_have_text("The queue, 25 %")
    alarm = alarms()[0]
    assert (alarm["time"][:5], alarm["days"], alarm["level"], alarm["ramp"], alarm["enabled"]) == ("06:45", ["mon", "fri"], 0.25, 120, True)
    switch.uncheck()
    eventually(lambda: alarms()[0]["enabled"] is False, "off")
    section.get_by_role("button", name="Edit the alarm at 06:45").click()
    expect(section.get_by_label("Mon")).to_be_checked()
    section.get_by_label("Time").fill("07:15")
    section.get_by_role("button", name="Save alarm").click()
    expect(section.get_by_role("checkbox", name="Alarm at 07:15")).to_be_checked()
    # The form shows no seconds; it leaves them as they are.
    api.call("PATCH", f"/timers/{alarm['id']}", json={"time": "07:15:30", "enabled": True})
    eventually(lambda: alarms()[0]["time"] == "07:15:30", "with seconds")
    section.get_by_role("button", name="Edit the alarm at 07:15").click()
    section.get_by_role("slider", name="Volume").fill("30")
    section.get_by_role("button", name="Save alarm").click()
    eventually(lambda: alarms()[0]["level"] == 0.3, "louder")
    assert alarms()[0]["time"] == "07:15:30"
    section.get_by_role("button", name="Delete the alarm at 07:15").click()
    remote.page.get_by_role("dialog", name="Delete the alarm").get_by_role("button", name="Delete").click()
    eventually(lambda: alarms() == [], "deleted")
    expect(switch).to_have_count(0)


@pytest.mark.parametrize("level, shown", [(0.02, "2"), (0.573, "57")])
def test_anAlarm_keepsItsVolume_whenOnlyItsTimeIsEdited(remote, api, level, shown):
    api.call("POST", "/timers", json={"type": "alarm", "time": "03:33", "level": level})
    section = open_section(remote, "Alarms")
    section.get_by_role("button", name="Edit the alarm at 03:33").click()
    expect(section.get_by_role("slider", name="Volume")).to_have_value(shown)
    section.get_by_label("Time").fill("03:34")
    section.get_by_role("button", name="Save alarm").click()
    expect(section.get_by_role("checkbox", name="Alarm at 03:34")).to_be_checked()
    assert api.call("GET", "/timers")["timers"][0]["level"] == level


def test_theTimeZoneOfAnAlarm_isShown_whereItIsNotTheBrowsers(open_remote, api):
    for time, zone in (("05:55", "Asia/Tokyo"), ("06:55", "Europe/Berlin")):
        api.call("POST", "/timers", json={"type": "alarm", "time": time, "timeZone": zone})
    section = open_section(open_remote(timezone_id="Europe/Berlin"), "Alarms")
    about = [re.compile("^Once · Asia/Tokyo · next: "), re.compile("^Once · next: ")]
    expect(section.locator(".alarm-about")).to_have_text(about)
    section.get_by_role("button", name="Edit the alarm at 05:55").click()
    expect(section.get_by_label("Time in Asia/Tokyo")).to_have_value("05:55")
    section.get_by_role("button", name="Edit the alarm at 06:55").click()
    expect(section.get_by_label("Time", exact=True)).to_have_value("06:55")


def test_anAlarm_playsWhatWasChosen(remote, api):
    playlist = api.call("POST", "/playlists", json={"name": "Evening <1>", "items": [{"uri": "long.mp3"}]})["id"]
    section = open_section(remote, "Alarms")

    def items() -> list[dict]:
        return api.call("GET", "/timers")["timers"][0]["items"]

    def edit() -> None:
        section.get_by_role("button", name=re.compile("^Edit the alarm")).click()

    def save(*wanted: dict) -> None:
        section.get_by_role("button", name="Save alarm").click()
        expect(section.get_by_label("Plays")).to_be_hidden()
        assert items() == list(wanted)

    music = section.get_by_label("Plays")
    section.get_by_role("button", name="Add alarm").click()
    expect(section.get_by_role("textbox", name="Address or file")).to_be_hidden()
    music.select_option("Evening <1>")
    save({"playlist": playlist})
    edit()
    expect(music.locator("option:checked")).to_have_text("Evening <1>")
    remote.page.reload()
    remote.wait_connected()
    section = open_section(remote, "Alarms")
    music = section.get_by_label("Plays")
    shown = section.locator(".alarm-plays")
    expect(shown).to_have_text("Evening <1>, 40 %")
    edit()
    music.select_option("An address or file")
    section.get_by_role("textbox", name="Address or file").fill("short-0.mp3")
    save({"uri": "short-0.mp3"})
    expect(shown).to_have_text("short-0, 40 %")
    edit()
    expect(section.get_by_role("textbox", name="Address or file")).to_have_value("short-0.mp3")
    music.select_option("The queue")
    save()
    # Items that only the command line can set stay.
    several = [{"uri": "long.mp3"}, {"folder": ""}]
    api.call("PATCH", f"/timers/{api.call('GET', '/timers')['timers'][0]['id']}", json={"items": several, "time": "05:55"})
    expect(section.get_by_role("checkbox", name="Alarm at 05:55")).to_be_visible()
    edit()
    expect(music.locator("option:checked")).to_have_text("As it is set now")
    save(*several)
    expect(shown).to_have_text("2 items, 40 %")


def test_anAlarm_playsTheFolderThatIsOpen(remote, api):
    folders = remote.page.locator("music-browser")
    folders.get_by_role("button", name="A Folder", exact=True).click()
    expect(folders.locator(".breadcrumb [aria-current]")).to_have_text("A Folder")
    section = open_section(remote, "Alarms")
    section.get_by_role("button", name="Add alarm").click()
    section.get_by_label("Plays").select_option("A Folder (open in Folders)")
    section.get_by_role("button", name="Save alarm").click()
    expect(section.locator(".alarm-plays")).to_have_text("A Folder, 40 %")
    assert api.call("GET", "/timers")["timers"][0]["items"] == [{"uri": "A Folder"}]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (740, 360)], ids=["desktop", "phone", "landscape"])
def test_aRingingAlarm_isSnoozedAndEnded_besideTheMusic(open_remote, api, size, screenshots):
    remote = open_remote(viewport={"width": size[0], "height": size[1]})
    note = remote.page.locator(".player").get_by_role("alert")
    expect(note).to_be_hidden()
    alarm = {"type": "alarm", "time": soon(), "timeZone": "UTC", "ramp": 0, "days": [], "items": [{"uri": "long.mp3"}]}
    timer = f"/timers/{api.call('POST', '/timers', json=alarm)['id']}"

    def state() -> str:
        return api.call("GET", "/timers")["timers"][0]["state"]

    def press(name: str) -> None:
        button = note.get_by_role("button", name=name)
        expect(button).to_be_in_viewport(ratio=0.9)
        assert remote.page.evaluate(LOW_CONTRAST) == []
        assert remote.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        button.click()

    expect(note).to_contain_text("An alarm rings.", timeout=20_000)
    expect(remote.page.locator(".alarm-about")).to_have_text("Once · rings now")
    if screenshots:
        remote.page.screenshot(path=screenshots / f"alarm-{size[0]}.png")
    press("Snooze")
    snoozed = eventually(lambda: api.call("GET", "/timers")["timers"][0]["next"], "the alarm is snoozed")
    until = datetime.datetime.fromtimestamp(snoozed / 1000)
    expect(note).to_contain_text(f"Alarm snoozed until {until:%H:%M}.")
    press("Cancel")
    expect(note).to_be_hidden()
    assert state() == "waiting" and api.call("GET", "/timers")["timers"][0]["next"] is None
    api.call("PATCH", timer, json={"time": soon(), "enabled": True})
    expect(note).to_contain_text("An alarm rings.", timeout=20_000)
    press("Stop")
    api.wait_status("paused")
    expect(note).to_be_hidden()
    assert state() == "waiting"


def test_aSnoozedAlarm_staysSnoozed_whenItsVolumeIsEdited(remote, api):
    """An alarm without days is off as soon as it rings."""
    alarm = {"type": "alarm", "time": soon(), "timeZone": "UTC", "ramp": 0, "days": [], "items": [{"uri": "long.mp3"}]}
    timer = f"/timers/{api.call('POST', '/timers', json=alarm)['id']}"

    def shown() -> dict:
        return api.call("GET", "/timers")["timers"][0]

    eventually(lambda: shown()["state"] == "ringing", "it rings")
    snoozed = api.call("POST", f"{timer}/snooze", json={"seconds": 600})
    section = open_section(remote, "Alarms")
    expect(section.locator(".alarm-about")).to_contain_text("snoozed until")
    section.get_by_role("button", name=re.compile("^Edit the alarm")).click()
    section.get_by_role("slider", name="Volume").fill("30")
    section.get_by_role("button", name="Save alarm").click()
    eventually(lambda: shown()["level"] == 0.3, "quieter")
    assert shown()["state"] == "snoozed" and shown()["next"] == snoozed["next"]


def test_theSleepTimer_isBesideTheStatus(remote, api):
    api.load("long.mp3", play=True)
    expect(remote.status).to_have_text("Playing")
    timer = api.call("POST", "/timers", json={"type": "sleep", "after": 1800})
    expect(remote.status).to_have_text(f"Playing · sleep at {datetime.datetime.fromtimestamp(timer['next'] / 1000):%H:%M}")
    api.call("POST", "/timers", json={"type": "sleep", "until": "end-of-item"})
    expect(remote.status).to_have_text("Playing · sleep after this track")
    api.call("DELETE", f"/timers/{api.call('GET', '/timers')['timers'][0]['id']}")
    expect(remote.status).to_have_text("Playing")


def test_theButtonOfTheTimers_isNamedForThem_andShowsWhatIsSet(remote, api):
    button = remote.page.locator("[data-action=sound]")
    expect(button).to_have_accessible_name("Sound and timers")
    days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    for timer in ({"type": "sleep", "until": "end-of-item"}, {"type": "alarm", "time": "09:00", "days": days}, {"type": "alarm", "time": "07:00", "enabled": False}):
        api.call("POST", "/timers", json=timer)
    expect(button).to_have_accessible_name(re.compile("^Sound and timers: sleep after this track, alarm .*09:00$"))
    expect(button).to_have_class(re.compile(r"\bon\b"))
    button.click()
    summary = remote.page.locator("summary", has_text="Alarms")
    expect(summary).to_have_text(re.compile("^Alarms · next: .*09:00$"))
    for timer in api.call("GET", "/timers")["timers"]:
        api.call("DELETE", f"/timers/{timer['id']}")
    expect(summary).to_have_text("Alarms")
    expect(button).not_to_have_class(re.compile(r"\bon\b"))


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 360)])
def test_theSound_hasNamesAndContrast_andFits(open_remote, api, scheme, width, screenshots):
    api.call("PATCH", "/effects", json={"enabled": True, "equalizer": {"enabled": True, "preset": "speech"}})
    api.call("POST", "/timers", json={"type": "alarm", "time": "07:00", "days": ["mon", "tue", "wed", "thu"]})
    remote = open_remote(color_scheme=scheme, viewport={"width": width, "height": 780})
    page = remote.page
    page.route("**/openapi.yaml", lambda route: route.fulfill(body=contract(crossfade=(0, 20), playbackRate=(0.25, 4), pitch=(-1200, 1200), preservePitch=(0, 1))))
    for name in ("Equaliser", "Effects", "Crossfade and speed", "Alarms"):
        section = open_section(remote, name)
        if screenshots:
            page.screenshot(path=screenshots / f"sound-{name}-{width}-{scheme}.png")
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate(LOW_CONTRAST) == []
        wide = page.evaluate("""() => { const dialog = document.querySelector("session-dialog dialog");
            return [document.documentElement.scrollWidth, dialog.scrollWidth - dialog.clientWidth]; }""")
        assert wide[0] <= width and wide[1] <= 0, name
        if name != "Alarms":
            section.locator("summary").first.click()
    page.get_by_role("button", name="Add alarm").click()
    assert page.evaluate(NAMELESS) == []


def response(band: dict, frequency: float, rate: float) -> float:
    """Gain in dB by Robert Bristow-Johnson's cookbook, as it is written there."""
    w, a = 2 * math.pi * band["frequency"] / rate, 10 ** (band["gain"] / 40)
    cosine, alpha, root = math.cos(w), math.sin(w) / (2 * band["q"]), math.sqrt(a)
    up, down = a + 1, a - 1
    b, c = {
        "peak": ([1 + alpha * a, -2 * cosine, 1 - alpha * a], [1 + alpha / a, -2 * cosine, 1 - alpha / a]),
        "lowshelf": ([a * (up - down * cosine + 2 * root * alpha), 2 * a * (down - up * cosine), a * (up - down * cosine - 2 * root * alpha)],
                     [up + down * cosine + 2 * root * alpha, -2 * (down + up * cosine), up + down * cosine - 2 * root * alpha]),
        "highshelf": ([a * (up + down * cosine + 2 * root * alpha), -2 * a * (down + up * cosine), a * (up + down * cosine - 2 * root * alpha)],
                      [up - down * cosine + 2 * root * alpha, 2 * (down - up * cosine), up - down * cosine - 2 * root * alpha]),
        "lowpass": ([(1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2], [1 + alpha, -2 * cosine, 1 - alpha]),
        "highpass": ([(1 + cosine) / 2, -(1 + cosine), (1 + cosine) / 2], [1 + alpha, -2 * cosine, 1 - alpha]),
        "notch": ([1, -2 * cosine, 1], [1 + alpha, -2 * cosine, 1 - alpha]),
    }[band["type"]]
    z = cmath.exp(-2j * math.pi * frequency / rate)
    return 20 * math.log10(abs((b[0] + b[1] * z + b[2] * z * z) / (c[0] + c[1] * z + c[2] * z * z)) + 1e-10)


def test_theCurve_isThatOfTheFilters(remote):
    bands = [{"type": kind, "frequency": frequency, "gain": gain, "q": q} for kind, frequency, gain, q in (
        ("peak", 1000, 6, 1.4), ("lowshelf", 90, -9, 0.7), ("highshelf", 6000, 12, 0.5), ("lowpass", 12_000, 0, 0.7), ("highpass", 40, 0, 1), ("notch", 500, 0, 8))]
    frequencies = [20, 55, 90, 480, 1000, 3000, 9000, 15_000, 20_000]
    found = remote.page.evaluate("""async ([bands, frequencies]) => {
        const { responseAt } = await import("/lib/biquad.js");
        return [...bands.map((band) => [band]), bands].map((some) => frequencies.map((frequency) => responseAt(frequency, some, 48000)));
    }""", [bands, frequencies])
    single = [[response(band, frequency, 48_000) for frequency in frequencies] for band in bands]
    expected = [*single, [sum(column) for column in zip(*single, strict=True)]]
    for name, these, those in zip([*(band["type"] for band in bands), "all"], found, expected, strict=True):
        assert these == pytest.approx(those, abs=0.01), name


def test_patches_ofADraggedControl_areMerged(remote):
    assert remote.page.evaluate("""async () => {
        const { mergePatches } = await import("/state/commands.js");
        return [[{ limiter: { enabled: true } }, { limiter: { ceiling: -3 }, mono: true }], [{ equalizer: { bands: [1, 2] } }, { equalizer: { bands: [3] } }],
                [{ levelBy: 0.05 }, { levelBy: 0.05 }], [{ levelBy: 0.05 }, { level: 0.5 }], [{ level: 0.5 }, { levelBy: 0.25 }], [{ level: 0.5, muted: false }, { level: 0.6 }]]
            .map(([waiting, newer]) => mergePatches(waiting, newer));
    }""") == [{"limiter": {"enabled": True, "ceiling": -3}, "mono": True}, {"equalizer": {"bands": [3]}}, {"levelBy": 0.1}, {"level": 0.5}, {"level": 0.75},
              {"level": 0.6, "muted": False}]
