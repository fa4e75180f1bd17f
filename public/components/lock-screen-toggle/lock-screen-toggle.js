// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";

/** Whether the lock screen shows what plays. Property: `on`. Reports `lock-screen` with `{on}`, from a press. */
export class LockScreenToggle extends HTMLElement {
  connectedCallback() {
    render(this, html`<button class="icon-button" aria-label="Show on lock screen" aria-pressed="false">${icon("phone")}</button>`);
    this.button = this.querySelector("button");
    this.button.addEventListener("click", () => {
      const on = this.button.getAttribute("aria-pressed") !== "true";
      // The browser may take its time to begin; a second press would ask for the same.
      this.button.disabled = true;
      this.dispatchEvent(new CustomEvent("lock-screen", { bubbles: true, detail: { on } }));
    });
    this.on = false;
  }

  set on(on) {
    this.button.disabled = false;
    this.button.setAttribute("aria-pressed", String(on));
    this.button.title = on ? "Shown on this device's lock screen and media keys" : "Show on this device's lock screen and media keys";
  }
}

customElements.define("lock-screen-toggle", LockScreenToggle);
