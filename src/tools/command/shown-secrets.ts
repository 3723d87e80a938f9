/** Recognizes commands that show secrets which no file name tells (T8). Pure. */
import { msg } from "../../l10n/l10n.ts";
import { looseCommands } from "../text/loose-words.ts";
import type { GivenWords } from "./programs/arguments.ts";
import { showsProcesses } from "./programs/process-viewers.ts";
import { showsStoredSecret } from "./programs/stored-secrets.ts";
import { canonicalWords, launchesWords } from "./programs/table.ts";

/**
 * Returns the effect, for the permission card. `text`: the command as it is written. `runsAnything`: whether each word, or
 * a part of the text, may be a program.
 */
export function shownSecrets(words: GivenWords, text: string, runsAnything: boolean): string | undefined {
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
