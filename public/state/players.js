// SPDX-License-Identifier: Apache-2.0

import { Newest } from "../lib/newest.js";
import { observe } from "../lib/signal.js";
import { main } from "../net/paths.js";

const key = "tonearm.player";

/** The server's players, and the one that the page controls. Dispatches `steer` when that changes. */
export class Players extends EventTarget {
  #client;
  #names = new Map();
  #loads = new Newest();

  constructor(client) {
    super();
    this.#client = client;
    this.steered = localStorage.getItem(key) ?? main;
  }

  /** After a failure the list stays; the next connection loads it again. */
  load() {
    return this.#loads.take(this.#client.get("/players"), ({ players }) => {
      this.list = players;
      for (const { id, name } of players) this.#names.set(id, name);
    });
  }

  applyEvent({ type }) {
    if (type === "players") this.load();
  }

  steer(id) {
    if (id === this.steered) return;
    this.steered = id;
    if (id === main) localStorage.removeItem(key);
    else localStorage.setItem(key, id);
    this.dispatchEvent(new Event("steer"));
  }

  /** The player's name, also after its removal. */
  nameOf(id) {
    return this.#names.get(id) ?? id;
  }
}

observe(Players, {
  /** Entries of `GET /players`; empty while they are not known. */
  list: [],
  /** The id of the player that the page controls; the browser remembers it. */
  steered: main,
});
