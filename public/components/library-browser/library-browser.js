// SPDX-License-Identifier: Apache-2.0

import { html, render, setText } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { count } from "../../lib/media.js";
import { request } from "../../lib/request.js";
import { Rows } from "../../lib/rows.js";
import { pixelsFor } from "../../state/pictures.js";
import { albumTile, artistRow, genreRow, titleRow, trackRow } from "./library-rows.js";

/** Milliseconds without a key before a search is sent. */
const pause = 150;

/**
 * The music by its tags. Properties: `content` (see `state/library.js`, null while it loads), `status` (answer of
 * `GET /library`), `problem` (sentence or null), `pictures`. Reports `library-open`, `library-back`, `library-search`, `library-more`.
 */
export class LibraryBrowser extends HTMLElement {
  #content = null;
  #timer = 0;
  #watcher = null;
  /** How far each content was scrolled down, for the way back. */
  #places = new WeakMap();

  connectedCallback() {
    render(this, html`
      <header class="pane-header"><h2>Library</h2>
        <div class="pane-actions"><button class="text-button" data-action="scan">${icon("search")}Scan</button></div>
      </header>
      <label class="filter">${icon("search")}<span class="visually-hidden">Search</span><input type="search" placeholder="Search artists, albums, tracks" aria-label="Search the library" autocomplete="off" spellcheck="false"></label>
      <nav class="library-kinds" aria-label="Library lists"></nav>
      <p class="library-status" role="status"></p>
      <div class="browser-scroll"><div class="library-content"></div><div class="empty" hidden></div>
        <button class="text-button browser-more" data-action="more" hidden>Show more</button></div>`);
    this.input = this.querySelector("input");
    this.rows = new Rows(this.querySelector(".library-content"));
    this.input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#tell("library-search", { text: this.input.value.trim() }), pause);
    });
    this.addEventListener("click", (event) => this.#clicked(event.target.closest("button")));
    // As in the folders.
    this.querySelector(".library-content").addEventListener("keydown", ({ key }) => key === "Backspace" && this.#content?.id && this.#tell("library-back"));
    this.#watcher = new IntersectionObserver((entries) => this.#seen(entries), { root: this.querySelector(".browser-scroll"), rootMargin: "200px" });
  }

  disconnectedCallback() {
    this.#watcher?.disconnect();
  }

  focusFilter() {
    this.input.focus();
  }

  focusFirst() {
    if (!this.rows.focus()) this.input.focus();
  }

  set content(content) {
    const isOther = content?.kind !== this.#content?.kind || content?.id !== this.#content?.id;
    const scroll = this.querySelector(".browser-scroll");
    if (this.#content) this.#places.set(this.#content, scroll.scrollTop);
    this.#content = content;
    if (content && content.kind !== "search") this.input.value = "";
    this.rows.redraw(() => this.#draw(), { isOther });
    if (isOther) scroll.scrollTop = this.#places.get(content) ?? 0;
  }

  set problem(message) {
    if (message) this.#empty(html`${icon("warning")}<h3>The library cannot be shown</h3><p>${message}</p>`);
  }

  set status(status) {
    const text = !status ? ""
      : status.state === "scanning" ? `Scanning: ${count(status.scan?.found ?? 0, "file")} found, ${(status.scan?.scanned ?? 0).toLocaleString("en")} read`
      : [count(status.artists, "artist"), count(status.albums, "album"), count(status.tracks, "track")].join(" · ");
    setText(this.querySelector(".library-status"), [text, ...(status?.problems ?? [])].filter(Boolean).join(". "));
    this.querySelector("[data-action=scan]").disabled = !status || status.state === "scanning";
  }

  #draw() {
    const content = this.#content;
    const kinds = [["albums", "Albums"], ["artists", "Artists"], ["genres", "Genres"]];
    render(this.querySelector(".library-kinds"), html`${kinds.map(([kind, label]) => html`
      <button data-action="open" data-kind="${kind}" ${kind === content?.kind ? html`aria-current="page"` : null}>${label}</button>`)}`);
    const box = this.querySelector(".library-content");
    if (!content) {
      render(box, html``);
      return this.#empty(html`<p>Loading…</p>`);
    }
    const { artists = [], albums = [], genres = [], tracks = [] } = content;
    const part = (heading, list) => html`${content.kind === "search" ? html`<h3 class="library-heading">${heading}</h3>` : null}${list}`;
    render(box, html`
      ${content.id ? titleRow(content) : null}
      ${artists.length ? part("Artists", html`<ul class="browser-entries" aria-label="Artists">${artists.map(artistRow)}</ul>`) : null}
      ${genres.length ? part("Genres", html`<ul class="browser-entries" aria-label="Genres">${genres.map(genreRow)}</ul>`) : null}
      ${albums.length ? part("Albums", html`<ul class="album-grid" aria-label="Albums">${albums.map(albumTile)}</ul>`) : null}
      ${tracks.length ? part("Tracks", html`<ul class="browser-entries" aria-label="Tracks">${tracks.map(trackRow(content.kind === "album"))}</ul>`) : null}`);
    this.#watcher.disconnect();
    for (const image of box.querySelectorAll("img[data-picture]")) this.#watcher.observe(image.parentElement);
    this.querySelector(".browser-more").hidden = !content.hasMore;
    if (artists.length + albums.length + genres.length + tracks.length) this.#empty(null);
    else if (content.kind === "search") this.#empty(html`${icon("search")}<h3>Nothing was found</h3><p>Nothing has all the words “${content.text}”.</p>`);
    else this.#empty(html`${icon("disc")}<h3>Nothing here yet</h3><p>The library shows the music in the folders given with <code>--music</code> by its tags.</p>`);
  }

  /** Pictures are fetched when they come near the window: a library may have thousands. */
  #seen(entries) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.#watcher.unobserve(target);
      const image = target.querySelector("img");
      this.pictures?.get(image.dataset.picture, pixelsFor(target.clientWidth)).then((address) => {
        if (!address) return;
        image.src = address;
        image.hidden = false;
      });
    }
  }

  #empty(markup) {
    const box = this.querySelector(".empty");
    box.hidden = markup === null;
    if (markup) render(box, markup);
  }

  #clicked(button) {
    const { action, kind, id } = button?.dataset ?? {};
    const send = (placing) => request(this, "add", { items: [{ [kind]: id }], ...placing });
    switch (action) {
      case "open": return this.#tell("library-open", { kind, id, name: this.#content?.genres?.find((genre) => genre.id === id)?.name });
      case "back": return this.#tell("library-back");
      case "play": return send({ position: "next", play: true });
      case "playNext": return send({ position: "next" });
      case "add": return send({ position: "end" });
      case "more": return this.#tell("library-more");
      case "scan": return request(this, "scanLibrary");
      default: return undefined;
    }
  }

  #tell(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}

customElements.define("library-browser", LibraryBrowser);
