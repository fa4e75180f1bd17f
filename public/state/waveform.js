// SPDX-License-Identifier: Apache-2.0

import { isNetwork } from "../lib/media.js";

/** Milliseconds that an item must stay current: the server decodes all of it, too much for skipping through a queue. */
const stay = 400;
const kept = 20;
/** For files of several hours. */
const timeout = 120_000;

/** The waveform of the current item, for playable local files. */
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
    const name = item && `${item.id} ${item.uri}`;
    // Play on the current item opens it again.
    const key = isMeasurable(item) || (item?.status === "loading" && name === this.#key) ? name : null;
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
      // The bar stays plain. After a lost connection the next update tries again.
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
