/** Questions about the words after a program's name. */

export type Words = readonly string[];

export function isFlag(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

/** Whether a cluster of short flags holds one of `letters`. */
export function hasShort(rest: Words, letters: string): boolean {
  return rest.some((word) => /^-[A-Za-z0-9]/.test(word) && [...letters].some((letter) => word.includes(letter)));
}

/** Whether one of the long options is given, be it abbreviated as GNU programs and git allow. */
export function hasLong(rest: Words, ...options: string[]): boolean {
  return rest.some((word) => {
    const name = /^--([a-z-]+)/.exec(word)?.[1];
    return name !== undefined && options.some((option) => option.startsWith(name));
  });
}

export function isVerb([verb = ""]: Words, verbs: string): boolean {
  return verbs.split(" ").includes(verb);
}

export function plainWords(rest: Words): string[] {
  return rest.filter((word) => !isFlag(word));
}

/** The values of an option: `-o x`, `-ox`, `--output x`, `--output=x`. */
export function valuesOf(rest: Words, short: string, long: string): string[] {
  return rest.flatMap((word, index) => {
    const next = rest[index + 1];
    if (/^--[a-z]/.test(word)) {
      const [name = "", ...value] = word.slice(2).split("=");
      if (!long.startsWith(name)) return [];
      if (value.length > 0) return [value.join("=")];
      return next === undefined ? [] : [next];
    }
    const at = /^-[A-Za-z0-9]/.test(word) ? word.indexOf(short, 1) : -1;
    if (at < 0) return [];
    const glued = word.slice(at + 1);
    if (glued !== "") return [glued];
    return next === undefined ? [] : [next];
  });
}
