// SPDX-License-Identifier: Apache-2.0

/** The last part of a path or address, without its extension. In a path `?` and `#` are letters as any other. */
export function nameFromUri(uri) {
  const text = String(uri ?? "");
  const path = (/^[a-z][a-z0-9+.-]*:/i.test(text) ? text.replace(/[?#].*$/, "") : text).replace(/\/+$/, "");
  const last = path.slice(path.lastIndexOf("/") + 1);
  return last.replace(/\.[A-Za-z0-9]{1,5}$/, "") || path || "Untitled";
}

/** The folder a path lies in; "" at the root. */
export function folderOf(uri) {
  const at = String(uri ?? "").lastIndexOf("/");
  return at > 0 ? uri.slice(0, at) : "";
}

const tagsOf = (item) => item?.tags ?? item?.media?.tags ?? {};

/** Title, artist and album of an item: what the client gave, else its tags, else its name. On the radio, the song and the station. */
export function describeItem(item) {
  if (!item) return { title: "", artist: "", album: "" };
  if (item.live) {
    const station = item.title ?? item.live.station ?? nameFromUri(item.uri);
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
  const format = item?.format ?? item?.media?.format;
  if (!format) return "";
  const encoding = format.encoding ?? item?.media?.encoding ?? format;
  const rate = format.sampleRate;
  const channels = format.channels ?? format.channelCount;
  const bitrate = encoding.bitrate ? Math.round(encoding.bitrate / 1000) : null;
  const variable = ["variable", "vbr", "average", "abr"].includes(encoding.bitrateMode);
  return [
    encoding.codec?.toUpperCase(),
    bitrate && `${variable ? "~" : ""}${bitrate} kbit/s`,
    encoding.bitsPerSample && `${encoding.bitsPerSample} bit`,
    rate && `${rate / 1000} kHz`,
    channels && (channelNames[channels] ?? `${channels} channels`),
  ].filter(Boolean).join(" · ");
}

/** Bytes for people. */
export function formatSize(bytes) {
  if (typeof bytes !== "number") return "";
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const step = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[step - 1]}`;
}

export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
