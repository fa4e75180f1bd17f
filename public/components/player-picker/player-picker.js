// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";

/** Which player the page steers, where there are more than one. Property: `players` (state/players.js). Reports `steer-player`. */
export class PlayerPicker extends HTMLElement {
  connectedCallback() {
    render(this, html`
      <label class="output-box" title="The player that this page steers">
        ${icon("disc")}<span class="visually-hidden">Player</span><select aria-label="Player"></select>${icon("chevron")}
      </label>`);
    this.select = this.querySelector("select");
    this.select.addEventListener("change", () =>
      this.dispatchEvent(new CustomEvent("steer-player", { bubbles: true, detail: { id: this.select.value } })));
  }

  set players({ list, steered }) {
    this.hidden = list.length < 2;
    render(this.select, html`${list.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}`);
    this.select.value = steered;
  }
}

customElements.define("player-picker", PlayerPicker);
