/** One reply without tools, outside of the conversation: a session's title, a commit message. */
import type { Entry } from "../../chat/apply.ts";
import type { ModelRef, Tokens } from "../../chat/message.ts";
import { noTokens } from "../../chat/token-counts.ts";
import type { Agent } from "../agents/agents.ts";
import { sizeOfText } from "../context/token-size.ts";
import type { Model, ModelError } from "../model.ts";
import { costOf, type FactSource, knownWindow, optionsFor } from "../setup/model-facts.ts";

interface BriefQuestion {
  agent: Agent;
  model: Model;
  ref: ModelRef;
  facts: FactSource;
  /** A message as the conversation would have it, with the question as its only part. */
  entry: Entry;
  /** The text of the question. */
  asked: string;
  maxTokens: number;
  signal: AbortSignal;
  /** Called with the whole text so far. */
  onText?(text: string): void;
}

export interface BriefReply {
  text: string;
  tokens: Tokens;
  /** Whether the tokens are estimated: the server did not tell them. */
  estimated: boolean;
  /** In US dollars; undefined if the price is not known. */
  cost: number | undefined;
  /** Why the reply broke off after it had begun. */
  failure: ModelError | undefined;
}

/** @throws ModelError if there was no reply at all, which costs nothing */
export async function askBriefly(question: BriefQuestion): Promise<BriefReply> {
  const { agent, model, ref, facts, entry, asked, maxTokens, signal } = question;
  const request = {
    model: ref.modelID,
    conversationID: entry.info.sessionID,
    system: agent.prompt,
    entries: [entry],
    unboundEntries: 0,
    imagelessEntries: 0,
    tools: [],
    toolUse: "none",
    temperature: agent.temperature,
    options: optionsFor(undefined, facts.of(ref).options, agent.options),
    onBytes: () => undefined,
    contextWindow: knownWindow(facts.of(ref)),
    maxTokens,
    thinking: "off",
    signal,
  } as const;
  let text = "";
  let usage: { tokens?: Tokens | undefined; costUsd?: number | undefined } = {};
  let failure: ModelError | undefined;
  for await (const event of model.stream(request)) {
    if (event.type === "text-delta") {
      text += event.text;
      question.onText?.(text);
    }
    if (event.type === "error") failure = event.error;
    if (event.type === "usage") usage = { tokens: event.tokens };
    if (event.type === "finish-step") usage = { tokens: event.tokens ?? usage.tokens, costUsd: event.costUsd };
  }
  // A refused request costs nothing; a reply that broke off costs what was received.
  if (failure && text === "" && !usage.tokens) throw failure;
  const tokens = usage.tokens ?? { ...noTokens, input: sizeOfText(agent.prompt + asked), output: sizeOfText(text) };
  const cost = usage.costUsd ?? costOf(facts.of(ref).price, tokens);
  return { text, tokens, estimated: !usage.tokens, cost, failure };
}
