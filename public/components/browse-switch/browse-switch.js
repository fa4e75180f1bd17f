// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";

const views = [["folders", "Folders"], ["library", "Library"], ["playlists", "Playlists"], ["web", "Web"], ["recorder", "Recordings"]];

/** Chooses what the music pane shows. Properties: `view`, `hasRecorder`. Reports `browse-view`. */
export class BrowseSwitch extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "tablist");
    this.setAttribute("aria-label", "Music by");
    render(this, html`${views.map(([name, label]) => html`<button role="tab" id="browse-${name}" data-view="${name}">${label}</button>`)}`);
    this.addEventListener("click", (event) => this.#choose(event.target.closest("button")));
    this.addEventListener("keydown", (event) => this.#key(event));
    this.view = "folders";
    this.hasRecorder = false;
  }

  set hasRecorder(hasRecorder) {
    this.querySelector("#browse-recorder").hidden = !hasRecorder;
  }

  set view(view) {
    for (const tab of this.children) {
      const isChosen = tab.dataset.view === view;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
  }

  #choose(tab) {
    if (!tab) return;
    this.view = tab.dataset.view;
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.dispatchEvent(new CustomEvent("browse-view", { bubbles: true, detail: { view: tab.dataset.view } }));
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...this.children].filter((tab) => !tab.hidden);
    const next = tabs[(tabs.indexOf(event.target.closest("button")) + step + tabs.length) % tabs.length];
    next.focus();
    this.#choose(next);
    // The arrows seek elsewhere.
    event.preventDefault();
    event.stopPropagation();
  }
}

customElements.define("browse-switch", BrowseSwitch);
