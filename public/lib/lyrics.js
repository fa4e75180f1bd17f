// SPDX-License-Identifier: Apache-2.0

/** Index of the line at `position`, the last one that has begun; -1 before the first. */
export function lineAt(lines, position) {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle].time <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Milliseconds until the line after `index` begins; null if none follows or the time stands still. */
export function untilNext(lines, index, time, now) {
  const next = lines[index + 1];
  if (!next || !(time?.rate > 0)) return null;
  return Math.max(1, ((next.time - time.at(now)) / time.rate) * 1000);
}

/** Remembers the lyrics of the last item. `load(item)` gives the server's answer or null. */
export function remembered(load) {
  let last = { key: null, answer: null };
  return (item) => {
    // Another player, or another run of the server, may give the same id to something else.
    const key = `${item.id} ${item.uri} ${item.lyrics}`;
    if (last.key !== key) last = { key, answer: load(item) };
    return last.answer;
  };
}
