// SPDX-License-Identifier: Apache-2.0

import { root } from "./paths.js";

/** A refused request: RFC 9457 problem details with a sentence for the user in `message`. */
export class Problem extends Error {
  constructor({ status = 0, code = "unreachable", title = "", detail = "", scope = null }) {
    super(detail || title || `The server answered ${status}.`);
    this.status = status;
    this.code = code;
    /** The scope that the token lacks; null for another reason. */
    this.scope = scope;
  }
}

/** The REST API; paths are below its root. Every method rejects with `Problem`. */
export class Client {
  /** `token` is read at each request: `null` when the server asks for none. */
  constructor({ token = () => null } = {}) {
    this.token = token;
  }

  get(path, options) {
    return this.send("GET", path, undefined, options);
  }

  /** The answer's JSON; null without a body. `timeout` in ms, until the end of the answer. */
  send(method, path, body, options) {
    return this.#ask(method, path, body, options, (response) => response.json());
  }

  /** The bytes at `path`; null when there are none (404). */
  async blob(path, options) {
    try {
      return await this.#ask("GET", path, undefined, options, (response) => response.blob());
    } catch (problem) {
      if (problem.status === 404) return null;
      throw problem;
    }
  }

  async #ask(method, path, body, { signal, timeout = 10_000 } = {}, read) {
    const headers = { Accept: "application/json, */*;q=0.5" };
    const token = this.token();
    if (token) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const limit = AbortSignal.timeout(timeout);
    try {
      const response = await fetch(root + path, {
        method, headers, body: JSON.stringify(body), signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      if (!response.ok) throw await problemOf(response);
      return response.status === 204 ? null : await read(response);
    } catch (error) {
      if (signal?.aborted || error instanceof Problem) throw error;
      throw new Problem({ detail: "The server cannot be reached." });
    }
  }
}

async function problemOf(response) {
  const scope = /\bscope="([a-z]+)"/.exec(response.headers.get("WWW-Authenticate"))?.[1];
  try {
    return new Problem({ ...(await response.json()), status: response.status, scope });
  } catch {
    return new Problem({ status: response.status, code: "unreadable", title: response.statusText });
  }
}
