// SPDX-License-Identifier: Apache-2.0

export const policyWords = {
  pause: "Pause; resume when they return",
  hold: "Wait for them",
  follow: "Continue on the speakers",
};

export const categoryWords = {
  playback: "Music",
  ambient: "Background music",
  "solo-ambient": "Background music without other programs",
  record: "Recording only",
  "play-and-record": "Music and recording",
  "multi-route": "Music on several outputs",
  "audio-processing": "Render jobs only",
};

const background = "The silent switch silences it, and it waits while the screen is locked.";
const noMusic = "No music plays: choose another use to play.";
/** A note on the chosen category. */
export const categoryNotes = {
  playback: "Plays also while the silent switch is on or the screen is locked.",
  ambient: background,
  "solo-ambient": background,
  record: noMusic,
  "play-and-record": "As Music. Bluetooth and network outputs need their option below.",
  "multi-route": "As Music, for players on different outputs.",
  "audio-processing": noMusic,
};

export const modeWords = {
  default: "Normal",
  "movie-playback": "Films",
  "voice-chat": "Voice calls",
  "video-chat": "Video calls",
  "game-chat": "Game chat",
  "video-recording": "Recording video",
  measurement: "Measurement: full volume, unchanged",
};

export const optionWords = {
  "mix-with-others": "Mix with other programs",
  "duck-others": "Lower other programs",
  "interrupt-spoken-audio-and-mix": "Silence other programs’ speech only",
  "allow-bluetooth": "Bluetooth headsets",
  "allow-bluetooth-a2dp": "Bluetooth speakers and headphones",
  "allow-airplay": "AirPlay and network outputs",
  "default-to-speaker": "Speaker instead of headset",
};

const effects = {
  mix: "Other programs are mixed with the music.",
  duck: "Other programs are lowered while music plays.",
  "silence-speech": "Speech of other programs is silent while music plays.",
  silence: "Other programs are silent while music plays.",
};

/** One or two sentences: whether other programs play, and the effect of the music on them. */
export function describeOthers({ otherAudioPlaying, others, interruptOthers }) {
  const playing = otherAudioPlaying ? "Another program is playing. " : "No other program is playing. ";
  return playing + (others === "silence" && !interruptOthers ? effects.mix : effects[others] ?? "");
}

/** The message for a `route` event; null for none. */
export function describeRoute({ reason, previous, current }, player) {
  const lost = reason === "old-device-unavailable" || reason === "no-suitable-route";
  if (lost && previous?.headphones && player?.status !== "playing") {
    return `${previous.description} unplugged; the music is paused`;
  }
  if (lost && previous) return current ? `${previous.description} was removed; now on ${current.description}` : `${previous.description} was removed`;
  if (reason === "new-device-available" && previous && current) return `Now on ${current.description}`;
  return null;
}
