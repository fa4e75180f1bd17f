// SPDX-License-Identifier: Apache-2.0

/** The settings that the server's contract names, `{min, max}` each where they are numbers: `{name: range}`. */
export function settingRanges(contract) {
  const schema = /^ {4}PlayerSettings:\n((?: {5,}.*\n|\n)*)/m.exec(contract)?.[1] ?? "";
  const ranges = {};
  for (const [, name, members] of schema.matchAll(/^ {8}(\w+): \{(.*)\}$/gm)) {
    const [min, max] = ["minimum", "maximum"].map((member) => new RegExp(`\\b${member}: (-?[\\d.]+)`).exec(members)?.[1]);
    ranges[name] = { min, max };
  }
  return ranges;
}
