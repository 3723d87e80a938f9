/** Rondo in the real VS Code, installed from its VSIX, compared with the same VS Code without it. */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Frame } from "playwright-core";
import { makeVSIX } from "../../scripts/vsix.mjs";
import type { Answer, ReceivedRequest } from "../model-server.ts";
import { freshFolder } from "../vscode.mjs";
import { median, type Report } from "./headless.ts";
import { openWindow, type Window } from "./vscode-window.ts";

const rounds = 5;
const steps = 50;
/** Waits after a window's start and before its memory is read, in ms. */
const rest = 5000;

const last = "The end of this answer.";
const paragraph =
  "The **cart** adds up its lines in `subtotal()`, and the rate comes off last.\n\n- one line\n- and another\n\n";
const answer = `${paragraph.repeat(200).slice(0, 20_000 - last.length - 2)}\n\n${last}`;

type Figures = Record<(typeof figures)[number][0], number>;

const figures = [
  ["activation", "ms"],
  ["enter-to-first-request", "ms"],
  ["enter-to-later-request", "ms"],
  ["step", "ms"],
  ["answer-painted", "ms"],
  ["long-tasks-in-panel", "tasks"],
  ["long-tasks-in-window", "tasks"],
  ["longest-task", "ms"],
] as const;

/** Resident memory of the extension host, in MiB. */
interface Memory {
  /** With the panel open, before the first prompt. */
  idle: number;
  /** After a turn of 50 steps. */
  used: number;
}

export async function benchVSCode(report: Report): Promise<void> {
  const vsix = await makeVSIX();
  const runs: { figures: Figures; memory: Memory }[] = [];
  const bare: Memory[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await withoutRondo());
    runs.push(await withRondo(vsix));
  }
  for (const [name, unit] of figures) report(`vscode.${name}`, median(runs.map((run) => run.figures[name])), unit);
  for (const age of ["idle", "used"] as const) {
    const above = median(runs.map(({ memory }) => memory[age])) - median(bare.map((memory) => memory[age]));
    report(`vscode.memory-${age}`, above, "MiB above none");
  }
  const { loaded, connections } = await beforeThePrompt();
  report("vscode.sdk-loaded-before-prompt", loaded, "files");
  report("vscode.connections-before-prompt", connections, "connections");
}

async function withRondo(vsix: string): Promise<{ figures: Figures; memory: Memory }> {
  const window = await openWindow([vsix], respond, rest);
  try {
    await window.command("Rondo: Focus Chat");
    const panel = await window.panel();
    const activation = await activationTime(window);
    await wait(rest);
    const idle = window.hostMemory();
    const first = await enter(window, panel, "read");
    await panel.getByRole("log").getByText("All is read.").waitFor({ timeout: 60_000 });
    const asked = requests(window);
    const step = median(asked.slice(1).map((one, at) => one.arrivedAt - (asked[at]?.answeredAt ?? Number.NaN)));
    await wait(rest);
    const used = window.hostMemory();
    const { later, painted } = await atOnce(window);
    return {
      figures: {
        activation,
        "enter-to-first-request": first,
        "enter-to-later-request": later,
        step,
        "answer-painted": painted,
        ...(await streamed(window)),
      },
      memory: { idle, used },
    };
  } finally {
    await window.close();
  }
}

/** Measures the same window at the same ages. */
async function withoutRondo(): Promise<Memory> {
  const window = await openWindow([], respond, rest);
  try {
    await window.command("Developer: Show Running Extensions");
    await wait(rest);
    const idle = window.hostMemory();
    await wait(rest);
    return { idle, used: window.hostMemory() };
  } finally {
    await window.close();
  }
}

/** Answers as the prompt says. */
function respond({ body }: ReceivedRequest): Answer {
  if (!Array.isArray(body["tools"])) return [{ text: "A title" }];
  const said = JSON.stringify(body["messages"]);
  const asks = (word: string) => said.includes(`"text":"${word}"`);
  if (asks("stream")) return { blocks: [{ text: answer, pieces: 1000 }], delay: 5 };
  if (asks("at once")) return [{ text: answer, pieces: 1000 }];
  const done = said.split('"tool_result"').length - 1;
  if (done >= steps) return [{ text: "All is read." }];
  // Different each time, so that loop detection does not stop it.
  return [{ call: { name: "read", input: { file_path: "package.json", limit: 10 + (done % 10) } } }];
}

/** Returns the requests of turns, without those for titles. */
function requests(window: Window): ReceivedRequest[] {
  return window.model.requests.filter(({ body }) => Array.isArray(body["tools"]));
}

/** Presses Enter. @returns ms until the request was there */
async function enter(window: Window, panel: Frame, text: string): Promise<number> {
  const box = panel.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  const pressed = panel.evaluate(
    () =>
      new Promise<number>((done) => addEventListener("keydown", () => done(Date.now()), { capture: true, once: true })),
  );
  const before = requests(window).length;
  await box.press("Enter");
  const at = await pressed;
  while (requests(window).length === before) await wait(5);
  return sinceEpoch(requests(window)[before]?.arrivedAt) - at;
}

/** Time in ms since 1970: page and server share only the system's clock. */
function sinceEpoch(here: number | undefined): number {
  return performance.timeOrigin + (here ?? Number.NaN);
}

async function newSession(window: Window): Promise<Frame> {
  await window.command("Rondo: New Session");
  const panel = await window.panel();
  await panel.getByRole("log").getByRole("article").first().waitFor({ state: "detached" });
  return panel;
}

async function atOnce(window: Window): Promise<{ later: number; painted: number }> {
  const panel = await newSession(window);
  const seen = panel.evaluate(async (words) => {
    for (;;) {
      await new Promise((done) => requestAnimationFrame(done));
      const log = document.querySelector("[role=log]");
      if (!log?.textContent?.trimEnd().endsWith(words)) continue;
      if (log.scrollHeight - log.scrollTop - log.clientHeight > 2) continue;
      // A task after the frame's callbacks: by then it is painted.
      await new Promise((done) => setTimeout(done));
      return Date.now();
    }
  }, last);
  const later = await enter(window, panel, "at once");
  const painted = await seen;
  return { later, painted: painted - sinceEpoch(requests(window).at(-1)?.answeredAt) };
}

/** Tasks of more than 50 ms: those of the panel's own frame, and those of the whole window, which shares its thread. */
async function streamed(window: Window) {
  const panel = await newSession(window);
  const tasks = panel.evaluate(async (words) => {
    const found: { name: string; ms: number }[] = [];
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) found.push({ name, ms: duration });
    }).observe({ type: "longtask" });
    while (!document.querySelector("[role=log]")?.textContent?.trimEnd().endsWith(words)) {
      await new Promise((done) => setTimeout(done, 100));
    }
    await new Promise((done) => setTimeout(done, 500));
    return found;
  }, last);
  await enter(window, panel, "stream");
  const found = await tasks;
  return {
    "long-tasks-in-panel": found.filter(({ name }) => name === "self").length,
    "long-tasks-in-window": found.length,
    "longest-task": Math.max(0, ...found.map(({ ms }) => ms)),
  };
}

/** Reads activation times in ms from VS Code's list of running extensions, which shows only visible rows. */
async function activationTime(window: Window): Promise<number> {
  await window.command("Developer: Show Running Extensions");
  const rows = window.page.locator(".runtime-extensions-editor .monaco-list-row");
  const row = rows.filter({ hasText: "Rondo" });
  await rows.first().hover();
  while ((await row.count()) === 0) {
    await window.page.mouse.wheel(0, 200);
    await wait(100);
  }
  const text = await row.locator(".activation-time").innerText();
  return Number(/(\d+)\s*ms/.exec(text)?.[1] ?? Number.NaN);
}

/** Counts modules and connections that are loaded too early, in a copy of the extension that reports them. */
async function beforeThePrompt(): Promise<{ loaded: number; connections: number }> {
  const base = await freshFolder("bench-copy");
  const copy = path.join(base, "rondo");
  const told = path.join(base, "told");
  for (const name of ["package.json", "dist", "media"]) {
    cpSync(path.join(import.meta.dirname, "../..", name), path.join(copy, name), { recursive: true });
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
    `require("node:diagnostics_channel").subscribe("net.client.socket",()=>${tell("connection")})`,
  );
  const count = (word: string) => readFileSync(told, "utf8").split(`${word}\n`).length - 1;
  const window = await openWindow([copy], respond, rest);
  try {
    await window.command("Rondo: Focus Chat");
    const panel = await window.panel();
    await wait(rest);
    const early = { loaded: count("sdk"), connections: count("connection") };
    await enter(window, panel, "at once");
    // Checks that counting works.
    if (count("sdk") === 0 || count("connection") === 0) throw new Error("the extension did not tell of itself");
    return early;
  } finally {
    await window.close();
    rmSync(base, { recursive: true, force: true });
  }
}
