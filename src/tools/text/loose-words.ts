/**
 * Splits a text that no grammar has read, such as code, a message or what a program prints, at all that may part words of a
 * command there: blanks, operators and quotes. More words come out than a reader would see, never fewer. `also`: further
 * characters that part words in this text; `within`: those that do not. Pure.
 *
 * What the grammar has read is split by its tree (../command/shell/word.ts).
 */
export function looseWords(text: string, also = "", within = ""): string[] {
  const separators = new Set(`;&|<>()'"\`${also}`);
  for (const character of within) separators.delete(character);
  const words: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text.charAt(at);
    if (at < text.length && !separators.has(character) && !isBlank(character)) continue;
    if (at > start) words.push(text.slice(start, at));
    start = at + 1;
  }
  return words;
}

/** Operators, parentheses, braces and ends of lines, and a quote that ends a text: `run 'ps' x`. */
const endOfCommand = /[;|&\n(){}]+|(?<=\S)["'`](?=\s)/;

/** As `looseWords`, for each of the first `most` commands that the text may hold. */
export function looseCommands(text: string, also: string, most: number): string[][] {
  return text.split(endOfCommand, most).map((command) => looseWords(command, also));
}

const isBlank = (character: string) => /\s/.test(character);
