// SPDX-License-Identifier: Apache-2.0

import { main } from "../net/paths.js";

const key = "tonearm.player";

/** The players of the server, and which of them the page steers. Dispatches `change`, and `steer` when it is another one. */
export class Players extends EventTarget {
  /** Entries of `GET /players`; empty while they are not known. */
  list = [];
  #client;
  #steered = localStorage.getItem(key) ?? main;
  #names = new Map();
  #generation = 0;

  constructor(client) {
    super();
    this.#client = client;
  }

  /** The id of the player that the page steers; the browser remembers it. */
  get steered() {
    return this.#steered;
  }

  async load() {
    // An answer that is overtaken tells of what was.
    const generation = ++this.#generation;
    try {
      const { players } = await this.#client.get("/players");
      if (generation !== this.#generation) return;
      this.list = players;
      for (const { id, name } of this.list) this.#names.set(id, name);
    } catch {
      // The choice stays as it was shown; the next connection asks again.
      if (generation !== this.#generation) return;
    }
    this.dispatchEvent(new Event("change"));
  }

  applyEvent({ type }) {
    if (type === "players") this.load();
  }

  steer(id) {
    if (id === this.steered) return;
    this.#steered = id;
    if (id === main) localStorage.removeItem(key);
    else localStorage.setItem(key, id);
    this.dispatchEvent(new Event("steer"));
    this.dispatchEvent(new Event("change"));
  }

  /** What people call it, or called it when it was there. */
  nameOf(id) {
    return this.#names.get(id) ?? id;
  }
}
