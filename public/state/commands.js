// SPDX-License-Identifier: Apache-2.0

import { othersOf } from "../lib/effects.js";
import { LatestWins } from "../lib/latest.js";
import { count, isListName, isNetwork } from "../lib/media.js";
import { wantsSound } from "../lib/status.js";

/** For folders of tens of thousands of files. */
const slow = { timeout: 60_000 };
/** The server checks a web address for up to 20 s. */
const looking = { timeout: 25_000 };
/** Recordings may have gigabytes. */
const long = { timeout: 3_600_000 };
const key = encodeURIComponent;

/** One `LatestWins` for each path: a change of one player does not replace the waiting one of another. */
function latestOfPath(send, merge) {
  const all = new Map();
  return (path, body) => {
    if (!all.has(path)) all.set(path, new LatestWins((value) => send(path, value), merge));
    return all.get(path).push(body);
  };
}

/** Relative seeks add up; an absolute one replaces them. */
const mergeSeeks = (waiting, newer) =>
  waiting.offset !== undefined && newer.offset !== undefined ? { offset: waiting.offset + newer.offset } : newer;

const between = (low, value, high) => Math.max(low, Math.min(high, value));

/** Merges two patches: newer members win, in nested objects too. A step of the volume adds to a level or another step; a level replaces them. */
export function mergePatches(waiting, newer) {
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const merged = { ...waiting };
  for (const [name, value] of Object.entries(newer)) {
    if (name === "levelBy" && waiting.level !== undefined) merged.level = between(0, waiting.level + value, 1);
    else if (name === "levelBy" && waiting.levelBy !== undefined) merged.levelBy = between(-1, waiting.levelBy + value, 1);
    else merged[name] = isObject(value) && isObject(waiting[name]) ? mergePatches(waiting[name], value) : value;
  }
  if (newer.level !== undefined) delete merged.levelBy;
  return merged;
}

/** The patch with the switch of all effects: the equaliser, when it is the last one, switches off all. */
function withSwitch(effects, patch) {
  const isLast = patch.enabled === undefined && patch.equalizer?.enabled === false && othersOf(effects).length === 0;
  return isLast ? { ...patch, enabled: false } : patch;
}

/**
 * Carries out the components' requests. Each command resolves to true if it succeeded. The user sees a refusal through `notify`;
 * the controls show only the store and stay as they were.
 */
export class Commands {
  #categoryBefore = null;
  // A dragged control sends many a second: one request at a time, and the last value arrives at the player that it was meant for.
  #seek = latestOfPath((path, body) => this.#send("POST", path, body), mergeSeeks);
  #patch = latestOfPath((path, body) => this.#send("PATCH", path, body), mergePatches);
  #effects = latestOfPath((path, body) => this.#attempt(() => this.#shape(path, body)), mergePatches);
  #session = latestOfPath((path, body) => this.#attempt(() => this.#ordered("session", path, body), "session"), mergePatches);

  /**
   * `{client, channel, paths, store, notify, settle}`: `channel` is the `EventSocket`, `notify(message, {action, tone, request})` shows a
   * toast, `settle(request)` removes the refusals of a request that has succeeded since.
   */
  constructor(parts) {
    Object.assign(this, { settle: () => {} }, parts);
  }

  /** Commands that are one request: `[method, path, body, options]`. */
  #requests = {
    ...Object.fromEntries(["pause", "stop", "next", "previous", "scan"].map((verb) => [verb, (body) => this.#player(verb, body)])),
    endScan: () => ["DELETE", this.paths.player("/scan")],
    // The response may come before the sound moves; the `output` event comes after.
    selectOutput: ({ id }) => ["PUT", this.paths.outputs("/current"), { id }],
    outputPolicy: (change) => ["PATCH", this.paths.outputs(), change],
    move: ({ ids, position }) => ["POST", this.paths.queue("/move"), { ids, position }],
    undo: () => ["POST", this.paths.queue("/undo")],
    redo: () => ["POST", this.paths.queue("/redo")],
    playPlaylist: ({ id, index }) => ["PUT", this.paths.queue(), { items: [{ playlist: id }], index, play: true }, slow],
    renamePlaylist: ({ id, name }) => ["PATCH", `/playlists/${key(id)}`, { name }],
    scanLibrary: () => ["POST", "/library/scan"],
    pauseRecording: () => ["POST", "/recordings/current/pause"],
    stopRecording: () => ["POST", "/recordings/current/stop"],
    saveStream: () => ["POST", this.paths.player("/record-stream")],
    stopStream: () => ["DELETE", this.paths.player("/record-stream")],
    removeRecording: ({ id }) => ["DELETE", `/recordings/${key(id)}`],
    removeCached: (entry) => ["DELETE", `/cache/${key(entry.key)}`],
    savePreset: ({ name }) => ["PUT", this.paths.effects(`/presets/${key(name)}`), {}],
    importPreset: (preset) => ["POST", this.paths.effects("/presets"), preset],
    removePreset: ({ name }) => ["DELETE", this.paths.effects(`/presets/${key(name)}`)],
    snooze: ({ id }) => ["POST", this.paths.timers(`/${key(id)}/snooze`)],
  };

  /** The others. */
  #handlers = {
    play: (target) => this.#play(target),
    // The verb that the button shows.
    toggle: () => (wantsSound(this.store.player) ? this.#send(...this.#player("pause")) : this.#play({})),
    seek: (body) => this.#seek(this.paths.player("/seek"), body),
    settings: (patch) => this.#patch(this.paths.player(), patch),
    session: (change) => this.#session("/session", change),
    effects: (body) => this.#effects(this.paths.effects(), body),
    // `check`: the server refuses unplayable media, and the music goes on.
    add: ({ items, position = "end", play = false, check = play }) => this.#add({ items, position, play, check }),
    remove: ({ ids }) => this.#announce(["POST", this.paths.queue("/remove"), { ids }], () => `Removed ${count(ids.length, "track")}`, true),
    clear: () => this.#announce(["DELETE", this.paths.queue()], () => "Queue cleared", true),
    // `id`: of the playlist to replace.
    savePlaylist: ({ name, id }) => this.#announce(
      id ? ["PUT", this.paths.playlists(`/${key(id)}`), { fromQueue: true }, slow]
        : ["POST", this.paths.playlists(), { name, fromQueue: true }, slow], () => `Saved as ${name}`),
    removePlaylist: ({ id, name }) => this.#announce(["DELETE", `/playlists/${key(id)}`], () => `Removed the playlist ${name}`),
    // Replaces an earlier sleep timer.
    sleep: (end) => this.#setTimer(({ type }) => type === "sleep", "POST", this.paths.timers(), { type: "sleep", ...end }),
    addAlarm: (alarm) => this.#setTimer(() => false, "POST", this.paths.timers(), { type: "alarm", ...alarm }),
    changeTimer: ({ id, ...change }) => this.#setTimer((timer) => timer.id === id, "PATCH", this.paths.timers(`/${key(id)}`), change),
    endTimer: ({ id }) => this.#setTimer((timer) => timer.id === id, "DELETE", this.paths.timers(`/${key(id)}`)),
    clearCache: () => this.#announce(["DELETE", "/cache", undefined, slow], ({ removed, kept }) =>
      `${removed ? "Cleared" : "Nothing was removed"}${kept ? `: ${kept} in use stayed` : ""}`),
    record: (settings) => this.#record(settings),
    saveRecording: ({ id }) => this.#attempt(() => this.#download(id)),
  };

  /** Every change on the server goes through here. An unknown name is a bug of the page. */
  async perform(name, data = {}) {
    const make = this.#requests[name];
    const handler = make ? () => this.#send(...make(data)) : this.#handlers[name];
    if (!handler) throw new RangeError(`unknown request ${name}`);
    if (this.store.isReadOnly) {
      this.notify("Not allowed: this link may only look.", { tone: "error" });
      return false;
    }
    return Boolean(await handler(data));
  }

  #player(verb, body = {}) {
    return ["POST", this.paths.player(`/${verb}`), Object.keys(body).length ? body : undefined];
  }

  /** The server's answer, `{}` without a body; null when it refused. */
  #send(method, path, body, options) {
    return this.#attempt(async () => this.#accept(path, await this.client.send(method, path, body, options)), `${method} ${path}`);
  }

  async #attempt(send, request = null) {
    try {
      const answer = (await send()) ?? {};
      this.settle(request);
      return answer;
    } catch (problem) {
      if (problem.scope === "control") this.store.isReadOnly = true;
      this.notify(problem.message, { tone: "error", request });
      return null;
    }
  }

  /** Applies an answer with a new state of the player that the page still controls. Other changes come as events. */
  #accept(path, answer) {
    if (!this.paths.isOwn(path)) return answer;
    if (answer?.status && "version" in answer) this.store.applySnapshot(answer);
    else if (answer && "revision" in answer && path.startsWith(this.paths.queue())) this.store.applyQueue(answer);
    else if (path === this.paths.outputs()) this.store.outputs = answer;
    else if (path === this.paths.effects()) this.store.effects = answer;
    return answer;
  }

  /** Shows `message(answer)` after success, with Undo for an edit of the queue. */
  async #announce(request, message, isEdit = false) {
    const answer = await this.#send(...request);
    if (answer) this.notify(message(answer), isEdit ? this.#undoOf(request[1], answer) : {});
    return answer;
  }

  /** A button that undoes this edit only: it disappears with the revision that the edit made. None for another player's queue. */
  #undoOf(path, { revision }) {
    return this.paths.isOwn(path) ? { action: { label: "Undo", name: "undo", revision } } : {};
  }

  /** `uri`: of the queue's item to start. The server checks it first, so that an unplayable item does not end the music. */
  async #play({ uri, ...target }) {
    const request = this.#player("play", target);
    if (uri && !isNetwork(uri) && !isListName(uri)) {
      try {
        await this.client.get(`/media/info?${new URLSearchParams({ uri })}`);
      } catch (problem) {
        // Only an error of the file counts: a busy server may still play it.
        if (problem.status >= 400 && problem.status < 500 && problem.status !== 429) return void this.notify(problem.message, { tone: "error" });
      }
    }
    return this.#send(...request);
  }

  /** Over REST if the channel is another player's by now. */
  async #shape(path, body) {
    if (path !== this.paths.effects()) return this.#accept(path, await this.client.send("PATCH", path, body));
    // Only now: while the patch waited, an earlier one may have switched the effects.
    return this.#ordered("effects", path, withSwitch(this.store.effects, body));
  }

  /** Uses the channel, whose reply follows the event, so that nothing older is shown after it. Uses REST while the channel is lost. */
  async #ordered(command, path, body) {
    try {
      return await this.channel.command(command, body);
    } catch (problem) {
      if (problem.code !== "unreachable") throw problem;
    }
    return this.#accept(path, await this.client.send("PATCH", path, body));
  }

  async #add({ items, position, play, check }) {
    const path = this.paths.queue("/items");
    const body = { items, position, ...(play && { play }), ...(check && { check }) };
    let silent = null;
    // Over the channel where a refusal is common: a browser logs a refused request as an error.
    const isLookedAt = check && isNetwork(items[0].uri);
    const send = () => isLookedAt && this.channel.isOpen ? this.channel.command("queue.add", body, looking) : this.client.send("POST", path, body, slow);
    const answer = await this.#attempt(async () => this.#accept(path, await send().catch((problem) => {
      if (!play || problem.code !== "output-unavailable") throw problem;
      // Without a sound server, at least add the items.
      silent = problem;
      delete body.play;
      return send();
    })));
    if (silent) this.notify(`Added, but not played: ${silent.message}`, { tone: "error" });
    else if (answer?.count === 0) this.notify(answer.truncated ? "Nothing was added: too many items, or folders nested too deep" : "Nothing in it can be played");
    else if (answer && !play) {
      const where = position === "next" ? "to play next" : "to the queue";
      const rest = answer.truncated ? "; the rest was left out: too many items, or folders nested too deep" : "";
      this.notify(`Added ${count(answer.count, "track")} ${where}${rest}`, this.#undoOf(path, answer));
    }
    return answer;
  }

  /** Shows the answer before the event comes, unless one has come meanwhile. It has no timer if that was removed or due at once. */
  async #setTimer(isReplaced, ...request) {
    const before = this.store.timers;
    const timer = await this.#send(...request);
    if (timer && this.store.timers === before) this.store.timers = [...before.filter((each) => !isReplaced(each)), ...(timer.id ? [timer] : [])];
    return timer;
  }

  /** Changes a session that only plays to one that also records, until the recording ends. */
  async #record(settings) {
    const { category, mayRecord, available } = this.store.session ?? {};
    const needsSession = mayRecord === false && available.categories.includes("play-and-record");
    if (needsSession && !(await this.#send("PATCH", "/session", { category: "play-and-record" }))) return null;
    const answer = await this.#send("POST", "/recordings", settings);
    if (needsSession) this.#categoryBefore = category;
    if (!answer) this.recordingEnded();
    return answer;
  }

  /** Restores the category of the session that `record` has changed, unless it has been changed since. */
  recordingEnded() {
    const category = this.#categoryBefore;
    this.#categoryBefore = null;
    if (category && this.store.session?.category === "play-and-record") this.perform("session", { category });
  }

  /** A link cannot send the token, so the page fetches the file. */
  async #download(id) {
    const file = await this.client.blob(`/recordings/${key(id)}/file`, long);
    if (!file) return;
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: id });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
}
