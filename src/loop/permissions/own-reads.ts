/** Judges the files that Rondo reads on its own by the rules for the tool `read` (spec M1). */
import type { Rule } from "../../chat/requests.ts";
import { msg } from "../../l10n/l10n.ts";
import { judgePath, type RuledPath } from "./ruled-host.ts";
import { judge } from "./rules.ts";

/**
 * Returns why rules keep a path from being read unasked, as the end of a sentence. Rules that name no paths (`*`) are
 * about the tool alone. Modes do not count, so that a conversation begins alike in all of them.
 */
export function ruledOut(
  place: RuledPath,
  rules: { user: readonly Rule[]; workspace: readonly Rule[] },
): string | undefined {
  const book = { mode: "default", ...rules } as const;
  const { decision, rule } = judgePath(place, (need) => judge(need, "read", book));
  if (decision === "allow" || !rule || /^\*+$/.test(rule.pattern)) return undefined;
  return decision === "deny"
    ? msg("the rule `{0}` denies reading it", rule.pattern)
    : msg("the rule `{0}` asks before reading it", rule.pattern);
}
