// SPDX-License-Identifier: Apache-2.0

const typing = "input:not([type=range]), textarea, select, [contenteditable]";
const arrows = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]);

/** True if the focused element uses the key itself. */
function isTaken(event) {
  const { target, key } = event;
  if (!(target instanceof Element)) return false;
  if (target.closest(typing) || target.closest("dialog")) return true;
  if (key === " " || key === "Enter") return target.closest("button, a, summary") !== null;
  if (arrows.has(key)) return target.closest("input, .browser-entries, [role=grid]") !== null;
  return false;
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
