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
  "stop-after-current": "stop after this track",
  "route-lost": "the headphones were unplugged",
  "output-unavailable": "no sound server",
  "output-suspended": "the sound device is suspended",
  network: "waiting for the network",
  "decode-error": "the file could not be decoded",
  underrun: "this machine cannot decode fast enough",
  "media-error": "the file could not be played",
  "sleep-timer": "sleep timer",
  restored: "press play",
  "queue-changed": "the queue changed",
  session: "this machine is set not to play",
  "session-changed": "this machine plays again; press play",
  "interruption-ended": "the interruption is over; press play",
  "output-returned": "the sound server is back; press play",
  leader: "the leader of the group is silent",
  "silent-switch": "the silent switch is on",
};

/** The statuses that an error can explain. */
const troubled = new Set(["failed", "interrupted", "loading", "buffering", "seeking"]);
const busy = new Set(["loading", "buffering", "seeking", "stopping"]);

/** The error that still applies; null once playback has left its item or sound has come since. */
function presentError(player) {
  const { error, status, item } = player ?? {};
  if (!error || !troubled.has(status)) return null;
  return status === "failed" || (error.itemId ?? null) === null || error.itemId === item?.id ? error : null;
}

/** The server's reason why there is no sound server; null if there is one. */
function outputTrouble(player) {
  if (player?.output?.available !== false) return null;
  return player.output.message ?? "The sound server cannot be reached.";
}

/** The status line: `{tone: "idle" | "good" | "busy" | "warning" | "error", text}`. */
export function describe(player, connection) {
  if (connection.state !== "open") {
    return { tone: "warning", text: connection.state === "lost" ? "Not connected" : "Connecting…" };
  }
  if (!player) return { tone: "busy", text: "Loading…" };
  const error = presentError(player);
  if (error && player.status === "failed") return { tone: "error", text: `Failed: ${error.message}` };
  const trouble = outputTrouble(player);
  if (trouble) return { tone: "error", text: `No sound: ${trouble}` };
  if (error) return { tone: "warning", text: error.message };
  // The page does not know if it was playing or paused before.
  const words = player.reason === "restored" ? "Restored after a restart" : statusWords[player.status] ?? player.status;
  const reason = reasonWords[player.reason];
  const tone = player.status === "playing" ? "good" : busy.has(player.status) ? "busy"
    : player.status === "interrupted" ? "warning" : "idle";
  return { tone, text: reason ? `${words} – ${reason}` : words };
}

/** Advice for the user in one or two sentences; "" if nothing is wrong. */
export function advise(player, connection) {
  if (connection.state !== "open" || !player) return "";
  const trouble = outputTrouble(player);
  if (trouble) {
    const cure = trouble.includes("has no output device") ? "Connect a sound card or speakers to the server, or check that its user may use them."
      : "Start PulseAudio or PipeWire on the server, or set PULSE_SERVER to its address.";
    return `${cure} Tonearm keeps trying. You can fill the queue meanwhile.`;
  }
  if (player.status === "failed" && presentError(player)) {
    return player.queue?.length > 1 ? "Skip to the next track, or choose another." : "Choose another track.";
  }
  if (player.status === "interrupted" && player.reason === "interruption") return "The music resumes afterwards. Press play to hear it now.";
  if (player.reason === "session") return "To play, choose another use under “This machine is for” in Sound and timers.";
  if (player.reason === "route-lost") return "Plug the headphones in again, or press play for the other output.";
  return "";
}

/** The interruptions that `play` ends. The others last until the output is back; `pause` cancels the wait. */
const endedByPlay = new Set(["interruption", "route-lost"]);

/** True if the play button pauses: sound is playing, on its way, or waits for the output. */
export function wantsSound(player) {
  if (player?.playWhenReady !== true) return false;
  return player.status !== "interrupted" || !endedByPlay.has(player.reason);
}
