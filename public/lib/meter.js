// SPDX-License-Identifier: Apache-2.0

import { html, render } from "./component.js";

/** Decibels that a bar shows. */
const span = 60;

/** Shows the channels of a level event in a `.level-meter`: `{average, peak}` in dB each. */
export function showLevels(meter, channels) {
  const decibels = Math.round(channels.length ? Math.max(...channels.map(({ peak }) => peak)) : -160);
  meter.setAttribute("aria-valuenow", String(decibels));
  meter.setAttribute("aria-valuetext", `${decibels} dB`);
  if (meter.children.length !== channels.length) render(meter, html`${channels.map(() => html`<i><b></b></i>`)}`);
  channels.forEach((levels, index) => {
    for (const name of ["average", "peak"]) meter.children[index].style.setProperty(`--${name}`, String(Math.max(0, 1 + levels[name] / span)));
  });
}
