import { msg } from "../../l10n/l10n.ts";
import type { ServerFacts } from "../catalog/server-facts.ts";
import { type DescribedServer, type FoundModels, type ProbeGet, toModel } from "../local-servers/local-server.ts";
import { fields, flag, list, size, text } from "../shared/answer-fields.ts";
import { commonRules } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

export const lmStudio: ProviderFamily = {
  name: "LM Studio",
  baseURL: "http://localhost:1234/v1",
  host: undefined,
  keyVariable: "LM_STUDIO_API_KEY",
  urlVariable: "LM_STUDIO_BASE_URL",
  keyPage: undefined,
  local: {
    find: findLMStudio,
    describe: describeModel,
    start: msg("LM Studio: Developer, then Start Server."),
  },
  chatRules: (model) => ({ ...commonRules(model), takesPDFs: false }),
};

/** lmstudio.ai/docs/developer/rest: /api/v1 since 0.4, before that /api/v0. All else is answered with an error and 200. */
async function findLMStudio(get: ProbeGet): Promise<FoundModels | undefined> {
  const [newer, older] = await Promise.all(["/api/v1/models", "/api/v0/models"].map(get));
  const talks = ({ type }: Record<string, unknown>) => type === "llm" || type === "vlm";
  const keys = list(fields(newer?.body)["models"]).filter(talks);
  const ids = list(fields(older?.body)["data"]).filter(talks);
  const isKnown = keys.length > 0 || ids.length > 0;
  if (!isKnown) return undefined;
  const names = keys.length > 0 ? keys.map(({ key }) => key) : ids.map(({ id }) => id);
  const answer = keys.length > 0 ? newer : older;
  return { models: names.flatMap((name) => toModel(name, (id) => readLMStudioModel(answer?.body, id))) };
}

async function describeModel({ get }: DescribedServer, model: string): Promise<ServerFacts> {
  const newer = readLMStudioModel(await get("/api/v1/models"), model);
  return newer ?? readLMStudioModel(await get("/api/v0/models"), model) ?? {};
}

/** GET /api/v1/models of LM Studio, or /api/v0/models of versions before 0.4. */
function readLMStudioModel(answer: unknown, modelID: string): ServerFacts | undefined {
  const { models, data } = fields(answer);
  const newer = list(models).find(
    ({ key, loaded_instances }) => key === modelID || list(loaded_instances).some(({ id }) => id === modelID),
  );
  if (newer) {
    const loaded = list(newer["loaded_instances"]);
    const instance = loaded.find(({ id }) => id === modelID) ?? loaded[0];
    return {
      label: text(newer["display_name"]),
      contextWindow: size(fields(instance?.["config"])["context_length"]),
      largestWindow: size(newer["max_context_length"]),
      images: flag(fields(newer["capabilities"])["vision"]),
    };
  }
  const older = list(data).find(({ id }) => id === modelID);
  if (!older) return undefined;
  return {
    contextWindow: size(older["loaded_context_length"]),
    largestWindow: size(older["max_context_length"]),
    images: older["type"] === undefined ? undefined : older["type"] === "vlm",
  };
}
