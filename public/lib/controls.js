// SPDX-License-Identifier: Apache-2.0

import { html, render } from "./html.js";
import { icon } from "./icons.js";

/** `data-` attributes; null and undefined are left out. */
export function data(values) {
  return html`${Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => html` data-${name}="${value}"`)}`;
}

/** A button that is a drawing. `values` are its `data-` attributes, `more` further ones. */
export const iconButton = (drawing, label, title, values = {}, more = null) =>
  html`<button type="button" class="icon-button"${data(values)} aria-label="${label}"${title ? html` title="${title}"` : null} ${more}>${icon(drawing)}</button>`;

/** A button with words behind its drawing. */
export const textButton = (drawing, words, values = {}, more = null) =>
  html`<button type="button" class="text-button"${data(values)} ${more}>${icon(drawing)}<span>${words}</span></button>`;

/** The elements of a `select`: `[value, words]` each. `isOff(value)` disables one. */
export const choices = (entries, isOff = () => false) =>
  html`${entries.map(([value, words]) => html`<option value="${value}" ${isOff(value) ? html`disabled` : null}>${words}</option>`)}`;

const drawn = new WeakMap();

/** Draws the elements of a `select` and chooses one. Elements that are the same stay: the list may be open. */
export function setChoices(select, entries, value, isOff) {
  const markup = choices(entries, isOff);
  if (drawn.get(select) !== markup.text) render(select, markup);
  drawn.set(select, markup.text);
  select.value = value;
}
