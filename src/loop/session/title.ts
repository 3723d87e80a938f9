/** Titles of sessions: first from the prompt, then from the model, beside its first reply (spec L5). */

import { type Chat, type Entry, findEntry } from "../../chat/apply.ts";
import type { ChatEvent, RecordedEvent } from "../../chat/events.ts";
import type { ModelRef } from "../../chat/message.ts";
import { ownWords } from "../../chat/words.ts";
import { english } from "../../l10n/l10n.ts";
import type { AgentCatalog } from "../agents/agents.ts";
import type { Model } from "../model.ts";
import { modelOf } from "../setup/agent-config.ts";
import type { FactSource } from "../setup/model-facts.ts";
import { askBriefly } from "./brief-reply.ts";
import type { Budget } from "./budget.ts";

const longest = 60;

/** Returns the first line that contains words, cut at a word. */
export function titleFromPrompt(text: string): string {
  const line =
    text
      .split("\n")
      .find((one) => /\p{L}/u.test(one))
      ?.trim() ?? "";
  const plain = line
    .replace(/^[#>\s]+|[`*]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (plain.length <= longest) return plain;
  const space = plain.lastIndexOf(" ", longest);
  const cut = plain.slice(0, space >= longest / 2 ? space : longest);
  return `${cut.replace(/[\ud800-\udbff]$/, "")}…`;
}

const patience = 30_000;

const shown = 4_000;

type ChargedEvent = Extract<RecordedEvent, { type: "charged" }>;

interface NamedSession {
  readonly chat: Chat;
  listen(listener: (event: ChatEvent) => void): () => void;
  rename(title: string): Promise<void>;
  charge(charge: Omit<ChargedEvent, "type">): Promise<void>;
}

interface NamingDeps {
  session: NamedSession;
  agents(): AgentCatalog;
  openModel(ref: ModelRef): Promise<Model>;
  facts: FactSource;
  budget: Pick<Budget, "permits" | "isLimited">;
  closing: AbortSignal;
}

/**
 * Asks for a title as soon as the model begins to answer, so that it costs no time. With a budget the first reply is
 * awaited, whose cost counts first. A failure is invisible: the title derived from the prompt stays.
 * @returns a function that resolves when no title is being made
 */
export function nameSession(naming: NamingDeps): () => Promise<void> {
  let made = Promise.resolve();
  const forget = naming.session.listen((event) => {
    const model = modelThatAnswers(naming, event);
    if (!model) return;
    forget();
    made = rename(naming, model).catch(() => undefined);
  });
  return () => made;
}

function modelThatAnswers({ session, budget }: NamingDeps, event: ChatEvent): ModelRef | undefined {
  if (event.type === "part" && event.part.type !== "step-start" && !budget.isLimited()) {
    const { info, parts = [] } = findEntry(session.chat, event.part.messageID) ?? {};
    const isReply = parts.some(({ type }) => type === "step-start");
    return info?.role === "assistant" && isReply ? info.model : undefined;
  }
  if (event.type !== "message" || event.message.role !== "assistant") return undefined;
  const { finish, model } = event.message;
  return finish === undefined || finish === "interrupted" ? undefined : model;
}

/** Does nothing if the title has changed meanwhile, or the model finds none. @throws ModelError */
async function rename(
  { session, agents, openModel, facts, budget, closing }: NamingDeps,
  usual: ModelRef,
): Promise<void> {
  const { title } = session.chat.session;
  const [prompt] = session.chat.messages;
  if (!prompt) return;
  const { info, parts } = prompt;
  const agent = agents().find("title");
  const ref = modelOf(agent, usual, facts);
  if (!budget.permits({ model: ref, facts: facts.of(ref) })) return;
  const model = await openModel(ref);
  const signal = AbortSignal.any([closing, AbortSignal.timeout(patience)]);
  const words = ownWords(parts);
  const { id, sessionID } = info;
  const asked = english(
    `Name the conversation that begins with this message:\n\n${words.slice(0, shown).toWellFormed()}`,
  );
  const entry: Entry = { info, parts: [{ type: "text", id, sessionID, messageID: id, text: asked }] };
  const question = { agent, model, ref, facts, entry, asked, maxTokens: 1000, signal };
  const { text, tokens, estimated, cost, failure } = await askBriefly(question);
  await session.charge({
    model: ref,
    tokens,
    ...(estimated && { estimated: true }),
    ...(cost !== undefined && { cost }),
  });
  if (failure) throw failure;
  const made = titleFromPrompt(text)
    .replace(/^["'\u201c\u00ab]+/, "")
    .replace(/(?<!["'\u201d\u00bb.])["'\u201d\u00bb.]+$/, "");
  if (made !== "" && session.chat.session.title === title && !closing.aborted) await session.rename(made);
}
