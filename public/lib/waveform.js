// SPDX-License-Identifier: Apache-2.0

/** Share of the height: silence is a thin line. */
const least = 0.08;
/** Share of a bar's slot. */
const width = 0.62;

/**
 * `count` bars over a box of 1 by 1, as the data of an SVG path. The loudest fills the height; `share` is the part of
 * the box that the peaks fill, because the duration shown may be an estimate.
 */
export function waveformPath(peaks, count, share = 1) {
  const loudest = Math.max(...peaks, 0.01);
  const bars = [];
  for (let bar = 0; bar < count; bar += 1) {
    const first = Math.floor((bar / count / share) * peaks.length);
    const next = Math.max(first + 1, Math.floor(((bar + 1) / count / share) * peaks.length));
    const height = Math.max(least, Math.max(0, ...peaks.slice(first, next)) / loudest);
    const x = (bar + (1 - width) / 2) / count;
    bars.push(`M${round(x)} ${round((1 - height) / 2)}h${round(width / count)}v${round(height)}h-${round(width / count)}z`);
  }
  return bars.join("");
}

const round = (number) => Number(number.toFixed(5));
