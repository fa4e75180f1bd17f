// SPDX-License-Identifier: Apache-2.0

import { isNetwork } from "../lib/media.js";

const mostAtOnce = 3;
const kept = 4000;

/**
 * Tags and durations of media that no one has played yet, read for the rows in view only. What was wanted before and is
 * out of view now is not read any more. Dispatches `change`.
 */
export class MediaDetails extends EventTarget {
  #known = new Map();
  #wanted = [];
  #running = new Set();
  #load;

  /** `load(uri)` answers a promise of `GET /media/info`'s body; null when the media cannot be read. */
  constructor(load) {
    super();
    this.#load = load;
  }

  /** undefined while it is not known, null when there is nothing to know. */
  get(uri) {
    return this.#known.get(uri);
  }

  want(uris) {
    this.#wanted = uris.filter((uri) => !this.#known.has(uri) && !this.#running.has(uri) && !isNetwork(uri));
    this.#next();
  }

  #next() {
    while (this.#running.size < mostAtOnce && this.#wanted.length) this.#read(this.#wanted.shift());
  }

  async #read(uri) {
    this.#running.add(uri);
    const media = await this.#load(uri);
    this.#running.delete(uri);
    this.#known.set(uri, media);
    if (this.#known.size > kept) this.#known.delete(this.#known.keys().next().value);
    this.#wanted = this.#wanted.filter((other) => other !== uri);
    this.dispatchEvent(new Event("change"));
    this.#next();
  }
}
