// SPDX-License-Identifier: Apache-2.0

/** Sizes of pictures, in pixels of the longer edge, go in steps, so that a size is likely to be in memory. */
const step = 64;
const largest = 2048;

/** The size for a box of `edge` CSS pixels on this screen. */
export function pixelsFor(edge) {
  return Math.min(largest, Math.max(1, Math.ceil((edge * devicePixelRatio) / step)) * step);
}

/** Pictures as addresses that an `<img>` can show: fetched, because an image element cannot send the token. */
export class Pictures {
  #client;
  #limit;
  #known = new Map();

  /** `limit`: pictures in memory at a time. */
  constructor(client, { limit = 300 } = {}) {
    this.#client = client;
    this.#limit = limit;
  }

  /** Resolves to a blob's address, or null when there is no picture. `pixels` as of `pixelsFor`. */
  get(path, pixels) {
    const key = `${path}?size=${pixels}`;
    let picture = this.#known.get(key);
    if (picture) this.#known.delete(key);
    else picture = this.#fetch(path, key);
    this.#known.set(key, picture);
    if (this.#known.size > this.#limit) this.#forget(this.#known.keys().next().value);
    return picture;
  }

  /** Call when the server has restarted: its paths may mean other pictures. */
  clear() {
    for (const key of [...this.#known.keys()]) this.#forget(key);
  }

  async #fetch(path, key) {
    try {
      const blob = await this.#sized(path, key);
      return blob && URL.createObjectURL(blob);
    } catch {
      // The placeholder stays; the next call tries again.
      this.#known.delete(key);
      return null;
    }
  }

  /** Loads the original if the server cannot scale the picture. */
  async #sized(path, key) {
    try {
      return await this.#client.blob(key);
    } catch (problem) {
      if (problem.status !== 415) throw problem;
      return this.#client.blob(path);
    }
  }

  async #forget(key) {
    const picture = this.#known.get(key);
    this.#known.delete(key);
    const address = await picture;
    if (address) URL.revokeObjectURL(address);
  }
}
