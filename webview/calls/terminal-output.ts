import { escapeInvisible } from "../text/escape-invisible.ts";
import { shortened } from "../text/format.ts";

const mostLineCharacters = 10_000;

/** Matches what a terminal would act on: colours, cursor movements, titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they are
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Returns the lines of a command's output as a terminal shows them: an overwritten line has its last text. */
export function outputLines(text: string): string[] {
  const lines = text
    .replace(escapes, "")
    .replace(/(?<!\r)\r+\n/g, "\n")
    .split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => line.slice(line.lastIndexOf("\r", line.length - 2) + 1));
}

/** Returns lines of an output as they are shown. */
export function shownLines(lines: readonly string[]): string {
  return escapeInvisible(lines.map((line) => shortened(line, mostLineCharacters)).join("\n"));
}
