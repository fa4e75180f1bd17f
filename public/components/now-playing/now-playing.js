// SPDX-License-Identifier: Apache-2.0

import { Component, define, effect, html, setAttribute, render, setPicture, setText, textButton } from "../../lib/component.js";
import { describeFormat, describeItem, placeOf } from "../../lib/media.js";
import { clockTime, describeSleep } from "../../lib/time.js";
import { placeholder } from "./placeholder.js";

/**
 * Picture, tags, format, the status line, and an alarm that rings or is snoozed.
 * Fields: `item` (undefined before the first), `status` (of `describe`), `advice`, `artwork` (address or null), `timers`, `leader` (the name of
 * the player that this one follows, or null).
 */
class NowPlaying extends Component {
  #shownAlarm = "";

  markup() {
    return html`
      <img class="ambient" alt="" hidden data-ref="ambient">
      <div class="artwork" data-ref="box">
        <div class="artwork-placeholder">${placeholder()}</div>
        <img class="artwork-picture" alt="" hidden data-ref="picture">
      </div>
      <div class="track" data-ref="track">
        <h2 class="track-title" data-ref="title">Nothing playing</h2>
        <p class="track-artist" data-ref="artist"></p>
        <p class="track-album" data-ref="album"></p>
        <p class="track-format" data-ref="format"></p>
      </div>
      <p class="status-line" role="status" aria-live="polite" data-ref="line"><span class="status-dot"></span><span class="status-text" data-ref="text"></span></p>
      <p class="advice note" data-ref="advice"></p>
      <div class="advice alarm-note" role="alert" data-ref="alarm"></div>`;
  }

  made() {
    const { picture, ambient, line, text, advice } = this.refs;
    picture.addEventListener("error", () => (this.artwork = null));
    picture.addEventListener("load", () => this.#appear());
    effect(() => [picture, ambient].forEach((image) => setPicture(image, this.artwork)));
    effect(() => {
      setAttribute(line, "data-tone", this.status.tone);
      setText(text, [this.status.text, this.leader && `follows ${this.leader}`, describeSleep(this.timers)].filter(Boolean).join(" · "));
      setText(advice, this.advice);
      this.classList.toggle("sounding", this.status.tone === "good");
    });
    effect(() => this.#showAlarm());
  }

  get #alarm() {
    return this.timers.find(({ state }) => state === "ringing") ?? this.timers.find(({ state }) => state === "snoozed");
  }

  /** Draws only on a change, so that a button keeps the focus. */
  #showAlarm() {
    const { state, next } = this.#alarm ?? {};
    const text = state === "ringing" ? "An alarm rings." : state ? `Alarm snoozed until ${clockTime(next)}.` : "";
    if (text === this.#shownAlarm) return;
    this.#shownAlarm = text;
    render(this.refs.alarm, text ? html`<span>${text}</span> ${state === "ringing" ? textButton("moon", "Snooze", { action: "snooze" }) : null}
      ${textButton("stop", state === "ringing" ? "Stop" : "Cancel", { action: "end-alarm" })}` : html``);
  }

  press(action) {
    const { id, state, enabled } = this.#alarm;
    if (action === "snooze") this.request("snooze", { id });
    else if (state === "ringing") this.request("pause");
    // Any change ends the snooze; the alarm stays on or off.
    else this.request("changeTimer", { id, enabled });
  }

  draw() {
    const { item, refs } = this;
    this.classList.toggle("unknown", item === undefined);
    if (item === undefined) return;
    const { title, artist, album } = describeItem(item);
    setText(refs.title, item ? title : "Nothing playing");
    setText(refs.artist, item ? artist : "Pick something from your music to begin.");
    this.classList.toggle("nothing", !item);
    // Without tags, its folder or host.
    setText(refs.album, album || (artist || !item ? "" : placeOf(item.uri)));
    setText(refs.format, describeFormat(item));
    for (const line of refs.track.children) setAttribute(line, "title", line.textContent || null);
    refs.picture.alt = album ? `Cover of ${album}` : "Cover";
  }

  #appear() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.refs.picture.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 240, easing: "ease-out" });
  }
}

define("now-playing", NowPlaying, { item: undefined, status: { tone: "busy", text: "" }, advice: "", artwork: null, timers: [], leader: null }, import.meta.url);
