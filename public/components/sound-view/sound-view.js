// SPDX-License-Identifier: Apache-2.0

import { Component, define, effect, html, setText } from "../../lib/component.js";
import { controlMarkup, ControlTable } from "../../lib/control-table.js";
import { showLevels } from "../../lib/meter.js";

const decibels = (value) => `${Number(value.toFixed(1))} dB`;
/** Switching an effect on also enables effects as a whole. */
const on = (isOn, patch) => ({ ...(isOn && { enabled: true }), ...patch });

const effectControls = [
  { name: "enabled", kind: "check", words: "Effects (off: the sound is unchanged)", get: (effects) => effects.enabled, patch: (enabled) => ({ enabled }) },
  { name: "loudness", kind: "check", words: "Equal loudness of all tracks", get: ({ loudness }) => loudness.mode !== "off",
    patch: (isOn) => on(isOn, { loudness: { mode: isOn ? "auto" : "off" } }) },
  { name: "compressor", kind: "list", words: "Compressor", entries: [["", "Off"], ["night", "Night: quiet parts louder, loud parts softer"], ["light", "Light"], ["speech", "Speech"]],
    get: ({ compressor }) => compressor.enabled ? compressor.preset : "",
    patch: (preset) => on(preset, { compressor: preset ? { enabled: true, preset } : { enabled: false } }) },
  { name: "limiter", kind: "check", words: "Limiter", get: ({ limiter }) => limiter.enabled, patch: (enabled) => on(enabled, { limiter: { enabled } }) },
  { name: "ceiling", kind: "range", words: "Limiter’s ceiling", min: -24, max: 0, step: 0.5, show: decibels, isOff: ({ limiter }) => !limiter.enabled,
    get: ({ limiter }) => limiter.ceiling, patch: (ceiling) => ({ limiter: { ceiling } }) },
  { name: "crossfeed", kind: "check", words: "Crossfeed for headphones", get: ({ crossfeed }) => crossfeed.enabled,
    patch: (enabled) => on(enabled, { crossfeed: { enabled } }) },
  { name: "separation", kind: "range", words: "Separation of low frequencies", min: 1, max: 15, step: 0.5, show: decibels, isOff: ({ crossfeed }) => !crossfeed.enabled,
    get: ({ crossfeed }) => crossfeed.level, patch: (level) => ({ crossfeed: { level } }) },
  { name: "width", kind: "range", words: "Stereo width", min: 0, max: 200, step: 5, show: (value) => `${Math.round(value)} %`, isOff: ({ mono }) => mono,
    get: ({ width }) => width * 100, patch: (value) => on(value !== 100, { width: value / 100 }) },
  { name: "mono", kind: "check", words: "Mono", get: ({ mono }) => mono, patch: (mono) => on(mono, { mono }) },
  { name: "delay", kind: "range", words: "Delay", min: 0, max: 500, step: 5, show: (value) => `${Math.round(value)} ms`,
    get: ({ delay }) => delay, patch: (delay) => on(delay, { delay }) },
  { name: "reverb", kind: "check", words: "Reverb", get: ({ reverb }) => reverb.enabled, patch: (enabled) => on(enabled, { reverb: { enabled } }) },
];
const playbackControls = [
  { name: "crossfade", kind: "range", words: "Crossfade between tracks", min: 0, max: 20, step: 0.5, show: (value) => value === 0 ? "Off" : `${value} s`,
    get: ({ crossfade }) => crossfade, patch: (crossfade) => ({ crossfade }) },
  { name: "playbackRate", kind: "range", words: "Speed", min: 0.25, max: 4, step: 0.05, show: (value) => `${Number(value.toFixed(2))} ×`,
    get: ({ playbackRate }) => playbackRate, patch: (playbackRate) => ({ playbackRate }) },
  { name: "preservePitch", kind: "check", words: "Keep the pitch at other speeds", get: ({ preservePitch }) => preservePitch === true, patch: (preservePitch) => ({ preservePitch }) },
  { name: "pitch", kind: "range", words: "Pitch", min: -1200, max: 1200, step: 10, show: (value) => `${value > 0 ? "+" : ""}${value} cents`,
    get: ({ pitch }) => pitch, patch: (pitch) => ({ pitch }) },
];

/**
 * Everything that shapes the sound. Fields: `effects` (answer of `GET /effects`, or null), `player`, `ranges` (of `settingRanges`: a control
 * that the server does not accept is hidden), `levels` (data of a `levels` event, or null), `hasLevels`. Reports `watch-levels` (`{on}`).
 */
class SoundView extends Component {
  #watches = false;

  markup() {
    return html`
      <details><summary>Equaliser</summary><equalizer-panel></equalizer-panel></details>
      <details><summary>Effects</summary><div class="fields" data-ref="effects">${controlMarkup(effectControls)}</div></details>
      <details data-ref="playback" hidden><summary>Crossfade and speed</summary><div class="fields">${controlMarkup(playbackControls)}</div></details>
      <details data-ref="meters"><summary>Levels</summary>
        <div class="level-meter" role="meter" aria-label="Level" aria-valuemin="-160" aria-valuemax="0" aria-valuenow="-160" data-ref="meter"></div>
        <p class="sound-loudness note" data-ref="loudness"></p>
      </details>`;
  }

  made() {
    const { effects, playback, meters, meter, loudness } = this.refs;
    const effectTable = new ControlTable(effects, effectControls, { state: () => this.effects, send: (patch) => this.request("effects", patch) });
    const playbackTable = new ControlTable(playback, playbackControls, { state: () => this.player, send: (patch) => this.request("settings", patch) });
    meters.addEventListener("toggle", () => (this.showsLevels = meters.open));
    document.addEventListener("visibilitychange", () => (this.isVisible = !document.hidden));
    effect(() => effectTable.draw());
    effect(() => playbackTable.draw());
    effect(() => this.#fit(playbackTable));
    effect(() => {
      meters.hidden = !this.hasLevels;
      showLevels(meter, this.levels?.channels ?? []);
      setText(loudness, !this.levels ? "No sound." : this.levels.loudness > -160 ? `Loudness: ${this.levels.loudness.toFixed(1)} LUFS` : "");
    });
    effect(() => this.#watch(this.isShown && this.isVisible && this.showsLevels && this.hasLevels));
  }

  /** The server measures levels only while a client watches them. */
  #watch(on) {
    if (on === this.#watches) return;
    this.#watches = on;
    this.report("watch-levels", { on });
  }

  #fit(table) {
    for (const { name, kind } of playbackControls) {
      const range = this.ranges[name];
      table.row(name).hidden = !range || (kind === "range" && range.min === range.max);
      if (kind === "range" && range) Object.assign(table.row(name).querySelector("input"), range);
    }
    this.refs.playback.hidden = playbackControls.every(({ name }) => table.row(name).hidden);
    table.draw();
  }
}

define("sound-view", SoundView, { effects: null, player: null, ranges: {}, levels: null, hasLevels: true, isShown: false, isVisible: true, showsLevels: false }, import.meta.url);
