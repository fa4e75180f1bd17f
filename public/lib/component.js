// SPDX-License-Identifier: Apache-2.0

import { html, render } from "./html.js";
import { effect, observe } from "./signal.js";

export * from "./controls.js";
export * from "./html.js";
export * from "./icons.js";
export * from "./signal.js";

const declared = [];

/**
 * An element of the page. A subclass gives `markup()`, drawn once, whose parts with `data-ref` are in `refs`; `made()`, called after
 * that; `draw()`, which runs again when an observed field that it read has changed; and `press(action, data, button)` for clicks on
 * buttons with `data-action`. Data and state objects come in through fields; requests leave as events.
 */
export class Component extends HTMLElement {
  refs = null;

  connectedCallback() {
    if (this.refs) return;
    this.refs = {};
    render(this, this.markup?.() ?? html``);
    for (const part of this.querySelectorAll("[data-ref]")) if (ownerOf(part) === this) this.refs[part.dataset.ref] = part;
    if (this.press) this.addEventListener("click", ({ target }) => this.#clicked(target.closest("[data-action]")));
    this.made?.();
    if (this.draw) effect(() => this.draw());
  }

  #clicked(button) {
    if (button && ownerOf(button) === this) this.press(button.dataset.action, button.dataset, button);
  }

  /** The button of an action. */
  button(action) {
    return this.querySelector(`[data-action=${action}]`);
  }

  /** Reports an event to the application. */
  report(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }

  /** Sends a command (`state/commands.js`). Resolves to true if it was carried out; otherwise the user has seen the refusal. */
  request(name, data = {}) {
    return this.call("request", { name, data });
  }

  /** Asks before an irreversible action, `{title, text, action}`. Resolves to true if the user agrees. */
  confirm(question) {
    return this.call("confirm", question);
  }

  /** Reports an event that the application answers with a promise. */
  call(name, question) {
    const detail = { ...question, result: Promise.resolve(false) };
    this.report(name, detail);
    return detail.result;
  }
}

/** The innermost component around `part`: components can be nested. */
function ownerOf(part) {
  let owner = part.parentElement;
  while (owner && !(owner instanceof Component)) owner = owner.parentElement;
  return owner;
}

/** Declares an element and its observed fields, `{name: first value}`; with the address of its module, also the style beside it. */
export function define(name, type, fields = {}, module = null) {
  observe(type, fields);
  declared.push({ name, type, style: module && loadStyle(module.replace(/\.js$/, ".css")) });
}

/** Defines all declared elements once their styles have loaded, so that nothing moves while the page loads. */
export async function defineAll() {
  await Promise.all(declared.map(({ style }) => style));
  for (const { name, type } of declared.splice(0)) customElements.define(name, type);
}

/** Inserts a style before the layout's, which comes last. A style that fails to load does not block the page. */
function loadStyle(href) {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  document.querySelector("link[href='/styles/layout.css']").before(link);
  return new Promise((resolve) => (link.onload = link.onerror = resolve));
}
