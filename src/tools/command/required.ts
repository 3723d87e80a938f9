/** The permissions that one command requires. */
import type { PermissionRequirement } from "../tool.ts";

/** Keeps the order of the command, without duplicates. */
export class RequiredPermissions {
  readonly #required = new Map<string, PermissionRequirement>();

  get all(): PermissionRequirement[] {
    return [...this.#required.values()];
  }

  add(added: PermissionRequirement): void {
    const key = `${added.permission} ${added.pattern}`;
    const before = this.#required.get(key);
    const isStricter = before?.protection === "none" && added.protection !== "none";
    if (!before || isStricter || added.match === "exact") this.#required.set(key, added);
  }
}

/** Only a rule with exactly this text allows it, not a pattern that happens to have the same text, such as `find *`. */
export function exactRequirement(text: string, effect: string): PermissionRequirement {
  const pattern = /^[^*]*\*$/.test(text) ? `${text.slice(0, -1)}\\*` : text;
  return { permission: "bash", pattern, suggestedRule: undefined, match: "exact", protection: "none", effect };
}
