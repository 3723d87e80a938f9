import { totalmem } from "node:os";
import { msg } from "../../l10n/l10n.ts";
import { mergeFacts, type ServerFacts } from "../catalog/server-facts.ts";
import { type DescribedServer, type FoundModels, type ProbeGet, toModel } from "../local-servers/local-server.ts";
import { ollamaWindow, readOllamaLoaded, readOllamaModel } from "../ollama/ollama-facts.ts";
import { fields, list, text } from "../shared/answer-fields.ts";
import { commonRules } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";
import { plainSchema } from "./schema.ts";

export const ollama: ProviderFamily = {
  name: "Ollama",
  baseURL: "http://localhost:11434/v1",
  host: undefined,
  keyVariable: "OLLAMA_API_KEY",
  urlVariable: "OLLAMA_BASE_URL",
  keyPage: undefined,
  local: {
    find: findOllama,
    describe: describeModel,
    start: msg("Ollama: open the app, or run “ollama serve”."),
    pull: { command: "ollama pull qwen3-coder:30b", size: "19 GB", memory: "24 GB" },
  },
  // /v1 takes no window and cuts what is beyond it (docs/api/openai-compatibility; vscode#255164).
  native: "ollama",
  chatRules: (model) => ({
    ...commonRules(model),
    takesPDFs: false,
    // Keywords that its types do not have are dropped, references among them (ollama#11444); others are a 400 (#18051).
    schema: (schema) => plainSchema(schema, { emptyObjects: true }),
  }),
};

/** llama.cpp has /api/tags, too, but no /api/version (llama.cpp tools/server). */
async function findOllama(get: ProbeGet): Promise<FoundModels | undefined> {
  const paths = ["/api/version", "/api/tags", "/api/ps"];
  const [version, tags, loaded] = await Promise.all(paths.map(get));
  const { models } = fields(tags?.body);
  if (text(fields(version?.body)["version"]) === undefined || models === undefined) return undefined;
  // A model that only embeds has the architecture of BERT or says so (ollama docs/api.md).
  const talks = list(models).filter(({ details, capabilities }) => {
    const isBert = /bert/.test(text(fields(details)["family"]) ?? "");
    return !isBert && (!Array.isArray(capabilities) || capabilities.includes("completion"));
  });
  // The first one is used until the user chooses: an agent needs tools.
  const callsTools = ({ capabilities }: Record<string, unknown>) =>
    Array.isArray(capabilities) && capabilities.includes("tools") ? 0 : 1;
  talks.sort((a, b) => callsTools(a) - callsTools(b));
  return { models: talks.flatMap(({ name }) => toModel(name, (id) => readOllamaLoaded(loaded?.body, id))) };
}

async function describeModel(server: DescribedServer, model: string): Promise<ServerFacts> {
  const { get, isNamed, setsWindow, isHere } = server;
  const asked = get("/api/ps");
  // An unknown server that answers any POST as if it were a prompt must not get this one.
  if (!isNamed && !Array.isArray(fields(await asked)["models"])) return {};
  const [loaded, shown] = await Promise.all([asked, get("/api/show", { model })]);
  const facts = mergeFacts([readOllamaLoaded(loaded, model), readOllamaModel(shown)]);
  if (!setsWindow || shown === undefined) return facts;
  const contextWindow = ollamaWindow(loaded, shown, { model, memoryBytes: isHere ? totalmem() : undefined });
  return { ...facts, contextWindow };
}
