// SPDX-License-Identifier: Apache-2.0

import { html, render, setText } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";

/** Says that what is shown may be old, and when the next attempt comes. Property: `connection`. */
export class ConnectionBanner extends HTMLElement {
  #timer = 0;

  connectedCallback() {
    this.setAttribute("role", "alert");
    render(this, html`${icon("warning")}<span class="banner-text">Connection <span class="banner-detail">to the server </span>lost.</span>
      <span class="banner-wait" aria-hidden="true"></span><button class="text-button">Reconnect now</button>`);
    this.querySelector("button").addEventListener("click", () => {
      this.dispatchEvent(new CustomEvent("reconnect", { bubbles: true }));
    });
  }

  set connection({ state, retryAt, attempt }) {
    // An attempt under way does not take the banner down: only a connection does.
    if (state === "open" || state === "unauthorized") this.hidden = true;
    else if (state === "lost" || attempt > 0) this.hidden = false;
    clearInterval(this.#timer);
    const wait = this.querySelector(".banner-wait");
    if (state !== "lost") return setText(wait, state === "connecting" ? "Connecting…" : "");
    const tick = () => {
      const seconds = Math.max(0, Math.ceil((retryAt - performance.now()) / 1000));
      setText(wait, `Next attempt in ${seconds} s.`);
    };
    tick();
    this.#timer = setInterval(tick, 1000);
    return undefined;
  }
}

customElements.define("connection-banner", ConnectionBanner);
