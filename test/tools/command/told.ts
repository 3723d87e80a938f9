import { unwrap } from "../../../src/tools/command/programs/table.ts";
import { type Grammar, loadGrammar } from "../../../src/tools/command/shell/grammar.ts";
import { marks } from "../../../src/tools/command/shell/pattern.ts";
import type { Folders } from "../../../src/tools/command/shell/state.ts";
import type { ShellAction } from "../../../src/tools/command/shell/visitor.ts";
import { readShell } from "../../../src/tools/command/shell/walk.ts";
import { possibleValue, type ShellWord, written } from "../../../src/tools/command/shell/word.ts";

let grammar: Grammar | undefined;

/** To be called before all others. */
export async function loadTold(): Promise<void> {
  grammar = await loadGrammar();
}

/** How unknown text is written in the tables. */
const signs: readonly (readonly [mark: string, sign: string])[] = [
  [marks.any, "…"],
  [marks.below, "↓"],
  [marks.tracked, "⇣"],
  [marks.name, "¤"],
  [marks.number, "№"],
];

/** A command, and what is told about it. */
export type Told = readonly [command: string, ...lines: string[]];

/** Returns what a command may do, one line for each different action. */
export function told(command: string, evaluatesArithmetic = false): string[] {
  const actions = read(command, evaluatesArithmetic);
  return actions ? [...new Set(actions.map(line))] : ["cannot be read"];
}

/** Returns the words of a command that runs one program with known words, else undefined. */
export function knownWords(command: string): string[] | undefined {
  const [only, ...others] = read(command, false) ?? [];
  if (only?.type !== "command" || others.length > 0) return undefined;
  const words = only.words.map(possibleValue);
  return words.every((word) => word !== undefined) ? words : undefined;
}

function read(command: string, evaluatesArithmetic: boolean): ShellAction[] | undefined {
  if (!grammar) throw new Error("The grammar is not loaded.");
  return readShell(command, { grammar, evaluatesArithmetic, unwrap }).actions;
}

function line(action: ShellAction): string {
  switch (action.type) {
    case "command":
      return `runs ${wordsOf(action.words)}${placeOf(action.folders)}${action.data === undefined ? "" : ` << ${action.data}`}`;
    case "unsupported":
      return `asks for ${action.text}`;
    case "redirect":
      return `${action.access === "read" ? "reads" : "writes"} ${wordsOf([action.target])}${placeOf(action.folders)}`;
    case "data":
      return `reads << ${action.text}`;
    case "mention":
      return `names ${wordsOf(action.words)}${placeOf(action.folders)}`;
  }
}

const wordsOf = (words: readonly ShellWord[]) => words.map(wordOf).join(" ");

/** `a` for a known word, `a|b` for one of several, `<a…>` for patterns of an unknown word, `glob<a*>` for a wildcard. */
function wordOf({ values, isGlob, shapes }: ShellWord): string {
  if (isGlob) return `glob<${(values ?? shapes).map(signed).join("|")}>`;
  return values ? values.map(written).join("|") : `<${shapes.map(signed).join("|")}>`;
}

const signed = (shape: string) => signs.reduce((text, [mark, sign]) => text.replaceAll(mark, sign), shape);

function placeOf(folders: Folders): string {
  if (!folders) return " in …";
  const named = folders.map((folder) => folder || ".").join("|");
  return named === "." ? "" : ` in ${named}`;
}
