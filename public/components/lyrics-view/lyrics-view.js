// SPDX-License-Identifier: Apache-2.0

import { Component, define, effect, html, render } from "../../lib/component.js";
import { lineAt, untilNext } from "../../lib/lyrics.js";

/** Milliseconds without following after the user has scrolled. */
const patience = 4000;

/**
 * The lyrics of the current item, opened on request; hidden if it has none. The current line is larger and stays in the middle unless the user
 * scrolls. Fields: `load` (gives `{lines, text}` of an item, or null), `item`, `time` (PlayerTime).
 */
class LyricsView extends Component {
  #fetched = null;
  #current = -1;
  #heldUntil = 0;
  #timer = 0;

  markup() {
    return html`<details data-ref="details"><summary>Lyrics</summary><div class="lyrics-scroll" tabindex="0" role="group" aria-label="Lyrics" data-ref="box"></div></details>`;
  }

  made() {
    const { details, box } = this.refs;
    details.addEventListener("toggle", () => {
      if (details.open) details.scrollIntoView({ block: "end" });
      this.isOpen = details.open;
    });
    for (const name of ["wheel", "touchmove", "keydown"]) {
      box.addEventListener(name, () => (this.#heldUntil = performance.now() + patience), { passive: true });
    }
    effect(() => this.#fetch());
  }

  press(action, { index }) {
    this.request("seek", { position: this.lines[Number(index)].time });
  }

  /** Marks the line at `position` while the seek bar is dragged. */
  preview(position) {
    this.#heldUntil = 0;
    this.#mark(lineAt(this.lines, position));
  }

  async #fetch() {
    // It stays as it is until the server knows.
    if (this.item?.status !== "loading" || this.item.lyrics !== null) this.hidden = !this.item?.lyrics;
    const item = this.isOpen ? this.item : null;
    if (item?.id === this.#fetched?.id && item?.lyrics === this.#fetched?.lyrics) return;
    this.#fetched = item;
    this.lines = [];
    this.#current = -1;
    if (!item) return;
    const { box } = this.refs;
    render(box, html`<p>Loading…</p>`);
    if (item.status === "loading") return;
    const lyrics = await this.load(item);
    // A late answer for an earlier item.
    if (item !== this.#fetched) return;
    const lines = lyrics?.lines ?? [];
    render(box, !lyrics ? html`<p>This track has no lyrics.</p>`
      : lines.length === 0 ? html`${lyrics.text.split("\n").map((line) => html`<p>${line || "\u00a0"}</p>`)}`
        : html`${lines.map(({ text }, index) => html`<button data-action="seek" data-index="${index}">${text || "♪"}</button>`)}`);
    this.parentElement.style.setProperty("--lines", box.children.length);
    this.lines = lines;
  }

  /** Follows the time, from line to line. */
  draw() {
    clearTimeout(this.#timer);
    const { lines, time } = this;
    if (!this.isOpen || lines.length === 0 || !time) return;
    const now = performance.now();
    const index = lineAt(lines, time.at(now));
    this.#mark(index);
    const wait = untilNext(lines, index, time, now);
    if (wait !== null) this.#timer = setTimeout(() => this.draw(), wait);
  }

  #mark(index) {
    const { box } = this.refs;
    const lines = box.children;
    if (index !== this.#current) {
      lines[this.#current]?.removeAttribute("aria-current");
      lines[index]?.setAttribute("aria-current", "true");
      this.#current = index;
    }
    const line = lines[Math.max(0, index)];
    if (!line || performance.now() < this.#heldUntil) return;
    const top = line.offsetTop - (box.clientHeight - line.offsetHeight) / 2;
    const smooth = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (Math.abs(box.scrollTop - top) > 1) box.scrollTo({ top, behavior: smooth ? "smooth" : "auto" });
  }
}

define("lyrics-view", LyricsView, { item: null, time: null, isOpen: false, lines: [] }, import.meta.url);
