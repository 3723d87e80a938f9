/** The permissions that one command requires. */
import type { TextRange } from "../../chat/requests.ts";
import { msg } from "../../l10n/l10n.ts";
import { looseCommands } from "../text/loose-words.ts";
import type { PermissionRequirement } from "../tool.ts";
import type { GivenWords } from "./programs/arguments.ts";
import { showsProcesses } from "./programs/process-viewers.ts";
import { showsStoredSecret } from "./programs/stored-secrets.ts";
import { canonicalWords, launchesWords } from "./programs/table.ts";
import { type PartOfCommand, restrictionOf } from "./restrictions.ts";

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

// Recognizes commands that show secrets which no file name tells (T8). Pure.

/**
 * Returns the effect, for the permission card. `text`: the command as it is written. `runsAnything`: whether each word, or
 * a part of the text, may be a program.
 */
function shownSecrets(words: GivenWords, text: string, runsAnything: boolean): string | undefined {
  const own = shownBy(words);
  if (own || (words[0] !== undefined && !runsAnything && !launchesWords(words[0]))) return own;
  const starts = [words.slice(1), ...(runsAnything ? commandsIn(text) : [])].flatMap(startsIn);
  for (const start of starts) {
    const effect = shownBy(start);
    if (effect) return effect;
  }
  return undefined;
}

const startsIn = (words: GivenWords): GivenWords[] => words.map((_, index) => words.slice(index));

/** Returns the words of commands that code of any language may hold as texts. */
function commandsIn(code: string): string[][] {
  return looseCommands(code.replaceAll("\\\n", ""), ",[]", 200).map((words) => words.slice(0, 50));
}

function shownBy(words: GivenWords): string | undefined {
  const [program, ...rest] = canonicalWords(words);
  if (program === undefined) return undefined;
  if (showsProcesses(program, rest)) return msg("shows the environment or the memory of other processes");
  return showsStoredSecret(program, rest) ? msg("shows stored passwords or keys") : undefined;
}
