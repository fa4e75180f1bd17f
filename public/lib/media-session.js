// SPDX-License-Identifier: Apache-2.0

import { describeItem, nameFromUri } from "./media.js";

/** A position state that the Media Session standard accepts; null if there is nothing to show. */
export function positionState(time, now) {
  const duration = time.duration ?? Infinity;
  if (!(duration > 0)) return null;
  const at = time.at(now);
  const position = Number.isFinite(at) ? Math.min(Math.max(0, at), duration) : 0;
  // The standard rejects 0; `playbackState` shows that the clock stands.
  const playbackRate = Number.isFinite(time.rate) && time.rate !== 0 ? time.rate : 1;
  return { duration, position, playbackRate };
}

/** Texts of a `MediaMetadata` by the player's settings; null for none. */
export function sessionTexts(player) {
  const item = player?.item;
  if (!item || player.nowPlaying?.enabled === false) return null;
  const shown = describeItem(item);
  if (!player.nowPlaying?.preferTags) return shown;
  const tags = item.tags ?? {};
  return {
    title: tags.title ?? item.title ?? nameFromUri(item.uri),
    artist: tags.artist ?? shown.artist,
    album: tags.album ?? shown.album,
  };
}

/**
 * The command of each Media Session action, `[name, data]`. Disabled actions are missing, so that they have no button.
 */
export function sessionActions(player) {
  const allowed = player?.remoteCommands;
  if (!player || allowed?.enabled === false) return {};
  const may = (name) => allowed?.[name] !== false;
  const actions = {};
  if (may("play")) actions.play = () => ["play", {}];
  if (may("pause")) {
    actions.pause = () => ["pause", {}];
    actions.stop = () => ["stop", {}];
  }
  const interval = allowed?.skip ? allowed.skipInterval : null;
  if (may("next")) actions.nexttrack = () => (interval ? ["seek", { offset: interval }] : ["next", {}]);
  if (may("previous")) actions.previoustrack = () => (interval ? ["seek", { offset: -interval }] : ["previous", {}]);
  if (may("seek") && player.item?.seekable !== false) {
    actions.seekto = ({ seekTime }) => ["seek", { position: seekTime }];
    actions.seekforward = ({ seekOffset }) => ["seek", { offset: seekOffset || interval || 10 }];
    actions.seekbackward = ({ seekOffset }) => ["seek", { offset: -(seekOffset || interval || 10) }];
  }
  return actions;
}
