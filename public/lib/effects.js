// SPDX-License-Identifier: Apache-2.0

const off = { enabled: false };
/** A patch that switches each effect off. */
export const switchesOff = { loudness: { mode: "off" }, equalizer: off, compressor: off, limiter: off, crossfeed: off, mono: false, reverb: off };

/** The effects as heard: while they are off as a whole, each switch is off. */
export function heard(effects) {
  if (!effects || effects.enabled) return effects;
  const switches = Object.entries(switchesOff).map(([name, value]) => [name, typeof value === "object" ? { ...effects[name], ...value } : value]);
  return { ...effects, ...Object.fromEntries(switches) };
}
