# SPDX-License-Identifier: Apache-2.0
"""The library and the playlists in the page."""

import re

import pytest
from playwright.sync_api import expect

from rig import Media, eventually
from rig.collection import picture, sound, tag, text

pytestmark = pytest.mark.usefixtures("music")


@pytest.fixture(scope="module")
def audio(tmp_path_factory) -> bytes:
    return sound(tmp_path_factory.mktemp("sound"))


@pytest.fixture
def music(directory, audio):
    root = directory / "collection"
    for artist, album, titles in (("Björk", "Homogenic", ("Hunter", "Jóga")), ("周杰倫", "十一月的蕭邦", ("夜曲",)),
                                  ("<b>Bold</b>", "Tags & \"Quotes\"", ("<img src=x onerror=alert(1)>",))):
        for number, title in enumerate(titles, 1):
            path = root / str(len(artist)) / f"{number}.mp3"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(tag(text("TIT2", title), text("TPE1", artist), text("TALB", album), text("TRCK", str(number)),
                                 picture(Media._png(60, 60)) if artist == "Björk" else b"") + audio)
    return root


@pytest.fixture
def library(remote, api):
    eventually(lambda: api.call("GET", "/library")["tracks"] == 4, "scanned", 20)
    remote.page.get_by_role("tab", name="Library").click()
    view = remote.page.locator("library-browser")
    expect(view.get_by_role("status")).to_have_text("3 artists · 3 albums · 4 tracks")
    return view


def test_albums_areShownWithTheirPictures(library):
    expect(library.locator(".album-tile")).to_have_count(3)
    tile = library.locator(".album-tile", has_text="Homogenic")
    expect(tile.locator("img")).to_be_visible()
    expect(tile.locator("img")).to_have_attribute("src", re.compile("^blob:"))
    expect(library.locator(".album-tile", has_text="十一月的蕭邦").locator("img")).to_be_hidden()


def test_artist_leadsToAlbumsAndTracks(library, api):
    library.get_by_role("button", name="Artists").click()
    library.get_by_role("button", name=re.compile("^Björk")).first.click()
    library.get_by_role("button", name=re.compile("^Homogenic")).click()
    expect(library.get_by_role("heading", name="Homogenic")).to_be_visible()
    library.get_by_role("button", name="Add Jóga to the queue").click()
    eventually(lambda: len(api.uris()) == 1, "queued")
    library.get_by_role("button", name="Albums").click()
    library.get_by_role("button", name="Add Homogenic to the queue").click()
    eventually(lambda: len(api.uris()) == 3, "the album is queued")


def test_album_isPlayedAndAddedWhole_andLeadsBackToWhereItWasOpened(library, api, remote):
    # Its two tracks last two seconds.
    api.settings(repeat="all")
    library.get_by_role("button", name="Artists").click()
    library.get_by_role("button", name=re.compile("^Björk")).first.click()
    library.get_by_role("button", name=re.compile("^Homogenic")).click()
    library.get_by_role("button", name="Play all").click()
    eventually(lambda: api.uris() == ["5/1.mp3", "5/2.mp3"], "all of it plays")
    assert api.player()["playWhenReady"]
    library.get_by_role("button", name="Add all").click()
    eventually(lambda: len(api.uris()) == 4, "all of it once more")
    back = library.get_by_role("button", name="Back")
    back.click()
    expect(library.get_by_role("heading", name="Björk")).to_be_visible()
    back.click()
    expect(library.get_by_role("button", name="Artists")).to_have_attribute("aria-current", "page")
    expect(library.locator(".entry")).to_have_count(3)
    expect(back).to_have_count(0)


def test_theBrowsersBack_leadsFromTheAlbumToItsArtist_andToAllArtists(library, remote):
    library.get_by_role("button", name="Artists").click()
    for steps, name in enumerate(("Björk", "Homogenic"), 1):
        library.get_by_role("button", name=re.compile(f"^{name}")).first.click()
        expect(library.get_by_role("heading", name=name)).to_be_visible()
        remote.wait_depth(steps)
    remote.page.go_back()
    expect(library.get_by_role("heading", name="Björk")).to_be_visible()
    remote.page.go_back()
    expect(library.locator(".entry")).to_have_count(3)
    expect(library.get_by_role("heading", name="Björk")).to_have_count(0)


def test_allTracks_areListed_alsoThoseWithoutTags(library, music, audio, api):
    (music / "doorbell.mp3").write_bytes(audio)
    eventually(lambda: api.call("GET", "/library")["tracks"] == 5, "scanned", 20)
    library.get_by_role("button", name="Tracks").click()
    expect(library.locator(".entry")).to_have_count(5)
    library.get_by_role("button", name="Add doorbell to the queue").click()
    eventually(lambda: api.uris() == ["doorbell.mp3"], "queued")


def test_search_findsAndPlays(library, remote, api):
    for words, found, album in (("joga", "Jóga", "Homogenic"), ("夜", "夜曲", "十一月的蕭邦"), ("onerror", "<img src=x onerror=alert(1)>", "Tags & \"Quotes\"")):
        library.get_by_role("searchbox", name="Search the library").fill(words)
        row = library.locator(".entry", has_text=found).last
        expect(row).to_be_visible()
        expect(row.locator(".entry-name")).to_have_attribute("title", f"Play {found} from {album} now")
        row.locator(".entry-name").click()
        eventually(lambda: ((api.player()["item"] or {}).get("tags") or {}).get("title") == found, "it plays")


def test_typedText_staysWhenTheListLoadsAfterwards(remote, api):
    eventually(lambda: api.call("GET", "/library")["tracks"] == 4, "scanned", 20)
    held, is_typed = [], False
    remote.page.route("**/library/albums*", lambda route: route.continue_() if is_typed else held.append(route))
    remote.page.get_by_role("tab", name="Library").click()
    eventually(lambda: remote.page.evaluate("0") == 0 and held, "the albums are asked for")
    box = remote.page.get_by_role("searchbox", name="Search the library")
    # Typed in the same moment in which the list comes: before the search is sent.
    box.evaluate("(box) => { box.value = 'jog'; }")
    # The scan may end meanwhile: then the page asks again.
    is_typed = True
    for route in held:
        route.continue_()
    expect(remote.page.locator(".album-tile")).to_have_count(3)
    expect(box).to_have_value("jog")


def test_emptySearch_saysSo_andClearingItLeadsBack(library):
    box = library.get_by_role("searchbox", name="Search the library")
    box.fill("no such thing")
    expect(library.get_by_role("heading", name="Nothing was found")).to_be_visible()
    box.fill("")
    expect(library.locator(".album-tile")).to_have_count(3)


def test_newFile_appearsByItself(library, music, audio):
    (music / "new.mp3").write_bytes(tag(text("TIT2", "New"), text("TALB", "Brand new album")) + audio)
    expect(library.locator(".album-tile", has_text="Brand new album")).to_be_visible(timeout=30_000)


def test_queue_isSavedAndLoadedAsPlaylist(remote, api):
    api.load("5/1.mp3", "5/2.mp3")
    remote.page.get_by_role("tab", name="Playlists").click()
    view = remote.page.locator("playlist-browser")
    expect(view.get_by_role("heading", name="No playlists yet")).to_be_visible()
    view.get_by_role("textbox", name="Name of the new playlist").fill("Abend <1>")
    view.get_by_role("button", name="Save queue").click()
    expect(view.locator(".entry")).to_have_count(1)
    expect(view.locator(".entry")).to_contain_text("2 tracks")
    api.call("DELETE", "/queue")
    view.get_by_role("button", name="Add Abend <1> to the queue").click()
    eventually(lambda: len(api.uris()) == 2, "loaded")
    view.get_by_role("button", name="Remove the playlist Abend <1>").click()
    question = remote.page.get_by_role("dialog", name="Remove Abend <1>?")
    question.get_by_role("button", name="Cancel").click()
    expect(view.locator(".entry")).to_have_count(1)
    view.get_by_role("button", name="Remove the playlist Abend <1>").click()
    question.get_by_role("button", name="Remove").click()
    expect(view.locator(".entry")).to_have_count(0)
    assert api.call("GET", "/playlists")["playlists"] == []


def test_aTakenName_isReplacedOrLeft(remote, api):
    first = api.load("5/1.mp3", "5/2.mp3")
    remote.page.get_by_role("tab", name="Playlists").click()
    view = remote.page.locator("playlist-browser")
    name = view.get_by_role("textbox", name="Name of the new playlist")
    save = view.get_by_role("button", name="Save queue")
    name.fill("Mine")
    save.click()
    expect(view.locator(".entry")).to_contain_text("2 tracks")
    api.call("DELETE", f"/queue/items/{first[0]}")
    question = remote.page.get_by_role("dialog", name="Replace Mine?")
    name.fill("Mine")
    save.click()
    question.get_by_role("button", name="Cancel").click()
    expect(name).to_have_value("Mine 2")
    expect(view.locator(".entry")).to_contain_text("2 tracks")
    name.fill("Mine")
    save.click()
    question.get_by_role("button", name="Replace").click()
    expect(view.locator(".entry")).to_contain_text("1 track")
    expect(view.locator(".entry")).to_have_count(1)
    name.fill("Mine")
    save.click()
    question.get_by_role("button", name="Cancel").click()
    expect(name).to_have_value("Mine 2")
    save.click()
    expect(view.locator(".entry")).to_have_count(2)


def test_views_areReachedByKeyboard(remote):
    remote.tolerate("Failed to load resource")
    tab = remote.page.get_by_role("tab", name="Folders")
    tab.focus()
    tab.press("ArrowRight")
    expect(remote.page.get_by_role("tab", name="Library")).to_be_focused()
    expect(remote.page.locator("library-browser")).to_be_visible()
    expect(remote.page.locator("music-browser")).to_be_hidden()


def test_phone_showsTheLibraryWithoutScrollingSideways(open_remote, api):
    eventually(lambda: api.call("GET", "/library")["tracks"] == 4, "scanned", 20)
    remote = open_remote(viewport={"width": 360, "height": 640})
    remote.tolerate("Failed to load resource")
    remote.tab("Music")
    remote.page.get_by_role("tab", name="Library").click()
    expect(remote.page.locator(".album-tile")).to_have_count(3)
    assert remote.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_tracks_showTheirNumbersAndArtists_andALongTitleIsCut(open_remote):
    """In an album the artist of it is not repeated."""
    rows = open_remote().page.evaluate("""async () => {
        const { trackRow } = await import("/components/library-browser/library-rows.js");
        const { html, render } = await import("/lib/html.js");
        const artist = { id: "a1", name: "Somebody" };
        const track = { id: "t", title: "Flac Piece in G", artist, discNumber: 2, trackNumber: 1, duration: 65 };
        const long = { ...track, title: "A title that is much longer than the column of the library is wide" };
        const view = document.createElement("library-browser");
        document.querySelector("#pane-browse").append(view);
        const list = document.createElement("ul");
        view.append(list);
        list.style.width = "300px";
        render(list, html`${trackRow(true, true, artist)(track)}${trackRow(true, false, null)(track)}${trackRow(false)(track)}${trackRow(false)(long)}`);
        return [...list.children].map((row) => {
            const isWhole = (part) => part.scrollWidth <= part.clientWidth;
            const [title, about] = [row.querySelector(".one-line"), row.querySelector(".note")];
            return [row.querySelector(".track-number")?.textContent ?? "", isWhole(title), about?.textContent ?? "", (!about || isWhole(about)) && isWhole(row.querySelector(".entry-size"))];
        });
    }""")
    assert rows == [["2-1", True, "", True], ["1", True, "Somebody", True], ["", True, "Somebody", True], ["", False, "Somebody", True]]
