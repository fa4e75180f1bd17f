// SPDX-License-Identifier: Apache-2.0

import { html, render, setAttribute } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { request } from "../../lib/request.js";

/** Mute and the player's own gain; the sound card's volume is left alone. Property: `player`. */
export class VolumeControl extends HTMLElement {
  #player = null;
  #held = false;
  #requests = 0;

  connectedCallback() {
    render(this, html`
      <button class="icon-button" aria-label="Mute" aria-pressed="false" title="Mute (M)">${icon("volume")}</button>
      <div class="volume-track">
        <div class="volume-rail"></div>
        <input type="range" min="0" max="100" step="1" value="0" aria-label="Volume">
      </div>
      <span class="volume-value" aria-hidden="true"></span>`);
    this.button = this.querySelector("button");
    this.input = this.querySelector("input");
    this.button.addEventListener("click", () => request(this, "settings", { muted: !this.#player.muted }));
    this.input.addEventListener("input", () => this.#dragged());
    this.input.addEventListener("pointerdown", () => (this.#held = true));
    for (const name of ["change", "pointerup", "pointercancel", "blur"]) {
      this.input.addEventListener(name, () => this.#released());
    }
  }

  set player(player) {
    this.#player = player;
    this.button.disabled = !player;
    this.input.disabled = !player;
    this.#show();
  }

  async #dragged() {
    this.#draw(Number(this.input.value));
    this.#requests += 1;
    const patch = { level: Number(this.input.value) / 100 };
    if (this.#player.muted) patch.muted = false;
    await request(this, "volume", patch);
    this.#requests -= 1;
    this.#show();
  }

  #released() {
    this.#held = false;
    this.#show();
  }

  #show() {
    const muted = this.#player?.muted === true;
    setAttribute(this.button, "aria-pressed", String(muted));
    if (this.button.dataset.muted !== String(muted)) {
      this.button.dataset.muted = String(muted);
      render(this.button, icon(muted ? "muted" : "volume"));
    }
    this.classList.toggle("muted", muted);
    if (this.#held || this.#requests > 0) return;
    const percent = Math.round((this.#player?.level ?? 0) * 100);
    this.input.value = percent;
    this.#draw(percent);
  }

  #draw(percent) {
    this.querySelector(".volume-rail").style.setProperty("--level", percent / 100);
    setAttribute(this.input, "aria-valuetext", `${percent} %`);
    this.querySelector(".volume-value").textContent = `${percent} %`;
  }
}

customElements.define("volume-control", VolumeControl);
