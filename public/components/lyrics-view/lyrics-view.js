// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { lineAt, untilNext } from "../../lib/lyrics.js";
import { request } from "../../lib/request.js";

/** How long it stays where someone has scrolled to, in ms. */
const patience = 4000;

/**
 * The words of what plays, opened on request; the line that is sung is larger and kept in the middle, unless someone
 * scrolls. Properties: `load` (gives `{lines, text}` of an item, or null), `item`, `time` (PlayerTime).
 */
export class LyricsView extends HTMLElement {
  #item = null;
  #lines = [];
  #time = null;
  #current = -1;
  #heldUntil = 0;
  #timer = 0;

  connectedCallback() {
    render(this, html`<details><summary>Lyrics</summary><div class="lyrics-scroll" tabindex="0" role="group" aria-label="Lyrics"></div></details>`);
    this.details = this.querySelector("details");
    this.box = this.querySelector(".lyrics-scroll");
    this.details.addEventListener("toggle", () => {
      if (this.details.open) this.details.scrollIntoView({ block: "end" });
      this.#fetch();
    });
    for (const name of ["wheel", "touchmove", "keydown"]) {
      this.box.addEventListener(name, () => (this.#heldUntil = performance.now() + patience), { passive: true });
    }
    this.box.addEventListener("click", ({ target }) => {
      const line = target.closest("button[data-index]");
      if (line) request(this, "seek", { position: this.#lines[Number(line.dataset.index)].time });
    });
  }

  set item(item) {
    if (item?.id === this.#item?.id) return;
    this.#item = item;
    this.hidden = !item;
    this.#fetch();
  }

  set time(time) {
    this.#time = time;
    this.#follow();
  }

  /** Where a seek bar is dragged to, before the server has it. */
  preview(position) {
    this.#heldUntil = 0;
    this.#mark(lineAt(this.#lines, position));
  }

  async #fetch() {
    const item = this.#item;
    this.#lines = [];
    this.#current = -1;
    if (!item || !this.details.open) return;
    render(this.box, html`<p>Loading…</p>`);
    const lyrics = await this.load(item);
    // Late words of an earlier item.
    if (item !== this.#item) return;
    this.#lines = lyrics?.lines ?? [];
    render(this.box, !lyrics ? html`<p>There are no words to this.</p>`
      : this.#lines.length === 0 ? html`${lyrics.text.split("\n").map((line) => html`<p>${line || "\u00a0"}</p>`)}`
        : html`${this.#lines.map(({ text }, index) => html`<button data-index="${index}">${text || "♪"}</button>`)}`);
    this.#follow();
  }

  #follow() {
    clearTimeout(this.#timer);
    if (!this.details.open || this.#lines.length === 0 || !this.#time) return;
    const now = performance.now();
    const index = lineAt(this.#lines, this.#time.at(now));
    this.#mark(index);
    const wait = untilNext(this.#lines, index, this.#time, now);
    if (wait !== null) this.#timer = setTimeout(() => this.#follow(), wait);
  }

  #mark(index) {
    const lines = this.box.children;
    if (index !== this.#current) {
      lines[this.#current]?.removeAttribute("aria-current");
      lines[index]?.setAttribute("aria-current", "true");
      this.#current = index;
    }
    const line = lines[Math.max(0, index)];
    if (!line || performance.now() < this.#heldUntil) return;
    const top = line.offsetTop - (this.box.clientHeight - line.offsetHeight) / 2;
    const smooth = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (Math.abs(this.box.scrollTop - top) > 1) this.box.scrollTo({ top, behavior: smooth ? "smooth" : "auto" });
  }
}

customElements.define("lyrics-view", LyricsView);
