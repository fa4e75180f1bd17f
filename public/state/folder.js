// SPDX-License-Identifier: Apache-2.0

const pageSize = 500;

/** The folder that the music pane shows, page by page. Dispatches `change`. */
export class Folder extends EventTarget {
  /** `{path, parent, length, entries}`; null while it loads or after a problem. */
  content = null;
  problem = null;
  #client;
  #generation = 0;

  constructor(client) {
    super();
    this.#client = client;
  }

  async open(path) {
    const generation = ++this.#generation;
    try {
      const content = await this.#page(path, 0);
      if (generation !== this.#generation) return;
      this.content = content;
      this.problem = null;
    } catch (problem) {
      if (generation !== this.#generation) return;
      this.content = null;
      this.problem = problem.message;
    }
    this.dispatchEvent(new Event("change"));
  }

  /** The next page; a problem leaves what is there, and asking again tries again. */
  async more() {
    const { content } = this;
    const generation = this.#generation;
    if (!content || content.entries.length >= content.length) return;
    try {
      const page = await this.#page(content.path, content.entries.length);
      if (generation !== this.#generation || content !== this.content) return;
      this.content = { ...content, length: page.length, entries: [...content.entries, ...page.entries] };
    } catch (problem) {
      this.problem = problem.message;
    }
    this.dispatchEvent(new Event("change"));
  }

  #page(path, offset) {
    return this.#client.get(`/browse?${new URLSearchParams({ path, offset, limit: pageSize })}`);
  }
}
