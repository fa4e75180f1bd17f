// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { count } from "../../lib/media.js";
import { confirm, request } from "../../lib/request.js";
import { Rows } from "../../lib/rows.js";

/** Saved playlists. Properties: `lists` (null while they load), `problem`. Reports `playlists-changed`. */
export class PlaylistBrowser extends HTMLElement {
  connectedCallback() {
    render(this, html`
      <header class="pane-header"><h2>Playlists</h2></header>
      <form class="playlist-save"><input name="name" maxlength="100" required placeholder="Name" aria-label="Name of the new playlist" autocomplete="off">
        <button class="text-button" type="submit">${icon("add")}Save queue</button></form>
      <div class="browser-scroll"><ul class="browser-entries" aria-label="Playlists"></ul><div class="empty" hidden></div></div>`);
    this.rows = new Rows(this.querySelector("ul"));
    this.querySelector("form").addEventListener("submit", (event) => this.#save(event));
    this.addEventListener("click", (event) => this.#clicked(event.target.closest("button[data-action]")));
  }

  focusFirst() {
    (this.querySelector(".entry-name") ?? this.querySelector("input")).focus();
  }

  focusFilter() {
    this.querySelector("input").focus();
  }

  set lists(lists) {
    this.rows.redraw(() => render(this.querySelector("ul"), html`${(lists ?? []).map(row)}`));
    this.#empty(!lists ? html`<p>Loading…</p>` : lists.length ? null
      : html`${icon("queue")}<h3>No playlists yet</h3><p>Give the queue a name to keep it.</p>`);
  }

  set problem(message) {
    if (message) this.#empty(html`${icon("warning")}<h3>The playlists cannot be shown</h3><p>${message}</p>`);
  }

  #empty(markup) {
    const box = this.querySelector(".empty");
    box.hidden = markup === null;
    if (markup) render(box, markup);
  }

  async #save(event) {
    event.preventDefault();
    const input = this.querySelector("input");
    const name = input.value.trim();
    if (!name) return;
    if (await request(this, "savePlaylist", { name })) input.value = "";
    this.#changed();
  }

  async #clicked(button) {
    const { action, id, name } = button?.dataset ?? {};
    if (action === "add") await request(this, "add", { items: [{ playlist: id }] });
    else if (action === "play") await request(this, "playPlaylist", { id, name });
    else if (action === "remove" && await confirm(this, {
      title: `Remove ${name}?`, text: "The playlist is gone then; the music stays.", action: "Remove",
    })) {
      await request(this, "removePlaylist", { id, name });
      this.#changed();
    }
  }

  #changed() {
    this.dispatchEvent(new CustomEvent("playlists-changed", { bubbles: true }));
  }
}

function row({ id, name, length }) {
  const data = (action) => html`data-action="${action}" data-id="${id}" data-name="${name}"`;
  return html`
    <li class="entry">
      <button class="entry-name" ${data("play")} title="Play ${name} in place of the queue">
        ${icon("queue")}<span class="entry-text">${name}</span><span class="entry-size">${count(length, "track")}</span>
      </button>
      <button class="icon-button" ${data("add")} aria-label="Add ${name} to the queue" title="Add to the queue">${icon("add")}</button>
      <button class="icon-button" ${data("remove")} aria-label="Remove the playlist ${name}" title="Remove">${icon("trash")}</button>
    </li>`;
}

customElements.define("playlist-browser", PlaylistBrowser);
