/** What the panel says of rules, too, which does not bundle zod. */
import { msg } from "../l10n/l10n.ts";

/** Why a command asks that no rule is about. A card that lists its reasons need not say it. */
export const noRuleWords = msg("Asks because no rule allows it.");

/** How long and how far a rule of "Always allow" holds. */
export const ruleScopes = ["session", "workspace", "everywhere"] as const;
export type RuleScope = (typeof ruleScopes)[number];
