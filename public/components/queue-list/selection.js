// SPDX-License-Identifier: Apache-2.0

/** The selected rows, by item id. Ctrl adds a row, Shift selects from the anchor to it. */
export class Selection {
  #ids = new Set();
  /** Index; -1 for none. */
  anchor = -1;
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

  clear(anchor = -1) {
    this.anchor = anchor;
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
    else this.clear(index);
  }

  toggle(windows, index) {
    const item = windows.item(index);
    this.anchor = index;
    if (!item) return;
    if (this.isAll) this.#empty();
    if (!this.#ids.delete(item.id)) this.#ids.add(item.id);
    this.#changed();
  }

  /** Selects from the anchor, or else from `start`, to `index`, without rows that were never loaded. */
  extend(windows, index, start = index) {
    if (this.anchor < 0) this.anchor = start;
    const [first, last] = [Math.min(this.anchor, index), Math.max(this.anchor, index)];
    this.#empty();
    for (let at = first; at <= last; at += 1) {
      const item = windows.item(at);
      if (item) this.#ids.add(item.id);
    }
    this.#changed();
  }
}
