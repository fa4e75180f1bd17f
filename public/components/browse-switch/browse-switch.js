// SPDX-License-Identifier: Apache-2.0

import { Component, define, html } from "../../lib/component.js";

const views = [["folders", "Folders"], ["library", "Library"], ["playlists", "Playlists"], ["web", "Web"], ["recorder", "Recordings"]];

/** Chooses the view of the music pane. Reports `browse-view`. */
class BrowseSwitch extends Component {
  markup() {
    return html`${views.map(([name, label]) => html`<button role="tab" id="browse-${name}" data-action="${name}">${label}</button>`)}`;
  }

  made() {
    this.setAttribute("role", "tablist");
    this.setAttribute("aria-label", "Music by");
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  draw() {
    this.button("recorder").hidden = !this.hasRecorder;
    for (const tab of this.children) {
      const isChosen = tab.dataset.action === this.view;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
  }

  press(view, _, tab) {
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.report("browse-view", { view });
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...this.children].filter((tab) => !tab.hidden);
    const next = tabs[(tabs.indexOf(event.target.closest("button")) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
    // The arrows seek elsewhere.
    event.preventDefault();
    event.stopPropagation();
  }
}

define("browse-switch", BrowseSwitch, { view: "folders", hasRecorder: false }, import.meta.url);
