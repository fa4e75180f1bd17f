// SPDX-License-Identifier: Apache-2.0

import { data, html, icon, iconButton, textButton } from "../../lib/component.js";
import { entryRow, placingButtons } from "../../lib/browsing.js";
import { count } from "../../lib/media.js";
import { formatTime } from "../../lib/time.js";

/** The head of an album, artist or genre: the way back, and buttons for all of it. */
export function titleRow({ kind, id, title, subtitle }) {
  return html`
    <div class="library-title">
      ${iconButton("leave", "Back", "Back", { action: "back" })}
      <div class="library-names"><h3>${title}</h3><span>${subtitle ?? ""}</span></div>
      <div class="library-all">
        ${textButton("play", "Play all", { action: "play", kind, id }, html`title="Play all of it now"`)}
        ${textButton("add", "Add all", { action: "add", kind, id }, html`title="Add all of it to the queue"`)}
      </div>
    </div>`;
}

/** `kind` and `id` are members of `items` of the API. */
const row = (kind, id, entry) => entryRow({
  action: "open", values: { kind, id }, ...entry,
  tools: placingButtons(kind === "track" ? ["playNext", "add"] : ["play", "playNext", "add"], entry.name, { kind, id }),
});

export const artistRow = ({ id, name, albums, tracks }) =>
  row("artist", id, { name, symbol: "person", note: albums ? count(albums, "album") : count(tracks, "track") });

export const genreRow = ({ id, name, tracks }) => row("genre", id, { name, symbol: "note", note: count(tracks, "track") });

/** `isNumbered`: within its album. `hasDiscs`: the album has several. `albumArtist`: of its tracks, unless they have others. */
export const trackRow = (isNumbered, hasDiscs, albumArtist = null) => ({ id, title, artist, album, discNumber, trackNumber, duration }) => row("track", id, {
  name: title, action: "play", symbol: "note", lead: !isNumbered ? null : hasDiscs && trackNumber ? `${discNumber ?? 1}-${trackNumber}` : trackNumber,
  // The album distinguishes tracks of the same name.
  title: `Play ${title}${album && !isNumbered ? ` from ${album.name}` : ""} now`,
  about: artist?.id === albumArtist?.id ? null : artist?.name,
  note: duration === null ? "" : formatTime(duration),
});

export function albumTile({ id, title, artist, year, artwork }) {
  const note = [artist?.name ?? "Several artists", year].filter(Boolean).join(" · ");
  const values = { kind: "album", id };
  return html`
    <li class="album-tile">
      <button class="album-open"${data({ ...values, action: "open" })} aria-label="${title}, ${note}">
        <span class="album-picture">${icon("disc")}${artwork ? html`<img alt="" data-picture="/library/albums/${id}/artwork" hidden>` : null}</span>
        <span class="album-title one-line">${title}</span><span class="album-note note one-line">${note}</span>
      </button>
      <div class="album-actions">${placingButtons(["play", "playNext", "add"], title, values)}</div>
    </li>`;
}
