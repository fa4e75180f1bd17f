// SPDX-License-Identifier: Apache-2.0

import { Newest } from "../lib/newest.js";
import { observe } from "../lib/signal.js";

/** Milliseconds between two readings of all entries. */
const pause = 1000;

/** The media from the web that the server keeps. */
export class Cache {
  #client;
  #isShown = false;
  #timer = 0;
  #lists = new Newest();
  /** The last one. */
  #event = null;

  constructor(client) {
    this.#client = client;
  }

  /** Events are applied only while the list is shown. Call `list` first. */
  set isShown(isShown) {
    this.#isShown = isShown;
    if (!isShown) this.#cancel();
  }

  list() {
    this.#cancel();
    const before = this.#event;
    return this.#lists.take(this.#client.get("/cache"), (status) => {
      this.status = status;
      this.problem = null;
      // It is newer than the answer.
      if (this.#event !== before) this.applyEvent(this.#event);
    }, ({ message }) => (this.problem = message));
  }

  /** One frame of the event channel. `cache` events have only the entries in use. */
  applyEvent(event) {
    const { type, data } = event;
    if (type !== "cache") return;
    this.#event = event;
    if (!this.#isShown || !this.status) return;
    const inUse = new Map(data.entries.map((entry) => [entry.key, entry]));
    const isOver = this.status.entries.some((entry) => entry.inUse && !inUse.has(entry.key));
    const others = this.status.entries.map((entry) => {
      const newer = inUse.get(entry.key) ?? entry;
      inUse.delete(entry.key);
      return newer;
    });
    const entries = [...inUse.values(), ...others];
    this.status = { ...data, entries };
    // Events have only entries in use: read the others again.
    if (isOver || entries.length !== data.count) this.#timer ||= setTimeout(() => this.list(), pause);
  }

  #cancel() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }
}

/** `status`: `Cache` of openapi.yaml with all entries; null before the first. */
observe(Cache, { status: null, problem: null });
