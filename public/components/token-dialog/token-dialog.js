// SPDX-License-Identifier: Apache-2.0

import { define, html, setText } from "../../lib/component.js";
import { DialogComponent } from "../../lib/dialog.js";

/** Asks for the token when the server wants one. Reports `token` with `{token}`. */
class TokenDialog extends DialogComponent {
  markup() {
    return html`
      <dialog aria-labelledby="token-heading">
        <form method="dialog" data-ref="form">
          <h2 id="token-heading">Access token needed</h2>
          <p>This server needs a token. On its machine <code>tonearm link</code> prints the link with the token. Paste that link or the token here.</p>
          <input name="username" autocomplete="username" value="Tonearm" hidden>
          <label for="token-input">Token</label>
          <input id="token-input" name="token" type="password" required autocomplete="current-password" spellcheck="false" data-ref="input">
          <p class="form-error" role="alert" data-ref="error"></p>
          <div class="dialog-buttons"><button type="button" class="text-button" data-action="close" hidden>Cancel</button><button class="primary-button">Connect</button></div>
        </form>
      </dialog>`;
  }

  made() {
    this.dialog.addEventListener("cancel", (event) => this.button("close").hidden && event.preventDefault());
    this.refs.form.addEventListener("submit", () => this.report("token", { token: this.refs.input.value.trim() }));
  }

  /** `refused`: the server does not accept the current token. `optional`: it does, but another one may allow more. */
  open({ refused = false, optional = false }) {
    this.button("close").hidden = !optional;
    setText(this.refs.error, refused ? "The server does not accept this token." : "");
    super.open();
  }
}

define("token-dialog", TokenDialog);
