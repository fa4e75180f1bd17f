// SPDX-License-Identifier: Apache-2.0

import { BoundInput } from "./bound-input.js";
import { choices, data, html, setAttribute, setText } from "./component.js";

/**
 * Controls for settings, declared as a table: `{name, kind, words, get, patch}`. `kind` is "check", "list" (with `entries`) or "range" (with
 * `min`, `max`, `step` and `show(value)`, its text). `get(state)` gives the value, `patch(value)` the change to send, and `isOff(state)`
 * disables the control.
 */
export const controlMarkup = (controls) => html`${controls.map(({ name, kind, words, entries, min, max, step }) => {
  const values = data({ control: name });
  if (kind === "check") return html`<label class="check"${data({ row: name })}><input type="checkbox"${values}> ${words}</label>`;
  if (kind === "list") return html`<label class="field"${data({ row: name })}><span>${words}</span><select${values}>${choices(entries)}</select></label>`;
  return html`<label class="field range"${data({ row: name })}><span>${words}</span><span class="value" aria-hidden="true"></span>
    <input type="range" min="${min}" max="${max}" step="${step}"${values}></label>`;
})}`;

/** Keeps the controls of a table in `root` at the server's state. */
export class ControlTable {
  #controls;
  #root;

  /** `state()` gives the state or null; `send(patch)` a promise of whether it was done. */
  constructor(root, controls, { state, send }) {
    this.#root = root;
    this.state = state;
    this.#controls = controls.map((control) => ({ ...control, input: root.querySelector(`[data-control=${control.name}]`) }));
    for (const control of this.#controls) {
      control.bound = new BoundInput(control.input, {
        show: () => this.#show(control),
        send: (value) => (this.#showText(control, value), send(control.patch(value))),
      });
    }
  }

  row(name) {
    return this.#root.querySelector(`[data-row=${name}]`);
  }

  draw() {
    for (const control of this.#controls) this.#show(control);
  }

  #show(control) {
    const { kind, input, get, isOff = () => false, bound } = control;
    const state = this.state();
    input.disabled = !state || isOff(state);
    if (!state || bound.isBusy) return;
    const value = get(state);
    if (kind === "check") input.checked = value;
    else input.value = value;
    this.#showText(control, value);
  }

  #showText({ kind, input, show }, value) {
    if (kind !== "range") return;
    setAttribute(input, "aria-valuetext", show(value));
    setText(input.previousElementSibling, show(value));
  }
}
