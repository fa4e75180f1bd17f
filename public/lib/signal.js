// SPDX-License-Identifier: Apache-2.0

/** The running effect; each value it reads becomes one of its sources. */
let running = null;
let due = null;

/** A value, and the effects that have read it. */
class Signal {
  #value;
  #readers = new Set();

  constructor(value) {
    this.#value = value;
  }

  get() {
    if (running) {
      this.#readers.add(running);
      running.sources.add(this.#readers);
    }
    return this.#value;
  }

  set(value) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const reader of this.#readers) schedule(reader);
  }
}

/** Runs `run` now, and again when values that it read have changed: once for all changes within a task. */
export function effect(run) {
  perform({ run, sources: new Set() });
}

/** Runs `run` without making the values it reads sources of the surrounding effect. */
export function untracked(run) {
  const outer = running;
  running = null;
  try {
    return run();
  } finally {
    running = outer;
  }
}

/** Gives the class observed fields, `{name: first value}`. Only replacing a value counts as a change. */
export function observe(type, fields) {
  for (const [name, first] of Object.entries(fields)) {
    const key = Symbol(name);
    const signal = (owner) => (owner[key] ??= new Signal(first));
    Object.defineProperty(type.prototype, name, {
      get() { return signal(this).get(); },
      set(value) { signal(this).set(value); },
    });
  }
}

function schedule(reader) {
  if (!due) {
    due = new Set();
    queueMicrotask(flush);
  }
  due.add(reader);
}

function flush() {
  const readers = due;
  due = null;
  for (const reader of readers) {
    try {
      perform(reader);
    } catch (error) {
      // The other effects still run.
      reportError(error);
    }
  }
}

function perform(reader) {
  for (const readers of reader.sources) readers.delete(reader);
  reader.sources.clear();
  const outer = running;
  running = reader;
  try {
    reader.run();
  } finally {
    running = outer;
  }
}
