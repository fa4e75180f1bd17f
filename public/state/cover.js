// SPDX-License-Identifier: Apache-2.0

import { Pictures, pixelsFor } from "./pictures.js";

/** Milliseconds for which a window that is being resized must rest. */
const calm = 300;

/** The current item's picture, as large as it is shown. Late pictures of an earlier item are dropped. */
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
    // The one before is still shown while the next one comes.
    this.#pictures = new Pictures(client, { limit: 2 });
    this.#pixels = pixelsFor(edge);
    this.#show = show;
  }

  update(item) {
    const path = item?.artwork ? this.#paths.item(item.id, "/artwork") : null;
    if (path === this.#path) return;
    this.#path = path;
    this.#load();
  }

  /** The box has another size. A larger picture than needed stays. */
  resize(edge) {
    const pixels = pixelsFor(edge);
    clearTimeout(this.#timer);
    if (pixels <= this.#pixels) return;
    this.#timer = setTimeout(() => {
      this.#pixels = pixels;
      if (this.#path) this.#load();
    }, calm);
  }

  /** Another run of the server. */
  reset() {
    this.#pictures.clear();
    // Neither a picture nor none: the next item is looked at in any case.
    this.#path = undefined;
  }

  async #load() {
    const [path, pixels] = [this.#path, this.#pixels];
    const address = path && (await this.#pictures.get(path, pixels));
    if (path === this.#path && pixels === this.#pixels) this.#show(address);
  }
}
