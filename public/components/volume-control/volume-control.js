// SPDX-License-Identifier: Apache-2.0

import { BoundInput } from "../../lib/bound-input.js";
import { Component, define, html, iconButton, setAttribute, setIcon, setText } from "../../lib/component.js";

/** Mute and the player's volume. The sound card's volume stays as it is. Field: `player`. */
class VolumeControl extends Component {
  markup() {
    return html`
      ${iconButton("volume", "Mute", "Mute (M)", { action: "mute" })}
      <div class="volume-track">
        <div class="volume-rail" data-ref="rail"></div>
        <input type="range" min="0" max="100" step="1" value="0" aria-label="Volume" data-ref="input">
      </div>
      <span class="volume-value note" aria-hidden="true" data-ref="value"></span>`;
  }

  made() {
    this.slider = new BoundInput(this.refs.input, {
      show: () => this.draw(),
      send: (percent) => {
        this.#show(percent);
        return this.request("settings", { level: percent / 100, ...(this.player.muted && { muted: false }) });
      },
    });
  }

  press() {
    this.request("settings", { muted: !this.player.muted });
  }

  draw() {
    const { player } = this;
    const muted = player?.muted === true;
    this.button("mute").disabled = this.refs.input.disabled = !player;
    setAttribute(this.button("mute"), "aria-pressed", String(muted));
    setIcon(this.button("mute"), muted ? "muted" : "volume");
    this.classList.toggle("muted", muted);
    if (this.slider.isBusy) return;
    const percent = Math.round((player?.level ?? 0) * 100);
    this.refs.input.value = percent;
    this.#show(percent);
  }

  #show(percent) {
    this.refs.rail.style.setProperty("--level", percent / 100);
    setAttribute(this.refs.input, "aria-valuetext", `${percent} %`);
    setText(this.refs.value, `${percent} %`);
  }
}

define("volume-control", VolumeControl, { player: null }, import.meta.url);
