/**
 * How fast the panel opens in the real VS Code, beside a bare view: one text box, inline, in the same side bar. Both are
 * opened by the same kind of command and key, in turns, in the same window.
 *
 * A view is open when its text box is there, seen, painted and focused: the end of the first frame in which all of that
 * holds, since the key. Aim: at most 1.2 times the bare view. On a busy machine with two processors it was 2.9 times for
 * the first opening of a window and 1.6 for the next ones before the first page had a text box, and 1.2 for both then.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";
import { makeVSIX } from "../../scripts/vsix.mjs";
import { freshFolder, openBrowser, startVSCode, workbenchURL } from "../vscode.mjs";
import { median, type Report } from "./headless.ts";
import { findCommand } from "./vscode-window.ts";

const windows = 6;
const reopenings = 8;
/** Waits after a window's start and between openings, in ms. */
const settle = 4000;
const pause = 700;

const keys = { bare: "Control+Alt+F6", rondo: "Control+Alt+F7" };
type View = keyof typeof keys;
const views = Object.keys(keys) as View[];

export async function benchVSCodeOpen(report: Report): Promise<void> {
  const vsix = await makeVSIX();
  const base = await freshFolder("bench-open");
  const bare = await bareExtension(base);
  const folder = await freshFolder("bench", path.join(import.meta.dirname, "../../sample"));
  const server = await startVSCode({
    dataDir: path.join(base, "data"),
    extensions: [vsix, bare],
    env: { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: "http://127.0.0.1:9", OPENAI_API_KEY: undefined },
    userSettings: { "workbench.secondarySideBar.defaultVisibility": "hidden" },
  });
  const first: Record<View, number[]> = { bare: [], rondo: [] };
  const again: Record<View, number[]> = { bare: [], rondo: [] };
  try {
    for (let round = 0; round < windows; round++) {
      const order = round % 2 === 0 ? views : views.toReversed();
      await inWindow(workbenchURL(server, folder), async (open) => {
        for (const [at, view] of order.entries()) {
          const took = await open(view);
          // The second one finds what the first one has made.
          if (at === 0) first[view].push(took);
        }
        for (let each = 0; each < reopenings; each++) for (const view of order) again[view].push(await open(view));
      });
    }
  } finally {
    await server.stop();
    for (const one of [folder, base]) await rm(one, { recursive: true, force: true, maxRetries: 5 });
  }
  for (const [name, times] of Object.entries({ "first-opening": first, reopening: again })) {
    for (const view of views) {
      report(`vscode-open.${name}.${view}`, median(times[view]), "ms");
      report(`vscode-open.${name}.${view}.min`, Math.min(...times[view]), "ms");
    }
    report(`vscode-open.${name}.ratio`, median(times.rondo) / median(times.bare), "times bare");
  }
}

/** Opens a window of its own. `open` presses the key of a view and returns the ms until it is open. */
async function inWindow(url: string, use: (open: (view: View) => Promise<number>) => Promise<void>): Promise<void> {
  const { close, page } = await openBrowser({ url, width: 1400, height: 900 });
  try {
    await page.waitForSelector(".monaco-workbench .part.statusbar");
    await knowsViews(page);
    await wait(settle);
    await use(async (view) => {
      // The focus is in neither of the views.
      await page.mouse.click(500, 400);
      await wait(pause);
      const opened = await page.evaluateHandle(watchOpening);
      await page.keyboard.press(keys[view]);
      return await opened.evaluate(({ took }) => took);
    });
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

/** Runs in the workbench, which shares its thread and its frames with the views. `took`: ms from the next key until a view is open. */
function watchOpening(): { took: Promise<number> } {
  const before = new Set(document.querySelectorAll("iframe.webview"));
  /** A webview is a frame in a frame; the inner one is not seen until its page has loaded. */
  const isOpen = () =>
    [...document.querySelectorAll<HTMLIFrameElement>("iframe.webview")].some((outer) => {
      const inner = outer.contentDocument?.querySelector("iframe");
      const box = inner?.contentDocument?.querySelector("textarea");
      const seen = (one: Element) => one.checkVisibility({ visibilityProperty: true });
      if (before.has(outer) || !inner || !box || ![outer, inner, box].every(seen)) return false;
      return box.ownerDocument.hasFocus() && box.ownerDocument.activeElement === box;
    });
  const pressed = new Promise<number>((resolve) => {
    const press = ({ key, timeStamp }: KeyboardEvent) => ["Alt", "Control"].includes(key) || resolve(timeStamp);
    addEventListener("keydown", press, { capture: true });
  });
  const open = async () => {
    const start = await pressed;
    do await new Promise((resolve) => requestAnimationFrame(resolve));
    while (!isOpen());
    // A task after the frame's callbacks: by then it is painted.
    const { port1, port2 } = new MessageChannel();
    const painted = new Promise((resolve) => {
      port1.onmessage = resolve;
    });
    port2.postMessage(undefined);
    await painted;
    return performance.now() - start;
  };
  return { took: open() };
}

/** Writes an extension whose view is one text box. */
async function bareExtension(base: string): Promise<string> {
  const folder = path.join(base, "bare");
  await mkdir(folder);
  const manifest = {
    name: "bare",
    publisher: "bench",
    version: "1.0.0",
    engines: { vscode: "^1.106.0" },
    main: "./main.cjs",
    activationEvents: [],
    contributes: {
      viewsContainers: { secondarySidebar: [{ id: "bare", title: "Bare", icon: "icon.svg" }] },
      views: { bare: [{ type: "webview", id: "bare.box", name: "Box", icon: "icon.svg" }] },
      commands: [{ command: "bare.focus", title: "Focus", category: "Bare" }],
      keybindings: [
        { key: "ctrl+alt+f6", command: "bare.focus" },
        { key: "ctrl+alt+f7", command: "rondo.focus" },
      ],
    },
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
  await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(path.join(folder, "main.cjs"), main);
  await writeFile(path.join(folder, "icon.svg"), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"/>');
  return folder;
}
