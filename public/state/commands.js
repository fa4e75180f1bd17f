// SPDX-License-Identifier: Apache-2.0

import { LatestWins } from "../lib/latest.js";
import { count, isListName, isNetwork } from "../lib/media.js";

/** A folder with tens of thousands of files takes its time. */
const slow = { timeout: 60_000 };
/** The server looks at an address of the web for 20 s at most. */
const looking = { timeout: 25_000 };
const key = encodeURIComponent;

/** Undoes this edit and no other: the button goes with the revision that the edit made. */
const undoOf = ({ revision }) => ({ action: { label: "Undo", name: "undo", revision } });

/** Steps of a seek, pressed quickly, add up; a place replaces them. */
const mergeSeeks = (waiting, newer) =>
  waiting.offset !== undefined && newer.offset !== undefined ? { offset: waiting.offset + newer.offset } : newer;

/** One patch of two: the newer members count, those of objects too; steps of the volume add up, and give way to a level. */
export function mergePatches(waiting, newer) {
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const merged = { ...waiting };
  for (const [name, value] of Object.entries(newer)) {
    if (name === "levelBy" && waiting.levelBy !== undefined) merged.levelBy = Math.max(-1, Math.min(1, waiting.levelBy + value));
    else merged[name] = isObject(value) && isObject(waiting[name]) ? mergePatches(waiting[name], value) : value;
  }
  if (newer.level !== undefined) delete merged.levelBy;
  if (newer.levelBy !== undefined) delete merged.level;
  return merged;
}

/**
 * Carries out the wishes of components. Each command gives whether it was done; the user sees a refusal through `notify`, and the
 * controls, which show the store only, stay where the server has them.
 */
export class Commands {
  #streams = new Map();

  /** `{client, channel, paths, store, notify}`: `channel` is the `EventSocket`, `notify(message, {action, tone})` shows a toast. */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Commands that are one request: `[method, path, body, options]`. */
  #requests = {
    pause: () => this.#player("pause"),
    toggle: () => this.#player("toggle"),
    stop: () => this.#player("stop"),
    next: () => this.#player("next"),
    previous: () => this.#player("previous"),
    scan: ({ rate }) => this.#player("scan", { rate }),
    endScan: () => ["DELETE", this.paths.player("/scan")],
    settings: (patch) => ["PATCH", this.paths.player(), patch],
    // The answer may precede the move of the sound; the `output` event follows it.
    selectOutput: ({ id }) => ["PUT", this.paths.outputs("/current"), { id }],
    session: (change) => ["PATCH", "/session", change],
    move: ({ ids, position }) => ["POST", this.paths.queue("/move"), { ids, position }],
    undo: () => ["POST", this.paths.queue("/undo")],
    redo: () => ["POST", this.paths.queue("/redo")],
    playPlaylist: ({ id, index }) => ["PUT", this.paths.queue(), { items: [{ playlist: id }], index, play: true }, slow],
    scanLibrary: () => ["POST", "/library/scan"],
    pauseRecording: () => ["POST", "/recordings/current/pause"],
    stopRecording: () => ["POST", "/recordings/current/stop"],
    saveStream: () => ["POST", this.paths.player("/record-stream")],
    stopStream: () => ["DELETE", this.paths.player("/record-stream")],
    removeRecording: ({ id }) => ["DELETE", `/recordings/${key(id)}`],
    removeCached: (entry) => ["DELETE", `/cache/${key(entry.key)}`],
    // In place of the timer before.
    sleep: (end) => ["POST", this.paths.timers(), { type: "sleep", ...end }],
    endTimer: ({ id }) => ["DELETE", this.paths.timers(`/${key(id)}`)],
    addAlarm: (alarm) => ["POST", this.paths.timers(), { type: "alarm", ...alarm }],
    changeTimer: ({ id, ...change }) => ["PATCH", this.paths.timers(`/${key(id)}`), change],
    savePreset: ({ name }) => ["PUT", this.paths.effects(`/presets/${key(name)}`), {}],
    importPreset: (preset) => ["POST", this.paths.effects("/presets"), preset],
    removePreset: ({ name }) => ["DELETE", this.paths.effects(`/presets/${key(name)}`)],
    snooze: ({ id }) => ["POST", this.paths.timers(`/${key(id)}/snooze`)],
  };

  /** The others. */
  #handlers = {
    play: (target) => this.#play(target),
    // Many a second while a control is dragged: one at a time, and the last one arrives.
    seek: (target) => this.#latest("seek", target, mergeSeeks, (value) => this.#send(...this.#player("seek", value))),
    adjust: (patch) => this.#latest("adjust", patch, mergePatches, (value) => this.#send("PATCH", this.paths.player(), value)),
    effects: (patch) => this.#latest("effects", patch, mergePatches, (value) => this.#attempt(() => this.#shape(value))),
    outputPolicy: async ({ policy }) => {
      const outputs = await this.#send("PATCH", this.paths.outputs(), { policy });
      if (outputs) this.store.outputs = outputs;
      return outputs;
    },
    // `check`: media that cannot be played are refused, and do not end the music.
    add: ({ items, position = "end", play = false, check = play }) => this.#add({ items, position, play, check }),
    remove: ({ ids }) => this.#edit(["POST", this.paths.queue("/remove"), { ids }], `Removed ${count(ids.length, "track")}`),
    clear: () => this.#edit(["DELETE", this.paths.queue()], "Queue cleared"),
    // `id`: of the playlist that it replaces.
    savePlaylist: ({ name, id }) => this.#announce(
      id ? ["PUT", `/playlists/${key(id)}`, { fromQueue: true }, slow] : ["POST", "/playlists", { name, fromQueue: true }, slow], () => `Saved as ${name}`),
    removePlaylist: ({ id, name }) => this.#announce(["DELETE", `/playlists/${key(id)}`], () => `Removed the playlist ${name}`),
    clearCache: () => this.#announce(["DELETE", "/cache", undefined, slow], ({ removed, kept }) =>
      `${removed ? "Cleared" : "Nothing was removed"}${kept ? `: ${kept} in use stayed` : ""}`),
    record: (settings) => this.#record(settings),
    saveRecording: ({ id }) => this.#attempt(() => this.#download(id)),
  };

  /** The one way from the page to a change on the server. An unknown name is a mistake of the page. */
  async perform(name, data = {}) {
    const make = this.#requests[name];
    const handler = make ? () => this.#send(...make(data)) : this.#handlers[name];
    if (!handler) throw new RangeError(`unknown request ${name}`);
    if (this.store.isReadOnly) {
      this.notify("Not allowed: the token lacks the scope “control”.", { tone: "error" });
      return false;
    }
    return Boolean(await handler(data));
  }

  #player(verb, body = {}) {
    return ["POST", this.paths.player(`/${verb}`), Object.keys(body).length ? body : undefined];
  }

  /** The server's answer, `{}` without a body; null when it refused. */
  #send(method, path, body, options) {
    return this.#attempt(async () => this.#accept(path, await this.client.send(method, path, body, options)));
  }

  async #attempt(send) {
    try {
      return (await send()) ?? {};
    } catch (problem) {
      if (problem.scope === "control") this.store.isReadOnly = true;
      this.notify(problem.message, { tone: "error" });
      return null;
    }
  }

  /** A command's answer is the new snapshot, or the new state of the queue; those of other things come as events. */
  #accept(path, answer) {
    if (answer?.status && "version" in answer) this.store.applySnapshot(answer);
    else if (answer && "revision" in answer && path.startsWith(this.paths.queue())) this.store.applyQueue(answer);
    return answer;
  }

  /** `message(answer)` is shown when it is done. */
  async #announce(request, message) {
    const answer = await this.#send(...request);
    if (answer) this.notify(message(answer));
    return answer;
  }

  async #edit(request, message) {
    const answer = await this.#send(...request);
    if (answer) this.notify(message, undoOf(answer));
    return answer;
  }

  /** Resolves once nothing of this kind is on its way any more. */
  #latest(kind, value, merge, send) {
    return new Promise((resolve) => {
      let stream = this.#streams.get(kind);
      if (!stream) {
        stream = { waiting: [], done: true };
        stream.latest = new LatestWins(
          async (next) => { stream.done = await send(next); },
          { onIdle: () => stream.waiting.splice(0).forEach((settle) => settle(stream.done)), merge });
        this.#streams.set(kind, stream);
      }
      stream.waiting.push(resolve);
      stream.latest.push(value);
    });
  }

  /** `uri`: of an item of the queue that is to begin. If it cannot be played, the music goes on: the server is asked first. */
  async #play({ uri, ...target }) {
    if (uri && !isNetwork(uri) && !isListName(uri)) {
      try {
        await this.client.get(`/media/info?${new URLSearchParams({ uri })}`);
      } catch (problem) {
        // Only a verdict on the file counts: a server that is busy may play it all the same.
        if (problem.status >= 400 && problem.status < 500 && problem.status !== 429) return void this.notify(problem.message, { tone: "error" });
      }
    }
    return this.#send(...this.#player("play", target));
  }

  /** Over the channel, where the reply follows the event: nothing older is shown after it. Over REST while the channel is lost. */
  async #shape(patch) {
    try {
      return await this.channel.command("effects", patch);
    } catch (problem) {
      if (problem.code !== "unreachable") throw problem;
      return (this.store.effects = await this.client.send("PATCH", this.paths.effects(), patch));
    }
  }

  async #add({ items, position, play, check }) {
    const path = this.paths.queue("/items");
    const body = { items, position, ...(play && { play }), ...(check && { check }) };
    let silent = null;
    // Over the channel where a refusal is nothing unusual: a browser reports one of HTTP as an error of the page.
    const isLookedAt = check && isNetwork(items[0].uri);
    const send = () => isLookedAt && this.channel.isOpen ? this.channel.command("queue.add", body, looking) : this.client.send("POST", path, body, slow);
    const answer = await this.#attempt(async () => this.#accept(path, await send().catch((problem) => {
      if (!play || problem.code !== "output-unavailable") throw problem;
      // No sound is no reason to lose the choice.
      silent = problem;
      delete body.play;
      return send();
    })));
    if (silent) this.notify(`Added, but not played: ${silent.message}`, { tone: "error" });
    else if (answer?.count === 0) this.notify(answer.truncated ? "Nothing was added: too many items, or folders nested too deep" : "Nothing in it can be played");
    else if (answer && !play) {
      const where = position === "next" ? "to play next" : "to the queue";
      const rest = answer.truncated ? "; the rest was left out: too many items, or folders nested too deep" : "";
      this.notify(`Added ${count(answer.count, "track")} ${where}${rest}`, undoOf(answer));
    }
    return answer;
  }

  /** The button asks for a recording: a session that only plays is changed to do both. */
  async #record(settings) {
    const { mayRecord, available } = this.store.session ?? {};
    const needsSession = mayRecord === false && available.categories.includes("play-and-record");
    if (needsSession && !(await this.#send("PATCH", "/session", { category: "play-and-record" }))) return null;
    return this.#send("POST", "/recordings", settings);
  }

  /** A link cannot send the token, so the page fetches the file. */
  async #download(id) {
    const file = await this.client.blob(`/recordings/${key(id)}/file`);
    if (!file) return;
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: id });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
}
