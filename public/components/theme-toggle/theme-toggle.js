// SPDX-License-Identifier: Apache-2.0

import { html, render, setAttribute } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";

const key = "tonearm.theme";
const order = { auto: "light", light: "dark", dark: "auto" };
const icons = { auto: "auto", light: "sun", dark: "moon" };
const words = { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" };

/** Light, dark, or as the system has it; `theme.js` applies the choice before the first paint. */
export class ThemeToggle extends HTMLElement {
  connectedCallback() {
    render(this, html`<button class="icon-button"></button>`);
    this.button = this.querySelector("button");
    this.button.addEventListener("click", () => {
      const theme = order[this.#theme];
      if (theme === "auto") localStorage.removeItem(key);
      else localStorage.setItem(key, theme);
      this.#show();
    });
    this.#show();
  }

  get #theme() {
    const saved = localStorage.getItem(key);
    return saved in order ? saved : "auto";
  }

  #show() {
    const theme = this.#theme;
    document.documentElement.dataset.theme = theme;
    render(this.button, icon(icons[theme]));
    setAttribute(this.button, "aria-label", words[theme]);
    setAttribute(this.button, "title", words[theme]);
  }
}

customElements.define("theme-toggle", ThemeToggle);
