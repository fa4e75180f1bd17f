// SPDX-License-Identifier: Apache-2.0

/** The root of the API. */
export const root = "/api/v1";

/** The id of the player that always exists and has the short paths. */
export const main = "main";

/** The paths of one player: of itself, its queue, playlists, outputs, timers and effects. */
export class PlayerPaths {
  #player;

  /** `player()` gives the player's id, at each request. */
  constructor(player) {
    this.#player = player;
  }

  /** The event channel, as an address. */
  get events() {
    return `${root}${this.#own("/events")}`;
  }

  player(rest = "") {
    return this.#player() === main ? `/player${rest}` : this.#own(rest);
  }

  queue(rest = "") {
    return this.#own(`/queue${rest}`);
  }

  outputs(rest = "") {
    return this.#own(`/outputs${rest}`);
  }

  /** All players share the playlists; saving the queue saves this player's. */
  playlists(rest = "") {
    return this.#own(`/playlists${rest}`);
  }

  timers(rest = "") {
    return this.#own(`/timers${rest}`);
  }

  effects(rest = "") {
    return this.#own(`/effects${rest}`);
  }

  /** A part of one item of the queue: `""`, `"/artwork"`, `"/lyrics"`, `"/waveform"`. */
  item(id, rest = "") {
    return this.queue(`/items/${encodeURIComponent(id)}${rest}`);
  }

  /** False for a path of another player. */
  isOwn(path) {
    const [, player = main] = /^\/players\/([^/]+)/.exec(path) ?? [];
    return player === encodeURIComponent(this.#player());
  }

  #own(short) {
    const player = this.#player();
    return player === main ? short : `/players/${encodeURIComponent(player)}${short}`;
  }
}
