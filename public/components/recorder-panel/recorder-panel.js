// SPDX-License-Identifier: Apache-2.0

import { choices, define, effect, html, icon, iconButton, render, setText, textButton } from "../../lib/component.js";
import { EntriesView, entryRow, loading, placingButtons, placings } from "../../lib/browsing.js";
import { describeItem, formatSize, isListName, isNetwork, stationOf } from "../../lib/media.js";
import { showLevels } from "../../lib/meter.js";
import { describeStreamEnd } from "../../lib/saved-stream.js";
import { formatTime } from "../../lib/time.js";

const formats = {
  speech: { label: "Speech (WAV, small)", settings: {} },
  music: { label: "Music (FLAC)", settings: { format: "flac", sampleRate: 48000, channels: 2 } },
  wave: { label: "Music (WAV, 24 bit)", settings: { format: "wav", bits: 24, sampleRate: 48000, channels: 2 } },
  opus: { label: "Opus", settings: { format: "opus", sampleRate: 48000, channels: 2 } },
  mp3: { label: "MP3", settings: { format: "mp3", sampleRate: 44100, channels: 2 } },
};
const noSource = "This machine has no microphone or line input.";
const interruption = "The sound server delivers nothing. Recording resumes with the next sound.";
const endings = {
  "route-change": "The microphone is no longer available.",
  "disk-full": "The disk is full.",
  "write-error": "The file could not be written.",
  "size-limit": "The file reached its maximum size.",
  session: "The session no longer allows recording.",
};

/** The recorder and its meter, the saving of a stream, and the files of both. Fields: `recorder` (a `Recorder`), `item` (the current one), `session`. */
class RecorderPanel extends EntriesView {
  #timer = 0;

  markup() {
    return html`
      <header class="pane-header"><h2>Recordings</h2></header>
      <div class="recorder-controls">
        ${textButton("microphone", "Record", { action: "record" })}${textButton("pause", "Pause", { action: "pauseRecording" })}${textButton("stop", "Stop", { action: "stopRecording" })}
      </div>
      <div class="recorder-setting"><label class="recorder-format">As <select aria-label="Format" data-ref="format">${choices(Object.entries(formats).map(([name, { label }]) => [name, label]))}</select></label>
        <output class="recorder-time" aria-label="Recorded time" data-ref="time">0:00</output></div>
      <div class="level-meter" role="meter" aria-label="Level" aria-valuemin="-160" aria-valuemax="0" aria-valuenow="-160" data-ref="meter"></div>
      <p class="recorder-note" role="status" data-ref="note"></p>
      <p class="recorder-offer" hidden data-ref="offer"><span></span><button class="text-button" data-action="saveStream" aria-label="Save the stream" title="Save the stream as it comes">${icon("download")}Save</button></p>
      <p class="recorder-stream" hidden data-ref="stream"><span></span><button class="text-button" data-action="stopStream" aria-label="Stop saving the stream">${icon("stop")}Stop</button></p>
      <p class="recorder-end note" data-ref="end"></p>
      <div class="browser-scroll"><ul class="browser-entries" aria-label="Recordings" data-ref="list"></ul><div class="empty" hidden data-ref="empty"></div></div>`;
  }

  made() {
    super.made();
    effect(() => showLevels(this.refs.meter, this.recorder?.level ?? []));
    effect(() => this.#drawStream());
    effect(() => this.#drawList());
  }

  focusFirst() {
    this.focusFilter();
  }

  focusFilter() {
    this.querySelector("button:enabled, select:enabled")?.focus();
  }

  draw() {
    const { status } = this.recorder ?? {};
    const state = status?.state ?? "idle";
    const last = state === "idle" ? status?.last : null;
    const isTrouble = last && (!last.successfully || !["user", "shutdown"].includes(last.reason));
    const isRunning = state === "recording" || state === "interrupted";
    const hasSource = !this.session || this.session.available.categories.includes("record");
    this.button("record").disabled = isRunning || state === "starting" || state === "disabled" || state === "idle" && !hasSource;
    setText(this.button("record").querySelector("span"), state === "paused" ? "Resume" : "Record");
    this.button("pauseRecording").disabled = !isRunning;
    this.button("stopRecording").disabled = !isRunning && state !== "paused";
    this.refs.format.disabled = state !== "idle";
    this.classList.toggle("recording", state === "recording");
    setText(this.refs.note, state === "interrupted" ? interruption : isTrouble ? `${endings[last.reason] ?? ""} ${last.message ?? ""}`.trim()
      : state === "idle" && !hasSource ? noSource : "");
    this.#follow(state, status?.duration ?? 0);
  }

  #drawStream() {
    const { offer, stream: line, end } = this.refs;
    const { stream, seenEnd } = this.recorder ?? {};
    const had = [offer, line].find((part) => part.contains(document.activeElement));
    const isSaving = stream?.state === "recording";
    line.hidden = !isSaving;
    if (isSaving) setText(line.querySelector("span"), `Saving a stream: ${stream.id}, ${formatSize(stream.bytes ?? 0)}`);
    // A stream in segments cannot be saved.
    offer.hidden = stream?.state !== "idle" || !isNetwork(this.item?.uri) || isListName(this.item.uri);
    if (!offer.hidden) setText(offer.querySelector("span"), `From the web: ${sourceOf(this.item)}`);
    setText(end, isSaving || stream?.last?.id === seenEnd ? "" : describeStreamEnd(stream?.last));
    // The pressed button is gone: focus the one in its place.
    if (!had?.hidden) return;
    const next = [offer, line].find((part) => !part.hidden);
    if (next) next.querySelector("button").focus();
    else this.focusFilter();
  }

  /** Counts the time locally: events come only when the state changes. */
  #follow(state, duration) {
    clearInterval(this.#timer);
    const began = performance.now() - duration * 1000;
    const show = (seconds) => setText(this.refs.time, formatTime(seconds));
    show(duration);
    if (state === "recording") this.#timer = setInterval(() => show((performance.now() - began) / 1000), 500);
  }

  #drawList() {
    const { recordings = null, problem } = this.recorder ?? {};
    this.rows.redraw(() => render(this.refs.list, html`${(recordings ?? []).map(row)}`));
    this.showEmpty(problem ? { symbol: "warning", title: "The recordings cannot be shown", text: problem }
      : recordings === null ? loading : recordings.length ? null : { symbol: "microphone", title: "No recordings yet" });
  }

  async press(action, { id, uri }) {
    if (action === "record") await this.request("record", formats[this.refs.format.value].settings);
    else if (action in placings) await this.request("add", { items: [{ uri }], ...placings[action] });
    else if (action !== "removeRecording") await this.request(action, { id });
    else if (await this.confirm({ title: "Delete this recording?", text: `${id} is deleted from the server’s disk.`, action: "Delete" })) {
      await this.request("removeRecording", { id });
      this.recorder.list();
    }
  }
}

/** For a station its name, because songs change. */
const sourceOf = (item) => item.live ? stationOf(item) : describeItem(item).title;

function row({ id, uri, duration, size, recovered }) {
  const values = { id, uri };
  return entryRow({
    action: "saveRecording", values, symbol: "download", name: id, title: `Download ${id}`,
    note: [formatTime(duration), formatSize(size), recovered && "recovered"].filter(Boolean).join(" · "),
    tools: html`${placingButtons(["play", "add"], id, values)}
      ${iconButton("trash", `Delete ${id}`, "Delete", { action: "removeRecording", ...values })}`,
  });
}

define("recorder-panel", RecorderPanel, { recorder: null, item: null, session: null }, import.meta.url);
