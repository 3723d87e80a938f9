/** All MCP servers of a window or a run. */

import { never } from "../base/never.ts";
import { untilAborted } from "../base/node/until-aborted.ts";
import type { ServerView } from "../chat/server-views.ts";
import type { ExternalTools } from "../loop/setup/external-tools.ts";
import type { Tool } from "../tools/tool.ts";
import type { LoadedServers } from "./config/server-config.ts";
import { McpServer, type ServerOptions } from "./mcp-server.ts";
import { defaultTimesMs, type ServerTimes } from "./server-times.ts";
import { serverSlugs } from "./tools/offered-names.ts";

export interface McpOptions extends Pick<ServerOptions, "env" | "version" | "folders" | "loginHost"> {
  /** Loads the current configuration. Called before each prompt. */
  load(): LoadedServers;
  /** The workspace's servers that the user has allowed, by fingerprint. */
  consent: { has(fingerprint: string): boolean; give(fingerprint: string): void };
  log(server: string, line: string): void;
  /** Reports a problem of the configuration, once each. */
  onProblem(sentence: string): void;
  times?: Partial<ServerTimes>;
}

export class McpServers implements ExternalTools {
  readonly #options: McpOptions;
  readonly #listeners = new Set<() => void>();
  readonly #reported = new Set<string>();
  readonly #life = new AbortController();
  #servers = new Map<string, McpServer>();
  /** Servers that are ending. */
  readonly #stopping = new Set<Promise<void>>();

  constructor(options: McpOptions) {
    this.#options = options;
  }

  async ready(signal: AbortSignal): Promise<void> {
    if (this.#life.signal.aborted || signal.aborted) return;
    this.refresh();
    await untilAborted(Promise.all([...this.#servers.values()].map((server) => server.ready())), signal);
  }

  tools(): readonly Tool[] {
    return [...this.#servers.values()].flatMap(({ tools }) => tools);
  }

  /** All configured servers, in their order. */
  get all(): readonly McpServer[] {
    return [...this.#servers.values()];
  }

  get(name: string): McpServer | undefined {
    return this.#servers.get(name);
  }

  views(): ServerView[] {
    return [...this.#servers.values()].map((server) => server.view());
  }

  /** @returns a function that removes the listener */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Does what the user has chosen. Never rejects because of a server's failure. */
  async act(name: string, action: "start" | "stop" | "allow" | "sign-in"): Promise<void> {
    const server = this.#servers.get(name);
    if (!server || this.#life.signal.aborted) return;
    switch (action) {
      case "stop":
        return await server.stop();
      case "sign-in":
        return await server.signIn(this.#life.signal);
      case "allow":
        this.#options.consent.give(server.config.fingerprint);
        return await server.start();
      case "start":
        return await server.start();
      default:
        never(action);
    }
  }

  /** Reads the configuration again. Removed servers are stopped; a changed configuration is another server. */
  refresh(): void {
    if (this.#life.signal.aborted) return;
    const { load, consent, onProblem } = this.#options;
    const { servers, problems } = load();
    for (const problem of problems) if (!this.#reported.has(problem)) onProblem(problem);
    for (const problem of problems) this.#reported.add(problem);
    const before = this.#servers;
    const slugs = serverSlugs(servers.map(({ name }) => name));
    this.#servers = new Map(
      servers.map((config) => {
        const { name, fingerprint, origin } = config;
        const slug = slugs.get(name) ?? name;
        const known = before.get(name);
        const isSame = known?.config.fingerprint === fingerprint && known.config.origin === origin;
        if (known && isSame && known.slug === slug) return [name, known];
        const { env, version, folders, loginHost, log } = this.#options;
        return [
          name,
          new McpServer({
            config,
            slug,
            env,
            version,
            times: { ...defaultTimesMs, ...this.#options.times },
            folders,
            loginHost,
            isAllowed: () => origin !== "workspace" || consent.has(fingerprint),
            onChange: () => this.#changed(),
            log: (line) => log(name, line),
          }),
        ];
      }),
    );
    const current = new Set(this.#servers.values());
    const gone = [...before.values()].filter((server) => !current.has(server));
    for (const server of gone) this.#stop(server);
    if (gone.length > 0 || current.size !== before.size) this.#changed();
  }

  #stop(server: McpServer): void {
    const left = server.stop().finally(() => this.#stopping.delete(left));
    this.#stopping.add(left);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Stops all servers for good. Resolves when all their processes have ended. */
  async dispose(): Promise<void> {
    this.#life.abort();
    this.#listeners.clear();
    for (const server of this.#servers.values()) this.#stop(server);
    await Promise.all(this.#stopping);
  }
}
