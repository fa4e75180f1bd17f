// SPDX-License-Identifier: Apache-2.0

import { Component } from "./component.js";

/** A component around a `dialog`. A click outside closes it. */
export class DialogComponent extends Component {
  get dialog() {
    return this.firstElementChild;
  }

  made() {
    this.dialog.addEventListener("click", ({ target }) => target === this.dialog && this.dismiss());
  }

  open() {
    if (!this.dialog.open) this.dialog.showModal();
  }

  close() {
    this.dialog.close();
  }

  /** Closes without an answer. */
  dismiss() {
    this.close();
  }

  press(action) {
    if (action === "close") this.dismiss();
  }
}
