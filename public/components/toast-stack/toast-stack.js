// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { request } from "../../lib/request.js";

const lifetime = 6000;
const most = 3;

/** Short messages, announced politely; they wait while the pointer or the focus is on them. */
export class ToastStack extends HTMLElement {
  #revision = null;

  connectedCallback() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-live", "polite");
  }

  /** The queue's. An action that belongs to an older one goes away: it would act upon another edit than its toast names. */
  set revision(revision) {
    if (revision === this.#revision) return;
    this.#revision = revision;
    for (const button of this.querySelectorAll(".toast-action[data-revision]")) {
      if (this.#isPast(Number(button.dataset.revision))) button.remove();
    }
  }

  #isPast(revision) {
    return revision !== undefined && this.#revision !== null && revision < this.#revision;
  }

  /** `action` is `{label, name, revision}` of a request, or null; `revision` where it only holds for that one. */
  show({ message, action = null, tone = "info" }) {
    const toast = document.createElement("div");
    toast.className = "toast";
    toast.dataset.tone = tone;
    render(toast, html`
      <span class="toast-text">${message}</span>
      ${action && !this.#isPast(action.revision)
        ? html`<button class="toast-action" ${action.revision === undefined ? null : html`data-revision="${action.revision}"`}>${action.label}</button>`
        : null}
      <button class="icon-button toast-close" aria-label="Dismiss">${icon("remove")}</button>`);
    toast.querySelector(".toast-close").addEventListener("click", () => toast.remove());
    toast.querySelector(".toast-action")?.addEventListener("click", () => {
      request(this, action.name);
      toast.remove();
    });
    this.append(toast);
    while (this.children.length > most) this.firstElementChild.remove();
    const expire = () => {
      if (toast.matches(":hover, :focus-within")) setTimeout(expire, lifetime / 3);
      else toast.remove();
    };
    setTimeout(expire, lifetime);
  }
}

customElements.define("toast-stack", ToastStack);
