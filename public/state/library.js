// SPDX-License-Identifier: Apache-2.0

import { count } from "../lib/media.js";
import { Newest } from "../lib/newest.js";
import { observe } from "../lib/signal.js";

const pageSize = 200;
const lists = new Set(["artists", "albums", "genres", "tracks"]);

/** The content of the library pane, page by page, and the state of the library. */
export class Library {
  #client;
  #place = { kind: "albums" };
  /** The way back: `{place, content}`, the nearest last. */
  #trail = [];
  /** The library's revision when `content` was read; null before the first read. */
  #revision = null;
  #reads = new Newest();

  constructor(client) {
    this.#client = client;
  }

  start() {
    const before = this.status;
    // An event since then is newer.
    const apply = (status) => {
      if (this.status === before) this.status = status;
    };
    return this.#read(this.#place, this.#client.get("/library").then(apply));
  }

  /** Reloads the current place when the library has changed since it was read; a scan changes it many times, so only at its end. */
  applyStatus(status) {
    this.status = status;
    if (this.#revision !== null && status.revision !== this.#revision && status.state !== "scanning") this.#read(this.#place);
  }

  /** `{kind, id, name, text}`: a list, one entry of it, or a search. */
  open(place) {
    if (place.id === undefined) this.#trail = [];
    else this.#trail.push({ place: this.#place, content: this.content });
    return this.#read(place);
  }

  get depth() {
    return this.content ? this.#trail.length : 0;
  }

  leave(depth) {
    while (this.#trail.length > depth) this.back();
  }

  /** Returns to the previous place as it was. */
  back() {
    const { place, content } = this.#trail.pop() ?? { place: { kind: "albums" }, content: null };
    if (!content) return this.#read(place);
    this.#reads.forget();
    this.#place = place;
    return this.#show(content);
  }

  /** Loads `place`, once `ready` is done. */
  #read(place, ready = null) {
    const load = async () => {
      await ready;
      this.#keep(this.status?.revision ?? null);
      return { ...place, ...(await this.#load(place)) };
    };
    this.#place = place;
    return this.#reads.take(load(), (content) => this.#show(content), ({ message }) => this.#show(null, message));
  }

  /** Drops what was read of an older revision. */
  #keep(revision) {
    if (revision === this.#revision) return;
    this.#revision = revision;
    for (const step of this.#trail) step.content = null;
  }

  #show(content, problem = null) {
    this.content = content;
    this.problem = problem;
  }

  search(text) {
    return this.open(text ? { kind: "search", text } : { kind: "albums" });
  }

  /** Loads the next page. Rejects with the server's problem and keeps the loaded pages. */
  async more() {
    const { content } = this;
    if (!content?.hasMore) return;
    const name = content.list;
    const page = await this.#page(content.path, content[name].length);
    if (content !== this.content) return;
    const all = [...content[name], ...page.items];
    this.content = { ...content, [name]: all, hasMore: all.length < page.length };
  }

  async #load({ kind, id, text, name }) {
    if (lists.has(kind)) return this.#first(kind, `/library/${kind}?`);
    if (kind === "search") return this.#client.get(`/library/search?${new URLSearchParams({ q: text, limit: 50 })}`);
    const key = encodeURIComponent(id);
    if (kind === "genre") return { ...(await this.#first("albums", `/library/albums?genre=${key}&`)), title: name };
    if (kind === "artist") {
      const [artist, albums] = await Promise.all([
        this.#client.get(`/library/artists/${key}`), this.#first("albums", `/library/albums?artist=${key}&sort=year&`)]);
      const { items: tracks } = albums.albums.length ? { items: [] } : await this.#client.get(`/library/tracks?artist=${key}`);
      return { ...albums, tracks, title: artist.name, subtitle: count(artist.tracks, "track") };
    }
    const album = await this.#client.get(`/library/albums/${key}`);
    const facts = [album.artist?.name ?? "Several artists", album.year, count(album.tracks, "track")];
    return { tracks: album.items, title: album.title, artist: album.artist, subtitle: facts.filter(Boolean).join(" · ") };
  }

  async #first(list, path) {
    const page = await this.#page(path, 0);
    return { list, path, [list]: page.items, hasMore: page.items.length < page.length };
  }

  #page(path, offset) {
    return this.#client.get(`${path}${new URLSearchParams({ offset, limit: pageSize })}`);
  }
}

observe(Library, {
  /** `{kind, id, title, artist, subtitle, artists, albums, genres, tracks, hasMore}`; null while it loads or after a problem. */
  content: null,
  problem: null,
  /** The answer of `GET /library`; null without a library. */
  status: null,
});
