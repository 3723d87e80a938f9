/** Titles of sessions: first from the prompt, later from the model (spec L5). */
import type { Entry } from "../../chat/apply.ts";
import { ownWords } from "../../chat/words.ts";
import type { Agent } from "../agents/agents.ts";
import type { Model } from "../model.ts";

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

interface TitleRequest {
  model: Model;
  modelID: string;
  agent: Agent;
  prompt: Entry;
  closing: AbortSignal;
}

/** Returns "" when the model finds none. @throws ModelError */
export async function askForTitle({ model, modelID, agent, prompt, closing }: TitleRequest): Promise<string> {
  const { info, parts } = prompt;
  const signal = AbortSignal.any([closing, AbortSignal.timeout(patience)]);
  const words = ownWords(parts);
  const { id, sessionID } = info;
  const asked = `Name the conversation that begins with this message:\n\n${words.slice(0, shown).toWellFormed()}`;
  const entries: Entry[] = [{ info, parts: [{ type: "text", id, sessionID, messageID: id, text: asked }] }];
  const request = {
    model: modelID,
    system: agent.prompt,
    entries,
    tools: [],
    toolUse: "none",
    temperature: agent.temperature,
    options: agent.options,
    onBytes: () => undefined,
    maxTokens: 1000,
    thinking: "off",
    signal,
  } as const;
  let text = "";
  for await (const event of model.stream(request)) {
    if (event.type === "text-delta") text += event.text;
    if (event.type === "error") throw event.error;
  }
  return titleFromPrompt(text).replace(/^["'“«]+|["'”».]+$/g, "");
}
