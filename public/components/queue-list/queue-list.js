// SPDX-License-Identifier: Apache-2.0

import { html, render, setAttribute, setText } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { count } from "../../lib/media.js";
import { request } from "../../lib/request.js";
import { RowDrag } from "./row-drag.js";
import { RowTouch } from "./row-touch.js";
import { QueueKeys } from "./queue-keys.js";
import { Selection } from "./selection.js";
import { fillRow, makeRow, rowHeight } from "./queue-row.js";

const spare = 6;

/** The queue, of which only the rows in view exist. Properties: `windows` (QueueWindows), `failures` (Failures), `player`. */
export class QueueList extends HTMLElement {
  #windows = null;
  #failures = null;
  #rows = new Map();
  #cursor = 0;
  /** Index of the row that is to be shown once the list is there to show it; null for none. */
  #awaited = null;
  #currentIndex = null;
  selection = new Selection(() => this.draw());

  connectedCallback() {
    render(this, html`
      <header class="pane-header">
        <h2 id="queue-heading">Queue</h2><span class="pane-count"></span>
        <fieldset class="needs-control"><div class="pane-actions">
          <button class="icon-button" data-name="removeSelected" aria-label="Remove selected" title="Remove selected (Delete)" hidden>${icon("remove")}</button>
          <button class="icon-button" data-name="undo" aria-label="Undo" title="Undo (Ctrl+Z)">${icon("undo")}</button>
          <button class="icon-button" data-name="redo" aria-label="Redo" title="Redo (Ctrl+Shift+Z)">${icon("redo")}</button>
          <button class="icon-button" data-name="clear" aria-label="Clear queue" title="Clear queue">${icon("trash")}</button>
        </div></fieldset>
      </header>
      <div class="queue-scroll">
        <fieldset class="needs-control"><div class="queue-rows" role="grid" aria-labelledby="queue-heading" aria-multiselectable="true"></div></fieldset>
        <div class="queue-gap" hidden></div>
        <div class="empty" hidden>
          ${icon("queue")}
          <h3>The queue is empty</h3>
          <p>Open your music and add a track or a whole folder. It plays in the order you see here.</p>
          <button class="text-button" data-name="browse">Browse music</button>
        </div>
      </div>
      <p class="visually-hidden" role="status" aria-live="polite"></p>`);
    this.scroller = this.querySelector(".queue-scroll");
    this.body = this.querySelector(".queue-rows");
    this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.addEventListener("click", (event) => this.#clicked(event));
    this.addEventListener("dblclick", (event) => this.#doubleClicked(event));
    this.addEventListener("focusin", (event) => this.#focused(event));
    this.drag = new RowDrag(this);
    this.keys = new QueueKeys(this);
    this.touch = new RowTouch(this);
  }

  get windows() {
    return this.#windows;
  }

  set windows(windows) {
    this.#windows = windows;
    windows.addEventListener("change", () => this.draw());
    this.draw();
  }

  set failures(failures) {
    this.#failures = failures;
    failures.addEventListener("change", () => this.draw());
  }

  set player(player) {
    this.current = player?.item ?? null;
    this.currentId = this.current?.id ?? null;
    this.isSounding = player?.status === "playing";
    this.querySelector("[data-name=undo]").disabled = player?.queue?.canUndo === false || !player;
    this.querySelector("[data-name=redo]").disabled = player?.queue?.canRedo === false || !player;
    const changed = this.currentId !== this.shownCurrentId;
    this.shownCurrentId = this.currentId;
    if (changed && this.#mayMove) this.#awaited = player?.queueIndex ?? null;
    this.#currentIndex = player?.queueIndex ?? null;
    this.draw();
  }

  /** Whether the list may go along with what plays: not from where someone looks or works. */
  get #mayMove() {
    if (this.contains(document.activeElement)) return false;
    if (this.#awaited !== null || this.#currentIndex === null) return true;
    const top = this.#currentIndex * rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    return clientHeight === 0 || (top + rowHeight > scrollTop && top < scrollTop + clientHeight);
  }

  /** Index of the row that Tab leads to. */
  get cursor() {
    return Math.min(this.#cursor, Math.max(0, this.#windows.length - 1));
  }

  announce(text) {
    setText(this.lastElementChild, text);
  }

  row(index) {
    return this.#rows.get(index);
  }

  /** Focuses a row, scrolling to it and loading it where needed. */
  focusRow(index) {
    this.#cursor = Math.min(Math.max(0, index), Math.max(0, this.#windows.length - 1));
    this.reveal(this.#cursor);
    this.draw();
    this.row(this.#cursor)?.focus({ preventScroll: true });
  }

  reveal(index) {
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.scroller.scrollTop = top + rowHeight - clientHeight;
  }

  /** In the middle, unless it is in sight. */
  #revealAwaited() {
    const { scrollTop, clientHeight } = this.scroller;
    if (this.#awaited === null || this.#awaited >= this.#windows.length || clientHeight === 0) return;
    const top = this.#awaited * rowHeight;
    this.#cursor = this.#awaited;
    this.#awaited = null;
    if (top < scrollTop || top + rowHeight > scrollTop + clientHeight) this.scroller.scrollTop = top - (clientHeight - rowHeight) / 2;
  }

  draw() {
    const windows = this.#windows;
    if (!windows || !this.body) return;
    const { length } = windows;
    const shown = windows.revision !== null;
    this.body.style.height = `${length * rowHeight}px`;
    this.body.style.setProperty("--digits", String(length).length);
    this.body.hidden = length === 0;
    this.#revealAwaited();
    setAttribute(this.body, "aria-rowcount", length);
    this.querySelector(".empty").hidden = !shown || length > 0;
    setText(this.querySelector(".pane-count"), length ? count(length, "track") : "");
    this.querySelector("[data-name=clear]").disabled = length === 0;
    this.querySelector("[data-name=removeSelected]").hidden = this.selection.size === 0;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - spare);
    const last = Math.min(length - 1, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / rowHeight) + spare);
    this.#place(first, last);
    if (length === 0 || this.scroller.clientHeight === 0) return;
    windows.want(first, last);
  }

  #place(first, last) {
    for (const [index, row] of this.#rows) {
      const keep = row.contains(document.activeElement) || row.classList.contains("dragged");
      if ((index < first || index > last) && !(keep && index < this.#windows.length)) {
        row.remove();
        this.#rows.delete(index);
      }
    }
    for (let index = first; index <= last; index += 1) {
      if (!this.#rows.has(index)) {
        const row = makeRow(index);
        this.#rows.set(index, row);
        this.body.append(row);
      }
    }
    // The Tab key always finds one row in sight.
    const inSight = Math.ceil(this.scroller.scrollTop / rowHeight);
    const stop = this.#rows.has(this.cursor) ? this.cursor : Math.min(inSight, last);
    for (const [index, row] of this.#rows) {
      const item = this.#windows.item(index);
      const isCurrent = item !== undefined && item.id === this.currentId;
      // Of what plays more is known than the queue tells.
      const { current } = this;
      const known = isCurrent ? { ...current, ...item, duration: current.duration ?? item.duration, tags: current.tags ?? item.tags } : item;
      fillRow(row, known, {
        isCurrent,
        isSounding: this.isSounding,
        isSelected: item !== undefined && this.selection.has(item.id),
        failure: item && this.#failures?.get(item.id),
        isCursor: index === stop,
      });
    }
  }

  indexOfEvent(event) {
    const row = event.target.closest?.(".queue-row");
    return row ? Number(row.dataset.index) : -1;
  }

  playIndex(index) {
    const item = this.#windows.item(index);
    return item && request(this, "play", { itemId: item.id, uri: item.uri });
  }

  /** Removes the selection when the row belongs to it, the row alone otherwise. */
  async removeAt(index) {
    const item = this.#windows.item(index);
    if (!item) return;
    const hadFocus = this.body.contains(document.activeElement);
    const chosen = this.selection.has(item.id);
    if (!(await (chosen ? this.#removeSelected() : request(this, "remove", { ids: [item.id] })))) return;
    this.selection.clear();
    await this.#windows.settled();
    if (hadFocus) this.focusRow(index);
  }

  async move(ids, position) {
    const done = await request(this, "move", { ids, position });
    await this.#windows.settled();
    this.draw();
    if (done) this.announce(`Moved to position ${position + 1} of ${this.#windows.length}`);
    return done;
  }

  #clicked(event) {
    const name = event.target.closest("button")?.dataset.name;
    const index = this.indexOfEvent(event);
    if (name === "removeRow") this.removeAt(index);
    else if (name === "playRow") this.playIndex(index);
    else if (name === "removeSelected") this.#removeSelected();
    else if (name === "browse") this.dispatchEvent(new CustomEvent("show-browse", { bubbles: true }));
    else if (name) request(this, name);
    else if (index >= 0 && !this.touch.takes(index)) this.selection.click(this.#windows, index, event);
  }

  async #removeSelected() {
    const { isAll, ids } = this.selection;
    const done = await (isAll ? request(this, "clear") : request(this, "remove", { ids }));
    if (done) this.selection.clear();
    return done;
  }

  #doubleClicked(event) {
    if (!event.target.closest("button") && !this.touch.isTouch) this.playIndex(this.indexOfEvent(event));
  }

  #focused(event) {
    const index = this.indexOfEvent(event);
    if (index < 0 || index === this.#cursor) return;
    this.#cursor = index;
    this.draw();
  }
}

customElements.define("queue-list", QueueList);
