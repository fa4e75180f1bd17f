// SPDX-License-Identifier: Apache-2.0

/**
 * Sends values one at a time: while one is on its way, newer ones wait and only the newest is sent.
 * A drag thus makes at most one request at once, and its last position always arrives.
 */
export class LatestWins {
  #send;
  #waiting = null;
  #running = false;
  #onIdle;
  #merge;

  /**
   * `send(value)` returns a promise; `onIdle` is called when nothing is left to send; `merge(waiting, newer)` makes one
   * value of a waiting and a newer one, by default the newer.
   */
  constructor(send, { onIdle = () => {}, merge = (waiting, newer) => newer } = {}) {
    this.#send = send;
    this.#onIdle = onIdle;
    this.#merge = merge;
  }

  get isBusy() {
    return this.#running;
  }

  push(value) {
    this.#waiting = { value: this.#waiting ? this.#merge(this.#waiting.value, value) : value };
    if (!this.#running) this.#drain();
  }

  async #drain() {
    this.#running = true;
    try {
      while (this.#waiting) {
        const { value } = this.#waiting;
        this.#waiting = null;
        await this.#send(value);
      }
    } finally {
      this.#running = false;
      this.#onIdle();
    }
  }
}
