// SPDX-License-Identifier: Apache-2.0

import { define, html, iconButton } from "../../lib/component.js";
import { DialogComponent } from "../../lib/dialog.js";

const groups = [
  ["Playback", [
    [["Space", "K"], "Play or pause"],
    [["J", "L"], "Back, forward 10 seconds"],
    [["←", "→"], "Back, forward 5 seconds"],
    [["↑", "↓"], "Volume up, down"],
    [["M"], "Mute"],
    [["P", "N"], "Previous, next track"],
    [["S"], "Shuffle"],
    [["R"], "Repeat"],
  ]],
  ["Queue", [
    [["↑", "↓"], "Go through the tracks"],
    [["Enter"], "Play the track"],
    [["Alt ↑", "Alt ↓"], "Move the track"],
    [["Shift ↑", "Shift ↓"], "Select several"],
    [["Delete"], "Remove"],
    [["Ctrl Z", "Ctrl Shift Z"], "Undo, redo"],
  ]],
  ["Page", [
    [["1", "2", "3"], "Now playing, queue, music"],
    [["/"], "To the filter, search or first field of the music"],
    [["↓", "Enter"], "From the filter or search to the first result"],
    [["Esc"], "Empty the filter or search, then leave it"],
    [["?"], "This list"],
  ]],
];

/** The list of keyboard shortcuts. */
class ShortcutsDialog extends DialogComponent {
  markup() {
    return html`
      <dialog aria-labelledby="shortcuts-heading">
        <header class="dialog-header"><h2 id="shortcuts-heading">Keyboard shortcuts</h2>${iconButton("remove", "Close", null, { action: "close" })}</header>
        <div class="shortcut-groups">
          ${groups.map(([heading, rows]) => html`<section><h3>${heading}</h3><dl>
            ${rows.map(([keys, words]) => html`<div><dt>${keys.map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${words}</dd></div>`)}
          </dl></section>`)}
        </div>
      </dialog>`;
  }
}

define("shortcuts-dialog", ShortcutsDialog, {}, import.meta.url);
