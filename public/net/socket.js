// SPDX-License-Identifier: Apache-2.0

import { Problem } from "./client.js";

const firstDelay = 250;
const longestDelay = 8000;
/** Seconds between two `levels` events. */
const levelsInterval = 1 / 15;

/**
 * The event channel, with reconnection. It also carries commands whose refusal is not an error of the page: a browser logs
 * refused requests as errors, but not replies over the channel. Dispatches `message` (detail: the parsed frame) and `connection`
 * (detail: `{state: "connecting" | "open" | "lost", retryAt}`, `retryAt` in ms of `performance.now()`).
 */
export class EventSocket extends EventTarget {
  #socket = null;
  #timer = 0;
  #attempt = 0;
  #epoch = null;
  /** The events that the server sends by default, and those that are watched in addition. */
  #usual = [];
  #watched = [];
  #sequence = null;
  #asked = 0;
  /** Commands that wait for a reply, by id. */
  #waiting = new Map();

  /** `{paths, token, interval}`: `paths.events` and `token()` are read at each connection. */
  constructor(parts) {
    super();
    Object.assign(this, parts);
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Connects now, without waiting for the back-off. */
  connect() {
    clearTimeout(this.#timer);
    this.#drop();
    this.#report("connecting");
    const token = this.token();
    const protocols = token ? ["tonearm.v1", `bearer.${token}`] : ["tonearm.v1"];
    let socket;
    try {
      socket = new WebSocket(this.#address(), protocols);
    } catch {
      // The token is not valid as a subprotocol: the REST API answers 401, and the form asks for another one.
      this.#lost();
      return;
    }
    this.#socket = socket;
    socket.addEventListener("open", () => this.#opened(socket));
    socket.addEventListener("message", (event) => this.#received(socket, event.data));
    socket.addEventListener("close", () => socket === this.#socket && this.#lost());
  }

  /** The result of a command of asyncapi.yaml, all of which need the scope control; rejects with `Problem`. `timeout` in ms. */
  command(name, data, options) {
    return this.#ask({ type: "command", command: name, data }, options);
  }

  /** Subscribes to further events, also after a reconnection; rejects with `Problem` if the server does not know one. */
  async watch(names) {
    this.#watched = names;
    if (this.isOpen && this.#usual.length) await this.#ask({ type: "subscribe", events: [...this.#usual, ...names], ...(names.length && { levelsInterval }) });
  }

  #ask(frame, { timeout = 10_000 } = {}) {
    if (!this.isOpen) return Promise.reject(unanswered());
    const id = `c${++this.#asked}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(id, null), timeout);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#socket.send(JSON.stringify({ ...frame, id }));
    });
  }

  /** `reply`: null if none will come. */
  #settle(id, reply) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (!reply) waiting.reject(unanswered());
    else if (!reply.problem) waiting.resolve(reply.result ?? null);
    else waiting.reject(new Problem({ ...reply.problem, scope: reply.problem.code === "scope-missing" ? "control" : null }));
  }

  #forget() {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, null);
  }

  /** Connects to another player's channel, without replay. */
  change() {
    this.#epoch = this.#sequence = null;
    this.#attempt = 0;
    this.connect();
  }

  /** Closes the connection until `connect`. */
  close() {
    clearTimeout(this.#timer);
    this.#drop();
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#forget();
  }

  #address() {
    const address = new URL(this.paths.events, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.searchParams.set("interval", String(this.interval));
    if (this.#epoch !== null && this.#sequence !== null) {
      address.searchParams.set("since", `${this.#epoch}:${this.#sequence}`);
    }
    return address.href;
  }

  #opened(socket) {
    if (socket !== this.#socket) return;
    this.#attempt = 0;
    this.#report("open");
  }

  #received(socket, text) {
    if (socket !== this.#socket) return;
    const message = JSON.parse(text);
    if (message.type === "reply") return void this.#settle(message.id, message);
    if (message.type === "hello") this.#greeted(message.data);
    else if (Number.isInteger(message.seq)) this.#sequence = message.seq;
    this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  /** `hello` has the number of the latest event, but the missed ones or a snapshot only follow. */
  #greeted({ epoch, events = [] }) {
    if (epoch !== this.#epoch) this.#sequence = null;
    this.#epoch = epoch;
    this.#usual = events;
    if (this.#watched.length) this.watch(this.#watched).catch(() => {});
  }

  #lost() {
    this.#socket = null;
    this.#forget();
    const delay = Math.min(longestDelay, firstDelay * 2 ** this.#attempt) * (0.75 + Math.random() / 2);
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.connect(), delay);
    this.#report("lost", performance.now() + delay);
  }

  #report(state, retryAt = null) {
    this.dispatchEvent(new CustomEvent("connection", { detail: { state, retryAt, attempt: this.#attempt } }));
  }
}

function unanswered() {
  return new Problem({ detail: "The server cannot be reached." });
}
