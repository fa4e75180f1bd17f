// SPDX-License-Identifier: Apache-2.0

const pad = (number) => String(number).padStart(2, "0");

/** Seconds as m:ss or h:mm:ss; "--:--" when unknown. */
export function formatTime(seconds) {
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds < 0) return "--:--";
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

function unit(number, name) {
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}

/** Seconds in words, for screen readers: "1 minute 5 seconds". */
export function spokenTime(seconds) {
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds < 0) return "unknown";
  const whole = Math.floor(seconds);
  const parts = [
    [Math.floor(whole / 3600), "hour"],
    [Math.floor((whole % 3600) / 60), "minute"],
    [whole % 60, "second"],
  ].filter(([number]) => number > 0);
  return parts.length ? parts.map(([number, name]) => unit(number, name)).join(" ") : "0 seconds";
}
