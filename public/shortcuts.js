// SPDX-License-Identifier: Apache-2.0

import { nextRepeat } from "./components/transport-controls/transport-controls.js";

/** The action of each key; the list that `?` shows is in the shortcuts dialog. */
export function shortcuts({ browse, commands, store, view, showTab }) {
  const perform = (name, data) => () => store.player && commands.perform(name, data);
  const setting = (make) => () => store.player && commands.perform("settings", make(store.player));
  /** `focusRow` returns false if the pane has no row. */
  const pane = (name, focusRow = () => false) => () => {
    showTab(name);
    if (!focusRow()) document.getElementById(`pane-${name}`).focus();
  };
  return {
    " ": perform("toggle"),
    k: perform("toggle"),
    j: perform("seek", { offset: -10 }),
    l: perform("seek", { offset: 10 }),
    ArrowLeft: perform("seek", { offset: -5 }),
    ArrowRight: perform("seek", { offset: 5 }),
    ArrowUp: perform("settings", { levelBy: 0.05 }),
    ArrowDown: perform("settings", { levelBy: -0.05 }),
    m: setting((player) => ({ muted: !player.muted })),
    s: setting((player) => ({ shuffle: !player.shuffle })),
    r: setting((player) => ({ repeat: nextRepeat[player.repeat] })),
    n: perform("next"),
    p: perform("previous"),
    "Ctrl+z": perform("undo"),
    "Ctrl+Shift+z": perform("redo"),
    1: pane("now"),
    2: pane("queue", () => view.queue.focusCurrent()),
    3: pane("browse", () => browse.part.rows?.focus()),
    "/": () => {
      showTab("browse");
      browse.part.focusFilter();
    },
    "?": () => view.shortcuts.open(),
  };
}
