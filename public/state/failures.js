// SPDX-License-Identifier: Apache-2.0

import { observe } from "../lib/signal.js";

/** These concern the machine, not the media. */
const notTheItems = new Set(["output-unavailable", "output-refused", "not-saved", "disk-full"]);
const kept = 1000;

/** The items that could not be played, until they are played again. */
export class Failures {
  #current = null;
  #hasFailed = false;

  /** The server's reason why the item could not be played; undefined if it could. */
  get(id) {
    return this.sentences.get(id);
  }

  /** Call when the server has restarted or the player changes: the ids mean other items. */
  reset() {
    this.sentences = new Map();
    this.#current = null;
  }

  /** Takes the data of an `error` event. Returns false for a failure that was already shown. */
  note({ itemId, code, message }) {
    if (!itemId || notTheItems.has(code)) return true;
    if (this.get(itemId) === message) return false;
    this.sentences = new Map([...this.sentences, [itemId, message]].slice(-kept));
    return true;
  }

  /** An item that becomes the current one, or leaves `failed`, plays again: forgets its earlier failure. */
  follow({ item, status, error }) {
    const id = item?.id ?? null;
    const begins = id !== this.#current || (this.#hasFailed && status !== "failed");
    this.#current = id;
    this.#hasFailed = status === "failed";
    if (begins && this.sentences.has(id)) this.sentences = new Map([...this.sentences].filter(([key]) => key !== id));
    // A page that was opened later has missed the event.
    if (this.#hasFailed && error && error.itemId === id) this.note(error);
  }
}

observe(Failures, { sentences: new Map() });
