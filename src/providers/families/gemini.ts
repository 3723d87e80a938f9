import { commonRules, dummySignature, effort } from "./chat-rules.ts";
import type { ProviderFamily } from "./family.ts";
import { plainSchema } from "./schema.ts";

export const gemini: ProviderFamily = {
  name: "Google Gemini",
  baseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
  host: /(^|\.)generativelanguage\.googleapis\.com$/,
  keyVariable: "GEMINI_API_KEY",
  urlVariable: "GEMINI_BASE_URL",
  keyPage: "https://aistudio.google.com/apikey",
  // The name that Google's own tools read, too (ai.google.dev api-key).
  otherKeyVariables: ["GOOGLE_API_KEY"],
  // github.com/gitleaks/gitleaks config
  keyForms: { own: /^(AIza|AQ\.)/ },
  defaultModel: "gemini-4-argon",
  catalog: { models: "google", prices: "google", takes: /^gemini-(?!.*(robotics|computer-use))/ },
  isMaker: true,
  modelNames: /(^|\/)gemini-/i,
  chatRules: (model) => ({
    ...commonRules(model),
    // 2.5 Flash alone can be switched off; Flash has minimal, Pro begins at low (pi-ai).
    thinking(level) {
      const least = /2\.5-flash/.test(model) ? "none" : /gemini-3(\.[1-6])?-flash/.test(model) ? "minimal" : "low";
      return effort(level, { off: least, low: "low", medium: "medium", high: "high" });
    },
    // The first call of each step needs one (ai.google.dev thought-signatures).
    thoughts: { type: "call-signatures", dummy: dummySignature },
    takesPDFs: false,
    // Refused: opencode#2687, gptel#806, zed#44875, copilot-cli#4155.
    schema: (schema) => plainSchema(schema, { emptyObjects: false }),
  }),
};
