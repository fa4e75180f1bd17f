// SPDX-License-Identifier: Apache-2.0

import { observe } from "../lib/signal.js";
import { PlayerTime } from "./player-time.js";

/**
 * The server's state as the page knows it, in observed fields. Dispatches `run` when ids mean other things, because the server has
 * restarted or the player is another one, and `error` and `route` (detail: the event's data) for each one received.
 */
export class Store extends EventTarget {
  #epoch = null;

  setConnection(connection, now = performance.now()) {
    this.connection = connection;
    // Without the server the position stands still.
    if (connection.state !== "open") this.time = this.time.set({ position: this.time.at(now), rate: 0 }, now);
  }

  /** The page now controls another player. */
  forget() {
    this.player = this.outputs = this.effects = this.presets = this.levels = null;
    this.timers = [];
    this.time = new PlayerTime();
    this.#setBuffer({ loadedRanges: [] });
    this.dispatchEvent(new Event("run"));
  }

  /** Drops snapshots older than the current one, as an event may overtake an answer, and late answers of another player. */
  applySnapshot(player, now = performance.now()) {
    if (!player || (this.player && (player.id !== this.player.id || player.version < this.player.version))) return;
    const itemChanged = this.player?.item?.id !== player.item?.id;
    this.player = player;
    this.time = this.time.set(player, now);
    if (itemChanged || player.loadedRanges) this.#setBuffer(player);
  }

  /** The answer to a change of the queue: `{revision, length, canUndo, canRedo}`. */
  applyQueue({ revision, length, canUndo, canRedo }) {
    if (!this.player || revision < (this.player.queue?.revision ?? 0)) return;
    const queue = { ...this.player.queue, revision, length };
    if (canUndo !== undefined) Object.assign(queue, { canUndo, canRedo });
    this.player = { ...this.player, queue };
  }

  /** One frame of the event channel. */
  applyEvent({ type, version, data }, now = performance.now()) {
    const isCurrent = (data?.itemId ?? null) === (this.player?.item?.id ?? null);
    switch (type) {
      case "hello": return this.#begin(data.epoch);
      case "snapshot":
        // Each player counts its own versions.
        if (data.player.id !== this.player?.id) this.player = null;
        return this.applySnapshot(data.player, now);
      case "time":
        if (isCurrent || data.itemId === undefined) this.time = this.time.set(data, now);
        return undefined;
      case "buffer": return isCurrent && this.#setBuffer(data);
      case "session": return (this.session = data);
      case "levels": return (this.levels = data);
      case "effects": return (this.effects = data);
      case "timers": return (this.timers = data.timers);
      case "error": this.#applyRecorded(type, version, data, now); // falls through
      case "route": return this.dispatchEvent(new CustomEvent(type, { detail: data }));
      default: return this.#applyRecorded(type, version, data, now);
    }
  }

  /** A restarted server counts its versions from the start. */
  #begin(epoch) {
    const isOther = this.#epoch !== null && epoch !== this.#epoch;
    this.#epoch = epoch;
    if (!isOther) return;
    // In place, without effects: nothing else has changed yet.
    if (this.player) this.player.version = 0;
    this.dispatchEvent(new Event("run"));
  }

  #applyRecorded(type, version, data, now) {
    if (!this.player || version < this.player.version) return;
    const player = { ...this.player, version };
    switch (type) {
      case "status": {
        const { status, reason, playWhenReady, error = null, position } = data;
        Object.assign(player, { status, reason, error, playWhenReady });
        if (status !== "playing" && typeof position === "number") this.time = this.time.set({ position, rate: 0 }, now);
        break;
      }
      case "item": {
        const { item } = data;
        const isOther = item?.id !== player.item?.id;
        const [queueIndex, duration] = [item?.index ?? null, item?.duration ?? null];
        Object.assign(player, { item, queueIndex, duration });
        this.time = isOther ? this.time.set({ position: 0, duration, rate: 0 }, now) : this.time.set({ position: this.time.at(now), duration }, now);
        if (isOther) this.#setBuffer({ loadedRanges: [] });
        break;
      }
      case "queue": {
        const { revision, length, canUndo, canRedo } = data;
        player.queue = { ...player.queue, revision, length, canUndo, canRedo };
        break;
      }
      case "settings":
        Object.assign(player, data);
        break;
      case "output":
      case "error":
        player[type] = data;
        break;
      default:
        return;
    }
    this.player = player;
  }

  #setBuffer({ loadedRanges, bufferedAhead = null }) {
    this.buffer = { loadedRanges: loadedRanges ?? this.buffer.loadedRanges, bufferedAhead };
  }
}

observe(Store, {
  /** `{state: "connecting" | "open" | "lost" | "unauthorized", retryAt, attempt}` */
  connection: { state: "connecting", retryAt: null, attempt: 0 },
  /** The newest snapshot of the player; null before the first. */
  player: null,
  time: new PlayerTime(),
  buffer: { loadedRanges: [], bufferedAhead: null },
  /** Answers of `GET /outputs`, `/session`, `/effects` and `/effects/presets`; null where there is none. */
  outputs: null,
  session: null,
  effects: null,
  presets: null,
  /** Data of the last `levels` event, while they are watched. */
  levels: null,
  /** `timers` of `GET /timers`. */
  timers: [],
  /** The token only reads. */
  isReadOnly: false,
});
