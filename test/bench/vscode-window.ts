/** A window of the real VS Code on a copy of the sample; this process serves its models. */
import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Frame, Locator, Page } from "playwright-core";
import { type ModelServer, type Script, startModelServer } from "../model-server.ts";
import { freshFolder, openBrowser, startVSCode, webviewFrame, workbenchURL } from "../vscode.mjs";

export interface Window {
  page: Page;
  /** VS Code's settings, storage and logs. */
  dataDir: string;
  model: ModelServer;
  /** Runs a command of the palette by its title. */
  command(title: string): Promise<void>;
  /** Waits until the panel is shown. */
  panel(): Promise<Frame>;
  /** Resident memory of the extension host in MiB; NaN except on Linux. */
  hostMemory(): number;
  close(): Promise<void>;
}

/** Opens a window and waits `settle` ms for its start to be over. */
export async function openWindow(extensions: string[], script: Script, settle: number): Promise<Window> {
  const model = await startModelServer(script);
  const folder = await freshFolder("bench", path.join(import.meta.dirname, "../../sample"));
  const dataDir = await freshFolder("bench-data");
  const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: model.url, OPENAI_API_KEY: undefined };
  const server = await startVSCode({ dataDir, extensions, env });
  const { close, page } = await openBrowser({ url: workbenchURL(server, folder), width: 1400, height: 900 });
  const window: Window = {
    page,
    dataDir,
    model,
    command: (title) => runCommand(page, title),
    async panel() {
      const panel = await webviewFrame(page, '[aria-label="Rondo"]');
      await panel.getByRole("textbox", { name: "Message" }).waitFor();
      return panel;
    },
    hostMemory: () => memoryOf(model.url),
    async close() {
      await close();
      await server.stop();
      await model.stop();
      for (const one of [folder, dataDir]) await rm(one, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await page.waitForSelector(".monaco-workbench .part.statusbar");
    await wait(settle);
    return window;
  } catch (error) {
    await window.close();
    throw error;
  }
}

async function runCommand(page: Page, title: string): Promise<void> {
  const palette = await findCommand(page, title);
  await page.keyboard.press("Enter");
  await palette.waitFor({ state: "hidden" });
}

/** Opens the palette with a command. A view that takes the focus while it opens may close it: it is opened again. */
export async function findCommand(page: Page, title: string): Promise<Locator> {
  const palette = page.locator(".quick-input-widget");
  const row = palette.locator(".monaco-list-row", { hasText: title }).first();
  for (let tries = 1; ; tries++) {
    try {
      await page.keyboard.press("F1");
      await palette.locator("input").first().fill(`>${title}`, { timeout: 2000 });
      await row.waitFor({ timeout: 2000 });
      return palette;
    } catch (error) {
      if (tries === 10) throw error;
      await page.keyboard.press("Escape");
    }
  }
}

/** The extension host is known by the address in its environment. */
function memoryOf(address: string): number {
  if (process.platform !== "linux") return Number.NaN;
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "latin1");
    } catch {
      // It has ended, or is another user's.
      return "";
    }
  };
  const hosts = readdirSync("/proc").filter(
    (pid) => read(pid, "cmdline").includes("--type=extensionHost") && read(pid, "environ").includes(address),
  );
  const [host = "", ...others] = hosts;
  if (others.length > 0) throw new Error(`${hosts.length} extension hosts run`);
  return Number(/VmRSS:\s+(\d+)/.exec(read(host, "status"))?.[1]) / 1024;
}
