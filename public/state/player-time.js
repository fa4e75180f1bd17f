// SPDX-License-Identifier: Apache-2.0

/** The last position that the server reported, from which later ones are computed. Immutable. */
export class PlayerTime {
  position = 0;
  /** Seconds; null while unknown. */
  duration = null;
  rate = 0;
  #sampledAt = 0;

  /** A copy with the given members of `{position, duration, rate}`; `now` in ms of `performance.now()`. */
  set({ position, duration, rate }, now) {
    const time = new PlayerTime();
    time.position = typeof position === "number" ? position : this.position;
    time.duration = duration === undefined ? this.duration : duration;
    time.rate = typeof rate === "number" ? rate : this.rate;
    time.#sampledAt = now;
    return time;
  }

  /** Seconds into the item at `now`, within 0...duration. Stands still unless the server reported that the sound advances. */
  at(now) {
    const moved = this.position + (Math.max(0, now - this.#sampledAt) / 1000) * this.rate;
    return Math.min(Math.max(0, moved), this.duration ?? Infinity);
  }

  get isAdvancing() {
    return this.rate !== 0;
  }
}
