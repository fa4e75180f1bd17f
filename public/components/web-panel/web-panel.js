// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { request } from "../../lib/request.js";

/** What is played from an address: stations, files, playlists, podcasts. Below it stands what is kept of them. Reports `open-folder`. */
export class WebPanel extends HTMLElement {
  connectedCallback() {
    render(this, html`
      <header class="pane-header"><h2>From the web</h2></header>
      <fieldset class="needs-control"><form class="web-open">
        <input type="url" name="address" required pattern="https?://.+" maxlength="4096" placeholder="https://…" title="An address that begins with http:// or https://"
          aria-label="Address of a station, file, playlist or podcast" autocomplete="off" autocapitalize="off" spellcheck="false">
        <label class="check"><input type="checkbox" name="list"> Playlist or podcast</label>
        <div class="web-buttons"><button class="text-button" value="play">${icon("play")}Play</button>
          <button class="text-button" value="add">${icon("add")}Add</button>
          <button class="text-button" value="open" title="Show what a playlist or podcast lists">${icon("list")}Look inside</button></div>
      </form></fieldset>
      <cache-list></cache-list>`);
    this.input = this.querySelector("[name=address]");
    this.querySelector("form").addEventListener("submit", (event) => this.#send(event));
  }

  focusFirst() {
    this.input.focus();
  }

  focusFilter() {
    this.input.focus();
  }

  async #send(event) {
    event.preventDefault();
    const address = this.input.value.trim();
    if (event.submitter?.value === "open") {
      this.dispatchEvent(new CustomEvent("open-folder", { bubbles: true, detail: { path: address, isList: true } }));
      return;
    }
    // What is named like a playlist is taken for one anyway; podcasts rarely are.
    const item = this.querySelector("[name=list]").checked ? { list: address } : { uri: address };
    const placing = event.submitter?.value === "add" ? { position: "end" } : { position: "next", play: true };
    if (await request(this, "add", { items: [item], ...placing })) this.input.value = "";
  }
}

customElements.define("web-panel", WebPanel);
