// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, icon, setChoices, setText } from "../../lib/component.js";

const nameOf = ({ description, name, id }) => description || name || id;

/** The name; with port and id if another output has the same name. */
const nameAmong = (outputs) => (output) => {
  const name = nameOf(output);
  if (outputs.filter((other) => nameOf(other) === name).length < 2) return name;
  const port = output.ports?.find((each) => each.name === output.activePort);
  return `${name} (${[port?.description, output.id].filter(Boolean).join(", ")})`;
};

/** The output of the sound. Field: `outputs` (answer of `GET /outputs`, or null). */
class OutputPicker extends Component {
  markup() {
    return html`<label class="output-box">
      ${icon("speaker")}<span class="visually-hidden">Output</span><span class="output-name" aria-hidden="true" data-ref="name"></span><select aria-label="Output" data-ref="list"></select>${icon("chevron")}</label>`;
  }

  made() {
    this.refs.list.addEventListener("change", async ({ target }) => {
      this.#showName();
      // The move has only begun: show the choice until the server reports the result.
      if (!(await this.request("selectOutput", { id: target.value || null }))) this.draw();
    });
  }

  draw() {
    this.#drawList();
    this.#showName();
  }

  #showName() {
    setText(this.refs.name, this.refs.list.selectedOptions[0]?.text ?? "");
  }

  #drawList() {
    const { list } = this.refs;
    const { outputs = [], following, message } = this.outputs ?? {};
    const current = outputs.find((output) => output.current);
    const standard = outputs.find((output) => output.default);
    const follows = following === "default";
    const name = nameAmong(outputs);
    list.disabled = outputs.length === 0;
    // With another output at hand, the message is about the chosen one.
    const missing = follows && outputs.some(({ available }) => available) ? message : null;
    list.title = missing ?? "";
    if (list.disabled) return setChoices(list, [["", "No output"]], "");
    const isOff = new Set(["none", "missing", ...outputs.filter(({ available }) => available === false).map(({ id }) => id)]);
    // The sound may be elsewhere: an alarm has an output of its own, another program has moved it.
    const isElsewhere = follows && current && !current.default;
    setChoices(list, [
      ...(missing ? [["missing", missing]] : []),
      ["", `${isElsewhere ? `Now ${name(current)} – default` : "Default"}${standard ? ` (${name(standard)})` : ""}`],
      ...(current || follows ? [] : [["none", "No output in use"]]),
      ...outputs.map((output) => [output.id, `${name(output)}${isOff.has(output.id) ? " – unplugged" : ""}`]),
    ], missing ? "missing" : follows ? "" : (current?.id ?? "none"), (id) => isOff.has(id));
  }
}

define("output-picker", OutputPicker, { outputs: null }, import.meta.url);
