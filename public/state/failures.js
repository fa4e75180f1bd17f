// SPDX-License-Identifier: Apache-2.0

/** These say something of the machine, not of the media. */
const notTheItems = new Set(["output-unavailable", "output-refused", "not-saved"]);
const kept = 1000;

/** Which items could not be played, until they are played again. Dispatches `change`. */
export class Failures extends EventTarget {
  #sentences = new Map();
  #current = null;
  #hasFailed = false;

  /** Why the item could not be played, in the server's words; undefined when it was not so. */
  get(id) {
    return this.#sentences.get(id);
  }

  /** Another run of the server, or another player: the ids mean other items. */
  reset() {
    this.#sentences.clear();
    this.#current = null;
    this.dispatchEvent(new Event("change"));
  }

  /** The data of an `error` event. Answers whether it is news: an item's failure is told once. */
  note({ itemId, code, message }) {
    if (!itemId || notTheItems.has(code)) return true;
    const isNews = this.#sentences.get(itemId) !== message;
    this.#sentences.set(itemId, message);
    if (this.#sentences.size > kept) this.#sentences.delete(this.#sentences.keys().next().value);
    if (isNews) this.dispatchEvent(new Event("change"));
    return isNews;
  }

  /** An item that becomes the current one, or leaves `failed`, is played again; what it was before is past. */
  follow({ item, status, error }) {
    const id = item?.id ?? null;
    const begins = id !== this.#current || (this.#hasFailed && status !== "failed");
    this.#current = id;
    this.#hasFailed = status === "failed";
    if (begins && this.#sentences.delete(id)) this.dispatchEvent(new Event("change"));
    // A page that was opened later has heard no event of it.
    if (this.#hasFailed && error && error.itemId === id) this.note(error);
  }
}
