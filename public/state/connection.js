// SPDX-License-Identifier: Apache-2.0

/**
 * Keeps the store fed: events from the socket, and what events do not carry by request. The socket cannot tell why it
 * was refused (browsers hide the status), so a loss is followed by a read, whose 401 asks for the token.
 */
export class Connection {
  #client;
  #paths;
  #socket;
  #store;
  #windows;
  /** The library's revision that was told last. */
  #catalogue;
  #onOpen;
  #onGone;
  #outputsAsked = 0;

  /** `onGone()`: the player that the page steers is no longer there. */
  constructor({ client, paths, socket, store, windows, onOpen, onGone }) {
    this.#client = client;
    this.#paths = paths;
    this.#socket = socket;
    this.#store = store;
    this.#windows = windows;
    this.#onOpen = onOpen;
    this.#onGone = onGone;
    store.addEventListener("run", () => windows.reset());
    socket.addEventListener("connection", ({ detail }) => this.#changed(detail));
    socket.addEventListener("message", ({ detail }) => this.#received(detail));
    addEventListener("online", () => this.reconnect());
    document.addEventListener("visibilitychange", () => this.#looked());
  }

  start() {
    this.#socket.connect();
  }

  /** Now, without waiting for the back-off. */
  reconnect() {
    if (!this.#socket.isOpen) this.#socket.connect();
  }

  async refreshOutputs() {
    const asked = ++this.#outputsAsked;
    let outputs = null;
    try {
      outputs = await this.#client.get(this.#paths.outputs());
    } catch {
      // Shown as "No output"; the status line has the reason, and the next `output` event asks again.
    }
    if (asked === this.#outputsAsked) this.#store.setOutputs(outputs);
  }

  async refreshSession() {
    try {
      this.#store.setSession(await this.#client.get("/session"));
    } catch {
      this.#store.setSession(null);
    }
  }

  #changed(connection) {
    if (this.#store.connection.state === "unauthorized" && connection.state === "connecting") return;
    this.#store.setConnection(connection);
    if (connection.state === "open") {
      this.refreshOutputs();
      this.refreshSession();
      this.#windows.settled();
      this.#onOpen();
    } else if (connection.state === "lost") {
      this.#askWhy();
    }
  }

  async #askWhy() {
    try {
      await this.#client.get(this.#paths.player(), { timeout: 5000 });
    } catch (problem) {
      if (problem.code === "unknown-player") this.#onGone();
      if (problem.status !== 401) return;
      this.#socket.close();
      this.#store.setConnection({ state: "unauthorized", retryAt: null, attempt: 0 });
    }
  }

  #received(message) {
    const { type, data } = message;
    if (type === "library" && data.state !== "scanning" && data.revision !== this.#catalogue) {
      this.#catalogue = data.revision;
      this.#windows.renew();
    }
    if (type === "resync") this.#windows.reset();
    this.#store.applyEvent(message);
    if (type === "output" || type === "settings") this.refreshOutputs();
  }

  /** A phone that slept may hold a dead connection without knowing: ask once when someone looks again. */
  async #looked() {
    if (document.hidden) return;
    if (!this.#socket.isOpen) {
      this.reconnect();
      return;
    }
    try {
      this.#store.applySnapshot(await this.#client.get(this.#paths.player(), { timeout: 3000 }));
    } catch {
      this.#socket.connect();
    }
  }
}
