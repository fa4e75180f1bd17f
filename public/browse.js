// SPDX-License-Identifier: Apache-2.0

import { describeStreamEnd } from "./lib/saved-stream.js";
import { Cache } from "./state/cache.js";
import { Library } from "./state/library.js";
import { Pictures } from "./state/pictures.js";
import { Playlists } from "./state/playlists.js";
import { Recorder } from "./state/recorder.js";

/** The views of the music pane: which one is shown, and what keeps the library, the playlists, the cache and the recorder fed. */
export class Browse {
  #client;
  #notify;
  #view = "folders";
  #parts;

  /** `notify` as of `Commands`. */
  constructor({ client, paths, socket, notify }) {
    const find = (selector) => document.querySelector(selector);
    this.#client = client;
    this.#notify = notify;
    this.#parts = { folders: find("music-browser"), library: find("library-browser"), playlists: find("playlist-browser"), web: find("web-panel"), recorder: find("recorder-panel") };
    this.library = new Library(client);
    const { library } = this.#parts;
    library.pictures = new Pictures(client);
    library.content = null;
    this.library.addEventListener("change", () => {
      library.content = this.library.content;
      library.problem = this.library.problem;
    });
    this.library.addEventListener("status", () => (library.status = this.library.status));
    socket.addEventListener("message", ({ detail }) => {
      if (detail.type === "library") this.library.applyStatus(detail.data);
    });
    this.#followRecorder(socket, paths, find("browse-switch"));
    this.#followCache(socket, find("cache-list"));
    addEventListener("browse-view", ({ detail }) => this.show(detail.view));
    addEventListener("library-open", ({ detail }) => this.library.open(detail));
    addEventListener("library-back", () => this.library.back());
    addEventListener("library-search", ({ detail }) => this.library.search(detail.text));
    addEventListener("library-more", () => this.library.more());
    this.#followPlaylists();
  }

  /** The part that is shown; each has `focusFirst` and `focusFilter`. */
  get part() {
    return this.#parts[this.#view];
  }

  /** As if its tab had been pressed. */
  choose(view) {
    document.querySelector("browse-switch").view = view;
    this.show(view);
  }

  show(view) {
    this.#view = view;
    for (const [name, part] of Object.entries(this.#parts)) part.hidden = name !== view;
    this.cache.isShown = view === "web";
    this.recorder.isShown = view === "recorder";
    this.refresh();
  }

  /** Also after the connection came back: what is shown is read again. */
  refresh() {
    if (this.#view === "library") this.library.start();
    else if (this.#view === "playlists") this.playlists.load();
    else if (this.#view === "recorder") this.recorder.list();
    else if (this.#view === "web") this.cache.list();
  }

  #followRecorder(socket, paths, tabs) {
    const { recorder: panel } = this.#parts;
    this.recorder = new Recorder({ client: this.#client, paths });
    this.recorder.addEventListener("change", () => {
      tabs.hasRecorder = this.recorder.isEnabled;
      panel.recorder = this.recorder;
    });
    this.recorder.addEventListener("stream-ended", ({ detail }) => {
      const message = describeStreamEnd(detail);
      if (message) this.#notify(message, { tone: detail.successfully ? "info" : "error" });
    });
    this.recorder.addEventListener("level", ({ detail }) => (panel.level = detail));
    socket.addEventListener("message", ({ detail }) => this.recorder.applyEvent(detail));
    addEventListener("recordings-changed", () => this.recorder.list());
  }

  #followCache(socket, list) {
    this.cache = new Cache(this.#client);
    list.cache = this.cache;
    this.cache.addEventListener("change", () => (list.cache = this.cache));
    socket.addEventListener("message", ({ detail }) => this.cache.applyEvent(detail));
    addEventListener("cache-changed", () => this.cache.list());
  }

  #followPlaylists() {
    const { playlists: part } = this.#parts;
    this.playlists = new Playlists(this.#client);
    this.playlists.addEventListener("change", () => {
      part.lists = this.playlists.lists;
      part.list = this.playlists.list;
      part.problem = this.playlists.problem;
    });
    part.lists = null;
    addEventListener("playlists-changed", () => this.playlists.load());
    addEventListener("playlist-open", ({ detail }) => this.playlists.open(detail.id));
    addEventListener("playlist-more", () => this.playlists.more());
  }
}
