// SPDX-License-Identifier: Apache-2.0

/** An input that shows the server's value, except while it is held or a change is in flight. */
export class BoundInput {
  #input;
  #show;
  #isHeld = false;
  #requests = 0;

  /** `show()` shows the server's value. `send(value)` gives a promise; the value is a boolean, a number or a text. */
  constructor(input, { show, send }) {
    this.#input = input;
    this.#show = show;
    input.addEventListener("input", () => this.#changed(send));
    if (input.type !== "range") return;
    input.addEventListener("pointerdown", () => (this.#isHeld = true));
    for (const name of ["change", "pointerup", "pointercancel", "blur"]) input.addEventListener(name, () => this.#released());
  }

  /** Whether the input shows the user's value rather than the server's. */
  get isBusy() {
    return this.#isHeld || this.#requests > 0;
  }

  get #value() {
    const { type, checked, value } = this.#input;
    return type === "checkbox" ? checked : type === "range" ? Number(value) : value;
  }

  async #changed(send) {
    this.#requests += 1;
    await send(this.#value);
    this.#requests -= 1;
    this.#show();
  }

  #released() {
    this.#isHeld = false;
    this.#show();
  }
}
