// SPDX-License-Identifier: Apache-2.0

import { data, define, effect, html, icon, render, setText, textButton } from "../../lib/component.js";
import { EntriesView, loading, placings } from "../../lib/browsing.js";
import { count } from "../../lib/media.js";
import { pixelsFor } from "../../state/pictures.js";
import { albumTile, artistRow, genreRow, titleRow, trackRow } from "./library-rows.js";

/** Milliseconds without a key before a search is sent. */
const pause = 150;
const kinds = [["albums", "Albums"], ["artists", "Artists"], ["genres", "Genres"], ["tracks", "Tracks"]];

/** The music by its tags. Fields: `library` (state/library.js), `pictures`. */
class LibraryBrowser extends EntriesView {
  #content = null;
  #timer = 0;
  #watcher = null;
  /** The scroll position of each content, for the way back. */
  #places = new WeakMap();

  markup() {
    return html`
      <header class="pane-header"><h2>Library</h2>
        <div class="pane-actions">${textButton("search", "Scan", { action: "scan" })}</div>
      </header>
      <label class="filter">${icon("search")}<span class="visually-hidden">Search</span><input type="search" placeholder="Search artists, albums, tracks" aria-label="Search the library" autocomplete="off" spellcheck="false" data-ref="filter"></label>
      <nav class="library-kinds" aria-label="Library lists" data-ref="kinds"></nav>
      <p class="library-status note" role="status" data-ref="status"></p>
      <div class="browser-scroll" data-ref="scroll"><div class="library-content" data-ref="list"></div><div class="empty" hidden data-ref="empty"></div>
        <button class="text-button browser-more" data-action="more" hidden>Show more</button></div>`;
  }

  made() {
    super.made();
    const { filter, list, scroll } = this.refs;
    filter.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.library.search(filter.value.trim()), pause);
    });
    // As in the folders: up one level.
    list.addEventListener("keydown", ({ key }) => key === "Backspace" && this.#content?.id && this.library.back());
    this.#watcher = new IntersectionObserver((entries) => this.#seen(entries), { root: scroll, rootMargin: "200px" });
    effect(() => this.#drawStatus());
  }

  #drawStatus() {
    const { status } = this.library ?? {};
    const text = !status ? ""
      : status.state === "scanning" ? `Scanning: ${count(status.scan?.found ?? 0, "file")} found, ${(status.scan?.scanned ?? 0).toLocaleString("en")} read`
      : [count(status.artists, "artist"), count(status.albums, "album"), count(status.tracks, "track")].join(" · ");
    setText(this.refs.status, [text, ...(status?.problems ?? [])].filter(Boolean).join(". "));
    this.button("scan").disabled = !status || status.state === "scanning";
  }

  draw() {
    const { content = null, problem } = this.library ?? {};
    const { scroll, filter } = this.refs;
    const isOther = content?.kind !== this.#content?.kind || content?.id !== this.#content?.id;
    if (this.#content) {
      this.#places.set(this.#content, scroll.scrollTop);
      // Keep text that is typed while the first content loads or the same one reloads.
      if (isOther && content && content.kind !== "search") filter.value = "";
    }
    this.#content = content;
    this.rows.redraw(() => this.#drawContent(content), { isOther });
    if (isOther) scroll.scrollTop = this.#places.get(content) ?? 0;
    if (problem) this.showEmpty({ symbol: "warning", title: "The library cannot be shown", text: problem });
  }

  #drawContent(content) {
    const { kinds: tabs, list } = this.refs;
    render(tabs, html`${kinds.map(([kind, label]) => html`
      <button${data({ action: "open", kind })} ${kind === content?.kind ? html`aria-current="page"` : null}>${label}</button>`)}`);
    const { artists = [], albums = [], genres = [], tracks = [] } = content ?? {};
    const part = (heading, entries, row, style = "browser-entries") => entries.length === 0 ? null
      : html`${content.kind === "search" ? html`<h3 class="library-heading">${heading}</h3>` : null}<ul class="${style}" aria-label="${heading}">${entries.map(row)}</ul>`;
    render(list, html`
      ${content?.id ? titleRow(content) : null}
      ${part("Artists", artists, artistRow)}
      ${part("Genres", genres, genreRow)}
      ${part("Albums", albums, albumTile, "album-grid")}
      ${part("Tracks", tracks, trackRow(content?.kind === "album", new Set(tracks.map(({ discNumber }) => discNumber ?? 1)).size > 1, content?.artist))}`);
    this.#watcher.disconnect();
    for (const image of list.querySelectorAll("img[data-picture]")) this.#watcher.observe(image.parentElement);
    this.button("more").hidden = !content?.hasMore;
    this.showEmpty(!content ? loading : artists.length + albums.length + genres.length + tracks.length ? null
      : content.kind === "search" ? { symbol: "search", title: "Nothing was found", text: `Nothing contains “${content.text}”.` }
        : { symbol: "disc", title: "Nothing here yet", text: html`The library shows the music in the folders given with <code>--music</code> by its tags.` });
  }

  /** Fetches pictures as they come near the viewport: a library may have thousands. */
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

  press(action, { kind, id }) {
    switch (action) {
      case "open": return this.library.open({ kind, id, name: this.#content?.genres?.find((genre) => genre.id === id)?.name });
      case "back": return this.library.back();
      case "more": return this.loadMore(this.library);
      case "scan": return this.request("scanLibrary");
      default: return this.request("add", { items: [{ [kind]: id }], ...placings[action] });
    }
  }
}

define("library-browser", LibraryBrowser, { library: null }, import.meta.url);
