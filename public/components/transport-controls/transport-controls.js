// SPDX-License-Identifier: Apache-2.0

import { html, render, setAttribute } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { request } from "../../lib/request.js";
import { wantsSound } from "../../lib/status.js";
import { holdToScan } from "./hold-to-scan.js";

const nextRepeat = { off: "all", all: "one", one: "off" };
const repeatWords = { off: "Repeat: off", all: "Repeat: all", one: "Repeat: one track" };

/** The buttons. Property: `player` (snapshot or null). */
export class TransportControls extends HTMLElement {
  #player = null;

  connectedCallback() {
    render(this, html`
      <div class="transport-main" role="group" aria-label="Transport">
        <button class="icon-button" data-name="previous" aria-label="Previous" title="Previous (hold to rewind)">${icon("previous")}</button>
        <button class="icon-button" data-name="back" aria-label="Back 10 seconds" title="Back 10 seconds (J)">${icon("back")}</button>
        <button class="play-button" data-name="toggle" aria-label="Play" title="Play or pause (Space)">${icon("play")}</button>
        <button class="icon-button" data-name="forward" aria-label="Forward 10 seconds" title="Forward 10 seconds (L)">${icon("forward")}</button>
        <button class="icon-button" data-name="next" aria-label="Next" title="Next (hold to fast-forward)">${icon("next")}</button>
      </div>
      <div class="transport-modes" role="group" aria-label="Play mode">
        <button class="icon-button" data-name="shuffle" aria-label="Shuffle" title="Shuffle (S)" aria-pressed="false">${icon("shuffle")}</button>
        <button class="icon-button" data-name="stop" aria-label="Stop" title="Stop">${icon("stop")}</button>
        <button class="icon-button" data-name="repeat" title="Repeat (R)" aria-label="Repeat: off">${icon("repeat")}</button>
      </div>`);
    this.addEventListener("click", (event) => {
      const name = event.target.closest("button")?.dataset.name;
      if (name) this.#press(name);
    });
    holdToScan(this.#button("previous"), -4);
    holdToScan(this.#button("next"), 4);
  }

  set player(player) {
    this.#player = player;
    const pausing = wantsSound(player);
    this.#swap("toggle", pausing ? "pause" : "play", pausing ? "Pause" : "Play");
    setAttribute(this.#button("shuffle"), "aria-pressed", String(player?.shuffle === true));
    const repeat = player?.repeat ?? "off";
    this.#swap("repeat", repeat === "one" ? "repeatOne" : "repeat", repeatWords[repeat]);
    this.#button("repeat").classList.toggle("on", repeat !== "off");
    const empty = !player?.queue?.length && !player?.item;
    for (const name of ["previous", "next", "toggle"]) this.#button(name).disabled = empty;
    this.#button("stop").disabled = !player?.item;
    for (const name of ["back", "forward"]) this.#button(name).disabled = !player?.item || player.item.seekable === false;
    for (const name of ["shuffle", "repeat"]) this.#button(name).disabled = !player;
  }

  #press(name) {
    switch (name) {
      case "back": return request(this, "seek", { offset: -10 });
      case "forward": return request(this, "seek", { offset: 10 });
      case "shuffle": return request(this, "settings", { shuffle: !this.#player.shuffle });
      case "repeat": return request(this, "settings", { repeat: nextRepeat[this.#player.repeat] });
      default: return request(this, name);
    }
  }

  #button(name) {
    return this.querySelector(`[data-name=${name}]`);
  }

  #swap(name, drawing, label) {
    const button = this.#button(name);
    if (button.dataset.icon === drawing && button.getAttribute("aria-label") === label) return;
    button.dataset.icon = drawing;
    setAttribute(button, "aria-label", label);
    render(button, icon(drawing));
  }
}

customElements.define("transport-controls", TransportControls);
