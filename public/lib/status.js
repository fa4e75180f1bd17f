// SPDX-License-Identifier: Apache-2.0

const statusWords = {
  idle: "Nothing chosen yet",
  loading: "Loading…",
  ready: "Ready",
  playing: "Playing",
  paused: "Paused",
  buffering: "Buffering…",
  seeking: "Seeking…",
  interrupted: "Interrupted",
  stopping: "Stopping…",
  stopped: "Stopped",
  completed: "Finished",
  failed: "Failed",
};

const reasonWords = {
  "end-of-queue": "end of the queue",
  "stop-after-current": "stopped after this track, as asked",
  "route-lost": "the sound device was disconnected",
  interruption: "another program has the sound",
  "output-unavailable": "no sound server",
  "output-suspended": "the sound device is suspended",
  network: "waiting for the network",
  "decode-error": "the file could not be decoded",
  underrun: "this machine cannot decode fast enough",
  "media-error": "the file could not be played",
  "sleep-timer": "sleep timer",
  restored: "as it was before the restart",
  "queue-changed": "the queue changed",
};

const busy = new Set(["loading", "buffering", "seeking", "stopping"]);

/** Why there is no sound server, in the server's words; null when there is one. */
export function outputTrouble(player) {
  if (player?.output?.available !== false) return null;
  return player.output.message ?? "The sound server cannot be reached.";
}

/** The status line: `{tone: "idle" | "good" | "busy" | "warning" | "error", text}`. Never more cheerful than the server. */
export function describe(player, connection) {
  if (connection.state !== "open") {
    return { tone: "warning", text: connection.state === "lost" ? "Not connected" : "Connecting…" };
  }
  if (!player) return { tone: "busy", text: "Loading…" };
  if (player.error && player.status === "failed") {
    return { tone: "error", text: `Failed: ${player.error.message}` };
  }
  const trouble = outputTrouble(player);
  if (trouble) return { tone: "error", text: `No sound: ${trouble}` };
  if (player.error) return { tone: "warning", text: player.error.message };
  const words = statusWords[player.status] ?? player.status;
  const reason = reasonWords[player.reason];
  const tone = player.status === "playing" ? "good" : busy.has(player.status) ? "busy"
    : player.status === "interrupted" ? "warning" : "idle";
  return { tone, text: reason ? `${words} – ${reason}` : words };
}

/** What a person can do about it, in one sentence or two; "" when nothing is wrong. */
export function advise(player, connection) {
  if (connection.state !== "open" || !player) return "";
  if (outputTrouble(player)) {
    return "Start PulseAudio or PipeWire on the server, or set PULSE_SERVER to its address. "
      + "Tonearm keeps trying. You can fill the queue meanwhile.";
  }
  if (player.status === "failed" && player.error) {
    return player.queue?.length > 1 ? "Skip to the next track, or choose another." : "Choose another track.";
  }
  return "";
}

/** Whether the play button offers to pause: sound is there or wanted. */
export function wantsSound(player) {
  if (!player) return false;
  return player.status === "playing" || (player.playWhenReady === true && (busy.has(player.status)));
}
