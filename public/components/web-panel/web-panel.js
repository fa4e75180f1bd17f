// SPDX-License-Identifier: Apache-2.0

import { html, render, setText } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { placeOf } from "../../lib/media.js";
import { request } from "../../lib/request.js";

/** What is played from an address: stations, files, playlists, podcasts. Below it stands what is kept of them. Reports `open-folder`. */
export class WebPanel extends HTMLElement {
  #isLooking = false;
  #timer = 0;

  connectedCallback() {
    render(this, html`
      <header class="pane-header"><h2>From the web</h2></header>
      <fieldset class="needs-control"><form class="web-open">
        <input type="url" name="address" required pattern="https?://.+" maxlength="4096" placeholder="https://…" title="An address that begins with http:// or https://"
          aria-label="Address of a station, file, playlist or podcast" autocomplete="off" autocapitalize="off" spellcheck="false">
        <div class="web-buttons"><button class="text-button" value="play">${icon("play")}Play</button>
          <button class="text-button" value="add">${icon("add")}Add</button>
          <button class="text-button" value="open" title="Show what a playlist or podcast lists">${icon("list")}Look inside</button></div>
        <p class="web-look" role="status"></p>
      </form></fieldset>
      <cache-list></cache-list>`);
    this.input = this.querySelector("[name=address]");
    this.form = this.querySelector("form");
    this.form.addEventListener("submit", (event) => this.#send(event));
  }

  focusFirst() {
    this.input.focus();
  }

  focusFilter() {
    this.input.focus();
  }

  async #send(event) {
    event.preventDefault();
    if (this.#isLooking) return;
    const address = this.input.value.trim();
    if (event.submitter?.value === "open") {
      this.dispatchEvent(new CustomEvent("open-folder", { bubbles: true, detail: { path: address, isList: true } }));
      return;
    }
    const placing = event.submitter?.value === "add" ? { position: "end", check: true } : { position: "next", play: true };
    this.#look(address);
    const isDone = await request(this, "add", { items: [{ uri: address }], ...placing });
    this.#look(null);
    if (isDone && this.input.value.trim() === address) this.input.value = "";
  }

  /** What is looked at; null for nothing. Told when it takes a while: most answer at once. */
  #look(address) {
    clearTimeout(this.#timer);
    this.#isLooking = address !== null;
    this.form.ariaBusy = String(this.#isLooking);
    const note = this.querySelector(".web-look");
    if (address === null) setText(note, "");
    else this.#timer = setTimeout(() => setText(note, `Looking at ${placeOf(address)}, for 20 s at most…`), 300);
  }
}

customElements.define("web-panel", WebPanel);
