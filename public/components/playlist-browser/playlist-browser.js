// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { count, describeItem } from "../../lib/media.js";
import { confirm, request } from "../../lib/request.js";
import { Rows } from "../../lib/rows.js";

/**
 * Saved playlists, and the tracks of one. Properties: `lists` (null while they load), `list` (the open one: an answer of
 * `GET /playlists/{id}`, or null), `problem`. Reports `playlists-changed`, `playlist-open` (`{id}`, null for none), `playlist-more`.
 */
export class PlaylistBrowser extends HTMLElement {
  #lists = null;
  #list = null;

  connectedCallback() {
    render(this, html`
      <header class="pane-header"><h2>Playlists</h2><span class="pane-count"></span>
        <div class="pane-actions"><button class="text-button" data-action="open" hidden>All playlists</button></div></header>
      <form class="playlist-save"><input name="name" maxlength="100" required placeholder="Name" aria-label="Name of the new playlist" autocomplete="off">
        <button class="text-button" type="submit">${icon("add")}Save queue</button></form>
      <div class="browser-scroll"><ul class="browser-entries" aria-label="Playlists"></ul><div class="empty" hidden></div>
        <button class="text-button browser-more" data-action="more" hidden>Show more</button></div>`);
    this.rows = new Rows(this.querySelector("ul"));
    this.querySelector("form").addEventListener("submit", (event) => this.#save(event));
    this.addEventListener("click", (event) => this.#clicked(event.target.closest("button[data-action]")));
  }

  focusFirst() {
    if (!this.rows.focus()) this.focusFilter();
  }

  focusFilter() {
    this.querySelector(this.#list ? "[data-action=open]" : "input").focus();
  }

  set lists(lists) {
    this.#lists = lists;
    if (!this.#list) this.#draw();
  }

  set list(list) {
    const isOther = list?.id !== this.#list?.id;
    const leaves = list === null && document.activeElement === this.querySelector("[data-action=open]");
    this.#list = list;
    this.#draw({ isOther });
    // The button that led back is gone now.
    if (leaves) this.focusFirst();
  }

  set problem(message) {
    if (message) this.#empty(html`${icon("warning")}<h3>The playlists cannot be shown</h3><p>${message}</p>`);
  }

  #draw({ isOther = false } = {}) {
    const [list, lists] = [this.#list, this.#lists];
    const ul = this.querySelector("ul");
    const heading = this.querySelector("h2");
    heading.textContent = list?.name ?? "Playlists";
    heading.title = list?.name ?? "";
    this.querySelector(".pane-count").textContent = list ? count(list.length, "track") : "";
    this.querySelector(".pane-actions button").hidden = !list;
    this.querySelector("form").hidden = list !== null;
    this.querySelector(".browser-more").hidden = !list || list.items.length >= list.length;
    ul.setAttribute("aria-label", list ? "Tracks" : "Playlists");
    this.rows.redraw(() => render(ul, html`${list ? list.items.map(trackRow(list)) : (lists ?? []).map(listRow)}`), { isOther });
    this.#empty(list ? (list.length ? null : html`${icon("queue")}<h3>This playlist is empty</h3>`)
      : !lists ? html`<p>Loading…</p>` : lists.length ? null
        : html`${icon("queue")}<h3>No playlists yet</h3><p>Give the queue a name to keep it.</p>`);
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
    this.#tell("playlists-changed");
  }

  async #clicked(button) {
    const { action, id = null, name, index } = button?.dataset ?? {};
    if (action === "open") this.#tell("playlist-open", { id });
    else if (action === "more") this.#tell("playlist-more");
    else if (action === "add") await request(this, "add", { items: [{ playlist: id }] });
    else if (action === "play") await request(this, "playPlaylist", { id, index: Number(index ?? 0) });
    else if (action === "remove" && await confirm(this, {
      title: `Remove ${name}?`, text: "The playlist is gone then; the music stays.", action: "Remove",
    })) {
      await request(this, "removePlaylist", { id, name });
      this.#tell("playlists-changed");
    }
  }

  #tell(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}

function listRow({ id, name, length }) {
  const data = (action) => html`data-action="${action}" data-id="${id}" data-name="${name}"`;
  return html`
    <li class="entry">
      <button class="entry-name" ${data("open")} title="Open ${name}">
        ${icon("queue")}<span class="entry-text">${name}</span><span class="entry-size">${count(length, "track")}</span>
      </button>
      <button class="icon-button" ${data("play")} aria-label="Play ${name} in place of the queue" title="Play in place of the queue">${icon("play")}</button>
      <button class="icon-button" ${data("add")} aria-label="Add ${name} to the queue" title="Add to the queue">${icon("add")}</button>
      <button class="icon-button" ${data("remove")} aria-label="Remove the playlist ${name}" title="Remove">${icon("trash")}</button>
    </li>`;
}

const trackRow = (list) => (item, index) => {
  const { title, artist } = describeItem(item);
  return html`
    <li class="entry">
      <button class="entry-name" data-action="play" data-id="${list.id}" data-index="${index}" title="Play from ${title} on, in place of the queue">
        <span class="track-number">${index + 1}</span><span class="entry-text">${title}</span><span class="entry-size">${artist}</span>
      </button>
    </li>`;
};

customElements.define("playlist-browser", PlaylistBrowser);
