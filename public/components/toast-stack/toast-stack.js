// SPDX-License-Identifier: Apache-2.0

import { Component, data, define, html, iconButton, render, setAttribute } from "../../lib/component.js";

const lifetime = 6000;
const most = 3;

/** Short messages, announced politely. They stay while they have the pointer or the focus. Field: `queue`, of the player, or null. */
class ToastStack extends Component {
  made() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-live", "polite");
    // Lists leave room for the messages.
    new MutationObserver(() => this.#rise()).observe(document.body, { subtree: true, attributeFilter: ["open"] });
    new ResizeObserver(() => document.body.style.setProperty("--toasts", `${this.offsetHeight}px`)).observe(this);
  }

  /** Everything outside an open dialog is inert and beneath it. */
  #rise() {
    const place = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
    if (this.parentElement !== place) place.append(this);
  }

  /** Removes messages of older revisions: their action would undo another edit than the one named. */
  draw() {
    // Without a queue the player is about to change.
    const { revision = Infinity } = this.queue ?? {};
    for (const button of this.querySelectorAll(".toast-action[data-revision]")) {
      if (button.dataset.revision < revision) button.closest(".toast").remove();
    }
  }

  press(action, _, button) {
    if (action !== "close") this.request(action);
    button.closest(".toast").remove();
  }

  /** Removes the refusals of a request that has succeeded since. */
  settle(request) {
    for (const toast of [...this.children]) if (toast.dataset.request === request) toast.remove();
  }

  /** `action` is a command's `{label, name, revision}`, or null. A `revision` limits it to that revision of the queue. */
  show({ message, action = null, tone = "info", request = null }) {
    const toast = document.createElement("div");
    toast.className = "toast";
    toast.dataset.tone = tone;
    setAttribute(toast, "data-request", request);
    const act = action?.revision < (this.queue?.revision ?? 0) ? null : action;
    render(toast, html`<span class="toast-text">${message}</span>
      ${act && html`<button class="toast-action"${data({ action: act.name, revision: act.revision })}>${act.label}</button>`}
      ${iconButton("remove", "Dismiss", null, { action: "close" })}`);
    toast.lastElementChild.classList.add("toast-close");
    // Show a repeated message once. Two edits may have the same text, each with its own action.
    for (const other of action ? [] : [...this.children]) if (other.firstElementChild.textContent === message) other.remove();
    this.append(toast);
    while (this.children.length > most) this.firstElementChild.remove();
    const expire = () => {
      if (toast.matches(":hover, :focus-within")) setTimeout(expire, lifetime / 3);
      else toast.remove();
    };
    setTimeout(expire, lifetime);
  }
}

define("toast-stack", ToastStack, { queue: null }, import.meta.url);
