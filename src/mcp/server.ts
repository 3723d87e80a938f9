/** One MCP server: started when it is needed, and again when it dies. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerView } from "../chat/protocol.ts";
import { type ProgressReporter, type Tool, ToolError, type ToolResult } from "../tools/tool.ts";
import type { ServerConfig } from "./config/server-config.ts";
import type { Connection, ListedTool } from "./connection/connect.ts";
import { Login, type LoginPlace } from "./connection/oauth-login.ts";
import { isFailure, ServerFailure } from "./connection/server-failure.ts";
import { oneLine } from "./connection/server-text.ts";
import { toResult } from "./tools/call-result.ts";
import { toTools } from "./tools/server-tools.ts";

/** In ms. */
export interface Times {
  /** How long a prompt waits for servers that start. */
  patience: number;
  /** How long a server may take to introduce itself; the first start of some is an installation. */
  start: number;
  /** Before it is started again; doubled each time. */
  backoff: number;
  /** How long a server that let a call's time run out has to show that it lives. */
  ping: number;
  /** How long the user has to sign in. */
  login: number;
  /** After which a change of its tools is asked for: changes come in flocks. */
  settle: number;
}

export const usualTimes: Times = {
  patience: 10_000,
  start: 60_000,
  backoff: 500,
  ping: 5_000,
  login: 300_000,
  settle: 200,
};

/** ms between two looks at tools that change all the time. */
const longestSettle = 30_000;
/** ms between two tellings of a call's progress. */
const progressInterval = 100;
/** Starts again in a row, without a call that was answered between them. */
const mostRestarts = 3;
/** ms after which a server that was out of reach is tried again. */
const pause = 60_000;
/** ms that a server must have run for its end not to count as one of a row. */
const longRun = 60_000;

export interface ServerOptions {
  config: ServerConfig;
  /** Its part of the names of its tools. */
  slug: string;
  env: NodeJS.ProcessEnv;
  version: string;
  times: Times;
  folders(): readonly string[];
  /** Undefined: nobody can sign in. */
  loginPlace: LoginPlace | undefined;
  /** Whether the user has allowed exactly this configuration. */
  isAllowed(): boolean;
  onChange(): void;
  log(line: string): void;
}

type State = Exclude<ServerView["state"], { type: "ready" | "asks" }> | { type: "ready" };

export class Server {
  readonly config: ServerConfig;
  readonly slug: string;
  readonly #options: ServerOptions;
  #state: State = { type: "off" };
  #connection: Connection | undefined;
  #tools: readonly Tool[] = [];
  #listed: readonly ListedTool[] = [];
  #starting: Promise<void> | undefined;
  /** Since when a prompt may have waited for it, in ms since 1970. */
  #waitedSince = 0;
  #readyAt = 0;
  /** Starts that failed and ends that nobody wanted, in a row. */
  #failures = 0;
  /** Why it was given up, and when, in ms since 1970. */
  #failure: ServerFailure | undefined;
  #failedAt = 0;
  /** The user has stopped it. */
  #stopped: boolean;
  /** Aborted when it is to end. */
  #life = new AbortController();
  #refreshing: Promise<void> | undefined;
  #refreshAgain = false;
  #ending: Promise<void> = Promise.resolve();

  constructor(options: ServerOptions) {
    this.#options = options;
    this.config = options.config;
    this.slug = options.slug;
    this.#stopped = options.config.disabled;
  }

  /** Those it has; while it is being started again, those it had. */
  get tools(): readonly Tool[] {
    return this.#state.type === "ready" || this.#state.type === "starting" ? this.#tools : [];
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

  /** Starts it if it may run and does not. Resolves when it runs or has failed, at the latest when it has been waited for long enough. */
  async ready(): Promise<void> {
    if (this.#state.type === "off" && !this.#stopped && this.#options.isAllowed()) this.#begin();
    else if (this.#state.type === "failed" && this.#mayHaveComeBack()) this.#begin(false);
    if (!this.#starting) return;
    const left = this.#waitedSince + this.#options.times.patience - Date.now();
    if (left <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, left);
    });
    await Promise.race([this.#starting, enough]);
    clearTimeout(timer);
  }

  /** One that was out of reach, as all are without a network. */
  #mayHaveComeBack(): boolean {
    return (
      this.#failure?.kind === "passing" && this.config.launch.type === "http" && Date.now() - this.#failedAt > pause
    );
  }

  /** The user wants it to run. */
  async start(): Promise<void> {
    this.#stopped = false;
    if (!this.#options.isAllowed()) return this.#options.onChange();
    if (this.#connection) return;
    this.#failures = 0;
    this.#begin();
    await this.#starting;
  }

  /** Ends it; resolves when nothing of it is left. `stopped`: it stays ended until the user starts it. */
  async stop(stopped = true): Promise<void> {
    this.#stopped = stopped;
    this.#life.abort();
    this.#life = new AbortController();
    this.#drop();
    this.#ending = Promise.all([this.#ending, this.#starting]).then(() => {});
    this.#starting = undefined;
    this.#set({ type: "off" });
    await this.#ending;
  }

  /** Has the user sign in, then starts it. */
  async signIn(signal: AbortSignal): Promise<void> {
    const { launch } = this.config;
    const { loginPlace } = this.#options;
    if (launch.type !== "http" || !loginPlace || !this.#options.isAllowed()) return;
    await this.stop(false);
    const life = this.#life.signal;
    const either = AbortSignal.any([signal, life, AbortSignal.timeout(this.#options.times.login)]);
    this.#set({ type: "starting" });
    try {
      const { signIn } = await import("./connection/connect.ts");
      const attempt = { redirectUrl: await loginPlace.redirectUrl(), signal: either };
      await signIn(launch, new Login(launch.url, loginPlace, attempt), either);
    } catch (error) {
      if (life.aborted) return;
      if (either.aborted) this.#set({ type: "sign-in" });
      else this.#fail(asFailure(error));
      return;
    }
    if (!life.aborted) await this.start();
  }

  #set(state: State): void {
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

  /** `waitFor`: a prompt is to wait for it. */
  #begin(waitFor = true): void {
    if (this.#starting) return;
    if (waitFor) this.#waitedSince = Date.now();
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
        // What was there before must be gone: some servers hold a port or a file.
        await this.#ending;
        return await this.#connect(signal);
      } catch (error) {
        if (signal.aborted) return;
        const failure = asFailure(error);
        this.#failures++;
        if (failure.kind !== "passing" || this.#failures > mostRestarts) return this.#fail(failure);
        this.#options.log(`${failure.message} It is started again.`);
      }
    }
  }

  /** @throws ServerFailure */
  async #connect(signal: AbortSignal): Promise<void> {
    const { config, env, version, times, folders, loginPlace, log } = this.#options;
    const { launch } = config;
    const { connect } = await import("./connection/connect.ts");
    const login = launch.type === "http" && loginPlace ? new Login(launch.url, loginPlace) : undefined;
    let connection: Connection | undefined;
    let hasChanged = false;
    const current = () => connection !== undefined && this.#connection === connection;
    connection = await connect({
      launch,
      env,
      login,
      version,
      folders,
      timeout: times.start,
      signal,
      onClosed: (why) => current() && this.#closed(why),
      onToolsChanged: () => {
        hasChanged = true;
        if (current()) this.#refresh();
      },
      onNote: log,
    });
    try {
      const listed = await connection.listTools(signal);
      signal.throwIfAborted();
      if (!connection.isOpen) throw new ServerFailure("passing", "The connection was cut.");
      this.#take(listed);
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.#connection = connection;
    this.#readyAt = Date.now();
    this.#set({ type: "ready" });
    if (hasChanged) this.#refresh();
  }

  #take(listed: readonly ListedTool[]): void {
    const { config, slug } = this.#options;
    const { name: server, timeout } = config;
    this.#listed = listed;
    this.#tools = toTools({ server, slug, timeout, listed, ask: (...call) => this.#ask(...call) });
  }

  /** It has ended by itself. */
  #closed(why: ServerFailure): void {
    this.#drop();
    this.#options.log(why.message);
    if (Date.now() - this.#readyAt > longRun) this.#failures = 0;
    this.#failures++;
    if (why.kind !== "passing" || this.#failures > mostRestarts) this.#fail(why);
    else this.#begin();
  }

  /** The connection is of no use any more. */
  #drop(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) this.#ending = Promise.all([this.#ending, connection.close()]).then(() => {});
  }

  /** Its tools have changed; however often it says so, they are asked for one time after the other, and ever less often. */
  #refresh(): void {
    this.#refreshAgain = true;
    this.#refreshing ??= this.#refreshNow(this.#life.signal).finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #refreshNow(signal: AbortSignal): Promise<void> {
    for (let wait = this.#options.times.settle; this.#refreshAgain; wait = Math.min(2 * wait, longestSettle)) {
      this.#refreshAgain = false;
      try {
        await sleep(wait, undefined, { signal });
        const connection = this.#connection;
        const listed = await connection?.listTools(signal);
        if (!listed || this.#connection !== connection) return;
        this.#take(listed);
        this.#options.onChange();
      } catch (error) {
        if (signal.aborted) return;
        this.#options.log(asFailure(error).message);
      }
    }
  }

  async #ask(
    tool: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
    progress: ProgressReporter,
  ): Promise<ToolResult> {
    let toldAt = 0;
    const onProgress = (done: number, total: number | undefined, message = "") => {
      if (Date.now() - toldAt < progressInterval) return;
      toldAt = Date.now();
      const share = total === undefined ? `${done}` : `${done} of ${total}`;
      progress([share, oneLine(message, 200)].filter(Boolean).join(": "), 1);
    };
    for (let isSecond = false; ; isSecond = true) {
      const connection = await this.#connected(signal);
      try {
        const answer = await connection.call(tool, input, signal, onProgress);
        this.#failures = 0;
        return toResult(answer);
      } catch (error) {
        if (signal.aborted) {
          void this.#checkAlive(connection);
          throw signal.reason;
        }
        const failure = asFailure(error);
        if (failure.kind === "refused") return { output: failure.message, metadata: {}, failed: true };
        // It has done nothing, so that asking once more does nothing twice.
        if (failure.kind === "lost-session" && !isSecond) {
          if (this.#connection === connection) this.#closed(new ServerFailure("passing", failure.message));
          continue;
        }
        if (failure.kind === "sign-in" && this.#connection === connection) this.#closed(failure);
        throw new ToolError(`The server ${this.config.name} did not answer. ${failure.message} ${failure.next}`);
      }
    }
  }

  /** Waits while it is being started. @throws ToolError when it does not run */
  async #connected(signal: AbortSignal): Promise<Connection> {
    const { name } = this.config;
    if (!this.#connection && this.#starting) {
      let stop = () => {};
      const aborted = new Promise<void>((resolve) => {
        stop = resolve;
        signal.addEventListener("abort", stop, { once: true });
        if (signal.aborted) resolve();
      });
      await Promise.race([this.#starting, aborted]);
      signal.removeEventListener("abort", stop);
      signal.throwIfAborted();
    }
    if (this.#connection) return this.#connection;
    const state = this.#state;
    if (state.type === "failed") throw new ToolError(`The server ${name} does not run. ${state.message} ${state.next}`);
    if (state.type === "sign-in") throw new ToolError(`The server ${name} asks the user to sign in. Go on without it.`);
    throw new ToolError(`The server ${name} does not run. Go on without it.`);
  }

  /** A call was given up: a server that hangs is ended, so that the next call finds one that does not. */
  async #checkAlive(connection: Connection): Promise<void> {
    if ((await connection.isAlive(this.#options.times.ping)) || this.#connection !== connection) return;
    this.#closed(new ServerFailure("passing", "It does not answer any more."));
  }
}

function asFailure(error: unknown): ServerFailure {
  if (isFailure(error)) return error;
  return new ServerFailure("passing", error instanceof Error ? oneLine(error.message, 300) : String(error), "");
}
