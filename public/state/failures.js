// SPDX-License-Identifier: Apache-2.0

import { observe } from "../lib/signal.js";

/** These concern the machine, not the media. */
const notTheItems = new Set(["output-unavailable", "output-refused", "not-saved", "disk-full"]);
const kept = 1000;

/** The items that could not be played, until they are played again. */
export class Failures {
  #current = null;
  #hasFailed = false;

  /** Why the item could not be played, in the server's words; undefined when it was not so. */
  get(id) {
    return this.sentences.get(id);
  }

  /** Another run of the server, or another player: the ids mean other items. */
  reset() {
    this.sentences = new Map();
    this.#current = null;
  }

  /** Takes the data of an `error` event. Gives whether it is news: an item's failure is shown once. */
  note({ itemId, code, message }) {
    if (!itemId || notTheItems.has(code)) return true;
    if (this.get(itemId) === message) return false;
    this.sentences = new Map([...this.sentences, [itemId, message]].slice(-kept));
    return true;
  }

  /** An item that becomes the current one, or leaves `failed`, is played again: its earlier failure is past. */
  follow({ item, status, error }) {
    const id = item?.id ?? null;
    const begins = id !== this.#current || (this.#hasFailed && status !== "failed");
    this.#current = id;
    this.#hasFailed = status === "failed";
    if (begins && this.sentences.has(id)) this.sentences = new Map([...this.sentences].filter(([key]) => key !== id));
    // A page that was opened later has received no event of it.
    if (this.#hasFailed && error && error.itemId === id) this.note(error);
  }
}

observe(Failures, { sentences: new Map() });
