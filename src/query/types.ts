/**
 * What callers of `query()` give it and get: names are those of the public Claude Agent SDK, what is Rondo's own says so.
 * `npm run build` ships this file and sdk-types.ts as `dist/loop.d.ts`, so both hold types only.
 */
import type { ExitReason, PermissionMode, SDKMessage, Usage } from "./sdk-types.ts";

export type * from "./sdk-types.ts";

export type PermissionResult =
  | {
      behavior: "allow";
      /** In place of the call's input. */
      updatedInput?: Record<string, unknown> | undefined;
      /** `addRules` for the session is followed; others are passed over with a note. */
      updatedPermissions?: PermissionUpdate[] | undefined;
    }
  /** The message is told to the model, which goes on; `interrupt` ends the prompt. */
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

/** Asked whatever the rules leave open. Nothing is run until it answers. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    /** Aborted when the answer is no longer wanted. */
    signal: AbortSignal;
    /** What "always" would add. */
    suggestions: PermissionUpdate[];
    /** Outside of the folders. */
    blockedPath?: string;
    decisionReason: string;
    toolUseID: string;
    /** The session of the subagent that asks. */
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

/** What a hook is told: these, and the fields of its event. */
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
  /** For the user. */
  systemMessage?: string;
  /** Nobody waits for it, and nothing of it counts. */
  async?: boolean;
  hookSpecificOutput?: { hookEventName: HookEvent } & Record<string, unknown>;
}

export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
  // Callbacks that only look on return nothing.
) => Promise<HookJSONOutput | undefined> | Promise<void>;

export interface HookCallbackMatcher {
  /** A regular expression on the tool's name, the source or the trigger; absent: all. */
  matcher?: string | undefined;
  hooks: HookCallback[];
  /** Seconds; 60 when absent. */
  timeout?: number | undefined;
}

export interface AgentDefinition {
  /** When to hand work to it. */
  description: string;
  prompt: string;
  /** The only tools that it has; absent: all. */
  tools?: string[] | undefined;
  disallowedTools?: string[] | undefined;
  /** A model's id, or `inherit`. */
  model?: string | undefined;
  maxTurns?: number | undefined;
}

export type SettingSource = "user" | "project" | "local";

/** A permission rule of Rondo's own; the last one that matches counts. */
export interface Rule {
  /** `read`, `edit`, `bash`, `external_directory`, a tool's name, or `*`. */
  permission: string;
  /** A path in the folder or a command; `*` any characters, `?` one. */
  pattern: string;
  action: "allow" | "ask" | "deny";
}

export interface Options {
  /** Aborting it ends the query: the result says `aborted`. */
  abortController?: AbortController | undefined;
  /** Folders beside `cwd` that tools may work in. */
  additionalDirectories?: string[] | undefined;
  /** The agent that answers; `build` when absent. */
  agent?: string | undefined;
  /** More agents, by name. */
  agents?: Record<string, AgentDefinition> | undefined;
  /** Taken as read: modes are what they say. */
  allowDangerouslySkipPermissions?: boolean | undefined;
  /** Tools that run without a question: `read`, `bash(npm test *)`. */
  allowedTools?: string[] | undefined;
  /** Does not apply: noted on `stderr`. */
  betas?: string[] | undefined;
  /** Absent: what would ask is denied. */
  canUseTool?: CanUseTool | undefined;
  /** Goes on with the newest session of the folder. */
  continue?: boolean | undefined;
  cwd?: string | undefined;
  /** Notes of the loop go to `stderr`, too. */
  debug?: boolean | undefined;
  /** Notes of the loop are appended to this file. */
  debugFile?: string | undefined;
  /** Whether the MCP servers that the folder's `.mcp.json` names may be started: whoever wrote that file chose what runs. */
  allowProjectMcpServers?: boolean | undefined;
  /** Tools that are not offered, or calls that are denied: `write`, `bash(rm *)`. */
  disallowedTools?: string[] | undefined;
  effort?: "low" | "medium" | "high" | undefined;
  /** Where keys and addresses of providers are looked for; `process.env` when absent. Commands have the process's own. */
  env?: Record<string, string | undefined> | undefined;
  /** Asked when the model is overloaded after the last retry. */
  fallbackModel?: string | undefined;
  /** With `resume` or `continue`: the session is copied and the copy goes on. */
  forkSession?: boolean | undefined;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>> | undefined;
  includePartialMessages?: boolean | undefined;
  maxBudgetUsd?: number | undefined;
  maxThinkingTokens?: number | undefined;
  maxTurns?: number | undefined;
  /** MCP servers by name, as in `.mcp.json`; they start with the first message. */
  mcpServers?: Record<string, unknown> | undefined;
  model?: string | undefined;
  /** Cannot be kept here: an error. */
  outputFormat?: unknown;
  permissionMode?: PermissionMode | undefined;
  /** Cannot be kept here: an error. Use `canUseTool`. */
  permissionPromptToolName?: string | undefined;
  /** False leaves nothing on disk. */
  persistSession?: boolean | undefined;
  /** Cannot be kept here: an error, unless it is empty. */
  plugins?: unknown[] | undefined;
  /** Goes on with this session. */
  resume?: string | undefined;
  /** With `resume` or `continue`: a copy that ends with the message of this id (`message.id`) goes on. */
  resumeSessionAt?: string | undefined;
  /** Cannot be kept here: an error, unless it is not enabled. */
  sandbox?: { enabled?: boolean | undefined } | undefined;
  /** Of a new session: letters, digits, `-` and `_`. */
  sessionId?: string | undefined;
  /** Whose settings, agents, rules and memory are read; all when absent. */
  settingSources?: SettingSource[] | undefined;
  /** Is told what does not apply, and what a person should know. */
  stderr?: ((data: string) => void) | undefined;
  /** In place of the agent's own prompt; or the agent's own with something added. */
  systemPrompt?: string | { type: "preset"; preset: "claude_code"; append?: string | undefined } | undefined;
  thinking?:
    | { type: "adaptive" }
    | { type: "enabled"; budgetTokens?: number | undefined }
    | { type: "disabled" }
    | undefined;
  /** The only tools that are offered. */
  tools?: string[] | { type: "preset"; preset: "claude_code" } | undefined;

  // Rondo's own from here on.

  /** Absent: the first that has a key. */
  provider?: "anthropic" | "openai" | undefined;
  /** Of a compatible server. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** Where sessions are kept; absent: a `rondo` folder in the user's state directory. */
  sessionDir?: string | undefined;
  rules?: readonly Rule[] | undefined;
  /** False: nothing is written and nothing is run. */
  trusted?: boolean | undefined;
  /** Tokens; in place of what is known of the model. */
  contextWindow?: number | undefined;
  /** Of one day, over all sessions. */
  maxDailyBudgetUsd?: number | undefined;
  /** USD for a million tokens, by model id. */
  prices?: Record<string, Price> | undefined;
  limits?: Limits | undefined;
  /** Hooks as commands, in the form of Claude Code's settings, beside those of the settings that are read. */
  settings?: { hooks?: unknown } | undefined;
}

export interface Price {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/** Numbers that the run keeps to; times in ms, sizes in tokens. Those that are left out have their usual value. */
export type Limits = {
  [name in
    | "compactAt"
    | "reserveFloorTokens"
    | "flushThresholdTokens"
    | "executionTimeoutMs"
    | "toolTimeoutMs"
    | "doomLoopThreshold"
    | "maxRetries"
    | "retryBackoffMs"
    | "stallNoticeMs"
    | "stallTimeoutMs"
    | "queueTimeoutMs"
    | "lockTimeoutMs"]?: number | undefined;
};

/** `QueryError.code`. */
export type QueryErrorCode =
  /** An option cannot be kept here, and would change what is done. */
  | "unsupported-option"
  | "invalid-option"
  | "no-session"
  | "session-exists"
  | "agent-not-found"
  | "agent-invalid"
  | "prompt-invalid"
  | "session-terminated"
  /** Another process runs the session. */
  | "session-locked"
  | "queue-full"
  /** The session cannot be read, or not be kept. */
  | "record"
  | "model";

/** A run. Read it to its end, or close it: until then its session is locked. */
export interface Query extends AsyncGenerator<SDKMessage, void, void> {
  readonly sessionId: string;
  /** Of this query so far, subagents included. */
  readonly totalUsage: Usage;
  /** Null: a price is not known. */
  readonly totalCostUsd: number | null;
  /** Grows by one with each reply of the model to the session's own agent. */
  readonly turnCount: number;
  /** How the last prompt ended; undefined until one has. */
  readonly exitReason: ExitReason | undefined;
  /** Ends the prompt that runs: its result says `interrupted`. Resolves when nothing of it runs any more. */
  interrupt(): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** From the next request on; absent: the one that the query began with. */
  setModel(model?: string): Promise<void>;
  /** From the next request on; null: as the provider likes, 0: none. */
  setMaxThinkingTokens(maxThinkingTokens: number | null): Promise<void>;
  /** Ends the run and leaves no process and no lock. What was not read is gone. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
