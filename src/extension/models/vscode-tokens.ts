/** Tokens of requests to VS Code's models: reported by the model's extension, else counted by the model's own tokenizer. */
import type * as vscode from "vscode";
import * as z from "zod/mini";
import { parseJson } from "../../base/json.ts";
import type { Tokens } from "../../chat/message.ts";
import { noTokens } from "../../chat/token-counts.ts";
import type { ModelRequest } from "../../loop/model.ts";
import { contentText } from "./vscode-request.ts";

/** How long the end of a reply waits for the counts. */
const patienceMs = 300;

/** A tokenizer that says less or more than this for a character counts something else: some extensions answer 0 or 1. */
const plausible = { least: 0.08, most: 3 };

/** Each text is counted once: entries stay as they are, and only the newest are not known yet. */
const counts = new WeakMap<object, Map<string, Promise<Counted>>>();

interface Counted {
  tokens: number;
  characters: number;
}

/**
 * Begins to count, while the model answers. The result takes the reply's text, and resolves soon: with undefined where
 * the model's extension does not count, or not in time.
 */
export function countRequest(model: vscode.LanguageModelChat, { system, tools, entries }: ModelRequest) {
  const count = (of: object, name: string, text: () => string) => {
    const known = counts.get(of) ?? new Map<string, Promise<Counted>>();
    counts.set(of, known);
    const key = `${model.id} ${name}`;
    const counted = known.get(key) ?? countText(model, text());
    known.set(key, counted);
    counted.catch(() => known.delete(key));
    return counted;
  };
  const parts = [
    count(tools, system, () => `${system}\n${JSON.stringify(tools)}`),
    ...entries.map((entry) => count(entry, "", () => contentText(entry))),
  ];
  const counting = Promise.all(parts);
  // It may never be awaited.
  counting.catch(() => undefined);
  return async (reply: string): Promise<Tokens | undefined> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), patienceMs);
    });
    try {
      const all = await Promise.race([Promise.all([counting, countText(model, reply)]), late]);
      if (!all) return undefined;
      const [before, output] = all;
      const input = before.reduce((sum, { tokens }) => sum + tokens, 0);
      const characters = before.reduce((sum, one) => sum + one.characters, 0);
      const isPlausible = input >= plausible.least * characters && input <= plausible.most * characters;
      return isPlausible ? { ...noTokens, input, output: output.tokens } : undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
}

async function countText(model: vscode.LanguageModelChat, text: string): Promise<Counted> {
  const tokens = text === "" ? 0 : await model.countTokens(text);
  if (!Number.isFinite(tokens) || tokens < 0) throw new Error("no count");
  return { tokens: Math.ceil(tokens), characters: text.length };
}

/** A part of a reply that reports what it took. [microsoft/vscode-copilot-chat src/platform/endpoint/common/endpointTypes.ts] */
const usageMime = "usage";

const Count = z._default(z.number().check(z.gte(0)), 0);
const Usage = z.object({
  prompt_tokens: z.number().check(z.gt(0)),
  completion_tokens: Count,
  prompt_tokens_details: z.optional(z.object({ cached_tokens: Count })),
  completion_tokens_details: z.optional(z.object({ reasoning_tokens: Count })),
});

/** Returns undefined for parts that report nothing, or nothing that can be read. */
export function reportedUsage({ mimeType, data }: vscode.LanguageModelDataPart): Tokens | undefined {
  if (mimeType !== usageMime) return undefined;
  const { success, data: usage } = Usage.safeParse(parseJson(new TextDecoder().decode(data)));
  if (!success) return undefined;
  const cacheRead = Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, usage.prompt_tokens);
  return {
    ...noTokens,
    input: usage.prompt_tokens - cacheRead,
    output: usage.completion_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    cacheRead,
  };
}
