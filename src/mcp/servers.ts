/** All MCP servers of a window or of a run. */
import type { ServerView } from "../chat/protocol.ts";
import type { ExternalTools } from "../loop/setup/external-tools.ts";
import type { Tool } from "../tools/tool.ts";
import type { Loaded } from "./config/server-config.ts";
import type { LoginPlace } from "./connection/oauth-login.ts";
import { Server, type Times, usualTimes } from "./server.ts";
import { serverSlugs } from "./tools/offered-names.ts";

export interface McpOptions {
  /** What is configured now; asked before each prompt. */
  load(): Loaded;
  /** Which servers of the workspace the user has allowed, by fingerprint. */
  consent: { has(fingerprint: string): boolean; give(fingerprint: string): void };
  /** What servers are told of: the workspace's folders. */
  folders(): readonly string[];
  env: NodeJS.ProcessEnv;
  /** Rondo's. */
  version: string;
  /** Undefined: nobody can sign in. */
  loginPlace: LoginPlace | undefined;
  log(server: string, line: string): void;
  /** A sentence about something in the configuration, each once. */
  onProblem(sentence: string): void;
  times?: Partial<Times>;
}

export class McpServers implements ExternalTools {
  readonly #options: McpOptions;
  readonly #listeners = new Set<() => void>();
  readonly #told = new Set<string>();
  readonly #life = new AbortController();
  #servers = new Map<string, Server>();
  /** Those that are gone from the configuration. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: McpOptions) {
    this.#options = options;
  }

  async ready(signal: AbortSignal): Promise<void> {
    if (this.#life.signal.aborted || signal.aborted) return;
    this.refresh();
    let stop = () => {};
    const aborted = new Promise<void>((resolve) => {
      stop = resolve;
      signal.addEventListener("abort", stop, { once: true });
    });
    await Promise.race([Promise.all([...this.#servers.values()].map((server) => server.ready())), aborted]);
    signal.removeEventListener("abort", stop);
  }

  tools(): readonly Tool[] {
    return [...this.#servers.values()].flatMap(({ tools }) => tools);
  }

  views(): ServerView[] {
    return [...this.#servers.values()].map((server) => server.view());
  }

  /** @returns a function that ends the listening */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Does what the user wants; resolves when it is done, and never rejects for what a server does. */
  async act(name: string, action: "start" | "stop" | "allow" | "sign-in"): Promise<void> {
    const server = this.#servers.get(name);
    if (!server || this.#life.signal.aborted) return;
    switch (action) {
      case "allow":
        this.#options.consent.give(server.config.fingerprint);
        return await server.start();
      case "start":
        return await server.start();
      case "stop":
        return await server.stop();
      case "sign-in":
        return await server.signIn(this.#life.signal);
    }
  }

  /** Reads the configuration again: what is new is there, what is gone is ended, what has changed is another server. */
  refresh(): void {
    if (this.#life.signal.aborted) return;
    const { load, consent, onProblem } = this.#options;
    const { servers, problems } = load();
    for (const problem of problems) if (!this.#told.has(problem)) onProblem(problem);
    for (const problem of problems) this.#told.add(problem);
    const before = this.#servers;
    const slugs = serverSlugs(servers.map(({ name }) => name));
    this.#servers = new Map(
      servers.map((config) => {
        const { name, fingerprint, bringer } = config;
        const slug = slugs.get(name) ?? name;
        const known = before.get(name);
        const isSame = known?.config.fingerprint === fingerprint && known.config.bringer === bringer;
        if (known && isSame && known.slug === slug) return [name, known];
        const { env, version, folders, loginPlace, log } = this.#options;
        return [
          name,
          new Server({
            config,
            slug,
            env,
            version,
            times: { ...usualTimes, ...this.#options.times },
            folders,
            loginPlace,
            isAllowed: () => bringer !== "workspace" || consent.has(fingerprint),
            onChange: () => this.#changed(),
            log: (line) => log(name, line),
          }),
        ];
      }),
    );
    const kept = new Set(this.#servers.values());
    const gone = [...before.values()].filter((server) => !kept.has(server));
    for (const server of gone) this.#leave(server);
    if (gone.length > 0 || kept.size !== before.size) this.#changed();
  }

  #leave(server: Server): void {
    const left = server.stop().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Ends all of them for good. Resolves when no process of theirs is left. */
  async dispose(): Promise<void> {
    this.#life.abort();
    this.#listeners.clear();
    for (const server of this.#servers.values()) this.#leave(server);
    await Promise.all(this.#leaving);
  }
}
