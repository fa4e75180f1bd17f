// SPDX-License-Identifier: Apache-2.0

/** Other reasons come with a message from the server. */
const endings = {
  item: "another item started",
  left: "the station was paused or stopped",
  network: "the connection failed",
  "disk-full": "the disk is full",
  "write-error": "the file could not be written",
  player: "the player was removed",
  shutdown: "the server stopped",
};

/** The reason why saving a stream ended (`last` of `StreamRecordingStatus`); "" if a user ended it or there was none. */
export function describeStreamEnd(last) {
  if (!last || last.reason === "user") return "";
  const { id, bytes, reason, message } = last;
  if (reason === "end" && !message) return `Saved completely: ${id}.`;
  const why = endings[reason] ? `: ${endings[reason]}` : "";
  return [bytes > 0 ? `Saving ${id} ended${why}.` : `Nothing was saved${why}.`, message].filter(Boolean).join(" ");
}
