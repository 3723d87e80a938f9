/**
 * How fast the panel opens in the real VS Code, beside a bare view: one text box, inline, in the same side bar. Both are
 * opened by the same kind of command and key, in turns, in the same window. For each opening, in ms since the key:
 *
 * - `drawn`: the end of the first frame in which the text box is seen;
 * - `letter`: the end of the frame with the first letter. Letters are typed from `drawn` on, one every 50 ms;
 * - `slowest-letter`: since its own key, the slowest of the letters of the next two seconds. It counts what is put off
 *   until the first letter is there;
 * - `returned`: how long the command takes that VS Code was asked for, as the extension that asked sees it.
 *
 * Aims: `drawn` and `letter` at most 1.1 times those of the bare view, `rondo.focus` returns within 150 ms.
 */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";
import { makeVSIX } from "../../scripts/vsix.mjs";
import { until } from "../timing.ts";
import { freshFolder, openBrowser, type Server, startVSCode, workbenchURL } from "../vscode.mjs";
import { median, type Report } from "./headless.ts";
import { findCommand } from "./vscode-window.ts";

const windows = 8;
const reopenings = 4;
/** Waits after a window's start and between openings, in ms. */
const settle = 4000;
const pause = 700;
/** From the first drawn box on. */
const typingMs = 2000;
const betweenKeysMs = 50;

const keys = { bare: "Control+Alt+F6", rondo: "Control+Alt+F7" };
type View = keyof typeof keys;
const views = Object.keys(keys) as View[];
const commands: Record<View, string> = { bare: "bare.focus", rondo: "rondo.focus" };

const figures = ["drawn", "letter", "slowest-letter", "returned"] as const;
type Opening = Record<(typeof figures)[number], number>;

export async function benchVSCodeOpen(report: Report): Promise<void> {
  const place = await startPlace(await makeVSIX());
  // The first view of a window is opened together with its side bar: like is compared with like.
  const openings = { "first-in-window": noOpenings(), "second-in-window": noOpenings(), again: noOpenings() };
  try {
    for (let round = 0; round < windows; round++) {
      const [one = "bare", other = "rondo"] = round % 2 === 0 ? views : views.toReversed();
      await inWindow(place, async (open) => {
        openings["first-in-window"][one].push(await open(one));
        openings["second-in-window"][other].push(await open(other));
        for (let each = 0; each < reopenings; each++) {
          for (const view of [one, other]) openings.again[view].push(await open(view));
        }
      });
    }
  } finally {
    await place.close();
  }
  for (const [name, of] of Object.entries(openings)) {
    for (const figure of figures) {
      for (const view of views) {
        const all = of[view].map((one) => one[figure]);
        report(`vscode-open.${name}.${figure}.${view}`, median(all), "ms");
      }
      const ratios = of.rondo.map((one, at) => one[figure] / (of.bare[at]?.[figure] ?? Number.NaN));
      report(`vscode-open.${name}.${figure}.ratio`, median(ratios), "times bare, median of pairs");
    }
  }
}

const noOpenings = (): Record<View, Opening[]> => ({ bare: [], rondo: [] });

/** A server with the views, and the file in which the driver tells how long commands took. */
interface OpeningPlace {
  server: Server;
  folder: string;
  told: string;
  close(): Promise<void>;
}

/** `rondo`: its VSIX, or its folder. */
async function startPlace(rondo: string): Promise<OpeningPlace> {
  const base = await freshFolder("bench-open");
  const told = path.join(base, "told");
  const folder = await freshFolder("bench", path.join(import.meta.dirname, "../../sample"));
  const server = await startVSCode({
    dataDir: path.join(base, "data"),
    extensions: [rondo, await bareExtension(base), await driverExtension(base, told)],
    env: { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: "http://127.0.0.1:9", OPENAI_API_KEY: undefined },
    userSettings: { "workbench.secondarySideBar.defaultVisibility": "hidden" },
  });
  return {
    ...{ server, folder, told },
    async close() {
      await server.stop();
      for (const one of [folder, base]) await rm(one, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Opens a window of its own. `open` presses the key of a view, and types. */
async function inWindow(
  { server, folder, told }: OpeningPlace,
  use: (open: (view: View) => Promise<Opening>, page: Page) => Promise<void>,
): Promise<void> {
  const { close, page } = await openBrowser({ url: workbenchURL(server, folder), width: 1400, height: 900 });
  const lines = () => (existsSync(told) ? readFileSync(told, "utf8").split("\n").filter(Boolean) : []);
  try {
    await page.waitForSelector(".monaco-workbench .part.statusbar");
    await knowsViews(page);
    // Starts the driver.
    const before = lines().length;
    await page.keyboard.press("Control+Alt+F5");
    await until(() => lines().length > before);
    await wait(settle);
    await use(async (view) => {
      // The focus is in neither of the views.
      await page.mouse.click(500, 400);
      await wait(pause);
      const earlier = lines().length;
      const opened = await page.evaluateHandle(watchOpening);
      await page.keyboard.press(keys[view]);
      await opened.evaluate(({ drawn }) => drawn);
      for (const end = Date.now() + typingMs; Date.now() < end; await wait(betweenKeysMs)) {
        await page.keyboard.press("x");
      }
      await until(() => lines().length > earlier);
      const seen = await opened.evaluate(async ({ drawn, letter, slowest }) => ({
        drawn: await drawn,
        letter: await letter,
        "slowest-letter": slowest(),
      }));
      // The box of the next opening is empty.
      await page.keyboard.press("Control+A");
      await page.keyboard.press("Backspace");
      return { ...seen, returned: Number(lines().at(-1)) };
    }, page);
  } finally {
    await close();
  }
}

/** Waits until VS Code has read what the extensions contribute: their keys do nothing before. */
async function knowsViews(page: Page): Promise<void> {
  for (const title of ["Bare: Focus", "Rondo: Focus Chat"]) {
    const palette = await findCommand(page, title);
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
  }
}

/** Runs in the workbench, which shares its thread and its frames with the views. Times are in ms, since the next key. */
function watchOpening(): { drawn: Promise<number>; letter: Promise<number>; slowest: () => number } {
  const before = new Set(document.querySelectorAll("iframe.webview"));
  /** A webview is a frame in a frame; the inner one is not seen until its page has loaded. */
  const seenBox = (): HTMLTextAreaElement | undefined => {
    const seen = (one: Element) => one.checkVisibility({ visibilityProperty: true });
    for (const outer of document.querySelectorAll<HTMLIFrameElement>("iframe.webview")) {
      const inner = outer.contentDocument?.querySelector("iframe");
      const box = inner?.contentDocument?.querySelector("textarea");
      if (!before.has(outer) && inner && box && [outer, inner, box].every(seen)) return box;
    }
    return undefined;
  };
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  /** A task after the frame's callbacks: by then it is painted. */
  const painted = async () => {
    await frame();
    const { port1, port2 } = new MessageChannel();
    const task = new Promise((resolve) => {
      port1.onmessage = resolve;
    });
    port2.postMessage(undefined);
    await task;
  };
  const pressed = new Promise<number>((resolve) => {
    const press = ({ key, timeStamp }: KeyboardEvent) => ["Alt", "Control"].includes(key) || resolve(timeStamp);
    addEventListener("keydown", press, { capture: true });
  });
  const letter = Promise.withResolvers<number>();
  let slowest = 0;
  const open = async () => {
    const start = await pressed;
    let box = seenBox();
    for (; !box; box = seenBox()) await frame();
    // The clocks of frames begin when their pages do.
    const view = box.ownerDocument.defaultView ?? window;
    const later = view.performance.timeOrigin - performance.timeOrigin;
    let keyAt = 0;
    view.addEventListener("keydown", ({ timeStamp }) => (keyAt = timeStamp + later), { capture: true });
    const typed = async () => {
      const since = keyAt;
      await painted();
      slowest = Math.max(slowest, performance.now() - since);
      letter.resolve(performance.now() - start);
    };
    view.addEventListener("input", () => void typed(), { capture: true });
    await painted();
    return performance.now() - start;
  };
  return { drawn: open(), letter: letter.promise, slowest: () => slowest };
}

/** Writes an extension whose view is one text box. */
async function bareExtension(base: string): Promise<string> {
  const contributes = {
    viewsContainers: { secondarySidebar: [{ id: "bare", title: "Bare", icon: "icon.svg" }] },
    views: { bare: [{ type: "webview", id: "bare.box", name: "Box", icon: "icon.svg" }] },
    commands: [{ command: commands.bare, title: "Focus", category: "Bare" }],
  };
  const script = `addEventListener("focus",()=>document.querySelector("textarea").focus())`;
  const page = `<!DOCTYPE html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-x'; script-src 'nonce-x'">
<style nonce="x">textarea{width:100%}</style></head>
<body><textarea></textarea><script nonce="x">${script}</script></body></html>`;
  const main = `const { commands, window } = require("vscode");
exports.activate = ({ subscriptions }) => {
  const resolveWebviewView = ({ webview }) => {
    webview.options = { enableScripts: true };
    webview.html = ${JSON.stringify(page)};
  };
  subscriptions.push(window.registerWebviewViewProvider("bare.box", { resolveWebviewView }));
  subscriptions.push(commands.registerCommand("bare.focus", () => commands.executeCommand("bare.box.focus")));
};
`;
  return await extension(base, "bare", contributes, main);
}

/** Writes an extension that runs the command of a view, and appends the time that it took to a file. */
async function driverExtension(base: string, told: string): Promise<string> {
  const run = (key: string, args?: string) => ({
    key: key.toLowerCase(),
    command: "driver.run",
    ...(args && { args }),
  });
  const contributes = {
    keybindings: [run("Control+Alt+F5"), ...views.map((view) => run(keys[view], commands[view]))].map((one) => ({
      ...one,
      key: one.key.replace("control", "ctrl"),
    })),
    commands: [{ command: "driver.run", title: "Run", category: "Driver" }],
  };
  const main = `const { commands } = require("vscode");
const { appendFileSync } = require("node:fs");
exports.activate = ({ subscriptions }) => {
  subscriptions.push(commands.registerCommand("driver.run", async (id) => {
    const start = performance.now();
    if (id) await commands.executeCommand(id);
    appendFileSync(${JSON.stringify(told)}, performance.now() - start + "\\n");
  }));
};
`;
  return await extension(base, "driver", contributes, main);
}

async function extension(base: string, name: string, contributes: object, main: string): Promise<string> {
  const folder = path.join(base, name);
  await mkdir(folder);
  const manifest = {
    ...{ name, publisher: "bench", version: "1.0.0", engines: { vscode: "^1.106.0" }, main: "./main.cjs" },
    ...{ activationEvents: [], contributes },
  };
  await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(path.join(folder, "main.cjs"), main);
  await writeFile(path.join(folder, "icon.svg"), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"/>');
  return folder;
}
