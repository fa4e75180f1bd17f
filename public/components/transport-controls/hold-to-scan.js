// SPDX-License-Identifier: Apache-2.0

import { request } from "../../lib/request.js";

const holdDelay = 500;

/** Holding the button scans at `rate` until it is let go; a short press stays a click. */
export function holdToScan(button, rate) {
  let timer = 0;
  let scan = null;
  let swallowClick = false;

  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    swallowClick = false;
    timer = setTimeout(() => {
      swallowClick = true;
      button.classList.add("scanning");
      scan = request(button, "scan", { rate });
    }, holdDelay);
  });

  async function release() {
    clearTimeout(timer);
    button.classList.remove("scanning");
    const begun = scan;
    scan = null;
    // Ended only after it began, and only if it did.
    if (begun && (await begun)) request(button, "endScan");
  }
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(name, release);
  button.addEventListener("contextmenu", (event) => scan && event.preventDefault());
  button.addEventListener("click", (event) => {
    if (!swallowClick) return;
    swallowClick = false;
    event.stopImmediatePropagation();
  }, { capture: true });
}
