// SPDX-License-Identifier: Apache-2.0

import { html, render, setText } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { count, formatSize, isNetwork } from "../../lib/media.js";
import { request } from "../../lib/request.js";
import { Rows } from "../../lib/rows.js";

const batch = 200;

/**
 * The music folders and the playlists in them. Properties: `folder` (see `state/folder.js`, null while it loads), `problem`
 * (sentence or null). Reports `open-folder` (`{path, isList}`) and `load-more`.
 */
export class MusicBrowser extends HTMLElement {
  #folder = null;
  #shown = batch;
  #isReadOnly = false;

  connectedCallback() {
    render(this, html`
      <header class="pane-header">
        <h2>Music</h2><span class="pane-count"></span>
        <div class="pane-actions">
          <button class="text-button" data-action="addAll">${icon("add")}Add all</button>
        </div>
      </header>
      <nav class="breadcrumb" aria-label="Folder"><ol></ol></nav>
      <label class="filter">${icon("search")}<span class="visually-hidden">Filter</span><input type="search" placeholder="Filter this folder" aria-label="Filter this folder" autocomplete="off" spellcheck="false"></label>
      <div class="browser-scroll"><ul class="browser-entries" aria-label="Files and folders"></ul>
        <div class="empty" hidden></div>
        <button class="text-button browser-more" data-action="more" hidden>Show more</button>
      </div>`);
    this.list = this.querySelector(".browser-entries");
    this.filter = this.querySelector("input");
    this.filter.addEventListener("keydown", (event) => this.#leaveFilter(event));
    this.filter.addEventListener("input", () => {
      this.#shown = batch;
      this.#draw();
    });
    this.addEventListener("click", (event) => this.#clicked(event));
    this.rows = new Rows(this.list);
    this.list.addEventListener("keydown", (event) => this.#key(event));
  }

  get path() {
    return this.#folder?.path ?? "";
  }

  set folder(folder) {
    const other = folder?.path !== this.#folder?.path;
    this.#folder = folder;
    if (other) {
      this.#shown = batch;
      this.filter.value = "";
      this.querySelector(".browser-scroll").scrollTop = 0;
    }
    this.#drawBreadcrumb();
    this.#draw({ isOther: other });
  }

  /** Folders can be looked into; nothing can be added or played. */
  set isReadOnly(isReadOnly) {
    this.#isReadOnly = isReadOnly;
    if (this.#folder) this.#draw();
  }

  set problem(message) {
    this.#folder = null;
    this.#drawBreadcrumb();
    this.#draw();
    this.#empty(message ? html`${icon("warning")}<h3>This folder cannot be shown</h3><p>${message}</p>
      <button class="text-button" data-action="open" data-path="">Back to the start</button>` : null);
  }

  focusFirst() {
    if (!this.rows.focus()) this.filter.focus();
  }

  focusFilter() {
    this.filter.focus();
  }

  /** Escape empties the field first and leaves it then, so that the keys play again. */
  #leaveFilter(event) {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    if (!this.filter.value) return this.filter.blur();
    this.filter.value = "";
    this.#shown = batch;
    return this.#draw();
  }

  #matching() {
    const words = this.filter.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    return (this.#folder?.entries ?? []).filter(({ name }) => {
      const lower = name.toLocaleLowerCase();
      return words.every((word) => lower.includes(word));
    });
  }

  #drawBreadcrumb() {
    // An address is one place, a path a way of many.
    const parts = isNetwork(this.path) ? [this.path] : this.path.split("/").filter(Boolean);
    const steps = parts.map((name, index) => ({ name, path: parts.slice(0, index + 1).join("/") }));
    render(this.querySelector("ol"), html`
      <li>${steps.length
        ? html`<button data-action="open" data-path="" aria-label="All music">${icon("home")}</button>`
        : html`<span class="breadcrumb-root" aria-current="page">${icon("home")}All music</span>`}</li>
      ${steps.map(({ name, path }, index) => html`<li>${icon("chevron")}${index === steps.length - 1
        ? html`<span aria-current="page">${name}</span>`
        : html`<button data-action="open" data-path="${path}">${name}</button>`}</li>`)}`);
    const trail = this.querySelector(".breadcrumb");
    trail.scrollLeft = trail.scrollWidth;
  }

  #draw({ isOther = false } = {}) {
    const entries = this.#matching();
    const folder = this.#folder;
    this.rows.redraw(() =>
      render(this.list, html`${entries.slice(0, this.#shown).map((entry) => entryRow(entry, folder.entries.indexOf(entry), this.#isReadOnly))}`), { isOther });
    const total = folder?.length ?? 0;
    setText(this.querySelector(".pane-count"), folder && total ? count(total, "entry").replace("entrys", "entries") : "");
    this.querySelector("[data-action=addAll]").disabled = !folder || total === 0 || this.#isReadOnly;
    const unloaded = folder ? total - folder.entries.length : 0;
    this.querySelector(".browser-more").hidden = entries.length <= this.#shown && unloaded <= 0;
    if (!folder) this.#empty(html`<p>Loading…</p>`);
    else if (entries.length) this.#empty(null);
    else if (this.filter.value) this.#empty(html`${icon("search")}<h3>Nothing matches</h3><p>No entry of this folder contains “${this.filter.value}”.</p>`);
    else if (folder.isList) this.#empty(html`${icon("list")}<h3>This playlist is empty</h3>`);
    else this.#empty(html`${icon("folder")}<h3>Nothing here that Tonearm plays</h3>
      ${this.path ? null : html`<p>Put music into it on the server, or start Tonearm with <code>--music</code> and your folder.</p>`}`);
  }

  #empty(markup) {
    const box = this.querySelector(".empty");
    box.hidden = markup === null;
    if (markup) render(box, markup);
  }

  #clicked(event) {
    const button = event.target.closest("button");
    const { action, path, type, index } = button?.dataset ?? {};
    const send = (placing) => request(this, "add", { items: [this.#item(type, path, index)], ...placing });
    switch (action) {
      case "open": return this.#tell("open-folder", { path, isList: type === "list" });
      case "play": return send({ position: "next", play: true });
      case "playNext": return send({ position: "next" });
      case "add": return send({ position: "end" });
      case "addAll": return send({ position: "end" });
      case "more": return this.#more();
      default: return undefined;
    }
  }

  /** What a button adds; without a type all that is shown. */
  #item(type, path, index) {
    if (type === "entry") return this.#folder.entries[index].item;
    const uri = type ? path : this.path;
    return uri ? { uri } : { folder: "" };
  }

  #tell(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }

  #more() {
    this.#shown += batch;
    if (this.#matching().length < this.#shown && this.#folder.entries.length < this.#folder.length) {
      this.#tell("load-more");
    }
    this.#draw();
  }

  /** Backspace leads to the parent folder. */
  #key(event) {
    if (event.key === "Backspace" && this.path) {
      this.#tell("open-folder", { path: this.#folder?.parent ?? "" });
    }
  }
}

const icons = { folder: "folder", list: "list", file: "note", entry: "note" };
const hidden = "Its address holds a secret that only the server knows: add the whole playlist";

function entryRow(entry, index, isReadOnly) {
  const { type, name, path, size, note } = entry;
  const opens = type === "folder" || type === "list";
  const isHidden = entry.item === null;
  const data = (action) => html`data-action="${action}" data-path="${path}" data-type="${type}" data-index="${index}" ${(isReadOnly || isHidden) && action !== "open" ? html`disabled` : null}`;
  const words = { folder: "", list: "Playlist", file: formatSize(size), entry: note };
  const title = isHidden ? hidden : type === "list" ? `Look into ${name}` : opens ? null : `Play ${name} now`;
  return html`
    <li class="entry">
      <button class="entry-name" ${data(opens ? "open" : "play")} ${title ? html`title="${title}"` : null}>
        ${icon(icons[type])}<span class="entry-text">${name}</span><span class="entry-size">${words[type]}</span>
      </button>
      ${opens ? html`<button class="icon-button" ${data("play")} aria-label="Play ${name} now" title="Play now">${icon("play")}</button>` : null}
      <button class="icon-button" ${data("playNext")} aria-label="Play ${name} next" title="Play next">${icon("playNext")}</button>
      <button class="icon-button" ${data("add")} aria-label="Add ${name} to the queue" title="Add to the queue">${icon("add")}</button>
    </li>`;
}

customElements.define("music-browser", MusicBrowser);
