// SPDX-License-Identifier: Apache-2.0

/** The selected rows, by item id. Ctrl adds a row, Shift extends the selection to it. */
export class Selection {
  #ids = new Set();
  #anchor = -1;
  /** All rows, including those that were never loaded and have no known id. */
  isAll = false;
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  get size() {
    return this.isAll ? Infinity : this.#ids.size;
  }

  get ids() {
    return [...this.#ids];
  }

  has(id) {
    return this.isAll || this.#ids.has(id);
  }

  clear() {
    if (!this.size) return;
    this.#empty();
    this.#changed();
  }

  all() {
    this.#empty();
    this.isAll = true;
    this.#changed();
  }

  #empty() {
    this.isAll = false;
    this.#ids.clear();
  }

  click(windows, index, { shiftKey, ctrlKey, metaKey }) {
    if (shiftKey) this.extend(windows, index);
    else if (ctrlKey || metaKey) this.toggle(windows, index);
    else {
      this.#anchor = index;
      this.clear();
    }
  }

  toggle(windows, index) {
    const item = windows.item(index);
    this.#anchor = index;
    if (!item) return;
    if (this.isAll) this.#empty();
    if (!this.#ids.delete(item.id)) this.#ids.add(item.id);
    this.#changed();
  }

  /** Selects from the anchor to `index`, without rows that were never loaded. */
  extend(windows, index, from = index) {
    if (this.#anchor < 0) this.#anchor = from;
    const [first, last] = [Math.min(this.#anchor, index), Math.max(this.#anchor, index)];
    this.#empty();
    for (let at = first; at <= last; at += 1) {
      const item = windows.item(at);
      if (item) this.#ids.add(item.id);
    }
    this.#changed();
  }
}
