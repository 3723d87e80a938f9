/** Wildcards of permission rules. Agents' files bring them, and they are tried on commands of any length. Pure. */

/** Whether a whole text matches. */
export type TextMatcher = (text: string) => boolean;

/** Compiles `*` (any characters) and `?` (one). A final ` *` also matches nothing: `npm test *` covers `npm test`. */
export function wildcardMatcher(pattern: string): TextMatcher {
  const compiled = alternatives(pattern).map((one) => new Wildcard(one));
  return (text) => compiled.some((one) => one.matches(text));
}

/** Compiles a wildcard that matches a text which holds it at the start or after a separator (a code point). */
export function wildcardMatcherAfter(isSeparator: (character: number) => boolean, pattern: string): TextMatcher {
  const compiled = alternatives(pattern).map((one) => new Wildcard(one));
  return (text) => compiled.some((one) => one.isHeldAfter(isSeparator, text));
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
  readonly #last: number;

  constructor(pattern: string) {
    const characters = Array.from(pattern);
    this.#last = characters.filter((character) => character !== "*").length;
    this.#words = (this.#last >>> 5) + 1;
    this.#byAny = new Uint32Array(this.#words);
    this.#stars = new Uint32Array(this.#words);
    let place = 0;
    for (const character of characters) {
      if (character === "*") setBit(this.#stars, place);
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
      const next = (moved << 1) | carried | (from & (this.#stars[word] ?? 0));
      carried = moved >>> 31;
      reached[word] = next;
      some |= next;
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
