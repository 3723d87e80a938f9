/** What Ollama says of a model, and the window that it is to load it with. Sizes in tokens. */
import type { ServerFacts } from "../catalog/server-facts.ts";
import { fields, list, size, text } from "../shared/answer-fields.ts";

/** GET /api/ps of Ollama: the window that a loaded model really has. */
export function readOllamaLoaded(answer: unknown, modelID: string): ServerFacts {
  const names = [modelID, `${modelID}:latest`];
  const found = list(fields(answer)["models"]).find(({ name, model }) =>
    names.includes(text(model) ?? text(name) ?? ""),
  );
  return { contextWindow: size(found?.["context_length"]) };
}

/** POST /api/show of Ollama: the largest window, and the one that the model's file sets, if any. */
export function readOllamaModel(answer: unknown): ServerFacts {
  const { model_info, capabilities, parameters } = fields(answer);
  const largest = Object.entries(fields(model_info)).find(([name]) => name.endsWith(".context_length"))?.[1];
  const set = size(Number(/^num_ctx\s+(\d+)/m.exec(text(parameters) ?? "")?.[1]));
  const can = (ability: string) => (Array.isArray(capabilities) ? capabilities.includes(ability) : undefined);
  return {
    contextWindow: set,
    largestWindow: size(largest),
    images: can("vision"),
    reasoning: can("thinking"),
  };
}

/** "Agents … should be set to at least 64000 tokens" (ollama docs/context-length); caches are kept in blocks of 256. */
const agentWindow = 65_536;

/** System prompt, tools and a reply take about 10,000. By default Ollama loads models with 4,096. */
const leastWindow = 16_384;

/** Part of this machine's memory that the cache of a window may take, beside the model itself. */
const cacheShare = 1 / 4;

interface WindowOptions {
  model: string;
  /** Memory of the server's machine, where it is known. */
  memoryBytes: number | undefined;
}

/**
 * `loaded` and `shown` are the answers of /api/ps and /api/show. The window that the model has is kept, because another
 * would load it anew, unless an agent cannot work in it. Else the one that its file sets counts, else what is
 * recommended for agents, as far as the model and the memory allow.
 */
export function ollamaWindow(loaded: unknown, shown: unknown, { model, memoryBytes }: WindowOptions): number {
  const { contextWindow: set, largestWindow: largest = Number.POSITIVE_INFINITY } = readOllamaModel(shown);
  // The cloud has all of the window, whatever is asked for (ollama docs/context-length).
  if (text(fields(shown)["remote_host"]) !== undefined && Number.isFinite(largest)) return largest;
  const { contextWindow: now = 0 } = readOllamaLoaded(loaded, model);
  if (now >= Math.min(leastWindow, largest)) return now;
  if (set !== undefined) return Math.min(set, largest);
  return Math.min(largest, agentWindow, Math.max(leastWindow, affordable(shown, memoryBytes)));
}

/** Returns the tokens whose keys and values fit into the memory; infinity where that is not known. */
function affordable(shown: unknown, memoryBytes: number | undefined): number {
  const bytes = cacheBytes(shown);
  if (bytes === undefined || memoryBytes === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor((memoryBytes * cacheShare) / bytes / 4096) * 4096;
}

/** Returns the bytes that a token takes in the cache: a key and a value of 16-bit numbers for each head of each layer. */
function cacheBytes(shown: unknown): number | undefined {
  const info = Object.entries(fields(fields(shown)["model_info"]));
  const find = (end: string) => info.find(([name]) => name.endsWith(end))?.[1];
  const layers = size(find(".block_count")) ?? 0;
  const heads = find(".attention.head_count_kv");
  // Models with several kinds of layers list the heads of each.
  const all = Array.isArray(heads)
    ? heads.reduce<number>((total, count) => total + (size(count) ?? 0), 0)
    : layers * (size(heads) ?? 0);
  const [embedding = 0, queries = 1] = [find(".embedding_length"), find(".attention.head_count")].map(size);
  const width = embedding / queries;
  const key = size(find(".attention.key_length")) ?? width;
  const value = size(find(".attention.value_length")) ?? width;
  const bytes = 2 * all * (key + value);
  return bytes > 0 ? bytes : undefined;
}
