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

/** A moment (milliseconds since the epoch) by the clock, 00:00 to 23:59; `more` are options of `toLocaleString`. */
export const clockTime = (moment, more = {}) => new Date(moment).toLocaleString([], { ...more, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** Day and time of a moment of the next week. */
export const dayTime = (moment) => clockTime(moment, { weekday: "short" });

/** The time zone that was set for an alarm, from `GET /timers`, if the browser's clock shows another time. */
export function foreignZone({ timeZone }) {
  if (!timeZone) return null;
  const now = Date.now();
  try {
    return clockTime(now, { weekday: "short", timeZone }) === dayTime(now) ? null : timeZone;
  } catch {
    // The server knows a zone that the browser does not.
    return timeZone;
  }
}

/** Day and time of the next alarm, from `GET /timers`; "" without one. */
export function nextAlarm(timers) {
  const moments = timers.filter(({ type, next }) => type === "alarm" && next).map(({ next }) => next);
  return moments.length ? dayTime(Math.min(...moments)) : "";
}

/** The sleep timer's end, from `GET /timers`; "" without one. */
export function describeSleep(timers) {
  const { until, next } = timers.find(({ type }) => type === "sleep") ?? {};
  if (until) return until === "end-of-item" ? "sleep after this track" : "sleep after the queue";
  return next ? `sleep at ${clockTime(next)}` : "";
}
