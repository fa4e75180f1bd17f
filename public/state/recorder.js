// SPDX-License-Identifier: Apache-2.0

/** Milliseconds between two readings of how much of a stream is saved. */
const pause = 2000;

/**
 * The server's recorder, and the saving of the steered player's stream. Dispatches `change` after `status`, `stream`, `recordings` or `problem` changed, `level` (detail: the
 * channels of a `record-level` event), and `stream-ended` (detail: `last` of `StreamRecordingStatus`) when the saving ended while the page was there.
 */
export class Recorder extends EventTarget {
  #client;
  #paths;
  #isShown = false;
  #timer = 0;
  #generation = 0;
  /** `RecordingStatus` of openapi.yaml; null before the first. */
  status = null;
  /** `StreamRecordingStatus` of the steered player; null while it is not known. */
  stream = null;
  /** null while they load. */
  recordings = null;
  problem = null;

  constructor({ client, paths }) {
    super();
    this.#client = client;
    this.#paths = paths;
  }

  /** How much of a stream is saved is asked for only while somebody looks. */
  set isShown(isShown) {
    this.#isShown = isShown;
    if (isShown) this.#askStream();
    else clearTimeout(this.#timer);
  }

  get isEnabled() {
    return this.status !== null && this.status.state !== "disabled";
  }

  /** Whether there is one at all, and what the player that is steered now saves. */
  async ask() {
    this.stream = null;
    this.#askStream();
    try {
      this.#take(await this.#client.get("/recordings/current"));
    } catch {
      // The connection's own banner says what is wrong.
    }
  }

  async list() {
    try {
      const { status, recordings } = await this.#client.get("/recordings");
      this.recordings = recordings;
      this.problem = null;
      this.#take(status);
    } catch (problem) {
      this.problem = problem.message;
      this.dispatchEvent(new Event("change"));
    }
  }

  /** One frame of the event channel. */
  applyEvent({ type, data }) {
    if (type === "record-level") this.dispatchEvent(new CustomEvent("level", { detail: data.channels }));
    if (type !== "recording") return;
    const { stream, ...status } = data;
    const hasEnded = status.last && status.last.id !== this.status?.last?.id;
    const isSaved = this.#takeStream(stream);
    this.#take(status);
    if ((hasEnded || isSaved) && this.recordings) this.list();
  }

  /** No event tells how the file grows. */
  async #askStream() {
    const generation = ++this.#generation;
    clearTimeout(this.#timer);
    try {
      const stream = await this.#client.get(this.#paths.player("/record-stream"));
      // An answer that is overtaken tells of what was.
      if (generation !== this.#generation) return;
      const isSaved = this.#takeStream(stream);
      this.dispatchEvent(new Event("change"));
      if (isSaved && this.recordings) this.list();
    } catch {
      // The connection's own banner says what is wrong; the next event or connection tells it.
    }
  }

  /** Answers whether one ended since the last time. */
  #takeStream(stream) {
    const before = this.stream;
    this.stream = stream;
    this.#generation += 1;
    clearTimeout(this.#timer);
    if (stream.state === "recording" && this.#isShown) this.#timer = setTimeout(() => this.#askStream(), pause);
    if (!before) return false;
    const hasEnded = stream.last?.id !== before.last?.id || before.state === "recording" && stream.id !== before.id;
    if (hasEnded && stream.last) this.dispatchEvent(new CustomEvent("stream-ended", { detail: stream.last }));
    return hasEnded;
  }

  #take(status) {
    this.status = status;
    this.dispatchEvent(new Event("change"));
  }
}
