// SPDX-License-Identifier: Apache-2.0

import { Component, define, html, iconButton } from "../../lib/component.js";

/** Switches the music on this device's lock screen. Field: `on`. Reports `lock-screen` with `{on}`, from a press. */
class LockScreenToggle extends Component {
  markup() {
    return html`${iconButton("phone", "Show on lock screen", null, { action: "switch" })}`;
  }

  draw() {
    const button = this.firstElementChild;
    button.setAttribute("aria-pressed", String(this.on));
    button.title = this.on ? "This device's lock screen and media keys control the music" : "Let this device's lock screen and media keys control the music";
  }

  async press(action, data, button) {
    // The browser may take a moment; ignore presses until then.
    button.disabled = true;
    await this.call("lock-screen", { on: !this.on });
    button.disabled = false;
  }
}

define("lock-screen-toggle", LockScreenToggle, { on: false });
