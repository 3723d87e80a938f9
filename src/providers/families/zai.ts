import type { ThinkingLevel } from "../../chat/thinking.ts";
import { commonRules } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";

export const zai: ProviderFamily = {
  name: "Z.ai (GLM)",
  baseURL: "https://api.z.ai/api/paas/v4",
  host: /(^|\.)(z\.ai|bigmodel\.cn)$/,
  keyVariable: "ZAI_API_KEY",
  urlVariable: "ZAI_BASE_URL",
  keyPage: "https://z.ai/manage-apikey/apikey-list",
  keyForms: { own: /^[0-9a-f]{32}\.[A-Za-z0-9]{8,}$/ },
  defaultModel: "glm-5.3",
  catalog: "zai",
  isMaker: true,
  modelNames: /(^|\/)glm-/i,
  chatRules: (model) => ({
    ...commonRules(model),
    // More is a 400 (dev.to aihubmix, 2026-08-14).
    outputLimit: { field: "max_tokens", most: 131_072 },
    thinking: (level) => thinking(model, level),
    // Complete and unchanged, with each reply (docs.z.ai thinking-mode).
    thoughts: { type: "reasoning_content", with: "all-replies", placeholder: undefined },
    takesPDFs: false,
    // The reference knows `auto` alone.
    takesToolChoiceNone: false,
    // Arguments of calls come in pieces (pi-ai `zaiToolStream`).
    parameters: /glm-(4\.[7-9]|[5-9])/.test(model) ? { tool_stream: true } : {},
  }),
};

/** From 5.3 on it cannot be switched off; efforts: 5.2 high and max, 5.3 low, high and max (pi-ai). */
function thinking(model: string, level: ThinkingLevel): Record<string, unknown> {
  const [, version = "0"] = /glm-(\d+(?:\.\d+)?)/.exec(model) ?? [];
  const isAlways = Number(version) >= 5.3;
  if (level === "off" && !isAlways) return { thinking: { type: "disabled" } };
  const low = isAlways ? "low" : "high";
  const efforts = { off: low, low, medium: "high", high: "high" };
  const reasoning_effort = level === "default" || Number(version) < 5.2 ? undefined : efforts[level];
  // Keeps the thoughts of earlier turns, which is the default for coding plans only.
  return { thinking: { type: "enabled", clear_thinking: false }, ...(reasoning_effort && { reasoning_effort }) };
}
