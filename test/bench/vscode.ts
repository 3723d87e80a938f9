/** Rondo in the real VS Code, installed from its VSIX, beside the same VS Code without it. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Frame, Page } from "playwright-core";
import { makeVSIX } from "../../scripts/vsix.mjs";
import { type Answer, type ModelServer, type ReceivedRequest, startModelServer } from "../model-server.ts";
import { freshFolder, openBrowser, startVSCode, webviewFrame, workbenchURL } from "../vscode.mjs";
import { median, type Report } from "./headless.ts";

const root = path.join(import.meta.dirname, "../..");
const rounds = 5;
const steps = 50;
/** How long a window gets over its own start, and rests before its memory is read, in ms. */
const rest = 5000;

const last = "The end of this answer.";
const paragraph =
  "The **cart** adds up its lines in `subtotal()`, and the rate comes off last.\n\n- one line\n- and another\n\n";
const answer = paragraph
  .repeat(200)
  .slice(0, 20_000 - last.length - 2)
  .replace(/\n*$/, `\n\n${last}`);

interface Run {
  activation: number;
  /** Resident memory of the extension host in MiB: at rest before the first prompt, and after a turn of 50 steps. */
  idle: number;
  used: number;
  /** From Enter to the arrival of the first request of a fresh window, and of a later one, in ms. */
  first: number;
  again: number;
  step: number;
  /** From the last byte of the long answer to the frame that shows its end, in ms. */
  painted: number;
  /** Tasks of more than 50 ms while an answer streams; `panel` counts those of Rondo's own frame. */
  long: { panel: number; all: number; longest: number };
}

export async function benchVSCode(report: Report): Promise<void> {
  process.env["RONDO_VSIX"] = await makeVSIX();
  const runs: Run[] = [];
  const bare: { idle: number; used: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await withoutRondo());
    runs.push(await withRondo());
  }
  const of = (pick: (run: Run) => number) => median(runs.map(pick));
  report(
    "vscode.activation",
    of((run) => run.activation),
    "ms",
  );
  report("vscode.memory-idle", of((run) => run.idle) - median(bare.map((run) => run.idle)), "MiB above none");
  report("vscode.memory-after-turn", of((run) => run.used) - median(bare.map((run) => run.used)), "MiB above none");
  report(
    "vscode.enter-to-first-request",
    of((run) => run.first),
    "ms",
  );
  report(
    "vscode.enter-to-later-request",
    of((run) => run.again),
    "ms",
  );
  report(
    "vscode.step",
    of((run) => run.step),
    "ms",
  );
  report(
    "vscode.answer-painted",
    of((run) => run.painted),
    "ms",
  );
  report(
    "vscode.long-tasks-in-panel",
    of((run) => run.long.panel),
    "tasks",
  );
  report(
    "vscode.long-tasks-in-window",
    of((run) => run.long.all),
    "tasks",
  );
  report(
    "vscode.longest-task",
    of((run) => run.long.longest),
    "ms",
  );
  const { loaded, connections } = await beforeThePrompt();
  report("vscode.sdk-loaded-before-prompt", loaded, "files");
  report("vscode.connections-before-prompt", connections, "connections");
}

async function withRondo(): Promise<Run> {
  const window = await openWindow({ script: respond, settle: rest });
  try {
    await wait(rest);
    const idle = memoryOf(window.model.url);
    const panel = await window.panel();
    const first = await enter(window, panel, "read");
    await panel.getByRole("log").getByText("All is read.").waitFor({ timeout: 60_000 });
    await wait(rest);
    const used = memoryOf(window.model.url);
    const asked = window.requests();
    const step = median(asked.slice(1).map((one, at) => one.arrivedAt - (asked[at]?.answeredAt ?? Number.NaN)));
    const { again, painted } = await atOnce(window);
    const long = await streamed(window);
    return { activation: await activation(window), idle, used, first, again, step, painted, long };
  } finally {
    await window.close();
  }
}

/** A prompt's first word says what is answered. */
const respond = ({ body }: { body: Record<string, unknown> }): Answer => {
  const said = JSON.stringify(body["messages"]);
  const asks = (word: string) => said.includes(`"text":"${word}"`);
  if (asks("stream")) return { blocks: [{ text: answer, pieces: 1000 }], delay: 5 };
  if (asks("at once")) return [{ text: answer, pieces: 1000 }];
  const done = said.split('"tool_result"').length - 1;
  if (done === steps) return [{ text: "All is read." }];
  return [{ call: { name: "read", input: { file_path: "package.json" } } }];
};

/** Presses Enter. @returns ms until the request was there */
async function enter(window: Window, panel: Frame, text: string): Promise<number> {
  const box = panel.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await panel.evaluate(() => {
    addEventListener("keydown", () => Object.assign(globalThis, { pressedAt: Date.now() }), {
      capture: true,
      once: true,
    });
  });
  const before = window.requests().length;
  await box.press("Enter");
  while (window.requests().length === before) await wait(1);
  const pressed = await panel.evaluate(() => Number(Reflect.get(globalThis, "pressedAt")));
  return performance.timeOrigin + (window.requests()[before]?.arrivedAt ?? Number.NaN) - pressed;
}

async function fresh(window: Window): Promise<Frame> {
  await window.command("Rondo: New Session");
  const panel = await window.panel();
  await panel.waitForFunction(() => document.querySelectorAll("[role=log] [role=article]").length === 0);
  return panel;
}

async function atOnce(window: Window): Promise<{ again: number; painted: number }> {
  const panel = await fresh(window);
  const seen = panel.evaluate(async (words) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (;;) {
      await frame();
      const log = document.querySelector("[role=log]");
      if (!log?.textContent?.trim().endsWith(words)) continue;
      if (log.scrollHeight - log.scrollTop - log.clientHeight > 2) continue;
      // A task after the frame's callbacks: by then it is painted.
      await new Promise((done) => setTimeout(done));
      return Date.now();
    }
  }, last);
  const again = await enter(window, panel, "at once");
  const painted = await seen;
  const answered = window.requests().at(-1)?.answeredAt ?? Number.NaN;
  return { again, painted: painted - performance.timeOrigin - answered };
}

async function streamed(window: Window): Promise<Run["long"]> {
  const panel = await fresh(window);
  await panel.evaluate(() => {
    const tasks: { name: string; ms: number }[] = [];
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) tasks.push({ name, ms: duration });
    }).observe({ type: "longtask" });
    Object.assign(globalThis, { tasks });
  });
  await enter(window, panel, "stream");
  await panel.getByRole("log").getByText(last).waitFor({ timeout: 60_000 });
  await wait(500);
  const tasks = await panel.evaluate((): { name: string; ms: number }[] => Reflect.get(globalThis, "tasks"));
  const own = tasks.filter(({ name }) => name === "self");
  return { panel: own.length, all: tasks.length, longest: Math.max(0, ...tasks.map(({ ms }) => ms)) };
}

/** What VS Code's list of running extensions says. */
async function activation(window: Window): Promise<number> {
  await window.command("Developer: Show Running Extensions");
  const row = window.page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: "Rondo" });
  const text = await row.locator(".activation-time").innerText();
  return Number(/(\d+)\s*ms/.exec(text)?.[1] ?? Number.NaN);
}

/** The same window, at the same ages, without Rondo. */
async function withoutRondo(): Promise<{ idle: number; used: number }> {
  const mark = `http://127.0.0.1:1/none-${process.pid}`;
  const folder = await freshFolder("bench", path.join(root, "sample"));
  const dataDir = await freshFolder("bench-data");
  const server = await startVSCode({ dataDir, env: { ANTHROPIC_BASE_URL: mark } });
  try {
    const { browser, page } = await openBrowser({ url: workbenchURL(server, folder), width: 1400, height: 900 });
    try {
      await page.waitForSelector(".monaco-workbench .part.statusbar");
      await wait(2 * rest);
      const idle = memoryOf(mark);
      await wait(rest);
      return { idle, used: memoryOf(mark) };
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
    for (const one of [folder, dataDir]) rmSync(one, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Resident memory, in MiB, of the extension host that was started with this in its environment; NaN but on Linux. */
function memoryOf(mark: string): number {
  if (process.platform !== "linux") return Number.NaN;
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "latin1");
    } catch {
      return "";
    }
  };
  const hosts = readdirSync("/proc").filter(
    (pid) => read(pid, "cmdline").includes("--type=extensionHost") && read(pid, "environ").includes(mark),
  );
  if (hosts.length !== 1) throw new Error(`${hosts.length} extension hosts run`);
  return Number(/VmRSS:\s+(\d+)/.exec(read(hosts[0] ?? "", "status"))?.[1]) / 1024;
}

/** Counts, in a copy of the extension whose files tell of themselves, what is loaded and connected too early. */
async function beforeThePrompt(): Promise<{ loaded: number; connections: number }> {
  const base = await freshFolder("bench-copy");
  const copy = path.join(base, "rondo");
  const told = path.join(base, "told");
  for (const name of ["package.json", "dist", "media"]) {
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  }
  writeFileSync(told, "");
  const tell = (word: string) => `require("node:fs").appendFileSync(${JSON.stringify(told)},"${word}\\n")`;
  const prefix = (file: string, code: string) => {
    const whole = path.join(copy, "dist", file);
    writeFileSync(whole, `${code};\n${readFileSync(whole, "utf8")}`);
  };
  prefix("anthropic.cjs", tell("sdk"));
  prefix("openai.cjs", tell("sdk"));
  prefix(
    "extension.cjs",
    `require("node:diagnostics_channel").subscribe("net.client.socket",()=>${tell("connection")});${tell("active")}`,
  );
  const count = (word: string) => readFileSync(told, "utf8").split(`${word}\n`).length - 1;
  process.env["RONDO_VSIX"] = copy;
  const window = await openWindow({ script: respond, settle: rest });
  try {
    await wait(rest);
    const early = { loaded: count("sdk"), connections: count("connection") };
    await enter(window, await window.panel(), "at once");
    // What is counted can be counted.
    if (count("active") !== 1 || count("sdk") !== 1 || count("connection") === 0) {
      throw new Error(`the extension did not tell of itself: ${readFileSync(told, "utf8")}`);
    }
    return early;
  } finally {
    await window.close();
    rmSync(base, { recursive: true, force: true });
  }
}
