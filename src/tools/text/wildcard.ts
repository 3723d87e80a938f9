/**
 * Wildcards of permission rules, `*` and `?`. Agents' files bring them, and they are tried on commands of any length.
 * Patterns of shells, which know more, are read in pattern-reader.ts. Pure.
 */

/** Whether a whole text matches. */
export type TextMatcher = (text: string) => boolean;

/** Compiles `*` (any characters) and `?` (one). A final ` *` also matches nothing: `npm test *` covers `npm test`. */
export function wildcardMatcher(pattern: string): TextMatcher {
  const compiled = alternatives(pattern).map((one) => new Wildcard(one));
  return (text) => compiled.some((one) => one.matches(text));
}

/** As `wildcardMatcher`, for whole paths: `**` as a folder may also be none, and all that lies below matches. */
export function pathWildcardMatcher(pattern: string): TextMatcher {
  const compiled = [pattern, `${pattern}/*`].map((one) => new Wildcard(one, true));
  return (path) => compiled.some((one) => one.matches(path));
}

/** Compiles a wildcard that matches a text which holds it at the start or after a separator (a code point). */
export function wildcardMatcherAfter(isSeparator: (character: number) => boolean, pattern: string): TextMatcher {
  const compiled = alternatives(pattern).map((one) => new Wildcard(one));
  return (text) => compiled.some((one) => one.isHeldAfter(isSeparator, text));
}

/** Stands for `**` and a slash; no pattern of a path holds it. */
const skippedFolders = "\0";
const slash = 47;

const maxSteps = 1_000_000;

/** Characters of a text that stand for unknown text: any, and any without `/`. */
interface Holes {
  any: string;
  name?: string;
}

/** Whether a wildcard matches a text with some text in place of each hole. Yes, if it would take too long to tell. */
export function wildcardOverlaps(pattern: string, text: string, { any, name }: Holes): boolean {
  const characters = Array.from(pattern);
  if (characters.length * text.length > maxSteps) return true;
  let states = new Set<number>();
  const add = (to: Set<number>, at: number) => {
    to.add(at);
    for (let next = at; characters[next] === "*"; next++) to.add(next + 1);
  };
  add(states, 0);
  for (const character of text) {
    const next = new Set<number>();
    if (character === any) {
      for (let at = Math.min(...states); at <= characters.length; at++) next.add(at);
    } else if (character === name) {
      for (const from of states)
        for (let at = from; !next.has(at); at++) {
          next.add(at);
          if (at === characters.length || characters[at] === "/") break;
        }
    } else {
      for (const at of states) {
        if (characters[at] === "*") add(next, at);
        else if (characters[at] === "?" || characters[at] === character) add(next, at + 1);
      }
    }
    if (next.size === 0) return false;
    states = next;
  }
  return states.has(characters.length);
}

function alternatives(pattern: string): string[] {
  return pattern.endsWith(" *") ? [pattern.slice(0, -2), pattern] : [pattern];
}

/**
 * Follows all ways to match at once, a bit for each place in the pattern ("Shift-And"; Navarro and Raffinot, Flexible
 * Pattern Matching in Strings, 4.2). A regular expression tries one way after the other: `*a*a*a*b` can take it minutes.
 */
class Wildcard {
  readonly #words: number;
  /** Bits of the places from which a character leads to the next place. */
  readonly #byCharacter = new Map<number, Uint32Array>();
  readonly #byAny: Uint32Array;
  /** Bits of the places at which a star stands: any character leads back to them. */
  readonly #stars: Uint32Array;
  /** Places from which the next one is reached without a character, but only when they are arrived at. In order. */
  readonly #skipped: number[] = [];
  /** Bits of the places that the last character led to; a star only stays where it was. */
  readonly #arrived: Uint32Array;
  readonly #last: number;

  /** `ofPaths`: `**` and a slash after another slash also match nothing. */
  constructor(pattern: string, ofPaths = false) {
    const characters = Array.from(ofPaths ? pattern.replace(/(?<=\/)\*\*\//g, skippedFolders) : pattern);
    this.#last = characters.filter((character) => character !== "*").length;
    this.#words = (this.#last >>> 5) + 1;
    this.#byAny = new Uint32Array(this.#words);
    this.#stars = new Uint32Array(this.#words);
    this.#arrived = new Uint32Array(this.#words);
    let place = 0;
    for (const character of characters) {
      if (character === skippedFolders) {
        this.#skipped.push(place);
        setBit(this.#stars, place);
        setBit(this.#placesOf(slash), place++);
      } else if (character === "*") setBit(this.#stars, place);
      else if (character === "?") setBit(this.#byAny, place++);
      else setBit(this.#placesOf(character.codePointAt(0) ?? 0), place++);
    }
    for (const places of this.#byCharacter.values()) {
      for (const [at, bits] of this.#byAny.entries()) places[at] = (places[at] ?? 0) | bits;
    }
  }

  matches(text: string): boolean {
    const reached = this.#start();
    for (const character of text) {
      if (!this.#step(reached, character.codePointAt(0) ?? 0)) return false;
    }
    return hasBit(reached, this.#last);
  }

  isHeldAfter(isSeparator: (character: number) => boolean, text: string): boolean {
    const reached = this.#start();
    for (const character of text) {
      if (hasBit(reached, this.#last)) return true;
      const code = character.codePointAt(0) ?? 0;
      this.#step(reached, code);
      if (isSeparator(code)) setBit(reached, 0);
    }
    return hasBit(reached, this.#last);
  }

  #start(): Uint32Array {
    const reached = new Uint32Array(this.#words);
    setBit(reached, 0);
    return reached;
  }

  /** Returns whether any place is reached. */
  #step(reached: Uint32Array, character: number): boolean {
    const leads = this.#byCharacter.get(character) ?? this.#byAny;
    let carried = 0;
    let some = 0;
    for (let word = 0; word < this.#words; word++) {
      const from = reached[word] ?? 0;
      const moved = from & (leads[word] ?? 0);
      const arrived = (moved << 1) | carried;
      const next = arrived | (from & (this.#stars[word] ?? 0));
      carried = moved >>> 31;
      this.#arrived[word] = arrived;
      reached[word] = next;
      some |= next;
    }
    for (const place of this.#skipped) {
      if (!hasBit(this.#arrived, place)) continue;
      setBit(this.#arrived, place + 1);
      setBit(reached, place + 1);
    }
    return some !== 0;
  }

  #placesOf(character: number): Uint32Array {
    const places = this.#byCharacter.get(character) ?? new Uint32Array(this.#words);
    this.#byCharacter.set(character, places);
    return places;
  }
}

function setBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31));
}

function hasBit(bits: Uint32Array, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
}
