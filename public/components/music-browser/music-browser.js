// SPDX-License-Identifier: Apache-2.0

import { define, effect, html, icon, render, setText, textButton } from "../../lib/component.js";
import { EntriesView, entryRow, loading, placingButtons, placings } from "../../lib/browsing.js";
import { count, stepsOf } from "../../lib/media.js";

const batch = 200;

/** The music folders and the playlists in them. Fields: `folder` (state/folder.js), `isReadOnly`. Reports `open-folder` (`{path, isList}`). */
class MusicBrowser extends EntriesView {
  #shownPath = null;

  markup() {
    return html`
      <header class="pane-header">
        <h2>Music</h2><span class="pane-count note" data-ref="count"></span>
        <div class="pane-actions">${textButton("add", "Add all", { action: "addAll" })}</div>
      </header>
      <nav class="breadcrumb" aria-label="Folder" data-ref="trail"><ol data-ref="steps"></ol></nav>
      <label class="filter">${icon("search")}<span class="visually-hidden">Filter</span><input type="search" placeholder="Filter this folder" aria-label="Filter this folder" autocomplete="off" spellcheck="false" data-ref="filter"></label>
      <div class="browser-scroll" data-ref="scroll"><ul class="browser-entries" aria-label="Files and folders" data-ref="list"></ul>
        <div class="empty" hidden data-ref="empty"></div>
        <button class="text-button browser-more" data-action="more" hidden>Show more</button>
      </div>`;
  }

  made() {
    super.made();
    const { filter, list } = this.refs;
    filter.addEventListener("input", () => this.#setFilter(filter.value));
    // Backspace leads to the parent folder.
    list.addEventListener("keydown", ({ key }) => key === "Backspace" && this.path && this.report("open-folder", { path: this.content?.parent ?? "" }));
    effect(() => this.#drawBreadcrumb());
  }

  get content() {
    return this.folder?.content ?? null;
  }

  get path() {
    return this.content?.path ?? "";
  }

  #setFilter(text) {
    this.refs.filter.value = text;
    this.words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    this.shown = batch;
  }

  #matching() {
    return (this.content?.entries ?? []).filter(({ name }) => {
      const lower = name.toLocaleLowerCase();
      return this.words.every((word) => lower.includes(word));
    });
  }

  #drawBreadcrumb() {
    const { path, refs: { trail, steps } } = this;
    const parts = stepsOf(path);
    const open = (to, words, label = null) => html`<button data-action="open" data-path="${to}" ${label && html`aria-label="${label}"`}>${words}</button>`;
    render(steps, html`
      <li>${parts.length ? open("", icon("home"), "All music") : html`<span class="breadcrumb-root" aria-current="page">${icon("home")}All music</span>`}</li>
      ${parts.map((name, index) => html`<li>${icon("chevron")}${index === parts.length - 1
        ? html`<span aria-current="page">${name}</span>` : open(parts.slice(0, index + 1).join("/"), name)}</li>`)}`);
    trail.scrollLeft = trail.scrollWidth;
  }

  draw() {
    const { content, refs, isReadOnly } = this;
    const isOther = content?.path !== this.#shownPath;
    if (isOther) {
      this.#shownPath = content?.path;
      this.#setFilter("");
      refs.scroll.scrollTop = 0;
    }
    const entries = this.#matching();
    this.rows.redraw(() => render(refs.list,
      html`${entries.slice(0, this.shown).map((entry) => row(entry, content.entries.indexOf(entry), isReadOnly))}`), { isOther });
    const total = content?.length ?? 0;
    setText(refs.count, total ? count(total, "entry", "entries") : "");
    this.button("addAll").disabled = total === 0 || isReadOnly || this.#all(entries).length === 0;
    this.button("more").hidden = entries.length <= this.shown && total <= (content?.entries.length ?? 0);
    this.showEmpty(entries.length ? null : this.#note(content));
  }

  #note(content) {
    const { problem } = this.folder ?? {};
    if (problem) return { symbol: "warning", title: "This folder cannot be shown", text: problem, more: html`<button class="text-button" data-action="open" data-path="">Back to the start</button>` };
    if (!content) return loading;
    if (this.words.length) return { symbol: "search", title: "Nothing matches", text: `No entry of this folder contains “${this.refs.filter.value}”.` };
    if (content.isList) return { symbol: "list", title: "This playlist is empty" };
    return {
      symbol: "folder", title: "Nothing here that Tonearm plays",
      text: this.path ? null : html`Put music into it on the server, or start Tonearm with <code>--music</code> and your folder.`,
    };
  }

  press(action, { path, type, index }) {
    if (action === "open") return this.report("open-folder", { path, isList: type === "list" });
    if (action === "more") return this.#more();
    if (action === "addAll") return this.request("add", { items: this.#all() });
    return this.request("add", { items: [itemOf(this.content.entries[index])], ...(type === "file" && { check: true }), ...placings[action] });
  }

  /**
   * The whole folder or list, or what of it matches the filter: none until all entries are loaded. A folder's lists are left out either
   * way, as its files stand beside them.
   */
  #all(matching = this.#matching()) {
    if (!this.words.length) return [this.path ? { uri: this.path } : { folder: "" }];
    if (this.content.entries.length < this.content.length) return [];
    return matching.filter(({ type }) => type !== "list").map(itemOf).filter(Boolean);
  }

  #more() {
    this.shown += batch;
    if (this.#matching().length < this.shown && this.content.entries.length < this.content.length) this.loadMore(this.folder);
  }
}

const icons = { folder: "folder", list: "list", file: "note", entry: "note" };
const hidden = "Its address contains a secret. Add the whole playlist instead";

/** The item for the queue; null if its address is hidden. */
const itemOf = ({ type, path, item }) => type === "entry" ? item : { uri: path };

function row(entry, index, isReadOnly) {
  const { type, name, path, note } = entry;
  const opens = type === "folder" || type === "list";
  const isHidden = entry.item === null;
  const disabled = isReadOnly || isHidden ? html`disabled` : null;
  const values = { path, type, index };
  return entryRow({
    action: opens ? "open" : "play", values, symbol: icons[type], name, more: opens ? null : disabled,
    note: type === "list" ? "Playlist" : note,
    title: isHidden ? hidden : type === "list" ? `Open ${name}` : opens ? null : `Play ${name} now`,
    tools: placingButtons(["play", "playNext", "add"], name, values, disabled),
  });
}

define("music-browser", MusicBrowser, { folder: null, isReadOnly: false, words: [], shown: batch }, import.meta.url);
