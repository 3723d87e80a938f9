/** The messages of `query()`: names and fields are those of the public Claude Agent SDK; what is Rondo's own says so. */

/** What a consumer of `query()` reads, in the order in which it happens. */
export type SDKMessage =
  | SDKSystemMessage
  | SDKPartialAssistantMessage
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKToolProgressMessage
  | SDKStatusMessage
  | SDKCompactBoundaryMessage
  | SDKAPIRetryMessage
  | SDKInformationalMessage
  | SDKResultMessage;

/** Fields that all messages have. */
interface Stamp {
  uuid: string;
  session_id: string;
}

/** The first message. */
export interface SDKSystemMessage extends Stamp {
  type: "system";
  subtype: "init";
  cwd: string;
  tools: string[];
  agents: string[];
  model: string;
  permissionMode: PermissionMode;
  apiKeySource: "user" | "none";
  mcp_servers: { name: string; status: string }[];
  slash_commands: string[];
  skills: string[];
  plugins: { name: string; path: string }[];
  output_style: string;
}

/** An event of Anthropic's streaming API, whatever the provider; with `includePartialMessages` only. */
export interface SDKPartialAssistantMessage extends Stamp {
  type: "stream_event";
  event: { type: string; [field: string]: unknown };
  parent_tool_use_id: string | null;
}

/** A reply of the model, whole. */
export interface SDKAssistantMessage extends Stamp {
  type: "assistant";
  message: {
    id: string;
    type: "message";
    role: "assistant";
    model: string;
    content: AssistantBlock[];
    stop_reason: string | null;
    stop_sequence: null;
    usage: Usage;
  };
  /** The call of `task` whose subagent said it; null: the session's own agent. */
  parent_tool_use_id: string | null;
  /** The reply failed; what is here came before that. */
  error?: SDKAssistantMessageError;
}

export type SDKAssistantMessageError =
  | "authentication_failed"
  | "billing_error"
  | "rate_limit"
  | "invalid_request"
  | "server_error"
  | "unknown";

export type AssistantBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

/** A prompt on the way in; on the way out the result of a call. */
export interface SDKUserMessage {
  type: "user";
  message: { role: "user"; content: string | UserBlock[] };
  parent_tool_use_id?: string | null;
  uuid?: string;
  session_id?: string;
  /** Written by a program, not by a person. */
  isSynthetic?: boolean;
  /** False: the message is stored and nothing answers it. */
  shouldQuery?: boolean;
}

export type UserBlock =
  | { type: "text"; text: string }
  | { type: "image" | "document"; source: { type: "base64"; media_type: string; data: string } }
  | ToolResultBlock;

export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: string | Exclude<UserBlock, ToolResultBlock>[];
  is_error?: boolean;
}

/** When a call begins, every 5 seconds while it runs, and when it has ended. */
export interface SDKToolProgressMessage extends Stamp {
  type: "tool_progress";
  tool_use_id: string;
  tool_name: string;
  parent_tool_use_id: string | null;
  elapsed_time_seconds: number;
}

/** A compaction begins (`compacting`) or is over (null). */
export interface SDKStatusMessage extends Stamp {
  type: "system";
  subtype: "status";
  status: "compacting" | null;
}

/** What came before it is no longer sent to the model, save as a summary. */
export interface SDKCompactBoundaryMessage extends Stamp {
  type: "system";
  subtype: "compact_boundary";
  compact_metadata: { trigger: "manual" | "auto"; pre_tokens: number };
}

/** A request failed and is sent again after `retry_delay_ms`. */
export interface SDKAPIRetryMessage extends Stamp {
  type: "system";
  subtype: "api_retry";
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  /** Null: there was no answer, or its status is not known. */
  error_status: number | null;
  error: SDKAssistantMessageError;
}

/** A sentence for the user, from a hook for example. */
export interface SDKInformationalMessage extends Stamp {
  type: "system";
  subtype: "informational";
  level: "info" | "notice" | "suggestion" | "warning";
  content: string;
}

/** The last message of a prompt. */
export interface SDKResultMessage extends Stamp {
  type: "result";
  subtype: "success" | "error_max_turns" | "error_max_budget_usd" | "error_during_execution";
  is_error: boolean;
  duration_ms: number;
  duration_api_ms: number;
  /** Replies of the model to this prompt. */
  num_turns: number;
  /** The last answer's text; "" when there is none. */
  result: string;
  stop_reason: string | null;
  /** Rondo's own: how the run ended, more exactly than `subtype`. */
  exit_reason: ExitReason;
  /** Of this query so far, subagents included. Null: a price is not known; never 0 for that. */
  total_cost_usd: number | null;
  /** Of this prompt, subagents included. */
  usage: Usage;
  /** Of this query so far, by model. */
  modelUsage: Record<string, ModelUsage>;
  permission_denials: { tool_name: string; tool_use_id: string; tool_input: Record<string, unknown> }[];
  /** Sentences; with `is_error` only. */
  errors?: string[];
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  webSearchRequests: number;
  /** Null: the price is not known. */
  costUSD: number | null;
  contextWindow: number;
}

export type ExitReason =
  | "end_turn"
  | "max_turns"
  | "error_max_budget_usd"
  | "interrupted"
  | "max_tokens"
  | "aborted"
  | "blocked"
  | "error";

export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions";
