// SPDX-License-Identifier: Apache-2.0

import { html, render, setText } from "../../lib/html.js";
import { icon } from "../../lib/icons.js";
import { describeItem, formatSize, isNetwork, stationOf } from "../../lib/media.js";
import { confirm, request } from "../../lib/request.js";
import { Rows } from "../../lib/rows.js";
import { describeStreamEnd } from "../../lib/saved-stream.js";
import { formatTime } from "../../lib/time.js";

const formats = {
  speech: { label: "Speech (WAV, small)", settings: {} },
  music: { label: "Music (FLAC)", settings: { format: "flac", sampleRate: 48000, channels: 2 } },
  wave: { label: "Music (WAV, 24 bit)", settings: { format: "wav", bits: 24, sampleRate: 48000, channels: 2 } },
  opus: { label: "Opus", settings: { format: "opus", sampleRate: 48000, channels: 2 } },
  mp3: { label: "MP3", settings: { format: "mp3", sampleRate: 44100, channels: 2 } },
};
const endings = {
  "route-change": "The microphone went away.",
  "disk-full": "The disk is full.",
  "write-error": "The file could not be written.",
  "size-limit": "The file is as large as it can be.",
  session: "The session does not allow recording any longer.",
};

/**
 * The recorder and its meter, the saving of what plays from the web, and what both have made. Properties: `recorder` (a `Recorder`), `item` (the
 * one that plays), `level`. Reports `recordings-changed`.
 */
export class RecorderPanel extends HTMLElement {
  #recorder = null;
  #item = null;
  #began = 0;
  #timer = 0;

  connectedCallback() {
    render(this, html`
      <header class="pane-header"><h2>Recordings</h2></header>
      <div class="recorder-controls">
        <button class="text-button" data-action="record">${icon("microphone")}<span>Record</span></button>
        <button class="text-button" data-action="pause">${icon("pause")}Pause</button>
        <button class="text-button" data-action="stop">${icon("stop")}Stop</button>
      </div>
      <div class="recorder-setting"><label class="recorder-format">As <select aria-label="Format">${Object.entries(formats).map(([name, { label }]) =>
        html`<option value="${name}">${label}</option>`)}</select></label>
        <output class="recorder-time" aria-label="Recorded time">0:00</output></div>
      <div class="recorder-meter" role="meter" aria-label="Level" aria-valuemin="-160" aria-valuemax="0" aria-valuenow="-160"></div>
      <p class="recorder-note" role="status"></p>
      <p class="recorder-offer" hidden><span></span><button class="text-button" data-action="saveStream" aria-label="Save the stream" title="Save what it sends, as it comes">${icon("download")}Save</button></p>
      <p class="recorder-stream" hidden><span></span><button class="text-button" data-action="stopStream" aria-label="Stop saving the stream">${icon("stop")}Stop</button></p>
      <p class="recorder-end"></p>
      <div class="browser-scroll"><ul class="browser-entries" aria-label="Recordings"></ul><div class="empty" hidden></div></div>`);
    this.meter = this.querySelector(".recorder-meter");
    this.addEventListener("click", ({ target }) => this.#clicked(target.closest("button[data-action]")));
    this.rows = new Rows(this.querySelector("ul"));
    this.level = [];
  }

  focusFirst() {
    this.querySelector("[data-action=record]").focus();
  }

  focusFilter() {
    this.focusFirst();
  }

  set recorder(recorder) {
    this.#recorder = recorder;
    const { status, stream, recordings, problem } = recorder;
    const state = status?.state ?? "idle";
    const button = (name) => this.querySelector(`[data-action=${name}]`);
    button("record").disabled = state === "recording" || state === "starting" || state === "disabled";
    setText(button("record").querySelector("span"), state === "paused" ? "Resume" : "Record");
    button("pause").disabled = state !== "recording";
    button("stop").disabled = state !== "recording" && state !== "paused";
    this.querySelector("select").disabled = state !== "idle";
    this.classList.toggle("recording", state === "recording");
    this.#showNote(status);
    this.#showStream(stream);
    this.#follow(state, status?.duration ?? 0);
    this.#showList(recordings, problem);
  }

  set item(item) {
    this.#item = item;
    if (this.#recorder) this.#showStream(this.#recorder.stream);
  }

  /** The channels of a `record-level` event. */
  set level(channels) {
    const decibels = channels.length ? Math.max(...channels.map(({ peak }) => peak)) : -160;
    this.meter.setAttribute("aria-valuenow", String(Math.round(decibels)));
    this.meter.setAttribute("aria-valuetext", `${Math.round(decibels)} dB`);
    if (this.meter.children.length !== channels.length) render(this.meter, html`${channels.map(() => html`<i><b></b></i>`)}`);
    channels.forEach(({ average, peak }, index) => {
      // The last 60 dB are what a person can tell apart on a bar.
      const width = (value) => String(Math.max(0, 1 + value / 60));
      const bar = this.meter.children[index];
      bar.style.setProperty("--average", width(average));
      bar.style.setProperty("--peak", width(peak));
    });
  }

  #showNote(status) {
    const last = status?.last;
    const trouble = last && !["user", "shutdown"].includes(last.reason) && status.state === "idle";
    setText(this.querySelector(".recorder-note"), trouble ? `${endings[last.reason] ?? ""} ${last.message ?? ""}`.trim() : "");
  }

  #showStream(stream) {
    const [offer, line] = [this.querySelector(".recorder-offer"), this.querySelector(".recorder-stream")];
    const had = [offer, line].find((part) => part.contains(document.activeElement));
    const isSaving = stream?.state === "recording";
    line.hidden = !isSaving;
    if (isSaving) setText(line.querySelector("span"), `Saving a stream: ${stream.id}, ${formatSize(stream.bytes ?? 0)}`);
    offer.hidden = stream?.state !== "idle" || !isNetwork(this.#item?.uri);
    if (!offer.hidden) setText(offer.querySelector("span"), `From the web: ${sourceOf(this.#item)}`);
    setText(this.querySelector(".recorder-end"), isSaving ? "" : describeStreamEnd(stream?.last));
    // The button that was pressed is gone; the focus is with the one in its place.
    if (had?.hidden) [offer, line, this].find((part) => !part.hidden).querySelector("button").focus();
  }

  /** The time runs on here: the server tells it when the state changes. */
  #follow(state, duration) {
    clearInterval(this.#timer);
    this.#began = performance.now() - duration * 1000;
    const show = (seconds) => setText(this.querySelector(".recorder-time"), formatTime(seconds));
    show(duration);
    if (state === "recording") this.#timer = setInterval(() => show((performance.now() - this.#began) / 1000), 500);
  }

  #showList(recordings, problem) {
    this.rows.redraw(() => render(this.querySelector("ul"), html`${(recordings ?? []).map(row)}`));
    const box = this.querySelector(".empty");
    const markup = problem ? html`${icon("warning")}<h3>The recordings cannot be shown</h3><p>${problem}</p>`
      : recordings === null ? html`<p>Loading…</p>`
        : recordings.length ? null : html`${icon("microphone")}<h3>No recordings yet</h3>`;
    box.hidden = markup === null;
    if (markup) render(box, markup);
  }

  async #clicked(button) {
    const { action, id, uri } = button?.dataset ?? {};
    if (action === "record") await request(this, "record", formats[this.querySelector("select").value].settings);
    else if (action === "pause") await request(this, "pauseRecording");
    else if (action === "stop") await request(this, "stopRecording");
    else if (action === "saveStream") await request(this, "saveStream");
    else if (action === "stopStream") await request(this, "stopStream");
    else if (action === "add") await request(this, "add", { items: [{ uri }] });
    else if (action === "save") await request(this, "saveRecording", { id });
    else if (action === "remove" && await confirm(this, {
      title: "Delete this recording?", text: `${id} is deleted from the server’s disk.`, action: "Delete",
    })) {
      await request(this, "removeRecording", { id });
      this.dispatchEvent(new CustomEvent("recordings-changed", { bubbles: true }));
    }
  }
}

/** Of a station its name: songs come and go. */
const sourceOf = (item) => item.live ? stationOf(item) : describeItem(item).title;

function row({ id, uri, duration, size, recovered }) {
  const data = (action) => html`data-action="${action}" data-id="${id}" data-uri="${uri}"`;
  const about = [formatTime(duration), formatSize(size), recovered && "recovered"].filter(Boolean).join(" · ");
  return html`
    <li class="entry">
      <button class="entry-name" ${data("save")} title="Download ${id}">
        ${icon("download")}<span class="entry-text">${id}</span><span class="entry-size">${about}</span>
      </button>
      <button class="icon-button" ${data("add")} aria-label="Add ${id} to the queue" title="Add to the queue">${icon("add")}</button>
      <button class="icon-button" ${data("remove")} aria-label="Delete ${id}" title="Delete">${icon("trash")}</button>
    </li>`;
}

customElements.define("recorder-panel", RecorderPanel);
