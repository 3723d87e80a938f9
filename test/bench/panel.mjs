/** The panel's speed: a 20,000-character answer at once, and as a stream. Prints JSON lines `{name, value, unit}`. */
import * as f from "../panel/fixtures.ts";
import { launch } from "../panel/page.ts";

const pieces = 1000;
const runs = 5;
const end = "\n\nThe end.\n\n";
const text = `${f.answer.repeat(40).slice(0, 20_000 - end.length)}${end}`;

/** @param {string} name @param {number} value @param {string} unit */
const print = (name, value, unit) => console.log(JSON.stringify({ name, value: Math.round(value * 10) / 10, unit }));
/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const browser = await launch();
try {
  /** @type {number[]} */
  const painted = [];
  for (let run = 0; run < runs; run++) painted.push(await atOnce());
  print("20,000 characters at once: last byte to painted, end in view", median(painted), "ms");
  const { long, longest, typed } = await streamed();
  print("1,000 deltas at 5 ms: tasks over 50 ms", long, "tasks");
  print("1,000 deltas at 5 ms: longest such task", longest, "ms");
  print("1,000 deltas at 5 ms: slowest frame", typed, "ms");
  const { shown, decided, elements } = await reviewed();
  print("1,000 files under review: message to painted", shown, "ms");
  print("1,000 files under review: one accepted, message to painted", decided, "ms");
  print("1,000 files under review: elements in the bar", elements, "elements");
} finally {
  await browser.close();
}

/** A panel in mid-turn, and the deltas of an answer for it. */
async function running() {
  const panel = await browser.open();
  const reply = f.rondo([...f.work, f.saying("")]);
  const part = reply.parts.at(-1);
  if (!part) throw new Error("the reply has no part");
  const chat = f.chat("Bench", [f.asked, reply], { status: { type: "busy", since: Date.now() } });
  await panel.post(f.snapshot(chat));
  const size = text.length / pieces;
  const deltas = Array.from({ length: pieces }, (_, at) => ({
    type: "delta",
    messageID: part.messageID,
    partID: part.id,
    text: text.slice(at * size, (at + 1) * size),
  }));
  return { panel, deltas };
}

/** Ms from the last of four messages to the frame in which the whole answer is painted with its end in view. */
async function atOnce() {
  const { panel, deltas } = await running();
  const ms = await panel.page.evaluate(async (events) => {
    const quarter = events.length / 4;
    for (let at = 0; at < 4; at++) {
      const some = events.slice(at * quarter, (at + 1) * quarter);
      window.postMessage({ seq: 2 + at, type: "events", events: some }, "*");
    }
    const start = performance.now();
    const log = document.querySelector("[role=log]");
    if (!log) throw new Error("no log");
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    do await frame();
    while (!log.textContent?.trim().endsWith("The end.") || log.scrollHeight - log.scrollTop - log.clientHeight > 2);
    await new Promise((done) => setTimeout(done));
    return performance.now() - start;
  }, deltas);
  panel.close();
  return ms;
}

async function streamed() {
  const { panel, deltas } = await running();
  const result = await panel.page.evaluate(async (events) => {
    /** @type {number[]} */
    const tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({
      type: "longtask",
    });
    let last = performance.now();
    let slowest = 0;
    let streaming = true;
    requestAnimationFrame(function frame(now) {
      slowest = Math.max(slowest, now - last);
      last = now;
      if (streaming) requestAnimationFrame(frame);
    });
    for (const [at, event] of events.entries()) {
      window.postMessage({ seq: 2 + at, type: "events", events: [event] }, "*");
      await new Promise((done) => setTimeout(done, 5));
    }
    streaming = false;
    await new Promise((done) => setTimeout(done, 300));
    return { long: tasks.length, longest: Math.max(0, ...tasks), typed: slowest };
  }, deltas);
  panel.close();
  return result;
}

/** The bar of a thousand files: when it appears, and when one of them is decided. */
async function reviewed() {
  const files = Array.from({ length: 1000 }, (_, at) => f.changedFile(`src/part-${at}/index.ts`, 2, 6, 9));
  const states = [0, 1].map((count) =>
    f.panelState({ review: files.map((file, at) => (at < count ? { ...file, state: "accepted", hunks: 0 } : file)) }),
  );
  /** @type {number[]} */
  const shown = [];
  /** @type {number[]} */
  const decided = [];
  let elements = 0;
  for (let run = 0; run < runs; run++) {
    const panel = await browser.open();
    await panel.post(f.snapshot(f.chat("Bench", [f.asked, f.rondo(f.work)])));
    const times = await panel.page.evaluate(async (states) => {
      /** @type {number[]} */
      const times = [];
      for (const [at, state] of states.entries()) {
        const start = performance.now();
        window.postMessage({ seq: 2 + at, type: "state", state }, "*");
        const words = `${(1000 - at).toLocaleString("en")} files`;
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        do await frame();
        while (!document.querySelector("[aria-label='Changes to review']")?.textContent?.includes(words));
        await new Promise((done) => setTimeout(done));
        times.push(performance.now() - start);
      }
      return times;
    }, states);
    shown.push(times[0] ?? Number.NaN);
    decided.push(times[1] ?? Number.NaN);
    elements = await panel.page.locator("[aria-label='Changes to review'] *").count();
    panel.close();
  }
  return { shown: median(shown), decided: median(decided), elements };
}
