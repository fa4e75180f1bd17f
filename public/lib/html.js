// SPDX-License-Identifier: Apache-2.0

/** Text that is already markup. Only `html` makes it, so that nothing unescaped gets in. */
class Markup {
  constructor(text) {
    this.text = text;
  }
}

const replacements = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escape(value) {
  return String(value).replace(/[&<>"']/g, (character) => replacements[character]);
}

function piece(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(piece).join("");
  if (value === null || value === undefined || value === false || value === true) return "";
  return escape(value);
}

/** Template tag: values are escaped, nested `html` is not, arrays are joined, null and booleans vanish. */
export function html(strings, ...values) {
  let text = strings[0];
  values.forEach((value, index) => {
    text += piece(value) + strings[index + 1];
  });
  return new Markup(text);
}

// With Trusted Types, the page's policy allows no other way from text to markup.
const policy = globalThis.trustedTypes?.createPolicy("tonearm", { createHTML: (text) => text });

/** Replaces the element's content. Takes nothing but the result of `html`. */
export function render(element, markup) {
  if (!(markup instanceof Markup)) throw new TypeError("render takes the result of html``");
  element.innerHTML = policy ? policy.createHTML(markup.text) : markup.text;
}

/** Sets text only when it differs: an unchanged live region must not be announced again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/** Shows the picture at an address; null hides the image. */
export function setPicture(image, address) {
  image.hidden = !address;
  if (image.getAttribute("src") !== address) setAttribute(image, "src", address);
}

/** Bars over parts of a whole; `place(part)` gives start and length, of 1. */
export function showParts(holder, parts, place) {
  while (holder.children.length > parts.length) holder.lastChild.remove();
  while (holder.children.length < parts.length) holder.append(document.createElement("i"));
  parts.forEach((part, index) => {
    const [start, length] = place(part);
    holder.children[index].style.left = `${100 * start}%`;
    holder.children[index].style.width = `${Math.min(100, 100 * length)}%`;
  });
}
