// SPDX-License-Identifier: Apache-2.0

import { Newest } from "../lib/newest.js";
import { observe } from "../lib/signal.js";

/** Milliseconds between two readings of a growing file's size. */
const pause = 2000;

/** The server's recorder, and the saving of the current player's stream. */
export class Recorder extends EventTarget {
  #isShown = false;
  #timer = 0;
  #streams = new Newest();
  #lists = new Newest();

  /** `{client, paths}` */
  constructor(parts) {
    super();
    Object.assign(this, parts);
  }

  /** The size of a saved stream is read only while the panel is shown. */
  set isShown(isShown) {
    if (this.#isShown && !isShown) this.seenEnd = this.stream?.last?.id ?? null;
    this.#isShown = isShown;
    if (isShown) this.#askStream();
    else clearTimeout(this.#timer);
  }

  get isEnabled() {
    return this.status !== null && this.status.state !== "disabled";
  }

  /** Reads the state of the recorder, and of saving the current player's stream. */
  async ask() {
    this.stream = null;
    this.#askStream();
    const before = this.status;
    try {
      const status = await this.client.get("/recordings/current");
      // An event since then is newer.
      if (this.status === before) this.status = status;
    } catch {
      // The connection's banner has the reason.
    }
  }

  list() {
    const before = this.status;
    return this.#lists.take(this.client.get("/recordings"), ({ status, recordings }) => {
      this.recordings = recordings;
      this.problem = null;
      if (this.status === before) this.status = status;
    }, ({ message }) => (this.problem = message));
  }

  /** One frame of the event channel. */
  applyEvent({ type, data }) {
    if (type === "record-level") this.level = data.channels;
    if (type !== "recording") return;
    const { stream, ...status } = data;
    const hasEnded = status.last && status.last.id !== this.status?.last?.id;
    const isSaved = this.#takeStream(stream);
    this.status = status;
    if ((hasEnded || isSaved) && this.#isShown) this.list();
  }

  /** Events do not have the size of a growing file. After a failure the next event or connection brings it. */
  #askStream() {
    clearTimeout(this.#timer);
    this.#streams.take(this.client.get(this.paths.player("/record-stream")), (stream) => {
      if (this.#takeStream(stream) && this.#isShown) this.list();
    });
  }

  /** Returns true if saving has ended since the last call, and dispatches `stream-ended` (detail: `last` of `StreamRecordingStatus`). */
  #takeStream(stream) {
    const before = this.stream;
    this.stream = stream;
    this.#streams.forget();
    clearTimeout(this.#timer);
    if (stream.state === "recording" && this.#isShown) this.#timer = setTimeout(() => this.#askStream(), pause);
    if (stream.state === "recording") this.seenEnd = null;
    if (!before) return false;
    const hasEnded = stream.last?.id !== before.last?.id || before.state === "recording" && stream.id !== before.id;
    if (hasEnded && stream.last) this.dispatchEvent(new CustomEvent("stream-ended", { detail: stream.last }));
    return hasEnded;
  }
}

observe(Recorder, {
  /** `RecordingStatus` of openapi.yaml; null before the first. */
  status: null,
  /** `StreamRecordingStatus` of the current player; null while it is not known. */
  stream: null,
  /** The id of the last saved stream once the user has seen that it ended and has left the view. */
  seenEnd: null,
  /** null while they load. */
  recordings: null,
  problem: null,
  /** The channels of the last `record-level` event. */
  level: [],
});
