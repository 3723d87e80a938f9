/** A model by Chat Completions with the rules of its server, as `openModel` opens it. */
import type { Model } from "../src/loop/model.ts";
import { chatRulesFor } from "../src/providers/families/server-rules.ts";
import { openaiModel as openChatModel } from "../src/providers/openai-chat/chat-model.ts";

interface ChatAccess {
  apiKey: string;
  baseURL?: string;
  providerID?: string;
}

export function openaiModel({
  baseURL = "https://api.openai.com/v1",
  providerID = "openai",
  ...access
}: ChatAccess): Model {
  return openChatModel({
    ...access,
    baseURL,
    providerID,
    rules: (model) => chatRulesFor(providerID, baseURL, model),
  });
}
