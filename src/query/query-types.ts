/**
 * The types of `query()`. Names are those of the public Claude Agent SDK, except where a comment says that they are
 * Rondo's own. `npm run build` ships this file, setting-options.ts and sdk-types.ts as `dist/loop.d.ts`, with the names of
 * providers, so they hold nothing but types and import no others.
 */
import type { ProviderID } from "../providers/families/families.ts";
import type { PermissionMode, QueryExitReason, SDKMessage, TokenUsage } from "./sdk-types.ts";
import type { LimitName, SettingOptions } from "./setting-options.ts";

export type * from "./sdk-types.ts";

export type PermissionResult =
  | {
      behavior: "allow";
      /** Replaces the input of the call. */
      updatedInput?: Record<string, unknown> | undefined;
      /** `addRules` and `setMode` are followed; others are ignored with a note. */
      updatedPermissions?: PermissionUpdate[] | undefined;
    }
  /** The model is told the message and continues; `interrupt` ends the prompt. */
  | { behavior: "deny"; message: string; interrupt?: boolean | undefined };

export type PermissionUpdate =
  | {
      type: "addRules" | "replaceRules" | "removeRules";
      rules: { toolName: string; ruleContent?: string | undefined }[];
      behavior: "allow" | "deny" | "ask";
      destination: PermissionUpdateDestination;
    }
  | { type: "setMode"; mode: PermissionMode; destination: PermissionUpdateDestination }
  | {
      type: "addDirectories" | "removeDirectories";
      directories: string[];
      destination: PermissionUpdateDestination;
    };

export type PermissionUpdateDestination = "userSettings" | "projectSettings" | "localSettings" | "session" | "cliArg";

/** Called for every permission request that no rule decides. The call waits for the answer. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    /** Aborted when the answer is no longer needed. */
    signal: AbortSignal;
    /** The rules that "Always allow" would add. */
    suggestions: PermissionUpdate[];
    /** A path outside the folders. */
    blockedPath?: string;
    decisionReason: string;
    toolUseID: string;
    /** Session id of the subagent that asks. */
    agentID?: string;
  },
) => Promise<PermissionResult>;

export type HookEvent =
  | "SessionStart"
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PermissionRequest"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PreCompact"
  | "SubagentStart"
  | "SubagentStop"
  | "Stop"
  | "SessionEnd"
  | "Notification";

/** The input of a hook: these fields and those of its event. */
export type HookInput = {
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode?: string;
  hook_event_name: HookEvent;
} & Record<string, unknown>;

export interface HookJSONOutput {
  /** False ends the prompt. */
  continue?: boolean;
  stopReason?: string;
  suppressOutput?: boolean;
  decision?: "approve" | "block";
  reason?: string;
  /** Shown to the user. */
  systemMessage?: string;
  /** The output is ignored. */
  async?: boolean;
  hookSpecificOutput?: { hookEventName: HookEvent } & Record<string, unknown>;
}

export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
  // Callbacks that only observe return nothing.
) => Promise<HookJSONOutput | undefined> | Promise<void>;

export interface HookCallbackMatcher {
  /** Regular expression for the tool name, source or trigger; default: matches all. */
  matcher?: string | undefined;
  hooks: HookCallback[];
  /** Seconds; default 60. */
  timeout?: number | undefined;
}

export interface AgentDefinition {
  /** When to use the agent. */
  description: string;
  prompt: string;
  /** Default: all tools. */
  tools?: string[] | undefined;
  disallowedTools?: string[] | undefined;
  /** A model's id, or `inherit`. */
  model?: string | undefined;
  maxTurns?: number | undefined;
}

export type SettingSource = "user" | "project" | "local";

/** A permission rule (Rondo's own type); the last matching rule wins. */
export interface PermissionRule {
  /** `read`, `edit`, `bash`, `external_directory`, `outside_sandbox`, a tool's name, or `*`. */
  permission: string;
  /** A path in the folder or a command; `*` any characters, `?` one. */
  pattern: string;
  action: "allow" | "ask" | "deny";
}

export interface Options extends SettingOptions {
  /** Aborting ends the query with the exit reason `aborted`. */
  abortController?: AbortController | undefined;
  /** Further folders that tools may use. */
  additionalDirectories?: string[] | undefined;
  /** The agent that answers; default `build`. */
  agent?: string | undefined;
  /** Additional agents, by name. */
  agents?: Record<string, AgentDefinition> | undefined;
  /** Has no effect: `permissionMode` is enough. */
  allowDangerouslySkipPermissions?: boolean | undefined;
  /** Tools that run without asking: `read`, `bash(npm test *)`. */
  allowedTools?: string[] | undefined;
  /** Ignored with a note on `stderr`. */
  betas?: string[] | undefined;
  /** Default: calls that would ask are denied. */
  canUseTool?: CanUseTool | undefined;
  /** Continues the newest session of the folder. */
  continue?: boolean | undefined;
  cwd?: string | undefined;
  /** Writes the loop's notes to `stderr`. */
  debug?: boolean | undefined;
  /** Appends the loop's notes to this file. */
  debugFile?: string | undefined;
  /**
   * Runs the hooks in `.claude/settings.json` and `.claude/settings.local.json` of the folder (Rondo's own option). Those
   * files decide which programs run.
   */
  allowProjectHooks?: boolean | undefined;
  /** Starts the MCP servers in `.mcp.json` of the folder (Rondo's own option). That file decides which programs run. */
  allowProjectMcpServers?: boolean | undefined;
  /** Tools that are not offered, or calls that are denied: `write`, `bash(rm *)`. */
  disallowedTools?: string[] | undefined;
  effort?: "low" | "medium" | "high" | undefined;
  /**
   * Environment for what concerns model providers: keys, base URLs, models; default `process.env`. Commands get the
   * process's own environment, without keys.
   */
  env?: Record<string, string | undefined> | undefined;
  /** Answers when the model is still overloaded after the last retry. */
  fallbackModel?: string | undefined;
  /** With `resume` or `continue`: continues a copy of the session. */
  forkSession?: boolean | undefined;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>> | undefined;
  includePartialMessages?: boolean | undefined;
  maxThinkingTokens?: number | undefined;
  /** MCP servers by name, as in `.mcp.json`; started with the first message. */
  mcpServers?: Record<string, unknown> | undefined;
  /** Default: what `ANTHROPIC_MODEL`, `OPENAI_MODEL` and so on say in `env`, or the provider's default. */
  model?: string | undefined;
  /** Not supported: an error. */
  outputFormat?: unknown;
  permissionMode?: PermissionMode | undefined;
  /** Not supported: an error. Use `canUseTool`. */
  permissionPromptToolName?: string | undefined;
  /**
   * Called with the events of the loop, those of subagents included; `runId` tells runs apart. Types: `loop:start`,
   * `loop:context`, `loop:execute`, `tool:start`, `tool:end`, `stream:delta`, `loop:persist`, `loop:error`, `loop:end`,
   * and more in later versions. Rondo's own.
   */
  onLoopEvent?: ((event: { type: string; runId: string; [field: string]: unknown }) => void) | undefined;
  /** False stores nothing on disk. */
  persistSession?: boolean | undefined;
  /** Not supported: an error unless empty. */
  plugins?: unknown[] | undefined;
  /** Id of the session to continue. */
  resume?: string | undefined;
  /** With `resume` or `continue`: continues a copy that ends with the message of this id (`message.id`). */
  resumeSessionAt?: string | undefined;
  /**
   * Limits what commands can do, by means of the operating system; default `off`. `workspace`: they write only in the folders and in
   * temporary folders, without network. `{enabled: true}`, as in the Agent SDK, is `workspace`; other fields are ignored
   * with a note.
   */
  sandbox?: "off" | "workspace" | "workspace-network" | { enabled?: boolean | undefined } | undefined;
  /** Id of the new session: letters, digits, `-` and `_`. */
  sessionId?: string | undefined;
  /** Sources of settings, agents, rules files and memory; default: all. */
  settingSources?: SettingSource[] | undefined;
  /** Called with sentences for people: ignored options, warnings. */
  stderr?: ((data: string) => void) | undefined;
  /** Replaces the agent's prompt, or appends to it. */
  systemPrompt?: string | { type: "preset"; preset: "claude_code"; append?: string | undefined } | undefined;
  thinking?:
    | { type: "adaptive" }
    | { type: "enabled"; budgetTokens?: number | undefined }
    | { type: "disabled" }
    | undefined;
  /** Restricts the offered tools. */
  tools?: string[] | { type: "preset"; preset: "claude_code" } | undefined;

  // The options below are Rondo's own.

  /** Names of variables with keys that are passed on to commands and hooks, and to `mcpServers` by `${NAME}`. */
  passEnvironment?: string[] | undefined;
  /** Default: the first provider with a key. */
  provider?: ProviderID | undefined;
  /** Address of a compatible server. */
  baseUrl?: string | undefined;
  /** Which of OpenAI's APIs the server is asked with; `auto`, the default, takes the better one that it is known to have. */
  api?: "auto" | "responses" | "chat" | undefined;
  apiKey?: string | undefined;
  /** Folder for sessions; default: `rondo` in the user's state directory. */
  sessionDir?: string | undefined;
  rules?: readonly PermissionRule[] | undefined;
  /** False: nothing is written or run. */
  trusted?: boolean | undefined;
  /** Overrides the context window of the model, in tokens. */
  contextWindow?: number | undefined;
  /** USD per million tokens, by model id. */
  prices?: Record<string, ModelPrice> | undefined;
  /** Parameters of requests by model id, or "provider/id"; those of an agent and a message's `variant` override them. */
  modelOptions?: Record<string, Record<string, unknown>> | undefined;
  limits?: RunLimits | undefined;
  /** False: the model is not asked for a title of a new session; the first line of the prompt is its title. */
  titles?: boolean | undefined;
  /** Writes the trace of the session to this file as JSON when the query ends. */
  traceFile?: string | undefined;
  /** Sends the trace of each run to this OpenTelemetry collector, for example `http://localhost:4318`. */
  traceCollector?: string | undefined;
  /** Additional command hooks, in the format of Claude Code's settings. */
  settings?: { hooks?: unknown } | undefined;
}

export interface ModelPrice {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/** Limits of the run. Times in ms, sizes in tokens, `maxPromptBytes` in bytes of UTF-8; docs/settings.md lists the defaults (spec O). */
export type RunLimits = {
  [name in LimitName]?: number | undefined;
};

/** `QueryError.code`. */
export type QueryErrorCode =
  /** An option that Rondo cannot honour and that would change what is done. */
  | "unsupported-option"
  | "invalid-option"
  | "no-session"
  | "session-exists"
  | "agent-not-found"
  | "agent-invalid"
  | "prompt-invalid"
  | "session-terminated"
  /** Another process is running the session. */
  | "session-locked"
  | "queue-full"
  /** The session cannot be read or stored. */
  | "record"
  | "model";

/** A run. Its session is locked until the run is read to its end or closed. */
export interface Query extends AsyncGenerator<SDKMessage, void, void> {
  readonly sessionId: string;
  /** Title of the session: of its first prompt, soon replaced by the model's (see `titles`). */
  readonly title: string;
  /** Tokens of the query so far, subagents included. */
  readonly totalUsage: TokenUsage;
  /** USD; null when a price is not known. */
  readonly totalCostUsd: number | null;
  /** Number of replies to the session's own agent. */
  readonly turnCount: number;
  /** How the last prompt ended; undefined before that. */
  readonly exitReason: QueryExitReason | undefined;
  /** Ends the running prompt with the exit reason `interrupted`. Resolves when everything has stopped. */
  interrupt(): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Applies from the next request; default: the model that the query started with. */
  setModel(model?: string): Promise<void>;
  /** Applies from the next request. Null leaves it to the provider, 0 turns thinking off. */
  setMaxThinkingTokens(maxThinkingTokens: number | null): Promise<void>;
  /** Ends the run, its processes and its lock. Unread messages are discarded. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
