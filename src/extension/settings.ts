/** Reads the settings. Only the user's settings may widen permissions or send code elsewhere. */
import * as vscode from "vscode";
import * as z from "zod/mini";
import {
  type LoopSetting,
  loopSettings,
  sharedSettings,
  type ValueSetting,
  type Values,
  type WindowValues,
  windowSettings,
} from "../base/settings.ts";
import { PermissionMode } from "../chat/permission-mode.ts";
import { Rule } from "../chat/requests.ts";
import { type ThinkingLevel, thinkingLevels } from "../chat/thinking.ts";
import { extensionLimits, type Limits } from "../loop/limits.ts";
import { GivenPrices, ModelOptions, withCachePrices } from "../loop/setup/model-facts.ts";
import { type ApiChoice, apiChoices } from "../providers/api-choice.ts";
import { providerIDs } from "../providers/providers.ts";
import { type SandboxMode, sandboxModes } from "../tools/host.ts";
import {
  type LocalServers,
  type ProviderSettings,
  parseLocalServers,
  parseProviders,
} from "./models/provider-settings.ts";
import { vscodeProvider } from "./models/vscode-model.ts";

export interface Settings {
  /** ID of a named provider, of one in `providers`, or "vscode". */
  provider: string | undefined;
  model: string | undefined;
  baseURL: string | undefined;
  /** Which of OpenAI's APIs the server at that address is asked with. */
  api: ApiChoice;
  /** Settings of named providers, and further ones, by ID. */
  providers: ProviderSettings;
  localServers: LocalServers;
  /** The model to use when the chosen one is overloaded: "model" or "provider/model". */
  fallbackModel: string | undefined;
  agent: string;
  thinking: ThinkingLevel;
  mode: PermissionMode;
  rules: Rule[];
  /** Patterns of further secret files, in the syntax of `.gitignore`. */
  secrets: string[];
  /** Unchecked, in the form of Claude Code's `hooks`. */
  hooks: unknown;
  /** Unchecked, in the form of `mcpServers` in `.mcp.json`. */
  mcpServers: unknown;
  /** Names of the VS Code tools that Rondo may use; `*` for all. */
  vscodeTools: string[];
  /**
   * Whether commands run in their own process or in the user's shell. `shell`: a path; empty for the default.
   * `passEnvironment`: variables with keys that commands get all the same.
   */
  terminal: { mode: "separate" | "integrated"; shell: string; passEnvironment: readonly string[] };
  /** Limits what commands can do, by means of the operating system. */
  sandbox: SandboxMode;
  /** Address of the OpenTelemetry collector that traces are sent to; empty: none. */
  traceCollector: string;
  /** Ignored files that are copied into worktrees, in the syntax of `.gitignore`. */
  worktreeCopy: string[];
  /** Those of the window. */
  window: WindowValues;
  limits: Limits;
  /** Sentences about invalid settings. Each of them has its default instead. */
  problems: string[];
}

const Address = z.url({ protocol: /^https?$/ });

let current: Settings | undefined;

export function readSettings(): Settings {
  current ??= parseSettings();
  return current;
}

/** Calls `changed` when the settings have changed, or the workspace's trust, which some of them need. */
export function watchSettings(changed: () => void): vscode.Disposable {
  const forget = () => {
    current = undefined;
    changed();
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("rondo") && forget()),
    vscode.workspace.onDidGrantWorkspaceTrust(forget),
  );
}

function parseSettings(): Settings {
  const problems: string[] = [];
  const trusted = vscode.workspace.isTrusted;
  const settings = vscode.workspace.getConfiguration("rondo");
  const section = vscode.workspace.getConfiguration().inspect("rondo");
  /** Whether the workspace has settings, too. If not, there is no need to ask for each setting where it comes from. */
  const hasOthers = section?.workspaceValue !== undefined || section?.workspaceFolderValue !== undefined;
  /**
   * Returns the value if it is valid, else the manifest's default. An empty value is undefined where the schema allows
   * it, else the default. `userOnly` ignores values of the workspace.
   */
  function read<T extends z.ZodMiniType>(key: string, schema: T, userOnly = true): z.infer<T> {
    const found = userOnly && hasOthers ? settings.inspect<unknown>(key) : undefined;
    const value = notEmpty(found ? (found.globalValue ?? found.defaultValue) : settings.get<unknown>(key));
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const problem = parsed.error.issues[0]?.message ?? "it is malformed";
    if (value !== undefined) problems.push(`The setting rondo.${key} cannot be used: ${problem}.`);
    return schema.parse(notEmpty(settings.inspect(key)?.defaultValue));
  }
  /** Returns the values of a table. Its names are those of the settings, which `Object.fromEntries` forgets. */
  function readTable<Table extends Record<string, ValueSetting>>(table: Table): Values<Table> {
    const values = Object.entries(table).map(([name, setting]) => {
      const ofWorkspace = setting.scope === "window" || (setting.scope === "resource" && trusted);
      return [name, read(name, schemaOf(setting), !ofWorkspace)];
    });
    return Object.fromEntries(values) as Values<Table>;
  }
  /** Returns a number of the loop in the limit's unit. The setting's old name is read while the new one is not set. */
  function readNumber({ name, oldName, factor, minimum, maximum, type }: LoopSetting): number {
    if (oldName !== undefined && isSet(oldName) && !isSet(name)) {
      const within = z.int().check(z.gte(minimum * factor), z.lte(maximum * factor));
      const limit = read(`loop.${oldName}`, z.optional(within));
      if (limit !== undefined) return limit;
    }
    const value = read(`loop.${name}`, numberOf({ type, minimum, maximum }));
    return factor === 1 ? value : Math.round(value * factor);
  }
  function isSet(name: string): boolean {
    return settings.inspect(`loop.${name}`)?.globalValue !== undefined;
  }
  const AnyObject = z.record(z.string(), z.unknown());
  const [providers, providerProblems] = parseProviders(read("providers", AnyObject));
  const [localServers, serverProblems] = parseLocalServers(read("localServers", AnyObject));
  problems.push(...providerProblems, ...serverProblems);
  return {
    provider: read("provider", z.optional(z.enum([...providerIDs, ...Object.keys(providers), vscodeProvider]))),
    model: read("model", z.optional(z.string()), !trusted),
    baseURL: read("baseUrl", z.optional(Address)),
    api: read("api", z.enum(apiChoices)),
    providers,
    localServers,
    fallbackModel: read("fallbackModel", z.optional(z.string())),
    agent: read("agent", z.string(), !trusted),
    thinking: read("thinking", z.enum(thinkingLevels), !trusted),
    mode: read("permission.mode", PermissionMode),
    rules: read("permission.rules", z.array(Rule)),
    secrets: read("permission.secrets", z.array(z.string())),
    worktreeCopy: read("worktree.copy", z.array(z.string())),
    mcpServers: read("mcpServers", AnyObject),
    vscodeTools: read("vscodeTools", z.array(z.string())),
    terminal: {
      mode: read("terminal.mode", z.enum(["separate", "integrated"])),
      shell: read("terminal.shell", z.optional(z.string())) ?? "",
      passEnvironment: read(
        "terminal.passEnvironment",
        z.array(z.string().check(z.regex(/^\w+$/, "a name of a variable has letters, digits and _"))),
      ),
    },
    sandbox: read("sandbox", z.enum(sandboxModes)),
    traceCollector: read("trace.collector", z.optional(Address)) ?? "",
    hooks: read("hooks", AnyObject),
    window: readTable(windowSettings),
    limits: {
      ...extensionLimits,
      ...Object.fromEntries(loopSettings.map((setting) => [setting.limit, readNumber(setting)])),
      prices: withCachePrices(read("prices", GivenPrices)),
      modelOptions: read("modelOptions", ModelOptions),
      ...readTable(sharedSettings),
    },
    problems,
  };
}

function schemaOf(setting: ValueSetting): z.ZodMiniType<boolean | number | undefined> {
  const schema = setting.type === "boolean" ? z.boolean() : numberOf(setting);
  return setting.default === undefined ? z.optional(schema) : schema;
}

function numberOf({
  type,
  minimum = -Infinity,
  maximum = Infinity,
}: Pick<ValueSetting, "type" | "minimum" | "maximum">) {
  return (type === "integer" ? z.int() : z.number()).check(z.gte(minimum), z.lte(maximum));
}

function notEmpty(value: unknown): unknown {
  return value === "" || value === null ? undefined : value;
}
