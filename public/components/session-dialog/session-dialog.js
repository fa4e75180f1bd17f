// SPDX-License-Identifier: Apache-2.0

import { define, effect, html, iconButton, render, setChoices, setText } from "../../lib/component.js";
import { BoundInput } from "../../lib/bound-input.js";
import { DialogComponent } from "../../lib/dialog.js";
import { categoryNotes, categoryWords, describeOthers, modeWords, optionWords, policyWords } from "../../lib/session.js";
import { nextAlarm } from "../../lib/time.js";

// Pairs: an object would list its numbers first.
const sleepWords = [
  ["", "Off"], ["900", "In 15 minutes"], ["1800", "In 30 minutes"], ["2700", "In 45 minutes"], ["3600", "In an hour"],
  ["end-of-item", "At the end of the track"], ["end-of-queue", "At the end of the queue"],
];
const check = (ref, words) => html`<label class="check"><input type="checkbox" data-ref="${ref}"> ${words}</label>`;
const list = (ref, words) => html`<label class="field">${words} <select data-ref="${ref}"></select></label>`;

/**
 * Timers, sound, session, interruptions, and the reaction to unplugged headphones.
 * Fields: `session` (answer of `GET /session`, or null), `player`, `outputs` (of `GET /outputs`), `timers`,
 * `hasRecorder`.
 */
class SessionDialog extends DialogComponent {
  #fields = null;

  markup() {
    return html`
      <dialog aria-labelledby="session-heading">
        <header class="dialog-header"><h2 id="session-heading">Sound and timers</h2>${iconButton("remove", "Close", null, { action: "close" })}</header>
        <fieldset class="needs-control session-fields">
          ${list("sleep", "Sleep timer")}
          <details class="session-alarms"><summary data-ref="alarms">Alarms</summary><alarm-list></alarm-list></details>
          <sound-view></sound-view>
          ${list("policy", "When headphones are unplugged")}
          ${check("yield", "Fall silent when another program takes the sound")}
          ${check("resume", "Resume afterwards")}
          <div class="session-group" data-ref="session">
            ${list("category", "This machine is for")}
            <p class="note" role="status" data-ref="use"></p>
            <p class="note" hidden data-ref="noRecording">To record, this machine needs a microphone or line input<span data-ref="noRecorder">, and a
              server that runs with <code>--recordings DIR</code>, or with <code>TONEARM_RECORDINGS</code> in its environment</span>.</p>
            ${list("mode", "Mode")}
            <p class="note">Tells the sound server what plays. It may choose another output or volume for it.</p>
            <div class="session-options" role="group" aria-label="Options" data-ref="options"></div>
            ${check("silent", "Silent switch")}
            <p class="note">Silences background music. Other uses play on.</p>
            <p class="note" role="status" data-ref="others"></p>
          </div>
        </fieldset>
      </dialog>`;
  }

  made() {
    super.made();
    this.dialog.addEventListener("close", () => (this.isOpen = false));
    this.#fields = new BoundInput(this.querySelector(".session-fields"), { show: () => this.#show(), send: (value, input) => this.#send(value, input) });
    effect(() => this.#show());
  }

  open() {
    super.open();
    this.isOpen = true;
  }

  get #sleeping() {
    return this.timers.find(({ type }) => type === "sleep");
  }

  get #options() {
    return [...this.refs.options.querySelectorAll("input")];
  }

  #send(value, input) {
    if (input.closest("alarm-list, sound-view")) return null;
    // By the boxes: another change may be on its way.
    if (input.dataset.option) return this.request("session", { options: this.#options.filter((box) => box.checked).map(({ dataset }) => dataset.option) });
    switch (input.dataset.ref) {
      case "sleep": return this.#sleep(value);
      case "policy": return this.request("outputPolicy", { policy: value });
      case "yield": return this.request("settings", { interruptionPolicy: value ? "auto" : "notify-only" });
      case "resume": return this.request("settings", { autoResume: value });
      // The server would refuse options and modes of the old category.
      case "category": return this.request("session", { category: value, options: [], mode: "default" });
      case "mode": return this.request("session", { mode: value });
      default: return this.request("session", { silentSwitch: value });
    }
  }

  #sleep(value) {
    if (value) return this.request("sleep", value > 0 ? { after: Number(value) } : { until: value });
    return this.#sleeping ? this.request("endTimer", { id: this.#sleeping.id }) : true;
  }

  #show() {
    // All fields, so that each change is followed also if it is not shown yet.
    const { refs, session, player, outputs, timers, hasRecorder } = this;
    if (this.#fields.isBusy) return;
    const { after, until } = this.#sleeping ?? {};
    const end = String(until ?? after ?? "");
    const isKnown = sleepWords.some(([value]) => value === end);
    setChoices(refs.sleep, isKnown ? sleepWords : [...sleepWords, [end, `In ${Math.round(after / 60)} minutes`]], end);
    const alarm = nextAlarm(timers);
    setText(refs.alarms, alarm ? `Alarms · next: ${alarm}` : "Alarms");
    setChoices(refs.policy, Object.entries(policyWords), outputs?.policy ?? refs.policy.value);
    refs.yield.checked = player?.interruptionPolicy !== "notify-only";
    refs.resume.checked = player?.autoResume !== false;
    refs.resume.disabled = !refs.yield.checked;
    refs.session.hidden = session === null;
    if (!session) return;
    const { category, mode, options, available, silentSwitch } = session;
    setChoices(refs.category, Object.entries(categoryWords), category, (value) => value !== category && !available.categories.includes(value));
    setText(refs.use, categoryNotes[category]);
    refs.noRecording.hidden = available.categories.includes("record");
    refs.noRecorder.hidden = hasRecorder;
    setChoices(refs.mode, Object.entries(modeWords).filter(([value]) => available.modes.includes(value)), mode);
    this.#showOptions(available.options, options);
    refs.silent.checked = silentSwitch;
    setText(refs.others, describeOthers(session));
  }

  /** Makes the boxes only for other options: one may have the focus. */
  #showOptions(available, chosen) {
    if (this.#options.map(({ dataset }) => dataset.option).join() !== available.join()) {
      render(this.refs.options, html`${available.map((option) => html`
        <label class="check"><input type="checkbox" data-option="${option}"> ${optionWords[option] ?? option}</label>`)}`);
    }
    for (const box of this.#options) box.checked = chosen.includes(box.dataset.option);
  }
}

define("session-dialog", SessionDialog, { session: null, player: null, outputs: null, timers: [], hasRecorder: false, isOpen: false }, import.meta.url);
