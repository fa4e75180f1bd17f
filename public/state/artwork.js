// SPDX-License-Identifier: Apache-2.0

/**
 * The current item's picture as an address that an `<img>` can show: fetched, because an image element cannot send the
 * token. Late pictures of an earlier item are dropped.
 */
export class Artwork {
  #client;
  #show;
  #source = null;
  #address = null;

  /** `show(address)` is called with a blob's address, or null. */
  constructor(client, show) {
    this.#client = client;
    this.#show = show;
  }

  async update(item) {
    const source = item?.artwork ? `/queue/items/${encodeURIComponent(item.id)}/artwork` : null;
    if (source === this.#source) return;
    this.#source = source;
    let blob = null;
    try {
      blob = source && (await this.#client.blob(source));
    } catch {
      // No picture is no reason to bother anyone: the placeholder stays.
    }
    if (source !== this.#source) return;
    const previous = this.#address;
    this.#address = blob && URL.createObjectURL(blob);
    this.#show(this.#address);
    if (previous) URL.revokeObjectURL(previous);
  }
}
