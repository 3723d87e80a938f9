/** Code for a shell of which only parts are known before it runs: `sh -c 'cat {}'` of find, `sh -c "cat $file"`. */
import { isWild } from "./pattern.ts";

export interface PartlyKnownCode {
  /** The code, with a variable for each word that is not known. */
  text: string;
  /** By the names of these variables, patterns for their values. */
  variables: ReadonlyMap<string, string>;
}

const delimiter = /[\s'"`();|&<>=,]/;

/** Returns the code that a pattern stands for. `shape`: see pattern.ts. */
export function partlyKnownCode(shape: string): PartlyKnownCode {
  const variables = new Map<string, string>();
  let text = "";
  let word = "";
  let quote = "";
  const endWord = () => {
    if (isWild(word)) {
      const name = variables.size === 0 ? "unknown" : `unknown${variables.size + 1}`;
      // The shell that reads the code expands the wildcards in it.
      variables.set(name, word.replace(/\\([*?[\]])/g, "$1"));
      // Single quotes would make the name a plain text.
      text += quote === "'" ? `'"$${name}"'` : `$${name}`;
    } else text += word.replace(/\\(.)/gs, "$1");
    word = "";
  };
  for (const [unit] of shape.matchAll(/\\.|./gs)) {
    const char = unit.at(-1) ?? "";
    if (!delimiter.test(char)) {
      word += unit;
      continue;
    }
    endWord();
    if ((char === "'" || char === '"') && (quote === "" || quote === char)) quote = quote === "" ? char : "";
    text += char;
  }
  endWord();
  return { text, variables };
}
