// SPDX-License-Identifier: Apache-2.0

import { html, render, setAttribute, setText } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { count, formatSize, nameFromUri } from "../../lib/media.js";
import { confirm, request } from "../../lib/request.js";
import { Rows } from "../../lib/rows.js";

const batch = 100;
const entries = (number) => count(number, "address").replace("addresss", "addresses");

/** What is kept of media from the web. Property: `cache` (a `Cache`). Reports `cache-changed`. */
export class CacheList extends HTMLElement {
  #cache = null;
  #shown = batch;
  #rows = new Map();

  connectedCallback() {
    render(this, html`
      <header class="pane-header"><h3>Kept on the server</h3>
        <fieldset class="needs-control"><button class="text-button" data-action="clear" hidden>${icon("trash")}Clear</button></fieldset>
      </header>
      <div class="cache-meter" role="meter" aria-label="Space used" aria-valuemin="0" hidden><i></i></div>
      <p class="cache-summary"></p>
      <p class="cache-problem" role="status"></p>
      <div class="browser-scroll">
        <fieldset class="needs-control"><ul class="browser-entries" aria-label="Kept from the web"></ul></fieldset>
        <div class="cache-note"></div>
        <button class="text-button browser-more" data-action="more" hidden>Show more</button>
      </div>`);
    this.list = this.querySelector("ul");
    this.rows = new Rows(this.list);
    this.addEventListener("click", ({ target }) => this.#clicked(target.closest("button[data-action]")));
  }

  set cache(cache) {
    this.#cache = cache;
    this.#draw();
  }

  #draw() {
    const { status, problem } = this.#cache;
    const isOn = status?.enabled === true;
    this.querySelector("[data-action=clear]").hidden = !isOn || status.count === 0;
    this.#drawMeter(isOn ? status : null);
    setText(this.querySelector(".cache-summary"), isOn && status.count
      ? `${entries(status.count)}, ${formatSize(status.bytes)} of ${formatSize(status.limit)}` : "");
    setText(this.querySelector(".cache-problem"), status?.problem ? `No more is kept: ${status.problem}` : "");
    this.rows.redraw(() => this.#drawRows(isOn ? status.entries : []));
    const note = problem ? html`<p>It cannot be shown: ${problem}</p>`
      : !status ? html`<p>Loading…</p>`
        : !isOn ? html`<p>Nothing is kept: what comes from the web is loaded anew each time.</p>
          <p>Start the server with <code>--cache on</code>, or with <code>TONEARM_CACHE=on</code> in its environment, to keep it on the
          server’s disk. It then plays again without the network; <code>--cache-limit</code> says how many megabytes it may take.</p>`
          : status.count === 0 ? html`<p>Nothing yet. What is played from the web is kept here, up to ${formatSize(status.limit)}. Live stations are not.</p>` : html``;
    if (note.text !== this.note) render(this.querySelector(".cache-note"), note);
    this.note = note.text;
  }

  #drawMeter(status) {
    const meter = this.querySelector(".cache-meter");
    meter.hidden = status === null;
    if (!status) return;
    setAttribute(meter, "aria-valuemax", status.limit);
    setAttribute(meter, "aria-valuenow", status.bytes);
    setAttribute(meter, "aria-valuetext", `${formatSize(status.bytes)} of ${formatSize(status.limit)}`);
    meter.firstElementChild.style.width = `${Math.min(100, (100 * status.bytes) / Math.max(1, status.limit))}%`;
  }

  /** Rows stay what they are while they change, ten times a second at most: the focus and the pointer may be on one. */
  #drawRows(all) {
    const shown = all.slice(0, this.#shown);
    const keys = new Set(shown.map(({ key }) => key));
    for (const [key, row] of this.#rows) {
      if (keys.has(key)) continue;
      row.remove();
      this.#rows.delete(key);
    }
    shown.forEach((entry, index) => {
      let row = this.#rows.get(entry.key);
      if (!row) this.#rows.set(entry.key, (row = makeRow(entry)));
      if (this.list.children[index] !== row) this.list.insertBefore(row, this.list.children[index] ?? null);
      fillRow(row, entry);
    });
    this.querySelector("[data-action=more]").hidden = all.length <= this.#shown;
  }

  async #clicked(button) {
    const { action, key } = button?.dataset ?? {};
    if (action === "more") {
      this.#shown += batch;
      this.#draw();
    } else if (action === "remove") {
      await request(this, "removeCached", { key });
      this.#changed();
    } else if (action === "clear" && await this.#mayClear()) {
      await request(this, "clearCache");
      this.#changed();
    }
  }

  #mayClear() {
    const { count: number, bytes } = this.#cache.status;
    return confirm(this, {
      title: "Clear what is kept?", action: "Clear",
      text: `${entries(number)}, ${formatSize(bytes)}. What is playing stays; the rest is loaded from the web again when it is played.`,
    });
  }

  #changed() {
    this.dispatchEvent(new CustomEvent("cache-changed", { bubbles: true }));
  }
}

function makeRow({ key, uri }) {
  const row = document.createElement("li");
  row.className = "entry cache-entry";
  // The server's stars stand for a name and a password that nobody needs to see.
  const address = uri.replace("//***@", "//");
  const name = nameFromUri(uri);
  render(row, html`
    <div class="cache-text" title="${address}"><span class="entry-text">${name}</span>
      <span class="cache-detail">${address.replace(/^https?:\/\//, "")}</span>
      <span class="cache-ranges" aria-hidden="true"></span><span class="cache-detail cache-state"></span></div>
    <button class="icon-button" data-action="remove" data-key="${key}" aria-label="Remove ${name} from what is kept">${icon("trash")}</button>`);
  return row;
}

function fillRow(row, { size, bytes, complete, inUse, bytesPerSecond, ranges }) {
  const loaded = complete ? `${formatSize(bytes)}, complete`
    : size ? `${formatSize(bytes)} of ${formatSize(size)}, ${Math.floor((100 * bytes) / size)} %` : `${formatSize(bytes)} so far`;
  const speed = inUse && bytesPerSecond > 0 ? `${formatSize(Math.round(bytesPerSecond))}/s` : null;
  setText(row.querySelector(".cache-state"), [loaded, inUse && "in use", speed].filter(Boolean).join(" · "));
  const bar = row.querySelector(".cache-ranges");
  const parts = size ? ranges : [];
  while (bar.children.length > parts.length) bar.lastChild.remove();
  while (bar.children.length < parts.length) bar.append(document.createElement("i"));
  parts.forEach(({ start, length }, index) => {
    bar.children[index].style.left = `${(100 * start) / size}%`;
    bar.children[index].style.width = `${Math.min(100, (100 * length) / size)}%`;
  });
  const button = row.querySelector("button");
  button.disabled = inUse;
  setAttribute(button, "title", inUse ? "It is in use" : "Remove");
}

customElements.define("cache-list", CacheList);
