// SPDX-License-Identifier: Apache-2.0

const off = { enabled: false };
/** A patch that switches each effect off. */
export const switchesOff = { loudness: { mode: "off" }, equalizer: off, compressor: off, limiter: off, crossfeed: off, mono: false, reverb: off };

const others = [
  ["equal loudness", ({ loudness }) => loudness.mode !== "off"], ["compressor", ({ compressor }) => compressor.enabled], ["limiter", ({ limiter }) => limiter.enabled],
  ["crossfeed", ({ crossfeed }) => crossfeed.enabled], ["stereo width", ({ width, mono }) => width !== 1 && !mono], ["mono", ({ mono }) => mono],
  ["delay", ({ delay }) => delay > 0], ["reverb", ({ reverb }) => reverb.enabled],
];
/** The names of the effects that share the switch of all effects with the equaliser, and are on. */
export const othersOf = (effects) => effects ? others.filter(([, isOn]) => isOn(effects)).map(([words]) => words) : [];

/** The effects as heard: while they are off as a whole, each switch is off. */
export function heard(effects) {
  if (!effects || effects.enabled) return effects;
  const switches = Object.entries(switchesOff).map(([name, value]) => [name, typeof value === "object" ? { ...effects[name], ...value } : value]);
  return { ...effects, ...Object.fromEntries(switches) };
}
