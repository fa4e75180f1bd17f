// SPDX-License-Identifier: Apache-2.0

// Not a module: runs before the first paint, so that the theme does not flash.
document.documentElement.dataset.theme = localStorage.getItem("tonearm.theme") ?? "auto";
