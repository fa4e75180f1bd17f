// SPDX-License-Identifier: Apache-2.0

import { html } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { count } from "../../lib/media.js";
import { formatTime } from "../../lib/time.js";

/** The three ways into the queue; `kind` and `id` are what `items` of the API take. */
function actions(kind, id, name) {
  const data = (action) => html`data-action="${action}" data-kind="${kind}" data-id="${id}"`;
  return html`
    ${kind === "track" ? null : html`<button class="icon-button" ${data("play")} aria-label="Play ${name} now" title="Play now">${icon("play")}</button>`}
    <button class="icon-button" ${data("playNext")} aria-label="Play ${name} next" title="Play next">${icon("playNext")}</button>
    <button class="icon-button" ${data("add")} aria-label="Add ${name} to the queue" title="Add to the queue">${icon("add")}</button>`;
}

/** Above what an album, artist or genre holds: the way back, and all of it at once. */
export function titleRow({ kind, id, title, subtitle }) {
  const data = (action) => html`data-action="${action}" data-kind="${kind}" data-id="${id}"`;
  return html`
    <div class="library-title">
      <button class="icon-button" data-action="back" aria-label="Back" title="Back">${icon("leave")}</button>
      <div class="library-names"><h3>${title}</h3><span>${subtitle ?? ""}</span></div>
      <div class="library-all">
        <button class="text-button" ${data("play")} title="Play all of it now">${icon("play")}Play all</button>
        <button class="text-button" ${data("add")} title="Add all of it to the queue">${icon("add")}Add all</button>
      </div>
    </div>`;
}

function row(kind, { id, name, note, action, symbol, lead }) {
  return html`
    <li class="entry">
      <button class="entry-name" data-action="${action}" data-kind="${kind}" data-id="${id}" ${action === "play" ? html`title="Play ${name} now"` : null}>
        ${lead ? html`<span class="track-number">${lead}</span>` : icon(symbol)}<span class="entry-text">${name}</span><span class="entry-size">${note}</span>
      </button>
      ${actions(kind, id, name)}
    </li>`;
}

export const artistRow = ({ id, name, albums, tracks }) =>
  row("artist", { id, name, action: "open", symbol: "speaker", note: albums ? count(albums, "album") : count(tracks, "track") });

export const genreRow = ({ id, name, tracks }) =>
  row("genre", { id, name, action: "open", symbol: "note", note: count(tracks, "track") });

/** `isNumbered`: within its album. */
export const trackRow = (isNumbered) => ({ id, title, artist, trackNumber, duration }) =>
  row("track", {
    id, name: title, action: "play", symbol: "note", lead: isNumbered ? trackNumber : null,
    note: [isNumbered ? null : artist?.name, duration === null ? null : formatTime(duration)].filter(Boolean).join(" · "),
  });

export function albumTile({ id, title, artist, year, artwork }) {
  const note = [artist?.name ?? "Several artists", year].filter(Boolean).join(" · ");
  return html`
    <li class="album-tile">
      <button class="album-open" data-action="open" data-kind="album" data-id="${id}" aria-label="${title}, ${note}">
        <span class="album-picture">${icon("disc")}${artwork ? html`<img alt="" data-picture="/library/albums/${id}/artwork" hidden>` : null}</span>
        <span class="album-title">${title}</span><span class="album-note">${note}</span>
      </button>
      <div class="album-actions">${actions("album", id, title)}</div>
    </li>`;
}
