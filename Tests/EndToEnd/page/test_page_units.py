# SPDX-License-Identifier: Apache-2.0
"""The page's own modules, run in the browser that will run them."""

import re

import pytest
from playwright.sync_api import Page
from remote import Remote

from rig import REPOSITORY, Server


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory) -> Page:
    """One page for all: each test makes its own objects of the modules."""
    server = Server(tmp_path_factory.mktemp("units"), None, output="null").start()
    remote = Remote(browser.new_page())
    remote.page.goto(server.url)
    remote.wait_connected()
    yield remote.page
    remote.page.close()
    server.stop()


def test_toast_staysOne_whenItIsShownAgain(page):
    assert page.evaluate("""() => {
        const stack = document.querySelector("toast-stack");
        stack.replaceChildren();
        for (const message of ["It is live.", "Other", "It is live."]) stack.show({ message });
        return [...stack.querySelectorAll(".toast-text")].map((text) => text.textContent);
    }""") == ["Other", "It is live."]


def test_theAdvice_fitsTheReasonForSilence(page):
    """The server's own sentence, so that the page notices when it changes."""
    source = (REPOSITORY / "Sources/Sound/PulseAudioHost/PulseProblem.swift").read_text()
    without_device = re.search(r'static let noDevice = "(.+)"', source)[1]
    advice = page.evaluate("""async (messages) => {
        const { advise } = await import("/lib/status.js");
        return messages.map((message) => advise({ output: { available: false, message } }, { state: "open" }));
    }""", [without_device, "No socket at /run/pulse/native: no sound server runs for this user."])
    assert ["Connect a sound card" in text for text in advice] == [True, False]
    assert ["Start PulseAudio" in text for text in advice] == [False, True]


def test_times_areShownAndSpoken(page):
    shown = [(0, "0:00"), (5.99, "0:05"), (65, "1:05"), (600, "10:00"), (3599.9, "59:59"), (3600, "1:00:00"), (36_061, "10:01:01")]
    spoken = [(0, "0 seconds"), (1, "1 second"), (65, "1 minute 5 seconds"), (3600, "1 hour"), (7322, "2 hours 2 minutes 2 seconds"), (None, "unknown")]
    assert page.evaluate("""async ([shown, spoken]) => {
        const { formatTime, spokenTime } = await import("/lib/time.js");
        return [[...shown, null, undefined, NaN, Infinity, -1, "5"].map(formatTime), spoken.map(spokenTime)];
    }""", [[seconds for seconds, _ in shown], [seconds for seconds, _ in spoken]]) == [
        [text for _, text in shown] + ["--:--"] * 6, [text for _, text in spoken]]


def test_oneModule_namesTheApiAndItsPlayer():
    """So that another player can be driven by a change of this one."""
    named = re.compile(r"""["`']/(?:api\b|player\b|queue\b)""")
    found = {path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "public").rglob("*.js") if named.search(path.read_text())}
    assert found == {"public/net/paths.js"}


def test_paths_leadToThePlayerThatIsSteered(page):
    assert page.evaluate("""async () => {
        const { PlayerPaths } = await import("/net/paths.js");
        let player = "main";
        const paths = new PlayerPaths(() => player);
        const all = () => [paths.events, paths.player(), paths.player("/play"), paths.queue(), paths.outputs("/current"), paths.item("i 1", "/lyrics")];
        const short = all();
        const areOwn = (list) => list.slice(1).map((path) => paths.isOwn(path));
        const own = areOwn(short);
        player = "küche";
        const long = all();
        own.push(...areOwn(long));
        const others = areOwn(short);
        player = "main";
        return [short, long, new Set(own).size === 1 && own[0], [...others, ...areOwn(long)].some(Boolean)];
    }""") == [
        ["/api/v1/events", "/player", "/player/play", "/queue", "/outputs/current", "/queue/items/i%201/lyrics"],
        [f"{root}/players/k%C3%BCche{rest}" for root, rest in (
            ("/api/v1", "/events"), ("", ""), ("", "/play"), ("", "/queue"), ("", "/outputs/current"), ("", "/queue/items/i%201/lyrics"))],
        True, False,
    ]


def test_players_whoseAnswerIsOvertaken_areNotShown(page):
    assert page.evaluate("""async () => {
        const { Players } = await import("/state/players.js");
        const answers = [];
        const players = new Players({ get: () => new Promise((resolve, reject) => answers.push({ resolve, reject })) });
        const loads = [players.load(), players.load(), players.load()];
        answers[2].resolve({ players: [{ id: "main", name: "new" }] });
        answers[0].resolve({ players: [{ id: "main", name: "old" }, { id: "gone", name: "gone" }] });
        answers[1].reject(new Error());
        await Promise.all(loads);
        return [players.list, players.nameOf("main")];
    }""") == [[{"id": "main", "name": "new"}], "new"]


def test_anEntryOfAList_isAddedWithoutAPictureWhoseAddressIsHidden(page):
    assert page.evaluate("""async () => {
        const { Folder } = await import("/state/folder.js");
        const uri = "https://host/a.mp3";
        const items = [{ uri, artworkUri: "https://host/a.png?key=***" }, { uri, artworkUri: "https://host/a.png", title: null }, { uri: "https://***@host/a.mp3" }];
        const folder = new Folder({ get: async () => ({ length: 3, truncated: false, items }) });
        await folder.openList("a.m3u");
        return folder.content.entries.map(({ item }) => item);
    }""") == [{"uri": "https://host/a.mp3"}, {"uri": "https://host/a.mp3", "artworkUri": "https://host/a.png"}, None]


def test_aFolderAndAList_showWhatWasOpenedLast_andAListThatFailsKeepsThePlace(page):
    assert page.evaluate("""async () => {
        const { Folder } = await import("/state/folder.js");
        const answers = [];
        const folder = new Folder({ get: () => new Promise((resolve, reject) => answers.push({ resolve, reject })) });
        const seen = [];
        const look = async (...opened) => {
            const ends = await Promise.allSettled(opened);
            seen.push([...ends.map(({ value, reason }) => reason?.message ?? value === true), folder.content.path]);
        };
        const [place, list] = [(path) => ({ path, parent: "", length: 0, entries: [] }), { length: 0, truncated: false, items: [] }];
        const overtaken = [folder.openList("a.m3u"), folder.open("a")];
        answers[1].resolve(place("a"));
        answers[0].resolve(list);
        await look(...overtaken);
        const shown = [folder.open("b"), folder.openList("b.m3u")];
        answers[3].resolve(list);
        await shown[1];
        answers[2].resolve(place("b"));
        await look(...shown);
        const refused = [folder.open("c"), folder.openList("c.m3u")];
        answers[5].reject(new Error("No list."));
        answers[4].resolve(place("c"));
        await look(...refused);
        return seen;
    }""") == [[False, False, "a"], [False, True, "b.m3u"], [False, "No list.", "c"]]


def test_aPageThatFails_isReported_andTheEntriesStay(page):
    assert page.evaluate("""async () => {
        const { Folder } = await import("/state/folder.js");
        const answers = [{ path: "a", parent: "", length: 2, entries: [{ type: "file", name: "b", path: "a/b.mp3", size: 1 }] }];
        const folder = new Folder({ get: async () => {
            if (!answers.length) throw new Error("The server is busy.");
            return answers.shift();
        } });
        await folder.open("a");
        const told = [];
        addEventListener("notify", ({ detail }) => told.push(detail.message), { once: true });
        document.querySelector("music-browser").loadMore(folder);
        await new Promise((resolve) => setTimeout(resolve));
        return [told, folder.content.entries.length, folder.problem];
    }""") == [["The server is busy."], 1, None]


def test_effects_runOnceForAllChangesOfATask_andOnlyForWhatTheyRead(page):
    assert page.evaluate("""async () => {
        const { effect, observe, untracked } = await import("/lib/signal.js");
        class State {}
        observe(State, { name: "a", isOn: false, other: 0 });
        const [state, another] = [new State(), new State()];
        const seen = [];
        effect(() => seen.push(state.isOn ? state.name : "off", untracked(() => state.other)));
        const settled = () => new Promise((resolve) => setTimeout(resolve));
        for (const change of [() => (state.name = "b"), () => { state.isOn = true; state.name = "c"; state.other = 1; }, () => (state.other = 2),
                              () => (state.name = "c"), () => (another.isOn = true), () => { state.isOn = false; state.name = "d"; }]) {
            change();
            await settled();
        }
        return seen;
    }""") == ["off", 0, "c", 1, "off", 2]


def test_anEffectThatFails_leavesTheOthersRunning(page):
    assert page.evaluate("""async () => {
        const { effect, observe } = await import("/lib/signal.js");
        class State {}
        observe(State, { value: 0 });
        const state = new State();
        const seen = [];
        const caught = [];
        const keep = (event) => { event.preventDefault(); caught.push(event.message); };
        addEventListener("error", keep);
        effect(() => { if (state.value === 1) throw new Error("broken"); });
        effect(() => seen.push(state.value));
        state.value = 1;
        await new Promise((resolve) => setTimeout(resolve));
        removeEventListener("error", keep);
        return [seen, caught.length];
    }""") == [[0, 1], 1]


def test_html_escapes_unlessItIsMarkup(page):
    assert page.evaluate("""async () => {
        const { html } = await import("/lib/html.js");
        return html`<p title="${'"><b>'}">${"<i>&'"}${html`<b>${1}</b>`}${null}${[html`<i></i>`, "<"]}${false}</p>`.text;
    }""") == '<p title="&quot;&gt;&lt;b&gt;">&lt;i&gt;&amp;&#39;<b>1</b><i></i>&lt;</p>'


def test_store_followsSnapshotsAndEvents(page):
    """Older snapshots of the same run are dropped, and times of another item; a lost connection stops the clock."""
    assert page.evaluate("""async () => {
        const { Store } = await import("/state/store.js");
        const store = new Store();
        const seen = [];
        const hear = (type, data, version) => store.applyEvent({ type, data, version });
        const show = (...values) => seen.push(values);
        hear("hello", { epoch: "a" });
        store.applySnapshot({ version: 50, status: "playing", item: { id: "i1" }, position: 30, duration: 60, rate: 1 }, 1000);
        store.applySnapshot({ version: 49, status: "paused", item: null });
        hear("time", { itemId: "i0", position: 99, rate: 1 });
        show(store.player.status, store.time.at(1500));
        store.setConnection({ state: "lost" }, 3000);
        show(store.time.at(60_000));
        hear("time", { itemId: "i1", position: 33, rate: 1 });
        hear("item", { item: { id: "i2", index: 1, duration: 12 } }, 51);
        show(store.time.at(performance.now() + 500), store.time.duration);
        hear("time", { itemId: "i2", position: 9, rate: 1 });
        hear("item", { item: null }, 52);
        show(store.player.item, store.time.position, store.time.duration);
        hear("hello", { epoch: "b" });
        hear("snapshot", { player: { version: 3, status: "paused", item: null } });
        show(store.player.status);
        return seen;
    }""") == [["playing", 30.5], [32], [0, 12], [None, 0, None], ["paused"]]


def test_store_dropsALateAnswer_ofThePlayerBefore(page):
    assert page.evaluate("""async () => {
        const { Store } = await import("/state/store.js");
        const store = new Store();
        const hear = (type, data) => store.applyEvent({ type, data });
        const answer = (id, version) => store.applySnapshot({ id, version, status: "playing", item: null });
        hear("hello", { epoch: "a" });
        hear("snapshot", { player: { id: "main", version: 50, status: "playing", item: null } });
        hear("hello", { epoch: "b" });
        answer("main", 51);
        hear("snapshot", { player: { id: "kitchen", version: 3, status: "stopped", item: null } });
        answer("main", 52);
        const { id, version } = store.player;
        answer("kitchen", 4);
        return [id, version, store.player.version];
    }""") == ["kitchen", 3, 4]


def test_store_showsNothingOfThePlayerBefore(page):
    assert page.evaluate("""async () => {
        const { Store } = await import("/state/store.js");
        const store = new Store();
        let runs = 0;
        store.addEventListener("run", () => (runs += 1));
        const time = { position: 9, duration: 12, rate: 1, loadedRanges: [[0, 9]] };
        store.applySnapshot({ id: "main", version: 5, status: "playing", item: null, ...time });
        Object.assign(store, { timers: [{ id: "t1" }], outputs: {}, effects: {}, presets: {}, levels: {} });
        store.forget();
        const { position, duration, rate } = store.time;
        const { player, timers, outputs, effects, presets, levels, buffer } = store;
        return [[player, outputs, effects, presets, levels], timers, [position, duration, rate], buffer, runs];
    }""") == [[None] * 5, [], [0, None, 0], {"loadedRanges": [], "bufferedAhead": None}, 1]


def test_undoOfThePlayerBefore_isNotOffered(page):
    assert page.evaluate("""async () => {
        const stack = document.createElement("toast-stack");
        stack.queue = { revision: 3 };
        document.body.append(stack);
        stack.show({ message: "Removed 1 track", action: { label: "Undo", name: "undo", revision: 3 } });
        const offered = () => stack.querySelectorAll(".toast-action").length;
        const before = offered();
        stack.queue = null;
        await new Promise((resolve) => setTimeout(resolve));
        const after = offered();
        stack.remove();
        return [before, after];
    }""") == [1, 0]


def with_connection(page, script: str):
    """Runs the script with a `Connection`'s store, socket and player; its `connect` makes the connection from the other parts."""
    return page.evaluate("""async () => {
        const { Connection } = await import("/state/connection.js");
        const { PlayerPaths } = await import("/net/paths.js");
        const { Store } = await import("/state/store.js");
        let player = "main";
        const [store, socket] = [new Store(), new EventTarget()];
        const connect = (parts) => new Connection({ paths: new PlayerPaths(() => player), socket, store, ...parts });
    """ + script + "}")


def test_lostEvents_makeThePageReadWhatNoSnapshotHas(page):
    assert with_connection(page, """
        const asked = [];
        connect({
            client: { get: async (path) => (asked.push(path), null) },
            windows: { renew: () => asked.push("queue") }, onRead: () => asked.push("rest"),
        });
        socket.dispatchEvent(new CustomEvent("message", { detail: { type: "resync", data: { latest: 9 } } }));
        return asked.sort();
    """) == ["/effects", "/effects/presets", "/outputs", "/session", "/timers", "queue", "rest"]


def test_partsOfTheStore_areReadAfterTheGreeting(page):
    """The server may change between the open channel and its greeting, and tells this neither before nor after."""
    assert with_connection(page, """
        const asked = [];
        connect({
            client: { get: async (path) => (asked.push(path), null) },
            windows: { settled: () => asked.push("queue") }, onRead: () => asked.push("rest"),
        });
        socket.dispatchEvent(new CustomEvent("connection", { detail: { state: "open", retryAt: null, attempt: 0 } }));
        const before = asked.splice(0);
        socket.dispatchEvent(new CustomEvent("message", { detail: { type: "hello", data: { epoch: "a" } } }));
        return [before, asked.sort()];
    """) == [["/server"], ["/effects", "/effects/presets", "/outputs", "/session", "/timers", "queue", "rest"]]


def test_partsOfTheStore_areThoseOfANewerEvent_notOfALateAnswer(page):
    assert with_connection(page, """
        const answers = [];
        const client = { get: () => new Promise((resolve) => answers.push(resolve)) };
        const connection = connect({ client });
        const read = connection.refresh("timers");
        socket.dispatchEvent(new CustomEvent("message", { detail: { type: "timers", data: { timers: [{ id: "t1" }] } } }));
        answers[0]({ timers: [] });
        await read;
        return store.timers;
    """) == [{"id": "t1"}]


def test_partsOfTheStore_stayWhenTheConnectionIsLost_andTakeNothingOfThePlayerBefore(page):
    assert with_connection(page, """
        const answers = [];
        const client = { get: () => new Promise((resolve, reject) => answers.push({ resolve, reject })) };
        const connection = connect({ client });
        const alarm = { id: "t1" };
        store.timers = [alarm];
        const left = [];
        for (const status of [0, 429, 503]) {
            const read = connection.refresh("timers");
            answers.pop().reject({ status });
            await read;
            left.push(store.timers.length);
        }
        const reads = ["timers", "outputs"].map((part) => connection.refresh(part));
        player = "kitchen";
        store.forget();
        for (const { resolve } of answers) resolve({ timers: [alarm] });
        await Promise.all(reads);
        return [left, store.timers, store.outputs];
    """) == [[1, 1, 0], [], None]


def test_aSnapshotForAPageThatIsShownAgain_isNotAppliedToAnotherPlayer(page):
    assert with_connection(page, """
        const answers = [];
        const client = { get: () => new Promise((resolve) => answers.push(resolve)) };
        socket.isOpen = true;
        connect({ client });
        document.dispatchEvent(new Event("visibilitychange"));
        player = "kitchen";
        answers[0]({ id: "main", version: 5, status: "playing", item: null });
        await new Promise((resolve) => setTimeout(resolve));
        return [answers.length, store.player];
    """) == [1, None]


def test_aRefusalOfTheTokenBefore_doesNotAskForAnother(page):
    assert with_connection(page, """
        const refusals = [];
        let token = "old";
        const client = { token: () => token, get: () => new Promise((_, reject) => refusals.push(reject)) };
        socket.close = () => {};
        connect({ client });
        const states = [];
        for (const next of ["new", "new"]) {
            socket.dispatchEvent(new CustomEvent("connection", { detail: { state: "lost", retryAt: 0, attempt: 1 } }));
            token = next;
            refusals.pop()({ status: 401 });
            await new Promise((resolve) => setTimeout(resolve));
            states.push(store.connection.state);
        }
        return states;
    """) == ["lost", "unauthorized"]


def test_theFormOfANewAlarm_closesWithItsPlayer(page):
    assert page.evaluate("""async () => {
        const list = document.createElement("alarm-list");
        list.player = "main";
        document.body.append(list);
        const settled = () => new Promise((resolve) => setTimeout(resolve));
        const look = () => [list.querySelector("form").hidden, document.activeElement.name || document.activeElement.textContent.trim()];
        list.button("edit").click();
        list.timers = [{ id: "t1", type: "sleep" }];
        await settled();
        const before = look();
        list.player = "kitchen";
        await settled();
        const after = look();
        list.remove();
        return [before, after];
    }""") == [[False, "time"], [True, "Add alarm"]]


def test_anOptionOfTheSession_keepsTheFocusAndTheLists_andAnotherOneThatIsOnItsWay(page):
    assert page.evaluate("""async () => {
        const dialog = document.createElement("session-dialog");
        document.body.append(dialog);
        const settled = () => new Promise((resolve) => setTimeout(resolve));
        const boxes = () => [...dialog.querySelectorAll("[data-option]")];
        const look = async (options, known = ["mix-with-others", "duck-others"]) => {
            dialog.session = { category: "playback", mode: "default", options, available: { categories: ["playback"], modes: ["default"], options: known } };
            await settled();
            return [boxes().map((box) => box.checked), boxes().indexOf(document.activeElement)];
        };
        dialog.open();
        await look([]);
        boxes()[1].focus();
        const parts = [...dialog.querySelectorAll("option, input")];
        const seen = [await look(["duck-others"]), await look([]), parts.every((part) => part.isConnected)];
        const asked = [];
        const answers = [];
        dialog.addEventListener("request", (event) => {
            event.stopPropagation();
            event.detail.result = new Promise((resolve) => answers.push(resolve));
            asked.push(event.detail.data.options);
        });
        for (const box of boxes()) {
            box.click();
            // An event about something else.
            dialog.player = { autoResume: true };
            await settled();
        }
        for (const answer of answers) answer(true);
        await settled();
        seen.push(await look(["duck-others"], ["duck-others"]));
        dialog.close();
        await settled();
        dialog.remove();
        return [seen, asked];
    }""") == [[[[False, True], 1], [[False, False], 1], True, [[True], -1]], [["mix-with-others"], ["mix-with-others", "duck-others"]]]


def test_channel_resumesAtTheLastEventItGot(page):
    """`hello` has the latest number before the missed events have come."""
    assert page.evaluate("""async () => {
        const { EventSocket } = await import("/net/socket.js");
        const { WebSocket } = globalThis;
        const asked = [];
        let made;
        globalThis.WebSocket = class extends EventTarget {
            constructor(address) {
                super();
                made = this;
                asked.push(new URL(address).searchParams.get("since"));
            }
            close() {}
        };
        const hear = (type, seq, data = {}) => made.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ type, seq, data }) }));
        const socket = new EventSocket({ paths: { events: "/events" }, token: () => null, interval: 1 });
        socket.connect();
        hear("hello", 9, { epoch: "a" });
        hear("snapshot", 9);
        hear("status", 10);
        for (const seq of [12, 12]) {
            socket.connect();
            hear("hello", seq, { epoch: "a" });
        }
        hear("status", 11);
        socket.connect();
        hear("hello", 3, { epoch: "b" });
        socket.connect();
        globalThis.WebSocket = WebSocket;
        return asked;
    }""") == [None, "a:10", "a:10", "a:11", None]


def test_time_isExtrapolatedByItsRate_withinTheDuration(page):
    assert page.evaluate("""async () => {
        const { PlayerTime } = await import("/state/player-time.js");
        let time = new PlayerTime().set({ position: 10, duration: 12, rate: 1 }, 1000);
        const running = [time.at(1000), time.at(2500), time.at(9000), time.at(0)];
        time = time.set({ position: 10, rate: 0 }, 1000);
        return [...running, time.at(9000)];
    }""") == [10, 11.5, 12, 10, 10]


def test_latest_sendsOneAtATime_andTheNewest(page):
    assert page.evaluate("""async () => {
        const { LatestWins } = await import("/lib/latest.js");
        const sent = [];
        const releases = [];
        const latest = new LatestWins((value) => { sent.push(value); return new Promise((resolve) => releases.push(resolve)); });
        const pushed = [1, 2, 3, 4].map((value) => latest.push(value));
        const first = [...sent];
        releases[0]("one");
        await new Promise((resolve) => setTimeout(resolve));
        releases[1]("four");
        const results = await Promise.all(pushed);
        latest.push(5);
        return [first, sent, new Set(results).size, results[0]];
    }""") == [[1], [1, 4, 5], 1, "four"]


def test_latest_goesOn_afterASendThatThrowsAtOnce(page):
    assert page.evaluate("""async () => {
        const { LatestWins } = await import("/lib/latest.js");
        const latest = new LatestWins((value) => {
            if (value === 1) throw new Error("refused");
            return Promise.resolve(value);
        });
        return [await latest.push(1).catch(({ message }) => message), await latest.push(2)];
    }""") == ["refused", 2]


def test_queueWindows_showNothingOld_onceTheNewIsThere(page):
    assert page.evaluate("""async () => {
        const { QueueWindows } = await import("/state/queue-windows.js");
        let revision = 1;
        const asked = [];
        const windows = new QueueWindows(async (offset, limit) => {
            asked.push(offset);
            return { revision, length: 250, items: Array.from({ length: limit }, (_, at) => ({ id: `r${revision}-${offset + at}` })) };
        });
        windows.update({ revision: 1, length: 250 });
        await windows.want(90, 110);
        const before = windows.item(105).id;
        revision = 2;
        windows.update({ revision: 2, length: 250 });
        await windows.settled();
        return [before, windows.item(105).id, windows.item(220) === undefined, windows.indexOf("r2-95"), new Set(asked).size];
    }""") == ["r1-105", "r2-105", True, 95, 2]


def test_queueWindows_areOfTheNewPlayer_whoseQueueHasTheSameRevision(page):
    """Each player counts its own, and a request may still be under way."""
    assert page.evaluate("""async () => {
        const { QueueWindows } = await import("/state/queue-windows.js");
        const answers = [];
        const windows = new QueueWindows(() => new Promise((resolve) => answers.push(resolve)));
        const answer = (index, id) => answers[index]({ revision: 1, length: 1, items: [{ id }] });
        const settled = () => new Promise((resolve) => setTimeout(resolve));
        windows.update({ revision: 1, length: 1 });
        answer(0, "main");
        await settled();
        const shown = [windows.item(0).id];
        windows.renew();
        windows.clear();
        shown.push(windows.item(0) ?? null);
        windows.update({ revision: 1, length: 1 });
        answer(1, "late");
        await settled();
        shown.push(windows.item(0) ?? null);
        answer(2, "kitchen");
        await settled();
        return [...shown, windows.item(0).id];
    }""") == ["main", None, None, "kitchen"]


def test_stepsOfARow_belongToItsItem_whenTheNewOrderComesBeforeTheAnswer(page):
    assert page.evaluate("""async () => {
        const { QueueKeys } = await import("/components/queue-list/queue-keys.js");
        const [body, row] = [document.createElement("div"), document.createElement("div")];
        row.className = "queue-row";
        body.append(row);
        const moved = [];
        let order = ["a", "b", "c"];
        let answer;
        const list = {
            body, cursor: 0, scroller: body, focusRow: (index) => (list.cursor = index),
            windows: { length: 3, item: (index) => ({ id: order[index] }), indexOf: (id) => order.indexOf(id) },
            move: ([id], position) => (moved.push([id, position]), new Promise((resolve) => (answer = resolve))),
        };
        new QueueKeys(list);
        const press = () => row.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", altKey: true, bubbles: true }));
        press();
        order = ["b", "a", "c"];
        press();
        answer(true);
        await new Promise((resolve) => setTimeout(resolve));
        return moved;
    }""") == [["a", 1], ["a", 2]]


def test_namesOfAddresses_areDecoded_andThoseOfPathsAreNot(page):
    names = {"https://host/a/01%20First%20Rain.mp3?key=%20": "01 First Rain", "https://host/100%.mp3": "100%", "Folder/01%20First.mp3": "01%20First",
             "file:///music/Gr%C3%BCn.flac": "Grün"}
    assert page.evaluate("""async (uris) => {
        const { nameFromUri } = await import("/lib/media.js");
        return uris.map(nameFromUri);
    }""", [*names]) == [*names.values()]


def test_status_isTheServersWord(page):
    for player, text, tone in [
            ({"status": "playing"}, "Playing", "good"),
            ({"status": "buffering", "reason": "network"}, "Buffering… – waiting for the network", "busy"),
            ({"status": "completed", "reason": "end-of-queue"}, "Finished – end of the queue", "idle"),
            ({"status": "interrupted", "reason": "interruption"}, "Interrupted", "warning"),
            ({"status": "paused", "output": {"available": False, "message": "Connection refused."}}, "No sound: Connection refused.", "error"),
            ({"status": "failed", "error": {"message": "No such file."}}, "Failed: No such file.", "error"),
            ({"status": "paused", "reason": "restored"}, "Restored after a restart – press play", "idle"),
            ({"status": "playing", "error": {"message": "Past.", "itemId": "i1"}, "item": {"id": "i2"}}, "Playing", "good"),
            ({"status": "paused", "error": {"message": "Past.", "itemId": "i1"}, "item": {"id": "i2"}}, "Paused", "idle"),
            ({"status": "loading", "error": {"message": "Past.", "itemId": "i1"}, "item": {"id": "i2"}}, "Loading…", "busy"),
            ({"status": "buffering", "error": {"message": "Refused.", "itemId": "i2"}, "item": {"id": "i2"}}, "Refused.", "warning"),
    ]:
        assert page.evaluate("""async (player) => (await import("/lib/status.js")).describe(player, { state: "open" })""",
                             player) == {"text": text, "tone": tone}


def test_failures_areReportedOnce_untilTheItemIsPlayedAgain(page):
    assert page.evaluate("""async () => {
        const { Failures } = await import("/state/failures.js");
        const failures = new Failures();
        const broken = { code: "unreadable", message: "It is a text file.", itemId: "i2" };
        failures.follow({ item: { id: "i2" }, status: "loading" });
        const told = [failures.note(broken), failures.note(broken)];
        failures.follow({ item: { id: "i1" }, status: "playing", error: broken });
        const marked = [failures.get("i2"), failures.get("i1")];
        failures.follow({ item: { id: "i2" }, status: "loading" });
        marked.push(failures.get("i2"));
        told.push(failures.note(broken));
        failures.follow({ item: { id: "i2" }, status: "failed", error: broken });
        marked.push(failures.get("i2"));
        failures.follow({ item: { id: "i2" }, status: "playing", error: null });
        marked.push(failures.get("i2"));
        failures.note({ code: "output-refused", message: "Refused.", itemId: "i2" });
        return [told, [...marked, failures.get("i2")].map((text) => text ?? null)];
    }""") == [[True, False, True], ["It is a text file.", None, None, "It is a text file.", None, None]]


@pytest.mark.parametrize("scope, is_read_only", [("control", True), ("admin", False)])
def test_pageOnlyReads_whenTheTokenMayNotControl_butNotWhenItMayNotDoMore(page, scope, is_read_only):
    page.unroute_all()
    page.route("**/api/v1/recordings", lambda route: route.fulfill(
        status=403, headers={"WWW-Authenticate": f'Bearer realm="tonearm", error="insufficient_scope", scope="{scope}"'},
        content_type="application/problem+json", json={"code": "scope-missing", "detail": "The token does not allow this."}))
    assert page.evaluate("""async () => {
        const { Client } = await import("/net/client.js");
        const { Commands } = await import("/state/commands.js");
        const { Store } = await import("/state/store.js");
        const store = new Store();
        const told = [];
        const commands = new Commands({ client: new Client(), paths: null, store, notify: (message) => told.push(message) });
        return [await commands.perform("record", {}), told, store.isReadOnly];
    }""") == [False, ["The token does not allow this."], is_read_only]


def test_anEvent_isNewerThanAnAnswerThatWasAskedForBefore(page):
    """Else a recording that has begun would show as idle, and the session would be set back under it."""
    assert page.evaluate("""async () => {
        const { Recorder } = await import("/state/recorder.js");
        const { Library } = await import("/state/library.js");
        const answers = {};
        const client = { get: (path) => new Promise((resolve) => (answers[path] = resolve)) };
        const recorder = new Recorder({ client, paths: { player: (rest) => rest } });
        const reads = [recorder.ask(), recorder.list()];
        recorder.applyEvent({ type: "recording", data: { state: "recording", stream: { state: "idle" } } });
        const idle = { state: "idle" };
        answers["/recordings/current"](idle);
        answers["/recordings"]({ status: idle, recordings: [] });
        await Promise.all(reads);
        const library = new Library(client);
        library.start();
        library.applyStatus({ state: "idle", revision: 2 });
        answers["/library"]({ state: "scanning", revision: 1 });
        await new Promise((resolve) => setTimeout(resolve));
        return [recorder.status.state, recorder.recordings, library.status.state];
    }""") == ["recording", [], "idle"]


def test_theLibrary_isReadAgain_whenTheLastChangeOfAScanCameBeforeItsEnd(page):
    """A scan reports its changes while it is under way; its end need not bring another one."""
    assert page.evaluate("""async () => {
        const { Library } = await import("/state/library.js");
        let reads = 0;
        const client = { get: async (path) => path === "/library" ? { state: "scanning", revision: 1 } : (reads += 1, { items: [], length: 0 }) };
        const library = new Library(client);
        await library.start();
        const counts = [reads];
        for (const [state, revision] of [["scanning", 2], ["idle", 2], ["idle", 2], ["idle", 3]]) {
            library.applyStatus({ state, revision });
            await new Promise((resolve) => setTimeout(resolve));
            counts.push(reads);
        }
        return counts;
    }""") == [1, 1, 2, 2, 3]


def test_aFailure_thatANewerAnswerHasOvertaken_isNotShown(page):
    """A request from before the connection was lost fails only after the page has read all again."""
    assert page.evaluate("""async () => {
        const [{ Cache }, { Library }, { Playlists }, { Recorder }] = await Promise.all(
            ["cache", "library", "playlists", "recorder"].map((name) => import(`/state/${name}.js`)));
        const answers = [];
        const client = { get: () => new Promise((resolve, reject) => answers.push({ resolve, reject })) };
        const settled = () => new Promise((resolve) => setTimeout(resolve));
        const problems = [];
        for (const [part, read] of [[new Cache(client), "list"], [new Library(client), "start"], [new Playlists(client), "load"], [new Recorder({ client }), "list"]]) {
            part[read]();
            part[read]();
            const [older, newer] = answers.splice(0);
            newer.resolve({ entries: [], playlists: [], recordings: [], status: null });
            await settled();
            older.reject(new Error("The server cannot be reached."));
            await settled();
            problems.push(part.problem);
            answers.length = 0;
        }
        return problems;
    }""") == [None] * 4


def test_aRecording_isLoadedForAnHourIfNeeded(page):
    """The limit of a request ends the transfer of its answer too."""
    page.unroute_all()
    page.route("**/api/v1/recordings/a.wav/file", lambda route: route.fulfill(body=b"RIFF"))
    assert page.evaluate("""async () => {
        const { Client } = await import("/net/client.js");
        const { Commands } = await import("/state/commands.js");
        const { Store } = await import("/state/store.js");
        const limits = [];
        const { timeout } = AbortSignal;
        AbortSignal.timeout = (limit) => (limits.push(limit), timeout.call(AbortSignal, limit));
        const commands = new Commands({ client: new Client(), store: new Store(), notify: () => {} });
        const isDone = await commands.perform("saveRecording", { id: "a.wav" }).finally(() => (AbortSignal.timeout = timeout));
        return [isDone, Math.max(...limits)];
    }""") == [True, 3_600_000]


def test_anAnswerThatBreaksOff_isAProblem(page):
    assert page.evaluate("""async () => {
        const { Client } = await import("/net/client.js");
        const { fetch } = globalThis;
        globalThis.fetch = async () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError("broken off")) }));
        const client = new Client();
        const told = await Promise.all([client.get("/server"), client.blob("/server")].map((answer) => answer.catch((problem) => [problem.status, problem.message])));
        globalThis.fetch = fetch;
        return told;
    }""") == [[0, "The server cannot be reached."]] * 2


def test_effectsAndAdditions_goOverRest_whileTheChannelIsLost(page):
    assert page.evaluate("""async () => {
        const { Client } = await import("/net/client.js");
        const { EventSocket } = await import("/net/socket.js");
        const { PlayerPaths } = await import("/net/paths.js");
        const { Commands } = await import("/state/commands.js");
        const { Store } = await import("/state/store.js");
        const paths = new PlayerPaths(() => "main");
        const client = new Client();
        const store = new Store();
        const told = [];
        const channel = new EventSocket({ paths, token: () => null });
        const commands = new Commands({ client, channel, paths, store, notify: (message) => told.push(message) });
        const isDone = await commands.perform("effects", { mono: true });
        const found = [isDone, told.slice(), store.effects?.mono, (await client.get(paths.effects())).mono];
        await client.send("PATCH", paths.effects(), { mono: false });
        const isAdded = await commands.perform("add", { items: [{ uri: "http://127.0.0.1:9/a.mp3" }], check: true });
        const refused = told.filter((message) => message === "The server cannot be reached.").length;
        return [...found, isAdded, refused];
    }""") == [True, [], True, True, False, 0]


def test_effects_changedWithinOneRoundTrip_doNotUndoEachOther(page):
    """Switched on together while all are off both sound; others stay. The equaliser is not the last one while another is on its way."""
    assert page.evaluate("""async () => {
        const { PlayerPaths } = await import("/net/paths.js");
        const { Commands, mergePatches } = await import("/state/commands.js");
        const { Store } = await import("/state/store.js");
        const store = new Store();
        const answers = [];
        const channel = { command: (name, patch) => new Promise((resolve) => answers.push(() => resolve(store.effects = mergePatches(store.effects, patch)))) };
        const commands = new Commands({ client: null, channel, paths: new PlayerPaths(() => "main"), store, notify: () => {} });
        const off = { enabled: false };
        const look = async (enabled, changes) => {
            store.effects = { enabled, loudness: { mode: "off" }, equalizer: { enabled }, compressor: off, limiter: off, crossfeed: off, mono: false,
                              reverb: off, width: 1, delay: enabled ? 0 : 40 };
            const done = Promise.all(changes.map((change) => commands.perform("effects", change)));
            for (let count = 0; count < changes.length; count += 1) {
                answers.shift()();
                await new Promise((resolve) => setTimeout(resolve));
            }
            await done;
            const { equalizer, mono, reverb, delay } = store.effects;
            return [store.effects.enabled, equalizer.enabled, mono, reverb.enabled, delay];
        };
        const mono = { enabled: true, mono: true };
        return [await look(false, [mono, { enabled: true, reverb: { enabled: true } }]), await look(true, [mono, { equalizer: off }])];
    }""") == [[True, False, True, True, 40], [True, False, True, False, 0]]


def test_changesOfThePlayerBefore_reachIt_andTheirLateAnswersAreNotShown(page):
    assert page.evaluate("""async () => {
        const { PlayerPaths } = await import("/net/paths.js");
        const { Commands } = await import("/state/commands.js");
        const { Store } = await import("/state/store.js");
        let player = "main";
        const store = new Store();
        const asked = [];
        const answers = [];
        const client = { send: (method, path) => new Promise((resolve) => (asked.push(path), answers.push(resolve))) };
        const channel = { command: async () => { throw Object.assign(new Error(), { code: "unreachable" }); } };
        const commands = new Commands({ client, channel, paths: new PlayerPaths(() => player), store, notify: () => {} });
        const changes = [
            ["outputPolicy", { policy: "hold" }], ["settings", { level: 0.1 }], ["settings", { level: 0.2 }], ["effects", { mono: true }],
            ["pause"],
        ];
        const done = changes.map(([name, data]) => commands.perform(name, data));
        player = "kitchen";
        done.push(commands.perform("settings", { level: 0.3 }));
        for (let index = 0; index < done.length; index += 1) {
            await new Promise((resolve) => setTimeout(resolve));
            answers[index](asked[index] === "/players/kitchen" ? {} : { id: "main", status: "paused", version: 9 });
        }
        await Promise.all(done);
        return [asked.sort(), store.outputs, store.effects, store.player];
    }""") == [["/effects", "/outputs", "/player", "/player", "/player/pause", "/players/kitchen"], None, None, None]


def test_aTimer_isShownAsTheAnswerHasIt_beforeItsEvent_butNotAfterANewerOne(page):
    assert page.evaluate("""async () => {
        const { Commands } = await import("/state/commands.js");
        const { Store } = await import("/state/store.js");
        const { PlayerPaths } = await import("/net/paths.js");
        const store = new Store();
        const answers = [];
        const client = { send: () => new Promise((resolve) => answers.push(resolve)) };
        const commands = new Commands({ client, channel: null, paths: new PlayerPaths(() => "main"), store, notify: () => {} });
        const seen = [];
        const save = async (name, data, answer, before = () => {}) => {
            const saved = commands.perform(name, data);
            before();
            answers.shift()(answer);
            seen.push([await saved, store.timers.map(({ id, time }) => `${id} ${time}`).join()]);
        };
        const event = (time) => store.applyEvent({ type: "timers", version: 1, data: { timers: [{ id: "t1", time }] } });
        await save("addAlarm", { time: "06:45" }, { id: "t1", time: "06:45" });
        await save("changeTimer", { id: "t1", time: "07:00" }, { id: "t1", time: "07:00" });
        await save("changeTimer", { id: "t1", time: "07:15" }, { id: "t1", time: "07:15" }, () => event("08:00"));
        await save("changeTimer", { id: "t1", time: "07:30" }, { id: "t1", time: "07:30" }, () => store.forget());
        await save("addAlarm", { time: "07:45" }, null);
        await save("sleep", { after: 900 }, { id: "t2", type: "sleep", time: "early" });
        await save("sleep", { after: 1800 }, { id: "t3", type: "sleep", time: "late" });
        await save("endTimer", { id: "t3" }, null);
        return seen;
    }""") == [[True, "t1 06:45"], [True, "t1 07:00"], [True, "t1 08:00"], [True, ""], [True, ""], [True, "t2 early"], [True, "t3 late"], [True, ""]]


def test_undo_isOfferedOnlyForTheChosenPlayersQueue_andPlayReachesThePlayerThatWasAsked(page):
    assert page.evaluate("""async () => {
        const { PlayerPaths } = await import("/net/paths.js");
        const { Commands } = await import("/state/commands.js");
        const { Store } = await import("/state/store.js");
        let player = "main";
        const asked = [];
        const told = [];
        const answers = [];
        const get = () => new Promise((resolve) => answers.push(resolve));
        const client = { get, send: (method, path) => (asked.push(path), get()) };
        const notify = (message, options) => told.push(options.action?.name ?? null);
        const commands = new Commands({ client, channel: {}, paths: new PlayerPaths(() => player), store: new Store(), notify });
        for (const next of ["main", "kitchen"]) {
            const wishes = [["clear"], ["add", { items: [{ uri: "a.mp3" }] }], ["play", { id: "i1", uri: "a.mp3" }]];
            const done = wishes.map(([name, data]) => commands.perform(name, data));
            player = next;
            while (answers.length) {
                answers.shift()({ revision: 3, count: 1 });
                await new Promise((resolve) => setTimeout(resolve));
            }
            await Promise.all(done);
        }
        return [told, asked];
    }""") == [["undo", "undo", None, None], ["/queue", "/queue/items", "/player/play"] * 2]


def test_pictures_comeAsTheyAre_whenTheyCannotBeScaled_andTheOldestIsForgotten(page):
    assert page.evaluate("""async () => {
        const { Pictures, pixelsFor } = await import("/state/pictures.js");
        const asked = [];
        const blob = async (path) => {
            asked.push(path);
            if (path.startsWith("/odd?")) throw Object.assign(new Error(), { status: 415 });
            if (path.startsWith("/none?")) return null;
            if (path.startsWith("/busy?")) throw Object.assign(new Error(), { status: 503 });
            return new Blob(["picture"]);
        };
        const gone = [];
        const revoke = URL.revokeObjectURL.bind(URL);
        URL.revokeObjectURL = (address) => { gone.push(address); revoke(address); };
        const pictures = new Pictures({ blob }, { limit: 2 });
        const first = await pictures.get("/a", 64);
        const again = await pictures.get("/a", 64);
        const found = [first === again, await pictures.get("/odd", 64) !== null, await pictures.get("/none", 64), await pictures.get("/busy", 64)];
        await pictures.get("/a", 64);
        return [found, gone.includes(first), asked, [0, 1, 64, 65, 5000].map(pixelsFor)];
    }""") == [[True, True, None, None], True,
              ["/a?size=64", "/odd?size=64", "/odd", "/none?size=64", "/busy?size=64", "/a?size=64"], [64, 64, 64, 128, 2048]]


def test_cover_isAskedForAgain_afterAnotherRunOfTheServer(page):
    assert page.evaluate("""async () => {
        const { Cover } = await import("/state/cover.js");
        const { PlayerPaths } = await import("/net/paths.js");
        const paths = new PlayerPaths(() => "main");
        const asked = [];
        const shown = [];
        const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
        const client = { blob: async (path) => (asked.push(path), new Blob(["picture"])) };
        const cover = new Cover(client, { paths, edge: 60, show: (address) => shown.push(address === null ? null : "picture") });
        const item = { id: "i 1", artwork: "there" };
        for (const step of [() => cover.update(item), () => cover.update(item), () => cover.reset(), () => cover.update(item),
                            () => cover.reset(), () => cover.update({ id: "i 1", artwork: null })]) {
            step();
            await settled();
        }
        return [asked, shown];
    }""") == [["/queue/items/i%201/artwork?size=64"] * 2, ["picture", "picture", None]]


def test_cover_stays_whileItsItemIsOpenedAgain(page):
    assert page.evaluate("""async () => {
        const { Cover } = await import("/state/cover.js");
        const { PlayerPaths } = await import("/net/paths.js");
        const shown = [];
        let asked = 0;
        const client = { blob: async () => (asked += 1, new Blob(["picture"])) };
        const cover = new Cover(client, {
            paths: new PlayerPaths(() => "main"), edge: 60, show: (address) => shown.push(address === null ? null : "picture") });
        const ready = { id: "i1", status: "ready", artwork: "there" };
        for (const item of [ready, { ...ready, status: "loading", artwork: null }, ready,
                            { id: "i2", status: "loading", artwork: null }]) {
            cover.update(item);
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return [shown, asked];
    }""") == [["picture", None], 1]


def test_waveform_isAskedForAgain_whenTheConnectionWasLost_butNotWhenItWasRefused(page):
    assert page.evaluate("""async () => {
        const { Waveform } = await import("/state/waveform.js");
        const { PlayerPaths } = await import("/net/paths.js");
        const answers = [{ status: 0 }, { status: 503 }];
        let asked = 0;
        const get = async () => { asked += 1; throw Object.assign(new Error(), answers.shift()); };
        const waveform = new Waveform({ client: { get }, paths: new PlayerPaths(() => "main"), show: () => {} });
        const item = { id: "i1", uri: "a.mp3", status: "ready", live: null, duration: 3 };
        for (let look = 0; look < 4; look += 1) {
            waveform.update(item);
            await new Promise((resolve) => setTimeout(resolve, 500));
        }
        return asked;
    }""") == 2


def test_waveform_stays_whileItsItemIsOpenedAgain(page):
    assert page.evaluate("""async () => {
        const { Waveform } = await import("/state/waveform.js");
        const { PlayerPaths } = await import("/net/paths.js");
        const steps = [];
        let answer;
        const get = () => { steps.push("asked"); return new Promise((resolve) => (answer = resolve)); };
        const waveform = new Waveform({ client: { get }, paths: new PlayerPaths(() => "main"), show: (shape) => steps.push(shape) });
        const item = { id: "i1", uri: "a.mp3", status: "ready", live: null, duration: 3 };
        const openAgain = () => { waveform.update({ ...item, status: "loading", duration: null }); waveform.update(item); };
        waveform.update(item);
        await new Promise((resolve) => setTimeout(resolve, 500));
        openAgain();
        answer("shape");
        await new Promise((resolve) => setTimeout(resolve, 500));
        openAgain();
        waveform.update({ ...item, status: "failed" });
        return steps;
    }""") == [None, "asked", "shape", None]


def test_cacheEvents_keepWhatTheyDoNotTellOf_andAskForTheRest(page):
    assert page.evaluate("""async () => {
        const { Cache } = await import("/state/cache.js");
        const entry = (key, inUse, bytes = 1) => ({ key, inUse, bytes });
        const lists = [[entry("a", true), entry("b", false)], [entry("a", false, 9), entry("b", false)]];
        let asked = 0;
        const cache = new Cache({ get: async () => ({ enabled: true, count: 2, entries: lists[Math.min(asked++, 1)] }) });
        const shown = () => cache.status.entries.map(({ key, bytes }) => `${key}${bytes}`).join(" ");
        const hear = (...entries) => cache.applyEvent({ type: "cache", data: { enabled: true, count: 2, entries } });
        cache.isShown = true;
        await cache.list();
        const steps = [shown()];
        hear(entry("a", true, 5));
        steps.push(shown(), asked);
        for (let count = 0; count < 20; count += 1) hear();
        await new Promise((resolve) => setTimeout(resolve, 1200));
        steps.push(shown(), asked);
        cache.isShown = false;
        hear(entry("a", true, 77));
        return [...steps, shown()];
    }""") == ["a1 b1", "a5 b1", 1, "a9 b1", 2, "a9 b1"]


def test_cacheEvents_areNewerThanAnAnswerThatWasAskedForBefore(page):
    assert page.evaluate("""async () => {
        const { Cache } = await import("/state/cache.js");
        let answer;
        const cache = new Cache({ get: () => new Promise((resolve) => (answer = resolve)) });
        const status = (bytes) => ({ enabled: true, count: 1, entries: [{ key: "a", inUse: true, bytes }] });
        cache.isShown = true;
        for (const [asked, heard] of [[1, null], [5, 9]]) {
            const read = cache.list();
            if (heard) cache.applyEvent({ type: "cache", data: status(heard) });
            answer(status(asked));
            await read;
        }
        cache.isShown = false;
        return cache.status.entries[0].bytes;
    }""") == 9


def test_aChosenControl_isNotUndoneByOlderNews(page):
    assert page.evaluate("""async () => {
        const { ControlTable, controlMarkup } = await import("/lib/control-table.js");
        const { render } = await import("/lib/html.js");
        const controls = [{ name: "mono", kind: "check", words: "Mono", get: ({ mono }) => mono, patch: (mono) => ({ mono }) }];
        const root = document.createElement("div");
        document.body.append(root);
        render(root, controlMarkup(controls));
        let state = { mono: false };
        let answer;
        const table = new ControlTable(root, controls, { state: () => state, send: () => new Promise((resolve) => (answer = resolve)) });
        const box = root.querySelector("input");
        const seen = [];
        for (const isDone of [true, false]) {
            table.draw();
            box.click();
            table.draw();
            seen.push(box.checked);
            if (isDone) state = { mono: box.checked };
            answer(isDone);
            await new Promise((resolve) => setTimeout(resolve));
            seen.push(box.checked);
        }
        return seen;
    }""") == [True, True, False, True]
