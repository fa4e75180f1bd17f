// SPDX-License-Identifier: Apache-2.0

import { html, render, setText } from "../../lib/html.js";

/** Asks for the token when the server wants one. Dispatches `token` with `detail.token`. */
export class TokenDialog extends HTMLElement {
  connectedCallback() {
    render(this, html`
      <dialog aria-labelledby="token-heading">
        <form method="dialog">
          <h2 id="token-heading">Access token needed</h2>
          <p>This server lets in only who knows its token. It printed a link with it when it started; you can also paste the token here.</p>
          <label for="token-input">Token</label>
          <input id="token-input" name="token" type="password" required autocomplete="current-password" spellcheck="false">
          <p class="form-error" role="alert"></p>
          <div class="dialog-buttons"><button type="button" class="text-button" hidden>Cancel</button><button class="primary-button">Connect</button></div>
        </form>
      </dialog>`);
    this.dialog = this.querySelector("dialog");
    this.dialog.addEventListener("cancel", (event) => this.cancel.hidden && event.preventDefault());
    this.cancel = this.querySelector("[type=button]");
    this.cancel.addEventListener("click", () => this.close());
    this.querySelector("form").addEventListener("submit", () => {
      const token = this.querySelector("input").value.trim();
      this.dispatchEvent(new CustomEvent("token", { bubbles: true, detail: { token } }));
    });
  }

  /** `refused`: the one we had does not open the door. `optional`: it does, another one may open more. */
  open({ refused = false, optional = false }) {
    this.cancel.hidden = !optional;
    setText(this.querySelector(".form-error"), refused ? "The server does not accept this token." : "");
    if (!this.dialog.open) this.dialog.showModal();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }
}

customElements.define("token-dialog", TokenDialog);
