// SPDX-License-Identifier: Apache-2.0

import { lineAt, untilNext } from "../lib/lyrics.js";
import { effect, observe } from "../lib/signal.js";

const side = 512;

/**
 * Lock screens show no lyrics, but a picture: the cover with the current line on it, drawn anew for each line.
 * Without timed lyrics, `show` gets the cover itself.
 */
export class LyricCover {
  #timer = 0;
  #shown = null;
  #address = null;
  #fetched = null;

  /** `{load, show}`: `load(item)` gives `{lines}` or null; `show(address)` gets the picture for the lock screen, or null. */
  constructor(parts) {
    Object.assign(this, parts);
    effect(() => this.#fetch());
    effect(() => this.#draw());
  }

  /** Nothing is fetched or drawn while it is off. */
  async #fetch() {
    const item = this.isOn ? this.item : null;
    if (item?.id === this.#fetched?.id && item?.lyrics === this.#fetched?.lyrics) return;
    this.#fetched = item;
    this.lines = [];
    const lyrics = item && (await this.load(item));
    // A late answer for an earlier item.
    if (item === this.#fetched) this.lines = (lyrics?.lines ?? []).filter(({ time }) => Number.isFinite(time));
  }

  async #draw() {
    clearTimeout(this.#timer);
    if (!this.isOn) return;
    const position = this.time?.at(performance.now()) ?? 0;
    const index = lineAt(this.lines, position);
    const wait = untilNext(this.lines, index, this.time, performance.now());
    if (wait !== null) this.#timer = setTimeout(() => this.#draw(), wait);
    const text = this.lines[index]?.text ?? "";
    const key = `${this.item?.id} ${this.cover} ${text ? index : ""}`;
    if (key === this.#shown) return;
    this.#shown = key;
    const address = text ? await paint(this.cover, text) : null;
    // Overtaken by the next line.
    if (key !== this.#shown) return void (address && URL.revokeObjectURL(address));
    const previous = this.#address;
    this.#address = address;
    this.show(address ?? this.cover);
    // The browser may still be loading it.
    if (previous) setTimeout(() => URL.revokeObjectURL(previous), 10_000);
  }
}

observe(LyricCover, {
  isOn: false,
  item: null,
  /** The cover's address, or null. */
  cover: null,
  /** A `PlayerTime`. */
  time: null,
  lines: [],
});

/** The cover with the text over its lower part, as an address; null when the browser cannot draw it. */
async function paint(cover, text) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d");
  context.fillStyle = "#211e19";
  context.fillRect(0, 0, side, side);
  const picture = cover && (await picturesOf(cover));
  if (picture) {
    const scale = Math.max(side / picture.width, side / picture.height);
    const [width, height] = [picture.width * scale, picture.height * scale];
    context.drawImage(picture, (side - width) / 2, (side - height) / 2, width, height);
  }
  const rows = wrap(context, text, side - 48);
  const height = 48 * rows.length + 32;
  context.fillStyle = "rgb(0 0 0 / 65%)";
  context.fillRect(0, side - height, side, height);
  context.fillStyle = "#fff";
  context.textAlign = "center";
  rows.forEach((row, index) => context.fillText(row, side / 2, side - height + 56 + 48 * index));
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
  return blob && URL.createObjectURL(blob);
}

async function picturesOf(address) {
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
    return image;
  } catch {
    // Draw the words without a picture.
    return null;
  }
}

/** At most three rows; sets the font. */
function wrap(context, text, width) {
  context.font = "600 36px system-ui, sans-serif";
  const rows = [""];
  for (const word of text.split(/\s+/)) {
    const longer = `${rows.at(-1)} ${word}`.trim();
    if (rows.at(-1) === "" || context.measureText(longer).width <= width) rows[rows.length - 1] = longer;
    else if (rows.length < 3) rows.push(word);
    else {
      rows[2] = `${rows[2]} …`;
      break;
    }
  }
  return rows;
}
