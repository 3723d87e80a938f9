/** Reads the words of what users write after a command. Pure. */

interface QuotedWord {
  value: string;
  /** Behind it. */
  end: number;
}

/**
 * Reads the word that begins at `start`; in double or single quotes, blanks belong to it. `whileTyping`: a quote that is
 * still open reaches to the end of the text; else it is a plain character.
 */
export function quotedWordAt(text: string, start: number, whileTyping: boolean): QuotedWord {
  const quote = text.charAt(start);
  const close = quote === '"' || quote === "'" ? text.indexOf(quote, start + 1) : -1;
  if (close > 0) return { value: text.slice(start + 1, close), end: close + 1 };
  if (whileTyping && (quote === '"' || quote === "'")) return { value: text.slice(start + 1), end: text.length };
  const end = start + (/^\S*/.exec(text.slice(start))?.[0].length ?? 0);
  return { value: text.slice(start, end), end };
}

/** Returns the index of the next word, or the length of the text. */
export function nextWordFrom(text: string, at: number): number {
  return at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
}
