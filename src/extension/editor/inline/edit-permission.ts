/** Whether Rondo may change a file because the user has asked for it at a place in it. Pure. */
import { t } from "../../../l10n/l10n.ts";
import { judge, type RuleBook } from "../../../loop/permissions/rules.ts";
import { requirementFor } from "../../../tools/file-access/requirements.ts";
import type { Location } from "../../../tools/host.ts";

export type EditPermission = { type: "allowed" } | { type: "ask" | "denied"; why: string };

/**
 * The user's wish answers what the mode alone would ask. What a rule denies or asks, and protected files, hold as for
 * the agent's own tools.
 */
export function editPermission(location: Location, book: RuleBook): EditPermission {
  if (book.mode === "plan") return { type: "denied", why: t("The mode is Plan: nothing is changed.") };
  const { relative, names, protection } = location;
  const { decision, rule, why } = judge(
    { ...requirementFor("edit", relative, relative, protection), names },
    "edit",
    book,
  );
  if (decision === "deny") return { type: "denied", why };
  const isOwnRule = [...book.user, ...book.workspace].some((one) => one === rule);
  return decision === "ask" && (protection !== "none" || isOwnRule) ? { type: "ask", why } : { type: "allowed" };
}
