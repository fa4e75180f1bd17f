// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, icon, render } from "../../lib/component.js";

/** The reason why nothing can be pressed: the token only reads. Reports `ask-token`. */
class AccessNote extends Component {
  made() {
    this.setAttribute("role", "status");
  }

  draw() {
    this.hidden = !this.isReadOnly;
    render(this, this.isReadOnly ? html`${icon("warning")}<span>This link may only look, not control.</span>
      <button class="text-button" data-action="ask-token">Use another token</button>` : html``);
  }

  press(action) {
    this.report(action);
  }
}

define("access-note", AccessNote, { isReadOnly: false }, import.meta.url);
