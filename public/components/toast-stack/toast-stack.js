// SPDX-License-Identifier: Apache-2.0

import { html, render } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { request } from "../../lib/request.js";

const lifetime = 6000;
const most = 3;

/** Short messages, announced politely; they wait while the pointer or the focus is on them. */
export class ToastStack extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-live", "polite");
  }

  /** `action` is `{label, name}` of a request, or null. */
  show({ message, action = null, tone = "info" }) {
    const toast = document.createElement("div");
    toast.className = "toast";
    toast.dataset.tone = tone;
    render(toast, html`
      <span class="toast-text">${message}</span>
      ${action && html`<button class="toast-action">${action.label}</button>`}
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
