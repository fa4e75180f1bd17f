// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { request } from "../../lib/request.js";

/** Where the sound goes. Property: `outputs` (answer of `GET /outputs`, or null). */
export class OutputPicker extends HTMLElement {
  #outputs = null;

  connectedCallback() {
    render(this, html`
      <label class="output-box">
        ${icon("speaker")}
        <span class="visually-hidden">Output</span>
        <select aria-label="Output" disabled><option>No output</option></select>
        ${icon("chevron")}
      </label>`);
    this.select = this.querySelector("select");
    this.select.addEventListener("change", async () => {
      const id = this.select.value;
      // Done means on its way: the choice shows until the devices say what became of it.
      if (!(await request(this, "selectOutput", { id: id === "" ? null : id }))) this.#show();
    });
  }

  set outputs(outputs) {
    this.#outputs = outputs;
    this.#show();
  }

  #show() {
    const outputs = this.#outputs?.outputs ?? [];
    this.select.disabled = outputs.length === 0;
    const current = outputs.find((output) => output.current);
    const standard = outputs.find((output) => output.default);
    const follows = this.#outputs?.following === "default";
    const nameOf = ({ description, name, id }) => description || name || id;
    render(this.select, outputs.length === 0
      ? html`<option>No output</option>`
      : html`
        <option value="">Default${standard ? ` (${nameOf(standard)})` : ""}</option>
        ${current || follows ? null : html`<option value="none" disabled>No output in use</option>`}
        ${outputs.map((output) => html`
          <option value="${output.id}" ${output.available === false ? html`disabled` : null}>
            ${nameOf(output)}${output.available === false ? " – unplugged" : ""}
          </option>`)}`);
    if (outputs.length) this.select.value = follows ? "" : (current?.id ?? "none");
  }
}

customElements.define("output-picker", OutputPicker);
