/** The card of each kind of question. */
import type { Component } from "svelte";
import type { RequestOf, UserRequest } from "../../src/chat/requests.ts";
import { t } from "../../src/l10n/l10n.ts";
import BudgetCard from "./BudgetCard.svelte";
import ChoicesCard from "./ChoicesCard.svelte";
import LoopCard from "./LoopCard.svelte";
import PermissionCard from "./PermissionCard.svelte";
import PlanCard from "./PlanCard.svelte";

interface Card<R extends UserRequest> {
  /** `cwd`: the folder of the session. */
  component: Component<{ request: R; cwd: string }>;
  /** What the keys do that confirm and dismiss. */
  keys: readonly [confirm: string, dismiss: string];
}

const cards: { [Kind in UserRequest["kind"]]: Card<RequestOf<Kind>> } = {
  permission: { component: PermissionCard, keys: [t("allow"), t("deny")] },
  choices: { component: ChoicesCard, keys: [t("answer"), t("skip")] },
  plan: { component: PlanCard, keys: [t("build"), t("keep planning")] },
  budget: { component: BudgetCard, keys: [t("continue"), t("stop")] },
  loop: { component: LoopCard, keys: [t("continue"), t("stop")] },
};

export function cardOf({ kind }: UserRequest): Card<UserRequest> {
  return cards[kind] as Card<UserRequest>; // TypeScript does not relate a question to its card
}
