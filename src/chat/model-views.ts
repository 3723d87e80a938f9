/** What the panel shows of models: which there are, where their keys come from, and whether one is ready. */
import type { Connectable } from "./connect.ts";

export interface ModelChoice {
  providerID: string;
  modelID: string;
  label: string;
  /** "Anthropic", "OpenAI", "localhost:11434" */
  group: string;
  /** "$3 / $15" per million tokens in and out; undefined when unknown. */
  price: string | undefined;
  /** Whether it takes images; undefined if that is not known. */
  images: boolean | undefined;
  /** Unknown facts: "window unknown, 128k assumed; price unknown". */
  unknown?: string;
}

/** Where a key and credit for a provider come from. */
export interface AccountView {
  providerID: string;
  name: string;
  takesKey: boolean;
  /** Whether it has a page where credit is added. */
  hasCreditPage: boolean;
  /** Whether the user has given its address, as those of servers of their own. */
  isOwnServer: boolean;
}

export type Readiness =
  | { type: "ready" }
  /** A fixed script answers, over the sample workspace. */
  | { type: "tour" }
  | ({ type: "no-key" } & Connectable);
