// SPDX-License-Identifier: Apache-2.0

const holdDelay = 500;

/** Holding the button of `action` scans at `rate` until release; a short press stays a click. */
export function holdToScan(controls, action, rate) {
  const button = controls.button(action);
  let timer = 0;
  let scan = null;
  let swallowClick = false;

  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    swallowClick = false;
    timer = setTimeout(() => {
      swallowClick = true;
      button.classList.add("scanning");
      scan = controls.request("scan", { rate });
    }, holdDelay);
  });

  async function release() {
    clearTimeout(timer);
    button.classList.remove("scanning");
    const begun = scan;
    scan = null;
    // End the scan only after it has begun, and only if it has.
    if (begun && (await begun)) controls.request("endScan");
  }
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(name, release);
  button.addEventListener("contextmenu", (event) => scan && event.preventDefault());
  button.addEventListener("click", (event) => {
    if (!swallowClick) return;
    swallowClick = false;
    event.stopImmediatePropagation();
  }, { capture: true });
}
