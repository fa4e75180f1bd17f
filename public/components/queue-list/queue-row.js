// SPDX-License-Identifier: Apache-2.0

import { html, icon, render, setAttribute, setText } from "../../lib/component.js";
import { describeItem, placeOf, stationOf } from "../../lib/media.js";
import { formatTime } from "../../lib/time.js";

/** Pixels, the same for every row: a position in the list is a multiplication. */
export const rowHeight = 60;

export function makeRow(index) {
  const row = document.createElement("div");
  row.className = "queue-row";
  row.setAttribute("role", "row");
  row.dataset.index = index;
  row.setAttribute("aria-rowindex", index + 1);
  row.style.transform = `translateY(${index * rowHeight}px)`;
  render(row, html`
    <span class="row-handle" role="gridcell" aria-label="Drag to reorder" title="Drag to reorder (Alt+Up, Alt+Down)">${icon("drag")}</span>
    <span role="gridcell"><button class="row-play" data-action="playRow" tabindex="-1"><span class="row-number">${index + 1}</span>${icon("play")}<span class="row-warning" aria-hidden="true">${icon("warning")}</span><span class="row-bars" aria-hidden="true"><i></i><i></i><i></i></span></button></span>
    <span class="row-text" role="gridcell"><span class="row-title one-line"></span><span class="row-detail note one-line"></span></span>
    <span class="row-duration note" role="gridcell"></span>
    <span role="gridcell"><button class="icon-button row-remove" data-action="removeRow" tabindex="-1">${icon("remove")}</button></span>`);
  return row;
}

/** Shows `item` (undefined while it loads) in its row. */
export function fillRow(row, item, { isCurrent, isSounding, isSelected, isCursor, failure }) {
  // A station is listed by its name; the current song is a detail.
  const { title, artist, album } = item?.live ? { title: stationOf(item), artist: item.live.title } : describeItem(item);
  setText(row.querySelector(".row-title"), item ? title : "");
  setAttribute(row.querySelector(".row-text"), "title", item ? [title, artist, album, failure].filter(Boolean).join("\n") : null);
  const detail = item ? [artist, album].filter(Boolean).join(" – ") || placeOf(item.uri) : "";
  setText(row.querySelector(".row-detail"), failure ?? detail);
  const duration = item?.duration;
  setText(row.querySelector(".row-duration"), typeof duration === "number" ? formatTime(duration) : "");
  row.dataset.id = item?.id ?? "";
  row.tabIndex = isCursor ? 0 : -1;
  row.classList.toggle("pending", !item);
  row.classList.toggle("current", isCurrent);
  row.classList.toggle("failed", failure !== undefined);
  row.classList.toggle("row-sounding", isCurrent && isSounding);
  setAttribute(row, "aria-selected", String(isSelected));
  setAttribute(row, "aria-current", isCurrent ? "true" : null);
  setAttribute(row.querySelector(".row-play"), "aria-label", `Play ${title}`);
  setAttribute(row.querySelector(".row-remove"), "aria-label", `Remove ${title}`);
}
