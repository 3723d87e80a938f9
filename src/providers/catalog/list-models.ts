/** Asks a server for all of its models that can hold a conversation with tools. */
import { msg } from "../../l10n/l10n.ts";
import { fields, isShowable, list, text } from "../shared/answer-fields.ts";
import { askJson } from "../shared/ask-json.ts";
import type { ServerAddress } from "./ask-server.ts";
import { readAnthropicModel, readListEntry, type ServerFacts } from "./server-facts.ts";

export interface ListedModel {
  modelID: string;
  facts: ServerFacts;
}

/** `problem`: a sentence for the user. `said`: the server's own words, empty if it had none. */
export type ModelList =
  | { type: "listed"; models: ListedModel[] }
  | { type: "failed"; reason: "no-answer" | "refused" | "no-list"; said: string; problem: string };

interface ListAddress extends Omit<ServerAddress, "providerID"> {
  /** Whether the server has Anthropic's API. */
  speaksMessages: boolean;
  /** Address of the list; undefined for the usual one. */
  listURL: string | undefined;
}

/** Never rejects. The answer is untrusted. */
export async function listModels(
  { baseURL, apiKey, speaksMessages, listURL }: ListAddress,
  signal: AbortSignal,
): Promise<ModelList> {
  const base = baseURL.replace(/(?<!\/)\/+$/, "");
  const bearer = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  // Lists of Anthropic come in pages of 20 (platform.claude.com api/models/list).
  const [url, headers] = speaksMessages
    ? [
        `${base.replace(/\/v1$/, "")}/v1/models?limit=1000`,
        { "anthropic-version": "2023-06-01", ...(apiKey === undefined ? {} : { "x-api-key": apiKey }) },
      ]
    : [listURL ?? `${base}/models`, bearer];
  const answer = await askJson(url, { headers, signal });
  const { host } = new URL(base);
  if (answer === undefined) {
    return {
      type: "failed",
      reason: "no-answer",
      said: "",
      problem: msg("{0} did not answer. Check that it runs.", host),
    };
  }
  const { status, body } = answer;
  const said = wordsOf(body, apiKey);
  if (status === 401 || status === 403) {
    return {
      ...{ type: "failed", reason: "refused", said },
      problem:
        apiKey === undefined
          ? msg("{0} needs a key. Use “Rondo: Set API Key…”.", host)
          : msg("{0} refuses the key. Use “Rondo: Set API Key…”.", host),
    };
  }
  const entries = Array.isArray(body) ? body : fields(body)["data"];
  if (status !== 200 || !Array.isArray(entries)) {
    return {
      type: "failed",
      reason: "no-list",
      said,
      problem: msg("{0} does not list its models. Type the ID of one.", host),
    };
  }
  const read = speaksMessages ? readAnthropicModel : readListEntry;
  const models = list(entries).flatMap((entry): ListedModel[] => {
    // Gemini's IDs are paths, "models/gemini-4-argon", but requests take the name alone (ai.google.dev openai).
    const modelID = text(entry["id"])?.replace(/^models\//, "");
    return modelID !== undefined && isShowable(modelID) && isForChats(entry, modelID)
      ? [{ modelID, facts: read(entry) }]
      : [];
  });
  return { type: "listed", models: models.slice(0, maxModels) };
}

/** Returns what a server says of an error, in one line and without the key. */
function wordsOf(body: unknown, apiKey: string | undefined): string {
  const [first] = [body].flat();
  const { error, message, detail } = fields(first);
  const [inner] = [error].flat();
  const said = text(fields(inner)["message"]) ?? text(inner) ?? text(message) ?? text(detail) ?? "";
  const shown = apiKey !== undefined && apiKey.length >= 8 ? said.replaceAll(apiKey, "…") : said;
  return shown.replace(/\s+/g, " ").trim().slice(0, 300);
}

/** OpenRouter lists some 400. */
const maxModels = 2_000;

/**
 * OpenRouter tells what a model puts out and whether it takes tools, Mistral its abilities, Together and LM Studio its
 * type. OpenAI, Gemini, Groq and xAI list all they have, so a name has to tell.
 */
function isForChats(entry: Record<string, unknown>, modelID: string): boolean {
  const { output_modalities } = fields(entry["architecture"]);
  const { supported_parameters, capabilities, type } = entry;
  const { completion_chat, function_calling } = fields(capabilities);
  if (Array.isArray(output_modalities) && !output_modalities.includes("text")) return false;
  // GitHub lists abilities by name.
  if (Array.isArray(capabilities) && !capabilities.includes("tool-calling")) return false;
  if (Array.isArray(supported_parameters) && !supported_parameters.includes("tools")) return false;
  if (completion_chat === false || function_calling === false) return false;
  if (typeof type === "string" && otherTypes.test(type)) return false;
  return !otherNames.test(modelID);
}

const otherTypes = /^(embeddings?|image|audio|video|rerank|moderation|transcribe)$/;
const otherNames =
  /embed|whisper|transcribe|\btts\b|speech|audio|realtime|\blive\b|dall-e|imagen|image|imagine|\bveo\b|sora|video|lyria|moderation|rerank|guard|\bocr\b|\baqa\b|babbage|davinci|instruct-\d{4}$|-search-|computer-use|robotics/i;
