/**
 * The time from a key press to the painted letter while an answer streams: in the panel's text box, and in a page that
 * holds nothing but a text box and gets the same messages. Prints JSON lines `{name, value, unit}`.
 */
import * as f from "../panel/fixtures.ts";
import { launch } from "../panel/page.ts";

const rounds = 4;
const keysPerRound = 40;
/** About 80 words a minute, and never in step with the frames. */
const betweenKeysMs = 47;
const betweenDeltasMs = 16;

/** @param {string} name @param {number} value @param {string} unit */
const print = (name, value, unit) => console.log(JSON.stringify({ name, value: Math.round(value * 100) / 100, unit }));
/** @param {number[]} values @param {number} share */
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

const browser = await launch();
try {
  /** @type {{panel: number[], bare: number[]}} */
  const times = { panel: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    times.bare.push(...(await typed("bare")));
    times.panel.push(...(await typed("panel")));
  }
  for (const share of [0.5, 0.95]) {
    const [panel, bare] = [quantile(times.panel, share), quantile(times.bare, share)];
    const which = share === 0.5 ? "median" : "95 of 100 keys";
    print(`key press to letter while an answer streams, ${which}`, panel, "ms");
    print(`the same in a bare text box, ${which}`, bare, "ms");
    print(`panel to bare text box, ${which}`, panel / bare, "times");
  }
} finally {
  await browser.close();
}

/** Returns the ms of each key. @param {"panel" | "bare"} where */
async function typed(where) {
  const panel = await browser.open();
  const reply = f.rondo([...f.work, f.saying("")]);
  const part = reply.parts.at(-1);
  if (!part) throw new Error("the reply has no part");
  await panel.post(f.snapshot(f.chat("Bench", [f.asked, reply], { status: { type: "busy", since: Date.now() } })));
  const { page } = panel;
  if (where === "bare") await page.setContent("<textarea></textarea>");
  const delta = { type: "delta", messageID: part.messageID, partID: part.id, text: "Some words of **an answer**. " };
  await page.evaluate(
    ([delta, everyMs]) => {
      let seq = 1;
      let pressedAt = 0;
      /** @type {number[]} */
      const times = [];
      Object.assign(window, { times });
      setInterval(() => window.postMessage({ seq: ++seq, type: "events", events: [delta] }, "*"), everyMs);
      addEventListener("keydown", ({ timeStamp }) => (pressedAt = timeStamp), { capture: true });
      const drawn = () => {
        const { port1, port2 } = new MessageChannel();
        // A task after the frame's callbacks: by then it is painted.
        port1.onmessage = () => times.push(performance.now() - pressedAt);
        port2.postMessage(0);
      };
      addEventListener("input", () => requestAnimationFrame(drawn), { capture: true });
      document.querySelector("textarea")?.focus();
    },
    /** @type {const} */ ([delta, betweenDeltasMs]),
  );
  for (let key = 0; key < keysPerRound; key++) {
    await page.keyboard.press("x");
    await page.waitForTimeout(betweenKeysMs);
  }
  const times = await page.evaluate(() => /** @type {number[]} */ (Reflect.get(window, "times")));
  panel.close();
  return times;
}
