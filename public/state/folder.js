// SPDX-License-Identifier: Apache-2.0

import { describeItem, isNetwork } from "../lib/media.js";
import { observe } from "../lib/signal.js";

const pageSize = 500;
/** A list may come from a slow server. */
const slow = { timeout: 30_000 };

/** The folder or playlist in the music pane, loaded page by page. */
export class Folder {
  #client;
  #generation = 0;
  #lists = 0;

  constructor(client) {
    this.#client = client;
  }

  open(path) {
    return this.#show(() => this.#page(path, 0));
  }

  /**
   * Shows the entries of a playlist, local or from the web. Resolves to false if another place was opened meanwhile. Rejects
   * with the server's problem and keeps the content.
   */
  async openList(uri) {
    const generation = this.#generation;
    const order = ++this.#lists;
    const isOvertaken = () => generation !== this.#generation || order !== this.#lists;
    try {
      const { length, truncated, items } = await this.#client.get(`/media/list?${new URLSearchParams({ uri })}`, slow);
      if (isOvertaken()) return false;
      const parent = isNetwork(uri) ? "" : uri.split("/").slice(0, -1).join("/");
      await this.#show(() => ({ path: uri, parent, length, truncated, isList: true, entries: items.map(entryOf) }));
      return true;
    } catch (problem) {
      if (isOvertaken()) return false;
      throw problem;
    }
  }

  async #show(load) {
    const generation = ++this.#generation;
    try {
      const content = await load();
      if (generation !== this.#generation) return;
      this.content = content;
      this.problem = null;
    } catch (problem) {
      if (generation !== this.#generation) return;
      this.content = null;
      this.problem = problem.message;
    }
  }

  /** Loads the next page. Rejects with the server's problem and keeps the loaded pages. */
  async more() {
    const { content } = this;
    const generation = this.#generation;
    if (!content || content.entries.length >= content.length) return;
    const page = await this.#page(content.path, content.entries.length);
    if (generation !== this.#generation || content !== this.content) return;
    this.content = { ...content, length: page.length, entries: [...content.entries, ...page.entries] };
  }

  #page(path, offset) {
    return this.#client.get(`/browse?${new URLSearchParams({ path, offset, limit: pageSize })}`);
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
