/** Sends one request to a model and collects the reply. */
import type { Entry } from "../../src/chat/apply.ts";
import type { Finish, ModelRef, Part, Tokens, ToolPart } from "../../src/chat/message.ts";
import type { Arguments, Model, ModelError, ModelEvent, ModelRequest, ProviderData } from "../../src/loop/model.ts";
import { commonRules } from "../../src/providers/families/chat-rules.ts";
import { families } from "../../src/providers/families/families.ts";
import { chatBody } from "../../src/providers/openai-chat/chat-request.ts";

export interface Collected {
  events: ModelEvent[];
  text: string;
  reasoning: string;
  /** The text of each part of thinking. */
  thoughts: string[];
  reasons: (ProviderData | undefined)[];
  calls: { id: string; name: string; raw: string; arguments: Arguments; provider?: ProviderData }[];
  finish: Finish | undefined;
  tokens: Tokens | undefined;
  error: ModelError | undefined;
}

export async function ask(model: Model, asked: ModelRequest, watch?: (event: ModelEvent) => void): Promise<Collected> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked)) {
    events.push(event);
    watch?.(event);
  }
  const of = <Type extends ModelEvent["type"]>(type: Type) =>
    events.filter((event): event is Extract<ModelEvent, { type: Type }> => event.type === type);
  const written = (type: "text" | "reasoning") =>
    of(`${type}-start`).map(({ id }) => {
      const end = of(`${type}-end`).find((event) => event.id === id);
      const deltas = of(`${type}-delta`).flatMap((event) => (event.id === id ? [event.text] : []));
      return end?.text ?? deltas.join("");
    });
  return {
    events,
    text: written("text").join(""),
    reasoning: written("reasoning").join(""),
    thoughts: written("reasoning"),
    reasons: of("reasoning-end").map(({ metadata }) => metadata),
    calls: of("tool-call").map(({ type: _, ...call }) => call),
    finish: of("finish-step")[0]?.reason,
    tokens: of("finish-step")[0]?.tokens,
    error: of("error")[0]?.error,
  };
}

export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "test-model",
    conversationID: "ses_test",
    system: "You are a test.",
    entries: [user("Hello")],
    unboundEntries: 0,
    imagelessEntries: 0,
    contextWindow: undefined,
    tools: [],
    toolUse: "auto",
    temperature: undefined,
    options: {},
    onBytes: () => undefined,
    maxTokens: 1000,
    thinking: "default",
    signal: new AbortController().signal,
    ...more,
  };
}

let count = 0;

type Bare<Of> = Of extends Part ? Omit<Of, "id" | "sessionID" | "messageID"> : never;

function parts(messageID: string, bare: Bare<Part>[]): Part[] {
  return bare.map((part) => ({
    id: `prt_${String(++count).padStart(26, "0")}`,
    sessionID: "ses_1",
    messageID,
    ...part,
  }));
}

export function user(...said: (string | Bare<Part>)[]): Entry {
  const id = `msg_${++count}`;
  const info = { id, sessionID: "ses_1", createdAt: 1, role: "user", agent: "build", model: ref } as const;
  return {
    info,
    parts: parts(
      id,
      said.map((one) => (typeof one === "string" ? { type: "text", text: one } : one)),
    ),
  };
}

/** Returns the reply of the Anthropic model to `request`. */
export function assistant(...said: Bare<Part>[]): Entry {
  return replyOf({ providerID: "anthropic", modelID: "test-model" }, ...said);
}

export function replyOf(model: ModelRef, ...said: Bare<Part>[]): Entry {
  const id = `msg_${++count}`;
  const tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  const info = {
    id,
    sessionID: "ses_1",
    createdAt: 1,
    role: "assistant",
    parentID: "msg_0",
    agent: "build",
    model,
    path: { cwd: "/", root: "/" },
    tokens,
  } as const;
  return { info, parts: parts(id, said) };
}

const ref = { providerID: "anthropic", modelID: "test-model" };

/** A growing conversation with one request per step: each step reads one file. */
export function growing(steps: number): Entry[][] {
  const entries = [user("Read them all")];
  return Array.from({ length: steps }, (_, step) => {
    if (step > 0)
      entries.push(assistant({ type: "text", text: `File ${step}` }, call("read", { step }, `text ${step}`)));
    return [...entries];
  });
}

export function call(tool: string, input: Record<string, unknown>, output: string): Bare<ToolPart> {
  const callID = `toolu_0000000${++count}`;
  const state = { status: "completed", input, output, title: tool, metadata: {}, start: 1, end: 2 } as const;
  return { type: "tool", callID, tool, state };
}

/** The body of a Chat Completions request to OpenAI, or to a compatible server that is not known. */
export function chatBodyText(asked: ModelRequest, isOpenAI: boolean): string {
  const rules = isOpenAI ? families.openai.chatRules(asked.model) : commonRules(asked.model);
  return Buffer.from(chatBody(asked, rules, "openai")).toString();
}
