// SPDX-License-Identifier: Apache-2.0

import { observe } from "../lib/signal.js";

const pageSize = 200;

/** The saved playlists, and the open one page by page. */
export class Playlists {
  #client;
  #generation = 0;
  #loads = 0;

  constructor(client) {
    this.#client = client;
  }

  async load() {
    const order = ++this.#loads;
    try {
      const { playlists } = await this.#client.get("/playlists");
      // A newer request has overtaken this one.
      if (order !== this.#loads) return;
      this.lists = playlists;
      this.problem = null;
    } catch (problem) {
      if (order === this.#loads) this.problem = problem.message;
    }
    // It may have been removed by another.
    if (this.list && this.lists && !this.lists.some(({ id }) => id === this.list.id)) this.list = null;
  }

  /** `id` null: back to all of them. */
  async open(id) {
    this.list = this.problem = null;
    const generation = ++this.#generation;
    try {
      const list = id === null ? null : await this.#page(id, 0);
      if (generation === this.#generation) this.list = list;
    } catch (problem) {
      if (generation === this.#generation) this.problem = problem.message;
    }
  }

  /** Loads the next page. Rejects with the server's problem and keeps the loaded pages. */
  async more() {
    const { list } = this;
    if (!list) return;
    const page = await this.#page(list.id, list.items.length);
    if (list === this.list) this.list = { ...page, items: [...list.items, ...page.items] };
  }

  #page(id, offset) {
    return this.#client.get(`/playlists/${encodeURIComponent(id)}?${new URLSearchParams({ offset, limit: pageSize })}`);
  }
}

observe(Playlists, {
  /** null while they load. */
  lists: null,
  /** The open one as of `GET /playlists/{id}`, with the items that were loaded; null for none. */
  list: null,
  problem: null,
});
