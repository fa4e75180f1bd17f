// SPDX-License-Identifier: Apache-2.0

import { html, render, setAttribute, setText } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { describeItem } from "../../lib/media.js";
import { request } from "../../lib/request.js";
import { wantsSound } from "../../lib/status.js";

/** The player in one line, where a narrow screen shows something else. Properties: `player`, `status`, `artwork`. */
export class MiniPlayer extends HTMLElement {
  connectedCallback() {
    render(this, html`
      <button class="mini-open" aria-label="Show now playing">
        <span class="mini-picture">${icon("disc")}<img alt="" hidden></span>
        <span class="mini-text"><span class="mini-title"></span><span class="mini-detail"></span></span>
      </button>
      <fieldset class="needs-control"><button class="icon-button" data-name="toggle" aria-label="Play">${icon("play")}</button>
      <button class="icon-button" data-name="next" aria-label="Next">${icon("next")}</button></fieldset>`);
    this.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if (button.dataset.name) request(this, button.dataset.name);
      else this.dispatchEvent(new CustomEvent("show-now", { bubbles: true }));
    });
  }

  set player(player) {
    const { title, artist } = describeItem(player?.item);
    this.artist = artist;
    setText(this.querySelector(".mini-title"), title || "Nothing playing");
    const button = this.querySelector("[data-name=toggle]");
    const pausing = wantsSound(player);
    if (button.getAttribute("aria-label") !== (pausing ? "Pause" : "Play")) {
      setAttribute(button, "aria-label", pausing ? "Pause" : "Play");
      render(button, icon(pausing ? "pause" : "play"));
    }
    const empty = !player?.queue?.length && !player?.item;
    for (const each of this.querySelectorAll("[data-name]")) each.disabled = empty;
  }

  /** Trouble replaces the artist: the one line says what matters most. */
  set status({ tone, text }) {
    const detail = this.querySelector(".mini-detail");
    detail.classList.toggle("bad", tone === "error");
    setText(detail, tone === "good" || (tone === "idle" && this.artist) ? this.artist || text : text);
  }

  set artwork(address) {
    const image = this.querySelector("img");
    image.hidden = !address;
    if (address) image.src = address;
    else image.removeAttribute("src");
  }
}

customElements.define("mini-player", MiniPlayer);
