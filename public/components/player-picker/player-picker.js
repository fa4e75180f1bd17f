// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, icon, setChoices } from "../../lib/component.js";

/** Chooses the player that the page controls, if there are several. Field: `players` (state/players.js). Reports `steer-player`. */
class PlayerPicker extends Component {
  markup() {
    return html`<label class="output-box" title="The player that this page controls">
      ${icon("disc")}<span class="visually-hidden">Player</span><select aria-label="Player" data-ref="list"></select>${icon("chevron")}</label>`;
  }

  made() {
    this.refs.list.addEventListener("change", ({ target }) => this.report("steer-player", { id: target.value }));
  }

  draw() {
    const { list = [], steered } = this.players ?? {};
    this.hidden = list.length < 2;
    setChoices(this.refs.list, list.map(({ id, name }) => [id, name]), steered);
  }
}

define("player-picker", PlayerPicker, { players: null });
