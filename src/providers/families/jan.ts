import { msg } from "../../l10n/l10n.ts";
import { type FoundModels, type ProbeGet, toModel } from "../local-servers/local-server.ts";
import { fields, list, text } from "../shared/answer-fields.ts";
import { templateRules } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

/** Serves models through llama.cpp. Its key is one that the user has made up (jan.ai/docs/local-api). */
export const jan: ProviderFamily = {
  name: "Jan",
  baseURL: "http://localhost:1337/v1",
  host: undefined,
  keyVariable: "JAN_API_KEY",
  urlVariable: "JAN_BASE_URL",
  keyPage: undefined,
  local: { find: findJan, start: msg("Jan: Settings, Local API Server, Start Server.") },
  chatRules: templateRules,
};

/** Describes itself to everybody, but tells its models only with the key (jan src-tauri/src/core/server/proxy.rs). */
async function findJan(get: ProbeGet): Promise<FoundModels | undefined> {
  const [description, listed] = await Promise.all(["/openapi.json", "/v1/models"].map(get));
  const title = text(fields(fields(description?.body)["info"])["title"]) ?? "";
  if (!/\bJan\b/.test(title)) return undefined;
  if (listed?.status === 401 || listed?.status === 403) return { models: [], needsKey: true };
  return { models: list(fields(listed?.body)["data"]).flatMap(({ id }) => toModel(id, () => undefined)) };
}
