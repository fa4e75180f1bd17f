// SPDX-License-Identifier: Apache-2.0

import { positionState, sessionActions, sessionTexts } from "../lib/media-session.js";
import { effect, observe } from "../lib/signal.js";

const actionNames = ["play", "pause", "stop", "nexttrack", "previoustrack", "seekto", "seekforward", "seekbackward"];
/** Seconds of error before the lock screen's clock is set again. */
const tolerance = 0.3;
/** Milliseconds. A shorter pause for loading or seeking is not shown, to avoid flicker. */
const shortWait = 400;
const waiting = new Set(["loading", "seeking", "buffering", "ready"]);

const nothing = () => ({ texts: "", artwork: null, actions: "", position: null, at: 0, running: false });

/**
 * The server's music on the lock screen and the media keys of the device that shows the page.
 *
 * Browsers grant a page these only while it plays something itself, started by a press. So from `turnOn` on a loop of
 * silence plays while the server plays, and pauses with the player, because the lock screen shows its state.
 */
export class LockScreen {
  #waitTimer = 0;
  #waitedLong = false;
  #shown = nothing();

  session = navigator.mediaSession;

  /** `{audio, perform}`: the element with the loop, and `perform(name, data)` of `Commands`. */
  constructor(parts) {
    Object.assign(this, parts);
    effect(() => this.#show());
  }

  static get isPossible() {
    return "mediaSession" in navigator && typeof MediaMetadata === "function";
  }

  /** Call from a press. Rejects if the browser does not let the page play. */
  async turnOn() {
    this.audio.loop = true;
    // Also while the player is paused: the browser grants permission only for the press.
    await this.audio.play();
    this.isOn = true;
  }

  turnOff() {
    this.isOn = false;
    this.#endWait();
    this.audio.pause();
    // Without a loaded source the lock screen shows nothing.
    this.audio.load();
    for (const name of actionNames) this.#handle(name, null);
    this.session.metadata = null;
    this.session.playbackState = "none";
    this.session.setPositionState?.();
    this.#shown = nothing();
  }

  #show() {
    if (!this.isOn) return;
    this.#showState();
    this.#showMetadata();
    this.#showActions();
    this.#showPosition();
  }

  #endWait() {
    clearTimeout(this.#waitTimer);
    this.#waitTimer = 0;
    this.#waitedLong = false;
  }

  /** True while the old state may stay, because the sound is about to go on. */
  #waitsShortly() {
    const waits = this.connected && this.player?.playWhenReady && waiting.has(this.player.status) && !this.audio.paused;
    if (!waits) this.#endWait();
    else if (!this.#waitTimer) {
      this.#waitTimer = setTimeout(() => {
        this.#waitedLong = true;
        this.#show();
      }, shortWait);
    }
    return waits && !this.#waitedLong;
  }

  #showState() {
    if (this.#waitsShortly()) return;
    const status = this.player?.status;
    const playing = this.connected && status === "playing";
    const silent = !this.player?.item || ["idle", "stopped", "completed", "failed"].includes(status);
    this.session.playbackState = playing ? "playing" : silent ? "none" : "paused";
    if (playing && this.audio.paused) {
      // Another app may have the sound; the next change tries again.
      this.audio.play().catch(() => {});
    } else if (!playing && !this.audio.paused) {
      this.audio.pause();
    }
  }

  #showMetadata() {
    const texts = sessionTexts(this.player);
    const artwork = texts ? this.artwork : null;
    const key = JSON.stringify(texts);
    if (key === this.#shown.texts && artwork === this.#shown.artwork) return;
    this.#shown.texts = key;
    this.#shown.artwork = artwork;
    this.session.metadata = texts && new MediaMetadata({ ...texts, artwork: artwork ? [{ src: artwork }] : [] });
  }

  #showActions() {
    const actions = sessionActions(this.player);
    const key = JSON.stringify([Object.keys(actions), this.player?.remoteCommands]);
    if (key === this.#shown.actions) return;
    this.#shown.actions = key;
    for (const name of actionNames) {
      const make = actions[name];
      this.#handle(name, make ? (details) => this.perform(...make(details ?? {})) : null);
    }
  }

  /** A browser throws for an action that it does not know. */
  #handle(name, handler) {
    try {
      this.session.setActionHandler(name, handler);
    } catch {
      // It has no button for it.
    }
  }

  /** Sets the position only if the browser's own clock is wrong. */
  #showPosition() {
    if (!this.session.setPositionState || !this.time) return;
    const now = performance.now();
    const state = this.player?.item ? positionState(this.time, now) : null;
    const running = !this.audio.paused;
    const { position: last, at, running: ran } = this.#shown;
    const drawn = last && last.position + (ran ? ((now - at) / 1000) * last.playbackRate : 0);
    const isKnown = state === null ? last === null
      : last !== null && last.duration === state.duration && last.playbackRate === state.playbackRate && ran === running
        && Math.abs(drawn - state.position) < tolerance;
    if (isKnown) return;
    Object.assign(this.#shown, { position: state, at: now, running });
    if (state) this.session.setPositionState(state);
    else this.session.setPositionState();
  }
}

observe(LockScreen, {
  isOn: false,
  connected: false,
  player: null,
  time: null,
  /** An address that the browser can load, or null. */
  artwork: null,
});
