/** Finds a text in others, in time that is linear in both: they may be anything. */

/** Code units as they are compared: all white space is a space, letters have one case or their own. */
function foldedUnits(fold: (sign: string) => string): Uint16Array {
  const units = new Uint16Array(1 << 16);
  for (let unit = 0; unit < units.length; unit++) {
    const sign = String.fromCharCode(unit);
    const folded = /\s/.test(sign) ? " " : fold(sign);
    // Offsets stay right: no sign becomes two.
    units[unit] = folded.length === 1 ? folded.charCodeAt(0) : unit;
  }
  return units;
}

/** Made when first needed: it takes some ms. */
const tables = new Map<boolean, Uint16Array>();

function tableFor(query: string): Uint16Array {
  const isExact = /\p{Lu}/u.test(query);
  // By way of the upper case, which different lower-case letters may share: σ and ς.
  const fold = (sign: string) => (isExact ? sign : sign.toUpperCase().toLowerCase());
  const table = tables.get(isExact) ?? foldedUnits(fold);
  tables.set(isExact, table);
  return table;
}

/** Matches a query literally; without regard to case, unless the query has a capital letter. */
export class QueryMatcher {
  readonly #fold: Uint16Array;
  readonly #units: Uint16Array;
  /** How many units still match when so many have, and the next one does not (Knuth, Morris and Pratt). */
  readonly #fallbacks: Uint32Array;

  constructor(query: string) {
    this.#fold = tableFor(query);
    this.#units = Uint16Array.from({ length: query.length }, (_, at) => this.#fold[query.charCodeAt(at)] ?? 0);
    this.#fallbacks = fallbacksOf(this.#units);
  }

  get length(): number {
    return this.#units.length;
  }

  /** Returns where the matches begin, which do not overlap. */
  starts(text: string): number[] {
    const starts: number[] = [];
    this.#search(text, (start) => starts.push(start));
    return starts;
  }

  count(text: string): number {
    let count = 0;
    this.#search(text, () => count++);
    return count;
  }

  #search(text: string, found: (start: number) => void): void {
    // Local: this loop sees every character of a session.
    const [fold, units, fallbacks] = [this.#fold, this.#units, this.#fallbacks];
    const { length } = units;
    if (length === 0) return;
    for (let at = 0, matched = 0; at < text.length; at++) {
      const unit = fold[text.charCodeAt(at)];
      while (matched > 0 && units[matched] !== unit) matched = fallbacks[matched] ?? 0;
      if (units[matched] === unit) matched++;
      if (matched < length) continue;
      found(at + 1 - length);
      matched = 0;
    }
  }
}

function fallbacksOf(units: Uint16Array): Uint32Array {
  const fallbacks = new Uint32Array(units.length + 1);
  for (let at = 1, matched = 0; at < units.length; at++) {
    while (matched > 0 && units[matched] !== units[at]) matched = fallbacks[matched] ?? 0;
    if (units[matched] === units[at]) matched++;
    fallbacks[at + 1] = matched;
  }
  return fallbacks;
}
