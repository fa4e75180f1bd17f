// SPDX-License-Identifier: Apache-2.0

import "./components/all.js";
import { Browse } from "./browse.js";
import { defineAll } from "./lib/component.js";
import { html, render } from "./lib/html.js";
import { icon } from "./lib/icons.js";
import { remembered } from "./lib/lyrics.js";
import { describeItem } from "./lib/media.js";
import { describeRoute } from "./lib/session.js";
import { settingRanges } from "./lib/setting-ranges.js";
import { listenForShortcuts } from "./lib/shortcuts.js";
import { effect, untracked } from "./lib/signal.js";
import { advise, describe } from "./lib/status.js";
import { describeSleep, nextAlarm } from "./lib/time.js";
import { WayBack } from "./lib/way-back.js";
import { Client } from "./net/client.js";
import { PlayerPaths } from "./net/paths.js";
import { EventSocket } from "./net/socket.js";
import { currentToken, keepToken, takeTokenFromAddress, tokenIn } from "./net/token.js";
import { shortcuts } from "./shortcuts.js";
import { Commands } from "./state/commands.js";
import { Connection } from "./state/connection.js";
import { Cover } from "./state/cover.js";
import { Failures } from "./state/failures.js";
import { LockScreen } from "./state/lock-screen.js";
import { LyricCover } from "./state/lyric-cover.js";
import { Players } from "./state/players.js";
import { QueueWindows } from "./state/queue-windows.js";
import { Store } from "./state/store.js";
import { Waveform } from "./state/waveform.js";

takeTokenFromAddress();
await defineAll();

const find = (selector) => document.querySelector(selector);
const view = {
  access: find("access-note"), banner: find("connection-banner"), browser: find("music-browser"), confirm: find("confirm-dialog"),
  lock: find("lock-screen-toggle"), lyrics: find("lyrics-view"), mini: find("mini-player"), now: find("now-playing"),
  output: find("output-picker"), players: find("player-picker"), queue: find("queue-list"), recorder: find("recorder-panel"),
  seek: find("seek-bar"), session: find("session-dialog"), shortcuts: find("shortcuts-dialog"), toasts: find("toast-stack"),
  sound: find("sound-view"), token: find("token-dialog"), transport: find("transport-controls"), volume: find("volume-control"),
};

/** Keeps each field of `target` at the value of its function. */
function bind(target, fields) {
  for (const [name, value] of Object.entries(fields)) effect(() => (target[name] = value()));
}

const store = new Store();
const client = new Client({ token: currentToken });
const players = new Players(client);
const paths = new PlayerPaths(() => untracked(() => players.steered));
const socket = new EventSocket({ paths, token: currentToken, interval: 0.5 });
const notify = (message, options) => view.toasts.show({ message, ...options });
const commands = new Commands({ client, channel: socket, paths, store, notify, settle: (request) => view.toasts.settle(request) });
const windows = new QueueWindows((offset, limit) => client.get(paths.queue(`?offset=${offset}&limit=${limit}`)).catch(() => null));
const browse = new Browse({ client, paths, socket, find, bind, notify });
const connection = new Connection({
  client, paths, socket, store, windows,
  onGone: () => {
    notify(`The player ${players.nameOf(players.steered)} was removed. This page now controls ${players.nameOf("main")}.`);
    players.steer("main");
  },
  onRead: () => {
    players.load();
    browse.refresh();
    browse.recorder.ask();
  },
});
const failures = new Failures();
const lockScreen = LockScreen.isPossible
  ? new LockScreen({ audio: find("#silence"), perform: (name, data) => commands.perform(name, data) }) : null;
// `lyrics` is null while the server opens the item.
const lyricsOf = remembered((item) => !item.lyrics ? null : client.get(paths.item(item.id, "/lyrics")).catch(() => null));
const lyricCover = new LyricCover({ load: lyricsOf, show: (address) => lockScreen && (lockScreen.artwork = address) });
const picture = view.now.refs.box;
const cover = new Cover(client, {
  paths, edge: picture.clientWidth, show: (address) => (view.now.artwork = view.mini.artwork = lyricCover.cover = address),
});
const waveform = new Waveform({ client, paths, show: (shape) => (view.seek.waveform = shape) });
new ResizeObserver(([{ contentRect }]) => cover.resize(contentRect.width)).observe(picture);

// From the state to the views.

const player = () => store.player;
// undefined before the first snapshot.
const item = () => store.player && (store.player.item ?? null);
const time = () => store.time;
const status = () => describe(store.player, store.connection);
const isReadOnly = () => store.isReadOnly;

view.lyrics.load = lyricsOf;
Object.assign(view.queue, { failures, windows });
view.lock.hidden = lockScreen === null;
bind(view.access, { isReadOnly });
bind(view.banner, { connection: () => store.connection });
bind(view.browser, { isReadOnly });
bind(view.lyrics, { item, time });
bind(view.mini, { player, status });
bind(view.now, {
  item: () => item() ?? (store.player ? null : undefined), status, advice: () => advise(store.player, store.connection), timers: () => store.timers,
  leader: () => players.list.find(({ id }) => id === store.player?.leader)?.name ?? null,
});
bind(view.output, { outputs: () => store.outputs });
bind(view.players, { players: () => ({ list: players.list, steered: players.steered }) });
bind(view.queue, { player });
bind(view.recorder, { item, session: () => store.session });
bind(view.seek, { item, time, buffer: () => store.buffer });
bind(view.session, {
  player, outputs: () => store.outputs, session: () => store.session, timers: () => store.timers, hasRecorder: () => browse.recorder.isEnabled,
});
bind(view.sound, { effects: () => store.effects, player, levels: () => store.levels, isShown: () => view.session.isOpen });
bind(find("equalizer-panel"), { effects: () => store.effects, presets: () => store.presets, sampleRate: () => store.player?.output?.sampleRate ?? 48_000 });
bind(find("alarm-list"), {
  timers: () => store.timers, playlists: () => browse.playlists.lists, player: () => players.steered, folder: () => browse.folder.content?.path ?? "",
});
bind(view.toasts, { queue: () => store.player?.queue ?? null });
bind(view.transport, { player });
bind(view.volume, { player });
bind(lyricCover, { item, time });
if (lockScreen) bind(lockScreen, { player, time, connected: () => store.connection.state === "open" });

/** Calls `use` with the player after each change. Other values that `use` reads do not trigger it. */
const withPlayer = (use) => effect(() => {
  const now = store.player;
  if (now) untracked(() => use(now));
});
withPlayer((now) => failures.follow(now));
withPlayer((now) => cover.update(now.item));
withPlayer((now) => waveform.update(now.item));
withPlayer((now) => windows.update(now.queue));
effect(() => {
  if (browse.recorder.status?.state === "idle") untracked(() => commands.recordingEnded());
});
effect(() => {
  const { state } = store.connection;
  document.body.dataset.connection = state;
  if (state === "unauthorized") view.token.open({ refused: currentToken() !== null });
  else if (state === "open") view.token.close();
});
effect(() => {
  const { title, artist } = describeItem(store.player?.item);
  const mark = store.player?.status === "playing" && store.connection.state === "open" ? "▶ " : "";
  document.title = title ? `${mark}${artist ? `${title} – ${artist}` : title} · Tonearm` : "Tonearm";
});
effect(() => {
  const button = find("[data-action=sound]");
  const alarm = nextAlarm(store.timers);
  const set = [describeSleep(store.timers), alarm && `alarm ${alarm}`].filter(Boolean).join(", ");
  button.classList.toggle("on", set !== "");
  button.title = button.ariaLabel = `Sound and timers${set && `: ${set}`}`;
});
effect(() => {
  for (const group of document.querySelectorAll(".needs-control")) group.disabled = store.isReadOnly;
});

store.addEventListener("run", () => {
  cover.reset();
  failures.reset();
  view.queue.selection.clear();
  // Another item may have the same id now.
  view.lyrics.item = lyricCover.item = null;
});
store.addEventListener("error", ({ detail }) => {
  if (failures.note(detail)) notify(detail.message, { tone: "error" });
});
store.addEventListener("route", ({ detail }) => {
  const message = describeRoute(detail, store.player);
  if (message) notify(message);
});
socket.addEventListener("message", ({ detail }) => players.applyEvent(detail));
players.addEventListener("steer", () => {
  store.forget();
  socket.change();
});

// From the views to the state and the server.

const handlers = {
  "browse-view": ({ view }) => browse.show(view),
  "open-folder": (detail) => (detail.result = browse.open(detail)),
  "playlists-changed": () => browse.playlists.load(),
  request: (detail) => (detail.result = commands.perform(detail.name, detail.data)),
  confirm: (detail) => (detail.result = view.confirm.ask(detail)),
  notify: (detail) => view.toasts.show(detail),
  "steer-player": ({ id }) => players.steer(id),
  "watch-levels": ({ on }) => watchLevels(on),
  reconnect: () => connection.reconnect(),
  "show-now": () => showTab("now"),
  "show-browse": () => {
    showTab("browse");
    browse.part.focusFirst();
  },
  "lock-screen": (detail) => (detail.result = showOnLockScreen(detail.on)),
  "ask-token": () => view.token.open({ optional: true }),
  token: ({ token }) => {
    keepToken(tokenIn(token) ?? token);
    store.isReadOnly = false;
    store.setConnection({ state: "connecting", retryAt: null, attempt: 0 });
    connection.start();
  },
};
for (const [name, handle] of Object.entries(handlers)) addEventListener(name, ({ detail }) => handle(detail));
view.seek.addEventListener("input", ({ target }) => view.lyrics.preview(Number(target.value)));

/** A server without meters rejects the subscription; the view hides them. */
async function watchLevels(on) {
  store.levels = null;
  try {
    await socket.watch(on ? ["levels"] : []);
  } catch (problem) {
    view.sound.hasLevels = problem.status !== 422 && problem.status !== 400;
  }
}

/** Reads the ranges of settings that this server accepts from its contract. */
async function openSound() {
  view.session.open();
  const contract = await fetch("/openapi.yaml").catch(() => null);
  if (contract?.ok) view.sound.ranges = settingRanges(await contract.text());
}

async function showOnLockScreen(on) {
  if (!on) lockScreen.turnOff();
  else await lockScreen.turnOn().catch(() => notify("This browser does not let the page play.", { tone: "error" }));
  view.lock.on = lyricCover.isOn = lockScreen.isOn;
}

function showTab(name) {
  document.body.dataset.tab = name;
  for (const tab of document.querySelectorAll(".tabs button")) {
    if (tab.dataset.tab === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
}

for (const button of document.querySelectorAll("button[data-icon]:empty, .tabs button")) render(button, html`${icon(button.dataset.icon)}${button.textContent}`);
for (const part of document.querySelectorAll(".skip-link, .tabs button")) part.addEventListener("click", () => showTab(part.dataset.tab));
find("[data-action=shortcuts]").addEventListener("click", () => view.shortcuts.open());
find("[data-action=sound]").addEventListener("click", openSound);
listenForShortcuts(shortcuts({ browse, commands, store, view, showTab }));

/** Not that of the token, which may be needed. */
const openDialogs = () => [...document.querySelectorAll("dialog:modal:not(token-dialog *)")];
/** The depth first: an effect follows it also while the music is out of sight. */
const musicDepth = () => browse.depth * (find("#pane-browse").offsetWidth > 0);
new WayBack({
  depth: () => musicDepth() + openDialogs().length,
  leave(depth) {
    const below = musicDepth();
    for (const dialog of openDialogs().slice(Math.max(0, depth - below))) dialog.parentElement.dismiss();
    if (depth < below) browse.leave(depth);
  },
});

connection.start();
