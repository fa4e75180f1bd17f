// SPDX-License-Identifier: Apache-2.0

/**
 * A range input that shows the server's value, except while it is held or a change is in flight.
 */
export class Slider {
  #input;
  #show;
  #isHeld = false;
  #requests = 0;

  /** `show()` shows the server's value. `send(value)` gives a promise. */
  constructor(input, { show, send }) {
    this.#input = input;
    this.#show = show;
    input.addEventListener("input", () => this.#moved(send));
    input.addEventListener("pointerdown", () => (this.#isHeld = true));
    for (const name of ["change", "pointerup", "pointercancel", "blur"]) input.addEventListener(name, () => this.#released());
  }

  /** Whether the input shows the user's value rather than the server's. */
  get isBusy() {
    return this.#isHeld || this.#requests > 0;
  }

  async #moved(send) {
    this.#requests += 1;
    await send(Number(this.#input.value));
    this.#requests -= 1;
    this.#show();
  }

  #released() {
    this.#isHeld = false;
    this.#show();
  }
}
