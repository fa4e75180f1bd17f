// SPDX-License-Identifier: Apache-2.0

const typing = "input:not([type=range]), textarea, select, [contenteditable]";

/** True if the focused element uses the key itself. */
function isTaken(event) {
  const { target, key } = event;
  if (!(target instanceof Element)) return false;
  if (target.closest(typing) || target.closest("dialog")) return true;
  if (key === " " || key === "Enter") return target.closest("button, a, summary") !== null;
  // The steps of the position's own slider are hundredths of a second.
  if (key.startsWith("Arrow") && target.closest("input")) return target.closest("seek-bar") === null;
  return ["ArrowUp", "ArrowDown"].includes(key) && target.closest(".browser-entries, [role=grid]") !== null;
}

/** Calls `bindings[name]` for `" "`, `"j"`, `"Ctrl+z"`, `"Ctrl+Shift+z"` ... wherever the focus is. */
export function listenForShortcuts(bindings) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.isComposing || isTaken(event)) return;
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const name = control ? `Ctrl+${event.shiftKey ? "Shift+" : ""}${key}` : key;
    if (!Object.hasOwn(bindings, name)) return;
    event.preventDefault();
    bindings[name](event);
  });
}
