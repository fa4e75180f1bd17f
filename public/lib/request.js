// SPDX-License-Identifier: Apache-2.0

/**
 * A component asks for something: a bubbling `request` event that the application answers.
 * The promise gives whether it was done; a refusal has been told to the user by then.
 */
export function request(element, name, data = {}) {
  const detail = { name, data, result: Promise.resolve(false) };
  element.dispatchEvent(new CustomEvent("request", { bubbles: true, composed: true, detail }));
  return detail.result;
}

/** Asks before what cannot be taken back; the promise gives whether it may be done. `{title, text, action}`. */
export function confirm(element, question) {
  const detail = { ...question, result: Promise.resolve(false) };
  element.dispatchEvent(new CustomEvent("confirm", { bubbles: true, composed: true, detail }));
  return detail.result;
}

/** Something for the toast stack. `action` as in `ToastStack.show`. */
export function notify(element, message, { action = null, tone = "info" } = {}) {
  element.dispatchEvent(new CustomEvent("notify", { bubbles: true, composed: true, detail: { message, action, tone } }));
}
