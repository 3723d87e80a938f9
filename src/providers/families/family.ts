/** A provider: its address, where its key comes from, and the rules that it keeps. */
import type { KeyVariable } from "../../base/key-names.ts";
import type { ResponsesRulesOf } from "../openai-responses/responses-rules.ts";
import type { MessagesServer } from "./anthropic.ts";
import type { ChatRules } from "./chat-rules.ts";

export interface ProviderFamily {
  name: string;
  /** Undefined for servers without a usual address. */
  readonly baseURL: string | undefined;
  /** Hosts that this family serves, whatever the provider is called. */
  host: RegExp | undefined;
  keyVariable: KeyVariable;
  /** Environment variable of another address. */
  urlVariable: string;
  /** Where users get a key; undefined for local servers. */
  keyPage: string | undefined;
  /** Where users add credit, if that is not at `keyPage`. */
  creditPage?: string;
  /** Header of a key; tokens that are renewed, and keys of all others, are sent as `authorization: Bearer`. */
  keyHeader?: "api-key";
  /** Returns the scope of a token of a Microsoft account that the server at an address takes instead of a key. */
  microsoftScope?: (address: URL) => string | undefined;
  /** Rules of Chat Completions for a model. */
  chatRules: (model: string) => ChatRules;
  /** An API of the provider's own, where it is the better one. */
  native?: "ollama";
  /** Rules of the Responses API, where it is the better one: under addresses whose path is like this, for these models. */
  responses?: { path: RegExp; models?: RegExp; rules: ResponsesRulesOf };
  /** Address of the list of models, where it is not /models below the given address. */
  modelList?: (baseURL: string) => string;
  /** Where and how a model is asked below an address; absent where the address says it all. */
  route?: (baseURL: string, asked: AskedModel) => ModelRoute;
}

/** `name`: what the server calls it, such as the name of a deployment. `model`: which model that is. */
export interface AskedModel {
  name: string;
  model: string;
}

export type ModelRoute =
  /** `server`: how it is asked, if not as Anthropic's own. */
  | { api: "messages"; baseURL: string; server?: MessagesServer }
  /** `name`: what the server calls the model, where Rondo's name for it is another. */
  | { api: "openai"; baseURL: string; name?: string };
