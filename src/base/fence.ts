/** Returns a fence for Markdown that is longer than any in the text. */
export function fenceFor(text: string): string {
  let longest = 2;
  for (const [marks] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, marks.length);
  return "`".repeat(longest + 1);
}

/** Quotes a text as a block of Markdown that nothing in it can end. */
export function fenced(text: string, language = ""): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
