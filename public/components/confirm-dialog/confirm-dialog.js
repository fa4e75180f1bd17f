// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";

/** Asks before what cannot be taken back. */
export class ConfirmDialog extends HTMLElement {
  #tell = () => {};

  connectedCallback() {
    render(this, html`
      <dialog aria-labelledby="confirm-heading" aria-describedby="confirm-text">
        <form method="dialog">
          <h2 id="confirm-heading"></h2>
          <p id="confirm-text"></p>
          <div class="dialog-buttons"><button class="text-button" value="no">Cancel</button><button class="primary-button" value="yes"></button></div>
        </form>
      </dialog>`);
    this.dialog = this.querySelector("dialog");
    this.dialog.addEventListener("close", () => this.#tell(this.dialog.returnValue === "yes"));
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close("no"));
  }

  /** Resolves to whether `action`, the label of the other button, was chosen. */
  ask({ title, text, action }) {
    this.querySelector("h2").textContent = title;
    this.querySelector("p").textContent = text;
    this.querySelector("[value=yes]").textContent = action;
    // Escape leaves it as it is.
    this.dialog.returnValue = "no";
    this.dialog.showModal();
    return new Promise((resolve) => (this.#tell = resolve));
  }
}

customElements.define("confirm-dialog", ConfirmDialog);
