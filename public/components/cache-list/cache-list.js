// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, iconButton, render, setAttribute, setText, showParts, textButton } from "../../lib/component.js";
import { count, formatSize, nameFromUri } from "../../lib/media.js";
import { Rows } from "../../lib/rows.js";

const batch = 100;
const addresses = (number) => count(number, "address", "addresses");

/** The media from the web that the server keeps. Field: `cache` (a `Cache`). */
class CacheList extends Component {
  #rows = new Map();
  #note = null;

  markup() {
    return html`
      <header class="pane-header"><h3>Kept on the server</h3>
        <fieldset class="needs-control">${textButton("trash", "Clear", { action: "clear" }, html`hidden`)}</fieldset>
      </header>
      <div class="cache-meter" role="meter" aria-label="Space used" aria-valuemin="0" hidden data-ref="meter"><i></i></div>
      <p class="cache-summary note" data-ref="summary"></p>
      <p class="cache-problem note" role="status" data-ref="problem"></p>
      <div class="browser-scroll">
        <fieldset class="needs-control"><ul class="browser-entries" aria-label="Kept from the web" data-ref="list"></ul></fieldset>
        <div class="cache-note note" data-ref="note"></div>
        <button class="text-button browser-more" data-action="more" hidden>Show more</button>
      </div>`;
  }

  made() {
    this.rows = new Rows(this.refs.list);
  }

  draw() {
    const { status = null, problem = null } = this.cache ?? {};
    const { refs } = this;
    const isOn = status?.enabled === true;
    const used = isOn ? `${formatSize(status.bytes)} of ${formatSize(status.limit)}` : "";
    this.button("clear").hidden = !isOn || status.count === 0;
    refs.meter.hidden = !isOn;
    if (isOn) {
      setAttribute(refs.meter, "aria-valuemax", status.limit);
      setAttribute(refs.meter, "aria-valuenow", status.bytes);
      setAttribute(refs.meter, "aria-valuetext", used);
      refs.meter.firstElementChild.style.width = `${Math.min(100, (100 * status.bytes) / Math.max(1, status.limit))}%`;
    }
    setText(refs.summary, isOn && status.count ? `${addresses(status.count)}, ${used}` : "");
    setText(refs.problem, status?.problem ? `The cache stores nothing more: ${status.problem}` : "");
    this.rows.redraw(() => this.#drawRows(isOn ? status.entries : []));
    const note = noteOf(status, problem);
    if (note.text !== this.#note) render(refs.note, note);
    this.#note = note.text;
  }

  /** Updates rows in place, up to ten times a second: one may have the focus or the pointer. */
  #drawRows(all) {
    const shown = all.slice(0, this.shown);
    const keys = new Set(shown.map(({ key }) => key));
    for (const [key, row] of this.#rows) {
      if (keys.has(key)) continue;
      row.remove();
      this.#rows.delete(key);
    }
    shown.forEach((entry, index) => {
      let row = this.#rows.get(entry.key);
      if (!row) this.#rows.set(entry.key, (row = makeRow(entry)));
      if (this.refs.list.children[index] !== row) this.refs.list.insertBefore(row, this.refs.list.children[index] ?? null);
      fillRow(row, entry);
    });
    this.button("more").hidden = all.length <= this.shown;
  }

  async press(action, { key }) {
    if (action === "more") return void (this.shown += batch);
    if (action === "remove") await this.request("removeCached", { key });
    else if (await this.#mayClear()) await this.request("clearCache");
    return this.cache.list();
  }

  #mayClear() {
    const { count: number, bytes } = this.cache.status;
    return this.confirm({
      title: "Clear the kept media?", action: "Clear",
      text: `${addresses(number)}, ${formatSize(bytes)}. The media in use stay; the rest is loaded from the web again when it is played.`,
    });
  }
}

function noteOf(status, problem) {
  if (problem) return html`<p>The cache cannot be shown: ${problem}</p>`;
  if (!status) return html`<p>Loading…</p>`;
  if (status.enabled !== true) return html`<p>Nothing is kept: media from the web are loaded anew each time.</p>
    <p>Start the server with <code>--cache on</code>, or with <code>TONEARM_CACHE=on</code> in its environment, to keep them on the
    server’s disk. They then play without the network. <code>--cache-limit</code> limits their size in megabytes.</p>`;
  return status.count === 0 ? html`<p>Nothing yet. Media from the web are kept here when they are played, up to ${formatSize(status.limit)}. Live stations are not.</p>` : html``;
}

function makeRow({ key, uri }) {
  const row = document.createElement("li");
  row.className = "entry cache-entry";
  // The server replaces a user name and password with stars.
  const address = uri.replace("//***@", "//");
  const name = nameFromUri(uri);
  render(row, html`
    <div class="cache-text" title="${address}"><span class="entry-text one-line">${name}</span>
      <span class="cache-detail note one-line">${address.replace(/^https?:\/\//, "")}</span>
      <span class="cache-ranges" aria-hidden="true"></span><span class="cache-detail cache-state note one-line"></span></div>
    ${iconButton("trash", `Remove ${name} from the kept media`, null, { action: "remove", key })}`);
  return row;
}

function fillRow(row, { size, bytes, complete, inUse, bytesPerSecond, ranges }) {
  const loaded = complete ? `${formatSize(bytes)}, complete`
    : size ? `${formatSize(bytes)} of ${formatSize(size)}, ${Math.floor((100 * bytes) / size)} %` : `${formatSize(bytes)} so far`;
  const speed = inUse && bytesPerSecond > 0 ? `${formatSize(Math.round(bytesPerSecond))}/s` : null;
  setText(row.querySelector(".cache-state"), [loaded, inUse && "in use", speed].filter(Boolean).join(" · "));
  showParts(row.querySelector(".cache-ranges"), size ? ranges : [], ({ start, length }) => [start / size, length / size]);
  const button = row.querySelector("button");
  button.disabled = inUse;
  setAttribute(button, "title", inUse ? "It is in use" : "Remove");
}

define("cache-list", CacheList, { cache: null, shown: batch }, import.meta.url);
