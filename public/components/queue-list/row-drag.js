// SPDX-License-Identifier: Apache-2.0

import { rowHeight } from "./queue-row.js";

const edge = 48;

/** Reordering by the handle, with mouse, pen or finger. */
export class RowDrag {
  #list;
  #drag = null;
  #frame = 0;

  constructor(list) {
    this.#list = list;
    list.body.addEventListener("pointerdown", (event) => this.#begin(event));
    list.body.addEventListener("pointermove", (event) => this.#moved(event));
    list.body.addEventListener("pointerup", (event) => this.#end(event, true));
    list.body.addEventListener("pointercancel", (event) => this.#end(event, false));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#drag) this.#finish(false);
    });
  }

  #begin(event) {
    const handle = event.target.closest(".row-handle");
    if (!handle || handle.closest(":disabled") || event.button !== 0 || this.#drag) return;
    const index = this.#list.indexOfEvent(event);
    const item = this.#list.windows.item(index);
    if (!item) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const row = this.#list.row(index);
    const { selection } = this.#list;
    const ids = !selection.isAll && selection.has(item.id) ? selection.ids : [item.id];
    const grip = event.clientY - row.getBoundingClientRect().top;
    this.#drag = { pointer: event.pointerId, handle, row, index, ids, grip, y: event.clientY, gap: index };
    row.classList.add("dragged");
    this.#step();
  }

  #moved(event) {
    if (this.#drag?.pointer === event.pointerId) this.#drag.y = event.clientY;
  }

  /** Each frame: scrolls near the edges, carries the row, shows the gap it would drop into. */
  #step() {
    const drag = this.#drag;
    if (!drag) return;
    const { scroller, body, windows } = this.#list;
    const box = scroller.getBoundingClientRect();
    if (drag.y < box.top + edge) scroller.scrollTop -= (box.top + edge - drag.y) / 4;
    if (drag.y > box.bottom - edge) scroller.scrollTop += (drag.y - box.bottom + edge) / 4;
    const within = drag.y - body.getBoundingClientRect().top;
    const top = Math.min(Math.max(0, within - drag.grip), (windows.length - 1) * rowHeight);
    drag.row.style.transform = `translateY(${top}px)`;
    drag.gap = Math.min(windows.length, Math.max(0, Math.round(within / rowHeight)));
    const line = this.#list.refs.gap;
    line.hidden = false;
    line.style.transform = `translateY(${drag.gap * rowHeight}px)`;
    this.#frame = requestAnimationFrame(() => this.#step());
  }

  #end(event, dropped) {
    if (this.#drag?.pointer === event.pointerId) this.#finish(dropped);
  }

  async #finish(dropped) {
    const { handle, pointer, row, index, ids, gap } = this.#drag;
    this.#drag = null;
    cancelAnimationFrame(this.#frame);
    if (handle.hasPointerCapture(pointer)) handle.releasePointerCapture(pointer);
    this.#list.refs.gap.hidden = true;
    const position = gap - this.#list.windows.countBefore(gap, ids);
    if (dropped && (ids.length > 1 || position !== index)) await this.#list.move(ids, position);
    row.classList.remove("dragged");
    row.style.transform = `translateY(${index * rowHeight}px)`;
    this.#list.draw();
  }
}
