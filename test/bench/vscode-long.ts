/** Opens long sessions from the list, in the real VS Code: from the click until the last message is painted. */
import { setTimeout as wait } from "node:timers/promises";
import type { Frame } from "playwright-core";
import { makeVSIX } from "../../scripts/vsix.mjs";
import { addLongSession } from "../long-record.ts";
import { type Length, lastWords, longest } from "../panel/long-session.ts";
import { median, type Report } from "./headless.ts";
import { openWindow } from "./vscode-window.ts";

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
    const times = new Map<string, number[]>(Object.keys(lengths).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, all] of times) all.push(await opened(panel, name));
    }
    for (const [name, all] of times) {
      report(`vscode-long.${name}-first`, all[0] ?? Number.NaN, "ms");
      report(`vscode-long.${name}`, median(all), "ms");
    }
  } finally {
    await window.close();
  }
}

async function opened(panel: Frame, title: string): Promise<number> {
  await panel.getByRole("button", { name: "New session", exact: true }).click();
  await panel.getByRole("log").getByRole("article").first().waitFor({ state: "detached" });
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  const row = panel.getByRole("region", { name: "Sessions" }).getByRole("button", { name: new RegExp(`^${title}`) });
  await row.waitFor();
  await wait(500);
  const painted = panel.evaluate(
    (words) =>
      new Promise<number>((done) =>
        addEventListener(
          "click",
          async () => {
            const start = performance.now();
            const log = () => document.querySelector("[role=log]");
            const isSeen = () => {
              const found = log();
              if (!found?.checkVisibility() || !found.textContent?.trimEnd().endsWith(words)) return false;
              return found.scrollHeight - found.scrollTop - found.clientHeight < 2;
            };
            do await new Promise((frame) => requestAnimationFrame(frame));
            while (!isSeen());
            // A task after the frame's callbacks: by then it is painted.
            await new Promise((task) => setTimeout(task));
            done(performance.now() - start);
          },
          { capture: true, once: true },
        ),
      ),
    lastWords,
  );
  await row.click();
  return await painted;
}
