// SPDX-License-Identifier: Apache-2.0

/** The chosen rows, by item id: Ctrl adds one, Shift takes all from the last one on. */
export class Selection {
  #ids = new Set();
  #anchor = -1;
  /** Everything, also rows that were never loaded and have no known id. */
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

  /** From the anchor to `index`; rows that were never loaded are left out. */
  extend(windows, index, from = index) {
    if (this.#anchor < 0 || !this.#ids.size) this.#anchor = this.#anchor < 0 ? from : this.#anchor;
    const [first, last] = [Math.min(this.#anchor, index), Math.max(this.#anchor, index)];
    this.#empty();
    for (let at = first; at <= last; at += 1) {
      const item = windows.item(at);
      if (item) this.#ids.add(item.id);
    }
    this.#changed();
  }
}
