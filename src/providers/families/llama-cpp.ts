import { msg } from "../../l10n/l10n.ts";
import type { ServerFacts } from "../catalog/server-facts.ts";
import {
  type DescribedServer,
  type FoundModels,
  ownedBy,
  type ProbeGet,
  toModel,
} from "../local-servers/local-server.ts";
import { fields, flag, size } from "../shared/answer-fields.ts";
import { templateRules } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

export const llamaCpp: ProviderFamily = {
  name: "llama.cpp",
  baseURL: "http://localhost:8080/v1",
  host: undefined,
  keyVariable: "LLAMA_CPP_API_KEY",
  urlVariable: "LLAMA_CPP_BASE_URL",
  keyPage: undefined,
  local: {
    find: findLlamaCpp,
    describe: describeModel,
    start: msg("llama.cpp: run “llama-server”."),
  },
  chatRules: templateRules,
};

/** Its models belong to "llamacpp" (llama.cpp tools/server). A router has more than one, each with its own window. */
async function findLlamaCpp(get: ProbeGet): Promise<FoundModels | undefined> {
  const [listed, props] = await Promise.all(["/v1/models", "/props"].map(get));
  const models = ownedBy(listed?.body, "llamacpp");
  if (models.length === 0) return undefined;
  const facts = models.length === 1 ? readLlamaCppProps(props?.body) : {};
  return { models: models.flatMap(({ id }) => toModel(id, () => facts)) };
}

/** A router is asked for one of its models, and must not load it for that. */
async function describeModel({ get }: DescribedServer, model: string): Promise<ServerFacts> {
  return readLlamaCppProps(await get(`/props?model=${encodeURIComponent(model)}&autoload=false`));
}

/** GET /props of llama.cpp: the window of a slot, which is what a request gets. */
function readLlamaCppProps(answer: unknown): ServerFacts {
  const { default_generation_settings, modalities } = fields(answer);
  return {
    contextWindow: size(fields(default_generation_settings)["n_ctx"]),
    images: flag(fields(modalities)["vision"]),
  };
}
