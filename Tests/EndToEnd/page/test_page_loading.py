# SPDX-License-Identifier: Apache-2.0
"""The page as a whole: policy, names, narrow screens, untrusted text."""

import re

import pytest
from playwright.sync_api import expect

from rig import during

NAMELESS = """() => [...document.querySelectorAll("button, input, select, a[href], [role=slider], img")]
  .filter((element) => element.checkVisibility())
  .filter((element) => element.tagName === "IMG" ? !element.hasAttribute("alt")
    : !(element.getAttribute("aria-label") || element.labels?.[0]?.textContent || element.textContent).trim())
  .map((element) => element.outerHTML)"""

# Contrast of text against the nearest opaque background, WCAG 2.2 section 1.4.3; ambient pictures are left out.
LOW_CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const luminance = ([red, green, blue]) => [red, green, blue].map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest(":disabled, [hidden], .visually-hidden")) continue;
    const style = getComputedStyle(element);
    const [one, two] = [luminance(parse(style.color)), luminance(background(element))];
    const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${element.className} ${element.textContent.slice(0, 30)}`);
  }
  return found;
}"""


@pytest.fixture
def playing_picture(api):
    api.load("tagged.mp3", "long.mp3")
    api.settings(repeat="one")
    api.play(index=0)


def test_page_loadsWithoutErrors_whenOpened(remote):
    expect(remote.page).to_have_title("Tonearm")
    expect(remote.page.get_by_role("heading", name="The queue is empty")).to_be_visible()
    expect(remote.status).to_have_text("Nothing chosen yet")


def test_nothingCanBePressed_beforeTheServerSpoke(open_remote):
    remote = open_remote(wait=False)
    remote.tolerate("Failed to load resource|WebSocket connection|ERR_FAILED")
    remote.page.route_web_socket("**/api/v1/events**", lambda socket: None)
    remote.page.reload()
    for name in ("Play", "Next", "Shuffle", "Mute"):
        expect(remote.button(name)).to_be_disabled()


def test_everyFileOfThePage_comesFromTheServer(open_remote, server):
    remote = open_remote(wait=False)
    requests: list[str] = []
    remote.page.on("request", lambda request: requests.append(request.url))
    remote.page.reload()
    remote.wait_connected()
    assert requests
    assert not [url for url in requests if not re.match(re.escape(server.url) + "|blob:|data:", url)]


# The colours are the scheme's and the places the size's, each by itself.
@pytest.mark.parametrize("scheme, size", [("light", (1280, 800)), ("dark", (390, 844))], ids=["desktop", "phone"])
def test_everyControlHasANameAndEnoughContrast(open_remote, api, scheme, size, screenshots):
    api.load("tagged.mp3", "long.mp3", "A Folder/子/deep.mp3", index=1)
    api.play(index=1)
    remote = open_remote(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
    expect(remote.title).to_have_text("long")
    for tab in ["Now", "Queue", "Music"] if size[0] < 1040 else [None]:
        if tab:
            remote.tab(tab)
        assert remote.page.evaluate(NAMELESS) == []
        assert remote.page.evaluate(LOW_CONTRAST) == []
        if screenshots:
            remote.page.screenshot(path=screenshots / f"{size[0]}-{scheme}-{tab or 'all'}.png")


@pytest.mark.parametrize("scheme, width", [("dark", 1280), ("light", 320)])
def test_everyView_hasNamesAndContrast_andFits(start_server, open_remote, directory, scheme, width):
    """With all there can be: five views of the music, the dialogs, a message."""
    server = start_server(arguments=("--recordings", str(directory / "recordings"), "--cache", "on"))
    remote = open_remote(url=server.url, color_scheme=scheme, viewport={"width": width, "height": 800})
    page = remote.page
    if width < 1040:
        remote.tab("Music")

    def look() -> None:
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate(LOW_CONTRAST) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    for name in ("Folders", "Library", "Playlists", "Web", "Recordings"):
        page.get_by_role("tab", name=name).click()
        panel = page.get_by_role("tabpanel")
        expect(panel).to_have_accessible_name(name)
        expect(panel.get_by_text("Loading…")).to_be_hidden()
        look()
        expect(page.get_by_role("tab", name=name)).to_be_in_viewport(ratio=0.9)
    for press in (lambda: page.get_by_role("button", name="Sound and timers").click(), lambda: page.keyboard.press("?"),
                  lambda: page.evaluate("""() => { dispatchEvent(new CustomEvent("confirm",
                      { detail: { title: "Sure?", text: "It is gone then.", action: "Remove" } })); }"""),
                  lambda: page.evaluate("""() => dispatchEvent(new CustomEvent("ask-token"))""")):
        press()
        expect(page.get_by_role("dialog")).to_be_visible()
        look()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
    for tone in ("info", "error"):
        page.evaluate("""(tone) => dispatchEvent(new CustomEvent("notify", { detail: { message: "A message", tone } }))""", tone)
    look()


def test_nothingMovesByItself_forWhoWantsNoMotion(open_remote, api, playing_picture):
    remote = open_remote(reduced_motion="reduce")
    expect(remote.page.locator(".artwork-picture")).to_be_visible()
    expect(remote.status).to_have_text("Playing")
    assert remote.page.evaluate("() => document.getAnimations().map((animation) => animation.animationName ?? animation.id)") == []


def test_layout_hasNoHorizontalScroll_at320Pixels(open_remote, api):
    title = "Averyveryverylongtitlewithoutasinglespaceinitthatcouldnotbebrokenanywhere"
    api.load({"uri": "long.mp3", "title": title, "artist": title, "album": title}, "chirp.mp3", play=True)
    remote = open_remote(viewport={"width": 320, "height": 568})
    for tab in ("Now", "Queue", "Music"):
        remote.tab(tab)
        assert remote.page.evaluate("() => document.documentElement.scrollWidth") <= 320
        wide = remote.page.evaluate("""() => [...document.querySelectorAll("button, input, h2")]
            .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > 320.5)
            .map((element) => element.outerHTML)""")
        assert wide == []


def test_everyControlIsInSight_onAPhoneOnItsSide(open_remote, api, screenshots):
    api.load("tagged.mp3", "long.mp3", index=1)
    api.play(index=1)
    remote = open_remote(viewport={"width": 844, "height": 390}, has_touch=True, is_mobile=True)
    expect(remote.title).to_have_text("long")
    for width, height in ((844, 390), (667, 375), (932, 430)):
        remote.page.set_viewport_size({"width": width, "height": height})
        if screenshots:
            remote.page.screenshot(path=screenshots / f"landscape-{width}.png")
        tabs = remote.page.locator(".bottom-bars").bounding_box()["y"]
        for control in (remote.button(re.compile("^(Play|Pause)$")), remote.position, remote.volume, remote.button("Shuffle")):
            expect(control).to_be_in_viewport(ratio=1)
            box = control.bounding_box()
            assert box["y"] + box["height"] <= tabs, "nor behind the tabs"
        cover = remote.page.locator(".artwork").bounding_box()
        assert cover["x"] + cover["width"] <= remote.position.bounding_box()["x"], "beside"


def test_thePlayer_needsNoScrollbar_atCommonSizes(page, api):
    """A few pixels too many show one beside the picture, where it takes space."""
    api.load("tagged.mp3")
    expect(page.locator(".track-artist")).not_to_be_empty()
    for width, height in [(1280, 720), (1366, 657), (1366, 768), (1440, 900), (1280, 900), (1920, 969), (1920, 1080), (390, 844), (390, 664), (768, 1024)]:
        page.set_viewport_size({"width": width, "height": height})
        hidden = page.locator(".pane-now").evaluate("(pane) => pane.scrollHeight - pane.clientHeight")
        assert hidden == 0, f"at {width} × {height}"


def test_emptyStatesWords_areWhole(open_remote):
    remote = open_remote(viewport={"width": 390, "height": 844})
    words = remote.page.locator(".track-artist")
    expect(words).to_have_text("Pick something from your music to begin.")
    for width in (390, 320):
        remote.page.set_viewport_size({"width": width, "height": 844})
        assert words.evaluate("(line) => line.scrollWidth <= line.clientWidth && line.scrollHeight <= line.clientHeight")


def test_strangersText_staysText(open_remote, api):
    attack = '<img src=x onerror="window.attacked = true">"\'&'
    api.load({"uri": "long.mp3", "title": attack, "artist": attack, "album": attack}, play=True)
    remote = open_remote()
    expect(remote.title).to_have_text(attack)
    expect(remote.row(0).locator(".row-title")).to_have_text(attack)
    assert remote.page.locator("img[src=x]").count() == 0
    assert remote.page.evaluate("() => window.attacked") is None


def test_picture_isShown_whenTheTagsHaveOne(open_remote, api):
    api.load("tagged.mp3")
    api.settings(repeat="one")
    api.play()
    remote = open_remote()
    expect(remote.title).to_have_text("The Title")
    expect(remote.page.locator(".track-artist")).to_have_text("The Artist")
    expect(remote.page.locator(".track-album")).to_have_text("The Album")
    picture = remote.page.locator(".artwork-picture")
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("naturalWidth", 64)
    expect(remote.page.locator(".track-format")).to_contain_text("MP3 · 192 kbit/s · 44.1 kHz · stereo")


def test_theme_canBeChosen_andIsKept(remote):
    toggle = remote.page.get_by_role("button", name=re.compile("^Theme"))
    for theme, paper in (("light", "rgb(244, 241, 234)"), ("dark", "rgb(19, 18, 16)")):
        toggle.click()
        expect(remote.page.locator("html")).to_have_attribute("data-theme", theme)
        for system in ("light", "dark"):
            remote.page.emulate_media(color_scheme=system)
            expect(remote.page.locator("body")).to_have_css("background-color", paper)
    remote.page.reload()
    expect(remote.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_nothingMoves_whileThePageLoads(open_remote, api, playing_picture):
    remote = open_remote(wait=False, reduced_motion="no-preference")
    remote.page.context.add_init_script("""
        window.__shift = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.__shift += entry.value;
        }).observe({ type: "layout-shift", buffered: true });""")
    remote.page.reload()
    remote.wait_connected()
    expect(remote.page.locator(".artwork-picture")).to_be_visible()
    during(0.3, lambda: remote.page.evaluate("() => window.__shift") < 0.01, "something moves")
