import { msg } from "../../l10n/l10n.ts";
import { readListedModel } from "../catalog/server-facts.ts";
import { type FoundModels, ownedBy, type ProbeGet, toModel } from "../local-servers/local-server.ts";
import { templateRules } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

export const vllm: ProviderFamily = {
  name: "vLLM",
  baseURL: "http://localhost:8000/v1",
  host: undefined,
  keyVariable: "VLLM_API_KEY",
  urlVariable: "VLLM_BASE_URL",
  keyPage: undefined,
  local: { find: findVllm, start: msg("vLLM: run “vllm serve”.") },
  chatRules: templateRules,
};

/** Its models belong to "vllm" (vllm entrypoints/openai/protocol.py). */
async function findVllm(get: ProbeGet): Promise<FoundModels | undefined> {
  const listed = await get("/v1/models");
  const models = ownedBy(listed?.body, "vllm");
  if (models.length === 0) return undefined;
  return { models: models.flatMap(({ id }) => toModel(id, (name) => readListedModel(listed?.body, name))) };
}
