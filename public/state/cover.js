// SPDX-License-Identifier: Apache-2.0

import { Pictures, pixelsFor } from "./pictures.js";

/** Milliseconds without resizing before a larger picture is loaded. */
const calm = 300;

/** The current item's picture, in the size of its box. Drops late pictures of an earlier item. */
export class Cover {
  #paths;
  #pictures;
  #show;
  #path = null;
  #pixels;
  #timer = 0;

  /** `edge`: of the box that shows it, in the page's pixels. `show(address)` is called with a blob's address, or null. */
  constructor(client, { paths, edge, show }) {
    this.#paths = paths;
    // The previous picture is shown while the next one loads.
    this.#pictures = new Pictures(client, { limit: 2 });
    this.#pixels = pixelsFor(edge);
    this.#show = show;
  }

  update(item) {
    const own = item && this.#paths.item(item.id, "/artwork");
    // Play on the current item opens it again.
    const path = item?.artwork || (item?.status === "loading" && own === this.#path) ? own : null;
    if (path === this.#path) return;
    this.#path = path;
    this.#load();
  }

  /** Call when the box changes its size. A picture larger than needed stays. */
  resize(edge) {
    const pixels = pixelsFor(edge);
    clearTimeout(this.#timer);
    if (pixels <= this.#pixels) return;
    this.#timer = setTimeout(() => {
      this.#pixels = pixels;
      if (this.#path) this.#load();
    }, calm);
  }

  /** Call when the server has restarted. */
  reset() {
    this.#pictures.clear();
    // Neither a path nor null, so that the next update loads.
    this.#path = undefined;
  }

  async #load() {
    const [path, pixels] = [this.#path, this.#pixels];
    const address = path && (await this.#pictures.get(path, pixels));
    if (path === this.#path && pixels === this.#pixels) this.#show(address);
  }
}
