// SPDX-License-Identifier: Apache-2.0

/** The last part of a path, or of an address and decoded, without its extension. In a path `?`, `#` and `%` are ordinary characters. */
export function nameFromUri(uri) {
  const text = String(uri ?? "");
  const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(text);
  const path = (isAddress ? text.replace(/[?#].*$/, "") : text).replace(/\/+$/, "");
  const part = path.slice(path.lastIndexOf("/") + 1);
  const last = isAddress ? decoded(part) : part;
  return last.replace(/\.[A-Za-z0-9]{1,5}$/, "") || path || "Untitled";
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function isNetwork(uri) {
  return /^https?:\/\//i.test(uri ?? "");
}

/** The steps from the top of the music to a path; an address is one step. */
export const stepsOf = (path) => isNetwork(path) ? [path] : path.split("/").filter(Boolean);

/** True for the name of a playlist file, whose entries replace it in the queue. */
export function isListName(uri) {
  return /\.(m3u8?|pls|xspf|asx|wax|wvx)$/i.test(uri);
}

/** The source to show: the folders of a path, "" at the root, or the host of an address. */
export function placeOf(uri) {
  if (isNetwork(uri)) return /^[^/]+\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(uri)[1];
  const folders = String(uri ?? "").split("/").slice(0, -1).filter(Boolean);
  // A `file:` address has the server's absolute path; its last folder is enough.
  return (/^file:$/i.test(folders[0]) ? folders.slice(1).slice(-1).map(decoded) : folders).join(" › ");
}

const tagsOf = (item) => item?.tags ?? {};

/** The name of a live item's station. */
export const stationOf = ({ title, live, uri }) => title ?? live.station ?? nameFromUri(uri);

/** Title, artist and album: given by the client, else from the tags, else the file's name. For a station, the song and the station. */
export function describeItem(item) {
  if (!item) return { title: "", artist: "", album: "" };
  if (item.live) {
    const station = stationOf(item);
    return item.live.title ? { title: item.live.title, artist: station, album: "" } : { title: station, artist: "", album: "" };
  }
  const tags = tagsOf(item);
  return {
    title: item.title ?? tags.title ?? nameFromUri(item.uri),
    artist: item.artist ?? tags.artist ?? tags.albumArtist ?? "",
    album: item.album ?? tags.album ?? "",
  };
}

const channelNames = { 1: "mono", 2: "stereo" };

/** "MP3 · 192 kbit/s · 44.1 kHz · stereo"; "" while nothing is known. */
export function describeFormat(item) {
  const format = item?.format;
  if (!format) return "";
  const { codec, bitrate, bitrateMode, bitsPerSample, sampleRate, channels } = format;
  const isVariable = bitrateMode === "variable" || bitrateMode === "average";
  return [
    codec.toUpperCase(),
    bitrate && `${isVariable ? "~" : ""}${Math.round(bitrate / 1000)} kbit/s`,
    bitsPerSample && `${bitsPerSample} bit`,
    `${sampleRate / 1000} kHz`,
    channelNames[channels] ?? `${channels} channels`,
  ].filter(Boolean).join(" · ");
}

/** A size in bytes, for display. */
export function formatSize(bytes) {
  if (typeof bytes !== "number") return "";
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const step = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[step - 1]}`;
}

export function count(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}
