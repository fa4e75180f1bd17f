// SPDX-License-Identifier: Apache-2.0

import { isNetwork } from "../lib/media.js";

/** Milliseconds for which an item must stay: the server decodes all of it, which skipping through a queue is not worth. */
const stay = 400;
const kept = 20;
/** A file of hours takes its time. */
const timeout = 120_000;

/** How loud the current item is over its length, where the server can measure it: of playable files. */
export class Waveform {
  #key = null;
  #known = new Map();
  #timer = 0;
  #abort = null;

  /** `{client, paths, show}`: `show(waveform)` gets `{duration, peaks}`, or null. */
  constructor(parts) {
    Object.assign(this, parts);
  }

  update(item) {
    const key = isMeasurable(item) ? `${item.id} ${item.uri}` : null;
    if (key === this.#key) return;
    this.#key = key;
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.show(this.#known.get(key) ?? null);
    if (key && !this.#known.has(key)) this.#timer = setTimeout(() => this.#load(key, item.id), stay);
  }

  async #load(key, id) {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    let waveform;
    try {
      waveform = await this.client.get(this.paths.item(id, "/waveform"), { signal, timeout });
    } catch (problem) {
      // The bar does without; a connection that was lost comes back, and with it the next look at the item.
      if (!signal.aborted && problem.status === 0) this.#key = null;
      return;
    }
    if (signal.aborted) return;
    this.#known.set(key, waveform);
    if (this.#known.size > kept) this.#known.delete(this.#known.keys().next().value);
    this.show(waveform);
  }
}

function isMeasurable(item) {
  return item?.status === "ready" && !item.live && item.duration > 0 && !isNetwork(item.uri);
}
