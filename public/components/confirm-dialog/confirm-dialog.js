// SPDX-License-Identifier: Apache-2.0

import { define, html } from "../../lib/component.js";
import { DialogComponent } from "../../lib/dialog.js";

/** Asks before an irreversible action. */
class ConfirmDialog extends DialogComponent {
  #settle = () => {};

  markup() {
    return html`
      <dialog aria-labelledby="confirm-heading" aria-describedby="confirm-text">
        <form method="dialog">
          <h2 id="confirm-heading" data-ref="title"></h2>
          <p id="confirm-text" data-ref="text"></p>
          <div class="dialog-buttons"><button class="text-button" value="no">Cancel</button><button class="primary-button" value="yes" data-ref="action"></button></div>
        </form>
      </dialog>`;
  }

  made() {
    super.made();
    this.dialog.addEventListener("close", () => this.#settle(this.dialog.returnValue === "yes"));
  }

  dismiss() {
    this.dialog.close("no");
  }

  /** Resolves to true if the button labelled `action` was chosen. */
  ask(question) {
    for (const [name, part] of Object.entries(this.refs)) part.textContent = question[name];
    // Escape does not change it.
    this.dialog.returnValue = "no";
    this.open();
    return new Promise((resolve) => (this.#settle = resolve));
  }
}

define("confirm-dialog", ConfirmDialog);
