/** A window of the real VS Code with the packaged Rondo, a scripted model, and a person's hands. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Frame, Page } from "playwright-core";
import { type Answer, type ModelServer, type ReceivedRequest, startModelServer } from "../model-server.ts";
import { freshFolder, openBrowser, startVSCode, webviewFrame, workbenchURL } from "../vscode.mjs";

/** What the browser says that is not Rondo's: VS Code's server lacks some files, and there is no network. */
const noise = [
  /Failed to load resource/,
  /\[Service Worker\]|serviceWorker/i,
  /bad HTTP response code/,
  /open-vsx|vsda|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION|ERR_INTERNET/,
  /\[lifecycle\]|tsserver|Extension host/i,
  /Unable to retrieve|marketplace|gallery/i,
  /authentication provider 'github'|An unknown error occurred\. Please consult the log/,
];

export interface WindowOptions {
  /** Answers to the requests that offer tools, in order; a request for a title is answered by itself. */
  script: Answer[] | ((request: ReceivedRequest, index: number) => Answer | Promise<Answer>);
  trust?: boolean;
  settings?: Record<string, unknown>;
  /** Without it there is no key and no server. */
  model?: false;
  width?: number;
}

export interface Window {
  page: Page;
  folder: string;
  model: ModelServer;
  /** Requests that offered tools. */
  requests(): ReceivedRequest[];
  /** The panel; ask again after a reload or after it was hidden. */
  panel(): Promise<Frame>;
  /** Runs a command of the palette by its title. */
  command(title: string): Promise<void>;
  /** Errors of the console that are Rondo's own. */
  errors: string[];
  close(): Promise<void>;
}

export async function openWindow({ script, trust = true, settings = {}, model: wanted, width = 1400 }: WindowOptions) {
  let index = 0;
  const model = await startModelServer((request) => {
    if (!isStep(request)) return [{ text: "A short title" }];
    const answer = typeof script === "function" ? script(request, index) : script[index];
    index += 1;
    return answer ?? { status: 500, body: { error: { message: "the script is over" } } };
  });
  const folder = await freshFolder("e2e", path.join(import.meta.dirname, "../../sample"));
  const dataDir = await freshFolder("e2e-data");
  const vsix = process.env["RONDO_VSIX"];
  assert.ok(vsix, "RONDO_VSIX names the package; `npm run test:e2e` makes it");
  const env =
    wanted === false
      ? {
          ANTHROPIC_API_KEY: undefined,
          OPENAI_API_KEY: undefined,
          ANTHROPIC_BASE_URL: undefined,
          RONDO_TOUR: undefined,
        }
      : {
          ANTHROPIC_API_KEY: "test-key",
          ANTHROPIC_BASE_URL: model.url,
          OPENAI_API_KEY: undefined,
          RONDO_TOUR: undefined,
        };
  const vscode = await startVSCode({ dataDir, extensions: [vsix], env, trust, userSettings: settings });
  const errors: string[] = [];
  let browser: Browser | undefined;
  const close = async () => {
    await browser?.close();
    await vscode.stop();
    await model.stop();
    await Promise.all([folder, dataDir].map((one) => rm(one, { recursive: true, force: true, maxRetries: 5 })));
  };
  try {
    const opened = await openBrowser({ url: workbenchURL(vscode, folder), width, height: 900 });
    browser = opened.browser;
    const { page } = opened;
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !noise.some((one) => one.test(text))) errors.push(text);
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    const window: Window = {
      page,
      folder,
      model,
      requests: () => model.requests.filter(isStep),
      panel: () => webviewFrame(page, '[aria-label="Rondo"]'),
      command: (title) => runCommand(page, title),
      errors,
      close,
    };
    await page.waitForSelector(".monaco-workbench .part.statusbar");
    await window.command("Rondo: Focus Chat");
    await (await window.panel()).getByRole("textbox", { name: "Message" }).waitFor();
    return window;
  } catch (error) {
    await browser?.contexts()[0]?.pages()[0]?.screenshot({ path: "out/e2e-failed.png" });
    await close();
    throw error;
  }
}

function isStep({ body }: ReceivedRequest): boolean {
  return Array.isArray(body["tools"]) && body["tools"].length > 0;
}

/** A palette that was opened before the extensions were known does not learn of them: it is opened again. */
async function runCommand(page: Page, title: string): Promise<void> {
  const input = page.locator(".quick-input-widget input");
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
  for (let tries = 0; ; tries++) {
    await page.keyboard.press("F1");
    await input.waitFor();
    await input.fill(`>${title}`);
    const found = await row.waitFor({ timeout: 2000 }).then(
      () => true,
      () => false,
    );
    if (found) break;
    await page.keyboard.press("Escape");
    if (tries === 15) throw new Error(`The palette has no command "${title}".`);
  }
  await page.keyboard.press("Enter");
}

/** Types a message and sends it. */
export async function say(panel: Frame, text: string): Promise<void> {
  const box = panel.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
}

/** Answers the open question; waits out the moment in which presses are ignored. */
export async function answer(panel: Frame, button: "Allow once" | "Deny"): Promise<void> {
  const card = panel.getByRole("alertdialog");
  await card.waitFor();
  const id = await card.getAttribute("aria-labelledby");
  await new Promise((resolve) => setTimeout(resolve, 450));
  await card.getByRole("button", { name: button }).click();
  // Gone, or replaced by the next question.
  await panel
    .waitForFunction(
      (before) => document.querySelector('[role="alertdialog"]')?.getAttribute("aria-labelledby") !== before,
      id,
      { timeout: 5000 },
    )
    .catch(() => {});
}

/** The words of the status line. */
export function status(panel: Frame) {
  return panel.getByRole("status").first();
}

/** What axe finds in the panel that is serious or worse. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .include(["iframe.webview.ready", "iframe#active-frame", "body"])
    .analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`);
}
