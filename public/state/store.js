// SPDX-License-Identifier: Apache-2.0

import { PlayerTime } from "./player-time.js";

/**
 * What the page knows, and all of it is the server's word. Dispatches an event named after the part that changed:
 * `connection`, `player`, `time`, `buffer`, `queue`, `outputs`, `session`, `access`; `run` when it is another run of the
 * server, whose names mean other things; and `error` and `route` (detail: the
 * event's data) for each one heard.
 */
export class Store extends EventTarget {
  /** `{state: "connecting" | "open" | "lost" | "unauthorized", retryAt, attempt}` */
  connection = { state: "connecting", retryAt: null, attempt: 0 };
  /** The newest snapshot of DESIGN section 4; null before the first. */
  player = null;
  time = new PlayerTime();
  buffer = { loadedRanges: [], bufferedAhead: null };
  /** Answer of `GET /outputs`. */
  outputs = null;
  /** Answer of `GET /session`; null where there is none. */
  session = null;
  /** The token only reads: known once the server refused a change. */
  isReadOnly = false;
  #epoch = null;

  setConnection(connection, now = performance.now()) {
    this.connection = connection;
    // What is not heard from the server is not claimed: the position stands until it speaks again.
    if (connection.state !== "open") this.time.set({ position: this.time.at(now), rate: 0 }, now);
    this.#changed("connection", "time");
  }

  isNewRun(epoch) {
    return this.#epoch !== null && epoch !== this.#epoch;
  }

  setReadOnly(isReadOnly) {
    if (isReadOnly === this.isReadOnly) return;
    this.isReadOnly = isReadOnly;
    this.#changed("access");
  }

  setOutputs(outputs) {
    this.outputs = outputs;
    this.#changed("outputs");
  }

  setSession(session) {
    this.session = session;
    this.#changed("session");
  }

  /** Older snapshots than the one shown are dropped: an answer may be overtaken by an event. */
  applySnapshot(player, now = performance.now()) {
    if (!player || (this.player && player.version < this.player.version)) return;
    const itemChanged = this.player?.item?.id !== player.item?.id;
    this.player = player;
    this.time.set(player, now);
    if (itemChanged || player.loadedRanges) this.#setBuffer(player);
    this.#changed("player", "time", "queue");
  }

  /** What a change of the queue answered: `{revision, length, canUndo, canRedo}`. */
  applyQueue({ revision, length, canUndo, canRedo }) {
    if (!this.player || revision < (this.player.queue?.revision ?? 0)) return;
    const queue = { ...this.player.queue, revision, length };
    if (canUndo !== undefined) Object.assign(queue, { canUndo, canRedo });
    this.player = { ...this.player, queue };
    this.#changed("player", "queue");
  }

  /** One frame of the event channel. */
  applyEvent({ type, version, data }, now = performance.now()) {
    switch (type) {
      case "hello":
        // Another run of the server counts its versions anew.
        if (this.isNewRun(data.epoch)) {
          this.player = this.player && { ...this.player, version: 0 };
          // It may have been started with other tokens.
          this.setReadOnly(false);
          this.#changed("run");
        }
        this.#epoch = data.epoch;
        break;
      case "snapshot":
        this.applySnapshot(data.player, now);
        break;
      case "time":
        if (data.itemId !== undefined && data.itemId !== (this.player?.item?.id ?? null)) break;
        this.time.set(data, now);
        this.#changed("time");
        break;
      case "buffer":
        if (data.itemId === (this.player?.item?.id ?? null)) this.#setBuffer(data);
        break;
      case "session":
        this.setSession(data);
        break;
      case "route":
        this.dispatchEvent(new CustomEvent("route", { detail: data }));
        break;
      case "error":
        this.#applyRecorded(type, version, data, now);
        this.dispatchEvent(new CustomEvent("error", { detail: data }));
        break;
      default:
        this.#applyRecorded(type, version, data, now);
    }
  }

  #applyRecorded(type, version, data, now) {
    if (!this.player || version < this.player.version) return;
    const player = { ...this.player, version };
    switch (type) {
      case "status": {
        const { status, reason, playWhenReady, error = null, position } = data;
        Object.assign(player, { status, reason, error, playWhenReady });
        if (status !== "playing" && typeof position === "number") this.time.set({ position, rate: 0 }, now);
        break;
      }
      case "item": {
        const current = data.item;
        if (current?.id !== player.item?.id) {
          this.time.set({ position: 0, duration: null, rate: 0 }, now);
          this.#setBuffer({ loadedRanges: [] });
        }
        player.item = current;
        player.queueIndex = current?.index ?? null;
        player.duration = current?.duration ?? null;
        this.time.setDuration(player.duration);
        break;
      }
      case "queue":
        player.queue = {
          ...player.queue, revision: data.revision, length: data.length, canUndo: data.canUndo, canRedo: data.canRedo,
        };
        break;
      case "settings":
        Object.assign(player, data);
        break;
      case "output":
        player.output = data;
        break;
      case "error":
        player.error = data;
        break;
      default:
        return;
    }
    this.player = player;
    this.#changed("player", "time", ...(type === "queue" ? ["queue"] : []));
  }

  #setBuffer({ loadedRanges, bufferedAhead = null }) {
    this.buffer = { loadedRanges: loadedRanges ?? this.buffer.loadedRanges, bufferedAhead };
    this.#changed("buffer");
  }

  #changed(...parts) {
    for (const part of parts) this.dispatchEvent(new Event(part));
  }
}
