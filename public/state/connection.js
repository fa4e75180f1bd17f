// SPDX-License-Identifier: Apache-2.0

/** The parts of the store that are read at each connection; later changes come as events, but for `outputs`. */
const parts = {
  outputs: (paths) => paths.outputs(),
  session: () => "/session",
  timers: (paths) => paths.timers(),
  effects: (paths) => paths.effects(),
  presets: (paths) => paths.effects("/presets"),
};

/**
 * Keeps the store fed: events from the socket, and the rest by request. A browser hides the reason of a refused socket, so a loss is
 * followed by a read, whose 401 asks for the token.
 */
export class Connection {
  /** The library's revision of the last event. */
  #catalogue;
  #asked = {};

  /** `onOpen()` at each connection; `onGone()`: the player that the page steers is no longer there. */
  constructor(parts) {
    Object.assign(this, parts);
    const { store, socket, windows } = parts;
    store.addEventListener("run", () => windows.reset());
    socket.addEventListener("connection", ({ detail }) => this.#changed(detail));
    socket.addEventListener("message", ({ detail }) => this.#received(detail));
    addEventListener("online", () => this.reconnect());
    document.addEventListener("visibilitychange", () => this.#looked());
  }

  start() {
    this.socket.connect();
  }

  /** Now, without waiting for the back-off. */
  reconnect() {
    if (!this.socket.isOpen) this.socket.connect();
  }

  /** Reads a part of the store. An answer that is overtaken is dropped; a refusal leaves the part empty: the status line has the reason. */
  async refresh(part) {
    const asked = (this.#asked[part] = (this.#asked[part] ?? 0) + 1);
    const answer = await this.client.get(parts[part](this.paths)).catch(() => null);
    if (asked === this.#asked[part]) this.store[part] = part === "timers" ? answer?.timers ?? [] : answer;
  }

  #changed(connection) {
    if (this.store.connection.state === "unauthorized" && connection.state === "connecting") return;
    this.store.setConnection(connection);
    if (connection.state === "lost") this.#askWhy();
    if (connection.state !== "open") return;
    for (const part of Object.keys(parts)) this.refresh(part);
    this.#askScope();
    this.windows.settled();
    this.onOpen();
  }

  /** Without an answer, the first refused command shows it. */
  async #askScope() {
    const server = await this.client.get("/server").catch(() => null);
    if (server) this.store.isReadOnly = server.scope === "read";
  }

  async #askWhy() {
    try {
      await this.client.get(this.paths.player(), { timeout: 5000 });
    } catch (problem) {
      if (problem.code === "unknown-player") this.onGone();
      if (problem.status !== 401) return;
      this.socket.close();
      this.store.setConnection({ state: "unauthorized", retryAt: null, attempt: 0 });
    }
  }

  #received(message) {
    const { type, data } = message;
    if (type === "library" && data.state !== "scanning" && data.revision !== this.#catalogue) {
      this.#catalogue = data.revision;
      this.windows.renew();
    }
    if (type === "resync") this.windows.reset();
    this.store.applyEvent(message);
    if (type === "output" || type === "settings") this.refresh("outputs");
    if (type === "effects") this.refresh("presets");
  }

  /** A phone that slept may hold a dead connection without knowing: ask once when someone looks again. */
  async #looked() {
    if (document.hidden) return;
    if (!this.socket.isOpen) return void this.reconnect();
    try {
      this.store.applySnapshot(await this.client.get(this.paths.player(), { timeout: 3000 }));
    } catch {
      this.socket.connect();
    }
  }
}
