/** A provider: its address, where its key comes from, and the rules that it keeps. */
import type { KeyVariable } from "../../base/key-variables.ts";
import type { LocalServerKind } from "../local-servers/local-server.ts";
import type { NativeApi } from "../native-apis.ts";
import type { ResponsesRulesOf } from "../openai-responses/responses-rules.ts";
import type { ChatRules } from "./chat-rules.ts";
import type { MessagesServer } from "./messages-rules.ts";

/** What is known of each provider. `npm run docs` writes the manifest, tables in documents and the names of keys from it. */
export interface Provider {
  name: string;
  /** Undefined for servers without a usual address. */
  readonly baseURL: string | undefined;
  /** What an address of its own looks like, where there is no usual one. */
  addressExample?: string;
  keyVariable: KeyVariable;
  /** Variables in which other programs keep a key of this provider. */
  otherKeyVariables?: readonly string[];
  /** Whether commands have the same key under a name of its own, such as GITHUB_TOKEN, and need it: an account's token. */
  hasAccountToken?: true;
  keyForms?: KeyForms;
  /** Environment variable of another address. */
  urlVariable: string;
  /** Where users get a key; undefined for local servers. */
  keyPage: string | undefined;
  /** Where users add credit, if that is not at `keyPage`. */
  creditPage?: string;
  /** The model with which it is used until the user chooses another; `npm run check` sees that it is not outdated. */
  defaultModel?: string;
  /** Where models and prices for the catalogue come from: its name in both sources, or more. */
  catalog?: string | CatalogSource;
  /** Whether it has models of its own, which gateways serve under its names or like "maker/name". */
  isMaker?: true;
  /** A provider whose models it serves, too, by that one's names. */
  alsoServes?: string;
  /** For docs/models.md: what its row says instead of the name, and the section that has more. */
  documented?: { as?: string; section?: string };
}

/** By which a key that is pasted tells whose it is. */
export interface KeyForms {
  /** No other provider's keys are like this. */
  own?: RegExp;
  /** Others have such keys, too; where `likely`, this provider is named before those that are only `possible`. */
  likely?: RegExp;
  possible?: RegExp;
}

/** For scripts/catalog.mjs. */
interface CatalogSource {
  /** Its name in the data of @earendil-works/pi-ai. */
  models: string;
  /** Its name in @pydantic/genai-prices, with which prices are compared. */
  prices?: string;
  /** Selects models by id. */
  takes?: RegExp;
}

/** A provider that is asked with OpenAI's APIs, or one of its own. */
export interface ProviderFamily extends Provider {
  /** Hosts that this family serves, whatever the provider is called. */
  host: RegExp | undefined;
  /** Names of its models: an unknown server that has one of them follows its rules. */
  modelNames?: RegExp;
  /** Header of a key; tokens that are renewed, and keys of all others, are sent as `authorization: Bearer`. */
  keyHeader?: "api-key";
  /** Returns the scope of a token of a Microsoft account that the server at an address takes instead of a key. */
  microsoftScope?: (address: URL) => string | undefined;
  /** Rules of Chat Completions for a model. */
  chatRules: (model: string) => ChatRules;
  /** For servers that run on the user's machine, which need no key. */
  local?: LocalServerKind;
  /** An API of the provider's own, where it is the better one. */
  native?: NativeApi;
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
