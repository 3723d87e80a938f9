/**
 * A VS Code that serves the windows of several tests, one after another, because starting one takes as long as many
 * tests. Between them it becomes that of a new user: no settings, no storage, no extension host.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import type { BrowserContext, Page } from "playwright-core";
import { until } from "../timing.ts";
import { freshFolder, openBrowser, type Server, startVSCode, workbenchURL, writeSettings } from "../vscode.mjs";
import { processes } from "./processes.ts";
import { ScriptedModel } from "./scripted-model.ts";

/** What is given when VS Code starts, and cannot be changed later. */
export interface StartOptions {
  /** False: Restricted Mode. */
  trust: boolean;
  /** API key in the environment; false: none. */
  key: string | false;
  /** Folders of further extensions. */
  extensions: string[];
}

type Settings = Record<string, unknown>;

/**
 * The browser of all windows, and the port of the first VS Code, which the others have too: a browser compiles VS Code's
 * scripts anew for each address.
 */
let shared: { context: BrowserContext; port: number; close(): Promise<void> } | undefined;

export class RunningVSCode {
  readonly server: Server;
  readonly model: ScriptedModel;
  /** Settings, storage and logs. */
  readonly dataDir: string;
  /** Value in the environment of all its processes. */
  readonly marker: string;
  /** How it was started. */
  readonly kind: string;
  /** Whether it must not serve another test. */
  spoiled = false;

  private constructor(parts: Pick<RunningVSCode, "server" | "model" | "dataDir" | "marker" | "kind">) {
    this.server = parts.server;
    this.model = parts.model;
    this.dataDir = parts.dataDir;
    this.marker = parts.marker;
    this.kind = parts.kind;
  }

  static async start(options: StartOptions, settings: Settings): Promise<RunningVSCode> {
    const { trust, key, extensions } = options;
    const vsix = process.env["RONDO_VSIX"];
    assert.ok(vsix, "RONDO_VSIX names the package; `npm run test:e2e` makes it");
    const model = new ScriptedModel();
    await model.start();
    const dataDir = await freshFolder("e2e-data");
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
    const given = { extensions: [vsix, ...extensions], env, trust, userSettings: settings };
    const server = await startVSCode({ dataDir, port: shared?.port ?? 0, ...given });
    const code = new RunningVSCode({ server, model, dataDir, marker, kind: kindOf(options) });
    await code.#forgetPages();
    return code;
  }

  /** Opens a folder in a page. The browser starts with the first one. */
  async open(folder: string, width: number, height: number): Promise<Page> {
    const url = workbenchURL(this.server, folder);
    if (!shared) {
      const { page, close } = await openBrowser({ url, width, height });
      shared = { context: page.context(), port: this.server.port, close };
      return page;
    }
    const page = await shared.context.newPage();
    await page.setViewportSize({ width, height });
    await page.goto(url);
    return page;
  }

  /** Closes all pages, and ends what runs in their windows. */
  async leave(): Promise<void> {
    for (const page of shared?.context.pages() ?? []) if (page.url() !== "about:blank") await page.close();
    const hosts = () => processes("--type=extensionHost", this.marker);
    // VS Code keeps the host of a page that is gone, in case it comes back.
    for (const host of hosts()) process.kill(host, "SIGTERM");
    await until(() => hosts().length === 0);
  }

  /** Makes it that of a new user. Its pages are closed. */
  async reset(settings: Settings): Promise<void> {
    this.model.reset();
    for (const place of ["User", "Machine"]) {
      await rm(path.join(this.dataDir, "data", place), { recursive: true, force: true, maxRetries: 5 });
    }
    await writeSettings(path.join(this.dataDir, "data"), settings);
    await this.#forgetPages();
  }

  /** Empties the profile of the user, which VS Code keeps in the browser. Its pages are closed. */
  async emptyProfile(): Promise<void> {
    await this.leave();
    await this.#forgetPages();
  }

  /** Removes what pages have stored in the browser. */
  async #forgetPages(): Promise<void> {
    if (!shared) return;
    const page = await shared.context.newPage();
    const session = await shared.context.newCDPSession(page);
    const storageTypes = "cookies,local_storage,indexeddb,file_systems,websql";
    await session.send("Storage.clearDataForOrigin", { origin: this.server.url, storageTypes });
    await page.close();
  }

  async stop(): Promise<void> {
    await this.leave();
    await this.server.stop();
    await this.model.stop();
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

let idle: RunningVSCode | undefined;

/** Returns the VS Code that was given back last, if it was started alike, or starts one. */
export async function takeVSCode(options: StartOptions, settings: Settings): Promise<RunningVSCode> {
  const kept = idle;
  idle = undefined;
  if (kept?.kind === kindOf(options)) {
    await kept.reset(settings);
    return kept;
  }
  await kept?.stop();
  return await RunningVSCode.start(options, settings);
}

/** Keeps a VS Code for the next window. Outside of tests, everything is stopped. */
export async function giveBack(code: RunningVSCode): Promise<void> {
  const tested = "after" in globalThis;
  if (code.spoiled || !tested) {
    await code.stop();
    if (!tested) await closeBrowser();
    return;
  }
  await code.leave();
  await idle?.stop();
  idle = code;
}

async function closeBrowser(): Promise<void> {
  await shared?.close();
  shared = undefined;
}

/** Stops the VS Code that was given back, and the browser; after all tests. */
export async function stopIdle(): Promise<void> {
  await idle?.stop();
  idle = undefined;
  await closeBrowser();
}

function kindOf(options: StartOptions): string {
  return JSON.stringify(options);
}
