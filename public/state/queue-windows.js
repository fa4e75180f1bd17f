// SPDX-License-Identifier: Apache-2.0

import { observe } from "../lib/signal.js";

const pageSize = 100;
const keptPages = 24;

/**
 * The queue in pages of 100 items, loaded when their rows come into view. After a change the old pages stay readable
 * until the new ones have loaded.
 */
export class QueueWindows {
  #loading = new Map();
  #load;
  #wanted = [0, 0];

  /** `load(offset, limit)` gives a promise of `GET /queue`'s body. */
  constructor(load) {
    this.#load = load;
  }

  /** undefined while it is not loaded. */
  item(index) {
    return this.pages.get(Math.floor(index / pageSize))?.items[index % pageSize];
  }

  /** Index of a loaded item; -1 when it is not among them. */
  indexOf(id) {
    for (const [page, { items }] of this.pages) {
      const at = items.findIndex((item) => item.id === id);
      if (at >= 0) return page * pageSize + at;
    }
    return -1;
  }

  /** Number of the loaded items of `ids` before `end`, which moves up by as many when they leave. */
  countBefore(end, ids) {
    return ids.map((id) => this.indexOf(id)).filter((index) => index >= 0 && index < end).length;
  }

  /** The server's queue is at `revision` now. */
  update({ revision, length }) {
    if (revision === this.revision && length === this.length) return;
    this.revision = revision;
    this.length = length;
    this.settled();
  }

  /** Call when the server has restarted or the player changes: its revisions count from the start, and its ids mean other items. */
  clear() {
    this.#loading = new Map();
    this.pages = new Map();
    this.revision = null;
  }

  /** Call when the library has changed the tags of items, or events were lost. */
  renew() {
    for (const page of this.pages.values()) page.revision = -1;
    return this.settled();
  }

  /** Loads the items of `first...last`. */
  want(first, last) {
    this.#wanted = [first, last];
    return this.settled();
  }

  /** Resolves when the pages in view are those of the newest revision. */
  async settled() {
    const [first, last] = this.#wanted;
    const pages = [];
    const end = Math.min(last, this.length - 1);
    for (let page = Math.floor(first / pageSize); page * pageSize <= end; page += 1) pages.push(page);
    await Promise.all(pages.map((page) => this.#loadPage(page)));
    this.#forgetFarPages(Math.floor(first / pageSize));
  }

  #loadPage(page) {
    if (this.pages.get(page)?.revision === this.revision) return null;
    const underWay = this.#loading.get(page);
    if (underWay) return underWay.then(() => this.#loadPage(page));
    const all = this.#loading;
    const loading = this.#fetchPage(page).finally(() => all.delete(page));
    all.set(page, loading);
    return loading;
  }

  async #fetchPage(page) {
    const asked = this.revision;
    const all = this.#loading;
    const window = await this.#load(page * pageSize, pageSize);
    // Failed, and the rows show as loading until the next change or connection; or an answer from before `clear`.
    if (!window || all !== this.#loading) return;
    this.pages = new Map(this.pages).set(page, { revision: window.revision, items: window.items });
    if (asked === this.revision && window.revision !== this.revision && window.revision > (this.revision ?? -1)) {
      this.revision = window.revision;
      this.length = window.length;
    }
  }

  #forgetFarPages(near) {
    if (this.pages.size <= keptPages) return;
    const farthest = [...this.pages.keys()].sort((left, right) => Math.abs(right - near) - Math.abs(left - near));
    for (const page of farthest.slice(0, this.pages.size - keptPages)) this.pages.delete(page);
  }
}

observe(QueueWindows, {
  length: 0,
  /** null while it is not known. */
  revision: null,
  /** `{revision, items}` by number. */
  pages: new Map(),
});
