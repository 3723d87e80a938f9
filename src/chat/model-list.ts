/** Messages of the model picker: what the panel asks for, and what it lists. */
import * as z from "zod/mini";
import { type ThinkingLevel, thinkingLevels } from "./thinking.ts";

/** The picker's part of `ToHost`. */
export const modelListRequests = [
  /** Asks all providers for their models. Answered with `models`, now and as they answer, until `hide-models`. */
  z.object({ type: z.literal("show-models") }),
  z.object({ type: z.literal("hide-models") }),
  /** Asks a provider again that has not listed its models. */
  z.object({ type: z.literal("ask-provider"), providerID: z.string().check(z.maxLength(200)) }),
  /** Sets how much the model thinks, in the session on screen and in new ones. */
  z.object({ type: z.literal("set-thinking"), level: z.enum(thinkingLevels) }),
] as const;

/** All models that can be chosen, and what can be connected. Groups and models keep their order as answers arrive. */
export interface PickerList {
  groups: PickerGroup[];
  unconnected: UnconnectedProvider[];
  /** Providers that take any ID of a model. */
  openEnded: { providerID: string; name: string }[];
  /** Where local servers are: "on this computer", "on the remote machine (SSH: build-box)". */
  where: string;
  /** `levels`: those that the chosen model takes; none for models that do not think, or decide themselves. */
  thinking: { level: string; levels: ThinkingLevel[] };
}

export interface PickerGroup {
  /** Differs from those of all other groups. */
  id: string;
  providerID: string;
  name: string;
  /** `plan`: models of VS Code, which a subscription pays for. `found`: of a server that was found. */
  kind: "provider" | "plan" | "found";
  state:
    | { type: "listed" }
    | { type: "asking" }
    /** `problem`: a sentence. `remedy`: what may help. */
    | { type: "failed"; problem: string; remedy: "ask-again" | "set-key" | "type-id" };
  models: PickerModel[];
}

export interface PickerModel {
  modelID: string;
  label: string;
  /** In tokens; undefined where nobody knows it. */
  window: number | undefined;
  cost: ModelCost;
}

export type ModelCost =
  /** USD per million tokens. */
  { type: "usd"; input: number; output: number } | { type: "free" } | { type: "plan" } | { type: "unknown" };

export interface UnconnectedProvider {
  id: string;
  name: string;
  /** Names of its models, as far as they are known. */
  models: string[];
  /** What it takes: a key, or an address where its server runs. */
  needs: { type: "key" } | { type: "address"; usual: string };
}
