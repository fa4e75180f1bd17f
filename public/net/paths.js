// SPDX-License-Identifier: Apache-2.0

/** Where the API is. */
export const root = "/api/v1";

/** The event channel, as an address. */
export const eventsPath = `${root}/events`;

/** The player that the page drives, and its queue: every request for them takes its path from here. */
export const playerPath = (rest = "") => `/player${rest}`;
export const queuePath = (rest = "") => `/queue${rest}`;

/** What belongs to one item of the queue: `""`, `"/artwork"`, `"/lyrics"`, `"/waveform"`. */
export const itemPath = (id, rest = "") => queuePath(`/items/${encodeURIComponent(id)}${rest}`);
