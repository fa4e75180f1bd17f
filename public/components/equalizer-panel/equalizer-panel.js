// SPDX-License-Identifier: Apache-2.0

import { choices, Component, data, define, html, iconButton, render, setAttribute, setChoices, setText, textButton } from "../../lib/component.js";
import { responseAt } from "../../lib/biquad.js";
import { othersOf } from "../../lib/effects.js";

const limit = 12;
const types = [["peak", "Peak"], ["lowshelf", "Low shelf"], ["highshelf", "High shelf"], ["lowpass", "Low-pass"], ["highpass", "High-pass"], ["notch", "Notch"]];
const hasGain = new Set(["peak", "lowshelf", "highshelf"]);
const octaves = [31.25, 62.5, 125, 250, 500, 1000, 2000, 4000, 8000, 16_000];
/** The curve's box, in its own units. */
const [width, height] = [320, 140];
const [lowest, highest] = [20, 20_000];
const place = (frequency) => (width * Math.log(frequency / lowest)) / Math.log(highest / lowest);
const frequencies = Array.from({ length: 121 }, (_, index) => lowest * (highest / lowest) ** (index / 120));
const hertz = (frequency) => frequency >= 1000 ? `${Number((frequency / 1000).toFixed(1))} kHz` : `${Math.round(frequency)} Hz`;
/** A number with two decimals at most. */
const shown = (value) => typeof value === "number" ? String(Number(value.toFixed(2))) : value;
function decibels(gain) {
  const rounded = Math.round(gain * 10) / 10 || 0;
  return `${rounded > 0 ? "+" : ""}${rounded} dB`;
}

/**
 * The equaliser: its curve, bands and presets. Fields: `effects` (answer of `GET /effects`, or null), `presets` (of `GET /effects/presets`),
 * `sampleRate`.
 */
class EqualizerPanel extends Component {
  markup() {
    return html`
      <label class="check"><input type="checkbox" data-ref="enabled"> Equaliser</label>
      <p class="equalizer-others note" role="status" data-ref="others"></p>
      <div class="equalizer-curve" role="img" data-ref="curve"></div>
      <div class="equalizer-presets"><label class="field"><span>Preset</span><select aria-label="Preset" data-ref="preset"></select></label>
        ${iconButton("trash", "Delete the preset", "Delete the preset", { action: "removePreset" })}</div>
      <label class="field range"><span>Preamp</span><span class="value" aria-hidden="true"></span><input type="range" min="-24" max="24" step="0.5" data-ref="preamp"></label>
      <ul class="equalizer-bands" aria-label="Bands" data-ref="bands"></ul>
      <div class="equalizer-tools">${textButton("add", "Add band", { action: "addBand" })}${textButton("list", "Ten bands", { action: "tenBands" }, html`title="One band for each octave"`)}</div>
      <form class="equalizer-save" data-ref="form">
        <input name="name" maxlength="100" required placeholder="Name" aria-label="Name of the preset" autocomplete="off" data-ref="name">
        <button class="text-button" value="save">Save preset</button>
        <details><summary>Import a text of AutoEQ or Equalizer APO</summary>
          <textarea rows="5" maxlength="32768" placeholder="Filter 1: ON PK Fc 100 Hz Gain 3 dB Q 1.41" aria-label="Text of the preset" spellcheck="false" data-ref="text"></textarea>
          <button class="text-button" value="import">Import</button>
        </details>
      </form>`;
  }

  made() {
    const { enabled, preset, preamp, bands, form } = this.refs;
    enabled.addEventListener("change", () => this.#send({ enabled: enabled.checked }));
    preset.addEventListener("change", () => preset.value ? this.#send({ enabled: true, preset: preset.value }) : this.draw());
    preamp.addEventListener("input", () => this.#send({ enabled: true, preamp: Number(preamp.value) }));
    bands.addEventListener("input", ({ target }) => target.type === "range" && this.#edit(target));
    bands.addEventListener("change", ({ target }) => target.type !== "range" && this.#edit(target));
    form.addEventListener("submit", (event) => this.#save(event));
  }

  /** The user's equaliser while changes are in flight; otherwise the server's. */
  get #shown() {
    return this.draft ?? this.effects?.equalizer ?? { enabled: false, preset: null, preamp: 0, bands: [] };
  }

  /** Shows the change at once, and the server's state again once all changes are answered. */
  async #send(change) {
    if (change.preset === undefined) this.draft = { ...this.#shown, ...(change.bands || change.preamp !== undefined ? { preset: null } : {}), ...change };
    const { draft } = this;
    await this.request("effects", { ...(change.enabled && { enabled: true }), equalizer: change });
    if (this.draft === draft) this.draft = null;
    this.draw();
  }

  #sendBands(bands, more = {}) {
    return this.#send({ enabled: true, bands, ...more });
  }

  /** Ignores a value that the field does not allow. */
  #edit(input) {
    if (!input.checkValidity()) return void this.draw();
    const { member, index } = input.dataset;
    const value = member === "type" ? input.value : Number(input.value);
    this.#sendBands(this.#shown.bands.map((band, at) => at === Number(index) ? { ...band, [member]: value } : band));
  }

  async press(action, { index }) {
    const { bands, preset } = this.#shown;
    if (action === "addBand") await this.#sendBands([...bands, { type: "peak", frequency: 1000, gain: 0, q: 1 }]);
    else if (action === "tenBands") await this.#sendBands(octaves.map((frequency) => ({ type: "peak", frequency, gain: 0, q: Number(Math.SQRT2.toFixed(3)) })), { preamp: 0 });
    else if (action === "removeBand") await this.#sendBands(bands.filter((_, at) => at !== Number(index)));
    else if (await this.confirm({ title: `Delete ${preset}?`, text: "This deletes the preset. The curve stays.", action: "Delete" })) await this.request("removePreset", { name: preset });
  }

  async #save(event) {
    event.preventDefault();
    const { name, text } = this.refs;
    const isImport = event.submitter?.value === "import";
    const preset = name.value.trim();
    if (!preset) return;
    const isDone = await this.request(isImport ? "importPreset" : "savePreset", { name: preset, ...(isImport && { text: text.value }) });
    if (!isDone) return;
    name.value = text.value = "";
    await this.request("effects", { enabled: true, equalizer: { enabled: true, preset } });
  }

  draw() {
    const { refs } = this;
    const { enabled, preset, preamp, bands } = this.#shown;
    const presets = this.presets?.presets ?? [];
    for (const part of [refs.enabled, refs.preset, refs.preamp]) part.disabled = !this.effects;
    refs.enabled.checked = enabled;
    setText(refs.others, this.#note);
    const named = presets.map(({ name, shipped }) => [name, shipped ? `${name} (built in)` : name]);
    setChoices(refs.preset, [...(preset === null ? [["", "Own curve"]] : []), ...named], preset ?? "");
    this.button("removePreset").disabled = !presets.some(({ name, shipped }) => name === preset && !shipped);
    refs.preamp.value = preamp;
    setText(refs.preamp.previousElementSibling, decibels(preamp));
    setAttribute(refs.preamp, "aria-valuetext", decibels(preamp));
    this.button("addBand").disabled = !this.effects || bands.length >= limit;
    this.button("tenBands").disabled = !this.effects;
    this.#drawBands(bands);
    this.#drawCurve(bands, preamp);
  }

  /** The other effects that are on, or that a change of the equaliser switches on. */
  get #note() {
    const { effects } = this;
    const others = othersOf(effects).join(", ");
    if (!effects || effects.enabled) return others && `Also on: ${others}. Change them under Effects.`;
    if (others) return `All effects are off. A change of the equaliser also switches on: ${others}.`;
    return effects.equalizer.enabled ? "All effects are off. Switch them on under Effects." : "";
  }

  /** Updates rows in place while their number is the same: one may have the focus or the pointer. */
  #drawBands(bands) {
    const list = this.refs.bands;
    if (list.children.length !== bands.length) render(list, html`${bands.map((_, index) => bandRow(index))}`);
    bands.forEach((band, index) => {
      const row = list.children[index];
      for (const input of row.querySelectorAll("[data-member]")) {
        const value = shown(band[input.dataset.member] ?? 0);
        // Keep an invalid number while it is typed.
        if (input.value !== value && !(input.type === "number" && input === document.activeElement && !this.draft && input.validity.valid === false)) input.value = value;
      }
      const gain = row.querySelector("[data-member=gain]");
      gain.disabled = !hasGain.has(band.type);
      setAttribute(gain, "aria-label", `Gain at ${hertz(band.frequency)}`);
      setAttribute(gain, "aria-valuetext", decibels(band.gain ?? 0));
      setText(row.querySelector(".value"), gain.disabled ? "" : decibels(band.gain ?? 0));
    });
  }

  #drawCurve(bands, preamp) {
    const gains = frequencies.map((frequency) => preamp + responseAt(frequency, bands, this.sampleRate));
    const [least, most] = [Math.min(...gains), Math.max(...gains)];
    const span = Math.min(36, Math.max(12, 6 * Math.ceil(Math.max(-least, most) / 6)));
    const row = (gain) => Number((height / 2 - (gain / span) * (height / 2 - 8)).toFixed(2));
    const path = gains.map((gain, index) => `${index ? "L" : "M"}${((width * index) / 120).toFixed(2)} ${row(Math.max(-40, gain))}`).join("");
    const [columns, rows] = [[100, 1000, 10_000], [-span / 2, 0, span / 2]];
    const grid = (line) => html`<path class="grid" d="${line}"/>`;
    const mark = (x, y, words) => html`<text x="${x}" y="${y}">${words}</text>`;
    render(this.refs.curve, html`<svg viewBox="0 0 ${width} ${height}" aria-hidden="true" focusable="false">
      ${columns.map((frequency) => grid(`M${place(frequency).toFixed(1)} 0V${height}`))}${rows.map((gain) => grid(`M0 ${row(gain)}H${width}`))}
      <path class="curve" d="${path}"/>
      ${columns.map((frequency) => mark(place(frequency) + 3, height - 3, hertz(frequency)))}${rows.map((gain) => mark(2, row(gain) - 2, decibels(gain)))}</svg>`);
    const loudest = frequencies[gains.indexOf(most)];
    setAttribute(this.refs.curve, "aria-label", most - least < 0.1 ? `Flat curve at ${decibels(preamp)}`
      : `Curve from ${decibels(least)} at ${hertz(frequencies[gains.indexOf(least)])} to ${decibels(most)} at ${hertz(loudest)}`);
  }
}

function bandRow(index) {
  const values = (member) => data({ member, index });
  const words = `band ${index + 1}`;
  return html`<li>
    <span class="unit"><input type="number" min="10" max="24000" step="any" required aria-label="Frequency of ${words} in Hz" title="Frequency in Hz"${values("frequency")}><span aria-hidden="true">Hz</span></span>
    <select aria-label="Type of ${words}"${values("type")}>${choices(types)}</select>
    <span class="unit"><span aria-hidden="true">Q</span><input type="number" min="0.1" max="30" step="any" required aria-label="Q of ${words}" title="Q"${values("q")}></span>
    ${iconButton("remove", `Remove ${words}`, "Remove", { action: "removeBand", index })}
    <input type="range" min="-24" max="24" step="0.5"${values("gain")}><span class="value" aria-hidden="true"></span>
  </li>`;
}

define("equalizer-panel", EqualizerPanel, { effects: null, presets: null, sampleRate: 48_000, draft: null }, import.meta.url);
