// SPDX-License-Identifier: Apache-2.0

import { Component, data, html, icon, iconButton, render } from "./component.js";
import { Rows } from "./rows.js";

/** Where the buttons of an entry put it in the queue. */
export const placings = { play: { position: "next", play: true }, playNext: { position: "next" }, add: { position: "end" } };

const buttons = {
  play: (name) => ["play", `Play ${name} now`, "Play now"],
  playNext: (name) => ["playNext", `Play ${name} next`, "Play next"],
  add: (name) => ["add", `Add ${name} to the queue`, "Add to the queue"],
};

/** The buttons of `actions` for the entry `name`. `values` are its `data-` attributes. */
export const placingButtons = (actions, name, values, more = null) =>
  html`${actions.map((action) => iconButton(...buttons[action](name), { ...values, action }, more))}`;

/** A row of a list: the button `action` with its name, `about` below that, and `tools` behind it. */
export function entryRow({ action, values, symbol, lead = null, name, about = null, note = "", title = null, more = null, tools = null }) {
  const text = !about ? html`<span class="entry-text one-line">${name}</span>`
    : html`<span class="entry-text"><span class="one-line">${name}</span><span class="note one-line">${about}</span></span>`;
  return html`
    <li class="entry">
      <button class="entry-name"${data({ ...values, action })} ${title ? html`title="${title}"` : null} ${more}>
        ${lead ? html`<span class="track-number">${lead}</span>` : icon(symbol)}${text}<span class="entry-size">${note}</span>
      </button>
      ${tools}
    </li>`;
}

export const loading = { text: "Loading…" };

/** A view of entries, with `refs` `list`, `empty` and, where it has one, `filter`. */
export class EntriesView extends Component {
  made() {
    this.rows = new Rows(this.refs.list);
    this.refs.filter?.addEventListener("keydown", (event) => {
      if (event.isComposing || !["ArrowDown", "Enter", "Escape"].includes(event.key)) return;
      event.preventDefault();
      if (event.key === "Escape") this.#leaveFilter();
      else this.rows.focusFirst();
    });
  }

  /** Empties the field, then leaves it, so that shortcuts work again. */
  #leaveFilter() {
    const { filter } = this.refs;
    if (!filter.value) return filter.blur();
    filter.value = "";
    filter.dispatchEvent(new Event("input"));
  }

  focusFirst() {
    if (!this.rows.focus()) this.focusFilter();
  }

  focusFilter() {
    this.refs.filter.focus();
  }

  /** Loads the next entries of `list`. A problem leaves those that are shown. */
  loadMore(list) {
    list.more().catch(({ message }) => this.report("notify", { message, tone: "error" }));
  }

  /** Shows a note in place of entries; null hides it. */
  showEmpty(note) {
    this.refs.empty.hidden = note === null;
    if (!note) return;
    const { symbol, title, text, more } = note;
    render(this.refs.empty, html`${symbol && icon(symbol)}${title && html`<h3>${title}</h3>`}${text && html`<p>${text}</p>`}${more}`);
  }
}
