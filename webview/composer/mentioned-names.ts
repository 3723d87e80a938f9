/** The agents that a prompt names with "@". */

/**
 * What stands before an "@" that begins a name: white space, a bracket, a quote or punctuation, and a character of a
 * language without spaces. After a letter it is an address of mail, after "/" a package, in backticks code.
 */
export const beginner = String.raw`\s([{<«‹„“‘"'（［【《「『，、；：。,;:=—–\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}`;
export const beforeName = `(?<![^${beginner}])`;
const wholeNames = new RegExp(`${beforeName}@([^\\s@]+)`, "gu");

/** What ends a name: other letters would make it another one, and so do "." and ":" before more of it. */
const goesOn = /^[\p{sc=Latin}\p{sc=Cyrl}\p{sc=Grek}\p{M}\p{N}_-]|^[.:/][\p{L}\p{N}]/u;

/** Returns the `names` that the text mentions, each once, in the order of the text. */
export function mentionedNames(text: string, names: readonly string[]): string[] {
  const found = [...text.matchAll(wholeNames)].flatMap(([, word = ""]) => {
    const fitting = names.filter((name) => word.startsWith(name) && !goesOn.test(word.slice(name.length)));
    return fitting.toSorted((a, b) => b.length - a.length).slice(0, 1);
  });
  return [...new Set(found)];
}
