// SPDX-License-Identifier: Apache-2.0

import { effect } from "./signal.js";

/**
 * Makes the browser's Back leave the open steps of the page, one by one, before the page itself. Each step has an entry in the
 * browser's history; the address stays.
 */
export class WayBack {
  /** Of the history's current entry. */
  #depth = 0;
  /** The page itself goes back, because steps were left in another way. */
  #isGoing = false;

  /**
   * `depth()`: the number of open steps; it follows the fields it reads, dialogs, tabs and the window's size. `leave(depth)` leaves all but
   * so many.
   */
  constructor({ depth, leave }) {
    const settle = () => this.#settle(depth());
    // No step is open when the page loads.
    history.replaceState({ depth: 0 }, "");
    addEventListener("popstate", ({ state }) => {
      // A link within the page has made an entry.
      if (!state) return void history.replaceState({ depth: this.#depth }, "");
      const isOwn = this.#isGoing;
      this.#isGoing = false;
      this.#depth = state.depth;
      if (!isOwn && depth() > state.depth) leave(state.depth);
      else settle();
    });
    new MutationObserver(settle).observe(document.body, { subtree: true, attributeFilter: ["open", "data-tab"] });
    addEventListener("resize", settle);
    effect(settle);
  }

  #settle(wanted) {
    if (this.#isGoing) return;
    this.#isGoing = wanted < this.#depth;
    if (this.#isGoing) history.go(wanted - this.#depth);
    else while (this.#depth < wanted) history.pushState({ depth: ++this.#depth }, "");
  }
}
