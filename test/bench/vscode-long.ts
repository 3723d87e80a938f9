/**
 * Opens long sessions from the list, in the real VS Code. In ms since the click: until the newest message is painted, at
 * the end of the log, and until a letter is that was typed from then on. Aim: a session of 3,000 steps within 300 ms.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Frame } from "playwright-core";
import { makeVSIX } from "../../scripts/vsix.mjs";
import { addLongSession } from "../long-record.ts";
import { type Length, lastWords, longest } from "../panel/long-session.ts";
import { median, type Report } from "./headless.ts";
import { openWindow, type Window } from "./vscode-window.ts";

const rounds = 7;
const rest = 3000;

const lengths: Record<string, Length> = {
  "3000-steps": longest,
  "200-steps": { ...longest, turns: 4, steps: 50 },
};

export async function benchVSCodeLong(report: Report): Promise<void> {
  const window = await openWindow([await makeVSIX()], () => [{ text: "Nothing to say." }], rest);
  try {
    await window.command("Rondo: Focus Chat");
    const panel = await window.panel();
    for (const [name, length] of Object.entries(lengths)) await addLongSession(window.dataDir, name, length);
    const times = new Map<string, Opening[]>(Object.keys(lengths).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, all] of times) all.push(await opened(window, panel, name));
    }
    for (const [name, all] of times) {
      for (const figure of ["painted", "letter"] as const) {
        const figures = all.map((one) => one[figure]);
        report(`vscode-long.${name}.${figure}-first`, figures[0] ?? Number.NaN, "ms");
        report(`vscode-long.${name}.${figure}`, median(figures), "ms");
      }
    }
  } finally {
    await window.close();
  }
}

interface Opening {
  painted: number;
  letter: number;
}

async function opened(window: Window, panel: Frame, title: string): Promise<Opening> {
  await panel.getByRole("button", { name: "New session", exact: true }).click();
  await panel.getByRole("log").getByRole("article").first().waitFor({ state: "detached" });
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  const row = panel.getByRole("region", { name: "Sessions" }).getByRole("button", { name: new RegExp(`^${title}`) });
  await row.waitFor();
  await wait(500);
  const seen = await panel.evaluateHandle(watchClick, { words: lastWords, limitMs: 30_000 });
  await row.click();
  await seen.evaluate(({ painted }) => painted);
  await window.page.keyboard.press("x");
  const figures = await seen.evaluate(async ({ painted, letter }) => ({
    painted: await painted,
    letter: await letter,
  }));
  await window.page.keyboard.press("Backspace");
  return figures;
}

/** Runs in the panel. Times are in ms, since the next click. The text box has the focus as soon as the words are painted. */
function watchClick({ words, limitMs }: { words: string; limitMs: number }): {
  painted: Promise<number>;
  letter: Promise<number>;
} {
  const painted = Promise.withResolvers<number>();
  const letter = Promise.withResolvers<number>();
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  /** A task after the frame's callbacks: by then it is painted. */
  const task = () => new Promise((done) => setTimeout(done));
  const isSeen = () => {
    const log = document.querySelector("[role=log]");
    // What can be done with the answer stands below its words.
    if (!log?.checkVisibility() || !log.textContent?.slice(-2 * words.length - 100).includes(words)) return false;
    return log.scrollHeight - log.scrollTop - log.clientHeight < 2;
  };
  const watch = async () => {
    const start = performance.now();
    const typed = async () => {
      await frame();
      await task();
      letter.resolve(performance.now() - start);
    };
    addEventListener("input", () => void typed(), { capture: true, once: true });
    do {
      if (performance.now() - start > limitMs) throw new Error(`“${words}” was not seen within ${limitMs} ms`);
      await frame();
    } while (!isSeen());
    await task();
    document.querySelector("textarea")?.focus();
    painted.resolve(performance.now() - start);
  };
  addEventListener("click", () => void watch().catch(painted.reject), { capture: true, once: true });
  return { painted: painted.promise, letter: letter.promise };
}
