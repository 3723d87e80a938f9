/** Reads the configured MCP servers: from the caller, the user's settings and each workspace folder's `.mcp.json`. */
import { createHash } from "node:crypto";
import os from "node:os";
import path from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../../base/json.ts";
import { isKeyName, keysIn } from "../../base/key-names.ts";
import { isLoopback } from "../../base/loopback.ts";
import { decodeText } from "../../base/node/read-checked.ts";
import { fieldOf, issueWords } from "../../base/schema-issues.ts";
import { msg } from "../../l10n/l10n.ts";
import { type ConfigRoot, configRoots, type ReadBoundary, readConfigFile } from "../../tools/node-host/config-files.ts";

/** How to start or reach a server. */
export type ServerLaunch =
  | { type: "stdio"; command: string; args: string[]; env: Record<string, string>; cwd: string }
  | { type: "http"; url: string; headers: Record<string, string> };

/** Where a server comes from. A workspace's server may come from a stranger, so the user is asked first. */
type ServerOrigin = "caller" | "settings" | "workspace";

export interface ServerConfig {
  name: string;
  origin: ServerOrigin;
  /** Name of the place where it is configured, for people: "settings", ".mcp.json". */
  source: string;
  /** The command or address as it is written, and the variables of the environment that it uses. */
  target: string;
  launch: ServerLaunch;
  /** Maximum time of a call. */
  timeoutMs: number;
  /** Whether only the user starts it. */
  disabled: boolean;
  /** Identifies this exact configuration: another command, argument, variable or address gives another fingerprint. */
  fingerprint: string;
}

export interface LoadedServers {
  /** The caller's servers, then the user's, then the workspace's. Each name occurs once. */
  servers: ServerConfig[];
  /** A sentence for each entry that cannot be used. */
  problems: string[];
}

export interface ServerSources {
  /** Servers by name, as given with a run. */
  caller: unknown;
  /** Value of the setting `rondo.mcpServers`. */
  settings: unknown;
  /** Absolute paths. Servers without a folder start in the first one. */
  folders: readonly string[];
  /** Whether to read `.mcp.json` files; true by default. */
  files?: boolean;
  /** Without trust there are no servers, not even the user's: most of them act on the workspace. */
  trusted: boolean;
  boundary: ReadBoundary;
  /** Values for `${NAME}`. */
  env: NodeJS.ProcessEnv;
  /** Names of variables with keys that the user lets through. */
  passed?: readonly string[];
}

const defaultCallTimeoutMs = 60_000;
const maxFileBytes = 1024 * 1024;
const maxServers = 100;

/**
 * Never throws: an entry that cannot be used becomes a problem. If several servers have the same name, the caller's
 * wins, then the user's, so that a workspace cannot replace a server whose tools the user's rules allow.
 */
export function loadServers({
  caller,
  settings,
  folders,
  files = true,
  trusted,
  boundary,
  env,
  passed = [],
}: ServerSources): LoadedServers {
  if (!trusted) return { servers: [], problems: [] };
  const reader = new ServerConfigReader({ env, passed });
  const folder = folders[0] ?? os.homedir();
  reader.addAll(caller, { origin: "caller", source: msg("this run"), place: "mcpServers", folder });
  reader.addAll(settings, {
    origin: "settings",
    source: msg("settings"),
    place: msg("The setting rondo.mcpServers"),
    folder,
  });
  for (const root of files ? configRoots({ folders, home: os.devNull, trusted, boundary }) : []) {
    if (root.source === "workspace") reader.addFile(root, ".mcp.json");
  }
  return reader.loaded;
}

const ConfigFile = z.object({ mcpServers: z.optional(z.unknown()) });

const text = (most: number) =>
  z.string({ error: (issue) => msg("{0} must be a string", fieldOf(issue)) }).check(
    z.maxLength(most, { error: (issue) => msg("{0} is too long", fieldOf(issue)) }),
    z.refine((value) => !value.includes("\0"), { error: (issue) => msg("{0} must not contain a NUL", fieldOf(issue)) }),
  );
const textRecord = z.record(z.string(), text(32_768), {
  error: (issue) => msg("{0} must be an object of strings", fieldOf(issue)),
});

const common = {
  timeout: z.optional(
    z
      .int({ error: (issue) => msg("{0} must be a whole number of milliseconds", fieldOf(issue)) })
      .check(
        z.gte(1000, { error: (issue) => msg("{0} must be at least 1000 ms", fieldOf(issue)) }),
        z.lte(3_600_000, { error: (issue) => msg("{0} must be at most an hour", fieldOf(issue)) }),
      ),
  ),
  disabled: z.optional(z.boolean({ error: (issue) => msg("{0} must be true or false", fieldOf(issue)) })),
};

const StdioConfig = z.object({
  ...common,
  command: text(4096).check(z.minLength(1, { error: (issue) => msg("{0} must not be empty", fieldOf(issue)) })),
  args: z.optional(
    z
      .array(text(32_768), { error: (issue) => msg("{0} must be a list of strings", fieldOf(issue)) })
      .check(z.maxLength(1000)),
  ),
  env: z.optional(textRecord),
  cwd: z.optional(text(4096)),
});

const HttpConfig = z.object({ ...common, url: text(8192), headers: z.optional(textRecord) });

interface ConfigSource {
  origin: ServerOrigin;
  source: string;
  /** Start of the sentence about a problem. */
  place: string;
  /** Folder in which commands run. */
  folder: string;
}

/** A part of a configuration cannot be used. The message follows a colon. */
class UnusableServer extends Error {}

class ServerConfigReader {
  readonly loaded: LoadedServers = { servers: [], problems: [] };
  readonly #variables: ServerVariables;

  constructor(variables: ServerVariables) {
    this.#variables = variables;
  }

  addFile(root: ConfigRoot, name: string): void {
    const found = readConfigFile(root, name, maxFileBytes);
    if (found.type === "missing") return;
    const fileName = root.prefix + name;
    const unusable = (why: string) =>
      this.loaded.problems.push(msg("The servers of {0} are not used: {1}.", fileName, why));
    if (found.type === "unusable") return void unusable(found.why);
    if (found.size > maxFileBytes) return void unusable(msg("it is larger than {0} KiB", maxFileBytes / 1024));
    const { data } = ConfigFile.safeParse(parseJson(decodeText(found.bytes) ?? ""));
    if (!data) return void unusable(msg("it is not valid JSON with an object mcpServers"));
    this.addAll(data.mcpServers, { origin: "workspace", source: fileName, place: fileName, folder: root.folder });
  }

  addAll(servers: unknown, place: ConfigSource): void {
    if (servers === undefined || servers === null) return;
    if (typeof servers !== "object" || Array.isArray(servers)) {
      this.loaded.problems.push(msg("{0}: mcpServers must be an object of servers.", place.place));
      return;
    }
    for (const [name, value] of Object.entries(servers)) {
      try {
        this.#add(name, value, place);
      } catch (error) {
        if (!(error instanceof UnusableServer)) throw error;
        const quoted = JSON.stringify(name.slice(0, 80));
        this.loaded.problems.push(msg("{0}: the server {1} is not used: {2}.", place.place, quoted, error.message));
      }
    }
  }

  #add(name: string, value: unknown, place: ConfigSource): void {
    const { origin, source, folder } = place;
    if (!/^[\w .@/:-]{1,64}$/.test(name)) {
      throw new UnusableServer(msg("a name must have 1 to 64 letters, digits, spaces or . _ - @ / :"));
    }
    const { servers } = this.loaded;
    const other = servers.find((one) => one.name === name);
    if (other) throw new UnusableServer(msg("another server already has that name, from {0}", other.source));
    if (servers.length === maxServers) throw new UnusableServer(msg("there are already {0} servers", maxServers));
    const { launch, target } = isHttp(value) ? this.#parseHttp(value, place) : this.#parseStdio(value, place);
    const { timeout: timeoutMs = defaultCallTimeoutMs, disabled = false } = parseConfig(z.object(common), value);
    const variables = variablesOf(JSON.stringify(value));
    const given = variables.length === 0 ? "" : msg(" (is given {0})", variables.map((one) => `$${one}`).join(", "));
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([folder, value]))
      .digest("hex");
    servers.push({ name, origin, source, target: target + given, launch, timeoutMs, disabled, fingerprint });
  }

  #parseStdio(value: unknown, { folder, origin }: ConfigSource): Pick<ServerConfig, "launch" | "target"> {
    const { command, args = [], env = {}, cwd = "." } = parseConfig(StdioConfig, value);
    return {
      launch: {
        type: "stdio",
        command: this.#expand(command),
        args: args.map((one) => this.#expand(one)),
        env: this.#expandAll(env),
        cwd: path.resolve(folder, this.#expand(cwd)),
      },
      target: [
        ...describePairs(env, "=", origin),
        ...[command, ...args].map(quoteWord),
        ...(cwd === "." ? [] : [msg("(in {0})", quoteWord(cwd))]),
      ].join(" "),
    };
  }

  #parseHttp(value: unknown, { origin }: ConfigSource): Pick<ServerConfig, "launch" | "target"> {
    const { url, headers = {} } = parseConfig(HttpConfig, value);
    const address = this.#expand(url);
    if (!URL.canParse(address)) throw new UnusableServer(msg("its url is not an address"));
    const { protocol, hostname, username, password } = new URL(address);
    if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname))) {
      throw new UnusableServer(msg("its url must start with https:// or point to this machine"));
    }
    if (username !== "" || password !== "")
      throw new UnusableServer(msg("put the password in its headers, not in its url"));
    const all = this.#expandAll(headers);
    for (const [name, one] of Object.entries(all)) {
      if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || /[\r\n]/.test(one)) {
        throw new UnusableServer(msg("its header {0} is malformed", JSON.stringify(name.slice(0, 80))));
      }
    }
    const sent =
      Object.keys(headers).length === 0 ? "" : msg(" (is sent {0})", describePairs(headers, ": ", origin).join(", "));
    return { launch: { type: "http", url: address, headers: all }, target: `${quoteWord(url)}${sent}` };
  }

  #expandAll(values: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#expand(value)]));
  }

  #expand(value: string): string {
    const expanded = expandVariables(value, this.#variables);
    if (expanded.type === "unusable") throw new UnusableServer(expanded.why);
    return expanded.text;
  }
}

/** @throws UnusableServer for an unknown type */
function isHttp(value: unknown): boolean {
  const { type, url } = parseConfig(z.object({ type: z.optional(z.unknown()), url: z.optional(z.unknown()) }), value);
  if (type === undefined) return url !== undefined;
  if (type === "sse")
    throw new UnusableServer(
      msg('the deprecated "sse" transport is not supported; most such servers also support "http"'),
    );
  if (type === "http" || type === "streamable-http" || type === "streamableHttp") return true;
  if (type === "stdio") return false;
  throw new UnusableServer(msg('its type must be "stdio" or "http"'));
}

function parseConfig<T extends z.ZodMiniType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => issueWords(issue, msg("it must be an object")));
  throw new UnusableServer(wrong.join("; "));
}

/** Shows the values that a workspace chose. The user's own values may be secrets and are not shown. */
function describePairs(values: Record<string, string>, between: string, origin: ServerOrigin): string[] {
  return Object.entries(values).map(
    ([name, value]) => `${quoteWord(name)}${between}${origin === "workspace" ? quoteWord(value) : "…"}`,
  );
}

/** Returns the word as it would be typed, in quotes if necessary. Invisible characters are escaped. */
function quoteWord(word: string): string {
  if (/^[\w@%+=:,./${}-]+$/.test(word)) return word;
  return JSON.stringify(word).replace(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

// Variables in the configuration of MCP servers.

/** `passed`: names of keys that a configuration may pass to a server. */
interface ServerVariables {
  env: NodeJS.ProcessEnv;
  passed: readonly string[];
}

const variable = /\$\{([A-Za-z_]\w*)(?::-((?:(?!\$\{)[^}])*))?\}/g;

type ExpandedText = { type: "text"; text: string } | { type: "unusable"; why: string };

/**
 * Replaces `${NAME}` and `${NAME:-default}`. An empty variable counts as not set. Keys of model providers are not given,
 * whatever they are called.
 */
function expandVariables(value: string, { env, passed }: ServerVariables): ExpandedText {
  if (!value.includes("${")) return { type: "text", text: value };
  let why = "";
  const keys = keysIn(env);
  const text = value.replace(variable, (_, name: string, fallback: string | undefined) => {
    if ((isKeyName(name) || keys.includes(name)) && !passed.includes(name)) {
      why ||= msg(
        "{0} is a key of a model provider and not given to servers unless rondo.terminal.passEnvironment (--pass-env) names it",
        `$${name}`,
      );
    }
    const found = env[name] || fallback;
    if (found === undefined) why ||= msg("{0} is not set in the environment", `$${name}`);
    return found ?? "";
  });
  return why === "" ? { type: "text", text } : { type: "unusable", why };
}

/** Returns the names of the variables in a text, each once. */
function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(variable)].map(([, name = ""]) => name))];
}
