// SPDX-License-Identifier: Apache-2.0

const holdDelay = 500;
/** Pixels that a resting finger may move. */
const tremor = 10;

/**
 * Touch control of the queue: a tap plays, a long press selects, and taps select while there is a selection.
 * Mouse and pen select by click.
 */
export class RowTouch {
  #list;
  #hold = null;
  #isTouch = false;
  #swallows = false;

  constructor(list) {
    this.#list = list;
    list.body.addEventListener("pointerdown", (event) => this.#begin(event));
    list.body.addEventListener("pointermove", (event) => this.#moved(event));
    for (const name of ["pointerup", "pointercancel"]) list.body.addEventListener(name, () => this.#end());
    // The browser's menu would open over the held row.
    list.body.addEventListener("contextmenu", (event) => this.#isTouch && event.preventDefault());
  }

  /** Handles a click made by a finger; returns false for other pointers. */
  takes(index) {
    if (!this.#isTouch) return false;
    if (this.#swallows) this.#swallows = false;
    else if (this.#list.selection.size) this.#list.selection.toggle(this.#list.windows, index);
    else this.#list.playIndex(index);
    return true;
  }

  /** True if the last pointer was a finger: two quick taps are not a double click. */
  get isTouch() {
    return this.#isTouch;
  }

  #begin({ pointerType, target, clientX, clientY }) {
    this.#end();
    this.#isTouch = pointerType === "touch";
    this.#swallows = false;
    if (!this.#isTouch || target.closest("button, .row-handle")) return;
    const id = target.closest(".queue-row")?.dataset.id;
    if (!id) return;
    this.#hold = { x: clientX, y: clientY, timer: setTimeout(() => this.#held(id), holdDelay) };
  }

  #moved({ clientX, clientY }) {
    if (this.#hold && Math.hypot(clientX - this.#hold.x, clientY - this.#hold.y) > tremor) this.#end();
  }

  #end() {
    clearTimeout(this.#hold?.timer);
    this.#hold = null;
  }

  #held(id) {
    this.#hold = null;
    this.#swallows = true;
    // By id: the row may have moved under the finger.
    const index = this.#list.windows.indexOf(id);
    if (index >= 0) this.#list.selection.toggle(this.#list.windows, index);
  }
}
