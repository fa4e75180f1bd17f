// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, icon, iconButton, setAttribute, setIcon } from "../../lib/component.js";
import { wantsSound } from "../../lib/status.js";
import { holdToScan } from "./hold-to-scan.js";

export const nextRepeat = { off: "all", all: "one", one: "off" };
const repeatWords = { off: "Repeat: off", all: "Repeat: all", one: "Repeat: one track" };

/** The buttons. Field: `player` (snapshot or null). */
class TransportControls extends Component {
  markup() {
    const button = (action, drawing, label, title) => iconButton(drawing, label, title, { action });
    return html`
      <div class="transport-main" role="group" aria-label="Transport">
        ${button("previous", "previous", "Previous", "Previous (hold to rewind)")}
        ${button("back", "back", "Back 10 seconds", "Back 10 seconds (J)")}
        <button class="play-button" data-action="toggle" aria-label="Play" title="Play or pause (Space)">${icon("play")}</button>
        ${button("forward", "forward", "Forward 10 seconds", "Forward 10 seconds (L)")}
        ${button("next", "next", "Next", "Next (hold to fast-forward)")}
      </div>
      <div class="transport-modes" role="group" aria-label="Play mode">
        ${button("shuffle", "shuffle", "Shuffle", "Shuffle (S)")}
        ${button("stop", "stop", "Stop", "Stop")}
        ${button("repeat", "repeat", "Repeat: off", "Repeat (R)")}
      </div>`;
  }

  made() {
    holdToScan(this, "previous", -4);
    holdToScan(this, "next", 4);
  }

  draw() {
    const { player } = this;
    const pausing = wantsSound(player);
    const repeat = player?.repeat ?? "off";
    const isEmpty = !player?.queue?.length && !player?.item;
    const set = (name, { isOff, label, drawing = name, pressed }) => {
      const button = this.button(name);
      button.disabled = isOff;
      setIcon(button, drawing);
      if (label) setAttribute(button, "aria-label", label);
      if (pressed !== undefined) setAttribute(button, "aria-pressed", String(pressed));
    };
    set("toggle", { isOff: isEmpty, drawing: pausing ? "pause" : "play", label: pausing ? "Pause" : "Play" });
    set("previous", { isOff: isEmpty });
    set("next", { isOff: isEmpty });
    set("stop", { isOff: !player?.item });
    for (const name of ["back", "forward"]) set(name, { isOff: !player?.item || player.item.seekable === false });
    set("shuffle", { isOff: !player, pressed: player?.shuffle === true });
    set("repeat", { isOff: !player, drawing: repeat === "one" ? "repeatOne" : "repeat", label: repeatWords[repeat] });
    this.button("repeat").classList.toggle("on", repeat !== "off");
  }

  press(action) {
    switch (action) {
      case "back": return this.request("seek", { offset: -10 });
      case "forward": return this.request("seek", { offset: 10 });
      case "shuffle": return this.request("settings", { shuffle: !this.player.shuffle });
      case "repeat": return this.request("settings", { repeat: nextRepeat[this.player.repeat] });
      default: return this.request(action);
    }
  }
}

define("transport-controls", TransportControls, { player: null }, import.meta.url);
