/** The permissions that one command requires. */
import type { CommandReading, PermissionRequirement } from "../tool.ts";

/** Keeps the order of the command, without duplicates. */
export class RequiredPermissions {
  readonly #required = new Map<string, PermissionRequirement>();
  readonly #command: string;

  constructor(command: string) {
    this.#command = command;
  }

  get all(): PermissionRequirement[] {
    return [...this.#required.values()];
  }

  /** `runs`: what a part of the command runs. */
  add(added: PermissionRequirement, runs: Omit<CommandReading, "whole"> = { words: [], runsAnything: false }): void {
    const key = `${added.permission} ${added.pattern}`;
    const before = this.#required.get(key);
    const isStricter = before?.protection === "none" && added.protection !== "none";
    if (before && !isStricter && added.match !== "exact") return;
    const isPart = added.permission === "bash";
    this.#required.set(key, isPart ? { ...added, command: { whole: this.#command, ...runs } } : added);
  }
}

/** Requires a rule with the text of the whole command. `text`: the part that is shown. */
export function exactRequirement(text: string, effect: string): PermissionRequirement {
  return { permission: "bash", pattern: text, suggestedRule: undefined, match: "exact", protection: "none", effect };
}
