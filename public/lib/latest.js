// SPDX-License-Identifier: Apache-2.0

/**
 * Sends values one at a time: while one is on its way, newer ones wait and only the newest is sent.
 * A drag thus makes at most one request at once, and its last position always arrives.
 */
export class LatestWins {
  #send;
  #merge;
  #waiting = null;
  #running = null;

  /** `send(value)` returns a promise; `merge(waiting, newer)` makes one value of a waiting and a newer one, by default the newer. */
  constructor(send, merge = (waiting, newer) => newer) {
    // What it throws at once also rejects.
    this.#send = async (value) => send(value);
    this.#merge = merge;
  }

  /** Resolves to the last result when nothing is left to send. */
  push(value) {
    this.#waiting = { value: this.#waiting ? this.#merge(this.#waiting.value, value) : value };
    this.#running ??= this.#drain();
    return this.#running;
  }

  async #drain() {
    let result;
    try {
      while (this.#waiting) {
        const { value } = this.#waiting;
        this.#waiting = null;
        result = await this.#send(value);
      }
    } finally {
      this.#running = null;
    }
    return result;
  }
}
