// SPDX-License-Identifier: Apache-2.0

import { BoundInput } from "../../lib/bound-input.js";
import { Component, define, effect, html, setAttribute, setText, showParts } from "../../lib/component.js";
import { formatTime, spokenTime } from "../../lib/time.js";
import { waveformPath } from "../../lib/waveform.js";
import { PlayerTime } from "../../state/player-time.js";

/** Half of the thumb's width: its centre comes no closer to the edges. */
const inset = 8;
/** Pixels for each bar of the waveform. */
const pitch = 4;

/**
 * Position, duration, buffered parts and, where known, the waveform. Fields: `time` (PlayerTime), `buffer`,
 * `waveform` (`{duration, peaks}` or null), `item`.
 */
class SeekBar extends Component {
  #frame = 0;

  markup() {
    return html`
      <div class="seek-track" data-ref="track">
        <svg width="0" height="0" aria-hidden="true"><clipPath id="seek-waveform" clipPathUnits="objectBoundingBox"><path data-ref="shape"></path></clipPath></svg>
        <div class="seek-bars" data-ref="bars">
          <div class="seek-rail"></div>
          <div class="seek-ranges" data-ref="ranges"></div>
          <div class="seek-fill" data-ref="fill"></div>
        </div>
        <input type="range" min="0" max="1" step="0.01" value="0" aria-label="Position" disabled data-ref="input">
        <output class="seek-bubble" hidden data-ref="bubble"></output>
      </div>
      <div class="seek-times note"><span class="seek-position" data-ref="position">--:--</span><span class="seek-duration" data-ref="duration">--:--</span></div>`;
  }

  made() {
    const { input, track, bubble } = this.refs;
    this.slider = new BoundInput(input, {
      show: () => this.#show(),
      send: (value) => {
        const { duration } = this.time;
        // The end of the slider leads to the end of this item, not to the next one.
        const position = value < duration - 0.02 ? value : Math.max(0, duration - 1);
        this.#draw(position, duration);
        return this.request("seek", { position });
      },
    });
    track.addEventListener("pointermove", (event) => this.#hover(event));
    track.addEventListener("pointerleave", () => (bubble.hidden = true));
    document.addEventListener("visibilitychange", () => this.#run());
    new ResizeObserver(() => this.#drawWaveform()).observe(track);
    effect(() => this.#drawWaveform());
    effect(() => this.#drawRanges());
  }

  draw() {
    this.refs.input.disabled = this.item?.seekable === false || !this.time.duration;
    this.#show();
    this.#run();
  }

  /** Clips the bar to the waveform's shape. */
  #drawWaveform() {
    const { waveform, time: { duration }, refs } = this;
    const count = Math.floor((refs.input.clientWidth - 2 * inset) / pitch);
    const isShown = waveform !== null && duration > 0 && count > 0;
    this.classList.toggle("has-waveform", isShown);
    refs.bars.style.clipPath = isShown ? "url(#seek-waveform)" : "";
    if (isShown) setAttribute(refs.shape, "d", waveformPath(waveform.peaks, count, waveform.duration / duration));
  }

  #drawRanges() {
    const { duration } = this.time;
    showParts(this.refs.ranges, duration ? this.buffer.loadedRanges : [], (part) => [part.start / duration, part.duration / duration]);
  }

  /** Requests frames only while the sound advances and the page is visible. */
  #run() {
    cancelAnimationFrame(this.#frame);
    if (!this.time.isAdvancing || document.hidden) return;
    this.#frame = requestAnimationFrame(() => {
      this.#show();
      this.#run();
    });
  }

  #show() {
    if (this.slider.isBusy) return;
    const { duration } = this.time;
    const position = this.time.at(performance.now());
    if (duration) setAttribute(this.refs.input, "max", duration);
    this.refs.input.value = duration ? position : 0;
    this.#draw(position, duration);
  }

  /** A live stream never has a duration. */
  #draw(position, duration) {
    const { fill, input } = this.refs;
    const isLive = Boolean(this.item?.live);
    fill.hidden = !duration;
    fill.style.setProperty("--progress", duration ? position / duration : 0);
    setText(this.refs.position, formatTime(position));
    setText(this.refs.duration, isLive ? "Live" : formatTime(duration));
    setAttribute(input, "aria-valuetext", isLive ? `${spokenTime(position)}, live` : `${spokenTime(position)} of ${spokenTime(duration)}`);
  }

  #hover(event) {
    const { time: { duration }, refs: { input, bubble } } = this;
    if (!duration || event.pointerType === "touch") return;
    const box = input.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left - inset) / (box.width - 2 * inset)));
    bubble.hidden = false;
    bubble.style.left = `${inset + share * (box.width - 2 * inset)}px`;
    setText(bubble, formatTime(share * duration));
  }
}

define("seek-bar", SeekBar, { time: new PlayerTime(), buffer: { loadedRanges: [] }, waveform: null, item: null }, import.meta.url);
