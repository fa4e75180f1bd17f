// SPDX-License-Identifier: Apache-2.0

import { Newest } from "../lib/newest.js";
import { observe } from "../lib/signal.js";

const pageSize = 200;

/** The saved playlists, and the open one page by page. */
export class Playlists {
  #client;
  #loads = new Newest();
  #opened = new Newest();

  constructor(client) {
    this.#client = client;
  }

  load() {
    return this.#loads.take(this.#client.get("/playlists"), ({ playlists }) => {
      this.lists = playlists;
      this.problem = null;
      // It may have been renamed, or removed by another.
      const known = playlists.find(({ id }) => id === this.list?.id);
      if (known?.name !== this.list?.name) this.list = known ? { ...this.list, name: known.name } : null;
    }, ({ message }) => (this.problem = message));
  }

  /** `id` null: back to all of them. */
  open(id) {
    this.list = this.problem = null;
    if (id === null) return this.#opened.forget();
    return this.#opened.take(this.#page(id, 0), (list) => (this.list = list), ({ message }) => (this.problem = message));
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
