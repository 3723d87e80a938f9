/** APIs that one provider alone has. */
import type { Model } from "../loop/model.ts";
import type { ServerFacts } from "./catalog/server-facts.ts";
import type { ChatRules } from "./families/chat-rules.ts";
import type { ApiKey } from "./shared/connection.ts";

/** `NAME` has its model in `src/providers/NAME/NAME-model.ts`, which is a bundle of its own. */
export const nativeApis = ["ollama"] as const;
export type NativeApi = (typeof nativeApis)[number];

/** A server that is asked through one of them. */
export interface NativeServer {
  /** "none" for none, which a server of one's own may ignore. */
  apiKey: ApiKey;
  /** With or without /v1. */
  baseURL: string;
  providerID: string;
  /** The server's name in messages. */
  name: string;
  /** Environment variable of the key, which errors name. */
  keyVariable: string;
  headers: Readonly<Record<string, string>>;
  /** Rules of Chat Completions for a model, as far as they hold here, too. */
  rules: (model: string) => ChatRules;
  /** Asks what the server knows of a model: the window to load it with where a request names none. Never rejects. */
  ask(model: string): Promise<ServerFacts>;
  /** Opens the server as one of Chat Completions, for those that do not know this API. */
  openCompatible(): Promise<Model>;
}
