/** Widens and narrows a rule step by step. */

import { ruleSubjectOf } from "../../src/chat/tool-cards.ts";

/** Matches the words of a command; a quoted text is one word. */
const word = /(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|\\.|[^\s"'\\])+/gs;

/** Patterns for a requested text, the narrowest first. Even the last one is not just `*`. */
function ladder(permission: string, text: string): string[] {
  return [...new Set(ruleSubjectOf(permission) === "command" ? commandLadder(text) : pathLadder(text))];
}

/** "npm test -- cart", "npm test -- *", "npm test *", "npm *" */
function commandLadder(text: string): string[] {
  const starts = [...text.matchAll(word)].slice(1).map(({ index }) => text.slice(0, index).trimEnd());
  return [text, ...starts.toReversed().map((start) => `${start} *`)];
}

/** "src/a/cart.ts", "src/a/*", "src/*"; keeps two folders of an absolute path, and the host of an address. */
function pathLadder(text: string): string[] {
  const least = /^([/\\]|[a-z]+:)/i.test(text) ? 3 : 1;
  const ends = [...text.matchAll(/[/\\]/g)].map(({ index }) => index + 1).slice(least - 1);
  return [text, ...ends.toReversed().map((end) => `${text.slice(0, end)}*`)];
}

/**
 * Returns the next pattern that matches more or less: on the ladder of the requested text that the pattern belongs to,
 * else wider without its last word or folder. Undefined: there is no such step.
 */
export function step(
  way: "wider" | "narrower",
  permission: string,
  pattern: string,
  texts: readonly string[],
): string | undefined {
  const base = pattern.replace(/(?<!\s)\s*(?<!\*)\*+$/, "");
  const ladders = [...texts, base].map((text) => ladder(permission, text));
  for (const steps of ladders) {
    const at = steps.findIndex(
      (step) => step.replace(/(?<!\s)\s*(?<!\*)\*+$/, "") === base && isOpen(step) === isOpen(pattern),
    );
    if (at >= 0) return steps[way === "wider" ? at + 1 : at - 1];
  }
  return way === "wider" ? ladder(permission, base)[1] : undefined;
}

function isOpen(pattern: string): boolean {
  return pattern.endsWith("*");
}
