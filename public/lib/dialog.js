// SPDX-License-Identifier: Apache-2.0

import { Component } from "./component.js";

/** A component around a `dialog`, which a click beside it closes. */
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

  /** Leaves without an answer. */
  dismiss() {
    this.close();
  }

  press(action) {
    if (action === "close") this.dismiss();
  }
}
