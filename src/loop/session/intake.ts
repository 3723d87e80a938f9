/** Validates and stores prompts: an invalid one is rejected before anything is stored (spec P). */

import { newID } from "../../base/ids.ts";
import { type Chat, findEntry } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import type { UserMessage } from "../../chat/message.ts";
import type { PromptInput, PromptPart } from "../../chat/prompt-input.ts";
import { ownWords } from "../../chat/words.ts";
import { english, msg } from "../../l10n/l10n.ts";
import type { AgentCatalog } from "../agents/agents.ts";
import { visibleEntries } from "../context/context.ts";
import type { Limits } from "../limits.ts";
import { type Choices, modelOf, presentMode } from "../setup/agent-config.ts";
import type { FactSource } from "../setup/model-facts.ts";
import { planNote, promptNote } from "../setup/topics.ts";
import { IntakeError } from "./intake-error.ts";
import { titleFromPrompt } from "./title.ts";

interface PromptChecks {
  chat: Chat;
  agents: AgentCatalog;
  choices: Choices;
  limits: Pick<Limits, "maxPromptBytes">;
}

/** @throws IntakeError */
export function checkPrompt(input: PromptInput, { chat, agents, choices, limits }: PromptChecks): void {
  const { messageID, parts } = input;
  agents.find(input.agent ?? choices.agent);
  if (messageID !== undefined && findEntry(chat, messageID)) {
    throw new IntakeError("prompt-invalid", msg("There is a message {0} already.", messageID));
  }
  if (parts.every(isBlank))
    throw new IntakeError("prompt-invalid", msg("The message is empty. Write what you want done."));
  for (const part of parts) {
    if (part.type === "agent") agents.find(part.name);
    if (part.type === "subtask") agents.find(part.agent);
  }
  const size = parts.reduce((sum, part) => sum + bytesOf(textOf(part)), 0);
  if (size <= limits.maxPromptBytes) return;
  const kib = (bytes: number, digits: number) => english(`${Number((bytes / 1024).toFixed(digits))} KiB`);
  throw new IntakeError(
    "prompt-invalid",
    msg(
      "The message is {0} long; the limit is {1}. Put the text into a file and attach that.",
      kib(Math.ceil(size / 1024) * 1024, 0),
      kib(limits.maxPromptBytes, 2),
    ),
  );
}

/** Size in UTF-8. */
function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function isBlank(part: PromptPart): boolean {
  return part.type === "text" && (part.text.trim() === "" || part.synthetic === true || part.ignored === true);
}

function textOf(part: PromptPart): string {
  if (part.type === "subtask") return part.prompt;
  if (part.type === "comment") return part.text;
  return part.type === "text" ? part.text : "";
}

interface IntakeDeps {
  chat: Chat;
  agents: AgentCatalog;
  choices: Choices;
  facts: FactSource;
  emit(event: ChatEvent): void;
}

/** Turns the prompt into a message of the chat. @throws IntakeError if its agent no longer exists */
export function storePrompt(
  input: Omit<PromptInput, "noReply">,
  { chat, agents, choices, facts, emit }: IntakeDeps,
): void {
  const agent = agents.find(input.agent ?? choices.agent);
  const message: UserMessage = {
    id: input.messageID ?? newID("msg"),
    sessionID: chat.session.id,
    createdAt: Date.now(),
    role: "user",
    agent: agent.name,
    model: input.model ?? modelOf(agent, choices.model, facts),
    ...(input.system !== undefined && { system: input.system }),
    ...(input.variant !== undefined && { variant: input.variant }),
    ...(input.tools && { tools: input.tools }),
  };
  if (chat.messages.length === 0) {
    const title = titleFromPrompt(ownWords(input.parts)) || chat.session.title;
    emit({ type: "session", session: { ...chat.session, title } });
  }
  const note = promptNote(presentMode(choices), chat.told);
  emit({ type: "message", message });
  const base = () => ({ id: newID("prt"), sessionID: message.sessionID, messageID: message.id });
  for (const part of note) emit({ type: "part", part: { type: "text", ...part, ...base() } });
  for (const part of input.parts) {
    if (part.type === "text" && part.text.trim() === "") continue;
    const stored = part.type === "agent" ? subtaskFor(part.name, input.parts) : part;
    emit({ type: "part", part: { ...stored, ...base() } });
  }
}

/** Passes a prompt's text and file names to the agent that it mentions (L6). */
function subtaskFor(agent: string, parts: readonly PromptPart[]): Extract<PromptPart, { type: "subtask" }> {
  const files = parts.flatMap((part) => (part.type === "file" ? [part.filename] : []));
  const attached = files.length === 0 ? "" : english(`\n\nFiles that the user attached: ${files.join(", ")}`);
  const text = ownWords(parts);
  return { type: "subtask", agent, description: titleFromPrompt(text) || agent, prompt: text + attached };
}

/** Whether the mode was Plan when the user sent the last prompt. */
export function wasPlanMode(chat: Chat): boolean {
  if (chat.prefix) return chat.told["mode"] === "plan";
  // Version 0.4.0 told date and mode in one sentence.
  const texts = visibleEntries(chat).flatMap(({ parts }) => parts.filter((part) => part.type === "text"));
  const note = texts.findLast(({ text, synthetic }) => synthetic && text.startsWith("Today is "));
  return note?.text.includes(planNote) ?? false;
}
