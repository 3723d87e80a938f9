/** Arguments of a command that are known one by one, as those of prompts of MCP servers: `Berlin "New York" unit=C`. */
import { nextWordFrom, quotedWordAt } from "./quoted-words.ts";

export interface CommandArgument {
  name: string;
  description: string;
  isRequired: boolean;
}

/** An argument as it is written: its place in the text, and its value without quotes. */
export interface WrittenArgument {
  name: string;
  /** Where it begins and ends in the text, with its name and quotes. */
  start: number;
  end: number;
  value: string;
}

/**
 * Returns the written arguments in their order. `name=value` gives one by its name; other words are those that are still
 * missing, in turn, and the last one takes all that follows as it is written: code keeps its quotes and lines. Quoted
 * words are one.
 */
export function writtenArguments(text: string, declared: readonly CommandArgument[]): WrittenArgument[] {
  const written: (Word & { name: string })[] = [];
  for (const word of wordsIn(text, declared)) {
    const isTaken = (name: string) => written.some((one) => one.name === name);
    const named = word.name !== undefined && !isTaken(word.name) ? word.name : undefined;
    const name = named ?? declared.find((one) => !isTaken(one.name))?.name;
    const last = written.at(-1);
    if (name !== undefined) written.push({ ...word, name });
    else if (last) Object.assign(last, { end: word.end, value: text.slice(last.from, word.end) });
  }
  return written.map(({ name, start, end, value }) => ({ name, start, end, value }));
}

interface Word {
  /** Undefined for a word without the name of an argument. */
  name: string | undefined;
  start: number;
  /** Where its value begins, with its quotes. */
  from: number;
  end: number;
  value: string;
}

/** A quote that is still open reaches to the end of the text. */
function wordsIn(text: string, declared: readonly CommandArgument[]): Word[] {
  const words: Word[] = [];
  for (let start = nextWordFrom(text, 0); start < text.length; ) {
    const name = declared.find((one) => text.startsWith(`${one.name}=`, start))?.name;
    const from = name === undefined ? start : start + name.length + 1;
    const { value, end } = quotedWordAt(text, from, true);
    words.push({ name, start, from, end, value });
    start = nextWordFrom(text, end);
  }
  return words;
}

/** The argument that the user is writing. `value`: what is written of it before the cursor. */
export interface ArgumentInTurn {
  argument: CommandArgument;
  /** What a chosen value replaces, in the text; after the name where it is given by its name. */
  start: number;
  value: string;
}

/** Returns the argument at the end of the text, which ends at the cursor; undefined if none is left. */
export function argumentInTurn(text: string, declared: readonly CommandArgument[]): ArgumentInTurn | undefined {
  const written = writtenArguments(text, declared);
  const last = written.at(-1);
  const isBegun = last !== undefined && last.end === text.length;
  const argument = isBegun
    ? declared.find(({ name }) => name === last.name)
    : declared.find(({ name }) => !written.some((one) => one.name === name));
  if (!argument) return undefined;
  if (!isBegun) return { argument, start: text.length, value: "" };
  const prefix = `${argument.name}=`;
  const isNamed = text.startsWith(prefix, last.start);
  return { argument, start: last.start + (isNamed ? prefix.length : 0), value: last.value };
}

/** Returns the required arguments that are not written. */
export function missingArguments(text: string, declared: readonly CommandArgument[]): CommandArgument[] {
  const written = writtenArguments(text, declared);
  return declared.filter(
    ({ name, isRequired }) => isRequired && !written.some((one) => one.name === name && one.value.trim() !== ""),
  );
}

/** Writes a value so that it is read as one. */
export function quotedValue(value: string): string {
  const plain = value.replace(/\s+/g, " ");
  if (plain !== "" && !/[\s"']/.test(plain)) return plain;
  if (!plain.includes('"')) return `"${plain}"`;
  return plain.includes("'") ? `"${plain.replaceAll('"', "")}"` : `'${plain}'`;
}

/** "[city] [state?]" in the notation of the other hints: `<city>` is required, `[state]` is not. */
export function argumentHint(declared: readonly CommandArgument[]): string {
  return declared.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`)).join(" ");
}
