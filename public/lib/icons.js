// SPDX-License-Identifier: Apache-2.0

import { html, render } from "./html.js";

// Drawn on a 24 x 24 grid, filled with the text's colour unless a path has another.
const line = "icon-line";
const shapes = {
  play: html`<path d="M8 4.6c0-.9 1-1.5 1.8-1L20 10.9a1.3 1.3 0 0 1 0 2.2L9.8 20.4c-.8.5-1.8-.1-1.8-1z"/>`,
  pause: html`<rect x="5.5" y="4" width="4.5" height="16" rx="1.4"/><rect x="14" y="4" width="4.5" height="16" rx="1.4"/>`,
  stop: html`<rect x="5.5" y="5.5" width="13" height="13" rx="2"/>`,
  next: html`<path d="M5 5.7c0-.8.9-1.3 1.6-.8l8.7 6.2a1.1 1.1 0 0 1 0 1.8l-8.7 6.2c-.7.5-1.6 0-1.6-.8z"/><rect x="16.5" y="4.8" width="2.6" height="14.4" rx="1.2"/>`,
  previous: html`<path d="M19 5.7c0-.8-.9-1.3-1.6-.8l-8.7 6.2a1.1 1.1 0 0 0 0 1.8l8.7 6.2c.7.5 1.6 0 1.6-.8z"/><rect x="4.9" y="4.8" width="2.6" height="14.4" rx="1.2"/>`,
  back: html`<path class="${line}" d="M5.2 8.5A8 8 0 1 1 4 12.6M4.6 4v4.8h4.8"/><path class="${line} thin" d="M9 10.5l1.3-.8v5M13 11.2c0-1 .6-1.6 1.4-1.6s1.4.6 1.4 1.6v2c0 1-.6 1.6-1.4 1.6s-1.4-.6-1.4-1.6z"/>`,
  forward: html`<path class="${line}" d="M18.8 8.5A8 8 0 1 0 20 12.6M19.4 4v4.8h-4.8"/><path class="${line} thin" d="M8.3 10.5l1.3-.8v5M12.3 11.2c0-1 .6-1.6 1.4-1.6s1.4.6 1.4 1.6v2c0 1-.6 1.6-1.4 1.6s-1.4-.6-1.4-1.6z"/>`,
  shuffle: html`<path class="${line}" d="M3 7h3.5c1.8 0 3 .9 4 2.4l3 5.2c1 1.5 2.2 2.4 4 2.4H21M3 17h3.5c1.6 0 2.7-.7 3.6-1.9M13.9 8.9C14.8 7.7 15.9 7 17.5 7H21M18.3 4.2L21 7l-2.7 2.8M18.3 14.2L21 17l-2.7 2.8"/>`,
  repeat: html`<path class="${line}" d="M4 11.5V10a3.5 3.5 0 0 1 3.5-3.5H19M16.3 3.7L19 6.5l-2.7 2.8M20 12.5V14a3.5 3.5 0 0 1-3.5 3.5H5M7.7 14.7L5 17.5l2.7 2.8"/>`,
  repeatOne: html`<path class="${line}" d="M4 11.5V10a3.5 3.5 0 0 1 3.5-3.5H19M16.3 3.7L19 6.5l-2.7 2.8M20 12.5V14a3.5 3.5 0 0 1-3.5 3.5H5M7.7 14.7L5 17.5l2.7 2.8M11 11l1.4-.9v4.3"/>`,
  volume: html`<path d="M3.5 9.5h3.3L11 5.9c.6-.5 1.5-.1 1.5.7v10.8c0 .8-.9 1.2-1.5.7l-4.2-3.6H3.5a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1z"/><path class="${line}" d="M15.5 9a4.2 4.2 0 0 1 0 6M18 6.3a8 8 0 0 1 0 11.4"/>`,
  muted: html`<path d="M3.5 9.5h3.3L11 5.9c.6-.5 1.5-.1 1.5.7v10.8c0 .8-.9 1.2-1.5.7l-4.2-3.6H3.5a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1z"/><path class="${line}" d="M16 9.5l5 5M21 9.5l-5 5"/>`,
  settings: html`<path class="${line}" d="M4 7h8.4M17.6 7H20M4 12h2.4M11.6 12H20M4 17h9.4M18.6 17H20"/><circle class="${line}" cx="15" cy="7" r="2.6"/><circle class="${line}" cx="9" cy="12" r="2.6"/><circle class="${line}" cx="16" cy="17" r="2.6"/>`,
  speaker: html`<rect class="${line}" x="6" y="3" width="12" height="18" rx="2.5"/><circle class="${line}" cx="12" cy="14.5" r="3.2"/><circle cx="12" cy="7.2" r="1.2"/>`,
  queue: html`<path class="${line}" d="M4 6h16M4 11h16M4 16h7"/><path d="M15 14.2c0-.5.5-.8.9-.5l4.3 2.8c.4.2.4.8 0 1l-4.3 2.8c-.4.3-.9 0-.9-.5z"/>`,
  folder: html`<path class="${line}" d="M3.5 7a2 2 0 0 1 2-2h3.7l2.3 2.5h7a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z"/>`,
  note: html`<path class="${line}" d="M9.5 17.5V6.2L19 4.3v11.2"/><ellipse cx="7.3" cy="17.6" rx="2.7" ry="2.2"/><ellipse cx="16.8" cy="15.6" rx="2.7" ry="2.2"/>`,
  person: html`<circle class="${line}" cx="12" cy="8" r="4"/><path class="${line}" d="M4.5 20a7.5 7.5 0 0 1 15 0"/>`,
  disc: html`<circle class="${line}" cx="12" cy="12" r="8.7"/><circle class="${line}" cx="12" cy="12" r="2.6"/>`,
  add: html`<path class="${line}" d="M12 5v14M5 12h14"/>`,
  playNext: html`<path class="${line}" d="M4 6h16M4 18h9M4 12h5"/><path d="M13 9.6c0-.5.6-.8 1-.5l4.7 2.5c.4.2.4.7 0 .9L14 15c-.4.3-1 0-1-.5z"/>`,
  remove: html`<path class="${line}" d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>`,
  trash: html`<path class="${line}" d="M4.5 7h15M9.5 7V4.8h5V7M6.5 7l.9 12.2h9.2L17.5 7M10.3 10.5v5.5M13.7 10.5v5.5"/>`,
  undo: html`<path class="${line}" d="M8.5 5L4 9.5 8.5 14M4.5 9.5H14a5.2 5.2 0 0 1 0 10.4h-3"/>`,
  redo: html`<path class="${line}" d="M15.5 5L20 9.5 15.5 14M19.5 9.5H10a5.2 5.2 0 0 0 0 10.4h3"/>`,
  drag: html`<circle cx="9" cy="6.5" r="1.5"/><circle cx="15" cy="6.5" r="1.5"/><circle cx="9" cy="12" r="1.5"/><circle cx="15" cy="12" r="1.5"/><circle cx="9" cy="17.5" r="1.5"/><circle cx="15" cy="17.5" r="1.5"/>`,
  search: html`<circle class="${line}" cx="10.5" cy="10.5" r="6"/><path class="${line}" d="M15 15l5 5"/>`,
  chevron: html`<path class="${line}" d="M9 5.5l6.5 6.5L9 18.5"/>`,
  leave: html`<path class="${line}" d="M15 5.5L8.5 12l6.5 6.5"/>`,
  list: html`<path class="${line}" d="M9 6.5h11M9 12h11M9 17.5h11"/><circle cx="4.8" cy="6.5" r="1.3"/><circle cx="4.8" cy="12" r="1.3"/><circle cx="4.8" cy="17.5" r="1.3"/>`,
  home: html`<path class="${line}" d="M4 11l8-7 8 7M6.5 9.5V19h11V9.5"/>`,
  sun: html`<circle class="${line}" cx="12" cy="12" r="4"/><path class="${line}" d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"/>`,
  moon: html`<path class="${line}" d="M19.5 14.3A8 8 0 0 1 9.7 4.5a8 8 0 1 0 9.8 9.8z"/>`,
  auto: html`<circle class="${line}" cx="12" cy="12" r="8.5"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z"/>`,
  keyboard: html`<rect class="${line}" x="2.5" y="6" width="19" height="12" rx="2.5"/><path class="${line}" d="M6 10h.01M9 10h.01M12 10h.01M15 10h.01M18 10h.01M8 14h8"/>`,
  phone: html`<rect class="${line}" x="6.5" y="2.5" width="11" height="19" rx="2.5"/><path class="${line}" d="M10.5 18.5h3"/><path d="M10.2 8.3c0-.5.6-.8 1-.5l3.6 2.3c.4.2.4.7 0 .9l-3.6 2.3c-.4.3-1 0-1-.5z"/>`,
  microphone: html`<rect class="${line}" x="9" y="3" width="6" height="11" rx="3"/><path class="${line}" d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3M8.5 21h7"/>`,
  download: html`<path class="${line}" d="M12 4v11M7.5 10.8L12 15.3l4.5-4.5M4.5 19.5h15"/>`,
  warning: html`<path class="${line}" d="M12 4L2.8 19.5h18.4zM12 10v4.5M12 17h.01"/>`,
};

/** The named drawing, hidden from screen readers: the control that holds it has the name. */
export function icon(name) {
  const shape = shapes[name];
  if (!shape) throw new RangeError(`no icon ${name}`);
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${shape}</svg>`;
}

/** Draws an icon into the button, unless it has it. */
export function setIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  render(button, icon(name));
}
