// SPDX-License-Identifier: Apache-2.0

import { stepsOf } from "./lib/media.js";
import { describeStreamEnd } from "./lib/saved-stream.js";
import { observe } from "./lib/signal.js";
import { Cache } from "./state/cache.js";
import { Folder } from "./state/folder.js";
import { Library } from "./state/library.js";
import { Pictures } from "./state/pictures.js";
import { Playlists } from "./state/playlists.js";
import { Recorder } from "./state/recorder.js";

/** The music pane: its views, their state, and the one that is shown. */
export class Browse {
  #notify;
  #parts;

  /** `find(selector)` gives an element; `notify` as of `Commands`; `bind` as of app.js. */
  constructor({ client, paths, socket, find, bind, notify }) {
    this.#notify = notify;
    this.folder = new Folder(client);
    this.library = new Library(client);
    this.playlists = new Playlists(client);
    this.cache = new Cache(client);
    this.recorder = new Recorder({ client, paths });
    this.#parts = { folders: find("music-browser"), library: find("library-browser"), playlists: find("playlist-browser"), web: find("web-panel"), recorder: find("recorder-panel") };
    const { folders, library, playlists, recorder } = this.#parts;
    Object.assign(folders, { folder: this.folder });
    Object.assign(library, { library: this.library, pictures: new Pictures(client) });
    Object.assign(playlists, { playlists: this.playlists });
    Object.assign(recorder, { recorder: this.recorder });
    Object.assign(find("cache-list"), { cache: this.cache });
    bind(find("browse-switch"), { view: () => this.view, hasRecorder: () => this.recorder.isEnabled });
    socket.addEventListener("message", ({ detail }) => {
      if (detail.type === "library") this.library.applyStatus(detail.data);
      if (detail.type === "library" && this.view === "folders") this.folder.applyStatus(detail.data);
      this.recorder.applyEvent(detail);
      this.cache.applyEvent(detail);
    });
    this.recorder.addEventListener("stream-ended", ({ detail }) => {
      const message = describeStreamEnd(detail);
      if (message) notify(message, { tone: detail.successfully ? "info" : "error" });
    });
  }

  /** The part that is shown; each has `focusFirst` and `focusFilter`. */
  get part() {
    return this.#parts[this.view];
  }

  /** How far the shown view is below its first list. */
  get depth() {
    return { folders: this.#folderSteps.length, library: this.library.depth, playlists: this.playlists.list ? 1 : 0 }[this.view] ?? 0;
  }

  leave(depth) {
    if (this.view === "folders") this.folder.open(this.#folderSteps.slice(0, depth).join("/"));
    else if (this.view === "library") this.library.leave(depth);
    else this.playlists.open(null);
  }

  get #folderSteps() {
    return stepsOf(this.folder.content?.path ?? "");
  }

  show(view) {
    this.view = view;
    for (const [name, part] of Object.entries(this.#parts)) part.hidden = name !== view;
    this.cache.isShown = view === "web";
    this.recorder.isShown = view === "recorder";
    this.refresh();
  }

  /** Reads the shown view again, also after the connection came back. */
  refresh() {
    if (this.view === "folders") this.folder.reload();
    else if (this.view === "library") this.library.start();
    else if (this.view === "playlists") this.playlists.load();
    else if (this.view === "recorder") this.recorder.list();
    else if (this.view === "web") this.cache.list();
  }

  /** Opens a folder, or shows the entries of a playlist. */
  async open({ path, isList }) {
    if (!isList) return void this.folder.open(path);
    try {
      if (await this.folder.openList(path)) this.show("folders");
    } catch (problem) {
      this.#notify(problem.message, { tone: "error" });
    }
  }
}

observe(Browse, { view: "folders" });
