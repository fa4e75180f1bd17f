// SPDX-License-Identifier: Apache-2.0

import { choices, Component, define, effect, html, iconButton, render, setChoices, setText, textButton } from "../../lib/component.js";
import { count, nameFromUri, stepsOf } from "../../lib/media.js";
import { dayTime, foreignZone } from "../../lib/time.js";

const days = [["mon", "Mon"], ["tue", "Tue"], ["wed", "Wed"], ["thu", "Thu"], ["fri", "Fri"], ["sat", "Sat"], ["sun", "Sun"]];
const ramps = [["0", "At once"], ["30", "In 30 seconds"], ["120", "In 2 minutes"], ["600", "In 10 minutes"]];
const fresh = { id: null, time: "07:00", days: [], items: [], level: 0.4, ramp: 30 };
const results = { fallback: "the fallback played", tone: "only the tone played", missed: "missed, the server was off", failed: "no sound",
  replaced: "another alarm rang instead" };

const wordsOf = (chosen) => chosen.length === 0 ? "Once" : chosen.length === 7 ? "Every day"
  : days.filter(([day]) => chosen.includes(day)).map(([, words]) => words).join(", ");

const percentOf = ({ level }) => Math.round(level * 100);

/** The value of the list "Plays". Anything but the queue, one playlist or one address stays as it is. */
function musicOf([item, ...others]) {
  if (!item) return "";
  if (others.length) return "several";
  return item.playlist ? `playlist:${item.playlist}` : item.uri ? "address" : "other";
}

/** `playlists` is null while they load. */
function musicWords([item, ...others], playlists) {
  if (!item) return "The queue";
  if (others.length) return count(others.length + 1, "item");
  if (item.playlist) return playlists?.find(({ id }) => id === item.playlist)?.name ?? "A playlist";
  return item.uri ? nameFromUri(item.uri) : "From the library";
}

/**
 * The alarms of the player. Fields: `timers`, `playlists` (null while they load), `player` (its id), `folder` (the path that is open among
 * the music, or ""). Reports `playlists-changed` when it needs the playlists.
 */
class AlarmList extends Component {
  markup() {
    return html`
      <ul class="alarms" aria-label="Alarms" data-ref="list"></ul>
      ${textButton("add", "Add alarm", { action: "edit" })}
      <form class="alarm-form" hidden data-ref="form">
        <label class="field"><span data-ref="time">Time</span><input type="time" name="time" required></label>
        <fieldset class="alarm-days"><legend>Days (none: once)</legend>${days.map(([day, words]) =>
          html`<label class="check"><input type="checkbox" name="days" value="${day}"> ${words}</label>`)}</fieldset>
        <label class="field range"><span>Volume</span><span class="value" aria-hidden="true" data-ref="level"></span><input type="range" name="level" min="1" max="100"></label>
        <label class="field"><span>Reaches this volume</span><select name="ramp">${choices(ramps)}</select></label>
        <label class="field"><span>Plays</span><select name="music"></select></label>
        <label class="field" hidden data-ref="address"><span>Address or file</span><input name="address" maxlength="4096" placeholder="https://" autocomplete="off" spellcheck="false"></label>
        <p class="alarm-hint">Several items, a fallback or another output: at a computer, with <code>tonearm alarm set</code>.</p>
        <div class="dialog-buttons"><button type="button" class="text-button" data-action="cancel">Cancel</button><button class="primary-button">Save alarm</button></div>
      </form>`;
  }

  made() {
    const { form } = this.refs;
    form.addEventListener("submit", (event) => this.#save(event));
    form.level.addEventListener("input", () => this.#showLevel());
    form.music.addEventListener("change", () => this.#showAddress());
    effect(() => this.#showMusic(this.playlists ?? []));
    this.refs.list.addEventListener("change", async ({ target }) => {
      if (!(await this.request("changeTimer", { id: target.dataset.id, enabled: target.checked }))) this.draw();
    });
  }

  get #alarms() {
    return this.timers.filter(({ type }) => type === "alarm").sort((left, right) => left.time.localeCompare(right.time));
  }

  draw() {
    const { list, form } = this.refs;
    const isGone = this.editing?.id && !this.#alarms.some(({ id }) => id === this.editing.id);
    if ((isGone || this.editedOn !== this.player) && !form.hidden) this.#close();
    const focused = list.contains(document.activeElement) ? document.activeElement : null;
    render(list, html`${this.#alarms.map((alarm) => row(alarm, musicWords(alarm.items, this.playlists)))}`);
    if (!this.playlists && this.#alarms.some(({ items }) => items[0]?.playlist)) this.report("playlists-changed");
    if (focused) list.querySelector(`[data-action="${focused.dataset.action}"][data-id="${focused.dataset.id}"]`)?.focus();
  }

  async press(action, { id }) {
    const alarm = this.#alarms.find((known) => known.id === id) ?? fresh;
    if (action === "edit") this.#edit(alarm);
    else if (action === "cancel") this.#close();
    else if (action === "remove" && await this.confirm({ title: `Delete the alarm at ${alarm.time}?`, text: wordsOf(alarm.days), action: "Delete" })) {
      await this.request("endTimer", { id });
    }
  }

  #edit(alarm) {
    const { form } = this.refs;
    this.editing = alarm;
    this.editedOn = this.player;
    this.report("playlists-changed");
    const zone = foreignZone(alarm);
    setText(this.refs.time, zone ? `Time in ${zone}` : "Time");
    form.time.value = alarm.time.slice(0, 5);
    for (const box of form.days) box.checked = alarm.days.includes(box.value);
    form.level.value = percentOf(alarm);
    const isKnown = ramps.some(([value]) => Number(value) === alarm.ramp);
    setChoices(form.ramp, isKnown ? ramps : [...ramps, [alarm.ramp, `In ${alarm.ramp} seconds`]], alarm.ramp);
    form.address.value = alarm.items[0]?.uri ?? "";
    this.#showMusic(this.playlists ?? [], musicOf(alarm.items));
    this.#showLevel();
    form.hidden = false;
    form.time.focus();
  }

  #close() {
    const { form } = this.refs;
    const hadFocus = form.contains(document.activeElement);
    form.hidden = true;
    if (hadFocus) this.querySelector(":scope > [data-action=edit]").focus();
  }

  #showMusic(playlists, value = this.refs.form.music.value) {
    const { music } = this.refs.form;
    const folder = this.folder && [`folder:${this.folder}`, `${stepsOf(this.folder).at(-1)} (open in Folders)`];
    const entries = [["", "The queue"], ...(folder ? [folder] : []), ...playlists.map(({ id, name }) => [`playlist:${id}`, name]), ["address", "An address or file"]];
    if (!entries.some(([known]) => known === value)) entries.push([value, "As it is set now"]);
    setChoices(music, entries, value);
    this.#showAddress();
  }

  #showAddress() {
    const { form, address } = this.refs;
    address.hidden = form.music.value !== "address";
    form.address.required = !address.hidden;
  }

  /** `items` of the API; undefined when unchanged, because the page does not know the secrets of an address. */
  #items({ items }) {
    const { music: { value: music }, address: { value: address } } = this.refs.form;
    if (music === musicOf(items) && (music !== "address" || address === items[0].uri)) return undefined;
    if (music === "address") return [{ uri: address.trim() }];
    if (music.startsWith("folder:")) return [{ uri: music.slice("folder:".length) }];
    return music ? [{ playlist: music.slice("playlist:".length) }] : [];
  }

  #showLevel() {
    setText(this.refs.level, `${this.refs.form.level.value} %`);
  }

  async #save(event) {
    event.preventDefault();
    const { refs: { form }, editing } = this;
    const chosen = [...form.days].filter((box) => box.checked).map((box) => box.value);
    // A member that stays as it is is left out: the form shows no seconds, and a new time ends a snooze.
    const newTime = editing.id && form.time.value === editing.time.slice(0, 5) ? undefined : form.time.value;
    const percent = Number(form.level.value);
    const newDays = chosen.join() === editing.days.join() ? undefined : chosen;
    // An alarm without days is off while it is snoozed: switching it on would end the snooze.
    const staysSnoozed = editing.state === "snoozed" && newTime === undefined && newDays === undefined;
    const alarm = {
      time: newTime, days: newDays, level: percent === percentOf(editing) ? undefined : percent / 100, ramp: Number(form.ramp.value),
      enabled: editing.enabled || staysSnoozed ? undefined : true, items: this.#items(editing),
    };
    const { id } = editing;
    if (await this.request(...(id ? ["changeTimer", { id, ...alarm }] : ["addAlarm", alarm]))) this.#close();
  }
}

function row(alarm, music) {
  const { id, time, days: chosen, enabled, next, last, state } = alarm;
  const name = time.slice(0, 5);
  const trouble = results[last?.result];
  const future = state === "ringing" ? "rings now" : state === "snoozed" ? `snoozed until ${dayTime(next)}`
    : enabled && next ? `next: ${dayTime(next)}` : "off";
  const about = [wordsOf(chosen), foreignZone(alarm), future, trouble && `last time: ${trouble}`].filter(Boolean).join(" · ");
  const plays = `${music}, ${percentOf(alarm)} %`;
  return html`<li>
    <label class="check"><input type="checkbox" aria-label="Alarm at ${name}" data-action="switch" data-id="${id}" ${enabled ? html`checked` : null}>
      <span class="alarm-time">${name}</span><span class="alarm-words"><span class="alarm-about">${about}</span><span class="alarm-plays note">${plays}</span></span></label>
    <button type="button" class="text-button" data-action="edit" data-id="${id}" aria-label="Edit the alarm at ${name}">Edit</button>
    ${iconButton("trash", `Delete the alarm at ${name}`, "Delete", { action: "remove", id })}</li>`;
}

define("alarm-list", AlarmList, { timers: [], playlists: null, player: null, folder: "" }, import.meta.url);
