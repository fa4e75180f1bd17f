// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, icon, setText } from "../../lib/component.js";

/** A lost connection, and the time of the next attempt. Field: `connection`. Reports `reconnect`. */
class ConnectionBanner extends Component {
  #timer = 0;

  markup() {
    return html`${icon("warning")}<span class="banner-text">Connection <span class="banner-detail">to the server </span>lost.</span>
      <span class="banner-wait" aria-hidden="true" data-ref="wait"></span><button class="text-button" data-action="reconnect">Reconnect now</button>`;
  }

  made() {
    this.setAttribute("role", "alert");
  }

  draw() {
    const { state, retryAt, attempt } = this.connection;
    // The banner stays during an attempt.
    if (state === "open" || state === "unauthorized") this.hidden = true;
    else if (state === "lost" || attempt > 0) this.hidden = false;
    clearInterval(this.#timer);
    if (state !== "lost") return setText(this.refs.wait, state === "connecting" ? "Connecting…" : "");
    const tick = () => setText(this.refs.wait, `Next attempt in ${Math.max(0, Math.ceil((retryAt - performance.now()) / 1000))} s.`);
    tick();
    return (this.#timer = setInterval(tick, 1000));
  }

  press(action) {
    this.report(action);
  }
}

define("connection-banner", ConnectionBanner, { connection: { state: "connecting", attempt: 0 } }, import.meta.url);
