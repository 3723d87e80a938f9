/** A window of the real VS Code with the packaged Rondo and a scripted model. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errors, type Frame, type Locator, type Page } from "playwright-core";
import type { Answer, ReceivedRequest } from "../model-server.ts";
import { freshFolder, webviewFrame, workbenchURL } from "../vscode.mjs";
import { giveBack, type RunningVSCode, stopIdle, takeVSCode } from "./running-vscode.ts";

/** Console errors that are not Rondo's: VS Code's server lacks some files, and there is no network. */
const noise = [
  /Failed to load resource/,
  /\[Service Worker\]|serviceWorker/i,
  /bad HTTP response code/,
  /open-vsx|vsda|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION|ERR_INTERNET/,
  /\[lifecycle\]|tsserver|Extension host/i,
  /Unable to retrieve|marketplace|gallery/i,
  // VS Code's server has no manifest of an application that can be installed.
  /Manifest fetch from/,
  /Activating extension 'vscode\./,
  /Unable to write file 'vscode-log:/,
  // VS Code's server mints no key for the browser's secret storage.
  /getServerKeyPart/,
  // On a busy machine; Rondo does not listen to this event.
  /Aborted onWillSaveTextDocument-event/,
  // VS Code's explorer refreshes a folder that a test has just deleted.
  /Unable to resolve nonexistent file 'vscode-remote:/,
  // VS Code asks who comments on each file that it reads, and code-server gives its settings two addresses.
  /document 'file:[^']*\/User\/settings\.json already exists!'|Error: unknown document/,
  /authentication provider 'github'|An unknown error occurred\. Please consult the log/,
  // VS Code cancels its own work, such as reading a file, when a view or the window goes away.
  /\bCanceled: Canceled\b/,
];

/** Time in which a click has its effect, also on a busy machine. */
const effectMs = 15_000;

/**
 * Clicks until the click has had its effect: VS Code drops one if it draws the element again between press and release,
 * as it does with the actions above a change and with links of an answer.
 */
export async function clickUntil(target: Locator, hasEffect: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await hasEffect())) {
    await target.click({ timeout: effectMs }).catch((error) => {
      if (!(error instanceof errors.TimeoutError)) throw error;
    });
    for (const end = Date.now() + effectMs; Date.now() < end && !(await hasEffect()); ) await sleep(20);
  }
}

export interface WindowOptions {
  /** False: Restricted Mode. */
  trust?: boolean;
  /** The user's settings. */
  settings?: Record<string, unknown>;
  /** Files added to the sample workspace, by path. */
  files?: Record<string, string>;
  /** API key in the environment; false: none. */
  key?: string | false;
  width?: number;
  /** Folders of further extensions. */
  extensions?: string[];
}

/**
 * Settings of all tests: terminals render as readable text, no notice about ports covers the panel, and no model server
 * of this machine is found.
 */
const ownSettings = {
  "terminal.integrated.gpuAcceleration": "off",
  "remote.autoForwardPorts": false,
  "rondo.localServers": { ollama: "", "lm-studio": "", "llama-cpp": "", vllm: "", jan: "" },
};

export const environmentKey = "test-key-of-the-environment";

const openWindows = new Set<Window>();

/** After a failed test, shows what its user would have seen. The script of the README's pictures has no tests. */
if ("afterEach" in globalThis) {
  afterEach(async function () {
    if (this.currentTest?.state !== "failed") return;
    for (const window of openWindows) {
      if (window.page.isClosed()) continue;
      window.spoil();
      console.log(await window.described().catch(String));
    }
  });
}

/** Whether the element is shown within this time, in milliseconds. */
const appears = (element: Locator, timeout: number): Promise<boolean> =>
  element.waitFor({ timeout }).then(
    () => true,
    () => false,
  );

export class Window {
  readonly page: Page;
  readonly folder: string;
  /** Console errors, without the noise of VS Code. */
  readonly errors: string[] = [];

  readonly #code: RunningVSCode;

  constructor(code: RunningVSCode, page: Page, folder: string) {
    this.#code = code;
    this.page = page;
    this.folder = folder;
    this.page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !noise.some((one) => one.test(text))) this.errors.push(text);
    });
    this.page.on("pageerror", (error) => this.errors.push(String(error)));
    openWindows.add(this);
  }

  /** VS Code's settings, storage and logs. */
  get dataDir(): string {
    return this.#code.dataDir;
  }

  /** Value in the environment of all processes of this window. */
  get marker(): string {
    return this.#code.marker;
  }

  /** Requests that offer tools, so all but those for titles. */
  get requests(): ReceivedRequest[] {
    return this.#code.model.requests;
  }

  /** Has its VS Code stopped with it, because a test has failed in it. */
  spoil(): void {
    this.#code.spoiled = true;
  }

  /** Returns what the panel and the tabs of editors show, and the end of the last request; a picture is written to `out`. */
  async described(): Promise<string> {
    await this.page.screenshot({ path: `out/e2e-failed-${this.marker}.png` });
    const panel = await this.panel();
    const shown = await panel.locator("body").innerText();
    const written = await panel.locator(".Composer").getByRole("textbox").inputValue();
    const tabs = await this.page.locator(".tabs-container .tab").evaluateAll((all) => all.map((tab) => tab.ariaLabel));
    const asked = `${this.requests.length} requests, the last: …${this.requests.at(-1)?.raw.slice(-1500)}`;
    const toasts = await this.page.locator(".notification-toast").allInnerTexts();
    const editors = `The message box: "${written}". Editors: ${tabs.join(" | ")}`;
    return [`What the panel shows:\n${shown}`, editors, asked, ...toasts, ...this.errors].join("\n");
  }

  /** Sets the answers to the next requests; earlier ones that were not used are dropped. */
  plays(...answers: Answer[]): void {
    this.#code.model.answers = answers;
  }

  /** As `plays`, for the requests to one model, in whichever order those to others come. */
  playsAs(modelID: string, ...answers: Answer[]): void {
    this.#code.model.answersOf.set(modelID, answers);
  }

  /** Sets the title of new sessions. Without it the model makes none, and the prompt is the title. */
  titles(title: string): void {
    this.#code.model.title = title;
  }

  /** Sets the answer to requests that offer no tools, as that of an inline prompt. */
  answersBriefly(answer: Answer): void {
    this.#code.model.brief = answer;
  }

  /** Returns the panel's frame; call it again after a reload or after the panel was hidden. */
  async panel(): Promise<Frame> {
    // Before that, the first page is shown, which has a text box, too.
    const frame = await webviewFrame(this.page, '[aria-label="Rondo"][aria-busy="false"]');
    // While a question is open, the text box is its field, and the buttons of the composer are gone.
    await frame.locator(".Composer").getByRole("textbox").waitFor();
    return frame;
  }

  /** Closes the folder. */
  async closeFolder(): Promise<Frame> {
    await this.page.goto(`${this.#code.server.url}/?ew=true`);
    return await this.showPanel();
  }

  /** Opens the folders of a workspace file instead of the folder. */
  async openWorkspace(file: string): Promise<Frame> {
    const url = new URL(this.#code.server.url);
    url.searchParams.set("workspace", path.join(this.folder, file));
    // On a busy machine, VS Code may show the workspace without its folders, and stay so until it is loaded again.
    const folder = this.page.locator(".explorer-folders-view .monaco-list-row").first();
    for (let isShown = false; !isShown; ) {
      await this.page.goto(url.href);
      isShown = await appears(folder, 20_000);
    }
    return await this.showPanel();
  }

  /** Shows the panel, which a new window hides. */
  async showPanel(): Promise<Frame> {
    await this.page.waitForSelector(".monaco-workbench .part.statusbar");
    await this.command("Rondo: Focus Chat");
    return await this.panel();
  }

  /** Runs a command of the palette. */
  async command(title: string): Promise<void> {
    await this.#pick(`>${title}`, title);
  }

  /**
   * Picks a row of VS Code's quick input. It is opened again if the extensions were not known yet, or if it lost the
   * focus.
   */
  async #pick(typed: string, row: string): Promise<void> {
    const { page } = this;
    for (let tries = 0; tries < 40; tries++) {
      await page.keyboard.press("F1");
      try {
        await page.locator(".quick-input-widget input[type=text]").fill(typed, { timeout: 2000 });
        const found = page.locator(".quick-input-list .monaco-list-row", { hasText: row }).first();
        // A new window does not know the extensions yet; a busy machine takes its time.
        await found.waitFor({ timeout: Math.min(2000, 300 * (tries + 1)) });
        await found.click({ timeout: 5000 });
        return await this.#restPointer();
      } catch (error) {
        if (!(error instanceof errors.TimeoutError)) throw error;
        await page.keyboard.press("Escape");
      }
    }
    throw new Error(`Nothing named "${row}" was found with "${typed}".`);
  }

  /** Takes the pointer to where nothing shows a hover, which would cover what is clicked next: a tab shows one. */
  async #restPointer(): Promise<void> {
    const { width, height } = this.page.viewportSize() ?? { width: 1400, height: 900 };
    await this.page.mouse.move(width * 0.4, height - 40);
  }

  /** Waits until the palette offers a command, and leaves the focus where it was. */
  async offers(title: string): Promise<void> {
    const { page } = this;
    const rows = page.locator(".quick-input-list .monaco-list-row", { hasText: title });
    for (let offered = false; !offered; ) {
      await page.keyboard.press("F1");
      await page.locator(".quick-input-widget input[type=text]").fill(`>${title}`);
      offered = await appears(rows.first(), 1000);
      await page.keyboard.press("Escape");
      await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    }
  }

  /** Reloads by VS Code's command: a reload by the browser does not always end the extension host. */
  async reload(): Promise<Frame> {
    const loaded = this.page.waitForEvent("domcontentloaded");
    await this.command("Developer: Reload Window");
    await loaded;
    return await this.panel();
  }

  async newSession(): Promise<Frame> {
    const panel = await this.panel();
    await panel.getByRole("button", { name: "New session", exact: true }).click();
    await panel.getByRole("article").first().waitFor({ state: "detached" });
    return panel;
  }

  /**
   * Chooses an item of the open context menu. VS Code's menu does not act on a click in its first 100 ms, so that the
   * release of the right button chooses nothing; such a click is made again.
   */
  async chooseFromMenu(name: string): Promise<void> {
    const item = this.page.getByRole("menuitem", { name, exact: true });
    await item.waitFor();
    while (await item.isVisible()) {
      await item.click({ timeout: 1000 }).catch(() => undefined);
      await item.waitFor({ state: "hidden", timeout: 1000 }).catch(() => undefined);
    }
  }

  /** Chooses a colour theme by its label. */
  async theme(label: string): Promise<void> {
    await this.command("Preferences: Color Theme");
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    await this.page.locator(".quick-input-widget input[type=text][placeholder*=Color]").fill(label);
    await rows.getByText(label, { exact: true }).first().click();
  }

  /**
   * Types a name into VS Code's file dialog, once the dialog shows its start folder. A first Enter may only list the
   * folder of what was typed (`onDidAccept` in VS Code's `simpleFileDialog.ts`), and may choose "..": so the name is
   * typed again, and Enter pressed, until the dialog is closed.
   */
  async chooseFile(name: string): Promise<void> {
    const field = this.page.locator(".quick-input-widget input[type=text]");
    await field.waitFor();
    await this.page.waitForFunction(
      ([field, folder]) => field instanceof HTMLInputElement && field.value.startsWith(folder),
      [await field.elementHandle(), this.folder] as const,
    );
    const dialog = this.page.locator(".quick-input-widget");
    while (await dialog.isVisible()) {
      await field.fill(path.join(this.folder, name), { timeout: 1000 }).catch(() => undefined);
      await field.press("Enter", { timeout: 1000 }).catch(() => undefined);
      await dialog.waitFor({ state: "hidden", timeout: 3000 }).catch(() => undefined);
    }
  }

  async read(file: string): Promise<string> {
    return await readFile(path.join(this.folder, file), "utf8");
  }

  /** Opens a text file in the editor by its name, and waits for the focus, which would take what is typed elsewhere. */
  async open(file: string): Promise<void> {
    const name = path.basename(file);
    await this.#pick(file, name);
    await this.page.locator(".editor-group-container.active .tab.active", { hasText: name }).waitFor();
    await this.page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
  }

  /** Returns the files that VS Code keeps under a folder such as "data/logs": text by path. */
  async kept(folder: string): Promise<Map<string, string>> {
    const root = path.join(this.dataDir, folder);
    const texts = new Map<string, string>();
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile()) texts.set(path.relative(this.dataDir, file), await readFile(file, "utf8"));
    }
    return texts;
  }

  /** Stops the model's server, or starts it again at the same address. */
  async modelIs(where: "away" | "back"): Promise<void> {
    await this.#code.model[where === "away" ? "stop" : "start"]();
  }

  /** Opens the folder with an empty profile of the user, in which nothing was ever chosen or stored. Closes this window. */
  async withEmptyProfile(): Promise<Window> {
    openWindows.delete(this);
    const { width, height } = this.page.viewportSize() ?? { width: 1400, height: 900 };
    await this.#code.emptyProfile();
    const window = new Window(this.#code, await this.#code.open(this.folder, width, height), this.folder);
    await window.showPanel();
    return window;
  }

  /** Opens a second window on the same folder, with the same model; it is closed with this one. */
  async another(): Promise<Window> {
    const page = await this.page.context().newPage();
    await page.goto(workbenchURL(this.#code.server, this.folder));
    const window = new Window(this.#code, page, this.folder);
    await window.showPanel();
    return window;
  }

  async close(): Promise<void> {
    openWindows.delete(this);
    await giveBack(this.#code);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Starts VS Code, opens the folder, and waits for the panel. */
export async function openWindow(options: WindowOptions = {}): Promise<Window> {
  await closeShared();
  return await startWindow(options);
}

async function startWindow(options: WindowOptions): Promise<Window> {
  const { trust = true, settings = {}, files = {}, key = environmentKey, width = 1400, extensions = [] } = options;
  const folder = await freshFolder("e2e", path.join(import.meta.dirname, "../../sample"));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  const code = await takeVSCode({ trust, key, extensions }, { ...ownSettings, ...settings });
  const page = await code.open(folder, width, 900);
  const window = new Window(code, page, folder);
  try {
    await window.showPanel();
    return window;
  } catch (error) {
    await page.screenshot({ path: "out/e2e-failed.png" });
    window.spoil();
    await window.close();
    throw error;
  }
}

let shared: Promise<Window> | undefined;

/**
 * Returns the window of the tests in `one-window`, which need neither settings nor files of their own, with a new
 * session. Starting a window takes as long as many tests. It is closed when a test opens another one.
 */
export async function sharedWindow(): Promise<Window> {
  shared ??= startWindow({});
  const window = await shared;
  window.plays();
  window.requests.length = 0;
  window.errors.length = 0;
  const panel = await window.newSession();
  // What is attached to an empty session stays with it, and would go with the first message of the next test.
  const attached = await panel.getByRole("group", { name: /^Attached/ }).allInnerTexts();
  if (attached.length > 0) throw new Error(`The test before has left in the message box: ${attached.join(", ")}`);
  return window;
}

async function closeShared(): Promise<void> {
  const window = await shared?.catch(() => undefined);
  shared = undefined;
  await window?.close();
}

if ("after" in globalThis) {
  after(async () => {
    await closeShared();
    await stopIdle();
  });
}
