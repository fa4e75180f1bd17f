// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, icon, setText } from "../../lib/component.js";
import { placeOf } from "../../lib/media.js";

/** Plays an address: a station, file, playlist or podcast. Below it stand the media that the server keeps of them. Reports `open-folder`. */
class WebPanel extends Component {
  #isLooking = false;
  #timer = 0;

  markup() {
    return html`
      <header class="pane-header"><h2>From the web</h2></header>
      <fieldset class="needs-control"><form class="web-open" data-ref="form">
        <input type="url" name="address" required pattern="https?://.+" maxlength="4096" placeholder="https://…" title="An address that begins with http:// or https://"
          aria-label="Address of a station, file, playlist or podcast" autocomplete="off" autocapitalize="off" spellcheck="false" data-ref="input">
        <div class="web-buttons"><button class="text-button" value="play">${icon("play")}Play</button>
          <button class="text-button" value="add">${icon("add")}Add</button>
          <button class="text-button" value="open" title="Show the entries of a playlist or podcast">${icon("list")}Look inside</button></div>
        <p class="web-look note one-line" role="status" data-ref="note"></p>
      </form></fieldset>
      <cache-list></cache-list>`;
  }

  made() {
    this.refs.form.addEventListener("submit", (event) => this.#send(event));
  }

  focusFirst() {
    this.refs.input.focus();
  }

  focusFilter() {
    this.focusFirst();
  }

  async #send(event) {
    event.preventDefault();
    if (this.#isLooking) return;
    const address = this.refs.input.value.trim();
    const placing = event.submitter?.value === "add" ? { position: "end", check: true } : { position: "next", play: true };
    this.#look(address);
    const isDone = await (event.submitter?.value === "open" ? this.call("open-folder", { path: address, isList: true })
      : this.request("add", { items: [{ uri: address }], ...placing }));
    this.#look(null);
    if (isDone && this.refs.input.value.trim() === address) this.refs.input.value = "";
  }

  /** `address`: the one that the server checks, or null. The note appears only if the check takes a while. */
  #look(address) {
    clearTimeout(this.#timer);
    this.#isLooking = address !== null;
    this.refs.form.ariaBusy = String(this.#isLooking);
    if (address === null) setText(this.refs.note, "");
    else this.#timer = setTimeout(() => setText(this.refs.note, `Checking ${placeOf(address)}, for 20 s at most…`), 300);
  }
}

define("web-panel", WebPanel, {}, import.meta.url);
