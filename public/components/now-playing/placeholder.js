// SPDX-License-Identifier: Apache-2.0

import { html } from "../../lib/component.js";

/** A record and its arm, for items without a picture. */
export function placeholder() {
  return html`
    <svg viewBox="0 0 400 400" aria-hidden="true" focusable="false">
      <g class="record">
        <circle class="record-disc" cx="200" cy="200" r="148"/>
        ${[138, 128, 118, 108, 98, 88, 78, 68].map((radius) => html`<circle class="record-groove" cx="200" cy="200" r="${radius}"/>`)}
        <path class="record-shine" d="M200 200L112 92A140 140 0 0 1 160 66z"/>
        <path class="record-shine" d="M200 200L288 308A140 140 0 0 1 240 334z"/>
        <circle class="record-label" cx="200" cy="200" r="50"/>
        <path class="record-mark" d="M178 178h44M184 188h32M184 222h32"/>
        <circle class="record-hole" cx="200" cy="200" r="6"/>
      </g>
      <g class="arm">
        <circle class="arm-base" cx="346" cy="62" r="26"/>
        <path class="arm-tube" d="M346 62L338 190Q336 214 318 232L296 256"/>
        <path class="arm-head" d="M302 244l12 12-22 26-14-13z"/>
        <circle class="arm-pivot" cx="346" cy="62" r="9"/>
      </g>
    </svg>`;
}
