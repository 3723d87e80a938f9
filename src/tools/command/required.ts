/** The permissions that one command requires. */
import type { TextRange } from "../../chat/requests.ts";
import type { PermissionRequirement } from "../tool.ts";
import { type PartOfCommand, restrictionOf } from "./restrictions.ts";
import { shownSecrets } from "./shown-secrets.ts";

/** Keeps the order of the command, without duplicates. */
export class RequiredPermissions {
  readonly #required = new Map<string, PermissionRequirement>();
  readonly #command: string;
  /** The place of what is being added; undefined if it is not known. */
  at: TextRange | undefined;

  constructor(command: string) {
    this.#command = command;
  }

  get all(): PermissionRequirement[] {
    return [...this.#required.values()];
  }

  /** `runs`: what a part of the command runs. */
  add(added: PermissionRequirement, runs: PartOfCommand = { words: [], runsAnything: false }): void {
    const shown = added.permission === "bash" && shownSecrets(runs.words, added.pattern, runs.runsAnything);
    if (shown) this.add({ ...exactRequirement(added.pattern, shown), permission: "read", protection: "secret" });
    const key = `${added.match === "possible" ? "possible " : ""}${added.permission} ${added.pattern}`;
    const before = this.#required.get(key);
    const ranges = withRange(before?.ranges, this.at);
    const isStricter = before?.protection === "none" && added.protection !== "none";
    if (before && !isStricter && added.match !== "exact") {
      if (ranges !== before.ranges) this.#required.set(key, { ...before, ranges });
      return;
    }
    const restrictedBy = (rule: string) => restrictionOf(rule, added.pattern, runs);
    const command = { whole: this.#command, restrictedBy };
    this.#required.set(key, { ...added, ranges, ...(added.permission === "bash" && { command }) });
  }
}

function withRange(ranges: readonly TextRange[] = [], added: TextRange | undefined): readonly TextRange[] {
  const isKnown = !added || ranges.some(({ start, end }) => start === added.start && end === added.end);
  return isKnown ? ranges : [...ranges, added];
}

/** Requires a rule with the text of the whole command. `text`: the part that is shown. */
export function exactRequirement(text: string, effect: string): PermissionRequirement {
  return { permission: "bash", pattern: text, suggestedRule: undefined, match: "exact", protection: "none", effect };
}
