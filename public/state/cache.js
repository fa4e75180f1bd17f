// SPDX-License-Identifier: Apache-2.0

/** Milliseconds between two readings of all entries. */
const pause = 1000;

/** What the server keeps of media from the web. Dispatches `change` after `status` or `problem` changed. */
export class Cache extends EventTarget {
  /** `Cache` of openapi.yaml with all entries; null before the first. */
  status = null;
  problem = null;
  #client;
  #isShown = false;
  #timer = 0;

  constructor(client) {
    super();
    this.#client = client;
  }

  /** No event is followed while nobody looks; who looks asks for the `list` first. */
  set isShown(isShown) {
    this.#isShown = isShown;
    if (!isShown) this.#cancel();
  }

  async list() {
    this.#cancel();
    try {
      this.status = await this.#client.get("/cache");
      this.problem = null;
    } catch (problem) {
      this.problem = problem.message;
    }
    this.dispatchEvent(new Event("change"));
  }

  /** One frame of the event channel. `cache` events tell of the entries in use only. */
  applyEvent({ type, data }) {
    if (type !== "cache" || !this.#isShown || !this.status) return;
    const inUse = new Map(data.entries.map((entry) => [entry.key, entry]));
    const isOver = this.status.entries.some((entry) => entry.inUse && !inUse.has(entry.key));
    const others = this.status.entries.map((entry) => {
      const newer = inUse.get(entry.key) ?? entry;
      inUse.delete(entry.key);
      return newer;
    });
    const entries = [...inUse.values(), ...others];
    this.status = { ...data, entries };
    // What is no longer in use, came or went beside these is in no event.
    if (isOver || entries.length !== data.count) this.#timer ||= setTimeout(() => this.list(), pause);
    this.dispatchEvent(new Event("change"));
  }

  #cancel() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }
}
