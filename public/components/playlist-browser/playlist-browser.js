// SPDX-License-Identifier: Apache-2.0

import { define, html, icon, iconButton, render, setText } from "../../lib/component.js";
import { EntriesView, entryRow, loading } from "../../lib/browsing.js";
import { count, describeItem } from "../../lib/media.js";

/** Saved playlists, and the tracks of one. Field: `playlists` (state/playlists.js). */
class PlaylistBrowser extends EntriesView {
  #shown = null;

  markup() {
    return html`
      <header class="pane-header"><h2 data-ref="heading">Playlists</h2><span class="pane-count note" data-ref="count"></span>
        <div class="pane-actions"><button class="text-button" data-action="open" data-ref="all" hidden>All playlists</button></div></header>
      <form class="playlist-save" data-ref="form"><input name="name" maxlength="100" required placeholder="Name" autocomplete="off" data-ref="name">
        <button class="text-button" data-ref="save">${icon("add")}Save queue</button><button class="text-button" data-ref="rename">Rename</button></form>
      <div class="browser-scroll"><ul class="browser-entries" aria-label="Playlists" data-ref="list"></ul><div class="empty" hidden data-ref="empty"></div>
        <button class="text-button browser-more" data-action="more" hidden>Show more</button></div>`;
  }

  made() {
    super.made();
    this.refs.form.addEventListener("submit", (event) => this.#submit(event));
  }

  focusFilter() {
    this.refs.name.focus();
  }

  draw() {
    const { list = null, lists = null, problem } = this.playlists ?? {};
    const { refs } = this;
    const isOther = list?.id !== this.#shown?.id;
    const leaves = list === null && document.activeElement === refs.all;
    if (list?.name !== this.#shown?.name) refs.name.value = list?.name ?? "";
    this.#shown = list;
    setText(refs.heading, list?.name ?? "Playlists");
    refs.heading.title = list?.name ?? "";
    setText(refs.count, list ? count(list.length, "track") : "");
    refs.all.hidden = !list;
    refs.save.hidden = list !== null;
    refs.rename.hidden = list === null;
    refs.name.ariaLabel = list ? "Name of this playlist" : "Name of the new playlist";
    this.button("more").hidden = !list || list.items.length >= list.length;
    refs.list.setAttribute("aria-label", list ? "Tracks" : "Playlists");
    this.rows.redraw(() => render(refs.list, html`${list ? list.items.map(trackRow(list)) : (lists ?? []).map(listRow)}`), { isOther });
    this.showEmpty(problem ? { symbol: "warning", title: "The playlists cannot be shown", text: problem }
      : list ? (list.length ? null : { symbol: "queue", title: "This playlist is empty" })
        : !lists ? loading : lists.length ? null : { symbol: "queue", title: "No playlists yet", text: "Give the queue a name to keep it." });
    // The focused button is gone.
    if (leaves) this.focusFirst();
  }

  async #submit(event) {
    event.preventDefault();
    const name = this.refs.name.value.trim();
    if (!name) return;
    if (this.#shown) await this.request("renamePlaylist", { id: this.#shown.id, name });
    else await this.#save(name);
    this.playlists.load();
  }

  async #save(name) {
    const input = this.refs.name;
    const lists = this.playlists?.lists ?? [];
    const taken = lists.find((list) => list.name === name);
    if (taken) {
      const free = freeName(name, lists);
      const text = `The tracks of the queue replace its tracks. To keep it, choose Cancel and save as ${free}.`;
      if (!(await this.confirm({ title: `Replace ${name}?`, text, action: "Replace" }))) {
        input.value = free;
        return;
      }
    }
    if (await this.request("savePlaylist", { name, id: taken?.id })) input.value = "";
  }

  async press(action, { id = null, name, index }) {
    if (action === "open") this.playlists.open(id);
    else if (action === "more") this.loadMore(this.playlists);
    else if (action === "add") await this.request("add", { items: [{ playlist: id }] });
    else if (action === "play") await this.request("playPlaylist", { id, index: Number(index ?? 0) });
    else if (await this.confirm({ title: `Remove ${name}?`, text: "This deletes the playlist. The music stays.", action: "Remove" })) {
      await this.request("removePlaylist", { id, name });
      this.playlists.load();
    }
  }
}

/** `Mine 2`, or the next number that no list has. */
function freeName(name, lists) {
  let number = 2;
  while (lists.some((list) => list.name === `${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}

function listRow({ id, name, length }) {
  const values = { id, name };
  return entryRow({
    action: "open", values, symbol: "queue", name, note: count(length, "track"), title: `Open ${name}`,
    tools: html`${iconButton("play", `Play ${name} in place of the queue`, "Play in place of the queue", { action: "play", ...values })}
      ${iconButton("add", `Add ${name} to the queue`, "Add to the queue", { action: "add", ...values })}
      ${iconButton("trash", `Remove the playlist ${name}`, "Remove", { action: "remove", ...values })}`,
  });
}

const trackRow = (list) => (item, index) => {
  const { title, artist } = describeItem(item);
  return entryRow({
    action: "play", values: { id: list.id, index }, lead: index + 1, name: title, note: artist, title: `Play from ${title} on, in place of the queue`,
  });
};

define("playlist-browser", PlaylistBrowser, { playlists: null });
