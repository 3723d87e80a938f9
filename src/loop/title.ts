/** What a session is called: at once by its first prompt, later by a title that the model makes (spec L5). */

const longest = 60;

/** The first line with words in it, cut at a word. */
export function titleFromPrompt(text: string): string {
  const line =
    text
      .split("\n")
      .find((one) => /\p{L}/u.test(one))
      ?.trim() ?? "";
  const plain = line
    .replace(/[`*_#>]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (plain.length <= longest) return plain;
  const cut = plain.slice(0, longest);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), longest / 2))}…`;
}
