// SPDX-License-Identifier: Apache-2.0

/** Requests of which only the newest counts: a late answer or failure of an earlier one is dropped. */
export class Newest {
  #current = null;

  /** Resolves to the result of `use(answer)` or `fail(problem)`; to undefined if another request has overtaken this one. */
  take(asked, use, fail = () => {}) {
    this.#current = asked;
    const unlessOvertaken = (act) => (result) => asked === this.#current ? act(result) : undefined;
    return asked.then(unlessOvertaken(use), unlessOvertaken(fail));
  }

  /** Drops the request that is on its way. */
  forget() {
    this.#current = null;
  }
}
