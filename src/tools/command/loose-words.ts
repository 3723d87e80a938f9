/**
 * Splits a text that no grammar has read, such as code, a message or what a program prints, at all that may part words of a
 * command there: blanks, operators and quotes. More words come out than a reader would see, never fewer. `also`: further
 * characters that part words in this text. Pure.
 */
export function looseWords(text: string, also = ""): string[] {
  const separators = new Set(`;&|<>()'"\`${also}`);
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

const isBlank = (character: string) => /\s/.test(character);
