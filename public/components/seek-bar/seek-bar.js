// SPDX-License-Identifier: Apache-2.0

import { html, render, setAttribute, setText } from "../../lib/html.js";
import { request } from "../../lib/request.js";
import { formatTime, spokenTime } from "../../lib/time.js";
import { waveformPath } from "../../lib/waveform.js";

/** Half of the thumb: its middle goes no further to the edges. */
const inset = 8;
/** Pixels for a bar of the waveform. */
const pitch = 4;

/**
 * Position, duration, what is buffered, and how loud it is where that is known. Properties: `time` (PlayerTime), `buffer`,
 * `waveform` (`{duration, peaks}` or null), `enabled`, `isLive`.
 */
export class SeekBar extends HTMLElement {
  #time = null;
  #ranges = [];
  #waveform = null;
  #isLive = false;
  #drawnDuration = null;
  #held = false;
  #requests = 0;
  #frame = 0;

  connectedCallback() {
    render(this, html`
      <div class="seek-track">
        <svg width="0" height="0" aria-hidden="true"><clipPath id="seek-waveform" clipPathUnits="objectBoundingBox"><path></path></clipPath></svg>
        <div class="seek-bars">
          <div class="seek-rail"></div>
          <div class="seek-ranges"></div>
          <div class="seek-fill"></div>
        </div>
        <input type="range" min="0" max="1" step="0.01" value="0" aria-label="Position" disabled>
        <output class="seek-bubble" hidden></output>
      </div>
      <div class="seek-times"><span class="seek-position">--:--</span><span class="seek-duration">--:--</span></div>`);
    this.input = this.querySelector("input");
    this.bars = this.querySelector(".seek-bars");
    this.fill = this.querySelector(".seek-fill");
    this.bubble = this.querySelector(".seek-bubble");
    this.input.addEventListener("input", () => this.#dragged());
    this.input.addEventListener("change", () => this.#released());
    this.input.addEventListener("pointerdown", () => (this.#held = true));
    for (const name of ["pointerup", "pointercancel", "blur"]) {
      this.input.addEventListener(name, () => this.#released());
    }
    const track = this.querySelector(".seek-track");
    track.addEventListener("pointermove", (event) => this.#hover(event));
    track.addEventListener("pointerleave", () => (this.bubble.hidden = true));
    document.addEventListener("visibilitychange", () => this.#run());
    new ResizeObserver(() => this.#drawWaveform()).observe(track);
  }

  set time(time) {
    this.#time = time;
    if (time.duration !== this.#drawnDuration) {
      this.#drawnDuration = time.duration;
      this.#drawRanges();
      this.#drawWaveform();
    }
    this.#show();
    this.#run();
  }

  set enabled(enabled) {
    this.input.disabled = !enabled || !this.#time?.duration;
  }

  /** A live stream has no end that could be known some day. */
  set isLive(isLive) {
    this.#isLive = isLive;
  }

  set buffer({ loadedRanges }) {
    this.#ranges = loadedRanges ?? [];
    this.#drawRanges();
  }

  set waveform(waveform) {
    this.#waveform = waveform;
    this.#drawWaveform();
  }

  /** The bar is cut to the waveform's shape; what is heard and loaded stays what its colours say. */
  #drawWaveform() {
    const duration = this.#time?.duration;
    const count = Math.floor((this.input.clientWidth - 2 * inset) / pitch);
    const isShown = this.#waveform !== null && duration > 0 && count > 0;
    this.classList.toggle("has-waveform", isShown);
    this.bars.style.clipPath = isShown ? "url(#seek-waveform)" : "";
    if (!isShown) return;
    const { peaks, duration: counted } = this.#waveform;
    setAttribute(this.querySelector("clipPath path"), "d", waveformPath(peaks, count, counted / duration));
  }

  #drawRanges() {
    const duration = this.#time?.duration;
    const ranges = duration ? this.#ranges : [];
    const holder = this.querySelector(".seek-ranges");
    while (holder.children.length > ranges.length) holder.lastChild.remove();
    while (holder.children.length < ranges.length) holder.append(document.createElement("i"));
    ranges.forEach(({ start, duration: length }, index) => {
      const { style } = holder.children[index];
      style.left = `${(100 * start) / duration}%`;
      style.width = `${Math.min(100, (100 * length) / duration)}%`;
    });
  }

  /** Frames are asked for only while sound advances and someone looks. */
  #run() {
    cancelAnimationFrame(this.#frame);
    if (!this.#time?.isAdvancing || document.hidden) return;
    this.#frame = requestAnimationFrame(() => {
      this.#show();
      this.#run();
    });
  }

  #show() {
    if (this.#held || this.#requests > 0) return;
    const { duration } = this.#time;
    const position = this.#time.at(performance.now());
    if (duration) {
      setAttribute(this.input, "max", duration);
      this.input.value = position;
    } else {
      this.input.value = 0;
    }
    this.#draw(position, duration);
  }

  #draw(position, duration) {
    this.fill.hidden = !duration;
    this.fill.style.setProperty("--progress", duration ? position / duration : 0);
    setText(this.querySelector(".seek-position"), formatTime(position));
    setText(this.querySelector(".seek-duration"), this.#isLive ? "Live" : formatTime(duration));
    setAttribute(this.input, "aria-valuetext", this.#isLive ? `${spokenTime(position)}, live` : `${spokenTime(position)} of ${spokenTime(duration)}`);
  }

  async #dragged() {
    const position = Number(this.input.value);
    this.#draw(position, this.#time.duration);
    this.#requests += 1;
    await request(this, "seek", { position });
    this.#requests -= 1;
    this.#show();
  }

  #released() {
    this.#held = false;
    this.#show();
  }

  #hover(event) {
    const { duration } = this.#time ?? {};
    if (!duration || event.pointerType === "touch") return;
    const box = this.input.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left - inset) / (box.width - 2 * inset)));
    this.bubble.hidden = false;
    this.bubble.style.left = `${inset + share * (box.width - 2 * inset)}px`;
    setText(this.bubble, formatTime(share * duration));
  }
}

customElements.define("seek-bar", SeekBar);
