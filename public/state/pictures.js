// SPDX-License-Identifier: Apache-2.0

/** Pictures in memory at a time. */
const limit = 300;

/** Pictures as addresses that an `<img>` can show: fetched, because an image element cannot send the token. */
export class Pictures {
  #client;
  #known = new Map();

  constructor(client) {
    this.#client = client;
  }

  /** Resolves to a blob's address, or null when there is no picture. */
  get(path) {
    let picture = this.#known.get(path);
    if (picture) this.#known.delete(path);
    else picture = this.#fetch(path);
    this.#known.set(path, picture);
    if (this.#known.size > limit) this.#forget(this.#known.keys().next().value);
    return picture;
  }

  async #fetch(path) {
    try {
      const blob = await this.#client.blob(path);
      return blob && URL.createObjectURL(blob);
    } catch {
      // No picture is no reason to bother anyone: the placeholder stays, and the next look tries again.
      this.#known.delete(path);
      return null;
    }
  }

  async #forget(path) {
    const picture = this.#known.get(path);
    this.#known.delete(path);
    const address = await picture;
    if (address) URL.revokeObjectURL(address);
  }
}
