// SPDX-License-Identifier: Apache-2.0

import { describeItem, isNetwork } from "../lib/media.js";
import { Newest } from "../lib/newest.js";
import { observe } from "../lib/signal.js";

const pageSize = 500;
/** Of one answer. */
const mostEntries = 1000;
/** A list may come from a slow server. */
const slow = { timeout: 30_000 };

/** The folder or playlist in the music pane, loaded page by page. */
export class Folder {
  #client;
  /** Of the folder to show. */
  #path = "";
  /** The library's revision when it last changed. */
  #revision = null;
  #folders = new Newest();
  #lists = new Newest();

  constructor(client) {
    this.#client = client;
  }

  open(path) {
    this.#lists.forget();
    this.#path = path;
    return this.#folders.take(this.#page(path, 0), (content) => this.#show(content), ({ message }) => this.#show(null, message));
  }

  /** Reads the folder again, with the pages that are loaded. Keeps it while the server is busy, and where it has too many entries. */
  reload() {
    const { content } = this;
    const count = Math.max(pageSize, content?.entries.length ?? 0);
    if (content?.isList || count > mostEntries) return undefined;
    const keep = ({ status }) => content !== null && [0, 429].includes(status);
    return this.#folders.take(this.#page(this.#path, 0, count), (read) => this.#show(read),
      (problem) => keep(problem) || this.#show(null, problem.message));
  }

  /** The library has changed; a scan changes it many times, so only its end counts. */
  applyStatus({ revision, state }) {
    if (revision === this.#revision || state === "scanning") return;
    this.#revision = revision;
    this.reload();
  }

  /**
   * Shows the entries of a playlist, local or from the web. Resolves to true, unless another place was opened meanwhile. Rejects
   * with the server's problem and keeps the content.
   */
  openList(uri) {
    const parent = isNetwork(uri) ? "" : uri.split("/").slice(0, -1).join("/");
    return this.#lists.take(this.#client.get(`/media/list?${new URLSearchParams({ uri })}`, slow), ({ length, truncated, items }) => {
      this.#folders.forget();
      this.#show({ path: uri, parent, length, truncated, isList: true, entries: items.map(entryOf) });
      return true;
    }, (problem) => Promise.reject(problem));
  }

  #show(content, problem = null) {
    this.content = content;
    this.problem = problem;
  }

  /** Loads the next page. Rejects with the server's problem and keeps the loaded pages. */
  async more() {
    const { content } = this;
    if (!content || content.entries.length >= content.length) return;
    const page = await this.#page(content.path, content.entries.length);
    if (content !== this.content) return;
    this.content = { ...content, length: page.length, entries: [...content.entries, ...page.entries] };
  }

  #page(path, offset, limit = pageSize) {
    return this.#client.get(`/browse?${new URLSearchParams({ path, offset, limit })}`);
  }
}

observe(Folder, {
  /** `{path, parent, length, entries, isList, truncated}`; null while it loads or after a problem. */
  content: null,
  problem: null,
});

/** Converts to the form of a folder's entry. `item` is for the queue; null if its address is hidden. */
function entryOf(item) {
  const { title, artist } = describeItem(item);
  // The server hides secrets in addresses: such an item can only be added with its list, and a hidden picture is left out.
  const isHidden = (address) => isNetwork(address) && address.includes("***");
  const known = Object.entries(item).filter(([name, value]) => value !== null && !(name === "artworkUri" && isHidden(value)));
  return { type: "entry", name: title, note: artist, path: item.uri, item: isHidden(item.uri) ? null : Object.fromEntries(known) };
}
