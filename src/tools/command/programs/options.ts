/** Options before a sub-command, for rules that deny or ask: an unknown one may have a value or none. */
import { aritiesOf, type OptionArity } from "../shell/leading-options.ts";
import type { CommandFacts } from "./program.ts";

interface OptionLengths {
  isKnown: boolean;
  /** The number of words that the option may consist of. */
  all: readonly number[];
}

const one: OptionLengths = { isKnown: true, all: [1] };
const two: OptionLengths = { isKnown: true, all: [2] };
const oneOrTwo: OptionLengths = { isKnown: false, all: [1, 2] };

/** `facts`: of the sub-commands before it, and of the program. */
export function optionLengths(word: string, facts: readonly (CommandFacts | undefined)[]): OptionLengths {
  // `cargo +nightly test`
  if (word === "--" || word.startsWith("+")) return one;
  for (const each of facts) {
    const known = each && lengthsIn(word, aritiesOf(`${each.options ?? ""} ${each.readOptions ?? ""}`));
    if (known) return known;
  }
  // The value of an option is in the same word, or else in the next one.
  return word.includes("=") ? { isKnown: false, all: [1] } : oneOrTwo;
}

function lengthsIn(word: string, arities: ReadonlyMap<string, OptionArity>): OptionLengths | undefined {
  const [name = word, glued] = word.split(/=(.*)/s);
  const arity = arities.get(name);
  if (arity !== undefined) return arity === "value" && glued === undefined ? two : one;
  if (word.startsWith("--")) return undefined;
  if (arities.has("-#") && /^-\d+$/.test(word)) return one;
  for (let at = 1; at < word.length; at++) {
    const letter = arities.get(`-${word.charAt(at)}`);
    if (letter === undefined) return undefined;
    if (letter !== "none") return letter === "value" && at === word.length - 1 ? two : one;
  }
  return one;
}
