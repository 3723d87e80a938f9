/** Names of branches and folders of worktrees. They come from the user's words, so only plain characters are kept. */

const maxLength = 40;

/** Returns the words as a name of lower-case letters, digits and hyphens: "add-gift-cards". Never empty. */
export function slugOf(words: string): string {
  const plain = words
    .slice(0, 400)
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .slice(0, 5);
  let slug = "";
  for (const word of plain) {
    const longer = slug === "" ? word.slice(0, maxLength) : `${slug}-${word}`;
    if (longer.length > maxLength) break;
    slug = longer;
  }
  return slug || "task";
}

export const branchPrefix = "rondo/";

/** Returns the names to try, in order: "add-gift-cards", "add-gift-cards-2", … */
export function* namesFor(words: string): Generator<string> {
  const slug = slugOf(words);
  yield slug;
  for (let at = 2; at < 1000; at++) yield `${slug}-${at}`;
}
