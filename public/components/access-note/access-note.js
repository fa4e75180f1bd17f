// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";

/** Says why nothing can be pressed: the token only reads. Property: `isReadOnly`. Dispatches `ask-token`. */
export class AccessNote extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "status");
  }

  set isReadOnly(isReadOnly) {
    if (this.hidden === !isReadOnly) return;
    this.hidden = !isReadOnly;
    if (!isReadOnly) return render(this, html``);
    render(this, html`${icon("warning")}<span>You can look, not control: the token lacks the scope “control”.</span>
      <button class="text-button">Use another token</button>`);
    return this.querySelector("button").addEventListener("click", () => {
      this.dispatchEvent(new CustomEvent("ask-token", { bubbles: true }));
    });
  }
}

customElements.define("access-note", AccessNote);
