// SPDX-License-Identifier: Apache-2.0

/**
 * The server's recorder. Dispatches `change` after `status`, `recordings` or `problem` changed, and `level` (detail: the
 * channels of a `record-level` event).
 */
export class Recorder extends EventTarget {
  #client;
  /** `RecordingStatus` of openapi.yaml; null before the first. */
  status = null;
  /** null while they load. */
  recordings = null;
  problem = null;

  constructor(client) {
    super();
    this.#client = client;
  }

  get isEnabled() {
    return this.status !== null && this.status.state !== "disabled";
  }

  /** Whether there is one at all. */
  async ask() {
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
    const hasEnded = data.last && data.last.id !== this.status?.last?.id;
    this.#take(data);
    if (hasEnded && this.recordings) this.list();
  }

  #take(status) {
    this.status = status;
    this.dispatchEvent(new Event("change"));
  }
}
