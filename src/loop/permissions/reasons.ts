/** Why a call asks, in words: what the card shows, the riskiest first. */

import { effectSentence, isWholeEffect } from "../../chat/effect-sentence.ts";
import { type AllowedPart, type AskReason, type Risk, risks, type TextRange } from "../../chat/requests.ts";
import { ruleSubjectOf } from "../../chat/tool-cards.ts";
import { english, msg } from "../../l10n/l10n.ts";
import { type CallEffects, outsidePermission, type PermissionRequirement, type ToolPlan } from "../../tools/tool.ts";
import { builtInRules, type Judgement } from "./rules.ts";

export interface Judged {
  need: PermissionRequirement;
  judgement: Judgement;
}

const noEffects: CallEffects = { effects: [], connectors: [] };
/** Beyond this time it counts as a call that cannot be read. Counting has its own limit, so only a fault takes so long. */
const maxLookMs = 2_000;
const unseen: CallEffects = {
  effects: [{ risk: "unreadable", sentence: msg("Rondo cannot read this call."), detail: "", marks: [] }],
  connectors: [],
};

/** Looks at what a call would do. A look that fails counts as a call that cannot be read. @throws the signal's reason on abort */
export async function effectsOf({ effects }: Pick<ToolPlan, "effects">, signal: AbortSignal): Promise<CallEffects> {
  if (!effects) return noEffects;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), maxLookMs);
  try {
    const found = effects(AbortSignal.any([signal, limit.signal]));
    const given = new Promise<CallEffects>((resolve) => {
      limit.signal.addEventListener("abort", () => resolve(unseen), { once: true });
    });
    return await Promise.race([found, given]);
  } catch {
    signal.throwIfAborted();
    return unseen;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the reasons of all requirements that ask, and of what the call does where it asks. */
export function reasonsOf(asking: readonly Judged[], { effects }: CallEffects): AskReason[] {
  const ranges = asking.flatMap(({ need }) => need.ranges ?? []);
  const isUnplaced = asking.some(({ need }) => need.ranges === undefined || need.ranges.length === 0);
  const asks = ({ marks }: AskReason) => marks.length === 0 || isUnplaced || meet(marks, ranges);
  const told = effects.filter(asks);
  const outside = new Set(
    asking.flatMap(({ need }) => (need.permission === "external_directory" ? [need.pattern] : [])),
  );
  // Leaving the workspace says more of a path than that it is used.
  const inner = asking.filter(({ need }) => !(isFileUse(need) && outside.has(need.pattern)));
  const required = inner.flatMap((one) => reasonOf(one, told));
  const secrets = required.filter(({ risk }) => risk === "secrets");
  return joined([...told, ...required, ...unruled(asking, [...told, ...secrets])]);
}

/** The parts of a command that are allowed already and hold nothing that asks. */
export function allowedParts(all: readonly Judged[], command: string): AllowedPart[] {
  const asking = all.flatMap(({ need, judgement }) => (judgement.decision === "allow" ? [] : (need.ranges ?? [])));
  const found = all.flatMap(({ need, judgement }) => {
    if (need.permission !== "bash" || judgement.decision !== "allow") return [];
    const free = (need.ranges ?? []).filter((range) => !meet([range], asking));
    return free.map((range) => ({ text: command.slice(range.start, range.end), why: judgement.why, range }));
  });
  const sorted = found.sort((one, other) => one.range.start - other.range.start);
  return sorted.filter((one, at) => !sorted.slice(0, at).some(({ range }) => meet([range], [one.range])));
}

/** Returns why "Always allow" cannot be given for what asks. */
export function noAlwaysFor(needs: readonly PermissionRequirement[], reasons: readonly AskReason[]): string {
  const stuck = needs.filter(({ suggestedRule, protection }) => suggestedRule === undefined || protection !== "none");
  if (needs.length > 0 && stuck.length === 0) return "";
  if (reasons.some(({ risk }) => risk === "network-code")) return msg("Code from the network is allowed only once.");
  const isGuarded = (kind: PermissionRequirement["protection"]) => stuck.some(({ protection }) => protection === kind);
  if (isGuarded("secret")) return msg("No rule can allow secrets. They are allowed only once.");
  if (isGuarded("ignored")) return msg("No rule can allow files that .rondoignore names.");
  if (isGuarded("settings"))
    return msg(
      "No rule can allow changes of what runs automatically, or of what editors and Rondo keep for themselves.",
    );
  if (stuck.some(({ permission }) => permission === outsidePermission))
    return msg("Leaving the sandbox with this command is allowed only once.");
  if (reasons.some(({ risk }) => risk === "unreadable")) return msg("No rule can allow what Rondo cannot read.");
  if (reasons.some(({ risk }) => risk === "deletes")) return msg("This deletion is allowed only once.");
  return needs.length === 0
    ? msg("A hook asks each time.")
    : msg("No rule can allow this exactly. It is allowed only once.");
}

/** What a requirement is asked for, unless it is only that no rule allows a command. */
function reasonOf({ need, judgement }: Judged, told: readonly AskReason[]): AskReason[] {
  const { permission, pattern, protection, effect } = need;
  const marks = [...(need.ranges ?? [])];
  const says = (risk: Risk, sentence: string, detail = ""): AskReason[] => [{ risk, sentence, detail, marks }];
  if (protection === "secret" || protection === "ignored") {
    const detail = protection === "ignored" ? msg(".rondoignore names it.") : "";
    if (permission === "external_directory") return says("outside", msg("It leaves the workspace: {0}.", pattern));
    return says("secrets", permission === "edit" ? msg("It changes {0}.", pattern) : secretSentence(need), detail);
  }
  if (protection === "settings")
    return says(
      "writes",
      msg("It changes {0}.", pattern),
      msg("This file decides what runs, or an editor or Rondo keeps it for itself."),
    );
  const own = ruleReason(judgement);
  if (permission === "external_directory") return says("outside", msg("It leaves the workspace: {0}.", pattern), own);
  if (permission === "edit") return says("writes", msg("It changes {0}.", pattern), own);
  if (permission === outsidePermission) return says("outside", msg("It runs outside the sandbox."), effect);
  if (ruleSubjectOf(permission) === "address" || permission.includes("__"))
    return says("elsewhere", effectSentence(effect), own);
  if (permission !== "bash") return says("no-rule", effect === "" ? judgement.why : effectSentence(effect), own);
  if (own !== "") return says("no-rule", own);
  // Code of the project and other processes are told nowhere else.
  const others = /^(runs|ends)/.test(effect) ? told.filter(({ risk }) => isOpaque(risk)) : told;
  return isTold(need, others) || effect === "" ? [] : says("no-rule", effectSentence(effect));
}

/** The commands that no rule allows and of which nothing else is said, in one sentence. */
function unruled(asking: readonly Judged[], told: readonly AskReason[]): AskReason[] {
  const bare = asking.filter(({ need, judgement }) => {
    const isBare = need.permission === "bash" && need.effect === "" && need.protection === "none";
    return isBare && ruleReason(judgement) === "" && !isTold(need, told);
  });
  const names = [...new Set(bare.map(({ need }) => shortened(need.pattern)))];
  if (names.length === 0) return [];
  const sentence =
    names.length > 2
      ? msg("No rule allows these {0} commands yet.", names.length)
      : msg("No rule allows {0} yet.", names.join(", "));
  const marks = bare.flatMap(({ need }) => need.ranges ?? []);
  return [{ risk: "no-rule", sentence, detail: "", marks }];
}

const isOpaque = (risk: Risk) => risk === "network-code" || risk === "unreadable";

const isFileUse = ({ permission }: PermissionRequirement) => permission === "edit" || permission === "read";

/** Whether what the part does is said already. */
function isTold({ ranges = [] }: PermissionRequirement, told: readonly AskReason[]): boolean {
  return told.some(({ marks }) => marks.length === 0 || meet(marks, ranges));
}

/** The user's or the agent's rule that makes it ask; empty for the mode and the built-in rules. */
function ruleReason({ rule, why }: Judgement): string {
  return rule && !builtInRules.some((one) => one === rule) ? why : "";
}

function secretSentence({ pattern, effect }: PermissionRequirement): string {
  if (!/\s/.test(pattern)) return msg("It reads {0}.", pattern);
  return msg("It reads secrets: {0}.", effect || shortened(pattern));
}

const shortened = (text: string) => {
  const [line = ""] = text.split("\n", 1);
  return line.length < text.length || line.length > 60 ? `${line.slice(0, 60)}…` : line;
};

/** Sorts by risk, and joins what says the same, or says it of several paths. */
function joined(all: readonly AskReason[]): AskReason[] {
  const bySentence = new Map<string, AskReason>();
  for (const reason of all.map(withoutPath(all))) {
    const before = bySentence.get(reason.sentence);
    bySentence.set(reason.sentence, before ? merged(before, reason) : { ...reason, marks: sortedRanges(reason.marks) });
  }
  return [...bySentence.values()].sort((one, other) => risks.indexOf(one.risk) - risks.indexOf(other.risk));
}

/** "It changes a.ts." and "It changes b.ts." become one sentence with the names as its detail. */
function withoutPath(all: readonly AskReason[]): (reason: AskReason) => AskReason {
  const kinds = [
    { start: english("It changes "), joint: (count: number) => msg("It changes {0} files.", count) },
    { start: english("It reads "), joint: (count: number) => msg("It reads {0} files with secrets.", count) },
    {
      start: english("It leaves the workspace: "),
      joint: (count: number) => msg("It uses {0} places outside of the workspace.", count),
    },
  ];
  return (reason) => {
    const kind = kinds.find(({ start }) => reason.sentence.startsWith(start));
    if (!kind || isWholeEffect(reason.sentence)) return reason;
    const same = all.filter(
      ({ risk, sentence }) => risk === reason.risk && sentence.startsWith(kind.start) && !isWholeEffect(sentence),
    );
    const names = [...new Set(same.map(({ sentence }) => sentence.slice(kind.start.length, -1)))];
    if (names.length < 2) return reason;
    const first = names.slice(0, 3).join(", ");
    const detail = names.length > 3 ? msg("{0} and {1} more.", first, names.length - 3) : `${first}.`;
    return { ...reason, sentence: kind.joint(names.length), detail };
  };
}

function merged(one: AskReason, other: AskReason): AskReason {
  const details = [...new Set([one.detail, other.detail])].filter((text) => text !== "");
  const risk = risks.indexOf(one.risk) <= risks.indexOf(other.risk) ? one.risk : other.risk;
  return { ...one, risk, detail: details.join(" "), marks: sortedRanges([...one.marks, ...other.marks]) };
}

/** Sorts the ranges and leaves out those that lie in another one. */
function sortedRanges(ranges: readonly TextRange[]): TextRange[] {
  const sorted = [...ranges].sort((one, other) => one.start - other.start || other.end - one.end);
  const kept: TextRange[] = [];
  for (const { start, end } of sorted) {
    if (!kept.some((outer) => outer.start <= start && end <= outer.end)) kept.push({ start, end });
  }
  return kept;
}

function meet(ones: readonly TextRange[], others: readonly TextRange[]): boolean {
  return ones.some((one) => others.some((other) => one.start < other.end && other.start < one.end));
}
