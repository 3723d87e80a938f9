/** A window of the real VS Code with the packaged Rondo and a scripted model. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, errors, type Frame, type Locator, type Page } from "playwright-core";
import { type Answer, type ModelServer, type ReceivedRequest, startModelServer } from "../model-server.ts";
import { freshFolder, openBrowser, type Server, startVSCode, webviewFrame, workbenchURL } from "../vscode.mjs";

/** Console errors that are not Rondo's: VS Code's server lacks some files, and there is no network. */
const noise = [
  /Failed to load resource/,
  /\[Service Worker\]|serviceWorker/i,
  /bad HTTP response code/,
  /open-vsx|vsda|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION|ERR_INTERNET/,
  /\[lifecycle\]|tsserver|Extension host/i,
  /Unable to retrieve|marketplace|gallery/i,
  /Activating extension 'vscode\./,
  /Unable to write file 'vscode-log:/,
  // VS Code's server mints no key for the browser's secret storage.
  /getServerKeyPart/,
  // On a busy machine; Rondo does not listen to this event.
  /Aborted onWillSaveTextDocument-event/,
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
    for (const window of openWindows) console.log(await window.described().catch(String));
  });
}

interface Parts {
  opened: { browser: Browser; page: Page };
  folder: string;
  dataDir: string;
  marker: string;
  server: Server;
  model: Model;
}

export class Window {
  readonly page: Page;
  readonly folder: string;
  /** VS Code's settings, storage and logs. */
  readonly dataDir: string;
  /** Console errors, without the noise of VS Code. */
  readonly errors: string[] = [];
  /** Requests that offer tools, so all but those for titles. */
  readonly requests: ReceivedRequest[] = [];
  /** Value in the environment of all processes of this window. */
  readonly marker: string;

  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.page = parts.opened.page;
    this.folder = parts.folder;
    this.dataDir = parts.dataDir;
    this.marker = parts.marker;
    this.requests = parts.model.requests;
    this.page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !noise.some((one) => one.test(text))) this.errors.push(text);
    });
    this.page.on("pageerror", (error) => this.errors.push(String(error)));
    openWindows.add(this);
  }

  /** Returns what the panel shows, and the end of the last request; a picture is written to `out`. */
  async described(): Promise<string> {
    await this.page.screenshot({ path: `out/e2e-failed-${this.marker}.png` });
    const shown = await (await this.panel()).locator("body").innerText();
    const asked = `${this.requests.length} requests, the last: …${this.requests.at(-1)?.raw.slice(-1500)}`;
    const toasts = await this.page.locator(".notification-toast").allInnerTexts();
    return [`What the panel shows:\n${shown}`, asked, ...toasts, ...this.errors].join("\n");
  }

  /** Sets the answers to the next requests; earlier ones that were not used are dropped. */
  plays(...answers: Answer[]): void {
    this.#parts.model.answers = answers;
  }

  /** As `plays`, for the requests to one model, in whichever order those to others come. */
  playsAs(modelID: string, ...answers: Answer[]): void {
    this.#parts.model.answersOf.set(modelID, answers);
  }

  /** Sets the title of new sessions. Without it the model makes none, and the prompt is the title. */
  titles(title: string): void {
    this.#parts.model.title = title;
  }

  /** Sets the answer to requests that offer no tools, as that of an inline prompt. */
  answersBriefly(answer: Answer): void {
    this.#parts.model.brief = answer;
  }

  /** Returns the panel's frame; call it again after a reload or after the panel was hidden. */
  async panel(): Promise<Frame> {
    const frame = await webviewFrame(this.page, '[aria-label="Rondo"]');
    // While a question is open, the text box is its field, and the buttons of the composer are gone.
    await frame.locator(".Composer").getByRole("textbox").waitFor();
    return frame;
  }

  /** Closes the folder. */
  async closeFolder(): Promise<Frame> {
    await this.page.goto(`${this.#parts.server.url}/?ew=true`);
    return await this.showPanel();
  }

  /** Opens the folders of a workspace file instead of the folder. */
  async openWorkspace(file: string): Promise<Frame> {
    const url = new URL(this.#parts.server.url);
    url.searchParams.set("workspace", path.join(this.folder, file));
    await this.page.goto(url.href);
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
        const rows = page.locator(".quick-input-list .monaco-list-row", { hasText: row });
        return await rows.first().click({ timeout: 2000 });
      } catch (error) {
        if (!(error instanceof errors.TimeoutError)) throw error;
        await page.keyboard.press("Escape");
      }
    }
    throw new Error(`Nothing named "${row}" was found with "${typed}".`);
  }

  /** Waits until the palette offers a command, and leaves the focus where it was. */
  async offers(title: string): Promise<void> {
    const { page } = this;
    const rows = page.locator(".quick-input-list .monaco-list-row", { hasText: title });
    for (let offered = false; !offered; ) {
      await page.keyboard.press("F1");
      await page.locator(".quick-input-widget input[type=text]").fill(`>${title}`);
      offered = await rows
        .first()
        .waitFor({ timeout: 1000 })
        .then(
          () => true,
          () => false,
        );
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

  /** Types a name into VS Code's file dialog, once the dialog shows its start folder. */
  async chooseFile(name: string): Promise<void> {
    const field = this.page.locator(".quick-input-widget input[type=text]");
    await field.waitFor();
    await this.page.waitForFunction(
      ([field, folder]) => field instanceof HTMLInputElement && field.value.startsWith(folder),
      [await field.elementHandle(), this.folder] as const,
    );
    await field.fill(path.join(this.folder, name));
    await field.press("Enter");
  }

  async read(file: string): Promise<string> {
    return await readFile(path.join(this.folder, file), "utf8");
  }

  /** Opens a file in the editor by its name. */
  async open(file: string): Promise<void> {
    const name = path.basename(file);
    await this.#pick(file, name);
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
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
    await this.#parts.model[where === "away" ? "stop" : "start"]();
  }

  /**
   * Opens the folder with an empty profile of the user, in which nothing was ever chosen or stored. This window's page is
   * closed; the new one is closed with this one's VS Code.
   */
  async withEmptyProfile(): Promise<Window> {
    const { opened, ...parts } = this.#parts;
    await this.page.context().close();
    openWindows.delete(this);
    const page = await (await opened.browser.newContext({ viewport: this.page.viewportSize() })).newPage();
    await page.goto(workbenchURL(parts.server, this.folder));
    const window = new Window({ ...parts, opened: { ...opened, page } });
    await window.showPanel();
    return window;
  }

  /** Opens a second window on the same folder, with the same model; it is closed with this one. */
  async another(): Promise<Window> {
    const { opened, ...parts } = this.#parts;
    const page = await opened.page.context().newPage();
    await page.goto(workbenchURL(parts.server, this.folder));
    const window = new Window({ ...parts, opened: { ...opened, page } });
    await window.showPanel();
    return window;
  }

  async close(): Promise<void> {
    openWindows.delete(this);
    await this.#parts.opened.browser.close();
    await this.#parts.server.stop();
    await this.#parts.model.stop();
    await remove(this.folder, this.dataDir);
  }
}

/** Starts VS Code, opens the folder, and waits for the panel. */
export async function openWindow(options: WindowOptions = {}): Promise<Window> {
  await closeShared();
  return await startWindow(options);
}

async function startWindow(options: WindowOptions): Promise<Window> {
  const { trust = true, settings = {}, files = {}, key = environmentKey, width = 1400, extensions = [] } = options;
  const vsix = process.env["RONDO_VSIX"];
  assert.ok(vsix, "RONDO_VSIX names the package; `npm run test:e2e` makes it");
  const model = new Model();
  await model.start();
  const folder = await freshFolder("e2e", path.join(import.meta.dirname, "../../sample"));
  const dataDir = await freshFolder("e2e-data");
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  const marker = randomUUID();
  const env = {
    RONDO_E2E: marker,
    RONDO_TOUR: undefined,
    OPENAI_API_KEY: undefined,
    OPENAI_BASE_URL: undefined,
    // A server on this machine needs no key: where there is none, its address is not one that says so.
    ANTHROPIC_BASE_URL: key === false ? model.url.replace("127.0.0.1", "0.0.0.0") : model.url,
    ANTHROPIC_API_KEY: key === false ? undefined : key,
  };
  const server = await startVSCode({
    dataDir,
    extensions: [vsix, ...extensions],
    env,
    trust,
    userSettings: { ...ownSettings, ...settings },
  });
  let opened: Awaited<ReturnType<typeof openBrowser>> | undefined;
  try {
    opened = await openBrowser({ url: workbenchURL(server, folder), width, height: 900 });
    const window = new Window({ opened, folder, dataDir, marker, server, model });
    await window.showPanel();
    return window;
  } catch (error) {
    await opened?.page.screenshot({ path: "out/e2e-failed.png" });
    await opened?.browser.close();
    await server.stop();
    await model.stop();
    await remove(folder, dataDir);
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
  await window.newSession();
  return window;
}

async function closeShared(): Promise<void> {
  const window = await shared?.catch(() => undefined);
  shared = undefined;
  await window?.close();
}

if ("after" in globalThis) after(closeShared);

const nothingToSay: Answer = { status: 400, body: { error: { message: "the model has nothing to say" } } };

/** A scripted model that keeps its address over stops and starts. */
class Model {
  answers: Answer[] = [];
  readonly answersOf = new Map<string, Answer[]>();
  title: string | undefined;
  brief: Answer | undefined;
  readonly requests: ReceivedRequest[] = [];
  #server: ModelServer | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server = await startModelServer((request) => this.#answer(request), this.#port);
    this.#port = Number(new URL(this.#server.url).port);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  #answer(request: ReceivedRequest): Answer {
    const { tools } = request.body;
    if (!Array.isArray(tools) || tools.length === 0)
      return this.brief ?? (this.title ? [{ text: this.title }] : nothingToSay);
    this.requests.push(request);
    const answers = this.answersOf.get(String(request.body["model"])) ?? this.answers;
    return answers.shift() ?? nothingToSay;
  }
}

async function remove(...folders: string[]): Promise<void> {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
}
