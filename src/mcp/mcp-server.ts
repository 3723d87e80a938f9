/** An MCP server: started when it is needed, and restarted when it ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { untilAborted } from "../base/node/until-aborted.ts";
import type { ServerView } from "../chat/server-views.ts";
import { english, msg } from "../l10n/l10n.ts";
import { type ProgressReporter, type Tool, ToolError, type ToolResult } from "../tools/tool.ts";
import type { ServerConfig } from "./config/server-config.ts";
import type { ListedTool, ServerConnection, ServerOffers } from "./connection/connect.ts";
import { type LoginHost, OAuthLogin } from "./connection/oauth-login.ts";
import { isFailure, ServerFailure, toServerFailure } from "./connection/server-failure.ts";
import { oneLine } from "./connection/server-text.ts";
import { listedPrompts, type ServerPrompt } from "./prompts/listed-prompts.ts";
import type { ServerTimes } from "./server-times.ts";
import { toToolResult } from "./tools/call-result.ts";
import { createTools } from "./tools/server-tools.ts";

/** Minimum time between two progress reports of a call. */
const progressIntervalMs = 100;
/** Maximum number of restarts without an answered call in between. */
const maxRestarts = 3;
/** Time after which an unreachable server is tried again. */
const retryPauseMs = 60_000;
/** Time after which a run counts as stable, so that its end starts a new count of restarts. */
const stableRunMs = 60_000;

export interface ServerOptions {
  config: ServerConfig;
  /** The server's part in the names of its tools. */
  slug: string;
  env: NodeJS.ProcessEnv;
  /** Version of Rondo. */
  version: string;
  times: ServerTimes;
  /** The workspace's folders, which servers may ask for. */
  folders(): readonly string[];
  /** Undefined where sign-in is not possible. */
  loginHost: LoginHost | undefined;
  /** Whether the user has allowed exactly this configuration. */
  isAllowed(): boolean;
  onChange(): void;
  log(line: string): void;
}

type ServerState = Exclude<ServerView["state"], { type: "ready" | "asks" }> | { type: "ready" };

export class McpServer {
  readonly config: ServerConfig;
  readonly slug: string;
  readonly #options: ServerOptions;
  #state: ServerState = { type: "off" };
  #connection: ServerConnection | undefined;
  #tools: readonly Tool[] = [];
  #listed: readonly ListedTool[] = [];
  #starting: Promise<void> | undefined;
  /** When prompts began to wait for it, in milliseconds since 1970. */
  #waitedSince = 0;
  #readyAt = 0;
  /** Number of consecutive failed starts and unexpected ends. */
  #failures = 0;
  /** The last failure and its time, in milliseconds since 1970. */
  #failure: ServerFailure | undefined;
  #failedAt = 0;
  #stopped: boolean;
  /** Aborted when the server is stopped. */
  #life = new AbortController();
  readonly #toolsRefresh: ListRefresh;
  readonly #promptsRefresh: ListRefresh;
  #prompts: readonly ServerPrompt[] = [];
  /** Incremented when its resources may have changed. */
  #resourceVersion = 0;
  #ending: Promise<void> = Promise.resolve();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.config = options.config;
    this.slug = options.slug;
    this.#stopped = options.config.disabled;
    const { refreshDelay } = options.times;
    this.#toolsRefresh = new ListRefresh(refreshDelay, (signal) =>
      this.#listAgain(signal, async (one) => this.#setTools(await one.listTools(signal))),
    );
    this.#promptsRefresh = new ListRefresh(refreshDelay, (signal) =>
      this.#listAgain(signal, (one) => this.#readPrompts(one, signal)),
    );
  }

  /** Its tools; during a restart, those from before. */
  get tools(): readonly Tool[] {
    return this.#isUp ? this.#tools : [];
  }

  /** Its prompts, soon after it runs; during a restart, those from before. */
  get prompts(): readonly ServerPrompt[] {
    return this.#isUp ? this.#prompts : [];
  }

  /** Undefined while it does not run. */
  get offers(): ServerOffers | undefined {
    return this.#connection?.offers;
  }

  /** Another number when its resources may have changed. */
  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  get #isUp(): boolean {
    return this.#state.type === "ready" || this.#state.type === "starting";
  }

  view(): ServerView {
    const { name, source, target } = this.config;
    return { name, source, target, state: this.#viewState() };
  }

  #viewState(): ServerView["state"] {
    if (this.#state.type === "off" && !this.#stopped && !this.#options.isAllowed()) return { type: "asks" };
    if (this.#state.type !== "ready") return this.#state;
    const tools = this.#listed.map(({ name, description }) => ({
      name: oneLine(name, 100),
      description: typeof description === "string" ? oneLine(description, 120) : "",
    }));
    return { type: "ready", tools };
  }

  /** Starts the server if it is allowed. Resolves when it runs, has failed, or prompts have waited long enough. */
  async ready(): Promise<void> {
    if (this.#state.type === "off" && !this.#stopped && this.#options.isAllowed()) this.#begin();
    else if (this.#state.type === "failed" && this.#mayBeReachable()) this.#begin(false);
    if (!this.#starting) return;
    const left = this.#waitedSince + this.#options.times.promptWait - Date.now();
    if (left > 0) await untilAborted(this.#starting, AbortSignal.timeout(left));
  }

  /** Whether to retry an unreachable server, for example after the network was down. */
  #mayBeReachable(): boolean {
    const isUnreachable = this.#failure?.kind === "passing" && this.config.launch.type === "http";
    return isUnreachable && Date.now() - this.#failedAt > retryPauseMs;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    if (!this.#options.isAllowed()) return this.#options.onChange();
    if (this.#connection) return;
    this.#failures = 0;
    this.#begin();
    await this.#starting;
  }

  /** Stops the server and resolves when it has ended. If `stopped`, only the user starts it again. */
  async stop(stopped = true): Promise<void> {
    this.#stopped = stopped;
    this.#life.abort();
    this.#life = new AbortController();
    this.#disconnect();
    this.#ending = Promise.all([this.#ending, this.#starting]).then(() => {});
    this.#starting = undefined;
    this.#set({ type: "off" });
    await this.#ending;
  }

  async signIn(signal: AbortSignal): Promise<void> {
    const { launch } = this.config;
    const { loginHost } = this.#options;
    if (launch.type !== "http" || !loginHost || !this.#options.isAllowed()) return;
    await this.stop(false);
    const life = this.#life.signal;
    const either = AbortSignal.any([signal, life, AbortSignal.timeout(this.#options.times.login)]);
    this.#set({ type: "starting" });
    try {
      const { signIn } = await import("./connection/connect.ts");
      const attempt = { redirectUrl: await loginHost.redirectUrl(), signal: either };
      await signIn(launch, new OAuthLogin(launch.url, loginHost, attempt), either);
    } catch (error) {
      if (life.aborted) return;
      if (either.aborted) this.#set({ type: "sign-in" });
      else this.#fail(toServerFailure(error));
      return;
    }
    if (!life.aborted) await this.start();
  }

  #set(state: ServerState): void {
    this.#state = state;
    this.#options.onChange();
  }

  #fail(failure: ServerFailure): void {
    const { message, next, kind } = failure;
    this.#failure = failure;
    this.#failedAt = Date.now();
    this.#options.log(message);
    if (kind === "sign-in") this.#set({ type: "sign-in" });
    else this.#set({ type: "failed", message, next });
  }

  /** `isAwaited`: prompts wait for the start. */
  #begin(isAwaited = true): void {
    if (this.#starting) return;
    if (isAwaited) this.#waitedSince = Date.now();
    this.#set({ type: "starting" });
    const starting = this.#start(this.#life.signal).finally(() => {
      if (this.#starting === starting) this.#starting = undefined;
    });
    this.#starting = starting;
  }

  /** Never rejects. */
  async #start(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        if (this.#failures > 0) {
          await sleep(this.#options.times.backoff * 2 ** (this.#failures - 1), undefined, { signal });
        }
        signal.throwIfAborted();
        // The previous run must have ended first, because some servers hold a port or a file.
        await this.#ending;
        return await this.#connect(signal);
      } catch (error) {
        if (signal.aborted) return;
        const failure = toServerFailure(error);
        this.#failures++;
        if (failure.kind !== "passing" || this.#failures > maxRestarts) return this.#fail(failure);
        this.#options.log(`${failure.message} It is restarted.`);
      }
    }
  }

  /** @throws ServerFailure */
  async #connect(signal: AbortSignal): Promise<void> {
    const { config, env, version, times, folders, loginHost, log } = this.#options;
    const { launch } = config;
    const { connect } = await import("./connection/connect.ts");
    const login = launch.type === "http" && loginHost ? new OAuthLogin(launch.url, loginHost) : undefined;
    let connection: ServerConnection | undefined;
    let hasChanged = false;
    const current = () => connection !== undefined && this.#connection === connection;
    connection = await connect({
      launch,
      env,
      login,
      version,
      folders,
      timeoutMs: times.start,
      signal,
      onClosed: (why) => current() && this.#onClosed(why),
      onListChanged: (list) => {
        if (list === "tools") hasChanged = true;
        if (!current()) return;
        if (list === "tools") this.#toolsRefresh.request(signal);
        else if (list === "prompts") this.#promptsRefresh.request(signal);
        else this.#resourceVersion++;
      },
      onNote: log,
    });
    try {
      const listed = await connection.listTools(signal);
      signal.throwIfAborted();
      if (!connection.isOpen) throw new ServerFailure("passing", msg("The connection was cut."));
      this.#setTools(listed);
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.#connection = connection;
    this.#readyAt = Date.now();
    this.#resourceVersion++;
    this.#set({ type: "ready" });
    if (hasChanged) this.#toolsRefresh.request(signal);
    if (connection.offers.prompts) this.#promptsRefresh.request(signal);
    else this.#prompts = [];
  }

  #setTools(listed: readonly ListedTool[]): void {
    const { config, slug } = this.#options;
    const { name: server, timeoutMs } = config;
    this.#listed = listed;
    this.#tools = createTools({ server, slug, timeoutMs, listed, call: (...call) => this.#call(...call) });
  }

  #onClosed(why: ServerFailure): void {
    this.#disconnect();
    this.#options.log(why.message);
    if (Date.now() - this.#readyAt > stableRunMs) this.#failures = 0;
    this.#failures++;
    if (why.kind !== "passing" || this.#failures > maxRestarts) this.#fail(why);
    else this.#begin();
  }

  #disconnect(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) this.#ending = Promise.all([this.#ending, connection.close()]).then(() => {});
  }

  /** Reads its prompts now. @throws as `request` does */
  async loadPrompts(signal: AbortSignal): Promise<void> {
    await this.request(signal, (connection) => this.#readPrompts(connection, signal));
  }

  async #readPrompts(connection: ServerConnection, signal: AbortSignal): Promise<void> {
    const { config, slug, log } = this.#options;
    const listed = connection.offers.prompts ? await connection.list("prompts/list", signal) : [];
    if (this.#connection === connection) this.#prompts = listedPrompts(listed, { server: config.name, slug, log });
  }

  /** Never rejects. */
  async #listAgain(signal: AbortSignal, list: (connection: ServerConnection) => Promise<void>): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    try {
      await list(connection);
      if (this.#connection === connection) this.#options.onChange();
    } catch (error) {
      if (!signal.aborted) this.#options.log(toServerFailure(error).message);
    }
  }

  async #call(
    tool: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
    progress: ProgressReporter,
  ): Promise<ToolResult> {
    let reportedAt = 0;
    const onProgress = (done: number, total: number | undefined, message = "") => {
      if (Date.now() - reportedAt < progressIntervalMs) return;
      reportedAt = Date.now();
      const share = total === undefined ? `${done}` : english(`${done} of ${total}`);
      progress([share, oneLine(message, 200)].filter(Boolean).join(": "), 1);
    };
    try {
      return toToolResult(await this.request(signal, (connection) => connection.call(tool, input, signal, onProgress)));
    } catch (error) {
      if (!isFailure(error)) throw error;
      if (error.kind === "refused") return { output: error.message, metadata: {}, failed: true };
      throw new ToolError(msg("The server {0} did not answer. {1} {2}", this.config.name, error.message, error.next));
    }
  }

  /**
   * Sends a request to the running server, again if it has lost the session. @throws ServerFailure, ToolError when the
   * server does not run, and the signal's reason on abort
   */
  async request<Answer>(
    signal: AbortSignal,
    send: (connection: ServerConnection) => Promise<Answer>,
    mayEnd = true,
  ): Promise<Answer> {
    for (let isSecond = false; ; isSecond = true) {
      const connection = await this.#connected(signal);
      try {
        const answer = await send(connection);
        this.#failures = 0;
        return answer;
      } catch (error) {
        if (signal.aborted) {
          if (mayEnd) void this.#checkAlive(connection);
          throw signal.reason;
        }
        const failure = toServerFailure(error);
        const isCurrent = this.#connection === connection;
        // The server did nothing, so repeating the request is safe.
        if (failure.kind === "lost-session" && !isSecond) {
          if (isCurrent) this.#onClosed(new ServerFailure("passing", failure.message));
          continue;
        }
        if (failure.kind === "sign-in" && isCurrent) this.#onClosed(failure);
        throw failure;
      }
    }
  }

  /** Waits for a start in progress. @throws ToolError when the server does not run */
  async #connected(signal: AbortSignal): Promise<ServerConnection> {
    const { name } = this.config;
    if (!this.#connection && this.#starting) {
      await untilAborted(this.#starting, signal);
      signal.throwIfAborted();
    }
    if (this.#connection) return this.#connection;
    const state = this.#state;
    if (state.type === "failed")
      throw new ToolError(msg("The server {0} does not run. {1} {2}", name, state.message, state.next));
    if (state.type === "sign-in")
      throw new ToolError(
        `The server ${name} requires the user to sign in. Continue without it.`,
        msg("The server {0} wants you to sign in.", name),
      );
    throw new ToolError(
      `The server ${name} does not run. Continue without it.`,
      msg("The server {0} does not run.", name),
    );
  }

  /** Ends a server that hangs after a call was aborted, so that the next call gets a new one. */
  async #checkAlive(connection: ServerConnection): Promise<void> {
    if ((await connection.isAlive(this.#options.times.ping)) || this.#connection !== connection) return;
    this.#onClosed(new ServerFailure("passing", msg("It has stopped answering.")));
  }
}

// Lists again what a server says has changed: one list at a time, and less often the more often it changes.

/** Maximum wait before a list that changes all the time is read again. */
const maxDelayMs = 30_000;

class ListRefresh {
  readonly #delayMs: number;
  readonly #list: (signal: AbortSignal) => Promise<void>;
  #running: Promise<void> | undefined;
  #isAsked = false;

  /** `list` never rejects. */
  constructor(delayMs: number, list: (signal: AbortSignal) => Promise<void>) {
    this.#delayMs = delayMs;
    this.#list = list;
  }

  request(signal: AbortSignal): void {
    this.#isAsked = true;
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined;
    });
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let wait = this.#delayMs; this.#isAsked; wait = Math.min(2 * wait, maxDelayMs)) {
      this.#isAsked = false;
      await sleep(wait, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      await this.#list(signal);
    }
  }
}
