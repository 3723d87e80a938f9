/** Says an effect as a sentence. An effect is the end of one, "runs other code", and other languages need it whole. */
import { msg } from "../l10n/l10n.ts";

const start = msg("It {0}.", "").slice(0, -1);

const whole = [
  msg("It can run other code, or write, with these arguments."),
  msg("It changes who may use files."),
  msg("It deletes files."),
  msg("It depends on what is known only when it runs."),
  msg("It ends processes."),
  msg("It moves files."),
  msg("It runs other code."),
  msg("It runs scripts of the project."),
  msg("It sends data to the network."),
  msg("It uses the network."),
  msg("It writes files."),
  msg("It cannot be parsed with certainty."),
  msg("It may change a protected file."),
];

/** Effects that end with a name. */
const named: readonly (readonly [RegExp, (name: string) => string])[] = [
  [/^writes (.+)$/s, (name) => msg("It writes {0}.", name)],
  [/^changes (.+)$/s, (name) => msg("It changes {0}.", name)],
  [/^sends the address to (.+)$/s, (name) => msg("It sends the address to {0}.", name)],
  [/^calls the server (.+)$/s, (name) => msg("It calls the server {0}.", name)],
];

/** Whether a sentence is complete, and ends with no name: "It changes who may use files." */
export function isWholeEffect(sentence: string): boolean {
  return whole.includes(sentence);
}

export function effectSentence(effect: string): string {
  const known = whole.find((sentence) => sentence === `${start}${effect}.`);
  if (known !== undefined) return known;
  for (const [pattern, sentence] of named) {
    const name = pattern.exec(effect)?.[1];
    if (name !== undefined) return sentence(name);
  }
  return msg("It {0}.", effect);
}
