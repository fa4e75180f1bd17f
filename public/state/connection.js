// SPDX-License-Identifier: Apache-2.0

import { Newest } from "../lib/newest.js";

/** The parts of the store that are read after each greeting, and after lost events. Later changes come as events, except for `outputs`. */
const parts = {
  outputs: (paths) => paths.outputs(),
  session: () => "/session",
  timers: (paths) => paths.timers(),
  effects: (paths) => paths.effects(),
  presets: (paths) => paths.effects("/presets"),
};

/**
 * Keeps the store up to date by events, and by requests for the rest. A browser hides why a socket was refused: after a loss a
 * request finds out, and a 401 makes the page ask for the token.
 */
export class Connection {
  /** The library's revision of the last event. */
  #catalogue;
  #reads = Object.fromEntries(Object.keys(parts).map((part) => [part, new Newest()]));

  /** `onRead()`: read what the store does not have, too. `onGone()`: the player that the page controls no longer exists. */
  constructor(parts) {
    Object.assign(this, parts);
    const { store, socket, windows } = parts;
    store.addEventListener("run", () => windows.clear());
    socket.addEventListener("connection", ({ detail }) => this.#changed(detail));
    socket.addEventListener("message", ({ detail }) => this.#received(detail));
    addEventListener("online", () => this.reconnect());
    document.addEventListener("visibilitychange", () => this.#looked());
  }

  start() {
    this.socket.connect();
  }

  /** Connects now, without waiting for the back-off. */
  reconnect() {
    if (!this.socket.isOpen) this.socket.connect();
  }

  /**
   * Reads a part of the store. Drops an answer that a newer request or event has overtaken, or of another player. A refusal leaves
   * the part empty; the status line has the reason. A lost connection or a busy server leaves it as it was.
   */
  refresh(part) {
    const path = parts[part](this.paths);
    const use = (answer) => {
      if (path === parts[part](this.paths)) this.store[part] = part === "timers" ? answer?.timers ?? [] : answer;
    };
    return this.#reads[part].take(this.client.get(path), use, ({ status }) => [0, 429].includes(status) || use(null));
  }

  #changed(connection) {
    if (this.store.connection.state === "unauthorized" && connection.state === "connecting") return;
    this.store.setConnection(connection);
    if (connection.state === "lost") this.#askWhy();
    if (connection.state === "open") this.#askScope();
  }

  /** Everything but the player and its queue, of which the channel sends a snapshot. */
  #readAll() {
    for (const part of Object.keys(parts)) this.refresh(part);
    this.onRead();
  }

  /** Without an answer, the first refused command reveals a read-only token. */
  async #askScope() {
    const server = await this.client.get("/server").catch(() => null);
    if (server) this.store.isReadOnly = server.scope === "read";
  }

  /** An answer about another player or token than those in use now counts for nothing. */
  async #askWhy() {
    const [path, token] = [this.paths.player(), this.client.token()];
    try {
      await this.client.get(path, { timeout: 5000 });
    } catch (problem) {
      if (path !== this.paths.player() || token !== this.client.token()) return;
      if (problem.code === "unknown-player") this.onGone();
      if (problem.status !== 401) return;
      this.socket.close();
      this.store.setConnection({ state: "unauthorized", retryAt: null, attempt: 0 });
    }
  }

  #received(message) {
    const { type, data } = message;
    // It is newer than what was asked for before it.
    this.#reads[type]?.forget();
    if (type === "library" && data.state !== "scanning" && data.revision !== this.#catalogue) {
      this.#catalogue = data.revision;
      this.windows.renew();
    }
    if (type === "resync") this.windows.renew();
    this.store.applyEvent(message);
    if (type === "hello") this.windows.settled();
    // Not as soon as the channel is open: a change before the server's greeting would be in neither the answers nor the events.
    if (type === "hello" || type === "resync") this.#readAll();
    if (type === "output" || type === "settings") this.refresh("outputs");
    if (type === "effects") this.refresh("presets");
  }

  /** After sleep a phone may hold a dead connection: check it when the page becomes visible. */
  async #looked() {
    if (document.hidden) return;
    if (!this.socket.isOpen) return void this.reconnect();
    const path = this.paths.player();
    try {
      const player = await this.client.get(path, { timeout: 3000 });
      if (path === this.paths.player()) this.store.applySnapshot(player);
    } catch {
      this.socket.connect();
    }
  }
}
