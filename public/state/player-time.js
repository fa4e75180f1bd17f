// SPDX-License-Identifier: Apache-2.0

/** The server's last reading of the position and what follows from it until the next one. */
export class PlayerTime {
  position = 0;
  /** Seconds; null while unknown. */
  duration = null;
  rate = 0;
  #sampledAt = 0;

  /** Takes what is given of `{position, duration, rate}`; `now` in ms of `performance.now()`. */
  set({ position, duration, rate }, now) {
    if (typeof position === "number") this.position = position;
    if (duration !== undefined) this.duration = duration;
    if (typeof rate === "number") this.rate = rate;
    this.#sampledAt = now;
  }

  setDuration(duration) {
    this.duration = duration;
  }

  /** Seconds into the item at `now`, within 0...duration. Stands still unless the server said that sound advances. */
  at(now) {
    const moved = this.position + (Math.max(0, now - this.#sampledAt) / 1000) * this.rate;
    return Math.min(Math.max(0, moved), this.duration ?? Infinity);
  }

  get isAdvancing() {
    return this.rate !== 0;
  }
}
