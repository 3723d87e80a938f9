/** The panel as VS Code shows it: built from source, in a real browser, under the host's content security policy. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { build } from "esbuild";
import { type Browser, chromium, type Page, type Route } from "playwright-core";
import { builds } from "../../esbuild.mjs";
import type { ToHost, ToPanel } from "../../src/chat/protocol.ts";
import { jsonForPage, pageHtml } from "../../src/extension/panel/page-html.ts";
import type { Bundle } from "../../src/l10n/l10n.ts";
import { fontFile, fontStyles } from "./fonts.ts";
import { type Files, servePanel } from "./panel-server.ts";

export type Theme = "dark" | "light" | "hc" | "hcl";

const bodyClasses: Record<Theme, string> = {
  dark: "vscode-dark",
  light: "vscode-light",
  hc: "vscode-high-contrast",
  hcl: "vscode-high-contrast vscode-high-contrast-light",
};

const origin = "http://panel.invalid";

/** A worker of the page has its code from a blob. */
const isOwn = (address: string) => address.startsWith(`${origin}/`) || address.startsWith(`blob:${origin}/`);

/** `pictures`: the fonts of the tests, hours of UTC, and text that each machine draws alike. */
type Purpose = "tests" | "pictures";

/** "de" as VS Code names it; English has no file of texts. */
export type PanelLanguage = "en" | "de" | "zh-cn";

export async function textsOf(language: PanelLanguage): Promise<Bundle> {
  if (language === "en") return {};
  return JSON.parse(await readFile(new URL(`../../l10n/bundle.l10n.${language}.json`, import.meta.url), "utf8"));
}

async function bundle(purpose: Purpose, language: PanelLanguage): Promise<Files> {
  const panel = builds.find((options) => "panel" in (options.entryPoints ?? {}));
  const workers = builds.find((options) => "maths" in (options.entryPoints ?? {}));
  const built = await Promise.all([panel, workers].map((options) => build({ ...options, write: false })));
  const files: Files = new Map();
  let template = "";
  for (const { path, contents, text } of built.flatMap(({ outputFiles }) => outputFiles ?? [])) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name === (language === "en" ? "page.html" : `page.${language}.html`)) template = text;
    else if (!name.endsWith(".html")) files.set(name, Buffer.from(contents));
  }
  // The browser asks for it itself.
  files.set("favicon.ico", Buffer.alloc(0));
  files.set("themes.css", await readFile(new URL("themes.css", import.meta.url)));
  if (purpose === "pictures") {
    const styles = await fontStyles();
    files.set("fonts.css", Buffer.from(styles));
    for (const [name] of styles.matchAll(/\bfonts\/[\w./-]+/g)) files.set(name, () => fontFile(name));
  }
  const texts = jsonForPage(await textsOf(language));
  const page = pageHtml(template, { source: origin, dist: origin, language, texts, nonce: "harness" });
  // VS Code's own styles come before the page's, too.
  const styles = ["themes.css", "fonts.css"].filter((name) => files.has(name));
  const links = styles.map((name) => `<link rel="stylesheet" href="${name}">`);
  files.set("page.html", Buffer.from(page.replace("<head>", `<head>${links.join("")}`)));
  return files;
}

const browsers = {
  // The first is quicker.
  tests: ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"],
  // The shell draws letters otherwise.
  pictures: ["/usr/bin/chromium"],
};

/** Starts Chromium: `CHROMIUM_PATH`, Debian's, or what Playwright finds. */
export async function launch(purpose: Purpose = "tests", language: PanelLanguage = "en"): Promise<PanelBrowser> {
  const path = process.env["CHROMIUM_PATH"] ?? browsers[purpose].find((file) => existsSync(file));
  const server = await servePanel(await bundle(purpose, language));
  // Nothing else can be reached.
  const hosts = `--host-resolver-rules=MAP panel.invalid 127.0.0.1:${server.port}, MAP * ~NOTFOUND`;
  const args = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking";
  const browser = await chromium.launch({
    ...(path ? { executablePath: path } : { channel: "chrome" }),
    args: [...args.split(" "), hosts, ...(purpose === "pictures" ? sameEverywhere : [])],
  });
  return new PanelBrowser(browser, server, purpose);
}

/** Otherwise the system's settings decide how letters are drawn. */
const sameEverywhere = ["--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"];

interface Look {
  theme?: Theme;
  width?: number;
  height?: number;
}

export class PanelBrowser {
  readonly #browser: Browser;
  readonly #server: { close(): void };
  readonly #purpose: Purpose;
  /** Unused pages, because a new one takes a second. */
  readonly #free: PanelPage[] = [];

  constructor(browser: Browser, server: { close(): void }, purpose: Purpose) {
    this.#browser = browser;
    this.#server = server;
    this.#purpose = purpose;
  }

  /** Returns a fresh panel that has requested its snapshot and received nothing yet. */
  async open(look: Look = {}): Promise<PanelPage> {
    const panel = this.#free.pop() ?? (await this.#create());
    await panel.load(look);
    return panel;
  }

  async #create(): Promise<PanelPage> {
    const page = await this.#browser.newPage({
      reducedMotion: "reduce",
      ...(this.#purpose === "pictures" && { timezoneId: "UTC", locale: "en-US" }),
    });
    // Only a limit for what never comes: a busy machine takes its time.
    page.setDefaultTimeout(90_000);
    const panel = new PanelPage(page, (unused) => this.#free.push(unused));
    await page.addInitScript(fakeHost);
    return panel;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }
}

declare global {
  interface Window {
    /** Messages that the panel has sent, in order. */
    sent: ToHost[];
  }
}

/** Runs in the page, before its scripts. */
function fakeHost(): void {
  window.sent = [];
  const api = {
    postMessage: (message: ToHost) => window.sent.push(structuredClone(message)),
    getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
    setState: (state: unknown) => sessionStorage.setItem("state", JSON.stringify(state)),
  };
  Object.assign(window, { acquireVsCodeApi: () => api });
}

/** A message without its number, which it gets when it is sent. */
export type Unnumbered = ToPanel extends infer M ? (M extends unknown ? Omit<M, "seq"> : never) : never;

export class PanelPage {
  readonly page: Page;
  /** Requested addresses other than the panel's own files. */
  readonly strays: string[] = [];
  /** Errors of scripts and of the content security policy. */
  readonly errors: string[] = [];
  navigations = 0;
  #seq = 0;
  readonly #queue: object[] = [];
  readonly #release: (panel: PanelPage) => void;

  constructor(page: Page, release: (panel: PanelPage) => void) {
    this.page = page;
    this.#release = release;
    page.on("console", (message) => message.type() === "error" && this.errors.push(message.text()));
    page.on("pageerror", (error) => this.errors.push(error.message));
    page.on("framenavigated", () => this.navigations++);
    page.on("request", (request) => !isOwn(request.url()) && this.strays.push(request.url()));
  }

  /** Restarts the panel without any state. */
  async load({ theme = "dark", width = 480, height = 820 }: Look): Promise<void> {
    const { page } = this;
    if (page.url().startsWith(origin)) {
      await page.evaluate(() => {
        sessionStorage.clear();
        // Its timers may still save until it is gone.
        Storage.prototype.setItem = () => undefined;
      });
    }
    this.strays.length = 0;
    this.errors.length = 0;
    this.navigations = 0;
    this.#seq = 0;
    await page.setViewportSize({ width, height });
    await page.goto(`${origin}/page.html`);
    await page.mouse.move(0, 0);
    await this.dress(theme);
    await this.loaded();
  }

  /** Loads the page again, which stays at what it shows first until the returned function is called. */
  async reloadHeld(): Promise<() => void> {
    const held = Promise.withResolvers<void>();
    const hold = async (route: Route) => {
      await held.promise;
      await route.continue();
      await this.page.unroute("**/panel.js", hold);
    };
    await this.page.route("**/panel.js", hold);
    await this.page.reload();
    return held.resolve;
  }

  /** Waits until the page has loaded the panel, which does not take it over before its first message. */
  async loaded(): Promise<void> {
    await this.page.waitForFunction(() => window.sent.some(({ type }) => type === "panel-focus"));
  }

  /** Gives the page another size, and waits until the panel is drawn in it. */
  async resize(size: { width: number; height: number }): Promise<void> {
    await this.page.setViewportSize(size);
    await this.page.waitForFunction(
      ({ width, height }) => window.innerWidth === width && window.innerHeight === height,
      size,
    );
    await this.drawn();
  }

  /** Waits until what has changed is drawn. */
  async drawn(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(undefined)))),
    );
  }

  /** Scrolls the conversation up by this many pixels, again if it was not ready for it, as on a busy machine. */
  async scrollUp(pixels: number): Promise<void> {
    const log = this.page.getByRole("log");
    await log.hover();
    const below = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    do {
      await this.page.mouse.wheel(0, -pixels);
      await this.drawn();
    } while ((await below()) < pixels / 2);
    await this.drawn();
  }

  /** Changes the colours of the page, as VS Code does. */
  async dress(theme: Theme): Promise<void> {
    await this.page.evaluate(
      ([theme, classes]) => {
        document.documentElement.dataset["theme"] = theme;
        document.body.className = classes;
      },
      [theme, bodyClasses[theme]] as const,
    );
  }

  /** Queues a message for the next post. */
  queue(message: Unnumbered): void {
    this.#queue.push({ ...message, seq: ++this.#seq });
  }

  /** Posts messages as the host does, and waits until they are drawn. */
  async post(...messages: Unnumbered[]): Promise<void> {
    for (const message of messages) this.queue(message);
    const numbered = this.#queue.splice(0);
    await this.page.evaluate(async (all) => {
      for (const message of all) window.postMessage(message, "*");
      await new Promise((done) => setTimeout(done));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }, numbered);
  }

  /** Drops a message. */
  skip(): void {
    this.#seq++;
  }

  /** Returns what the panel has sent, but for what it sends at any time: its focus, and the files and symbols that it links to. */
  async sent(): Promise<ToHost[]> {
    const all = await this.page.evaluate(() => window.sent);
    const atAnyTime = new Set(["panel-focus", "check-files", "find-symbols"]);
    return all.filter(({ type }) => !atAnyTime.has(type));
  }

  /** Returns the sent messages of one type. */
  async sentOf<T extends ToHost["type"]>(type: T): Promise<Extract<ToHost, { type: T }>[]> {
    const all = await this.page.evaluate(() => window.sent);
    return all.filter((message): message is Extract<ToHost, { type: T }> => message.type === type);
  }

  /** Releases the page for reuse. */
  close(): void {
    this.#release(this);
  }
}
