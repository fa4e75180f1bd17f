// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { request } from "../../lib/request.js";
import { describeOthers, optionWords, categoryWords, modeWords, policyWords } from "../../lib/session.js";

const choices = (words, known, disabled = () => false) => Object.entries(words)
  .filter(([value]) => known === undefined || known.includes(value))
  .map(([value, text]) => html`<option value="${value}" ${disabled(value) ? html`disabled` : null}>${text}</option>`);

/**
 * Who may sound: the session, interruptions, and what becomes of the music when headphones are pulled.
 * Properties: `session` (answer of `GET /session`, or null), `player`, `outputs` (of `GET /outputs`).
 */
export class SessionDialog extends HTMLElement {
  #session = null;
  #player = null;
  #outputs = null;

  connectedCallback() {
    render(this, html`
      <dialog aria-labelledby="session-heading">
        <header class="dialog-header">
          <h2 id="session-heading">Sound</h2>
          <button class="icon-button" data-name="close" aria-label="Close">${icon("remove")}</button>
        </header>
        <fieldset class="needs-control session-fields">
          <label>When headphones are unplugged
            <select data-name="policy">${choices(policyWords)}</select></label>
          <label class="check"><input type="checkbox" data-name="obey"> Fall silent when another program takes the sound</label>
          <label class="check"><input type="checkbox" data-name="resume"> Go on by itself afterwards</label>
          <div data-name="session">
            <label>This machine is for
              <select data-name="category"></select></label>
            <label>Mode
              <select data-name="mode"></select></label>
            <div class="session-options" role="group" aria-label="Options"></div>
            <label class="check"><input type="checkbox" data-name="silent"> Silent switch</label>
            <p class="session-others" role="status"></p>
          </div>
        </fieldset>
      </dialog>`);
    this.dialog = this.querySelector("dialog");
    this.#find("close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.dialog.addEventListener("change", ({ target }) => this.#change(target));
  }

  open() {
    this.#show();
    if (!this.dialog.open) this.dialog.showModal();
  }

  set session(session) {
    this.#session = session;
    this.#show();
  }

  set player(player) {
    this.#player = player;
    this.#show();
  }

  set outputs(outputs) {
    this.#outputs = outputs;
    this.#show();
  }

  #find(name) {
    return this.querySelector(`[data-name="${name}"]`);
  }

  async #change(control) {
    const { name, option } = control.dataset;
    const done = await this.#send(name, option, control);
    // Refused: the controls go back to what the server has.
    if (!done) this.#show();
  }

  #send(name, option, { value, checked }) {
    if (option) {
      const others = this.#session.options.filter((known) => known !== option);
      return request(this, "session", { options: checked ? [...others, option] : others });
    }
    switch (name) {
      case "policy": return request(this, "outputPolicy", { policy: value });
      case "obey": return request(this, "settings", { interruptionPolicy: checked ? "auto" : "notify-only" });
      case "resume": return request(this, "settings", { autoResume: checked });
      // What the new category does not know would be refused.
      case "category": return request(this, "session", { category: value, options: [], mode: "default" });
      case "mode": return request(this, "session", { mode: value });
      default: return request(this, "session", { silentSwitch: checked });
    }
  }

  #show() {
    if (!this.dialog) return;
    if (this.#outputs) this.#find("policy").value = this.#outputs.policy;
    this.#find("obey").checked = this.#player?.interruptionPolicy !== "notify-only";
    this.#find("resume").checked = this.#player?.autoResume !== false;
    this.#find("resume").disabled = !this.#find("obey").checked;
    this.#find("session").hidden = this.#session === null;
    if (this.#session) this.#showSession(this.#session);
  }

  #showSession({ category, mode, options, available, silentSwitch }) {
    const isThere = (value) => value === category || available.categories.includes(value);
    render(this.#find("category"), html`${choices(categoryWords, undefined, (value) => !isThere(value))}`);
    this.#find("category").value = category;
    render(this.#find("mode"), html`${choices(modeWords, available.modes)}`);
    this.#find("mode").value = mode;
    render(this.querySelector(".session-options"), html`${available.options.map((option) => html`
      <label class="check"><input type="checkbox" data-option="${option}" ${options.includes(option) ? html`checked` : null}>
        ${optionWords[option] ?? option}</label>`)}`);
    this.#find("silent").checked = silentSwitch;
    this.querySelector(".session-others").textContent = describeOthers(this.#session);
  }
}

customElements.define("session-dialog", SessionDialog);
