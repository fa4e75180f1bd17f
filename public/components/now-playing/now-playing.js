// SPDX-License-Identifier: Apache-2.0

import { html, render, setAttribute, setText } from "../../lib/html.js";
import { describeFormat, describeItem, placeOf } from "../../lib/media.js";
import { placeholder } from "./placeholder.js";

/** Picture, tags, format and the status line. Properties: `item`, `status` (of `describe`), `advice`, `artwork` (URL or null). */
export class NowPlaying extends HTMLElement {
  connectedCallback() {
    this.classList.add("unknown");
    render(this, html`
      <img class="ambient" alt="" hidden>
      <div class="artwork">
        <div class="artwork-placeholder">${placeholder()}</div>
        <img class="artwork-picture" alt="" hidden>
      </div>
      <div class="track">
        <h2 class="track-title">Nothing playing</h2>
        <p class="track-artist"></p>
        <p class="track-album"></p>
        <p class="track-format"></p>
      </div>
      <p class="status-line" role="status" aria-live="polite"><span class="status-dot"></span><span class="status-text"></span></p>
      <p class="advice"></p>`);
    /** The box of the picture, whose size says how large a one is needed. */
    this.box = this.querySelector(".artwork");
    this.picture = this.querySelector(".artwork-picture");
    this.picture.addEventListener("error", () => (this.artwork = null));
    this.picture.addEventListener("load", () => this.#appear());
  }

  set item(item) {
    this.classList.remove("unknown");
    const { title, artist, album } = describeItem(item);
    setText(this.querySelector(".track-title"), item ? title : "Nothing playing");
    setText(this.querySelector(".track-artist"), item ? artist : "Pick something from your music to begin.");
    this.classList.toggle("nothing", !item);
    // Without tags, where it comes from.
    setText(this.querySelector(".track-album"), album || (artist || !item ? "" : placeOf(item.uri)));
    setText(this.querySelector(".track-format"), describeFormat(item));
    for (const line of this.querySelectorAll(".track > *")) setAttribute(line, "title", line.textContent || null);
    this.picture.alt = album ? `Cover of ${album}` : "Cover";
  }

  set status({ tone, text }) {
    const line = this.querySelector(".status-line");
    if (line.dataset.tone !== tone) line.dataset.tone = tone;
    setText(this.querySelector(".status-text"), text);
    this.classList.toggle("sounding", tone === "good");
  }

  /** What to do about the status; "" when there is nothing to do. */
  set advice(text) {
    setText(this.querySelector(".advice"), text);
  }

  set artwork(address) {
    for (const image of [this.picture, this.querySelector(".ambient")]) {
      image.hidden = !address;
      if (address) image.src = address;
      else image.removeAttribute("src");
    }
  }

  #appear() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.picture.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 240, easing: "ease-out" });
  }
}

customElements.define("now-playing", NowPlaying);
