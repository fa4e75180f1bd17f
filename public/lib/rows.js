// SPDX-License-Identifier: Apache-2.0

const controls = "button, a[href]";
const steps = { ArrowDown: 1, ArrowUp: -1 };
const gridSteps = { ...steps, ArrowRight: 1, ArrowLeft: -1 };

/**
 * A single Tab stop in a list of rows with buttons: Tab goes through the buttons of one row and then leaves the list;
 * the arrows go from row to row. The row used last keeps the stop.
 */
export class Rows {
  #list;
  #current = 0;

  /** `list` is an element that stays while its rows (`li`) change. */
  constructor(list) {
    this.#list = list;
    list.addEventListener("focusin", ({ target }) => this.#focused(target));
    list.addEventListener("keydown", (event) => this.#key(event));
  }

  /** `draw` replaces the rows; a focus in the list stays in it. `isOther`: the rows are of another list. */
  redraw(draw, { isOther = false } = {}) {
    const focused = document.activeElement;
    const place = this.#list.contains(focused) ? placeOf(focused) : null;
    const path = place === null || isOther ? undefined : pathOf(focused.closest("li"));
    if (isOther) this.#current = 0;
    draw();
    // Entries may have come or gone above it.
    const index = path === undefined ? -1 : this.#rows.findIndex((row) => pathOf(row) === path);
    if (index >= 0) this.#current = index;
    this.#markStop();
    if (place !== null && !focused.isConnected) this.#focus(this.#stop, isOther ? 0 : place);
  }

  /** Returns false if there is nothing to focus. */
  focus() {
    return this.#focus(this.#stop, 0);
  }

  focusFirst() {
    this.#focus(this.#rows[0], 0);
  }

  get #rows() {
    return [...this.#list.querySelectorAll("li")];
  }

  get #stop() {
    const rows = this.#rows;
    return rows[Math.min(this.#current, rows.length - 1)];
  }

  #markStop() {
    const stop = this.#stop;
    for (const row of this.#rows) mark(row, row === stop);
  }

  #focus(row, place) {
    const there = row?.querySelectorAll(controls) ?? [];
    ([...there].at(place) ?? there[0])?.focus();
    return there.length > 0;
  }

  #focused(target) {
    const index = this.#rows.indexOf(target.closest("li"));
    if (index < 0 || index === this.#current) return;
    mark(this.#stop, false);
    this.#current = index;
    mark(this.#stop, true);
  }

  #key(event) {
    const row = event.target.closest("li");
    const step = (row?.closest(".album-grid") ? gridSteps : steps)[event.key];
    if (!row || !step || event.altKey || event.ctrlKey || event.metaKey) return;
    // At the ends of the list too: elsewhere the arrows change the volume.
    event.preventDefault();
    const rows = this.#rows;
    this.#focus(rows[rows.indexOf(row) + step], placeOf(event.target));
  }
}

function mark(row, isStop) {
  for (const control of row.querySelectorAll(controls)) control.tabIndex = isStop ? 0 : -1;
}

/** The path of a row's folder or file; undefined if it has none. */
function pathOf(row) {
  return row?.querySelector("[data-path]")?.dataset.path;
}

/** The place of a control in its row: 0 for the name, -1 for the last button. A file has fewer buttons than a folder. */
function placeOf(control) {
  const row = control.closest("li");
  // Outside the rows, like the way back.
  if (!row) return 0;
  const all = [...row.querySelectorAll(controls)];
  const index = all.indexOf(control.closest(controls));
  return index > 0 ? index - all.length : 0;
}
