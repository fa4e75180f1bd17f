// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, setAttribute, setIcon } from "../../lib/component.js";

const key = "tonearm.theme";
const themes = {
  auto: { next: "light", drawing: "auto", words: "Theme: as the system" },
  light: { next: "dark", drawing: "sun", words: "Theme: light" },
  dark: { next: "auto", drawing: "moon", words: "Theme: dark" },
};

/** Light, dark, or as the system; `theme.js` applies the choice before the first paint. */
class ThemeToggle extends Component {
  markup() {
    return html`<button class="icon-button" data-action="next"></button>`;
  }

  get #theme() {
    const saved = localStorage.getItem(key);
    return saved in themes ? saved : "auto";
  }

  draw() {
    const theme = this.#theme;
    const button = this.firstElementChild;
    document.documentElement.dataset.theme = theme;
    setIcon(button, themes[theme].drawing);
    for (const name of ["aria-label", "title"]) setAttribute(button, name, themes[theme].words);
  }

  press() {
    const { next } = themes[this.#theme];
    if (next === "auto") localStorage.removeItem(key);
    else localStorage.setItem(key, next);
    this.draw();
  }
}

define("theme-toggle", ThemeToggle);
