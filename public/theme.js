// SPDX-License-Identifier: Apache-2.0

// Not a module: runs before the first paint, so that a chosen theme does not flash in.
document.documentElement.dataset.theme = localStorage.getItem("tonearm.theme") ?? "auto";
