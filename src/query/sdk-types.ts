/** The messages of `query()`. Names are those of the public Claude Agent SDK, except where a comment says otherwise. */

/** A message that `query()` yields. */
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

/** Fields of every message. */
interface MessageIds {
  uuid: string;
  session_id: string;
}

/** The first message. */
export interface SDKSystemMessage extends MessageIds {
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

/** An event in the form of Anthropic's streaming API, for every provider; only with `includePartialMessages`. */
export interface SDKPartialAssistantMessage extends MessageIds {
  type: "stream_event";
  event: { type: string; [field: string]: unknown };
  parent_tool_use_id: string | null;
}

/** A complete reply of the model. */
export interface SDKAssistantMessage extends MessageIds {
  type: "assistant";
  message: {
    id: string;
    type: "message";
    role: "assistant";
    model: string;
    content: AssistantBlock[];
    stop_reason: string | null;
    stop_sequence: null;
    usage: TokenUsage;
  };
  /** Id of the `task` call whose subagent replied; null for the session's own agent. */
  parent_tool_use_id: string | null;
  /** Set when the reply failed; `content` is what arrived before. */
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

/** As input: a prompt. As output: the result of a call. */
export interface SDKUserMessage {
  type: "user";
  message: { role: "user"; content: string | UserBlock[] };
  parent_tool_use_id?: string | null;
  uuid?: string;
  session_id?: string;
  /** Written by a program, not by a person. */
  isSynthetic?: boolean;
  /** False: the message is stored without an answer. */
  shouldQuery?: boolean;
  /**
   * For a message that is sent while another is answered: it waits (`queue`, the default), is discarded (`drop`), or
   * interrupts the other (`interrupt`).
   */
  whenBusy?: "queue" | "drop" | "interrupt";
  /** Answers this message only, in place of the model of the session. The id of a model of the same provider. */
  model?: string;
  /** Answers this message only, in place of the agent of the session. */
  agent?: string;
  /** Tools switched on or off for this message, by name. */
  tools?: Record<string, boolean>;
  /** Added to the system prompt for this message. */
  system?: string;
  /** Effort of thinking for this message: "off", "low", "medium", "high", or another that the provider knows. */
  variant?: string;
  /** Subagents that work on this message before the model is asked. */
  subtasks?: { agent: string; description: string; prompt: string }[];
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

/** Sent when a call starts, every 5 seconds while it runs, and when it ends. */
export interface SDKToolProgressMessage extends MessageIds {
  type: "tool_progress";
  tool_use_id: string;
  tool_name: string;
  parent_tool_use_id: string | null;
  elapsed_time_seconds: number;
}

/** A compaction starts (`compacting`) or ends (null). */
export interface SDKStatusMessage extends MessageIds {
  type: "system";
  subtype: "status";
  status: "compacting" | null;
}

/** From here on the model gets a summary instead of the messages before. */
export interface SDKCompactBoundaryMessage extends MessageIds {
  type: "system";
  subtype: "compact_boundary";
  compact_metadata: { trigger: "manual" | "auto"; pre_tokens: number };
}

/** A request failed and is retried after `retry_delay_ms`. */
export interface SDKAPIRetryMessage extends MessageIds {
  type: "system";
  subtype: "api_retry";
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  /** HTTP status; null when there was no response or its status is unknown. */
  error_status: number | null;
  error: SDKAssistantMessageError;
}

/** A sentence for the user, for example from a hook. */
export interface SDKInformationalMessage extends MessageIds {
  type: "system";
  subtype: "informational";
  level: "info" | "notice" | "suggestion" | "warning";
  content: string;
}

/** The last message of a prompt. */
export interface SDKResultMessage extends MessageIds {
  type: "result";
  subtype: "success" | "error_max_turns" | "error_max_budget_usd" | "error_during_execution";
  is_error: boolean;
  duration_ms: number;
  duration_api_ms: number;
  /** Number of replies to this prompt. */
  num_turns: number;
  /** Text of the last reply; empty when there is none. */
  result: string;
  stop_reason: string | null;
  /** Rondo's own field: how the run ended, in more detail than `subtype`. */
  exit_reason: QueryExitReason;
  /** USD of the query so far, subagents included; null when a price is not known. */
  total_cost_usd: number | null;
  /** Rondo's own field: what is known of the cost when `total_cost_usd` is null. */
  known_cost: KnownCost;
  /** Tokens of this prompt, subagents included. */
  usage: TokenUsage;
  /** Totals of the query so far, by model. */
  modelUsage: Record<string, ModelUsage>;
  permission_denials: { tool_name: string; tool_use_id: string; tool_input: Record<string, unknown> }[];
  /** Sentences; only with `is_error`. */
  errors?: string[];
}

export interface KnownCost {
  usd: number;
  /** Whether replies are left out because the price of their model is not known. */
  partial: boolean;
  /** Whether some of it is an estimate: for stopped replies, and for servers that report no usage. */
  estimated: boolean;
}

export interface TokenUsage {
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
  /** USD; null when the price is not known. */
  costUSD: number | null;
  contextWindow: number;
}

export type QueryExitReason =
  | "end_turn"
  | "max_turns"
  | "error_max_budget_usd"
  | "interrupted"
  | "max_tokens"
  | "aborted"
  | "blocked"
  | "error";

export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions";
