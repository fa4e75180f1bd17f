// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, icon, iconButton, setAttribute, setIcon, setPicture, setText } from "../../lib/component.js";
import { describeItem } from "../../lib/media.js";
import { wantsSound } from "../../lib/status.js";

/** The player in one line, for narrow screens that show another view. Fields: `player`, `status`, `artwork`. Reports `show-now`. */
class MiniPlayer extends Component {
  markup() {
    return html`
      <button class="mini-open" aria-label="Show now playing" data-action="show-now">
        <span class="mini-picture">${icon("disc")}<img alt="" hidden data-ref="picture"></span>
        <span class="mini-text"><span class="mini-title one-line" data-ref="title"></span><span class="mini-detail note one-line" data-ref="detail"></span></span>
      </button>
      <fieldset class="needs-control">${iconButton("play", "Play", null, { action: "toggle" })}${iconButton("next", "Next", null, { action: "next" })}</fieldset>`;
  }

  draw() {
    const { player, refs } = this;
    const { tone, text } = this.status;
    const { title, artist } = describeItem(player?.item);
    setText(refs.title, title || "Nothing playing");
    // There is one line: a problem replaces the artist.
    refs.detail.classList.toggle("bad", tone === "error");
    setText(refs.detail, tone === "good" || (tone === "idle" && artist) ? artist || text : text);
    const pausing = wantsSound(player);
    setAttribute(this.button("toggle"), "aria-label", pausing ? "Pause" : "Play");
    setIcon(this.button("toggle"), pausing ? "pause" : "play");
    for (const name of ["toggle", "next"]) this.button(name).disabled = !player?.queue?.length && !player?.item;
    setPicture(refs.picture, this.artwork);
  }

  press(action) {
    if (action === "show-now") this.report(action);
    else this.request(action);
  }
}

define("mini-player", MiniPlayer, { player: null, status: { tone: "busy", text: "" }, artwork: null }, import.meta.url);
