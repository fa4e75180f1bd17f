// SPDX-License-Identifier: Apache-2.0

/** An input, or the inputs within an element, that show the server's state, except while one is held or a change is in flight. */
export class BoundInput {
  #show;
  #isHeld = false;
  #requests = 0;

  /** `show()` shows the server's state. `send(value, input)` gives a promise; the value is a boolean, a number or a text. */
  constructor(input, { show, send }) {
    this.#show = show;
    input.addEventListener("input", ({ target }) => this.#changed(send, target));
    if (input.type !== "range") return;
    input.addEventListener("pointerdown", () => (this.#isHeld = true));
    for (const name of ["change", "pointerup", "pointercancel", "blur"]) input.addEventListener(name, () => this.#released());
  }

  /** Whether the input shows the user's value rather than the server's. */
  get isBusy() {
    return this.#isHeld || this.#requests > 0;
  }

  async #changed(send, input) {
    const { type, checked, value } = input;
    this.#requests += 1;
    await send(type === "checkbox" ? checked : type === "range" ? Number(value) : value, input);
    this.#requests -= 1;
    this.#show();
  }

  #released() {
    this.#isHeld = false;
    this.#show();
  }
}
