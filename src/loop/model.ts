/** A model for the loop: takes a request and returns a stream of events (spec E). */
import type { Entry } from "../chat/apply.ts";
import type { Finish, Tokens, ToolDefinition } from "../chat/message.ts";
import type { ThinkingLevel } from "../chat/thinking.ts";

export type Thinking = ThinkingLevel | { budgetTokens: number };

export interface ModelRequest {
  model: string;
  /** Names the conversation to the provider's cache; at most 64 characters. */
  conversationID: string;
  /** Stays the same to the byte as long as the conversation does, as `tools` do (C7). */
  system: string;
  /** Oldest first. The last is a user message or has finished tool calls. */
  entries: readonly Entry[];
  /**
   * Number of oldest entries whose thoughts are not sent back where a thought is bound to what came before it: something
   * there has changed since. Plain-text thoughts that a provider requires are sent all the same.
   */
  unboundEntries: number;
  /** Number of oldest entries whose images and PDFs are named, not sent: the provider has refused one of them. */
  imagelessEntries: number;
  tools: readonly ToolDefinition[];
  /** Tools that may be called now: `none`, or only some; all stay defined, for the sake of the cached prefix. */
  toolUse: "auto" | "none" | { only: readonly string[] };
  temperature: number | undefined;
  options: Readonly<Record<string, unknown>>;
  /** Called when bytes arrive, including pings and comments (H6). */
  onBytes(): void;
  /** Window of the model in tokens, for servers that load it with the window they are told; undefined where it is unknown. */
  contextWindow: number | undefined;
  /** Maximum tokens of the reply; undefined leaves it to the server, if possible. */
  maxTokens: number | undefined;
  thinking: Thinking;
  /** Aborting closes the connection; the stream then ends with an `error` event of kind `aborted`. */
  signal: AbortSignal;
}

export interface Model {
  readonly providerID: string;
  /** Never throws: a failure is an `error` event, which ends the stream. Does not retry. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** Arguments as sent by the model: an object, or what is wrong with them (E5). */
export type Arguments = { ok: true; input: Record<string, unknown> } | { ok: false; problem: string };

/** Opaque data of a part, returned unchanged to the provider. */
export type ProviderData = Record<string, unknown>;

export type ModelEvent =
  | { type: "start" }
  | { type: "start-step" }
  | { type: "text-start"; id: string }
  | { type: "text-delta"; id: string; text: string }
  /** `text` replaces the deltas where the finished text differs. */
  | { type: "text-end"; id: string; text?: string; metadata?: ProviderData }
  | { type: "reasoning-start"; id: string }
  | { type: "reasoning-delta"; id: string; text: string }
  | { type: "reasoning-end"; id: string; text?: string; metadata?: ProviderData }
  | { type: "tool-input-start"; id: string; name: string }
  | { type: "tool-input-delta"; id: string; text: string }
  | { type: "tool-input-end"; id: string }
  /** `raw` is the exact JSON of the arguments. `id` is unique within the reply, and generated if missing. */
  | { type: "tool-call"; id: string; name: string; raw: string; arguments: Arguments; provider?: ProviderData }
  /** Usage so far, as far as the stream reports it before its end: what a stopped reply has cost at least. */
  | { type: "usage"; tokens: Tokens }
  /** `tokens` is undefined when the server reported no usage; `costUsd` is there when it reported a price. */
  | { type: "finish-step"; reason: Finish; tokens: Tokens | undefined; costUsd?: number }
  | { type: "finish" }
  /** An unknown event in the stream, which was ignored (E6): "the event ping2". */
  | { type: "skipped"; what: string }
  | { type: "error"; error: ModelError };

export type ModelErrorKind =
  /** Reset, timed out, or cut before the reply was complete. */
  | "network"
  | "rate-limit"
  | "overloaded"
  /** Any other 5xx, or an error inside the stream without a clearer kind. */
  | "server"
  | "no-key"
  /** The key is wrong, expired or revoked: another one is needed. */
  | "auth"
  /** The key is good, but this account may not use the model, or not from here: another key of it changes nothing. */
  | "no-access"
  /** The provider's filter refuses what the request says. */
  | "flagged"
  | "unknown-model"
  | "context-full"
  /** The account's money or quota is used up: waiting does not help. */
  | "quota"
  /** The server refuses thoughts of earlier replies: the request is valid without them. */
  | "thoughts-refused"
  /** The model takes no images or files like those in the request: it is valid without them. */
  | "images-refused"
  /** The server rejects the request: 400, 413, 422. */
  | "invalid"
  | "aborted";

/** A missing or incomplete reply. `message` is a sentence for people, `next` what they can do. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  readonly next: string;
  readonly status: number | undefined;
  /** Delay requested by the server, in ms. */
  readonly retryAfterMs: number | undefined;
  /** Whether the SDK or the server recommends a retry, if they say so. */
  readonly shouldRetry: boolean | undefined;
  /** The server's own words, without the key; empty if it had none. */
  readonly said: string;

  /** By name, because each provider's bundle contains its own copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "ModelError";
  }

  constructor(
    kind: ModelErrorKind,
    message: string,
    next: string,
    more: { status?: number; retryAfterMs?: number; shouldRetry?: boolean; said?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.kind = kind;
    this.next = next;
    this.status = more.status;
    this.retryAfterMs = more.retryAfterMs;
    this.shouldRetry = more.shouldRetry;
    this.said = more.said ?? "";
  }
}
