// SPDX-License-Identifier: Apache-2.0

const others = [
  ["equal loudness", ({ loudness }) => loudness.mode !== "off"], ["compressor", ({ compressor }) => compressor.enabled], ["limiter", ({ limiter }) => limiter.enabled],
  ["crossfeed", ({ crossfeed }) => crossfeed.enabled], ["stereo width", ({ width, mono }) => width !== 1 && !mono], ["mono", ({ mono }) => mono],
  ["delay", ({ delay }) => delay > 0], ["reverb", ({ reverb }) => reverb.enabled],
];
/** The names of the effects that are set, without the equaliser. They share the switch of all effects with it. */
export const othersOf = (effects) => effects ? others.filter(([, isOn]) => isOn(effects)).map(([words]) => words) : [];
