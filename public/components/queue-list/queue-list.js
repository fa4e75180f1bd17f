// SPDX-License-Identifier: Apache-2.0

import { Component, define, effect, html, icon, iconButton, setAttribute, setText, untracked } from "../../lib/component.js";
import { count } from "../../lib/media.js";
import { RowDrag } from "./row-drag.js";
import { RowTouch } from "./row-touch.js";
import { QueueKeys } from "./queue-keys.js";
import { Selection } from "./selection.js";
import { fillRow, makeRow, rowHeight } from "./queue-row.js";

const spare = 6;

/** The queue. Only the rows in view exist. Fields: `windows` (QueueWindows), `failures` (Failures), `player`. */
class QueueList extends Component {
  #rows = new Map();
  #cursor = 0;
  /** Index of the row to reveal once the list can show it; null for none. */
  #awaited = null;
  #currentIndex = null;
  #currentId = null;
  selection = new Selection(() => this.draw());

  markup() {
    const button = (action, drawing, label, key = "", more = null) => iconButton(drawing, label, label + key, { action }, more);
    return html`
      <header class="pane-header">
        <h2 id="queue-heading">Queue</h2><span class="pane-count note" data-ref="count"></span>
        <fieldset class="needs-control"><div class="pane-actions">
          ${button("removeSelected", "remove", "Remove selected", " (Delete)", html`hidden`)}
          ${button("undo", "undo", "Undo", " (Ctrl+Z)")}
          ${button("redo", "redo", "Redo", " (Ctrl+Shift+Z)")}
          ${button("clear", "trash", "Clear queue")}
        </div></fieldset>
      </header>
      <div class="queue-scroll" data-ref="scroller">
        <fieldset class="needs-control"><div class="queue-rows" role="grid" aria-labelledby="queue-heading" aria-multiselectable="true" data-ref="body"></div></fieldset>
        <div class="queue-gap" hidden data-ref="gap"></div>
        <div class="empty" hidden data-ref="empty">
          ${icon("queue")}
          <h3>The queue is empty</h3>
          <p>Open your music and add a track or a whole folder. It plays in the order you see here.</p>
          <button class="text-button" data-action="show-browse">Browse music</button>
        </div>
      </div>
      <p class="visually-hidden" role="status" aria-live="polite" data-ref="news"></p>`;
  }

  made() {
    ({ scroller: this.scroller, body: this.body } = this.refs);
    this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.addEventListener("dblclick", (event) => this.#doubleClicked(event));
    this.addEventListener("focusin", (event) => this.#focused(event));
    this.drag = new RowDrag(this);
    this.keys = new QueueKeys(this);
    this.touch = new RowTouch(this);
    this.body.addEventListener("click", (event) => {
      const index = this.indexOfEvent(event);
      if (index >= 0 && !event.target.closest("button") && !this.touch.takes(index)) this.selection.click(this.windows, index, event);
    });
    effect(() => this.#follow(this.player));
  }

  #follow(player) {
    this.button("undo").disabled = player?.queue?.canUndo === false || !player;
    this.button("redo").disabled = player?.queue?.canRedo === false || !player;
    const id = player?.item?.id ?? null;
    if (id !== this.#currentId && untracked(() => this.#mayMove)) this.#awaited = player?.queueIndex ?? null;
    this.#currentId = id;
    this.#currentIndex = player?.queueIndex ?? null;
  }

  /** True if the list may follow the current item: the user neither works in it nor looks at another part. */
  get #mayMove() {
    if (this.contains(document.activeElement)) return false;
    if (this.#awaited !== null || this.#currentIndex === null) return true;
    const top = this.#currentIndex * rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    return clientHeight === 0 || (top + rowHeight > scrollTop && top < scrollTop + clientHeight);
  }

  /** Index of the row that Tab focuses. */
  get cursor() {
    return Math.min(this.#cursor, Math.max(0, this.windows.length - 1));
  }

  announce(text) {
    setText(this.refs.news, text);
  }

  row(index) {
    return this.#rows.get(index);
  }

  /** Focuses a row, scrolling to it and loading it where needed. Selects the rows up to it, or moves the anchor there. */
  focusRow(index, isSelecting = false) {
    const start = this.cursor;
    this.#cursor = Math.min(Math.max(0, index), Math.max(0, this.windows.length - 1));
    this.reveal(this.#cursor);
    this.draw();
    this.row(this.#cursor)?.focus({ preventScroll: true });
    if (isSelecting) this.selection.extend(this.windows, this.#cursor, start);
    else this.selection.anchor = this.#cursor;
  }

  /** Focuses the row of the current item, or the first. Returns false if there is none. */
  focusCurrent() {
    if (this.windows.length === 0) return false;
    this.focusRow(this.#currentIndex ?? 0);
    return true;
  }

  reveal(index) {
    const top = index * rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.scroller.scrollTop = top + rowHeight - clientHeight;
  }

  /** Scrolls the awaited row to the middle unless it is in view. */
  #revealAwaited() {
    const { scrollTop, clientHeight } = this.scroller;
    if (this.#awaited === null || this.#awaited >= this.windows.length || clientHeight === 0) return;
    const top = this.#awaited * rowHeight;
    this.#cursor = this.#awaited;
    this.selection.anchor = -1;
    this.#awaited = null;
    if (top < scrollTop || top + rowHeight > scrollTop + clientHeight) this.scroller.scrollTop = top - (clientHeight - rowHeight) / 2;
  }

  draw() {
    const { windows, failures, refs } = this;
    if (!windows || !this.body) return;
    const { length } = windows;
    // Read here for the effect: there may be no row yet.
    void [windows.pages, failures?.sentences];
    this.body.style.height = `${length * rowHeight}px`;
    this.body.style.setProperty("--digits", String(length).length);
    this.body.hidden = length === 0;
    this.#revealAwaited();
    setAttribute(this.body, "aria-rowcount", length);
    refs.empty.hidden = windows.revision === null || length > 0;
    setText(refs.count, length ? count(length, "track") : "");
    this.button("clear").disabled = length === 0;
    this.button("removeSelected").hidden = this.selection.size === 0;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / rowHeight) - spare);
    const last = Math.min(length - 1, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / rowHeight) + spare);
    this.#place(first, last);
    if (length === 0 || this.scroller.clientHeight === 0) return;
    windows.want(first, last);
  }

  #place(first, last) {
    for (const [index, row] of this.#rows) {
      const keep = row.contains(document.activeElement) || row.classList.contains("dragged");
      if ((index < first || index > last) && !(keep && index < this.windows.length)) {
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
    const current = this.player?.item ?? null;
    const isSounding = this.player?.status === "playing";
    for (const [index, row] of this.#rows) {
      const item = this.windows.item(index);
      const isCurrent = item !== undefined && item.id === current?.id;
      // The player knows more of the current item than the queue.
      const known = isCurrent ? { ...current, ...item, duration: current.duration ?? item.duration, tags: current.tags ?? item.tags } : item;
      fillRow(row, known, {
        isCurrent,
        isSounding,
        isSelected: item !== undefined && this.selection.has(item.id),
        failure: item && this.failures?.get(item.id),
        isCursor: index === stop,
      });
    }
  }

  indexOfEvent(event) {
    const row = event.target.closest?.(".queue-row");
    return row ? Number(row.dataset.index) : -1;
  }

  playIndex(index) {
    const item = this.windows.item(index);
    return item && this.request("play", { itemId: item.id, uri: item.uri });
  }

  /** Removes the selection when the row belongs to it, the row alone otherwise. */
  async removeAt(index) {
    const item = this.windows.item(index);
    if (!item) return;
    const hadFocus = this.body.contains(document.activeElement);
    const chosen = this.selection.has(item.id);
    const next = index - (chosen ? this.windows.countBefore(index, this.selection.ids) : 0);
    if (!(await (chosen ? this.#removeSelected() : this.request("remove", { ids: [item.id] })))) return;
    this.selection.clear();
    await this.windows.settled();
    if (hadFocus) this.focusRow(next);
  }

  async move(ids, position) {
    const done = await this.request("move", { ids, position });
    await this.windows.settled();
    this.draw();
    if (done) this.announce(`Moved to position ${position + 1} of ${this.windows.length}`);
    return done;
  }

  press(action, _, button) {
    const index = this.indexOfEvent({ target: button });
    switch (action) {
      case "removeRow": return this.removeAt(index);
      case "playRow": return this.playIndex(index);
      case "removeSelected": return this.#removeSelected();
      case "show-browse": return this.report(action);
      default: return this.request(action);
    }
  }

  async #removeSelected() {
    const { isAll, ids } = this.selection;
    const done = await (isAll ? this.request("clear") : this.request("remove", { ids }));
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
    // A click on the row itself moves the anchor, or selects from it.
    if (event.target.closest("button")) this.selection.anchor = -1;
    this.draw();
  }
}

define("queue-list", QueueList, { windows: null, failures: null, player: null }, import.meta.url);
