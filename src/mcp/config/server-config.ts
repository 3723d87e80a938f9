/** Which MCP servers there are: from the caller, the user's settings and each workspace folder's `.mcp.json`. */
import { createHash } from "node:crypto";
import os from "node:os";
import path from "node:path";
import * as z from "zod/mini";
import { type ConfigRoot, configRoots, decodeText, readConfigFile } from "../../tools/file-access/config-files.ts";
import { expand, isLoopback, variablesOf } from "./server-environment.ts";

/** How a server is reached. */
export type Launch =
  | { type: "stdio"; command: string; args: string[]; env: Record<string, string>; cwd: string }
  | { type: "http"; url: string; headers: Record<string, string> };

/** Who brings a server. That of a workspace runs what a stranger chose, so the user is asked first. */
type Bringer = "caller" | "settings" | "workspace";

export interface ServerConfig {
  name: string;
  bringer: Bringer;
  /** Where it stands, for people: "settings", ".mcp.json". */
  source: string;
  /** The command or address as it is written, and which variables of the environment it is given. */
  target: string;
  launch: Launch;
  /** ms that a call may take. */
  timeout: number;
  /** Not started by itself. */
  disabled: boolean;
  /** Names exactly this configuration: another command, argument, variable or address is another server. */
  fingerprint: string;
}

export interface Loaded {
  /** Those of the caller first, then the user's, then the workspace's. Each name once. */
  servers: ServerConfig[];
  /** A sentence for each entry that cannot be used. */
  problems: string[];
}

export interface ConfigSources {
  /** Servers by name, as they were given with a run; undefined: none. */
  caller: unknown;
  /** The setting `rondo.mcpServers`, as it is; undefined: none. */
  settings: unknown;
  /** Absolute. Servers whose folder is not said start in the first. */
  folders: readonly string[];
  /** Whether their `.mcp.json` are read; they are if it is not said. */
  files?: boolean;
  /** Where it is false there are no servers at all, the user's own included: most of them act on the workspace. */
  trusted: boolean;
  /** What `${NAME}` stands for. */
  env: NodeJS.ProcessEnv;
}

/** ms */
const usualTimeout = 60_000;
/** Bytes. */
const fileLimit = 1024 * 1024;
const mostServers = 100;

/**
 * Never throws: what cannot be used is a problem and does not stop the rest. Of several servers with one name the caller's
 * goes before the user's and that before the workspace's, so that a workspace cannot take the place of a server whose tools
 * the user's rules allow.
 */
export function loadServers({ caller, settings, folders, files = true, trusted, env }: ConfigSources): Loaded {
  if (!trusted) return { servers: [], problems: [] };
  const reader = new Reader(env);
  const usual = folders[0] ?? os.homedir();
  reader.all(caller, { bringer: "caller", source: "this run", place: "mcpServers", folder: usual });
  reader.all(settings, {
    bringer: "settings",
    source: "settings",
    place: "The setting rondo.mcpServers",
    folder: usual,
  });
  for (const root of files ? configRoots(folders, os.devNull, true) : []) {
    if (root.source === "workspace") reader.file(root, ".mcp.json");
  }
  return reader.loaded;
}

/** @throws SyntaxError */
function serversIn(text: string): unknown {
  const file = File.safeParse(JSON.parse(text));
  if (!file.success) throw new SyntaxError('it is not an object with "mcpServers"');
  return file.data.mcpServers;
}

const File = z.object({ mcpServers: z.optional(z.unknown()) });

const text = (most: number) =>
  z.string({ error: "must be text" }).check(
    z.maxLength(most, { error: "is too long" }),
    z.refine((value) => !value.includes("\0"), { error: "must not hold a NUL" }),
  );
const texts = z.record(z.string(), text(32_768), { error: "must be an object of texts" });

const common = {
  timeout: z.optional(
    z
      .int({ error: "must be whole milliseconds" })
      .check(
        z.gte(1000, { error: "must be at least 1000 ms" }),
        z.lte(3_600_000, { error: "must be at most an hour" }),
      ),
  ),
  disabled: z.optional(z.boolean({ error: "must be true or false" })),
};

const Stdio = z.object({
  ...common,
  command: text(4096).check(z.minLength(1, { error: "must not be empty" })),
  args: z.optional(z.array(text(32_768), { error: "must be a list of texts" }).check(z.maxLength(1000))),
  env: z.optional(texts),
  cwd: z.optional(text(4096)),
});

const Http = z.object({ ...common, url: text(8192), headers: z.optional(texts) });

const httpNames = ["http", "streamable-http", "streamableHttp"];

interface Place {
  bringer: Bringer;
  source: string;
  /** Begins the sentence of a problem. */
  place: string;
  /** Where commands run. */
  folder: string;
}

/** Something in a configuration that cannot be used, in words that follow a colon. */
class Unusable extends Error {}

class Reader {
  readonly loaded: Loaded = { servers: [], problems: [] };
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  file(root: ConfigRoot, name: string): void {
    const found = readConfigFile(root, name, fileLimit);
    if (found.type === "missing") return;
    const shown = root.prefix + name;
    const unusable = (why: string) => this.loaded.problems.push(`The servers of ${shown} are not used: ${why}.`);
    if (found.type === "unusable") return void unusable(found.why);
    if (found.size > fileLimit) return void unusable(`it is larger than ${fileLimit / 1024} KiB`);
    try {
      const servers = serversIn(decodeText(found.bytes) ?? "");
      this.all(servers, { bringer: "workspace", source: shown, place: shown, folder: root.folder });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      unusable("it is not valid JSON with an object mcpServers");
    }
  }

  all(servers: unknown, place: Place): void {
    if (servers === undefined || servers === null) return;
    if (typeof servers !== "object" || Array.isArray(servers)) {
      this.loaded.problems.push(`${place.place}: mcpServers must be an object of servers.`);
      return;
    }
    for (const [name, value] of Object.entries(servers)) {
      try {
        this.#add(name, value, place);
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        const shown = JSON.stringify(name.slice(0, 80));
        this.loaded.problems.push(`${place.place}: the server ${shown} is not used: ${error.message}.`);
      }
    }
  }

  #add(name: string, value: unknown, place: Place): void {
    const { bringer, source, folder } = place;
    if (!/^[\w .@/:-]{1,64}$/.test(name)) {
      throw new Unusable("a name has 1 to 64 letters, digits, spaces and . _ - @ / :");
    }
    const { servers } = this.loaded;
    const other = servers.find((one) => one.name === name);
    if (other) throw new Unusable(`there is one of that name already, from ${other.source}`);
    if (servers.length === mostServers) throw new Unusable(`there are ${mostServers} servers already`);
    const written = isHttp(value) ? this.#http(value, place) : this.#stdio(value, place);
    const variables = variablesOf(JSON.stringify(value));
    const given = variables.length === 0 ? "" : ` (is given ${variables.map((one) => `$${one}`).join(", ")})`;
    servers.push({
      ...written,
      name,
      bringer,
      source,
      target: `${written.target}${given}`,
      fingerprint: createHash("sha256")
        .update(JSON.stringify([folder, value]))
        .digest("hex"),
    });
  }

  #stdio(value: unknown, { folder, bringer }: Place): Pick<ServerConfig, "launch" | "target" | "timeout" | "disabled"> {
    const { command, args = [], env = {}, cwd = ".", timeout = usualTimeout, disabled = false } = parse(Stdio, value);
    return {
      launch: {
        type: "stdio",
        command: this.#expand(command),
        args: args.map((one) => this.#expand(one)),
        env: this.#expandAll(env),
        cwd: path.resolve(folder, this.#expand(cwd)),
      },
      target: [
        ...pairs(env, "=", bringer),
        ...[command, ...args].map(shown),
        ...(cwd === "." ? [] : [`(in ${shown(cwd)})`]),
      ].join(" "),
      timeout,
      disabled,
    };
  }

  #http(value: unknown, { bringer }: Place): Pick<ServerConfig, "launch" | "target" | "timeout" | "disabled"> {
    const { url, headers = {}, timeout = usualTimeout, disabled = false } = parse(Http, value);
    const address = this.#expand(url);
    if (!URL.canParse(address)) throw new Unusable("its url is not an address");
    const { protocol, hostname, username, password } = new URL(address);
    if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname))) {
      throw new Unusable("its url must begin with https://, or lead to this machine");
    }
    if (username !== "" || password !== "") throw new Unusable("a password belongs into its headers, not into its url");
    const all = this.#expandAll(headers);
    for (const [name, one] of Object.entries(all)) {
      if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || /[\r\n]/.test(one)) {
        throw new Unusable(`its header ${JSON.stringify(name.slice(0, 80))} is malformed`);
      }
    }
    const sent = Object.keys(headers).length === 0 ? "" : ` (is sent ${pairs(headers, ": ", bringer).join(", ")})`;
    return { launch: { type: "http", url: address, headers: all }, target: `${shown(url)}${sent}`, timeout, disabled };
  }

  #expandAll(values: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#expand(value)]));
  }

  #expand(value: string): string {
    const expanded = expand(value, this.#env);
    if (expanded.type === "unusable") throw new Unusable(expanded.why);
    return expanded.text;
  }
}

/** @throws Unusable for kinds of servers that there are not */
function isHttp(value: unknown): boolean {
  const { type, url } = parse(z.object({ type: z.optional(z.unknown()), url: z.optional(z.unknown()) }), value);
  if (type === undefined) return url !== undefined;
  if (type === "sse") throw new Unusable('"sse" is an old way to talk to servers; most that had it take "http" now');
  if (typeof type === "string" && httpNames.includes(type)) return true;
  if (type === "stdio") return false;
  throw new Unusable('its type must be "stdio" or "http"');
}

function parse<T extends z.ZodMiniType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? "it must be an object" : `${path.join(".").slice(0, 80)} ${message}`,
  );
  throw new Unusable(wrong.join("; "));
}

/** The user is to see all that a workspace chose; values of their own are secrets at times, and not shown. */
function pairs(values: Record<string, string>, between: string, bringer: Bringer): string[] {
  return Object.entries(values).map(
    ([name, value]) => `${shown(name)}${between}${bringer === "workspace" ? shown(value) : "…"}`,
  );
}

/** As one would type it; what a shell would take apart is in quotes, and what cannot be seen is spelled out. */
function shown(word: string): string {
  if (/^[\w@%+=:,./${}-]+$/.test(word)) return word;
  return JSON.stringify(word).replace(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}
