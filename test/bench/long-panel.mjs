/**
 * The panel with a session of 3,000 steps (12,000 parts, 10 MB), and of 200: until its last message is painted, while it
 * is scrolled from end to start, and its memory. Prints JSON lines `{name, value, unit}`.
 */

import { panelState } from "../panel/fixtures.ts";
import { lastWords, longChat, longest } from "../panel/long-session.ts";
import { launch } from "../panel/page.ts";

const runs = 5;

/** @param {string} name @param {number} value @param {string} unit */
const print = (name, value, unit) => console.log(JSON.stringify({ name, value: Math.round(value * 10) / 10, unit }));

const browser = await launch();
try {
  await measure("3,000 steps", longest, 3);
  await measure("one turn of 3,000 steps", { ...longest, turns: 1, steps: 3000 }, 2);
  await measure("200 steps", { ...longest, turns: 4, steps: 50 }, runs);
} finally {
  await browser.close();
}

/** @param {string} name @param {import("../panel/long-session.ts").Length} length @param {number} times */
async function measure(name, length, times) {
  const chat = longChat(length);
  /** @type {number[]} */
  const opened = [];
  /** @type {number[]} */
  const memory = [];
  /** @type {number[]} */
  const frames = [];
  let nodes = 0;
  for (let run = 0; run < times; run++) {
    const panel = await browser.open();
    const cdp = await panel.page.context().newCDPSession(panel.page);
    const heap = async () => {
      await cdp.send("HeapProfiler.collectGarbage");
      return (await cdp.send("Runtime.getHeapUsage")).usedSize / 2 ** 20;
    };
    const before = await heap();
    opened.push(await open(panel, chat));
    nodes = Math.max(nodes, await panel.page.locator("[role=log] *").count());
    await panel.page.waitForTimeout(3000);
    memory.push((await heap()) - before);
    frames.push(await scrolled(panel));
    nodes = Math.max(nodes, await panel.page.locator("[role=log] *").count());
    await panel.page.reload();
    panel.close();
  }
  print(`${name}: snapshot to last message painted, least of ${times}`, Math.min(...opened), "ms");
  print(`${name}: elements in the log, most`, nodes, "elements");
  print(`${name}: memory of scripts, least of ${times}`, Math.min(...memory), "MiB");
  print(`${name}: slowest frame while scrolling, least of ${times}`, Math.min(...frames), "ms");
}

/** @param {import("../panel/page.ts").PanelPage} panel @param {import("../../src/chat/apply.ts").Chat} chat */
async function open(panel, chat) {
  const state = panelState();
  return await panel.page.evaluate(
    async ({ text, words }) => {
      const message = JSON.parse(text);
      const start = performance.now();
      // A structured clone, as between VS Code and the page.
      window.postMessage(message, "*");
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const log = () => document.querySelector("[role=log]");
      do await frame();
      while (!log()?.textContent?.trim().endsWith(words));
      await new Promise((done) => setTimeout(done));
      return performance.now() - start;
    },
    { text: JSON.stringify({ seq: 1, type: "snapshot", chat, state, draft: "" }), words: lastWords },
  );
}

/** Scrolls up by the wheel for some seconds. @param {import("../panel/page.ts").PanelPage} panel */
async function scrolled(panel) {
  await panel.page.mouse.move(200, 300);
  const slowest = panel.page.evaluate(
    () =>
      new Promise((done) => {
        let last = performance.now();
        let most = 0;
        const end = last + 4000;
        requestAnimationFrame(function frame(now) {
          most = Math.max(most, now - last);
          last = now;
          if (now < end) requestAnimationFrame(frame);
          else done(most);
        });
      }),
  );
  const end = Date.now() + 3500;
  while (Date.now() < end) {
    await panel.page.mouse.wheel(0, -600);
    await panel.page.waitForTimeout(16);
  }
  return Number(await slowest);
}
