/** Judges calls by rules: the last one that matches decides (spec T1, T7). Asking the user is in permissions.ts. */
import type { PermissionMode } from "../../chat/permission-mode.ts";
import type { Rule } from "../../chat/requests.ts";
import { noRuleWords } from "../../chat/rule-scopes.ts";
import { changesFiles } from "../../chat/tool-cards.ts";
import { msg } from "../../l10n/l10n.ts";
import type { Protection } from "../../tools/host.ts";
import {
  pathWildcardMatcher,
  type TextMatcher,
  wildcardMatcher,
  wildcardMatcherAfter,
  wildcardOverlaps,
} from "../../tools/text/wildcard.ts";
import { outsidePermission, type PermissionRequirement, type Tool } from "../../tools/tool.ts";
import type { Agent } from "../agents/agents.ts";
import { takesPlaceOf } from "../setup/patch-tool.ts";

// Which paths a rule that denies or asks covers (spec T8). Pure.

/**
 * Compiles a pattern of paths: `*` is any characters, `?` one, `**` and a slash also nothing. What it names includes
 * everything below. Names are compared without letter case, as protected names are; each is relative to its workspace
 * folder, absolute, or begins with `~`.
 */
export function restrictedPath(pattern: string): TextMatcher {
  const matcher = pathWildcardMatcher(plainPattern(pattern));
  return (name) => matcher(plainName(name));
}

/** Stand for unknown text in the name of a path, with and without `/`. */
const unknownText = "…";
const holes = { any: unknownText, name: "‥" };

/** Whether a pattern of `restrictedPath` covers the name with some text for what is unknown. May err on that side. */
export function mayCoverPath(pattern: string, name: string): boolean {
  const plain = plainPattern(pattern);
  // Each name has a slash before its first part.
  const begun = ["*/", ""].map((begin) => plain.replace(/^\*\*\//, begin).replaceAll("**/", "*"));
  const text = name.startsWith(unknownText) ? folded(name) : plainName(name);
  return begun.some((each) => [each, `${each}/*`].some((one) => wildcardOverlaps(one, text, holes)));
}

/** Takes away what names the same files: `./`, `..`, double and final slashes, and the stars below a folder. */
function plainPattern(pattern: string): string {
  const names: string[] = [];
  const slashed = folded(pattern);
  for (const name of slashed.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === ".." && names.length > 0 && !/[*?]|^\.\.$/.test(names.at(-1) ?? "")) names.pop();
    else names.push(name);
  }
  while (names.length > 1 && /^\*+$/.test(names.at(-1) ?? "")) names.pop();
  // The root and the workspace folder have no name of their own.
  if (names.length === 0 && slashed !== "") return slashed.startsWith("/") ? "/*" : "./*";
  const joined = names.join("/");
  if (slashed.startsWith("/")) return `/${joined}`;
  return /^([*~]|[a-z]:)/.test(joined) ? joined : `./${joined}`;
}

function plainName(name: string): string {
  const plain = folded(name).replace(/(?<=[^/]|^\/)\/+$/, "");
  return /^([/~]|[a-z]:)/.test(plain) ? plain : `./${plain}`;
}

function folded(text: string): string {
  return text.replaceAll("\\", "/").normalize("NFC").toLowerCase();
}

/** Reading inside the workspace and delegating are free; everything else asks. */
export const builtInRules: readonly (Rule & { why: string })[] = [
  { permission: "*", pattern: "*", action: "ask", why: "" },
  { permission: "read", pattern: "*", action: "allow", why: msg("Reading in the workspace needs no permission.") },
  { permission: "task", pattern: "*", action: "allow", why: msg("Each call of a subagent is checked separately.") },
];

/** The agent that the user chose, then each agent in the chain of delegation. */
export type Lineage = readonly Pick<Agent, "name" | "permission" | "source">[];

export interface RuleBook {
  mode: PermissionMode;
  /** From the user's settings. */
  user: readonly Rule[];
  /** Added with "Always allow" in this workspace. Later, so stronger. */
  workspace: readonly Rule[];
}

export interface Judgement {
  decision: Rule["action"];
  /** The rule that decided; undefined when the mode did. */
  rule: Rule | undefined;
  /** A sentence for the card and for the model: "Your rule `npm test *` allows it." */
  why: string;
}

/** Rules of the first agent rank below the user's; those of other agents and of the workspace only narrow (S1). */
export function judge(need: PermissionRequirement, tool: string, book: RuleBook, lineage: Lineage = []): Judgement {
  const judged = judgeAlone(need, tool, book, lineage);
  const reading = readRestriction(need, book, lineage);
  return reading && isStricter(reading.decision, judged.decision) ? reading : judged;
}

/**
 * What a rule for reading says of a path: it holds for every tool, also where a rule for the tool allows more, and for
 * changes, which show the text of the file.
 */
function readRestriction(need: PermissionRequirement, book: RuleBook, lineage: Lineage): Judgement | undefined {
  if (!readable.has(need.permission)) return undefined;
  const reading = { ...need, permission: "read", protection: "none" as const };
  const { rule, decision, why } = judgeAlone(reading, "read", book, lineage);
  const isOfPaths = rule && (rule.permission === "read" || rule.pattern !== "*");
  return isOfPaths && decision !== "allow" ? { rule, decision, why } : undefined;
}

const readable: ReadonlySet<string> = new Set(["read", "edit", "memory"]);

function judgeAlone(need: PermissionRequirement, tool: string, book: RuleBook, lineage: Lineage): Judgement {
  const { root, narrowing } = ranked(lineage);
  let judged = judgeOwn(need, tool, book, root);
  for (const { name, permission } of narrowing) {
    const { rule, possible } = lastMatch(permission, need, tool);
    const rules = [
      { one: possible, decision: "ask", says: narrowingRuleMaySay },
      { one: rule, decision: rule?.action ?? "allow", says: narrowingRuleSays },
    ] as const;
    for (const { one, decision, says } of rules) {
      if (!one || !isStricter(decision, judged.decision)) continue;
      if (one.action === "ask" && book.mode === "bypassPermissions") continue;
      judged = { decision, rule: one, why: says(one, name) };
    }
  }
  return judged;
}

function ranked(lineage: Lineage): { root: Lineage[number] | undefined; narrowing: Lineage } {
  const [root, ...others] = lineage;
  return root?.source === "workspace" ? { root: undefined, narrowing: lineage } : { root, narrowing: others };
}

function judgeOwn(
  need: PermissionRequirement,
  tool: string,
  book: RuleBook,
  root: Lineage[number] | undefined,
): Judgement {
  const users = ownRules(need, tool, book);
  const roots: Match = root ? lastMatch(root.permission, need, tool) : noMatch;
  const own = users.rule ?? roots.rule;
  const owner = users.rule ? undefined : root?.name;
  if (own?.action === "deny") return { decision: "deny", rule: own, why: ruleSays(own, owner) };
  if (need.protection !== "none") return { decision: "ask", rule: undefined, why: guardReasons[need.protection] };
  const possible = users.possible ?? (users.rule ? undefined : roots.possible);
  if (possible && (possible.action === "deny" || book.mode !== "bypassPermissions")) {
    const does = need.match === "possible" ? "change" : "run";
    const why = ruleMaySay(possible, does, users.possible ? undefined : root?.name);
    return { decision: "ask", rule: possible, why };
  }
  if (need.match === "possible") return { decision: "allow", rule: undefined, why: msg("No rule is about it.") };
  if (book.mode === "bypassPermissions" && !needsOwnRule(need)) {
    return { decision: "allow", rule: undefined, why: msg("The mode Bypass allows everything that no rule denies.") };
  }
  if (own) return { decision: own.action, rule: own, why: ruleSays(own, owner) };
  if (book.mode === "acceptEdits" && (need.permission === "edit" || need.permission === "memory")) {
    return { decision: "allow", rule: undefined, why: msg("The mode Accept edits allows it.") };
  }
  const usual = builtInRules.findLast((rule) => isAbout(rule, need, tool) && matches(rule, need));
  if (usual?.action === "allow") return { decision: "allow", rule: usual, why: usual.why };
  return { decision: "ask", rule: usual, why: askReason(need, book.mode) };
}

function isStricter(one: Rule["action"], than: Rule["action"]): boolean {
  return one !== than && (one === "deny" || than === "allow");
}

export function strictest(judgements: readonly Judgement[]): Rule["action"] {
  if (judgements.some((one) => one.decision === "deny")) return "deny";
  return judgements.some((one) => one.decision === "ask") ? "ask" : "allow";
}

/** Returns the rules that "Always allow" would add; none if a requirement can only be allowed once. */
export function alwaysRules(needs: readonly PermissionRequirement[]): Rule[] {
  const rules: Rule[] = [];
  for (const need of needs) {
    const { permission, suggestedRule } = need;
    if (suggestedRule === undefined || need.protection !== "none") return [];
    if (!rules.some((rule) => rule.permission === permission && rule.pattern === suggestedRule)) {
      rules.push({ permission, pattern: suggestedRule, action: "allow" });
    }
  }
  return rules;
}

/** Whether every call of the tool is denied, so that it need not be offered (T1). False if unsure. */
export function isWhollyDenied(tool: Tool, { user, workspace }: RuleBook, lineage: Lineage = []): boolean {
  const { root, narrowing } = ranked(lineage);
  const own = [...(root?.permission ?? []), ...user, ...workspace];
  return [own, ...narrowing.map(({ permission }) => permission)].some((rules) => denyWholly(rules, tool));
}

function denyWholly(rules: readonly Rule[], { name, sideEffect }: Tool): boolean {
  const at = rules.findLastIndex(({ permission }) => names(permission, name) || permission === "*");
  const last = rules[at];
  if (last?.action !== "deny" || last.pattern !== "*") return false;
  if (sideEffect === "none") return true;
  // Files use permission names that several tools share.
  const shared = sideEffect === "read-only" ? "read" : "edit";
  return !rules.slice(at + 1).some(({ permission, action }) => permission === shared && action !== "deny");
}

/** A deny in the user's settings overrides what was allowed in a workspace, which may be older. */
function ownRules(need: PermissionRequirement, tool: string, { user, workspace }: RuleBook): Match {
  const usual = lastMatch(user, need, tool);
  if (usual.rule?.action === "deny") return usual;
  const here = lastMatch(workspace, need, tool);
  if (!here.rule) return { rule: usual.rule, possible: strictestRule(here.possible, usual.possible) };
  return { rule: here.rule, possible: usual.possible?.action === "deny" ? usual.possible : here.possible };
}

/** No rule, mode or hook can allow these without asking. */
const guardReasons: Record<Exclude<Protection, "none">, string> = {
  secret: msg("It may contain secrets, so Rondo asks each time, in every mode."),
  ignored: msg("A .rondoignore file names it, so Rondo asks each time, in every mode."),
  settings: msg("It controls what an agent may do or what runs automatically, so Rondo asks each time, in every mode."),
};

function askReason(need: PermissionRequirement, mode: PermissionMode): string {
  if (needsOwnRule(need)) return msg("It would run outside the sandbox, which always asks.");
  if (need.permission === "doom_loop") return msg("The model repeated the same call, or the same few calls.");
  if (need.permission === "memory") return msg("The conversation is about to be compacted; these notes would last.");
  if (need.permission === "external_directory") return msg("It is outside the workspace, which always asks.");
  if (need.permission === "edit") return msg("Asks because the mode is Ask first.");
  if (need.match === "exact") return msg("Asks because the command cannot be parsed with certainty.");
  return mode === "acceptEdits" ? msg("Accept edits only covers edits; everything else asks.") : noRuleWords;
}

/** Whether only a rule that names the permission may allow it: no mode, no hook, and no rule for everything. */
export function needsOwnRule({ permission }: PermissionRequirement): boolean {
  return permission === outsidePermission;
}

interface Match {
  rule: Rule | undefined;
  /** A later rule that denies or asks for something that a command may run. */
  possible: Rule | undefined;
}

const noMatch: Match = { rule: undefined, possible: undefined };

function lastMatch(rules: readonly Rule[], need: PermissionRequirement, tool: string): Match {
  let possible: Rule | undefined;
  for (const rule of rules.toReversed()) {
    if (!isAbout(rule, need, tool)) continue;
    if (matches(rule, need) || restricts(rule, need)) return { rule, possible };
    if (mayMatch(rule, need)) possible = strictestRule(possible, rule);
  }
  return { rule: undefined, possible };
}

function strictestRule(one: Rule | undefined, other: Rule | undefined): Rule | undefined {
  return one?.action === "deny" || !other ? one : other;
}

/** Whether a rule that denies or asks covers a path under any of its names. */
function restricts({ pattern, action }: Rule, need: PermissionRequirement): boolean {
  if (action === "allow" || need.match === "possible") return false;
  if (!readable.has(need.permission) && need.permission !== "external_directory") return false;
  const covers = path(pattern);
  return covers(need.pattern) || (need.names?.some(covers) ?? false);
}

/** A rule for a tool does not apply outside the workspace: that needs one for `external_directory` or `*`. */
function isAbout({ permission, pattern, action }: Rule, need: PermissionRequirement, tool: string): boolean {
  if (names(permission, need.permission)) return true;
  // Such a rule holds for all tools that change files, and for commands.
  const restrictsPath = action !== "allow" && pattern !== "*";
  if (restrictsPath && need.permission === "edit" && changesFiles(permission)) return true;
  if (action === "allow" && needsOwnRule(need)) return false;
  // Rules for an action do not apply to repeating it.
  if (need.permission === "doom_loop") return false;
  const isTool = names(permission, tool) || takesPlaceOf(tool, permission);
  return permission === "*" || (isTool && need.permission !== "external_directory");
}

/** `mcp__github__*` matches all tools of a server. Otherwise a permission is literal, or `*`. */
function names(permission: string, name: string): boolean {
  return permission === name || (/^mcp__.+__\*$/.test(permission) && name.startsWith(permission.slice(0, -1)));
}

type Matched = Pick<PermissionRequirement, "pattern" | "match" | "names" | "command">;

export function matches(rule: Rule, need: Matched): boolean {
  const { pattern, match, command } = need;
  if (match === "possible" && rule.action !== "allow") return false;
  if (rule.pattern === "*") return true;
  if (rule.action === "allow") {
    if (match === "exact") return rule.pattern === (command?.whole ?? pattern) && !hasFreeWildcard(rule.pattern);
    return rule.pattern === pattern || whole(rule.pattern)(pattern);
  }
  if (rule.pattern === pattern || rule.pattern === command?.whole || whole(rule.pattern)(pattern)) return true;
  if (match === "exact" && anywhere(rule.pattern)(pattern)) return true;
  return command?.restrictedBy(rule.pattern) === "yes";
}

/** Whether a rule that denies or asks may apply, depending on what is known only when the command runs. */
function mayMatch({ pattern, action }: Rule, need: Matched): boolean {
  if (action === "allow") return false;
  if (need.match === "possible")
    return [need.pattern, ...(need.names ?? [])].some((name) => mayCoverPath(pattern, name));
  return need.command?.restrictedBy(pattern) === "maybe";
}

/** Whether the text reads as a pattern such as `sudo *`, so that it is not meant for a command with the same text. */
function hasFreeWildcard(pattern: string): boolean {
  return /\*$|(^|\s)[*?]+(\s|$)/.test(pattern);
}

function separatesCommands(character: number): boolean {
  return /[\s;&|()`{}"']/.test(String.fromCodePoint(character));
}

const whole = compiledOnce(wildcardMatcher);
const anywhere = compiledOnce((pattern) => wildcardMatcherAfter(separatesCommands, pattern));
const path = compiledOnce(restrictedPath);

/** Keeps the matchers of the patterns in use. */
function compiledOnce(compile: (pattern: string) => TextMatcher): (pattern: string) => TextMatcher {
  const known = new Map<string, TextMatcher>();
  return (pattern) => {
    let matcher = known.get(pattern);
    if (!matcher) {
      if (known.size > 1000) known.clear();
      matcher = compile(pattern);
      known.set(pattern, matcher);
    }
    return matcher;
  };
}

// What a rule says of a requirement, in whole sentences: other languages order their words otherwise.

/** `agent`: whose rule it is; undefined: the user's. */
export function ruleSays({ pattern, action }: Rule, agent: string | undefined): string {
  if (agent === undefined) {
    return {
      allow: msg("Your rule `{0}` allows it.", pattern),
      ask: msg("Your rule `{0}` asks it.", pattern),
      deny: msg("Your rule `{0}` denies it.", pattern),
    }[action];
  }
  return {
    allow: msg("The agent {0}'s rule `{1}` allows it.", agent, pattern),
    ask: msg("The agent {0}'s rule `{1}` asks it.", agent, pattern),
    deny: msg("The agent {0}'s rule `{1}` denies it.", agent, pattern),
  }[action];
}

/** For a rule of an agent that narrows what another one may do. */
function narrowingRuleSays({ pattern, action }: Rule, agent: string): string {
  return {
    allow: msg("The rule `{0}` of the agent {1} allows it.", pattern, agent),
    ask: msg("The rule `{0}` of the agent {1} asks it.", pattern, agent),
    deny: msg("The rule `{0}` of the agent {1} denies it.", pattern, agent),
  }[action];
}

/** For a rule of an agent about something that a command may run. */
function narrowingRuleMaySay({ pattern, action }: Rule, agent: string): string {
  return action === "deny"
    ? msg("The rule `{0}` of the agent {1} denies what it may run.", pattern, agent)
    : msg("The rule `{0}` of the agent {1} asks what it may run.", pattern, agent);
}

/** For a rule about something that a command may run or change. `agent`: as above. */
export function ruleMaySay({ pattern, action }: Rule, does: "run" | "change", agent: string | undefined): string {
  const denies = action === "deny";
  if (agent === undefined) {
    if (does === "run") {
      return denies
        ? msg("Asks because it may run what your rule `{0}` denies.", pattern)
        : msg("Asks because it may run what your rule `{0}` asks.", pattern);
    }
    return denies
      ? msg("Asks because it may change what your rule `{0}` denies.", pattern)
      : msg("Asks because it may change what your rule `{0}` asks.", pattern);
  }
  if (does === "run") {
    return denies
      ? msg("Asks because it may run what the agent {0}'s rule `{1}` denies.", agent, pattern)
      : msg("Asks because it may run what the agent {0}'s rule `{1}` asks.", agent, pattern);
  }
  return denies
    ? msg("Asks because it may change what the agent {0}'s rule `{1}` denies.", agent, pattern)
    : msg("Asks because it may change what the agent {0}'s rule `{1}` asks.", agent, pattern);
}
