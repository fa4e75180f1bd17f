// SPDX-License-Identifier: Apache-2.0

import "./components/all.js";
import { Browse } from "./browse.js";
import { Client } from "./net/client.js";
import { PlayerPaths } from "./net/paths.js";
import { EventSocket } from "./net/socket.js";
import { currentToken, forgetToken, keepToken, takeTokenFromAddress } from "./net/token.js";
import { render } from "./lib/html.js";
import { icon } from "./lib/icons.js";
import { remembered } from "./lib/lyrics.js";
import { describeItem } from "./lib/media.js";
import { describeRoute } from "./lib/session.js";
import { listenForShortcuts } from "./lib/shortcuts.js";
import { advise, describe } from "./lib/status.js";
import { Commands } from "./state/commands.js";
import { Connection } from "./state/connection.js";
import { Cover } from "./state/cover.js";
import { Failures } from "./state/failures.js";
import { Folder } from "./state/folder.js";
import { LockScreen } from "./state/lock-screen.js";
import { LyricCover } from "./state/lyric-cover.js";
import { Players } from "./state/players.js";
import { QueueWindows } from "./state/queue-windows.js";
import { Store } from "./state/store.js";
import { Waveform } from "./state/waveform.js";
import { shortcuts } from "./shortcuts.js";

takeTokenFromAddress();

const find = (selector) => document.querySelector(selector);
const view = {
  access: find("access-note"), banner: find("connection-banner"), confirm: find("confirm-dialog"), browser: find("music-browser"),
  lyrics: find("lyrics-view"), mini: find("mini-player"),
  now: find("now-playing"), output: find("output-picker"), players: find("player-picker"), queue: find("queue-list"), recorder: find("recorder-panel"), seek: find("seek-bar"),
  session: find("session-dialog"), shortcuts: find("shortcuts-dialog"), toasts: find("toast-stack"), token: find("token-dialog"),
  transport: find("transport-controls"), volume: find("volume-control"),
};

const store = new Store();
const client = new Client({ token: currentToken });
const players = new Players(client);
const paths = new PlayerPaths(() => players.steered);
const socket = new EventSocket({ paths, token: currentToken, interval: 0.5 });
const notify = (message, options) => view.toasts.show({ message, ...options });
const commands = new Commands({ client, channel: socket, paths, store, notify });
const folder = new Folder(client);
const windows = new QueueWindows((offset, limit) =>
  client.get(paths.queue(`?offset=${offset}&limit=${limit}`)).catch(() => null));
const connection = new Connection({
  client, paths, socket, store, windows,
  onGone: () => {
    notify(`The player ${players.nameOf(players.steered)} is gone: this page steers ${players.nameOf("main")} now.`);
    players.steer("main");
  },
  onOpen: () => {
    players.load();
    folder.content ?? folder.open("");
    browse.refresh();
    browse.recorder.ask();
  },
});
const failures = new Failures();
const browse = new Browse({ client, paths, socket, notify });
const lockScreen = LockScreen.isPossible
  ? new LockScreen({ audio: find("#silence"), perform: (name, data) => commands.perform(name, data) }) : null;
// Where the server knows that there are none it is not asked.
const lyricsOf = remembered((item) => item.lyrics === false ? null : client.get(paths.item(item.id, "/lyrics")).catch(() => null));
const lyricCover = new LyricCover({
  load: lyricsOf,
  show: (address) => lockScreen && (lockScreen.artwork = address),
});
const cover = new Cover(client, {
  paths,
  edge: view.now.box.clientWidth,
  show: (address) => (view.now.artwork = view.mini.artwork = lyricCover.cover = address),
});
const waveform = new Waveform({ client, paths, show: (shape) => (view.seek.waveform = shape) });
new ResizeObserver(([{ contentRect }]) => cover.resize(contentRect.width)).observe(view.now.box);

// What the server says, to the components.

store.addEventListener("connection", () => {
  view.banner.connection = store.connection;
  document.body.dataset.connection = store.connection.state;
  if (lockScreen) lockScreen.connected = store.connection.state === "open";
  if (store.connection.state === "unauthorized") view.token.open({ refused: currentToken() !== null });
  else if (store.connection.state === "open") view.token.close();
  showStatus();
});

store.addEventListener("player", () => {
  const { player } = store;
  failures.follow(player);
  view.now.item = player.item;
  view.transport.player = player;
  view.volume.player = player;
  view.session.player = player;
  view.mini.player = player;
  view.queue.player = player;
  view.recorder.item = player.item;
  view.seek.enabled = player.item?.seekable !== false;
  view.seek.isLive = Boolean(player.item?.live);
  cover.update(player.item);
  waveform.update(player.item);
  view.lyrics.item = lyricCover.item = player.item;
  if (lockScreen) lockScreen.player = player;
  showStatus();
});

store.addEventListener("run", () => {
  cover.reset();
  failures.reset();
  // Another item may have the same id now.
  view.lyrics.item = lyricCover.item = null;
});
store.addEventListener("time", () => {
  view.seek.time = store.time;
  view.seek.enabled = store.player?.item?.seekable !== false;
  view.lyrics.time = lyricCover.time = store.time;
  if (lockScreen) lockScreen.time = store.time;
});
store.addEventListener("error", ({ detail }) => {
  if (failures.note(detail)) notify(detail.message, { tone: "error" });
});
store.addEventListener("buffer", () => (view.seek.buffer = store.buffer));
store.addEventListener("queue", () => {
  windows.update(store.player.queue);
  view.toasts.revision = store.player.queue.revision;
});
store.addEventListener("access", () => {
  const { isReadOnly } = store;
  for (const group of document.querySelectorAll(".needs-control")) group.disabled = isReadOnly;
  view.browser.isReadOnly = view.access.isReadOnly = isReadOnly;
});
store.addEventListener("outputs", () => (view.output.outputs = view.session.outputs = store.outputs));
store.addEventListener("session", () => (view.session.session = store.session));
store.addEventListener("route", ({ detail }) => {
  const message = describeRoute(detail, store.player);
  if (message) notify(message);
});
folder.addEventListener("change", () => {
  if (folder.content) view.browser.folder = folder.content;
  else view.browser.problem = folder.problem;
});
view.lyrics.load = lyricsOf;
view.seek.addEventListener("input", ({ target }) => view.lyrics.preview(Number(target.value)));
view.queue.failures = failures;
view.queue.windows = windows;

function showStatus() {
  const status = describe(store.player, store.connection);
  view.now.status = status;
  view.now.advice = advise(store.player, store.connection);
  view.mini.status = status;
  const { title, artist } = describeItem(store.player?.item);
  const mark = store.player?.status === "playing" && store.connection.state === "open" ? "▶ " : "";
  document.title = title ? `${mark}${artist ? `${title} – ${artist}` : title} · Tonearm` : "Tonearm";
}

socket.addEventListener("message", ({ detail }) => players.applyEvent(detail));
players.addEventListener("change", () => (view.players.players = players));
players.addEventListener("steer", () => socket.change());

// What the user wants, to the server.

addEventListener("request", ({ detail }) => (detail.result = commands.perform(detail.name, detail.data)));
addEventListener("confirm", ({ detail }) => (detail.result = view.confirm.ask(detail)));
addEventListener("notify", ({ detail }) => view.toasts.show(detail));
addEventListener("open-folder", async ({ detail: { path, isList } }) => {
  if (!isList) return void folder.open(path);
  try {
    if (await folder.openList(path)) browse.choose("folders");
  } catch (problem) {
    notify(problem.message, { tone: "error" });
  }
});
addEventListener("steer-player", ({ detail }) => players.steer(detail.id));
addEventListener("load-more", () => folder.more());
addEventListener("reconnect", () => connection.reconnect());
addEventListener("show-now", () => showTab("now"));
addEventListener("show-browse", () => {
  showTab("browse");
  browse.part.focusFirst();
});
const lockScreenToggle = find("lock-screen-toggle");
lockScreenToggle.hidden = lockScreen === null;
addEventListener("lock-screen", async ({ detail }) => {
  if (!detail.on) lockScreen.turnOff();
  else await lockScreen.turnOn().catch(() => notify("This browser does not let the page play.", { tone: "error" }));
  lockScreenToggle.on = lyricCover.isOn = lockScreen.isOn;
});
addEventListener("ask-token", () => view.token.open({ optional: true }));
addEventListener("token", ({ detail }) => {
  forgetToken();
  keepToken(detail.token);
  store.setReadOnly(false);
  store.setConnection({ state: "connecting", retryAt: null, attempt: 0 });
  connection.start();
});

function showTab(name) {
  document.body.dataset.tab = name;
  for (const tab of document.querySelectorAll(".tabs button")) {
    if (tab.dataset.tab === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  if (name === "browse") folder.content ?? folder.open("");
}

for (const link of document.querySelectorAll(".skip-link")) link.addEventListener("click", () => showTab(link.dataset.tab));
for (const tab of document.querySelectorAll(".tabs button")) {
  const label = tab.textContent;
  render(tab, icon(tab.dataset.icon));
  tab.append(label);
  tab.addEventListener("click", () => showTab(tab.dataset.tab));
}
const help = find("[data-name=shortcuts]");
render(help, icon("keyboard"));
help.addEventListener("click", () => view.shortcuts.open());
const sound = find("[data-name=sound]");
render(sound, icon("speaker"));
sound.addEventListener("click", () => view.session.open());

listenForShortcuts(shortcuts({ browse, commands, store, view, showTab }));
// Nothing is known yet, so nothing can be pressed.
for (const part of [view.transport, view.volume, view.mini, view.queue]) part.player = null;
showStatus();
connection.start();
