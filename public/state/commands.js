// SPDX-License-Identifier: Apache-2.0

import { LatestWins } from "../lib/latest.js";
import { count, isListName, isNetwork } from "../lib/media.js";

/** Takes back this edit and no other: the button goes with the revision that the edit made. */
const undoOf = ({ revision }) => ({ action: { label: "Undo", name: "undo", revision } });
/** A folder with tens of thousands of files takes its time. */
const slow = { timeout: 60_000 };

/** The server looks at an address of the web for 20 s at most. */
const looking = { timeout: 25_000 };

/** Steps pressed quickly add up; anything else is replaced by the latest. */
function addSteps(waiting, newer) {
  const areBoth = (step) => waiting[step] !== undefined && newer[step] !== undefined;
  if (areBoth("offset")) return { offset: waiting.offset + newer.offset };
  if (areBoth("levelBy")) return { levelBy: Math.max(-1, Math.min(1, waiting.levelBy + newer.levelBy)) };
  return newer;
}

function nothingAdded({ truncated }) {
  return truncated ? "Nothing was added: too many, or nested too deep" : "There is nothing in it that can be played";
}

/**
 * Carries out what components ask for. Each answers whether it was done; a refusal is told through `notify` and the
 * controls, which show the store only, are where the server has them.
 */
export class Commands {
  #client;
  #channel;
  #paths;
  #store;
  #notify;
  #streams = new Map();

  /** `channel`: the `EventSocket`; `notify(message, {action, tone})` shows a toast. */
  constructor({ client, channel, paths, store, notify }) {
    this.#client = client;
    this.#channel = channel;
    this.#paths = paths;
    this.#store = store;
    this.#notify = notify;
  }

  /** `name` as in `request`; unknown ones are a mistake of the page. */
  perform(name, data) {
    const handler = this.#handlers[name];
    if (!handler) throw new RangeError(`unknown request ${name}`);
    if (this.#store.isReadOnly) {
      this.#notify("Not done: the token lacks the scope “control”.", { tone: "error" });
      return Promise.resolve(false);
    }
    return handler(data);
  }

  #handlers = {
    play: (target) => this.#play(target),
    pause: () => this.#player("pause"),
    toggle: () => this.#player("toggle"),
    stop: () => this.#player("stop"),
    next: () => this.#player("next"),
    previous: () => this.#player("previous"),
    seek: (target) => this.#latest("seek", target, (value) => this.#player("seek", value)),
    scan: ({ rate }) => this.#player("scan", { rate }),
    endScan: () => this.#attempt(() => this.#client.delete(this.#paths.player("/scan"))),
    settings: (patch) => this.#settings(patch),
    volume: (patch) => this.#latest("volume", patch, (value) => this.#settings(value)),
    // The answer may precede the move of the sound; the `output` event follows it.
    selectOutput: ({ id }) => this.#attempt(async () => void (await this.#client.put(this.#paths.outputs("/current"), { id }))),
    outputPolicy: ({ policy }) => this.#attempt(async () =>
      this.#store.setOutputs(await this.#client.patch(this.#paths.outputs(), { policy }))),
    // The event tells what came of it; the answer may be overtaken by the event of a later change.
    session: (change) => this.#attempt(async () => void (await this.#client.patch("/session", change))),
    // `check`: what cannot be played is refused, and does not end what plays.
    add: ({ items, position = "end", play = false, check = play }) => this.#add({ items, position, play, check }),
    move: ({ ids, position }) => this.#attempt(() => this.#client.post(this.#paths.queue("/move"), { ids, position })),
    remove: ({ ids }) => this.#remove(ids),
    clear: () => this.#clear(),
    scanLibrary: () => this.#attempt(async () => void (await this.#client.post("/library/scan"))),
    savePlaylist: ({ name }) => this.#playlist(`Saved as ${name}`, () =>
      this.#client.post("/playlists", { name, fromQueue: true }, slow)),
    removePlaylist: ({ id, name }) => this.#playlist(`Removed the playlist ${name}`, () =>
      this.#client.delete(`/playlists/${encodeURIComponent(id)}`)),
    playPlaylist: ({ id, index }) => this.#attempt(() => this.#client.put(this.#paths.queue(), { items: [{ playlist: id }], index, play: true }, slow)),
    record: (settings) => this.#record(settings),
    pauseRecording: () => this.#attempt(async () => void (await this.#client.post("/recordings/current/pause"))),
    stopRecording: () => this.#attempt(async () => void (await this.#client.post("/recordings/current/stop"))),
    saveStream: () => this.#attempt(async () => void (await this.#client.post(this.#paths.player("/record-stream")))),
    stopStream: () => this.#attempt(async () => void (await this.#client.delete(this.#paths.player("/record-stream")))),
    removeRecording: ({ id }) => this.#attempt(() => this.#client.delete(`/recordings/${encodeURIComponent(id)}`)),
    saveRecording: ({ id }) => this.#attempt(() => this.#save(id)),
    removeCached: ({ key }) => this.#attempt(() => this.#client.delete(`/cache/${encodeURIComponent(key)}`)),
    clearCache: () => this.#clearCache(),
    undo: () => this.#attempt(() => this.#client.post(this.#paths.queue("/undo"))),
    redo: () => this.#attempt(() => this.#client.post(this.#paths.queue("/redo"))),
  };

  /** Whoever presses the button wants to record: a session that only plays is asked to do both. */
  #record(settings) {
    const { mayRecord, available } = this.#store.session ?? {};
    return this.#attempt(async () => {
      if (mayRecord === false && available.categories.includes("play-and-record"))
        await this.#client.patch("/session", { category: "play-and-record" });
      await this.#client.post("/recordings", settings);
    });
  }

  #player(verb, body) {
    const members = body && Object.keys(body).length ? body : undefined;
    return this.#attempt(() => this.#client.post(this.#paths.player(`/${verb}`), members));
  }

  /** `uri`: of a file of the queue that is to begin. */
  async #play({ uri, ...target } = {}) {
    const refusal = await this.#whyNot(uri);
    if (!refusal) return this.#player("play", target);
    this.#notify(refusal.message, { tone: "error" });
    return false;
  }

  #settings(patch) {
    return this.#attempt(() => this.#client.patch(this.#paths.player(), patch));
  }

  async #attempt(send) {
    return (await this.#answer(send)) !== null;
  }

  /** What the server answered, `{}` without a body; null when it refused. */
  async #answer(send) {
    try {
      const answer = (await send()) ?? {};
      this.#accept(answer);
      return answer;
    } catch (problem) {
      if (problem.scope === "control") this.#store.setReadOnly(true);
      this.#notify(problem.message, { tone: "error" });
      return null;
    }
  }

  /** A command's answer is the new snapshot, or says what became of the queue. */
  #accept(answer) {
    if (answer.status && "version" in answer) this.#store.applySnapshot(answer);
    else if ("revision" in answer) this.#store.applyQueue(answer);
  }

  /** Resolves once nothing of this kind is on its way any more. */
  #latest(kind, value, send) {
    return new Promise((resolve) => {
      let stream = this.#streams.get(kind);
      if (!stream) {
        stream = { waiting: [], done: true };
        stream.latest = new LatestWins(
          async (next) => { stream.done = await send(next); },
          { onIdle: () => stream.waiting.splice(0).forEach((tell) => tell(stream.done)), merge: addSteps });
        this.#streams.set(kind, stream);
      }
      stream.waiting.push(resolve);
      stream.latest.push(value);
    });
  }

  /** An item of the queue that cannot be played shall not end what plays: the server is asked first. */
  async #whyNot(uri) {
    if (!uri || isNetwork(uri) || isListName(uri)) return null;
    try {
      await this.#client.get(`/media/info?${new URLSearchParams({ uri })}`);
      return null;
    } catch (problem) {
      // Only a verdict on the file counts: a server that is busy may play it all the same.
      return problem.status >= 400 && problem.status < 500 && problem.status !== 429 ? problem : null;
    }
  }

  async #add({ items, position, play, check }) {
    const body = { items, position };
    if (play) body.play = true;
    if (check) body.check = true;
    let silent = null;
    // Over the channel where a refusal is nothing unusual: a browser reports one of HTTP as an error of the page.
    const isLookedAt = check && isNetwork(items[0].uri);
    const send = () => isLookedAt ? this.#channel.command("queue.add", body, looking) : this.#client.post(this.#paths.queue("/items"), body, slow);
    const answer = await this.#answer(() => send().catch((problem) => {
      if (!play || problem.code !== "output-unavailable") throw problem;
      // No sound is no reason to lose the choice.
      silent = problem;
      delete body.play;
      return send();
    }));
    if (silent) this.#notify(`Added, but not played: ${silent.message}`, { tone: "error" });
    else if (answer?.count === 0) this.#notify(nothingAdded(answer));
    else if (answer && !play) {
      const where = position === "next" ? "to play next" : "to the queue";
      const rest = answer.truncated ? ", not all there is: too many, or nested too deep" : "";
      this.#notify(`Added ${count(answer.count, "track")} ${where}${rest}`, undoOf(answer));
    }
    return answer !== null;
  }

  /** A list's revision is not the queue's: its answer goes nowhere. */
  async #playlist(message, send) {
    const done = await this.#attempt(async () => void (await send()));
    if (done) this.#notify(message);
    return done;
  }

  /** A link cannot send the token, so the file is fetched and handed over. */
  async #save(id) {
    const file = await this.#client.blob(`/recordings/${encodeURIComponent(id)}/file`);
    if (!file) return;
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: id });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  async #clearCache() {
    const answer = await this.#answer(() => this.#client.delete("/cache", slow));
    if (!answer) return false;
    this.#notify(`${answer.removed ? "Cleared" : "Nothing was removed"}${answer.kept ? `: ${answer.kept} in use stayed` : ""}`);
    return true;
  }

  async #remove(ids) {
    const answer = await this.#answer(() => this.#client.post(this.#paths.queue("/remove"), { ids }));
    if (answer) this.#notify(`Removed ${count(ids.length, "track")}`, undoOf(answer));
    return answer !== null;
  }

  async #clear() {
    const answer = await this.#answer(() => this.#client.delete(this.#paths.queue()));
    if (answer) this.#notify("Queue cleared", undoOf(answer));
    return answer !== null;
  }
}
