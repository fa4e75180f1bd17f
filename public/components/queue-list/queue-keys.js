// SPDX-License-Identifier: Apache-2.0

import { LatestWins } from "../../lib/latest.js";

/** Keys of the queue: arrows navigate, Shift+arrows select, Alt+arrows move, Enter plays, Delete removes. */
export class QueueKeys {
  #list;
  #target = null;
  #moves = new LatestWins((move) => this.#send(move));

  constructor(list) {
    this.#list = list;
    list.body.addEventListener("keydown", (event) => {
      if (event.target.closest(".queue-row") && this.#handle(event)) event.preventDefault();
    });
  }

  #handle(event) {
    const list = this.#list;
    const at = list.cursor;
    const page = Math.max(1, Math.floor(list.scroller.clientHeight / 60) - 1);
    const onRow = event.target.classList.contains("queue-row");
    const steps = {
      ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -at, End: list.windows.length - 1 - at,
    };
    if (event.key in steps) {
      if (event.ctrlKey || event.metaKey) return false;
      if (event.altKey) this.#move(steps[event.key]);
      else list.focusRow(at + steps[event.key], event.shiftKey);
      return true;
    }
    if (event.altKey || event.metaKey) return false;
    switch (event.key) {
      case "Enter":
        if (onRow) list.playIndex(at);
        return onRow;
      case "Delete":
      case "Backspace":
        list.removeAt(at);
        return true;
      case "Escape":
        list.selection.clear(at);
        return true;
      case " ":
        if (!event.ctrlKey) return false;
        list.selection.toggle(list.windows, at);
        return true;
      case "a":
        if (!event.ctrlKey) return false;
        list.selection.all();
        return true;
      default:
        return false;
    }
  }

  /**
   * A held key repeats faster than the server answers: the steps add up to one move. Until the focus follows, another item may stand
   * in its row.
   */
  #move(step) {
    const { windows, cursor } = this.#list;
    const isSame = this.#target && (this.#target.cursor === cursor || this.#target.id === windows.item(cursor)?.id);
    const { id, position: from } = isSame ? this.#target : { id: windows.item(cursor)?.id, position: cursor };
    const position = Math.min(Math.max(0, from + step), windows.length - 1);
    if (!id || position === from) return;
    this.#target = { id, position, cursor };
    this.#moves.push(this.#target);
  }

  async #send({ id, position }) {
    await this.#list.move([id], position);
    const index = this.#list.windows.indexOf(id);
    if (index >= 0) this.#list.focusRow(index);
    if (this.#target?.position === position) this.#target = null;
  }
}
